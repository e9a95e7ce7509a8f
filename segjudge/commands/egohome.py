"""``segjudge egohome`` and ``segjudge boxes``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from segjudge.commands.ask_options import ask_options
from segjudge.commands.judging import ask_for
from segjudge.commands.options import (
    Prediction,
    Reference,
    case_options,
    for_side,
    number,
    reading,
    takes,
)
from segjudge.commands.scores import NO_VALUE, Missing, goes_to_stdout, missing_text, no_value
from segjudge.errors import StoppedEarly
from segjudge.report.benchmark import benchmark_table
from segjudge.report.tables import cell, plan_table, report_table, show
from segjudge.scoring import AskOptions, CaseOptions, plan_of
from segjudge.scoring.benchmark import egohome_report
from segjudge.scoring.boxes import BoxOptions, score_boxes
from segjudge.scoring.egohome import Egohome
from segjudge.scoring.egohome import egohome as prepare
from segjudge.writing import write_text

#: What the protocol settles, or what rows say themselves.
_SETTLED = ("task", "metric", "prompt", "context", "unit", "columns", "format", "fps", "resolution")

Fps = Annotated[
    list[str],
    typer.Option(
        "--fps",
        metavar="[SIDE:]N",
        help="Frames a second, where a file doesn't say it. With `reference:` or `prediction:` in "
        "front it is for that side; so are --coords and --order.",
    ),
]
JsonFile = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write the report; - prints it.")
]


def box_options(
    coords: Annotated[
        list[str],
        typer.Option(
            metavar="[SIDE:]NAME",
            help="What the numbers of boxes are: px, unit (0 to 1), thousand, percent. Needed "
            "where a file doesn't say it; EgoHome rows don't.",
        ),
    ] = [],  # noqa: B006 - typer reads the default, nothing changes it
    order: Annotated[
        list[str],
        typer.Option(
            metavar="[SIDE:]NAME",
            help="Their order: xyxy, xywh, yxyx, xxyy. Needed where a file doesn't say it; "
            "EgoHome rows are xyxy unless told otherwise.",
        ),
    ] = [],  # noqa: B006
    fps: Fps = [],  # noqa: B006
    null_breaks: Annotated[
        bool,
        typer.Option(
            "--null-breaks",
            help="Don't interpolate across a moment at which the prediction says null.",
        ),
    ] = False,
    max_gap: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Don't interpolate across longer gaps."),
    ] = None,
    same_frame: Annotated[
        str,
        typer.Option(
            metavar="error|score|nearest",
            help="Several predicted boxes of a hand on one frame: an error; keep the one of the "
            "highest score; keep the one nearest in time.",
        ),
    ] = "error",
) -> BoxOptions:
    """Turn what was typed into keyword options of `score_boxes`."""
    sides = []
    for side in ("reference", "prediction"):
        found = {
            "coords": for_side(coords, side),
            "order": for_side(order, side),
            "fps": number("--fps", for_side(fps, side)),
        }
        sides.append({name: value for name, value in found.items() if value is not None})
    options = {
        "reading": sides[0],
        "prediction_reading": sides[1],
        "null_breaks": null_breaks,
        "max_gap_s": max_gap,
        "same_frame": same_frame,
    }
    return cast(BoxOptions, options)


@takes(ask_options, "asking")
@takes(box_options, "wanted")
@takes(case_options, "options", without=_SETTLED)
def egohome(
    *,
    rows: Annotated[str, typer.Argument(metavar="ROWS", help="The truth: EgoHome rows.")],
    prediction: Annotated[
        str, typer.Argument(metavar="PREDICTION", help="What is scored: rows of the same shape.")
    ],
    options: CaseOptions,
    wanted: BoxOptions,
    asking: AskOptions,
    boxes: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The prediction's boxes, where they are elsewhere."),
    ] = None,
    no_floors: Annotated[
        bool,
        typer.Option("--no-floors", help="Leave trivial answers out; a model is asked less."),
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Count the label pairs needed, and score nothing.")
    ] = False,
    json_file: JsonFile = None,
    missing_file: Missing = None,
    allow_bounds: Annotated[
        bool,
        typer.Option("--allow-bounds", help="Exit 0 also where a score has bounds and no value."),
    ] = False,
) -> None:
    """Score a prediction as EgoHome does: subtasks, hand captions, hand actions, hand boxes.

    What the rows or the prediction lack is not scored. Without --model nothing is asked and no
    network is touched. Exit status 3: a score has no value because label pairs are undecided; 4:
    the model could not be asked to the end. The report is written all the same.
    """
    silent = goes_to_stdout(("--json", json_file), ("--missing", missing_file))
    both = cast(AskOptions, {**options, **asking})
    built = prepare(
        rows,
        prediction,
        predicted_boxes=boxes,
        box_options=wanted,
        with_floors=not no_floors,
        **both,
    )
    if plan:
        _plan(built, json_file, missing_file, silent)
        return
    stopped = _ask(built)
    result = egohome_report(built)
    if json_file:
        write_text(json_file, result.to_json())
    if missing_file:
        write_text(missing_file, _missing(built, missing_file))
    if not silent:
        show(benchmark_table(result))
    if stopped:
        raise stopped
    lacking = result.without_value()
    if lacking and not allow_bounds:
        for text in built.texts:
            if text.part.name in lacking:
                typer.echo(no_value([text.part.name], text.case), err=True)
        raise typer.Exit(NO_VALUE)


def _ask(built: Egohome) -> StoppedEarly | None:
    """Ask the model for each score in turn, until it can't go on."""
    for text in built.texts:
        stopped = ask_for(text.case, text.options)
        if stopped:
            return stopped
    return None


def _missing(built: Egohome, file: Path) -> str:
    """Return the undecided pairs of all scores; a table has its header once."""
    texts = [missing_text(text.case, file) for text in built.texts]
    if file.name.endswith((".csv", ".csv.gz")):
        texts = [text if n == 0 else text.partition("\n")[2] for n, text in enumerate(texts)]
    return "".join(texts)


def _plan(built: Egohome, json_file: str | None, missing_file: Path | None, silent: bool) -> None:
    """Count the label pairs of each score."""
    plans: dict[str, dict[str, Any]] = {
        text.part.name: plan_of(text.case, **text.options).model_dump() for text in built.texts
    }
    if json_file:
        write_text(json_file, json.dumps(plans, ensure_ascii=False, indent=2) + "\n")
    if missing_file:
        write_text(missing_file, _missing(built, missing_file))
    if silent:
        return
    for name, counts in plans.items():
        show(cell(name))
        show(plan_table(counts))


@takes(box_options, "wanted")
@takes(case_options, "options", only=("episodes", "id_map", "offset"))
def boxes(
    *,
    reference: Reference,
    prediction: Prediction,
    options: CaseOptions,
    wanted: BoxOptions,
    columns: Annotated[
        list[str],
        typer.Option(metavar="[SIDE:]episode=A,t=B,hand=C", help="Columns of a table of boxes."),
    ] = [],  # noqa: B006
    json_file: JsonFile = None,
) -> None:
    """Score hand boxes by the share of frames in which their centroid lies in the hand's box.

    EgoHome rows, our JSON lines and tables are read. Boxes between two of the prediction's are
    interpolated.
    """
    silent = goes_to_stdout(("--json", json_file))
    changes = {n: v for n, v in options.items() if n in ("episodes", "id_map", "offset")}
    typed = cast(dict[str, Any], wanted)
    for name, side in (("reading", "reference"), ("prediction_reading", "prediction")):
        typed[name] |= reading(side, [], [], [], columns)
    every = cast(BoxOptions, {**typed, **changes})
    result = score_boxes(reference, prediction, **every)
    if json_file:
        write_text(json_file, result.to_json())
    if not silent:
        show(report_table(result))
