"""``segjudge audit``: the judgments that matter most."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer

from segjudge.auditing import draw
from segjudge.commands import blind
from segjudge.commands.ask_options import ask_options
from segjudge.commands.judging import ask_for
from segjudge.commands.options import Prediction, Reference, case_options, takes
from segjudge.errors import UsageError
from segjudge.report.detail import Weighed, largest
from segjudge.scoring import AskOptions, Case, CaseOptions, build_case
from segjudge.scoring.audits import candidates
from segjudge.scoring.detail import weigh
from segjudge.writing import write_text


@takes(ask_options, "asking")
@takes(case_options, "options")
def audit(
    *,
    reference: Reference,
    prediction: Prediction,
    options: CaseOptions,
    asking: AskOptions,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="JSON lines; - prints them."),
    ] = None,
    top: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Write only the first N.")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="Write a blind audit instead: a CSV to fill in, without the judge's verdicts.",
        ),
    ] = None,
    filled: Annotated[
        Path | None,
        typer.Option(
            "--import",
            metavar="FILE",
            help="Read a filled-in blind audit, and say how far the judge agrees. The other "
            "options must be those of its --export.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who filled it in; with --import.")
    ] = None,
    size: Annotated[int, typer.Option(metavar="N", min=1, help="Pairs of a blind audit.")] = 40,
    random_share: Annotated[
        float,
        typer.Option(metavar="SHARE", min=0, max=1, help="Of them drawn at random, not by weight."),
    ] = 0.5,
    draw_seed: Annotated[int, typer.Option(metavar="N", min=0, help="Another draws others.")] = 0,
) -> None:
    """List the label pairs whose verdicts matter most, and what each is worth.

    A line a judgment, sorted by the largest change of any metric if its verdict flipped. Those
    that would change nothing are left out. Corrected lines can be given back with --judgments.

    With --export and --import: a blind audit of the judge for those without a browser. Kappa is
    of the pairs drawn at random alone; --output takes the person's verdicts.
    """
    both: AskOptions = {**options, **asking}
    if export is not None or filled is not None:
        case = build_case(reference, prediction, **both)
        stopped = ask_for(case, both)
        items = draw(candidates(case), size, random_share=random_share, seed=draw_seed)
        if export is not None:
            blind.write_sheet(items, export)
        else:
            assert filled is not None
            blind.read_sheet(items, filled, name, output)
        if stopped:
            raise stopped
        return
    if output is None:
        raise UsageError("say where to write to: --output FILE, or --export FILE for a blind audit")
    case = build_case(reference, prediction, **both)
    stopped = ask_for(case, both)
    weighed = weigh(case)
    matter = int((largest(weighed) > 0).sum())
    rows = range(matter if top is None else min(top, matter))
    write_text(output, "".join(_line(case, weighed, i) for i in rows))
    if str(output) != "-":
        typer.echo(f"{output}: {len(rows)} of {len(weighed)} label pairs", err=True)
    if stopped:
        raise stopped


def _line(case: Case, weighed: Weighed, i: int) -> str:
    """Return one judgment and its weight as a line of JSON."""
    row = int(weighed.row[i])
    question, record = case.decided.question[row], case.decided.record[row]
    labels, a = case.decided.labels, int(case.decided.pairs.a[row])
    b = int(case.decided.pairs.b[row])
    line: dict[str, Any] = {
        "label_a": labels[a],
        "label_b": labels[b],
        "verdict": case.decided.verdict[row],
        "judge": record.judge if record else case.decided.judge,
        "prompt": record.prompt if record else None,
        "task": question.task,
        "context": question.pair.context,
        "by": case.decided.by[row],
        "influence": _changes(weighed, i),
        "occurrences": int(weighed.occurrences[i]),
        "seconds": int(weighed.overlap_us[i]) / 1e6,
    }
    if record and record.rationale:
        line["rationale"] = record.rationale
    if record is None or not record.prompt:
        del line["prompt"]
    if not line["context"]:
        del line["context"]
    return json.dumps(line, ensure_ascii=False) + "\n"


def _changes(weighed: Weighed, i: int) -> dict[str, Any]:
    """Return the change of each metric: a number, or low and high where its bounds differ."""
    changes: dict[str, Any] = {}
    for name, low in weighed.low.items():
        pair = float(low[i]), float(weighed.high[name][i])
        if not math.isnan(pair[0]):
            changes[name] = pair[0] if pair[0] == pair[1] else {"low": pair[0], "high": pair[1]}
    return changes
