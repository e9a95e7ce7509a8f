"""Intervals and contrasts: against scipy, and the laws they keep."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from segjudge.statistics import (
    Resampling,
    contrast,
    interval,
    paired_differences,
    ratio_intervals,
    resample,
)
from segjudge.statistics.intervals import Correction, Method
from segjudge.statistics.sums import Floats

METHODS: list[Method] = ["percentile", "bc", "bca"]


def pooled(numerator: Any, denominator: Any, axis: int = -1) -> Any:
    return numerator.sum(axis=axis) / denominator.sum(axis=axis)


def episodes(count: int, seed: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    denominator = rng.lognormal(size=count)
    return denominator * rng.beta(2, 1, size=count), denominator


@pytest.mark.parametrize(("method", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_scipy_makes_the_same_interval_of_our_draws(method: Method, theirs: Any, seed: int) -> None:
    from scipy.stats import bootstrap

    numerator, denominator = episodes(50, seed)
    draws = resample(numerator, denominator, np.arange(50), Resampling(resamples=2_000))
    found = interval(draws, method=method, expand=False, level=0.9)
    drawn: Any = SimpleNamespace(bootstrap_distribution=draws.values[:, 0, 0])
    expected = bootstrap(
        (numerator, denominator),
        pooled,
        paired=True,
        n_resamples=0,
        bootstrap_result=drawn,
        method=theirs,
        confidence_level=0.9,
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


@pytest.mark.parametrize(("method", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
def test_scipy_finds_the_same_interval_on_its_own(method: Method, theirs: Any) -> None:
    from scipy.stats import bootstrap

    numerator, denominator = episodes(60, 4)
    how = Resampling(resamples=40_000, seed=8)
    found = ratio_intervals(
        numerator, denominator, np.arange(60), method=method, expand=False, how=how
    )[0]
    expected = bootstrap(
        (numerator, denominator),
        pooled,
        paired=True,
        n_resamples=40_000,
        method=theirs,
        rng=np.random.default_rng(9),
        batch=2_000,
    )
    # An end of a 95 % interval has a standard error of about 2.7 s/sqrt(B) at B resamples, s
    # being their spread; the ends differ by sqrt(2) as much.
    error = 2.7 * expected.standard_error * (2 / 40_000) ** 0.5
    assert found.low == pytest.approx(expected.confidence_interval.low, abs=4 * error)
    assert found.high == pytest.approx(expected.confidence_interval.high, abs=4 * error)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(-1e100, 1e100),
            st.just(0.0) | st.floats(1e-100, 1e100),
            st.integers(0, 4),
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(METHODS),
    st.sampled_from([Resampling(50), Resampling(50, 1, 2), Resampling(50, 2, 1, "cluster")]),
)
def test_nothing_differs_from_itself(
    rows: list[tuple[float, float, int]], method: Method, how: Resampling
) -> None:
    numerator, denominator, clusters = (list(each) for each in zip(*rows, strict=True))
    found = paired_differences(
        numerator, denominator, numerator, denominator, clusters, method=method, how=how
    )[0]
    assert found.sign.wins == found.sign.losses == 0
    assert found.sign.p == 1.0
    if found.difference.reason:
        assert found.difference.low is found.p is None
    else:
        assert (found.difference.value, found.difference.low, found.difference.high) == (0, 0, 0)
        assert found.p == 1.0


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(2, 12),
    st.floats(-1, 2),
    st.sampled_from(METHODS),
    st.booleans(),
    st.sampled_from([0.8, 0.95, 0.99]),
)
def test_p_and_interval_never_disagree(
    seed: int, clusters: int, shift: float, method: Method, expand: bool, level: float
) -> None:
    numerator = np.random.default_rng(seed).normal(size=(clusters, 2, 1))
    numerator[:, 0] += shift
    draws = resample(numerator, np.ones_like(numerator), np.arange(clusters), Resampling(399))
    found = contrast(draws, method=method, expand=expand, level=level)
    assert found.p is not None
    assert found.p_floor is not None
    assert 2 / 400 <= found.p_floor <= found.p
    if method == "percentile" and not expand:
        assert found.p_floor == pytest.approx(2 / 400)
    assert found.difference.low is not None
    assert found.difference.high is not None
    if found.p <= 1 - level:
        assert found.difference.low > 0 or found.difference.high < 0
    back = contrast(draws, 0, 1, 0, method=method, expand=expand, level=level)
    assert back.p == pytest.approx(found.p, rel=1e-6)
    assert back.difference.low == pytest.approx(-found.difference.high, rel=1e-6, abs=1e-9)
    assert back.difference.value == -(found.difference.value or 0.0)
    assert (back.sign.wins, back.sign.losses) == (found.sign.losses, found.sign.wins)


@given(
    st.floats(-2, 2), st.floats(-0.16, 0.16), st.sampled_from([0, 2, 5, 40]), st.floats(0.001, 0.5)
)
def test_position_and_tail_are_inverse(
    bias: float, skew: float, clusters: int, tail: float
) -> None:
    correction = Correction(bias, skew, clusters)
    position = correction.position(tail)
    assume(1e-9 < position < 1 - 1e-9)
    assert correction.tail(position) == pytest.approx(tail, rel=1e-4)


def test_skewness_beyond_reach_ends_at_the_extremes() -> None:
    assert Correction(3.0, 0.16).position(0.99999) == 1.0
    assert Correction(-3.0, -0.16).position(0.00001) == 0.0
    assert Correction(0.0, 0.16).tail(1e-12) == 0.0
    assert Correction(0.0, -0.16).tail(1 - 1e-12) == 1.0
    assert (Correction().tail(0.0), Correction().tail(1.0)) == (0.0, 1.0)


def test_expanding_widens_by_the_number_of_clusters() -> None:
    numerator, denominator = episodes(8, 5)
    draws = resample(numerator, denominator, np.arange(8))
    narrow = interval(draws, expand=False)
    wide = interval(draws)
    assert narrow.low is not None
    assert narrow.high is not None
    assert wide.low is not None
    assert wide.high is not None
    assert wide.low < narrow.low < narrow.high < wide.high
    # t of 7 degrees at 2.5 % is 2.3646; times sqrt(8/7) it is 2.5279, where the normal cuts 0.57 %
    assert Correction(clusters=8).position(0.025) == pytest.approx(0.005737, abs=1e-6)


def test_metrics_are_independent_columns() -> None:
    numerator, denominator = episodes(30, 6)
    clusters = np.arange(30) // 3
    both = ratio_intervals(
        np.stack([numerator, numerator * 2], axis=1),
        np.stack([denominator, denominator], axis=1),
        clusters,
    )
    alone = ratio_intervals(numerator, denominator, clusters)
    assert both[0] == alone[0]
    assert both[1].low == 2 * (both[0].low or 0)
    assert both[0].clusters == 10
    paired = paired_differences(
        np.stack([numerator, numerator], axis=1),
        np.stack([denominator, denominator], axis=1),
        np.stack([numerator * 0.5, numerator], axis=1),
        np.stack([denominator, denominator], axis=1),
        clusters,
    )
    assert (paired[0].sign.wins, paired[1].sign.ties) == (10, 10)


def test_no_interval_has_a_reason() -> None:
    one = ratio_intervals([1, 2], [2, 2], [3, 3])[0]
    assert (one.value, one.low, one.high, one.clusters) == (0.75, None, None, 1)
    assert one.reason == "fewer than 2 clusters with a value: 1"
    only = ratio_intervals([1, 0], [2, 0], [0, 1])[0]
    assert (only.value, only.low, only.clusters) == (0.5, None, 1)
    none = ratio_intervals([0, 0], [0, 0], [0, 1])[0]
    assert (none.value, none.reason) == (None, "the denominator is 0")
    apart = paired_differences([1, 0], [2, 0], [0, 1], [0, 2], [0, 1])[0]
    assert (apart.difference.value, apart.p, apart.p_floor) == (0.0, None, None)
    assert (apart.difference.clusters, apart.sign.ties) == (1, 0)


def test_no_resample_with_a_value() -> None:
    for seed in range(100):  # one resample; it may draw the two empty clusters only
        rows = [1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0], np.arange(6)
        found = ratio_intervals(*rows, how=Resampling(1, seed))[0]
        if found.dropped:
            break
    assert (found.resamples, found.dropped) == (0, 1)
    assert found.reason == "no resample has a value"


def test_dropped_resamples_are_counted() -> None:
    found = ratio_intervals([1, 1, 0], [2, 3, 0], [0, 1, 2], how=Resampling(1_000))[0]
    assert found.resamples + found.dropped == 1_000
    assert 15 < found.dropped < 65
    assert found.clusters == 2
    assert found.high == 0.5


def test_all_resamples_on_one_side_fall_back_to_percentile() -> None:
    found = ratio_intervals([0, 0, 1], np.ones(3), np.arange(3), method="bc", how=Resampling(1))[0]
    assert found.method == "percentile"


def test_refused() -> None:
    draws = resample([1, 2], [2, 3], [0, 1], Resampling(5))
    with pytest.raises(ValueError, match="level"):
        interval(draws, level=95)
    with pytest.raises(ValueError, match="method"):
        interval(draws, method="basic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="one system"):
        ratio_intervals(np.ones((2, 2, 1)), np.ones((2, 2, 1)), [0, 1])
    with pytest.raises(ValueError, match="same shape"):
        paired_differences([1, 2], [1, 2], [1], [1], [0, 1])
    with pytest.raises(ValueError, match="give numerators"):
        paired_differences([1, 2], [[1], [2]], [1, 2], [[1], [2]], [0, 1])
    study = resample([1, 2], [2, 3], [0, 1], Resampling(5, 1, 2, "cluster", "study"))
    with pytest.raises(ValueError, match="paired_differences"):
        contrast(study)


@pytest.mark.parametrize("clusters", [5, 11, 40])
def test_the_smallest_p_is_the_floor_and_widening_raises_it(clusters: int) -> None:
    numerator = np.stack((np.arange(1.0, clusters + 1), np.arange(clusters)), 1)[:, :, None]
    draws = resample(numerator, np.ones_like(numerator), np.arange(clusters), Resampling(999))
    widened, plain = contrast(draws), contrast(draws, expand=False)
    assert plain.p == pytest.approx(2 / 1_000)
    assert plain.p_floor == pytest.approx(2 / 1_000)
    assert widened.p == pytest.approx(widened.p_floor)
    # Student's t of the same tail: z = -3.09 shrinks by sqrt((n - 1) / n) and has fat tails.
    z = stats.norm.ppf(1 / 1_000) * ((clusters - 1) / clusters) ** 0.5
    assert widened.p == pytest.approx(2 * stats.t.cdf(z, clusters - 1))
    turned = contrast(draws, 0, 1, 0)
    assert turned.p == pytest.approx(widened.p)
    assert turned.p_floor == pytest.approx(widened.p_floor)
