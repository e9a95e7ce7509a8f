"""``segjudge annotators`` and ``feedback``; ``score --references``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer
from rich.console import Group, RenderableType

from segjudge.commands.ask_options import ask_options
from segjudge.commands.judging import ask_for
from segjudge.commands.options import Reference, case_options, takes
from segjudge.commands.scores import NO_VALUE, Missing, goes_to_stdout, missing_text, no_value
from segjudge.errors import UsageError
from segjudge.report.annotators import annotators_table, references_table
from segjudge.report.floors import table
from segjudge.report.tables import cell, show
from segjudge.scoring import AskOptions, CaseOptions
from segjudge.scoring.annotators import annotators as compare
from segjudge.scoring.annotators import annotators_report, references, references_report
from segjudge.scoring.feedback import Feedback, OwnSegment, feedback_case
from segjudge.scoring.feedback import feedback as compute
from segjudge.writing import write_text

#: Options that change one side of two, and so have no meaning among several.
ONE_SIDED = ("id_map", "offset", "leave_out_failed")

JsonFile = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write the report; - prints it.")
]


@takes(ask_options, "asking")
@takes(case_options, "options", without=ONE_SIDED)
def annotators(
    *,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE FILE...", help="One file an annotator.")
    ],
    options: CaseOptions,
    asking: AskOptions,
    reference: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Compare each with this, too: the original labels."),
    ] = None,
    json_file: JsonFile = None,
    missing_file: Missing = None,
    allow_bounds: Annotated[
        bool,
        typer.Option("--allow-bounds", help="Exit 0 also where figures have bounds and no value."),
    ] = False,
) -> None:
    """Compare annotators two by two, and say how well each agrees with the others.

    By psj unless --metric names another. Exit statuses are those of `segjudge score`.
    """
    silent = goes_to_stdout(("--json", json_file), ("--missing", missing_file))
    both = cast(AskOptions, {**options, **asking})
    panel = compare(files, reference, **both)
    stopped = ask_for(panel.case, both)
    result = annotators_report(panel)
    if json_file:
        write_text(json_file, result.to_json())
    if missing_file:
        write_text(missing_file, missing_text(panel.case, missing_file))
    if not silent:
        show(annotators_table(result))
    if stopped:
        raise stopped
    if result.without_value() and not allow_bounds:
        typer.echo(no_value([result.metric], panel.case), err=True)
        raise typer.Exit(NO_VALUE)


def against_several(
    files: list[str],
    options: AskOptions,
    json_file: str | None,
    missing_file: Path | None,
    allow_bounds: bool,
    silent: bool,
) -> None:
    """Score the last of some files against all others: ``score --references``."""
    one_sided = [f"--{name.replace('_', '-')}" for name in ONE_SIDED if options.get(name)]
    if one_sided:
        raise UsageError(f"--references has no {', '.join(one_sided)}")
    *people, prediction = files
    panel = references(people, prediction, **options)
    stopped = ask_for(panel.case, options)
    result = references_report(panel)
    if json_file:
        write_text(json_file, result.to_json())
    if missing_file:
        write_text(missing_file, missing_text(panel.case, missing_file))
    if not silent:
        show(references_table(result))
    if stopped:
        raise stopped
    if result.without_value() and not allow_bounds:
        typer.echo(no_value([result.metric], panel.case), err=True)
        raise typer.Exit(NO_VALUE)


@takes(ask_options, "asking")
@takes(case_options, "options", without=("metric", "ignore_label", "leave_out_failed"))
def feedback(
    *,
    reference: Reference,
    annotation: Annotated[
        str, typer.Argument(metavar="ANNOTATION", help="What the annotator made.")
    ],
    options: CaseOptions,
    asking: AskOptions,
    mark: Annotated[
        float, typer.Option("--pass", metavar="SHARE", help="What psj must reach to pass.")
    ] = 0.8,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write it as JSON; - prints it.")
    ] = None,
) -> None:
    """Tell an annotator which of their own segments earned how much, and whether they pass.

    No label and no time of the reference is shown: shares are in tenths. Only the episodes
    annotated count. The last line says whether the mark is reached, in JSON it is `passed`. Exit
    status 3: that depends on label pairs that are undecided.
    """
    both = cast(AskOptions, {**options, **asking})
    case, episodes = feedback_case(reference, annotation, **both)
    stopped = ask_for(case, both)
    result = compute(case, episodes, mark)
    if json_file:
        write_text(json_file, result.to_json())
    if json_file != "-":
        show(_feedback(result))
    if stopped:
        raise stopped
    if result.passed is None:
        raise typer.Exit(NO_VALUE)


def _feedback(result: Feedback) -> RenderableType:
    made = table(("episode", "track"), ("start", "end", "earned"), ("your label",))
    for own in result.segments:
        made.add_row(
            cell(own.episode),
            cell(own.track or "-"),
            f"{own.start_s:.3f}",
            f"{own.end_s:.3f}",
            _earned(own),
            cell(own.label),
        )
    verdict = {True: "reached", False: "not reached", None: "open, as pairs are undecided"}
    score = "undecided" if result.score is None else f"{result.score:.2f}"
    lines = [
        f"{result.metric} {score}; pass mark {result.pass_mark:g} {verdict[result.passed]}",
        f"your time that earned credit: {_share(result.precision)}; "
        f"time to be annotated that you covered rightly: {_share(result.recall)}",
    ]
    if result.episodes < result.episodes_in_all:
        lines.append(f"{result.episodes} of {result.episodes_in_all} episodes annotated")
    return Group(made, cell(""), *map(cell, lines))


def _earned(own: OwnSegment) -> str:
    return "nothing" if own.earned == 0 else "all" if own.earned == 1 else _share(own.earned)


def _share(tenths: float | None) -> str:
    return "undecided" if tenths is None else f"{100 * tenths:.0f} %"
