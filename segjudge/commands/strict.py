"""Commands that refuse what can only be a slip: an option given twice, an input overwritten."""

from __future__ import annotations

import os
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption

from segjudge.errors import UsageError

#: Parameters that name files to write. In `judgments`, whose lines are read whole before any is
#: written, a file may take its own place.
_WRITTEN = ("output", "json_file", "missing_file", "csv", "html", "markdown")
_IN_PLACE = "judgments"
_READ = ("judgments", "episodes", "id_map", "prompt", "verbs", "boxes")


class StrictCommand(TyperCommand):
    """A command that refuses words of which one would go unseen or harm a file."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after the command.

        Raises
        ------
        UsageError
            An option that has one value is given again; standard input is to be read twice; a
            file to be written is one to be read.
        """
        rest = super().parse_args(ctx, list(args))
        seen: set[str] = set()
        for option in self.make_parser(ctx).parse_args(args=list(args))[2]:
            if not isinstance(option, TyperOption) or option.is_flag or option.multiple:
                continue
            if option.opts[0] in seen:
                raise UsageError(f"{option.opts[0]} is given twice; it has one value")
            seen.add(option.opts[0])
        arguments = {each.name for each in self.params if isinstance(each, TyperArgument)}
        files = [word for name in arguments for word in _words(ctx.params.get(name))]
        if files.count("-") > 1:
            raise UsageError("standard input (-) can be read once, and is named twice")
        if ctx.parent is None or ctx.parent.info_name != _IN_PLACE:
            read = [*files, *(w for name in _READ for w in _words(ctx.params.get(name)))]
            self._spare(ctx, read)
        return rest

    def _spare(self, ctx: Any, read: list[str]) -> None:
        """Refuse to write a file that is read."""
        for option in self.params:
            if option.name not in _WRITTEN or not isinstance(option, TyperOption):
                continue
            for file in _words(ctx.params.get(option.name)):
                if any(_is_same(file, other) for other in read):
                    raise UsageError(f"{option.opts[0]} {file} would overwrite a file that is read")


def _words(value: Any) -> list[str]:
    """Return the words of a parameter, one or several."""
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    return [os.fspath(v) for v in value] if isinstance(value, (list, tuple)) else []


def _is_same(one: str, other: str) -> bool:
    """Say whether two names are of one regular file."""
    try:
        return os.path.isfile(one) and os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def make_strict(app: typer.Typer) -> None:
    """Make all commands of a program strict, those of its groups included."""
    for command in app.registered_commands:
        command.cls = StrictCommand
    for group in app.registered_groups:
        if group.typer_instance is not None:
            make_strict(group.typer_instance)
