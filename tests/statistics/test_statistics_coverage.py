"""How often 95 % intervals hold the truth, by simulation. Run with -s to see the figures."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from segjudge.statistics import Resampling, contrast, interval, resample
from segjudge.statistics.sums import Floats

CLUSTERS, SIZE = 40, 10
CLUSTER = np.repeat(np.arange(CLUSTERS), SIZE)

pytestmark = pytest.mark.slow


def episodes(
    rng: np.random.Generator, correlation: float, ratio: bool
) -> tuple[Floats, Floats, float]:
    """Return numerators, denominators and the true ratio of 40 clusters of 10 episodes.

    Either a mean of normal scores, or scores between 0 and 1 weighted by lognormal durations
    that are as alike within a cluster as the scores are.
    """

    def alike() -> Floats:
        common = np.repeat(rng.normal(size=CLUSTERS), SIZE) * correlation**0.5
        own = rng.normal(size=CLUSTERS * SIZE)
        mixed: Floats = common + own * (1 - correlation) ** 0.5
        return mixed

    if not ratio:
        return alike(), np.ones(CLUSTERS * SIZE), 0.0
    duration = np.exp(0.7 * alike())
    score = 1 / (1 + np.exp(-1.7 * alike()))
    return score * duration, duration, 0.5  # the score is symmetric about 1/2


def coverage(correlation: float, ratio: bool, stages: Literal[1, 2], trials: int) -> float:
    rng = np.random.default_rng(int(correlation * 100) + 1_000 * ratio)
    hits = 0
    for trial in range(trials):
        numerator, denominator, truth = episodes(rng, correlation, ratio)
        draws = resample(numerator, denominator, CLUSTER, Resampling(999, trial, stages))
        found = interval(draws)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= truth <= found.high
    return hits / trials


@pytest.mark.parametrize("ratio", [False, True], ids=["mean", "ratio"])
@pytest.mark.parametrize("correlation", [0.0, 0.1, 0.3, 0.5])
def test_coverage(correlation: float, ratio: bool) -> None:
    one = coverage(correlation, ratio, 1, 4_000)
    two = coverage(correlation, ratio, 2, 500)
    kind = "ratio" if ratio else "mean"
    print(f"\n{kind}, correlation {correlation}: one stage {one:.1%}, two stages {two:.1%}")
    assert 0.93 <= one <= 0.97


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_no_difference_is_found_as_often_as_stated(correlation: float) -> None:
    rng = np.random.default_rng(int(correlation * 100))
    found = 0
    for trial in range(2_000):
        pair = [episodes(rng, correlation, True) for _ in range(2)]
        numerator = np.stack([each[0] for each in pair], axis=1)[:, :, None]
        denominator = np.stack([each[1] for each in pair], axis=1)[:, :, None]
        p = contrast(resample(numerator, denominator, CLUSTER, Resampling(999, trial))).p
        assert p is not None
        found += p <= 0.05
    print(f"\ncorrelation {correlation}: p <= 0.05 in {found / 2_000:.1%} without a difference")
    assert 0.03 <= found / 2_000 <= 0.07
