"""What each floor scores in closed form: D the clip's length, c = L / D the share annotated, h the
share of D whose reference label the constant label is accepted for."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import compress, product
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trivial import corpus, exact, single_layer

from segjudge.annotations import Annotations
from segjudge.baselines import constants

Clip = list[tuple[int, int, str]]

#: Labels that the constant label "hold" is accepted for.
ACCEPTED = {"hold", "stir"}


def accepts(one: str, other: str) -> bool:
    return one == "hold" and other in ACCEPTED


def equal(one: str, other: str) -> bool:
    return one == other


def clip(quarters: Clip, duration: int | None, episode: str = "a", track: str = "") -> Annotations:
    rows = [(episode, track, s / 4, e / 4, label) for s, e, label in quarters]
    return corpus(rows, None if duration is None else duration / 4)


def length(quarters: Clip, labels: set[str] | None = None) -> Fraction:
    return Fraction(sum(e - s for s, e, label in quarters if labels is None or label in labels), 4)


@given(single_layer(), st.integers(60, 90))
def test_constant_scores_2h_over_1_plus_c(quarters: Clip, end: int) -> None:
    reference, whole = clip(quarters, end), Fraction(end, 4)
    h, c = length(quarters, ACCEPTED) / whole, length(quarters) / whole
    found = exact("psj", reference, constants.constant(reference, "hold"), accepts)
    assert found == 2 * h / (1 + c)


@given(single_layer(full=True))
def test_constant_scores_the_share_of_time_where_all_is_annotated(quarters: Clip) -> None:
    reference = clip(quarters, None)
    h = length(quarters, ACCEPTED) / length(quarters)
    assert exact("psj", reference, constants.constant(reference, "hold"), accepts) == h


@given(single_layer(), st.integers(60, 90), st.integers(100_000, 20_000_000))
def test_windows_cut_at_the_end_score_as_the_constant(
    quarters: Clip, end: int, window: int
) -> None:
    reference = clip(quarters, end)
    whole = constants.constant(reference, "hold")
    cut = constants.windows(reference, window, "hold")
    assert exact("psj", reference, cut, accepts) == exact("psj", reference, whole, accepts)


@given(single_layer(), st.integers(60, 90))
def test_windows_not_cut_at_the_end(quarters: Clip, end: int) -> None:
    reference, whole = clip(quarters, end), Fraction(end, 4)
    longer = clip(quarters, 10 * ceil(Fraction(end, 10)))
    found = exact("psj", reference, constants.windows(longer, 2_500_000, "hold"), accepts)
    reach = Fraction(5, 2) * ceil(whole / Fraction(5, 2))
    assert found == 2 * length(quarters, ACCEPTED) / (reach + length(quarters))


@given(single_layer(), st.integers(60, 90))
def test_longest_scores_at_least_its_own_time(quarters: Clip, end: int) -> None:
    reference, whole = clip(quarters, end), Fraction(end, 4)
    c = length(quarters) / whole
    most = max(length(quarters, {label}) for _, _, label in quarters)
    own = constants.longest(reference)
    assert exact("psj", reference, own, equal) == 2 * most / whole / (1 + c)
    label = own.labels[own.label[0]]
    also = {label, "stir"}
    h = length(quarters, also) / whole
    found = exact("psj", reference, own, lambda a, b: a == label and b in also)
    assert found == 2 * h / (1 + c) >= 2 * most / (whole * (1 + c))


@given(single_layer(), single_layer(), st.integers(60, 90))
def test_two_hands_pool_their_times(left: Clip, right: Clip, end: int) -> None:
    rows = [
        ("a", track, s / 4, e / 4, label)
        for track, hand in (("left", left), ("right", right))
        for s, e, label in hand
    ]
    reference, whole = corpus(rows, end / 4), Fraction(end, 4)
    accepted = length(left, ACCEPTED) + length(right, ACCEPTED)
    found = exact("psj", reference, constants.constant(reference, "hold"), accepts)
    assert found == 2 * accepted / (2 * whole + length(left) + length(right))


def test_clips_pool_their_times_and_are_not_averaged() -> None:
    rows = [("a", "", 0, 4, "hold"), ("b", "", 0, 10, "cut"), ("b", "", 10, 16, "hold")]
    reference = corpus(rows)
    found = exact("psj", reference, constants.constant(reference, "hold"), accepts)
    assert found == Fraction(2 * (4 + 6), (4 + 16) + (4 + 16))
    assert found != (Fraction(1) + Fraction(6, 16)) / 2


@pytest.mark.parametrize(
    ("c", "h"), [("1", "0.175"), ("0.8", "0.1575"), ("0.6", "0.14"), ("0.5", "0.13125")]
)
def test_hold_of_the_release(c: str, h: str) -> None:
    """A constant "hold" earns 0.175; each of these shares of annotated and held time gives it."""
    annotated, held = Fraction(c) * 1000, Fraction(h) * 1000
    rows = [
        ("a", "left", 0, float(held), "hold"),
        ("a", "left", float(held), float(annotated), "cut"),
    ]
    reference = corpus(rows, 1000)
    found = exact("psj", reference, constants.constant(reference, "hold"), equal)
    assert found == Fraction("0.175")


@pytest.mark.parametrize("k", [1, 2, 7, 118])
def test_shotgun_over_a_full_timeline(k: int) -> None:
    reference = corpus([("a", "", i, i + 1, f"verb {i}") for i in range(k)])
    found = exact("psj", reference, constants.shotgun(reference, k), equal)
    assert found == Fraction(2, k + 1)
    if k == 118:
        assert round(float(found), 4) == 0.0168


@given(single_layer(), st.integers(60, 90))
def test_shotgun_of_every_label(quarters: Clip, end: int) -> None:
    reference, whole = clip(quarters, end), Fraction(end, 4)
    c, k = length(quarters) / whole, len({label for _, _, label in quarters})
    found = exact("psj", reference, constants.shotgun(reference, 100), equal)
    assert found == 2 * c / (k + c)


@given(single_layer(), st.integers(60, 90))
def test_a_label_accepted_everywhere(quarters: Clip, end: int) -> None:
    reference = clip(quarters, end)
    c = length(quarters) / Fraction(end, 4)
    assert exact("psj", reference, constants.constant(reference)) == 2 * c / (1 + c)


def _accepted(labels: set[str], one: str, other: str) -> bool:
    return one == "working" and other in labels


def test_a_judge_at_random_earns_its_share_on_average() -> None:
    """With q = 1/2 every J is equally likely, so the mean over all of them is the expectation."""
    rows = [("a", "", 0, 3, "cut"), ("a", "", 3, 5, "stir"), ("a", "", 6, 10, "wash")]
    reference = corpus(rows, 10)
    prediction = constants.constant(reference, "working")
    labels = ("cut", "stir", "wash")
    scores = [
        exact("psj", reference, prediction, partial(_accepted, {*compress(labels, answers)}))
        for answers in product((False, True), repeat=3)
    ]
    overlap, both = 3 + 2 + 4, 10 + 9
    assert sum(scores) / len(scores) == Fraction(1, 2) * 2 * Fraction(overlap, both)


@given(single_layer())
def test_nothing_earns_nothing(quarters: Clip) -> None:
    reference = clip(quarters, None)
    for metric in ("psj", "semantic_f1@0.75", "segmentation_f1@0.75"):
        assert exact(metric, reference, constants.empty(reference)) == 0


@pytest.mark.parametrize(
    ("gold", "matches"), [(1.874, 0), (1.875, 1), (2.5, 1), (3.333, 1), (3.334, 0)]
)
def test_a_window_of_2_5_s_reaches_gold_of_1_9_to_3_3_s(gold: float, matches: int) -> None:
    reference = corpus([("a", "", 0, gold, "cut")], 2.5)
    found = exact("segmentation_f1@0.75", reference, constants.windows(reference))
    assert found == matches
