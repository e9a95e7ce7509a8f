"""``segjudge score`` and ``segjudge plan``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from segjudge.commands.options import case_options, takes
from segjudge.report import Report
from segjudge.report.tables import csv_text, plan_table, report_table, show
from segjudge.scoring import Case, CaseOptions, build_case, plan_of, report
from segjudge.writing import write_text

#: Exit status when a metric has no value for lack of judgments.
NO_VALUE = 3

Reference = Annotated[str, typer.Argument(metavar="REFERENCE", help="The truth: annotations.")]
Prediction = Annotated[str, typer.Argument(metavar="PREDICTION", help="What is scored.")]


@takes(case_options, "options")
def score(
    *,
    reference: Reference,
    prediction: Prediction,
    options: CaseOptions,
    by: Annotated[
        list[str], typer.Option(metavar="FIELD", help="Group by a field of the episodes.")
    ] = [],  # noqa: B006
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the report; - prints it.")
    ] = None,
    csv_file: Annotated[
        str | None,
        typer.Option("--csv", metavar="FILE", help="Write a row an episode, group and corpus."),
    ] = None,
    missing_file: Annotated[
        Path | None,
        typer.Option("--missing", metavar="FILE", help="Write the undecided pairs, a line each."),
    ] = None,
    allow_bounds: Annotated[
        bool,
        typer.Option("--allow-bounds", help="Exit 0 also where a metric has bounds and no value."),
    ] = False,
) -> None:
    """Score a prediction against a reference on recorded judgments.

    Nothing is asked and no network is touched. Exit status 3: a metric has no value because
    label pairs are undecided; the report is written all the same.
    """
    case = build_case(reference, prediction, **options)
    result = report(case, by)
    if json_file:
        write_text(json_file, result.to_json())
    if csv_file:
        write_text(csv_file, csv_text(result))
    if missing_file:
        write_text(str(missing_file), missing_lines(case))
    if "-" not in (json_file, csv_file):
        show(report_table(result))
    if result.without_value() and not allow_bounds:
        typer.echo(_no_value(result), err=True)
        raise typer.Exit(NO_VALUE)


def _no_value(result: Report) -> str:
    pairs = result.judge.pairs
    return (
        f"No value for {', '.join(result.without_value())}: {pairs.unknown} of {pairs.needed} "
        "label pairs are undecided. `--missing FILE` lists them; judge them and give the "
        "answers with `--judgments FILE`, or accept the bounds with `--allow-bounds`."
    )


@takes(case_options, "options")
def plan(
    *,
    reference: Reference,
    prediction: Prediction,
    options: CaseOptions,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the plan; - prints it.")
    ] = None,
    missing_file: Annotated[
        Path | None,
        typer.Option("--missing", metavar="FILE", help="Write the undecided pairs, a line each."),
    ] = None,
) -> None:
    """Count the label pairs that a score needs, and those left to ask. Asks nothing."""
    case = build_case(reference, prediction, **options)
    result = plan_of(case)
    if json_file:
        write_text(json_file, result.model_dump_json(indent=2) + "\n")
    if missing_file:
        write_text(str(missing_file), missing_lines(case))
    if json_file != "-":
        show(plan_table(result.model_dump()))


def missing_lines(case: Case) -> str:
    """Return the undecided pairs as JSON lines: a judgment but for verdict and judge."""
    import json

    lines = []
    for question in case.decided.missing():
        line = {
            "label_a": question.label_a,
            "label_b": question.label_b,
            "verdict": None,
            "judge": None,
            "task": question.task,
            "context": question.pair.context,
        }
        if not question.pair.context:
            del line["context"]
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    return "".join(lines)
