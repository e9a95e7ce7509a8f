"""Small sets of boxes for tests, and CHF by hand: frame by frame, in fractions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from segjudge.boxes import Absences, Boxes, Clips, align_boxes, on_frames, on_grid
from segjudge.metrics.base import Components
from segjudge.metrics.centroid_hits import EVERYWHERE, Bridges, centroid_hits

FPS = 30


class Box(NamedTuple):
    frame: int
    hand: int  # 0 left, 1 right
    corners: tuple[float, float, float, float] | None  # None: said to be absent


def boxes(
    rows: Iterable[Box],
    fps: Fraction | int = FPS,
    coords: str = "px",
    size: tuple[int, int] = (-1, -1),
) -> Boxes:
    """Build the boxes of one episode, "a"; each stands exactly on its frame."""
    given = list(rows)
    solid = [row for row in given if row.corners is not None]
    absent = [row for row in given if row.corners is None]
    rate = Fraction(fps)

    def times(some: Sequence[Box]) -> np.ndarray:
        return np.array([round(Fraction(row.frame * 10**6) / rate) for row in some], np.int64)

    values = np.array([row.corners for row in solid], np.float64).reshape(-1, 4)
    column = [np.array([number], np.int64) for number in (*rate.as_integer_ratio(), *size, -1)]
    return Boxes(
        np.zeros(len(solid), np.int32),
        np.array([row.hand for row in solid], np.int32),
        times(solid),
        on_grid(values, coords, "xyxy"),  # type: ignore[arg-type]
        np.full(len(solid), np.nan),
        Absences(
            np.zeros(len(absent), np.int32),
            np.array([row.hand for row in absent], np.int32),
            times(absent),
        ),
        ("a",),
        Clips(*column),
        "px" if coords == "px" else "frame",
    )


def count(reference: Boxes, prediction: Boxes, bridges: Bridges = EVERYWHERE) -> Components:
    reference, prediction = align_boxes(reference, prediction)
    clips = reference.clips
    return centroid_hits(on_frames(reference, clips), on_frames(prediction, clips), clips, bridges)


def chf(
    reference: Iterable[Box], prediction: Iterable[Box], bridges: Bridges = EVERYWHERE
) -> Fraction | None:
    """Return the fraction of one episode, exactly; None where it has no value."""
    parts = {
        name: int(column.sum())
        for name, column in count(boxes(reference), boxes(prediction), bridges).items()
    }
    below = parts["reference_boxes"] + parts["outside_direct"] + parts["outside_interpolated"]
    return Fraction(parts["hits_direct"] + parts["hits_interpolated"], below) if below else None


def by_hand(
    reference: Sequence[Box], prediction: Sequence[Box], bridges: Bridges = EVERYWHERE
) -> dict[str, int]:
    """Count as the release's equation 1 reads, one frame and hand after another."""
    found = dict.fromkeys(
        (
            "reference_boxes", "hits_direct", "hits_interpolated", "covered_direct",
            "covered_interpolated", "outside_direct", "outside_interpolated",
        ),
        0,
    )  # fmt: skip
    last = max((row.frame for row in (*reference, *prediction)), default=0)
    for hand in (0, 1):
        gold = {r.frame: r.corners for r in reference if r.hand == hand}
        given = {r.frame: r.corners for r in prediction if r.hand == hand and r.corners}
        absent = [r.frame for r in prediction if r.hand == hand and not r.corners]
        for frame in range(last + 1):
            centre, how = _centre(frame, given, absent, bridges)
            box = gold.get(frame)
            found["reference_boxes"] += box is not None
            if centre is None:
                continue
            if box is None:
                found[f"outside_{how}"] += 1
                continue
            found[f"covered_{how}"] += 1
            x1, y1, x2, y2 = map(decimal, box)
            found[f"hits_{how}"] += x1 <= centre[0] <= x2 and y1 <= centre[1] <= y2
    return found


def decimal(number: float) -> Fraction:
    """Return the decimal fraction that a number is written as."""
    return Fraction(repr(number))


def _centre(
    frame: int, given: dict[int, tuple[float, ...]], absent: list[int], bridges: Bridges
) -> tuple[tuple[Fraction, Fraction] | None, str]:
    def centroid(of: int) -> tuple[Fraction, Fraction]:
        x1, y1, x2, y2 = map(decimal, given[of])
        return (x1 + x2) / 2, (y1 + y2) / 2

    if frame in given:
        return centroid(frame), "direct"
    before = max((f for f in given if f < frame), default=None)
    after = min((f for f in given if f > frame), default=None)
    if before is None or after is None:
        return None, ""
    if bridges.null_breaks and any(before < f < after for f in absent):
        return None, ""
    longest = bridges.max_gap
    if longest is not None and Fraction((after - before) * 10**6, FPS) > longest:
        return None, ""
    part = Fraction(frame - before, after - before)
    one, two = centroid(before), centroid(after)
    x, y = (a + (b - a) * part for a, b in zip(one, two, strict=True))
    return (x, y), "interpolated"
