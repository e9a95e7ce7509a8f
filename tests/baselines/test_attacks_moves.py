"""What attacks and variations do to times."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from corpora import annotations, segments_of, sides
from hypothesis import given
from hypothesis import strategies as st
from trivial import corpus, exact

from segjudge.annotations import Annotations
from segjudge.baselines import attack, moves
from segjudge.overlaps import self_overlap


def times(side: Annotations, episode: str = "a") -> list[tuple[float, float, str]]:
    return sorted(
        (s.start / 1e6, s.end / 1e6, s.label) for s in segments_of(side) if s.episode == episode
    )


def made(text: str, side: Annotations) -> Annotations:
    return attack(text).make(side, np.ones(len(side), np.bool_))


ROWS = [("a", "", 0, 2, "cut"), ("a", "", 2, 3, "cut"), ("a", "", 3.5, 7, "stir")]


def test_cut() -> None:
    assert times(made("cut", corpus(ROWS[2:]))) == [(3.5, 5.25, "stir"), (5.25, 7, "stir")]
    thirds = moves.cut(corpus([("a", "", 0, 1, "cut")]), 3)
    assert sorted(thirds.start.tolist()) == [0, 333_333, 666_666]
    assert sorted(thirds.end.tolist()) == [333_333, 666_666, 1_000_000]


@given(sides(), st.integers(2, 7))
def test_pieces_lie_end_to_end(rows: list, k: int) -> None:
    before = annotations(rows)
    after = moves.cut(before, k)
    assert np.array_equal(after.start[0::k], before.start)
    assert np.array_equal(after.end[k - 1 :: k], before.end)
    for piece in range(1, k):
        assert np.array_equal(after.start[piece::k], after.end[piece - 1 :: k])
    assert exact("psj", before, after) == exact("psj", before, before) if after.length.sum() else 1


def test_merge() -> None:
    assert times(made("merge", corpus(ROWS))) == [(0, 3, "cut"), (3.5, 7, "stir")]
    apart = corpus([("a", "", 0, 2, "cut"), ("a", "", 2.5, 3, "cut")])
    assert times(made("merge", apart)) == [(0, 2, "cut"), (2.5, 3, "cut")]
    assert times(made("merge,gap=0.5", apart)) == [(0, 3, "cut")]


def test_merge_follows_the_furthest_end_and_stays_within_a_track() -> None:
    rows = [
        ("a", "left", 0, 9, "cut"),
        ("a", "left", 1, 2, "cut"),
        ("a", "left", 8, 10, "cut"),
        ("a", "right", 10, 11, "cut"),
        ("a", "left", 10, 11, "stir"),
        ("b", "left", 10, 11, "cut"),
    ]
    merged = segments_of(moves.merge(corpus(rows)))
    assert [(s.episode, s.track, s.start // 10**6, s.end // 10**6) for s in merged] == [
        ("a", "left", 0, 10),
        ("a", "left", 10, 11),
        ("a", "right", 10, 11),
        ("b", "left", 10, 11),
    ]


@given(sides(most=12))
def test_merging_the_pieces_of_a_cut_gives_what_merging_gives(rows: list) -> None:
    before = annotations(rows)
    merged = moves.merge(before)
    assert sorted(segments_of(moves.merge(moves.cut(before)))) == sorted(segments_of(merged))
    assert len(moves.merge(merged)) == len(merged)


def test_duplicate_and_stack() -> None:
    side = corpus(ROWS)
    assert times(made("duplicate,n=3", side)) == sorted(times(side) * 3)
    accepted = np.array([True, False, False])
    stacked = attack("stack,n=4").make(side, accepted)
    assert times(stacked) == sorted([(0, 2, "cut")] * 4 + [(2, 3, "cut"), (3.5, 7, "stir")])


@pytest.mark.parametrize(("n", "value"), [(1, "2/11"), (10, "11/20"), (90, "91/100")])
def test_stacked_copies_of_one_right_second_buy_psj(n: int, value: str) -> None:
    """Case 15 of the worked cases; one-to-one metrics are not for sale."""
    reference = corpus([("a", "", 0, 10, "sweep")])
    prediction = moves.stack(corpus([("a", "", 0, 1, "sweep")]), np.array([True]), n)
    assert exact("psj", reference, prediction) == Fraction(value)
    assert exact("semantic_f1@0.75", reference, prediction) == 0
    assert self_overlap(prediction).tolist() == [(n - 1) * 1_000_000]


def test_shift() -> None:
    assert times(made("shift", corpus(ROWS[:1]))) == [(0.5, 2.5, "cut")]
    early = corpus([("a", "", 0, 0.2, "x"), ("a", "", 0.2, 3, "y")])
    assert times(made("shift,seconds=-0.5", early)) == [(0, 0, "x"), (0, 2.5, "y")]


@given(sides(), st.integers(1, 2_000_000), st.integers(0, 3))
def test_jitter_stays_within_its_bounds(rows: list, most: int, seed: int) -> None:
    before = annotations(rows)
    after = moves.jitter(before, most, seed)
    assert len(after) == len(before)
    assert np.all(after.start >= np.maximum(before.start - most, 0))
    assert np.all(after.end <= before.end + most)


def test_jitter_moves_shared_boundaries_together_and_reaches_both_ways() -> None:
    rows = [("a", "", i, i + 1, f"{i}") for i in range(400)]
    before = corpus(rows)
    after = moves.jitter(before, 400_000)
    assert np.array_equal(after.start[1:], after.end[:-1])
    moved = (after.start - before.start)[1:]
    assert moved.min() < -390_000
    assert moved.max() > 390_000
    assert abs(moved.mean()) < 40_000


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("round", (1, 3)),
        ("round,seconds=0.5", (1.5, 2.5)),
        ("round,seconds=2", (2, 2)),
        ("round,seconds=0.1", (1.3, 2.5)),
        ("floor", (1, 2)),
        ("floor,seconds=0.5", (1, 2.5)),
    ],
)
def test_round_and_floor_keep_what_collapses(text: str, result: tuple[float, float]) -> None:
    assert times(made(text, corpus([("a", "", 1.25, 2.5, "cut")]))) == [(*result, "cut")]


def test_drop_takes_the_shortest_over_the_corpus() -> None:
    rows = [("a", "", 0, 3, "x"), ("a", "", 3, 4, "y"), ("b", "", 0, 2, "z"), ("b", "", 2, 9, "w")]
    side = corpus(rows)
    assert len(made("drop", side)) == 4
    assert [s.label for s in segments_of(made("drop,share=0.5", side))] == ["x", "w"]
    assert [s.label for s in segments_of(made("drop,share=0.74", side))] == ["x", "w"]


def test_stretch() -> None:
    side = corpus([("a", "", 1, 2, "x"), ("a", "", 3, 4, "y"), ("a", "", 4, 6, "z")], 10)
    assert times(made("stretch", side)) == [(0, 2, "x"), (3, 4, "y"), (4, 10, "z")]
    assert times(made("stretch,how=gaps", side)) == [(0, 3, "x"), (3, 4, "y"), (4, 10, "z")]
    assert times(made("stretch,how=each", side)) == [(0, 10, "x"), (0, 10, "y"), (0, 10, "z")]


def test_stretch_takes_tracks_apart_and_never_shrinks() -> None:
    rows = [("a", "left", 2, 8, "x"), ("a", "right", 1, 5, "y"), ("b", "left", 3, 4, "z")]
    stretched = made("stretch", corpus(rows, 6))
    assert sorted((s.episode, s.track, s.start, s.end) for s in segments_of(stretched)) == [
        ("a", "left", 0, 8_000_000),
        ("a", "right", 0, 6_000_000),
        ("b", "left", 0, 6_000_000),
    ]


@pytest.mark.parametrize(
    "text",
    ["cut", "merge", "duplicate", "stack", "shift", "jitter", "round", "floor", "drop", "stretch"],
)
@given(rows=sides(most=10), order=st.randoms())
def test_nothing_depends_on_the_order_of_rows(text: str, rows: list, order: object) -> None:
    mixed = list(rows)
    order.shuffle(mixed)  # type: ignore[attr-defined]
    one, two = (made(text, annotations(each)) for each in (rows, mixed))
    assert sorted(segments_of(one)) == sorted(segments_of(two))
    assert len(made(text, annotations([]))) == 0


def test_a_variation_is_told_from_an_attack() -> None:
    kinds = {name: attack(name).kind for name in ("shift", "round", "merge", "stack", "hedged")}
    assert kinds == {
        "shift": "variation",
        "round": "variation",
        "merge": "variation",
        "stack": "attack",
        "hedged": "attack",
    }
