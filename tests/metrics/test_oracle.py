"""Every metric and option, by segment and edge, against an oracle that shares no code."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import oracle
import pytest
from corpora import accepting, annotations, answers, compare, matrix, seconds, segments_of, sides
from hypothesis import given
from hypothesis import strategies as st
from oracle import Segment

from segjudge.annotations import align
from segjudge.metrics import evaluate, make, questions, ratio
from segjudge.metrics.one_to_one import matches
from segjudge.metrics.psj import credit
from segjudge.metrics.snapping import snap_outer

THETAS = ["0.1", "0.3", "0.5", "0.75", "1"]
ONE_EPISODE = sides(most=6, episodes=("a",), tracks=("",), last=6)
TWO_PLACES = sides(most=9, episodes=("a", "b"), tracks=("",), last=8)


def canonical(side: list[Segment]) -> list[Segment]:
    """The order to which ties refer: that of the tuples themselves."""
    return sorted(side)


class TestPsj:
    @given(sides(), sides(), answers(), st.sampled_from(["permissible", "same"]))
    def test_credit_and_sums(self, left, right, judged, which):
        comparison = compare(left, right)
        metric = make("psj" if which == "permissible" else "psj_same")
        given_answers = matrix(comparison, judged)
        asked = metric.asked(comparison)
        read = given_answers.permissible if which == "permissible" else given_answers.same
        yes = read(
            comparison.reference.label[asked.pairs.left],
            comparison.prediction.label[asked.pairs.right],
        )
        ours, theirs = credit(comparison, asked, yes == 1)
        expected = oracle.psj(canonical(left), canonical(right), accepting(judged, which))
        assert ours.tolist() == expected.reference_credit
        assert theirs.tolist() == expected.prediction_credit
        got = evaluate(metric, comparison, given_answers).low
        above, below = metric.ratios["value"]
        assert sum(got[name].sum() for name in above) == expected.numerator
        assert sum(got[name].sum() for name in below) == expected.denominator
        assert got["reference_overlapped_us"].sum() == oracle.stacked(left)
        assert got["prediction_overlapped_us"].sum() == oracle.stacked(right)

    @given(sides(), sides(), answers())
    def test_by_episode(self, left, right, judged):
        got = evaluate(make("psj"), compare(left, right), matrix(compare(left, right), judged)).low
        for row, name in enumerate(("a", "b", "é")):
            own = [[s for s in side if s.episode == name] for side in (left, right)]
            expected = oracle.psj(*own, accepting(judged))
            assert got["reference_credit_us"][row] == sum(expected.reference_credit)
            assert got["prediction_credit_us"][row] == sum(expected.prediction_credit)
            assert got["prediction_length_us"][row] == sum(s.end - s.start for s in own[1])

    @given(sides(), sides())
    def test_needs_the_overlapping_pairs_and_no_more(self, left, right):
        comparison = compare(left, right)
        asked = questions(comparison, make("psj").asked(comparison).pairs)
        labels = comparison.reference.labels
        got = {frozenset((labels[a], labels[b])) for a, b in zip(asked.a, asked.b, strict=True)}
        expected = {
            frozenset((left[i].label, right[j].label)) for i, j, _ in oracle.pairs(left, right)
        }
        assert got == expected
        assert len(asked.a) == len(expected)


class TestOneToOne:
    @given(ONE_EPISODE, ONE_EPISODE, answers(), st.sampled_from(THETAS))
    def test_joint_edges(self, left, right, judged, theta):
        self.check_edges(left, right, judged, theta)

    @given(TWO_PLACES, TWO_PLACES, answers(), st.sampled_from(THETAS))
    def test_joint_edges_of_two_episodes(self, left, right, judged, theta):
        self.check_edges(left, right, judged, theta)

    def check_edges(self, left, right, judged, theta):
        comparison = compare(left, right)
        metric = make(f"semantic_f1@{theta}")
        asked = metric.asked(comparison)
        yes = matrix(comparison, judged).permissible(
            comparison.reference.label[asked.pairs.left],
            comparison.prediction.label[asked.pairs.right],
        )
        kept = asked.pairs.take(matches(asked, yes == 1))
        got = sorted(zip(kept.left.tolist(), kept.right.tolist(), strict=True))
        assert got == oracle.matches_by_place(
            canonical(left), canonical(right), Fraction(theta), accepting(judged)
        )

    @given(
        ONE_EPISODE,
        ONE_EPISODE,
        answers(),
        st.sampled_from(THETAS),
        st.sampled_from(["semantic_f1", "semantic_f1_same", "segmentation_f1"]),
        st.sampled_from(["none", "outer"]),
        st.sampled_from(["joint", "temporal_first"]),
    )
    def test_counts(self, left, right, judged, theta, name, snap, order):
        if name == "segmentation_f1":
            accepts, order = (lambda a, b: True), "joint"
        else:
            accepts = accepting(judged, "same" if name.endswith("same") else "permissible")
        options = f"@{theta},snap={snap}" + (f",order={order}" if name[:3] == "sem" else "")
        comparison = compare(left, right)
        metric = make(name + options)
        got = evaluate(metric, comparison, matrix(comparison, judged)).low
        ours, theirs = canonical(left), canonical(right)
        if snap == "outer":
            theirs = oracle.snap_outer(ours, theirs)
        if order == "joint":
            expected = len(oracle.matches_by_place(ours, theirs, Fraction(theta), accepts))
        else:
            taken = oracle.matches_by_place(ours, theirs, Fraction(theta), lambda a, b: True)
            expected = sum(accepts(ours[i].label, theirs[j].label) for i, j in taken)
        assert got["matches"].sum() == expected
        assert got["references"].sum() == len(left)
        assert got["predictions"].sum() == len(right)

    @given(ONE_EPISODE, ONE_EPISODE, answers(), st.sampled_from(THETAS))
    def test_needs_what_passes_the_threshold_and_no_more(self, left, right, judged, theta):
        comparison = compare(left, right)
        for metric, everyone in (
            (make(f"semantic_f1@{theta}"), True),
            (make(f"semantic_f1@{theta},order=temporal_first"), False),
        ):
            asked = metric.asked(comparison).pairs
            got = list(zip(asked.left.tolist(), asked.right.tolist(), strict=True))
            ours, theirs = canonical(left), canonical(right)
            passing = oracle.edges(ours, theirs, Fraction(theta), lambda a, b: True)
            assert got == (sorted(passing) if everyone else sorted(oracle.best_matching(passing)))
        assert make(f"segmentation_f1@{theta}").reads == ""


class TestSnapOuter:
    @given(
        sides(most=10, episodes=("a", "b"), tracks=("", "left")),
        sides(most=10, episodes=("a", "b"), tracks=("", "left")),
    )
    def test_by_track(self, left, right):
        reference, prediction = align(annotations(left), annotations(right))
        snapped = segments_of(snap_outer(reference, prediction))
        assert snapped == oracle.snap_outer(canonical(left), canonical(right))

    @given(sides(), sides())
    def test_only_outer_ends_move_and_none_turns_around(self, left, right):
        reference, prediction = align(annotations(left), annotations(right))
        snapped = snap_outer(reference, prediction)
        assert (snapped.end >= snapped.start).all()
        assert snapped.label.tolist() == prediction.label.tolist()
        moved = np.count_nonzero(snapped.start != prediction.start)
        assert moved <= len({s[:2] for s in right})

    @pytest.mark.parametrize(
        ("reference", "prediction", "expected"),
        [
            # The worked example of a reimplementation of the free mode.
            (
                [(0, 3), (3, 6), (6, 10)],
                [(0.5, 2.8), (2.8, 5.5), (5.5, 8), (8, 9.5)],
                [(0, 2.8), (2.8, 5.5), (5.5, 8), (8, 10)],
            ),
            # Outer ends that lie outside come in.
            ([(2, 6)], [(0, 3), (3, 9)], [(2, 3), (3, 6)]),
            # A lone segment becomes the whole extent.
            ([(1, 3), (5, 8)], [(4, 4.5)], [(1, 8)]),
            # A first segment that ends before the reference starts collapses to its end ...
            ([(5, 9)], [(0, 2), (2, 8)], [(2, 2), (2, 9)]),
            # ... and a last one that starts after the reference ends, to its start.
            ([(0, 3)], [(1, 2), (6, 7)], [(0, 2), (6, 6)]),
            # Both: a lone one before the reference keeps its end, then reaches to the last.
            ([(5, 9)], [(0, 2)], [(2, 9)]),
            # Of two that start together the shorter moves; of two that end together the later.
            ([(1, 9)], [(2, 5), (2, 7), (4, 8), (6, 8)], [(1, 5), (2, 7), (4, 8), (6, 9)]),
            # The last in time is not the last by start.
            ([(0, 10)], [(1, 9), (3, 5)], [(0, 10), (3, 5)]),
            # Zero length neither moves nor counts as an end.
            ([(0, 0), (2, 9), (9.5, 9.5)], [(1, 1), (3, 8), (9, 9)], [(1, 1), (2, 9), (9, 9)]),
            ([], [(1, 2)], [(1, 2)]),
            ([(1, 1)], [(1, 2)], [(1, 2)]),
            ([(1, 2)], [], []),
            ([(1, 2)], [(4, 4)], [(4, 4)]),
        ],
    )
    def test_by_hand(self, reference, prediction, expected):
        ours = annotations(seconds(*((s, e, "x") for s, e in reference)), ["a"])
        theirs = annotations(seconds(*((s, e, "y") for s, e in prediction)), ["a"])
        snapped = snap_outer(*align(ours, theirs))
        assert list(zip(snapped.start / 1e6, snapped.end / 1e6, strict=True)) == expected

    def test_f1_of_the_worked_example(self):
        """IoU .933, .781, .444 and .5 after the snap: 4/7."""
        reference = seconds((0, 3, "x"), (3, 6, "x"), (6, 10, "x"))
        prediction = seconds((0.5, 2.8, "x"), (2.8, 5.5, "x"), (5.5, 8, "x"), (8, 9.5, "x"))
        comparison = compare(reference, prediction)
        for text, matched in (
            ("@0.75,snap=outer", 2),
            ("@0.75", 2),
            ("@0.8", 0),
            ("@0.8,snap=outer", 1),
        ):
            metric = make("segmentation_f1" + text)
            got = evaluate(metric, comparison, matrix(comparison, {})).low
            assert got["matches"].tolist() == [matched, 0, 0]
            value = ratio(got, metric.ratios["value"])
            assert value[0] == 2 * matched / 7
            assert np.isnan(value[1:]).all()


class TestOrderOfTheTwoTests:
    """A pair that matches best in time may be the wrong one in meaning."""

    reference = seconds((0, 10, "pour"))
    prediction = seconds((0, 10, "wash"), (0, 9, "stir"))
    judged = {  # noqa: RUF012
        frozenset(("pour", "wash")): (0, 0),
        frozenset(("pour", "stir")): (1, 1),
    }

    @pytest.mark.parametrize(("order", "matched"), [("joint", 1), ("temporal_first", 0)])
    def test_matches(self, order, matched):
        comparison = compare(self.reference, self.prediction)
        metric = make(f"semantic_f1@0.75,order={order}")
        got = evaluate(metric, comparison, matrix(comparison, self.judged))
        assert got.low["matches"].tolist() == [matched, 0, 0]
