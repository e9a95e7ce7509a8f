"""Join, union and threshold, against brute force and exact fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import oracle
import pytest
from corpora import annotations, seconds, sides
from hypothesis import given
from hypothesis import strategies as st
from oracle import Segment

from segjudge.annotations import Annotations, align
from segjudge.errors import InputError, UsageError
from segjudge.overlaps import (
    Pairs,
    Threshold,
    covered_length,
    join,
    near,
    passes,
    self_overlap,
    union_length,
)

EPOCH = 1_760_000_000_000_000


def joined(left: list[Segment], right: list[Segment]) -> list[tuple[int, int, int]]:
    """Join without `align`, so that the rows keep the order in which they are given."""
    episodes = sorted({s.episode for s in (*left, *right)})
    tracks = sorted({s.track for s in (*left, *right)})
    pairs = join(*(unaligned(side, episodes, tracks) for side in (left, right)))
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.inter.tolist(), strict=True))


def unaligned(side: list[Segment], episodes: list[str], tracks: list[str]) -> Annotations:
    """Give two sides the same episodes and tracks but leave their rows as they are."""
    markers = [Segment(episode, track, 0, 0, "") for episode in episodes for track in tracks]
    whole = annotations([*markers, *side], episodes)
    return whole.rows(np.arange(len(markers), len(whole)))


class TestJoin:
    @given(sides(episodes=("a", "b")), sides(episodes=("a", "b")))
    def test_brute_force_in_any_order_of_rows(self, left, right):
        assert joined(left, right) == oracle.pairs(left, right)

    @given(sides(most=10, episodes=("a",), tracks=("",), last=5))
    def test_a_side_with_itself(self, side):
        assert joined(side, side) == oracle.pairs(side, side)

    @given(sides(), sides(), st.dictionaries(st.sampled_from(["a", "b", "é"]), st.integers(-2, 2)))
    def test_epoch_clocks_beside_clocks_from_zero(self, left, right, clock):
        def moved(side: list[Segment]) -> list[Segment]:
            return [
                s._replace(
                    start=s.start + clock.get(s.episode, 0) * EPOCH,
                    end=s.end + clock.get(s.episode, 0) * EPOCH,
                )
                for s in side
            ]

        assert joined(moved(left), moved(right)) == oracle.pairs(left, right)

    def test_sides_of_one_episode_on_clocks_far_apart_do_not_meet(self):
        left = seconds((0, 5, "x"), (5, 9, "x"))
        right = [s._replace(start=s.start + EPOCH, end=s.end + EPOCH) for s in left]
        assert joined(left, right) == []
        assert joined(right, left) == []
        assert joined([*left, right[0]], right) == [(2, 0, 5_000_000)]

    @pytest.mark.parametrize(
        ("left", "right", "inter"),
        [
            ((0, 5), (5, 9), None),  # touching
            ((5, 9), (0, 5), None),
            ((0, 5), (4, 9), 1_000_000),
            ((0, 5), (0, 5), 5_000_000),
            ((0, 9), (2, 4), 2_000_000),
            ((2, 4), (0, 9), 2_000_000),
            ((0, 5), (3, 3), None),  # zero length, inside
            ((3, 3), (0, 5), None),
            ((0, 5), (0, 0), None),
            ((3, 3), (3, 3), None),
            ((0, 5), (-3, 1), 1_000_000),  # before the reference begins
            ((0, 5), (-3, 0), None),
            ((0, 5), (5.000001, 6), None),
            ((0, 5.000002), (5.000001, 6), 1),
        ],
    )
    def test_two_segments(self, left, right, inter):
        found = joined(seconds((*left, "x")), seconds((*right, "y")))
        assert found == ([] if inter is None else [(0, 0, inter)])

    def test_only_the_same_episode_and_track_meet(self):
        left = [Segment("a", "left", 0, 9, "x"), Segment("a", "right", 0, 9, "x")]
        right = [Segment("a", "right", 1, 3, "x"), Segment("b", "left", 0, 9, "x")]
        assert joined(left, right) == [(1, 0, 2)]

    def test_an_episode_that_ends_where_the_next_begins_on_the_common_axis(self):
        left = [Segment("a", "", 0, 10, "x"), Segment("b", "", 0, 10, "x")]
        right = [Segment("a", "", 9, 500, "x"), Segment("b", "", -500, 1, "x")]
        assert joined(left, right) == [(0, 0, 1), (1, 1, 1)]

    @pytest.mark.parametrize("both", [[], seconds((3, 3, "x"))])
    def test_nothing_to_join(self, both):
        assert joined(both, both) == []
        assert joined(both, seconds((0, 9, "x"))) == []
        assert joined(seconds((0, 9, "x")), both) == []

    def test_one_segment_that_covers_two_thousand(self):
        small = [Segment("a", "", i * 10, i * 10 + 10, "x") for i in range(2000)]
        whole = Segment("a", "", 0, 20_000, "x")
        assert len(joined([whole, *small], small)) == 2000 + 2000
        assert len(joined(small, [whole, *small])) == 2000 + 2000
        # The cover once more, and two thousand with themselves: nothing is left out, or doubled.
        assert len(joined([whole, *small], [*small, whole])) == 1 + 2000 + 2000 + 2000

    def test_pairs_are_sorted_by_left_then_right(self):
        rng = random.Random(1)
        side = [
            Segment("a", "", start, start + rng.randrange(30), "x")
            for start in (rng.randrange(100) for _ in range(40))
        ]
        found = [pair[:2] for pair in joined(side, side)]
        assert found == sorted(set(found))
        assert len(found) > 200

    def test_a_span_of_more_than_seventy_thousand_years(self):
        left = [Segment("a", "", 0, 5, "x"), Segment("a", "", 2**61, 2**61 + 5, "x")]
        with pytest.raises(InputError, match="70,000 years"):
            joined(left, left)
        with pytest.raises(InputError, match="70,000 years"):
            self_overlap(annotations(left))

    def test_spans_that_add_up_to_more_than_seventy_thousand_years(self):
        left = [
            Segment(episode, "", start, start + 5, "x")
            for episode in ("a", "b", "c")
            for start in (0, 2**60)
        ]
        with pytest.raises(InputError, match="70,000 years"):
            joined(left, left)

    def test_a_stray_prediction_does_not_widen_the_span(self):
        left = seconds((0, 5, "x"))
        right = [Segment("a", "", 1, 3, "x"), Segment("a", "", -(2**61), -(2**61) + 5, "x")]
        assert joined(left, right) == [(0, 0, 2)]

    @given(sides(), sides())
    def test_mirrored(self, left, right):
        mirrored = sorted((i, j, inter) for j, i, inter in joined(right, left))
        assert mirrored == joined(left, right)


class TestCovered:
    @given(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 9)), max_size=12)
    )
    def test_union_of_pieces(self, pieces):
        """Pieces in any order, empty ones included, over segments on unlike clocks."""
        starts = [0, 7, EPOCH, -EPOCH]
        whole = annotations([Segment("a", "", s, s + 9, "x") for s in starts], ["a"])
        spelled = [(row, starts[row] + min(a, b), starts[row] + max(a, b)) for row, a, b in pieces]
        columns = np.array(spelled, np.int64).reshape(-1, 3)
        covered = covered_length(whole, columns[:, 0], columns[:, 1], columns[:, 2])
        expected = [
            len({t for row, a, b in spelled if row == own for t in range(a, b)})
            for own in range(len(starts))
        ]
        assert covered.tolist() == expected

    def test_two_segments_that_overlap_do_not_share_their_pieces(self):
        whole = annotations([Segment("a", "", 0, 10, "x"), Segment("a", "", 5, 15, "x")], ["a"])
        rows, start, end = np.array([0, 1]), np.array([0, 5]), np.array([10, 7])
        assert covered_length(whole, rows, start, end).tolist() == [10, 2]

    @given(sides(episodes=("a", "b")), sides(episodes=("a", "b")))
    def test_union_length_of_all_counterparts(self, left, right):
        reference, prediction = align(annotations(left), annotations(right))
        pairs = join(reference, prediction)
        ours, theirs = sorted(left, key=canonical), sorted(right, key=canonical)
        anything = lambda a, b: True  # noqa: E731
        assert union_length(reference, prediction, pairs, "left").tolist() == [
            oracle.credit(s, right, anything) for s in ours
        ]
        assert union_length(prediction, reference, pairs, "right").tolist() == [
            oracle.credit(s, left, anything) for s in theirs
        ]

    @given(sides(most=10, episodes=("a", "b")), st.sampled_from([0, EPOCH, -EPOCH]))
    def test_self_overlap(self, side, clock):
        moved = [s._replace(start=s.start + clock, end=s.end + clock) for s in side]
        by_episode = [oracle.stacked([s for s in side if s.episode == name]) for name in "ab"]
        assert self_overlap(annotations(moved, ["a", "b"])).tolist() == by_episode

    def test_three_copies_are_stacked_twice(self):
        side = annotations(seconds((0, 4, "x"), (0, 4, "y"), (0, 4, "x"), (4, 6, "x")), ["a"])
        assert self_overlap(side).tolist() == [8_000_000]

    def test_tracks_of_one_episode_are_not_stacked(self):
        side = annotations([Segment("a", "left", 0, 4, "x"), Segment("a", "right", 0, 4, "x")])
        assert self_overlap(side).sum() == 0


def canonical(segment: Segment) -> tuple[object, ...]:
    return segment


class TestThreshold:
    @pytest.mark.parametrize(
        ("text", "n", "d", "shown"),
        [
            ("0.75", 3, 4, "0.75"),
            ("0.750000", 3, 4, "0.75"),
            (".5", 1, 2, "0.5"),
            ("1", 1, 1, "1"),
            ("1.0", 1, 1, "1"),
            (" 0.1 ", 1, 10, "0.1"),
            ("0.000001", 1, 1_000_000, "0.000001"),
            ("0.333333", 333_333, 1_000_000, "0.333333"),
        ],
    )
    def test_parse(self, text, n, d, shown):
        threshold = Threshold.parse(text)
        assert (threshold.n, threshold.d, str(threshold)) == (n, d, shown)

    @pytest.mark.parametrize(
        "text",
        ["0", "0.0", "1.000001", "2", "-0.5", "0.1234567", "", ".", "abc", "nan", "inf", "1e-1",
         "1/2", "0,75", "75%", "0_5", "٠.٥", "0.7.5"],
    )  # fmt: skip
    def test_refused(self, text):
        with pytest.raises(UsageError, match="no IoU threshold"):
            Threshold.parse(text)

    @given(
        st.integers(0, 60),
        st.integers(0, 60),
        st.integers(1, 60),
        st.integers(1, 60),
        st.sampled_from(["1", "0.75", "0.5", "0.3", "0.1", "0.666667", "0.000001"]),
        st.sampled_from([1, 1000]),
    )
    def test_against_fractions(self, a, b, length_a, length_b, theta, resolution):
        """Down at single microseconds the slack decides; the rule is the design's."""
        one = Segment("a", "", a, a + length_a, "x")
        two = Segment("a", "", b, b + length_b, "x")
        inter = oracle.overlap(one, two)
        union = length_a + length_b - inter
        got = passes(np.array([inter]), np.array([union]), Threshold.parse(theta, resolution))
        assert got.tolist() == [oracle.passes(one, two, Fraction(theta), resolution)]

    @pytest.mark.parametrize(
        ("inter", "union", "expected"),
        [
            (750_000, 1_000_000, True),
            (749_999, 1_000_000, True),  # 4 short of 3 * union: a step of each rounding
            (749_999, 1_000_001, True),  # 7 short: the last that rounding can hide
            (749_998, 1_000_000, False),
            (749_999, 1_000_002, False),
            (0, 1, False),
            (0, 0, False),
        ],
    )
    def test_slack_at_three_quarters(self, inter, union, expected):
        got = passes(np.array([inter]), np.array([union]), Threshold.parse("0.75"))
        assert got.tolist() == [expected]

    @pytest.mark.parametrize(
        ("inter", "expected"), [(749_000, True), (748_250, True), (748_249, False)]
    )
    def test_milliseconds_widen_the_slack_a_thousandfold(self, inter, expected):
        coarse = Threshold.parse("0.75", resolution=1000)
        got = passes(np.array([inter]), np.array([1_000_000]), coarse)
        assert got.tolist() == [expected]
        fine = passes(np.array([inter]), np.array([1_000_000]), Threshold.parse("0.75"))
        assert fine.tolist() == [False]

    def test_lengths_whose_products_do_not_fit_int64(self):
        union = 10**18
        for theta, inter in (("0.999999", 999_999 * 10**12), ("0.75", 75 * 10**16)):
            threshold = Threshold.parse(theta)
            slack = (threshold.n + threshold.d) // threshold.d
            tried = np.array([inter, inter - slack, inter - slack - 1], np.int64)
            got = passes(tried, np.full(3, union), threshold)
            assert got.tolist() == [True, True, False]
            assert got.dtype == np.bool_
        # Far below the threshold the wrapped difference would be of either sign.
        far = np.random.default_rng(0).integers(1, union // 2, 100)
        assert not passes(far, np.full(100, union), Threshold.parse("0.999999")).any()
        assert not near(far, np.full(100, union), Threshold.parse("0.999999")).any()

    @pytest.mark.parametrize(
        ("inter", "expected"),
        [
            (750_000, True),
            (748_250, True),
            (748_249, False),
            (751_750, True),
            (751_751, False),
            (0, False),
        ],
    )
    def test_near_is_a_millisecond_either_way(self, inter, expected):
        got = near(np.array([inter]), np.array([1_000_000]), Threshold.parse("0.75"))
        assert got.tolist() == [expected]


def test_pairs_take_keeps_order():
    pairs = Pairs(np.array([0, 1, 2]), np.array([5, 4, 3]), np.array([7, 8, 9]))
    kept = pairs.take(np.array([True, False, True]))
    assert (kept.left.tolist(), kept.right.tolist(), kept.inter.tolist()) == (
        [0, 2],
        [5, 3],
        [7, 9],
    )
