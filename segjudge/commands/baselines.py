"""``segjudge baselines``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, cast

import typer
from rich.console import Group

from segjudge.commands.ask_options import ask_options
from segjudge.commands.interval_options import interval_options
from segjudge.commands.judging import ask_for
from segjudge.commands.options import Reference, case_options, takes
from segjudge.commands.scores import NO_VALUE, Missing, goes_to_stdout, missing_text, no_value
from segjudge.report.floors import floors_table, sides_table
from segjudge.report.tables import cell, plan_table, show
from segjudge.scoring import AskOptions, CaseOptions, IntervalOptions, plan_of
from segjudge.scoring.floors import floors, floors_report, write_floors
from segjudge.scoring.several import Several
from segjudge.writing import write_text


@takes(ask_options, "asking")
@takes(interval_options, "wanted")
@takes(case_options, "options")
def baselines(
    *,
    reference: Reference,
    predictions: Annotated[
        list[str] | None, typer.Argument(metavar="[PREDICTION]...", help="Systems to compare.")
    ] = None,
    options: CaseOptions,
    wanted: IntervalOptions,
    asking: AskOptions,
    baseline: Annotated[
        list[str],
        typer.Option(
            metavar="NAME[,OPTION=VALUE]",
            help="Baseline, such as constant,label=hold or windows,seconds=5; may be repeated. "
            "Names: constant, windows, longest, instruction, borrowed, shotgun, empty, shuffled. "
            "All of them if not given.",
        ),
    ] = [],  # noqa: B006 - typer reads the default, nothing changes it
    plan: Annotated[
        bool, typer.Option("--plan", help="Count the label pairs needed, and score nothing.")
    ] = False,
    write: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the baselines as files of our JSONL.")
    ] = None,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the report; - prints it.")
    ] = None,
    missing_file: Missing = None,
    allow_bounds: Annotated[
        bool,
        typer.Option("--allow-bounds", help="Exit 0 also where a metric has bounds and no value."),
    ] = False,
) -> None:
    """Score trivial answers, and say by how much each prediction beats the best of them.

    Their labels are judged like any. Without --model nothing is asked and no network is touched.
    Exit status 3: a metric has no value because label pairs are undecided; 4: the model could
    not be asked to the end. The report is written all the same.
    """
    silent = goes_to_stdout(("--json", json_file), ("--missing", missing_file))
    both = cast(AskOptions, {**options, **asking})
    built = floors(reference, predictions or (), baselines=baseline, wanted=wanted, **both)
    if write:
        files = write_floors(built, write)
        noun = "baseline" if len(files) == 1 else "baselines"
        typer.echo(f"{len(files)} {noun} written to {write}", err=True)
    if plan:
        show_plan(built.several, both, json_file, missing_file, silent)
        return
    stopped = ask_for(built.case, both)
    result = floors_report(built)
    if json_file:
        write_text(json_file, result.to_json())
    if missing_file:
        write_text(missing_file, missing_text(built.case, missing_file))
    if not silent:
        show(floors_table(result))
    if stopped:
        raise stopped
    lacking = result.without_value()
    if lacking and not allow_bounds:
        typer.echo(no_value(lacking, built.case), err=True)
        raise typer.Exit(NO_VALUE)


def show_plan(
    several: Several,
    options: AskOptions,
    json_file: str | None,
    missing_file: Path | None,
    silent: bool,
) -> None:
    """Count the label pairs that several sides need, all together and each."""
    counts = plan_of(several.case, **options).model_dump()
    pairs = {"-".join(name[1:]) or name[0]: several.pairs(name) for name in several.sides}
    if json_file:
        by_side = {name: {"needed": n, "undecided": u} for name, (n, u) in pairs.items()}
        text = json.dumps({**counts, "by_side": by_side}, ensure_ascii=False, indent=2)
        write_text(json_file, text + "\n")
    if missing_file:
        write_text(missing_file, missing_text(several.case, missing_file))
    if not silent:
        show(Group(plan_table(counts), cell(""), sides_table(pairs)))
