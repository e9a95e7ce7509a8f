"""Two systems on the same episodes: difference, interval, p, wins and losses by cluster."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from segjudge.statistics.bootstrap import Draws, Resampling, resample
from segjudge.statistics.intervals import (
    Correction,
    Interval,
    Method,
    Sample,
    interval_of,
    sample_of,
    slack,
)
from segjudge.statistics.significance import SignTest, sign_test
from segjudge.statistics.sums import Floats

_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class Contrast:
    """How far the first system is above the second.

    Attributes
    ----------
    difference : Interval
        First minus second, and its interval over the same resamples. Its clusters are those of
        the system that has a value in fewer.
    p : float or None
        Two-sided p of no difference; None where there is no interval. See `contrast`.
    p_floor : float or None
        The smallest p these resamples could give.
    sign : SignTest
        Clusters on which the first has the larger ratio, the smaller, the same; those where
        either has none don't count.
    """

    difference: Interval
    p: float | None
    p_floor: float | None
    sign: SignTest


def paired_differences(
    numerator_a: ArrayLike,
    denominator_a: ArrayLike,
    numerator_b: ArrayLike,
    denominator_b: ArrayLike,
    clusters: ArrayLike,
    *,
    level: float = 0.95,
    method: Method = "percentile",
    expand: bool = True,
    how: Resampling | None = None,
) -> list[Contrast]:
    """Compare two systems, metric by metric, on the same episodes and the same resamples.

    Parameters
    ----------
    numerator_a, denominator_a, numerator_b, denominator_b : array_like, shape (episodes,) or \
(episodes, metrics)
        What each episode adds to the two sums of each metric, for A and for B.
    clusters : array_like of int, shape (episodes,)
        The cluster of each episode.
    level, method, expand
        As in `interval`.
    how : Resampling, optional
        How to resample; by default 10,000 times in one stage. With the study's stream the
        difference is taken episode by episode, so both need the same denominators, and p comes
        from a second set of resamples (`reference/timing_study.md`, section 5.2).

    Returns
    -------
    list of Contrast
        A minus B, one a metric, in order.

    Raises
    ------
    ValueError
        As `resample` and `interval`; when shapes differ or have more than 2 axes; when the
        study's stream is asked for and denominators differ.
    """
    top = [np.asarray(each, dtype=np.float64) for each in (numerator_a, numerator_b)]
    bottom = [np.asarray(each, dtype=np.float64) for each in (denominator_a, denominator_b)]
    if top[0].shape != top[1].shape or bottom[0].shape != bottom[1].shape:
        raise ValueError("both systems need arrays of the same shape")
    if top[0].ndim not in (1, 2) or top[0].shape != bottom[0].shape:
        raise ValueError("give numerators and denominators as (episodes,) or (episodes, metrics)")
    how = Resampling() if how is None else how
    if how.stream == "study":
        if not np.array_equal(bottom[0], bottom[1]):
            raise ValueError("the study's stream needs the same denominators for both systems")
        return _study(top[0] - top[1], bottom[0], clusters, level, method, how)
    draws = resample(_side_by_side(top), _side_by_side(bottom), clusters, how)
    metrics = range(draws.value.shape[1])
    return [contrast(draws, m, level=level, method=method, expand=expand) for m in metrics]


def contrast(
    draws: Draws,
    metric: int = 0,
    first: int = 0,
    second: int = 1,
    *,
    level: float = 0.95,
    method: Method = "percentile",
    expand: bool = True,
) -> Contrast:
    """Compare two of the systems that were resampled together.

    Parameters
    ----------
    draws : Draws
        From `resample`, with the systems on the second of three axes.
    metric, first, second : int
        Which ratio of which systems.
    level, method, expand
        As in `interval`.

    Returns
    -------
    Contrast
        First minus second.

    Raises
    ------
    ValueError
        As `interval`; when the draws are of the study's stream (use `paired_differences`).

    Notes
    -----
    p is the level at which the interval of the same method would just reach 0. Of the n resamples
    that have a value, let b be at most 0 and a at least 0. Each side's share, (b + 1)/(n + 1) and
    (a + 1)/(n + 1), becomes a tail through the interval's own correction (for percentile, not
    expanded, it is the tail); p is twice the smaller tail, at most 1 and at least the floor. So
    p <= 1 - level only where the interval leaves out 0. A system against itself: every difference
    is exactly 0, interval [0, 0], p 1.

    The floor is what p would be if all resamples lay on one side, and no less than 2/(n + 1).
    Expanding for few clusters raises it, to 0.005 of 10,000 resamples of 11 clusters.
    """
    if draws.how.stream == "study":
        raise ValueError("the study's stream compares by episode: use paired_differences")
    pair = draws.by_cluster[:, first, metric], draws.by_cluster[:, second, metric]
    sample = Sample(
        float(draws.value[first, metric] - draws.value[second, metric]),
        draws.values[:, first, metric] - draws.values[:, second, metric],
        draws.left_out[:, first, metric] - draws.left_out[:, second, metric],
        min(int((~np.isnan(each)).sum()) for each in pair),
        False,
    )
    done, correction = interval_of(sample, level, method, expand)
    sign = _sign(*pair)
    if done.reason:
        return Contrast(done, None, None, sign)
    one = 1 / (done.resamples + 1)
    floor = max(2 * one, min(_doubled(correction, one, 1.0), _doubled(correction, 1.0, one)))
    return Contrast(done, max(floor, _two_sided(sample, correction)), floor, sign)


def _side_by_side(systems: list[Floats]) -> Floats:
    """Return the systems' columns with the axes (episodes, systems, metrics)."""
    columns = np.stack(systems, axis=1)
    return columns[:, :, None] if columns.ndim == 2 else columns


def _two_sided(sample: Sample, correction: Correction) -> float:
    """Return p as `contrast` defines it, before its floor."""
    kept = sample.kept()
    near = slack(sample, kept)
    below = (int((kept <= near).sum()) + 1) / (len(kept) + 1)
    above = (int((kept >= -near).sum()) + 1) / (len(kept) + 1)
    return _doubled(correction, below, above)


def _doubled(correction: Correction, below: float, above: float) -> float:
    """Return twice the smaller tail of two shares, at most 1."""
    return min(1.0, 2 * min(correction.tail(below), 1 - correction.tail(1 - above)))


def _sign(first: Floats, second: Floats) -> SignTest:
    """Return the sign test over clusters where both have a ratio."""
    both = ~(np.isnan(first) | np.isnan(second))
    first, second = first[both], second[both]
    away = first - second
    tied = np.abs(away) <= _TIE * np.maximum(np.abs(first), np.abs(second))
    wins, losses = int((~tied & (away > 0)).sum()), int((~tied & (away < 0)).sum())
    return sign_test(wins, losses, int(tied.sum()))


def _study(
    difference: Floats,
    denominator: Floats,
    clusters: ArrayLike,
    level: float,
    method: Method,
    how: Resampling,
) -> list[Contrast]:
    """Return the study's contrasts: interval with its seed, p with the next one."""
    draws = resample(difference, denominator, clusters, how)
    again = resample(difference, denominator, clusters, replace(how, seed=how.seed + 1))
    return [_study_one(draws, again, m, level, method) for m in range(draws.value.shape[1])]


def _study_one(draws: Draws, again: Draws, metric: int, level: float, method: Method) -> Contrast:
    """Return one of the study's contrasts from the resamples of its interval and of its p."""
    own = draws.by_cluster[:, 0, metric]
    sample = sample_of(draws, metric, 0)
    done, _ = interval_of(sample, level, method, False)
    sign = _sign(own, np.zeros_like(own))
    if done.reason:
        return Contrast(done, None, None, sign)
    drawn = again.values[:, 0, metric]
    drawn = drawn[~np.isnan(drawn)]
    crossed = int((drawn <= 0).sum() if sample.value > 0 else (drawn >= 0).sum())
    floor = 1 / len(drawn)
    return Contrast(done, max(floor, min(1.0, 2 * crossed / len(drawn))), floor, sign)
