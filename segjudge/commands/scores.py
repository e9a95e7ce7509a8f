"""``segjudge score`` and ``segjudge plan``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Annotated

import typer

from segjudge.commands.ask_options import ask_options
from segjudge.commands.exports import Exports, export_options, write_exports
from segjudge.commands.interval_options import interval_options
from segjudge.commands.judging import ask_for
from segjudge.commands.options import Prediction, Reference, case_options, takes
from segjudge.errors import UsageError
from segjudge.judgments import UNKNOWN
from segjudge.report.tables import plan_table, report_table, show
from segjudge.scoring import (
    AskOptions,
    Case,
    CaseOptions,
    IntervalOptions,
    build_case,
    extras,
    plan_of,
    report,
)
from segjudge.writing import write_text

#: Exit status when a metric has no value for lack of judgments.
NO_VALUE = 3

Missing = Annotated[
    Path | None,
    typer.Option(
        "--missing",
        metavar="FILE",
        help="Write the undecided pairs, a line each: JSON lines, or CSV where the name ends in "
        ".csv. `segjudge judgments import` takes them back.",
    ),
]


@takes(export_options, "exports")
@takes(ask_options, "asking")
@takes(interval_options, "wanted")
@takes(case_options, "options")
def score(
    *,
    reference: Reference,
    prediction: Prediction,
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="With --references: more files."),
    ] = None,
    options: CaseOptions,
    wanted: IntervalOptions,
    asking: AskOptions,
    exports: Exports,
    references: Annotated[
        bool,
        typer.Option(
            "--references",
            help="All files but the last are references, by several annotators: also gives what "
            "these reach against each other.",
        ),
    ] = False,
    by: Annotated[
        list[str], typer.Option(metavar="FIELD", help="Group by a field of the episodes.")
    ] = [],  # noqa: B006
    ci: Annotated[
        bool,
        typer.Option("--ci", help="Add bootstrap intervals over the episodes, or over --cluster."),
    ] = False,
    bins: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS,...",
            help="Add recall and precision by length of segment, between edges such as "
            "0,0.5,1,2,5,10,inf.",
        ),
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
    """Score a prediction against a reference.

    Without --model nothing is asked and no network is touched. Exit status 3: a metric has no
    value because label pairs are undecided; 4: the model could not be asked to the end. The
    report is written all the same.
    """
    printed = goes_to_stdout(
        ("--json", json_file),
        ("--csv", exports["csv"]),
        ("--html", exports["html"]),
        ("--markdown", exports["markdown"]),
        ("--missing", missing_file),
    )
    both: AskOptions = {**options, **asking}
    if references:
        _refuse(by=by, ci=ci, bins=bins, **exports)
        # It takes its options from here.
        from segjudge.commands.annotators import against_several

        files = [reference, prediction, *(more or ())]
        against_several(files, both, json_file, missing_file, allow_bounds, silent=printed)
        return
    if more:
        raise UsageError(f"{len(more)} files too many; are they --references?")
    case = build_case(reference, prediction, **both)
    sure, lengths = extras(case, {**wanted, "ci": ci}, bins)
    stopped = ask_for(case, both)
    result = report(case, by, sure=sure, bins=lengths)
    if json_file:
        write_text(json_file, result.to_json())
    write_exports(case, result, exports)
    if missing_file:
        write_text(missing_file, missing_text(case, missing_file))
    if not printed:
        show(report_table(result))
    if stopped:
        raise stopped
    if result.without_value() and not allow_bounds:
        typer.echo(no_value(result.without_value(), case), err=True)
        raise typer.Exit(NO_VALUE)


def _refuse(**given: object) -> None:
    """Refuse options that are for one reference.

    Raises
    ------
    UsageError
        One of them is given.
    """
    wrong = [f"--{name}" for name, value in given.items() if value]
    if wrong:
        raise UsageError(f"--references has no {', '.join(wrong)}")


def goes_to_stdout(*files: tuple[str, str | Path | None]) -> bool:
    """Whether one of the files is standard output, so that the table is left out.

    Raises
    ------
    UsageError
        Several are.
    """
    options = [option for option, file in files if file is not None and str(file) == "-"]
    if len(options) > 1:
        raise UsageError(f"only one of {' and '.join(options)} can go to standard output")
    return bool(options)


def no_value(metrics: list[str], case: Case) -> str:
    """Return why metrics have no value, and how to get one."""
    return (
        f"No value for {', '.join(metrics)}: {len(undecided(case))} of {len(case.decided.by)} "
        "label pairs are undecided. Ask a chat model with `--model`; or list them with "
        "`--missing FILE`, judge them and give the answers with `--judgments FILE`; or accept "
        "the bounds with `--allow-bounds`."
    )


@takes(ask_options, "asking")
@takes(case_options, "options")
def plan(
    *,
    reference: Reference,
    prediction: Prediction,
    options: CaseOptions,
    asking: AskOptions,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the plan; - prints it.")
    ] = None,
    missing_file: Missing = None,
) -> None:
    """Count the label pairs that a score needs, and those left to ask. Asks nothing.

    With --model: also how many the store has, and what asking the rest would take.
    """
    printed = goes_to_stdout(("--json", json_file), ("--missing", missing_file))
    both: AskOptions = {**options, **asking}
    case = build_case(reference, prediction, **both)
    result = plan_of(case, **both)
    if json_file:
        write_text(json_file, result.model_dump_json(indent=2) + "\n")
    if missing_file:
        write_text(missing_file, missing_text(case, missing_file))
    if not printed:
        show(plan_table(result.model_dump()))


def undecided(case: Case) -> list[int]:
    """Return the rows of the pairs on which a metric lacks the answer that it reads."""
    verdicts = case.decided.verdict
    rows: set[int] = set()
    for metric in case.metrics:
        for row in case.needs[metric.key].tolist() if metric.reads else ():
            verdict = verdicts[row]
            if verdict is None or getattr(verdict, metric.reads) == UNKNOWN:
                rows.add(row)
    return sorted(rows)


def missing_text(case: Case, file: Path) -> str:
    """Return the undecided pairs: each a judgment but for verdict and judge, to be filled in."""
    asked = {case.decided.question[row].pair: row for row in undecided(case)}
    lines = []
    for pair in sorted(asked):
        question = case.decided.question[asked[pair]]
        line = {
            "label_a": question.label_a,
            "label_b": question.label_b,
            "verdict": None,
            "judge": None,
            "task": question.task,
        }
        lines.append(line | ({"context": pair.context} if pair.context else {}))
    if file.name.endswith((".csv", ".csv.gz")):
        text = io.StringIO()
        columns = ("label_a", "label_b", "verdict", "judge", "task", "context")
        table = csv.DictWriter(text, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(lines)
        return text.getvalue()
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
