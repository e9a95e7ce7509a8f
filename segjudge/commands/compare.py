"""``segjudge compare``."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from segjudge.commands.ask_options import ask_options
from segjudge.commands.baselines import show_plan
from segjudge.commands.interval_options import interval_options
from segjudge.commands.judging import ask_for
from segjudge.commands.options import Reference, case_options, takes
from segjudge.commands.scores import NO_VALUE, Missing, goes_to_stdout, missing_text, no_value
from segjudge.errors import UsageError
from segjudge.report.comparison import comparison_table
from segjudge.report.tables import show
from segjudge.scoring import AskOptions, CaseOptions, IntervalOptions
from segjudge.scoring.comparing import comparison_report
from segjudge.scoring.contest import contest
from segjudge.writing import write_text


@takes(ask_options, "asking")
@takes(interval_options, "wanted")
@takes(case_options, "options")
def compare(
    *,
    reference: Reference,
    predictions: Annotated[
        list[str], typer.Argument(metavar="A B [C]...", help="Systems: predictions to compare.")
    ],
    options: CaseOptions,
    wanted: IntervalOptions,
    asking: AskOptions,
    names: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="What to call the systems, not by their file names."),
    ] = None,
    noise_runs: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,...",
            help="Score by each of these runs of the recorded judgments, to see how far judging "
            "again moves the figures.",
        ),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Count the label pairs needed, and compare nothing.")
    ] = False,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - prints it.")
    ] = None,
    markdown_file: Annotated[
        str | None,
        typer.Option("--markdown", metavar="FILE", help="Write tables of Markdown; - prints them."),
    ] = None,
    missing_file: Missing = None,
    allow_bounds: Annotated[
        bool,
        typer.Option("--allow-bounds", help="Exit 0 also where a difference has bounds only."),
    ] = False,
) -> None:
    """Compare systems on one reference: differences, intervals, tests.

    On all episodes of the reference, one that a system lacks scored as empty; and on those that
    every system has. Without --model nothing is asked and no network is touched. Exit status 3:
    a difference has no value because label pairs are undecided; 4: the model could not be asked
    to the end. The comparison is written all the same.
    """
    silent = goes_to_stdout(
        ("--json", json_file), ("--markdown", markdown_file), ("--missing", missing_file)
    )
    both = cast(AskOptions, {**options, **asking})
    built = contest(
        reference,
        predictions,
        names=None if names is None else [name.strip() for name in names.split(",")],
        noise_runs=_runs(noise_runs),
        wanted=wanted,
        **both,
    )
    if plan:
        show_plan(built.several, both, json_file, missing_file, silent)
        return
    stopped = ask_for(built.case, both)
    result = comparison_report(built, **both)
    if json_file:
        write_text(json_file, result.to_json())
    if markdown_file:
        write_text(markdown_file, result.to_markdown())
    if missing_file:
        write_text(missing_file, missing_text(built.case, missing_file))
    if not silent:
        show(comparison_table(result))
    if stopped:
        raise stopped
    lacking = result.without_value()
    if lacking and not allow_bounds:
        typer.echo(no_value(lacking, built.case), err=True)
        raise typer.Exit(NO_VALUE)


def _runs(text: str | None) -> list[int]:
    """Return the numbers of the runs."""
    if text is None:
        return []
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--noise-runs {text!r}: expected numbers such as 1,2") from None
