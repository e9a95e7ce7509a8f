"""What is said of two sides that can hardly be meant for each other."""

from __future__ import annotations

import numpy as np

from segjudge.annotations import Annotations, EpisodeTable
from segjudge.metrics import Comparison
from segjudge.scoring.noticed import together


def side(*segments: tuple[str, str, float, float], duration: int = -1) -> Annotations:
    table = EpisodeTable(np.array([duration, duration]), np.zeros(2, np.bool_), {})
    return Annotations.from_segments([(*row, "x") for row in segments], ("a", "b"), table)


def said(reference: Annotations, prediction: Annotations) -> list[tuple[str, str, int]]:
    found = together(Comparison.of(reference, prediction, None))
    return [(item.code, item.level, item.count) for item in found]


def test_tracks_that_one_side_lacks() -> None:
    reference = side(("a", "left", 0, 1), ("a", "right", 0, 1))
    prediction = side(("a", "left", 0, 1), ("a", "Right", 0, 1), ("a", "Right", 1, 2))
    assert said(reference, prediction) == [
        ("unknown_track", "warning", 2),
        ("missing_track", "note", 1),
    ]
    assert said(reference, reference) == []


def test_times_of_another_clock() -> None:
    reference = side(("a", "", 0, 10), ("b", "", 0, 10))
    later = side(("a", "", 10, 12), ("b", "", 3, 12))
    assert said(reference, later) == [("no_common_time", "warning", 1)]
    ended = side(("a", "", 0, 10), ("b", "", 0, 10), duration=11_000_000)
    large = side(("a", "", 5, 6), ("a", "", 5000, 6000), ("a", "", 11, 12), ("b", "", 3, 12))
    assert said(ended, large) == [("after_the_end", "warning", 1)]
    assert said(ended, side(("a", "", 1, 2))) == []
    assert said(reference, side()) == []
