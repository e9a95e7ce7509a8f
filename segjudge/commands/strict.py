"""Commands that refuse an option given twice where it has one value."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperOption

from segjudge.errors import UsageError


class StrictCommand(TyperCommand):
    """A command whose options of one value may be given once: the first would go unseen."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after the command.

        Raises
        ------
        UsageError
            An option that has one value is given again.
        """
        rest = super().parse_args(ctx, list(args))
        seen: set[str] = set()
        for option in self.make_parser(ctx).parse_args(args=list(args))[2]:
            if not isinstance(option, TyperOption) or option.is_flag or option.multiple:
                continue
            if option.opts[0] in seen:
                raise UsageError(f"{option.opts[0]} is given twice; it has one value")
            seen.add(option.opts[0])
        return rest


def make_strict(app: typer.Typer) -> None:
    """Make all commands of a program strict, those of its groups included."""
    for command in app.registered_commands:
        command.cls = StrictCommand
    for group in app.registered_groups:
        if group.typer_instance is not None:
            make_strict(group.typer_instance)
