"""A blind audit on paper: the sheet written, and read back when it is filled in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from segjudge.auditing import Item, filled, outcome, sheet
from segjudge.errors import InputError, Problem, UsageError
from segjudge.report.agreement import agreement_table
from segjudge.report.tables import show, visible
from segjudge.writing import write_text


def write_sheet(items: Sequence[Item], path: Path) -> None:
    """Write what a person is to fill in.

    Raises
    ------
    UsageError
        No judge decided any pair.
    """
    if not items:
        raise UsageError("no judge decided any label pair, so there is nothing to audit")
    write_text(path, sheet(items))
    if str(path) != "-":
        says = "verdict: 1 same, 2 left is a step of right, 3 right of left, 4 different"
        typer.echo(visible(f"{path}: {len(items)} label pairs; {says}"), err=True)


def read_sheet(items: Sequence[Item], path: Path, name: str | None, output: Path | None) -> None:
    """Read what a person filled in; say how far the judge agrees, and keep the verdicts.

    Raises
    ------
    UsageError
        Nobody is named.
    InputError
        The file can't be read, or isn't the sheet of this audit.
    """
    if not name:
        raise UsageError("say who filled it in: --name NAME")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Problem(str(path), "", "", "", str(error))) from None
    said = filled(text, items, str(path))
    found = outcome(items, said)
    if output is not None:
        lines = [items[n].judged(said[n], f"human:{name}").line() for n in sorted(said)]
        write_text(output, "".join(f"{line}\n" for line in lines))
    for stratum, drawn in (("at random", found.random), ("by weight", found.influence)):
        typer.echo(
            f"drawn {stratum}: {drawn.said} of {drawn.items} judged, {drawn.equal} as the judge"
        )
    if found.random.said:
        show(agreement_table(found.agreement))
