"""What must hold of every score, whatever the annotations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from corpora import EVERY_METRIC, Answers, annotations, answers, compare, matrix, sides
from hypothesis import given
from hypothesis import strategies as st
from oracle import Segment

from segjudge.metrics import Comparison, Components, evaluate, make, ratio

METRICS = [make(text) for text in EVERY_METRIC]
DENSE = sides(most=8, episodes=("a", "b"), tracks=("",), last=6)
EPISODES = ("a", "b", "é")


def components(
    metric: object, left: Sequence[Segment], right: Sequence[Segment], judged: Answers
) -> dict[str, list[int]]:
    comparison = compare(left, right)
    outcome = evaluate(metric, comparison, matrix(comparison, judged))
    assert outcome.low is outcome.high
    return {name: column.tolist() for name, column in outcome.low.items()}


def values(metric: object, sums: Components) -> np.ndarray:
    """By episode, and at the end over all of them."""
    whole = {name: np.array([*column, sum(column)], np.int64) for name, column in sums.items()}
    return ratio(whole, metric.ratios["value"])


@given(sides(), sides(), answers(), st.randoms(use_true_random=False))
def test_order_changes_nothing(left, right, judged, rng):
    before = [components(metric, left, right, judged) for metric in METRICS]
    rng.shuffle(left)
    rng.shuffle(right)
    ids = list(EPISODES)
    rng.shuffle(ids)
    comparison = Comparison.of(annotations(left, ids), annotations(right, ids[::-1]))
    for metric, expected in zip(METRICS, before, strict=True):
        after = evaluate(metric, comparison, matrix(comparison, judged)).low
        assert {name: column.tolist() for name, column in after.items()} == expected


@given(DENSE, DENSE, answers(), st.data())
@pytest.mark.parametrize("name", ["psj", "psj_same"])
def test_cutting_a_segment_leaves_psj(name, left, right, judged, data):
    metric = make(name)
    before = components(metric, left, right, judged)
    for side in (left, right):
        long = [i for i, s in enumerate(side) if s.end - s.start > 1]
        if long and data.draw(st.booleans()):
            row = data.draw(st.sampled_from(long))
            whole = side.pop(row)
            at = data.draw(st.integers(whole.start + 1, whole.end - 1))
            side += [whole._replace(end=at), whole._replace(start=at)]
    assert components(metric, left, right, judged) == before


@given(DENSE, DENSE, answers(), st.data())
def test_one_more_yes_never_lowers_a_monotone_metric(left, right, judged, data):
    before = [values(metric, components(metric, left, right, judged)) for metric in METRICS]
    no = sorted((pair for pair, both in judged.items() if both == (0, 0)), key=sorted)
    part = sorted((pair for pair, both in judged.items() if both == (1, 0)), key=sorted)
    if no:
        judged = {**judged, data.draw(st.sampled_from(no)): (1, 0)}
    if part:
        judged = {**judged, data.draw(st.sampled_from(part)): (1, 1)}
    for metric, low in zip(METRICS, before, strict=True):
        assert metric.monotone
        high = values(metric, components(metric, left, right, judged))
        assert np.array_equal(np.isnan(low), np.isnan(high))
        assert not np.any(high < low), metric.key


@given(sides(), sides(), answers())
def test_swapping_the_sides_leaves_psj_and_unsnapped_f1(left, right, judged):
    turned = {"reference": "prediction", "prediction": "reference"}
    for metric in METRICS:
        if "snap=outer" in metric.key or "temporal_first" in metric.key:
            continue
        there = components(metric, left, right, judged)
        back = components(metric, right, left, judged)
        for name, column in there.items():
            side = name.partition("_")[0].removesuffix("s")
            assert back[name.replace(side, turned.get(side, side), 1)] == column
        assert np.array_equal(values(metric, there), values(metric, back), equal_nan=True)


@given(
    sides(),
    sides(),
    answers(),
    st.fixed_dictionaries(
        {
            name: st.sampled_from([0, 1, -1, 333_333, -86_400_000_000, 1_760_000_000_000_000])
            for name in EPISODES
        }
    ),
)
def test_the_clock_of_an_episode_changes_nothing(left, right, judged, clock):
    def moved(side: Sequence[Segment]) -> list[Segment]:
        return [
            s._replace(start=s.start + clock[s.episode], end=s.end + clock[s.episode]) for s in side
        ]

    for metric in METRICS:
        assert components(metric, moved(left), moved(right), judged) == components(
            metric, left, right, judged
        )


@given(sides(), sides(), answers(), st.lists(st.booleans(), min_size=3, max_size=3))
def test_shards_add_up_to_the_whole(left, right, judged, first):
    """Each shard knows its own episodes and labels only."""
    shards = [
        [name for name, here in zip(EPISODES, first, strict=True) if here is wanted]
        for wanted in (True, False)
    ]
    for metric in METRICS:
        whole = components(metric, left, right, judged)
        by_episode: dict[str, dict[str, int]] = {}
        for ids in shards:
            own = [
                annotations([s for s in side if s.episode in ids], ids) for side in (left, right)
            ]
            comparison = Comparison.of(*own)
            part = evaluate(metric, comparison, matrix(comparison, judged)).low
            for row, episode in enumerate(comparison.reference.episodes):
                by_episode[episode] = {name: int(column[row]) for name, column in part.items()}
        for name, column in whole.items():
            assert column == [by_episode[episode][name] for episode in sorted(EPISODES)]


@given(sides(), answers())
def test_a_perfect_prediction(side, judged):
    """Every segment finds itself; matching first in time may take its twin instead."""
    judged = {**judged, **{pair: (1, 1) for pair in judged if len(pair) == 1}}
    lasting = [s for s in side if s.end > s.start]
    for metric in METRICS:
        if "temporal_first" in metric.key:
            continue
        got = values(metric, components(metric, lasting, lasting, judged))
        assert np.all(np.isnan(got) | (got == 1)), metric.key


@given(sides(), sides(), answers())
def test_values_lie_between_0_and_1_and_psj_between_its_precision_and_recall(left, right, judged):
    for metric in METRICS:
        sums = components(metric, left, right, judged)
        whole = {name: np.array([*c, sum(c)], np.int64) for name, c in sums.items()}
        value, precision, recall = (
            ratio(whole, metric.ratios[name]) for name in ("value", "precision", "recall")
        )
        for part in (value, precision, recall):
            assert np.all(np.isnan(part) | ((part >= 0) & (part <= 1)))
        both = ~np.isnan(precision) & ~np.isnan(recall)
        least = np.minimum(precision, recall)[both] - 1e-12
        most = np.maximum(precision, recall)[both] + 1e-12
        assert np.all((value[both] >= least) & (value[both] <= most))
