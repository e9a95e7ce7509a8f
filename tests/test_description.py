"""What annotations are like: figures that can be checked by eye, and laws."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import oracle
import portion
import pytest
from corpora import annotations, seconds, sides
from hypothesis import given

from segjudge.boxes import HANDS
from segjudge.description import describe, hands_in_boxes, hands_in_segments
from segjudge.formats.boxes import read_boxes
from segjudge.formats.parsed import parse_rows

ROWS = Path(__file__).parents[1] / "examples" / "egohome" / "rows.json"

LEFT = seconds((0, 0.4, "hold"), (0.4, 1.3, "cut"), (2, 5, "hold"), track="left")
RIGHT = seconds((1, 4, "put"), (3, 6, "put"), (8, 8, "put"), track="right")


def test_durations_gaps_and_overlaps() -> None:
    found = describe(annotations([*LEFT, *RIGHT], episodes=("a",)))
    assert list(found) == ["all", "left", "right"]
    left, right, both = found["left"], found["right"], found["all"]
    assert (left.segments.count, left.below_1_s, left.below_half_s) == (3, 2, 1)
    assert left.segments.quantiles_s["0.5"] == pytest.approx(0.9)
    assert (left.gaps.count, left.gaps.total_s) == (1, pytest.approx(0.7))
    assert left.annotated_share == pytest.approx(4.3 / 5)
    assert (right.overlapping, right.overlapped_s, right.of_zero_length) == (1, 1.0, 1)
    assert right.annotated_share == pytest.approx(5 / 8)
    assert left.most == [("hold", 2, pytest.approx(3.4)), ("cut", 1, pytest.approx(0.9))]
    assert (both.labels, both.episodes, both.per_episode) == (3, 1, 6)
    assert both.segments.total_s == pytest.approx(10.3)


def test_one_timeline_stands_alone() -> None:
    assert list(describe(annotations(seconds((0, 1, "cut"))))) == [""]


def test_nothing_is_described_as_nothing() -> None:
    assert describe(annotations([]))["all"].segments.count == 0
    assert hands_in_segments(annotations([])) is None


def test_hands_on_screen_in_segments() -> None:
    found = hands_in_segments(annotations([*LEFT, *RIGHT], episodes=("a",)))
    assert found is not None
    assert found.whole == 8
    assert found.left == pytest.approx(4.3 / 8)
    assert found.right == pytest.approx(5 / 8)
    assert found.either == pytest.approx(6 / 8)
    assert found.both == pytest.approx(3.3 / 8)


def test_hands_on_screen_in_boxes() -> None:
    rows = parse_rows(ROWS)
    boxes = rows.boxes("thousand", None, None)
    found = hands_in_boxes(boxes)
    frames = [
        {hand for hand in HANDS if hand in entry}
        for record in rows.records
        for entry in record.row["hand_boxes"]
    ]
    assert found.whole == 450
    assert found.left == sum("left" in hands for hands in frames) / 450
    assert found.both == sum(len(hands) == 2 for hands in frames) / 450
    assert found.either == len(frames) / 450
    assert found == hands_in_boxes(read_boxes(ROWS, coords="px"))


@given(sides(tracks=("left", "right")))
def test_shares_agree_with_intervals_by_hand(segments: list[oracle.Segment]) -> None:
    side = annotations(segments)
    found = hands_in_segments(side)
    if found is None or not found.whole:
        return
    covered = dict.fromkeys((*HANDS, "either", "both"), 0)
    whole = 0
    for episode in side.episodes:
        own = [s for s in segments if s.episode == episode]
        spans = {hand: portion.empty() for hand in HANDS}
        for s in own:
            spans[s.track] |= oracle.interval(s)
        for hand in HANDS:
            covered[hand] += oracle.length(spans[hand])
        covered["either"] += oracle.length(spans["left"] | spans["right"])
        covered["both"] += oracle.length(spans["left"] & spans["right"])
        whole += max((s.end for s in own), default=0)
    for name, length in covered.items():
        assert getattr(found, name) == float(Fraction(length, whole))


@given(sides())
def test_time_is_annotated_or_in_a_gap_or_before(segments: list[oracle.Segment]) -> None:
    side = annotations(segments)
    if not len(side):
        return
    found = describe(side)
    found.pop("all", None)
    for name, own in found.items():
        rows = [s for s in segments if s.track == name]
        first = {e: min(s.start for s in rows if s.episode == e) for e in {s.episode for s in rows}}
        last = {e: max(s.end for s in rows if s.episode == e) for e in first}
        annotated = own.segments.total_s - own.overlapped_s
        whole = sum(last.values()) / 1e6
        assert np.isclose(annotated + own.gaps.total_s + sum(first.values()) / 1e6, whole)
        if whole:
            assert np.isclose(own.annotated_share or 0, annotated / whole)
