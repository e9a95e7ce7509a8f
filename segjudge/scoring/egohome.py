"""EgoHome whole: its four scores from rows and a prediction, each beside its floors."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack, cast

from segjudge.boxes import Boxes, restrict_boxes
from segjudge.formats.boxes import read_boxes
from segjudge.formats.interface import Task
from segjudge.formats.parsed import Parsed, parse_rows
from segjudge.judgments import Judgment
from segjudge.protocols import EGOHOME, Part
from segjudge.report import Input
from segjudge.scoring.boxes import BoxHits, BoxOptions, edited_boxes, hits_of
from segjudge.scoring.case import Case
from segjudge.scoring.floors import Floors, floors
from segjudge.scoring.options import AskOptions
from segjudge.scoring.settings import recorded_lines

Path_ = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, eq=False)
class TextPart:
    """A score of segments, before it is computed.

    Attributes
    ----------
    part : Part
    floors : Floors
        The prediction and its floors against the reference; its case can be asked about.
    options : AskOptions
        Those of this part: its task, metric and prompt.
    """

    part: Part
    floors: Floors
    options: AskOptions

    @property
    def case(self) -> Case:
        """What a judge may fill in."""
        return self.floors.case


@dataclass(frozen=True, slots=True, eq=False)
class BoxPart:
    """The score of boxes: counted, as nobody needs to be asked."""

    part: Part
    hits: BoxHits
    reference: Boxes
    prediction: Boxes
    options: BoxOptions


@dataclass(frozen=True, slots=True, eq=False)
class Egohome:
    """All scores, before those that need a judge are computed.

    Attributes
    ----------
    texts : list of TextPart
    boxes : BoxPart or None
    not_scored : dict of str to str
        Scores that there are none of, and why.
    with_floors : bool
    inputs : list of Input
    """

    texts: list[TextPart]
    boxes: BoxPart | None
    not_scored: dict[str, str]
    with_floors: bool
    inputs: list[Input]


def egohome(
    rows: Path_,
    prediction: Path_,
    *,
    predicted_boxes: Path_ | None = None,
    box_options: BoxOptions | None = None,
    with_floors: bool = True,
    **options: Unpack[AskOptions],
) -> Egohome:
    """Read both files once, and make all scores ready to be judged.

    Parameters
    ----------
    rows : path
        EgoHome rows: the truth.
    prediction : path
        Rows of the same shape. A field that none of them has is not scored.
    predicted_boxes : path, optional
        Another file for the prediction's boxes, of any shape that `read_boxes` reads.
    box_options : BoxOptions, optional
    with_floors : bool
        Whether trivial answers are scored, too; a model would be asked about their labels.
    **options
        See `AskOptions`; task, metrics and prompts are the protocol's.

    Raises
    ------
    InputError
        A file is not what it should be; every problem is named.
    UsageError
        An option can't be used, or one is needed.
    """
    truth, side = parse_rows(rows), parse_rows(prediction)
    lines, inputs = recorded_lines(options)
    texts: list[TextPart] = []
    not_scored: dict[str, str] = {}
    for part in EGOHOME.parts:
        reason = _lacking(part, truth, side, predicted_boxes)
        if reason:
            not_scored[part.name] = reason
        elif part.task != "boxes":
            own = _of_part(part, lines, options)
            texts.append(_text_part(part, truth, side, own, with_floors))
    boxes = None
    for part in EGOHOME.parts:
        if part.task == "boxes" and part.name not in not_scored:
            wanted = cast(BoxOptions, {**(box_options or {}), **_shared(options)})
            # What has failed stands with the segments; boxes leave out the same episodes.
            kept = options.get("leave_out_failed") and texts
            only = texts[0].case.comparison.reference.episodes if kept else None
            boxes = _box_part(part, truth, side, predicted_boxes, wanted, only)
    return Egohome(texts, boxes, not_scored, with_floors, _inputs(truth, side, inputs))


def _lacking(part: Part, truth: Parsed, side: Parsed, other: Path_ | None) -> str:
    """Say why a part can't be scored; "" where it can."""
    if not truth.holds(part.task):
        return "the rows have none"
    if not side.holds(part.task) and not (part.task == "boxes" and other is not None):
        return "the prediction has none"
    return ""


def _of_part(part: Part, lines: list[Judgment], options: AskOptions) -> AskOptions:
    """Return the options of one part: of the recorded judgments only those of its task.

    Where they are of several prompts, those of the protocol's own count; a model is asked with it.
    """
    own = [line for line in lines if line.task in (None, part.task)]
    prompts = {line.prompt for line in own if not line.is_human}
    prompt = options.get("prompt")
    if prompt is None and part.prompt and (options.get("model") or len(prompts) > 1):
        prompt = part.prompt if options.get("model") or part.prompt in prompts else None
    changed: dict[str, Any] = {
        **options,
        "judgments": own,
        "task": part.task,
        "metrics": [part.metric],
        "prompt": prompt,
    }
    if not options.get("model"):
        changed.pop("store", None)
    if part.task != "hand-action":
        changed.pop("verbs", None)
    return cast(AskOptions, changed)


def _text_part(
    part: Part, truth: Parsed, side: Parsed, options: AskOptions, with_floors: bool
) -> TextPart:
    task = cast(Task, part.task)
    built = floors(
        truth.annotations(task),
        [side.annotations(task)],
        baselines=part.floors if with_floors else ["empty"],
        **options,
    )
    return TextPart(part, built, options)


def _shared(options: AskOptions) -> dict[str, Any]:
    """Return the options that change boxes as they change segments."""
    return {n: options[n] for n in ("episodes", "id_map", "offset") if n in options}


def _box_part(
    part: Part,
    truth: Parsed,
    side: Parsed,
    other: Path_ | None,
    options: BoxOptions,
    only: tuple[str, ...] | None,
) -> BoxPart:
    """Read the boxes, of some episodes only where these are given."""
    reading = dict(options.get("reading") or {})
    theirs = options.get("prediction_reading")
    own = reading if theirs is None else dict(theirs)
    sides = edited_boxes(
        truth.boxes(reading.get("coords"), reading.get("order"), reading.get("fps")),
        read_boxes(other, **own)
        if other is not None
        else side.boxes(own.get("coords"), own.get("order"), own.get("fps")),
        **options,
    )
    if only is not None:
        sides = restrict_boxes(sides[0], only), restrict_boxes(sides[1], only)
    return BoxPart(part, hits_of(*sides, **options), *sides, options)


def _inputs(truth: Parsed, side: Parsed, recorded: list[Input]) -> list[Input]:
    return [
        *(
            Input(
                role=role,
                file=Path(each.raw.file).name,
                sha256=each.raw.sha256,
                format=each.format.name,
            )
            for role, each in (("reference", truth), ("prediction", side))
        ),
        *recorded,
    ]
