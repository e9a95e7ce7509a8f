"""Controls: what timing alone earns, and what another episode's timeline earns."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from corpora import annotations, segments_of, sides
from hypothesis import given
from hypothesis import strategies as st
from trivial import corpus

from segjudge.annotations import align
from segjudge.baselines import baseline
from segjudge.baselines.controls import borrowed, shuffled

MANY = [(name, "", i, i + 1, f"{name}{i}") for name in ("a", "b", "c") for i in range(9)]


@given(sides(most=12), st.integers(0, 5))
def test_shuffling_keeps_times_and_the_labels_of_each_track(rows: list, seed: int) -> None:
    before = annotations(rows)
    after = shuffled(before, seed)
    assert np.array_equal(after.start, before.start)
    assert np.array_equal(after.end, before.end)
    for side in (before, after):
        side_labels = Counter((s.episode, s.track, s.label) for s in segments_of(side))
        assert side_labels == Counter((s.episode, s.track, s.label) for s in rows)


@given(sides(most=12), st.randoms())
def test_shuffling_does_not_depend_on_the_order_of_rows(rows: list, order: object) -> None:
    mixed = list(rows)
    order.shuffle(mixed)  # type: ignore[attr-defined]
    one, two = (shuffled(annotations(each)) for each in (rows, mixed))
    assert sorted(segments_of(one)) == sorted(segments_of(two))


def test_shuffling_does_move_labels_and_another_seed_moves_them_elsewhere() -> None:
    before = corpus(MANY)
    orders = [tuple(shuffled(before, seed).label.tolist()) for seed in range(4)]
    assert len({tuple(before.label.tolist()), *orders}) == 5
    assert shuffled(before, 0).label.tolist() == shuffled(before).label.tolist()


def test_an_episode_is_shuffled_alike_whoever_else_is_there() -> None:
    alone = [row for row in MANY if row[0] == "b"]
    among = [s for s in segments_of(shuffled(corpus(MANY))) if s.episode == "b"]
    assert segments_of(shuffled(corpus(alone))) == among


def test_shuffling_is_the_same_on_every_machine() -> None:
    labels = [s.label for s in segments_of(shuffled(corpus(MANY[:9])))]
    assert " ".join(labels) == "a7 a0 a8 a3 a6 a2 a1 a5 a4"


def test_borrowing_takes_the_next_timeline_and_stretches_it() -> None:
    rows = [
        ("a", "", 0, 4, "cut"),
        ("a", "", 4, 10, "stir"),
        ("b", "", 1, 5, "wash"),
        ("c", "", 0, 20, "dry"),
    ]
    assert segments_of(borrowed(corpus(rows))) == [
        ("a", "", 2_000_000, 10_000_000, "wash"),
        ("b", "", 0, 5_000_000, "dry"),
        ("c", "", 0, 8_000_000, "cut"),
        ("c", "", 8_000_000, 20_000_000, "stir"),
    ]


def test_borrowing_goes_by_track_and_skips_who_has_nothing() -> None:
    rows = [
        ("a", "left", 0, 10, "hold"),
        ("b", "right", 0, 10, "cut"),
        ("c", "left", 0, 5, "lift"),
    ]
    found = segments_of(borrowed(corpus(rows, 10)))
    assert found == [
        ("a", "left", 0, 5_000_000, "lift"),
        ("a", "right", 0, 10_000_000, "cut"),
        ("b", "left", 0, 5_000_000, "lift"),
        ("c", "left", 0, 10_000_000, "hold"),
        ("c", "right", 0, 10_000_000, "cut"),
    ]


def test_nothing_can_be_borrowed_where_no_other_has_any() -> None:
    assert len(borrowed(corpus([("a", "", 0, 4, "cut")]))) == 0


def test_what_is_borrowed_stays_within_the_timeline() -> None:
    rows = [("a", "", 0, 3, "cut"), ("b", "", 2, 40, "stir"), ("b", "", 50, 60, "wash")]
    found = [s for s in segments_of(borrowed(corpus(rows, 20))) if s.episode == "a"]
    assert found == [
        ("a", "", 2_000_000, 20_000_000, "stir"),
        ("a", "", 20_000_000, 20_000_000, "wash"),
    ]


@given(sides(most=12))
def test_borrowing_does_not_depend_on_the_order_of_rows(rows: list) -> None:
    one, two = (borrowed(side) for side in (annotations(rows), *align(annotations(rows))))
    assert sorted(segments_of(one)) == sorted(segments_of(two))


@pytest.mark.parametrize(
    ("name", "of"), [("shuffled", "prediction"), ("borrowed", "reference"), ("empty", "reference")]
)
def test_only_the_shuffled_control_is_made_from_the_prediction(name: str, of: str) -> None:
    assert baseline(name).of == of
