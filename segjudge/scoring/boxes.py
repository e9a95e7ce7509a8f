"""Hand boxes: two files in, centroid hits out, as a report like any other."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, TypedDict, Unpack

from segjudge import edits
from segjudge.boxes import (
    HANDS,
    SAME_FRAME,
    Boxes,
    Clips,
    SameFrame,
    align_boxes,
    centre,
    on_frames,
    rename_clips,
    restrict_boxes,
    shift_boxes,
    usual,
)
from segjudge.errors import InputError, UsageError
from segjudge.findings import Finding
from segjudge.formats.boxes import read_boxes
from segjudge.metrics import Components, Outcome
from segjudge.metrics.centroid_hits import Bridges, Chf, centroid_hits
from segjudge.report import Figures, Report, Run, build
from segjudge.scoring import noticed
from segjudge.scoring.several import inputs_of
from segjudge.version import version

BoxSide = Boxes | str | os.PathLike[str]


class BoxOptions(TypedDict, total=False):
    """Keyword options of `score_boxes`.

    Attributes
    ----------
    reading, prediction_reading : mapping
        ``coords``, ``order``, ``fps``, ``columns`` for `read_boxes`; the second for the
        prediction where it differs.
    null_breaks : bool
        A null of the prediction ends the line that its boxes are interpolated along.
    max_gap_s : float or None
        The longest gap that is interpolated across; None has no limit.
    same_frame : {"error", "score", "nearest"}
        What happens to several predicted boxes of one hand on one frame; see `on_frames`.
    episodes, id_map, offset
        See `sides.edited`.
    """

    reading: Mapping[str, Any]
    prediction_reading: Mapping[str, Any] | None
    null_breaks: bool
    max_gap_s: float | None
    same_frame: SameFrame
    episodes: str | Sequence[str] | None
    id_map: Mapping[str, str] | str | os.PathLike[str] | None
    offset: float | Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class BoxHits:
    """What was counted in the boxes of a prediction, and of trivial ones.

    Attributes
    ----------
    metric : Chf
    episodes : tuple of str
    parts : dict of str to ndarray of int64, shape (n_episodes, n_hands)
        See `centroid_hits`.
    floors : dict of str to Components
        Name -> the same, of boxes that rest.
    """

    metric: Chf
    episodes: tuple[str, ...]
    parts: Components
    floors: dict[str, Components]

    def outcome(self) -> Outcome:
        """Return both hands together."""
        return self.metric.outcome(self.parts)

    def by_hand(self) -> dict[str, dict[str, Figures]]:
        """Return hand -> metric -> figures."""
        found = {}
        for hand, name in enumerate(HANDS):
            own = build.figures(self.metric.outcome(self.parts, hand), 0)
            found[name] = {self.metric.key: own}
        return found


def score_boxes(reference: BoxSide, prediction: BoxSide, **options: Unpack[BoxOptions]) -> Report:
    """Score hand boxes by the centroid hit fraction.

    Parameters
    ----------
    reference, prediction : path or Boxes
    **options
        See `BoxOptions`.

    Returns
    -------
    Report
        Metric ``chf``, by episode and, under ``by_group``, by hand.

    Raises
    ------
    InputError
        A file is not what it should be; every problem is named.
    UsageError
        An option can't be used, or one is needed.
    """
    sides = read_box_sides(reference, prediction, **options)
    return box_report(hits_of(*sides, **options), *sides, **options)


def read_box_sides(
    reference: BoxSide, prediction: BoxSide, **options: Unpack[BoxOptions]
) -> tuple[Boxes, Boxes]:
    """Read two sides, and change them as the options ask.

    Raises
    ------
    InputError, UsageError
        As `read_boxes`; an option leaves no episode.
    """
    reading = options.get("reading") or {}
    theirs = options.get("prediction_reading")
    return edited_boxes(
        reference if isinstance(reference, Boxes) else read_boxes(reference, **reading),
        prediction
        if isinstance(prediction, Boxes)
        else read_boxes(prediction, **(reading if theirs is None else theirs)),
        **options,
    )


def edited_boxes(
    reference: Boxes, prediction: Boxes, **options: Unpack[BoxOptions]
) -> tuple[Boxes, Boxes]:
    """Apply ``id_map``, ``episodes`` and ``offset``, as `sides.edited` does to segments."""
    id_map, episodes = options.get("id_map"), options.get("episodes")
    if id_map is not None:
        mapping = id_map if isinstance(id_map, Mapping) else edits.read_id_map(id_map)
        edits.refuse_unknown("--id-map", id_map, mapping, prediction.episodes, "prediction")
        prediction = rename_clips(prediction, mapping)
    if episodes is not None:
        chosen = edits.episode_filter(episodes) if isinstance(episodes, str) else episodes
        if not isinstance(chosen, re.Pattern):
            edits.refuse_unknown("--episodes", episodes, chosen, reference.episodes, "reference")
        reference, prediction = (restrict_boxes(side, chosen) for side in (reference, prediction))
        if not reference.episodes:
            raise InputError(f"--episodes {episodes!r} leaves no episode of the reference")
    offset = options.get("offset", 0.0)
    if isinstance(offset, Mapping):
        edits.refuse_unknown("--offset", None, offset, prediction.episodes, "prediction")
        moves = {name: _microseconds(seconds, "--offset") for name, seconds in offset.items()}
        return reference, shift_boxes(prediction, moves)
    return reference, shift_boxes(prediction, {}, _microseconds(offset, "--offset"))


def _microseconds(seconds: float, option: str) -> int:
    if not abs(seconds) < edits.LARGEST_OFFSET:
        raise UsageError(f"{option} {seconds}: expected seconds")
    return round(Decimal(repr(float(seconds))) * 1_000_000)


def metric_of(**options: Unpack[BoxOptions]) -> Chf:
    """Return the metric that the options describe.

    Raises
    ------
    UsageError
        An option can't be used as given.
    """
    gap = options.get("max_gap_s")
    if gap is not None and gap < 0:
        raise UsageError(f"--max-gap {gap}: expected seconds, at least 0")
    longest = None if gap is None else _microseconds(gap, "--max-gap")
    return Chf(Bridges(options.get("null_breaks", False), longest))


def hits_of(reference: Boxes, prediction: Boxes, **options: Unpack[BoxOptions]) -> BoxHits:
    """Count the hits of a prediction, and of boxes that rest.

    Raises
    ------
    InputError
        The sides can't be compared: an unknown episode, no frame rate, two boxes on a frame.
    UsageError
        An option can't be used as given.
    """
    metric = metric_of(**options)
    same_frame = options.get("same_frame", "error")
    if same_frame not in SAME_FRAME:
        raise UsageError(f"--same-frame {same_frame}: there are {', '.join(SAME_FRAME)}")
    truth, side = align_boxes(reference, prediction)
    clips = truth.clips
    framed = on_frames(truth, clips)
    parts = centroid_hits(framed, on_frames(side, clips, same_frame), clips, metric.bridges)
    resting = {"centre": centre(truth), "usual": usual(truth)}
    floors = {
        name: centroid_hits(framed, on_frames(made, clips), clips)
        for name, made in resting.items()
        if made is not None and _has_rates(clips)
    }
    return BoxHits(metric, truth.episodes, parts, floors)


def _has_rates(clips: Clips) -> bool:
    """Say whether every clip has a frame rate: one without boxes may lack it."""
    return bool((clips.rate_n > 0).all())


def box_report(
    hits: BoxHits, reference: Boxes, prediction: Boxes, **options: Unpack[BoxOptions]
) -> Report:
    """Write the report of hits that were counted."""
    outcome = hits.outcome()
    return Report(
        schema="segjudge.report/1",
        metrics={hits.metric.key: build.figures(outcome, 0)},
        by_group={"hand": hits.by_hand()},
        inputs=inputs_of(reference, {"": prediction}),
        findings=noticed_in_boxes(reference, prediction),
        options=_said(hits.metric, **options),
        version=version(),
        run=Run(created=datetime.now(UTC).isoformat(timespec="seconds")),
        by_episode=build.by_episode(hits.episodes, [outcome]),
    )


def noticed_in_boxes(reference: Boxes, prediction: Boxes) -> list[Finding]:
    """Return what a reader of the figures must know of the two sides."""
    return [
        *(item.on("reference") for item in reference.findings),
        *(item.on("prediction") for item in prediction.findings),
        *noticed.lacking(reference, prediction),
    ]


def _said(metric: Chf, **options: Unpack[BoxOptions]) -> dict[str, Any]:
    """Return the options that have a bearing on the figures, as JSON knows them."""
    reading = dict(options.get("reading") or {})
    theirs = options.get("prediction_reading")
    said: dict[str, Any] = {
        "task": "boxes",
        "metrics": [metric.key],
        "null_breaks": metric.bridges.null_breaks,
        "max_gap_s": options.get("max_gap_s"),
        "same_frame": options.get("same_frame", "error"),
        "reading": reading,
        "prediction_reading": reading if theirs is None else dict(theirs),
    }
    for name in ("episodes", "id_map", "offset"):
        value = options.get(name)
        if value not in (None, 0.0, {}):
            plain = isinstance(value, (str, os.PathLike)) and Path(value).is_file()
            said[name] = Path(value).name if plain else value  # type: ignore[arg-type]
    return said
