"""Resamples: an oracle in exact fractions, blocks, order, what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segjudge.statistics import Resampling, resample
from segjudge.statistics.sums import Floats

NUMERATOR = [3, 1, 4, 1, 5, 9, 2, 6]
DENOMINATOR = [5, 2, 6, 5, 8, 9, 7, 9]
CLUSTERS = [2, 0, 2, 1, 1, 1, 0, 7]
MEMBERS = [[1, 6], [3, 4, 5], [0, 2], [7]]

Weight = Literal["episode", "cluster"]


def statistic(picked: Sequence[Sequence[int]], weight: str) -> float:
    """Return the ratio of what was picked, in exact fractions."""

    def pooled(rows: Sequence[int]) -> Fraction:
        return Fraction(sum(NUMERATOR[i] for i in rows), sum(DENOMINATOR[i] for i in rows))

    if weight == "episode":
        return float(pooled([i for rows in picked for i in rows]))
    return float(sum((pooled(rows) for rows in picked), Fraction(0)) / len(picked))


def plain_loop(how: Resampling) -> list[float]:
    """Resample one at a time from the documented streams."""
    outer, inner = (
        np.random.Generator(np.random.PCG64(seed))
        for seed in np.random.SeedSequence(how.seed).spawn(2)
    )
    values = []
    for _ in range(how.resamples):
        picked = [MEMBERS[int(outer.random() * len(MEMBERS))] for _ in MEMBERS]
        if how.stages == 2:
            picked = [[rows[int(inner.random() * len(rows))] for _ in rows] for rows in picked]
        values.append(statistic(picked, how.weight))
    return values


@pytest.mark.parametrize("weight", ["episode", "cluster"])
@pytest.mark.parametrize("stages", [1, 2])
def test_plain_loop_agrees(stages: Literal[1, 2], weight: Weight) -> None:
    how = Resampling(resamples=200, seed=5, stages=stages, weight=weight)
    draws = resample(NUMERATOR, DENOMINATOR, CLUSTERS, how)
    assert draws.values[:, 0, 0] == pytest.approx(plain_loop(how), rel=1e-12)
    assert draws.value[0, 0] == pytest.approx(statistic(MEMBERS, weight), rel=1e-12)
    for g, rows in enumerate(MEMBERS):
        others = [each for h, each in enumerate(MEMBERS) if h != g]
        assert draws.by_cluster[g, 0, 0] == statistic([rows], "episode")
        assert draws.left_out[g, 0, 0] == pytest.approx(statistic(others, weight), rel=1e-12)


def columns(episodes: int, seed: int = 0) -> tuple[Floats, Floats, Any]:
    rng = np.random.default_rng(seed)
    numerator = rng.normal(size=(episodes, 2, 3)) * [1e-6, 1.0, 1e9]
    denominator = rng.random((episodes, 2, 3)) * [1.0, 1e9, 1e-3]
    return numerator, denominator, rng.integers(0, 9, episodes)


@pytest.mark.parametrize("weight", ["episode", "cluster"])
@pytest.mark.parametrize("stages", [1, 2])
def test_blocks_change_nothing(stages: Literal[1, 2], weight: Weight) -> None:
    numerator, denominator, clusters = columns(61)
    how = Resampling(resamples=101, stages=stages, weight=weight)
    whole = resample(numerator, denominator, clusters, how).values
    for block in (1, 700, 3_000):
        again = resample(numerator, denominator, clusters, how, block=block).values
        assert np.array_equal(whole, again)


def test_one_column_in_blocks_of_one() -> None:
    numerator, denominator, clusters = columns(40)
    for stages, weight in ((1, "cluster"), (2, "cluster"), (2, "episode")):
        how = Resampling(resamples=50, stages=stages, weight=weight)  # type: ignore[arg-type]
        one = resample(numerator[:, 0, 0], denominator[:, 0, 0], clusters, how, block=1).values
        many = resample(numerator[:, 0, 0], denominator[:, 0, 0], clusters, how).values
        assert np.array_equal(one, many)


def test_few_and_many_columns_sum_alike() -> None:
    numerator, denominator, clusters = columns(60)
    many = resample(numerator, denominator, clusters, Resampling(200)).values
    for metric in range(3):
        few = resample(
            numerator[:, :, [metric]], denominator[:, :, [metric]], clusters, Resampling(200)
        )
        assert np.array_equal(few.values[:, :, 0], many[:, :, metric])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.permutations(range(30)))
def test_order_of_episodes_changes_nothing(seed: int, order: list[int]) -> None:
    numerator, denominator, clusters = columns(30, seed)
    how = Resampling(resamples=40, seed=seed)
    first = resample(numerator, denominator, clusters, how)
    second = resample(numerator[order], denominator[order], clusters[order], how)
    assert np.array_equal(first.values, second.values)
    assert np.array_equal(first.value, second.value)
    assert np.array_equal(first.left_out, second.left_out)


def test_grid_keeps_the_ratio() -> None:
    numerator, denominator, clusters = columns(500, 3)
    draws = resample(numerator, denominator, clusters, Resampling(resamples=1))
    exact = numerator.sum(axis=0) / denominator.sum(axis=0)
    assert draws.value == pytest.approx(exact, rel=1e-9)


def test_whole_microseconds_are_exact() -> None:
    numerator = np.array([10**12 + 1, 3, 5, 10**11 + 7])
    denominator = np.array([10**12 + 2, 7, 6, 10**11 + 9])
    draws = resample(numerator, denominator, [0, 1, 2, 3], Resampling(resamples=1))
    assert draws.value[0, 0] == numerator.sum() / denominator.sum()


def test_systems_share_resamples_and_grid() -> None:
    numerator, denominator, clusters = columns(50)
    numerator[:, 1], denominator[:, 1] = numerator[:, 0], denominator[:, 0]
    numerator[7, 1] *= 1_000
    values = resample(numerator, denominator, clusters, Resampling(resamples=300)).values
    same = (values[:, 0] == values[:, 1]).all(axis=1)
    assert 0.25 < same.mean() < 0.45  # (1 - 1/9)**9 of them don't draw the cluster that differs


def test_denominator_zero_has_no_value() -> None:
    draws = resample([1, 1, 0], [2, 2, 0], [0, 1, 2], Resampling(resamples=500))
    missing = np.isnan(draws.values[:, 0, 0])
    assert 0 < missing.sum() < 60  # (1/3)**3 of them draw the empty cluster only
    assert np.isnan(draws.by_cluster[:, 0, 0]).tolist() == [False, False, True]
    assert set(draws.values[~missing, 0, 0]) == {0.5}
    equal = resample([1, 1, 0], [2, 4, 0], [0, 1, 2], Resampling(resamples=500, weight="cluster"))
    assert equal.value[0, 0] == 0.375


def test_each_cluster_is_drawn_as_often() -> None:
    draws = resample([1.0, 0, 0, 0], np.ones(4), np.arange(4), Resampling(resamples=20_000))
    counts = Counter((draws.values[:, 0, 0] * 4).astype(int).tolist())
    for times, expected in enumerate([81 / 256, 108 / 256, 54 / 256, 12 / 256, 1 / 256]):
        assert counts[times] / 20_000 == pytest.approx(expected, abs=0.012)


def test_too_few_clusters_give_no_resamples() -> None:
    assert resample([1, 2], [2, 3], [4, 4]).values.shape == (0, 1, 1)
    empty = resample(np.empty((0, 3)), np.empty((0, 3)), np.empty(0, dtype=int))
    assert empty.values.shape == (0, 1, 3)
    assert np.isnan(empty.value).all()


@pytest.mark.parametrize(
    ("numerator", "denominator", "clusters", "message"),
    [
        ([1, 2], [1], [0, 1], "same"),
        (1, 1, 0, "axes"),
        (np.ones((2, 0)), np.ones((2, 0)), [0, 1], "at least one"),
        ([1, 2], [1, 2], [0], "as many clusters"),
        ([1, 2], [1, 2], [0.5, 1.0], "integers"),
        ([1, float("nan")], [1, 2], [0, 1], "finite"),
        ([1, 2], [1, float("inf")], [0, 1], "finite"),
        ([1, 1e101], [1, 2], [0, 1], "at most"),
        ([1, 2], [1, -2], [0, 1], "negative"),
        ([1, 2], [1, 1e-101], [0, 1], "at least"),
    ],
)
def test_refused(numerator: Any, denominator: Any, clusters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        resample(numerator, denominator, clusters)


@pytest.mark.parametrize(
    "options",
    [
        {"resamples": 0},
        {"seed": -1},
        {"stages": 3},
        {"weight": "task"},
        {"stream": "mt"},
        {"stream": "study", "stages": 1},
    ],
)
def test_options_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Resampling(**options)
