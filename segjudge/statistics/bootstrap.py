"""Resamples of ratios of sums, by cluster.

A resample draws as many clusters as there are, with replacement, and recomputes each ratio from
the sums of what it drew. One stage keeps every drawn cluster whole, which is the default; two
stages also redraw the episodes within each drawn cluster, as the timing study does
(`reference/timing_study.md`, section 5.1). Redrawing counts the spread within a cluster a second
time, since a cluster's own total already carries it: such intervals are wider than they need be.

Sums are exact (`sums.py`), so no result depends on the block size or on the machine's linear
algebra, nor in one stage on the order of episodes, and a system minus itself is exactly 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from segjudge.statistics import study
from segjudge.statistics.sums import (
    Columns,
    Floats,
    Ints,
    cluster_sums,
    columns_of,
    on_grid,
    own_ratios,
    ratio,
)

BLOCK = 1 << 16
_FEW_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class Resampling:
    """How to resample.

    Attributes
    ----------
    resamples : int
        Number of resamples, at least 1.
    seed : int
        Seed of the random stream, 0 or more.
    stages : {1, 2}
        1 draws clusters and keeps them whole; 2 also redraws the episodes of each drawn cluster.
    weight : {"episode", "cluster"}
        ``episode``: the ratio of the pooled sums, so a cluster weighs as much as it holds.
        ``cluster``: the mean over clusters of each cluster's own ratio; a cluster whose
        denominator is 0 has no ratio and is left out of that mean.
    stream : {"pcg64", "study"}
        ``pcg64``: NumPy's PCG64, vectorised. ``study``: the timing study's own stream, sums and
        interval ends (`reference/timing_study.md`, sections 5.1 and 5.2), which reproduce its
        figures to the last digit, in plain Python and slowly; it has two stages. The study
        itself uses ``weight="cluster"``, and seed 17 for arms and 23 for contrasts.

    Raises
    ------
    ValueError
        When a value is none of those.
    """

    resamples: int = 10_000
    seed: int = 0
    stages: Literal[1, 2] = 1
    weight: Literal["episode", "cluster"] = "episode"
    stream: Literal["pcg64", "study"] = "pcg64"

    def __post_init__(self) -> None:
        if self.resamples < 1:
            raise ValueError(f"resamples must be at least 1, not {self.resamples}")
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, not {self.seed}")
        if self.stages not in (1, 2):
            raise ValueError(f"stages must be 1 or 2, not {self.stages}")
        if self.weight not in ("episode", "cluster"):
            raise ValueError(f"weight must be 'episode' or 'cluster', not {self.weight!r}")
        if self.stream not in ("pcg64", "study"):
            raise ValueError(f"stream must be 'pcg64' or 'study', not {self.stream!r}")
        if self.stream == "study" and self.stages != 2:
            raise ValueError("the study's stream draws clusters and episodes: stages must be 2")


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """What resampling gave, for `systems` systems and `metrics` metrics. NaN: no value there.

    Attributes
    ----------
    how : Resampling
        How it was resampled.
    value : ndarray of float64, shape (systems, metrics)
        The ratio itself.
    values : ndarray of float64, shape (resamples, systems, metrics)
        The ratio in each resample; none (shape (0, ...)) with fewer than 2 clusters.
    by_cluster : ndarray of float64, shape (clusters, systems, metrics)
        The ratio of each cluster alone.
    left_out : ndarray of float64, shape (clusters, systems, metrics)
        The ratio with each cluster left out (the jackknife).
    """

    how: Resampling
    value: Floats
    values: Floats
    by_cluster: Floats
    left_out: Floats


def resample(
    numerator: ArrayLike,
    denominator: ArrayLike,
    clusters: ArrayLike,
    how: Resampling | None = None,
    *,
    block: int = BLOCK,
) -> Draws:
    """Resample ratios of sums; all systems and metrics see the same resamples.

    Parameters
    ----------
    numerator, denominator : array_like, shape (episodes,), (episodes, metrics) or \
(episodes, systems, metrics)
        What each episode adds to the two sums; denominators are 0 or more.
    clusters : array_like of int, shape (episodes,)
        The cluster of each episode; any integers. Clusters are drawn in ascending order of
        these, episodes in the order given.
    how : Resampling, optional
        How to resample; by default 10,000 times in one stage.
    block : int
        About how many numbers to hold in memory at once. It changes no result.

    Returns
    -------
    Draws
        The ratios: themselves, resampled, by cluster, and with each cluster left out.

    Raises
    ------
    ValueError
        When shapes differ, there is no metric, a value isn't finite (or beyond 1e100), a
        denominator is negative (or below 1e-100 and not 0) or clusters aren't integers.
    """
    how = Resampling() if how is None else how
    columns = columns_of(numerator, denominator, clusters)
    if how.stream == "study":
        value, values = study.resample(columns, how.resamples, how.seed, how.weight)
    else:
        columns = replace(columns, data=on_grid(columns.data, columns.starts, columns.sizes))
    sums = cluster_sums(columns)
    by_cluster = ratio(sums)
    if how.weight == "cluster":
        sums = own_ratios(by_cluster)
    total = sums.sum(axis=0)
    if how.stream != "study":
        value = ratio(total)
        values = _resampled(columns, sums, how, block)
    return Draws(how, value, values, by_cluster, ratio(total - sums))


def _streams(seed: int) -> tuple[np.random.Generator, np.random.Generator]:
    """Return one stream for clusters and one for episodes, so blocks can't interleave them."""
    first, second = np.random.SeedSequence(seed).spawn(2)
    return np.random.Generator(np.random.PCG64(first)), np.random.Generator(np.random.PCG64(second))


def _resampled(columns: Columns, sums: Floats, how: Resampling, block: int) -> Floats:
    """Return the ratio in each resample; none where there aren't 2 clusters to draw from."""
    if len(sums) < 2:
        return np.empty((0, *sums.shape[2:]))
    if how.stages == 1:
        return _one_stage(sums, how, block)
    return _two_stage(columns, how, block)


def _one_stage(sums: Floats, how: Resampling, block: int) -> Floats:
    """Return the ratio in each resample of whole clusters, from the cluster sums."""
    stream, _ = _streams(how.seed)
    clusters = len(sums)
    flat = sums.reshape(clusters, -1)
    total = _picked_sums if flat.shape[1] <= _FEW_COLUMNS else _counted_sums
    rows = max(1, block // max(flat.shape))
    values = np.empty((how.resamples, *sums.shape[2:]))
    for first in range(0, how.resamples, rows):
        count = min(rows, how.resamples - first)
        drawn = (stream.random((count, clusters)) * clusters).astype(np.int64)
        totals = total(flat, drawn).reshape(count, *sums.shape[1:])
        values[first : first + count] = ratio(totals)
    return values


def _picked_sums(flat: Floats, drawn: Ints) -> Floats:
    """Return the sums of each column over each row of `drawn`, shape (rows, columns)."""
    return np.stack([column.take(drawn).sum(axis=1) for column in flat.T.copy()], axis=1)


def _counted_sums(flat: Floats, drawn: Ints) -> Floats:
    """Return the same by counting the draws first, which is quicker for many columns."""
    rows, clusters = drawn.shape
    drawn = drawn + (np.arange(rows) * clusters)[:, None]
    times = np.bincount(drawn.ravel(), minlength=rows * clusters).reshape(rows, clusters)
    return times.astype(np.float64) @ flat


def _two_stage(columns: Columns, how: Resampling, block: int) -> Floats:
    """Return the ratio in each resample of clusters and of the episodes in each."""
    outer, inner = _streams(how.seed)
    starts, sizes = columns.starts, columns.sizes
    clusters, shape = len(sizes), columns.data.shape[1:]
    flat = columns.data.reshape(len(columns.data), -1)
    rows = max(1, block // flat.size)
    values = np.empty((how.resamples, *shape[1:]))
    for first in range(0, how.resamples, rows):
        count = min(rows, how.resamples - first)
        drawn = (outer.random(count * clusters) * clusters).astype(np.int64)
        size = sizes[drawn]
        each = np.repeat(size, size)
        picked = np.repeat(starts[drawn], size)
        picked += (inner.random(len(each)) * each).astype(np.int64)
        sums = np.add.reduceat(flat[picked], np.cumsum(size) - size, axis=0)
        sums = sums.reshape(count, clusters, *shape)
        if how.weight == "cluster":
            values[first : first + count] = _mean_in_order(ratio(sums))
        else:
            values[first : first + count] = ratio(sums.sum(axis=1))
    return values


def _mean_in_order(ratios: Floats) -> Floats:
    """Return the mean over axis 1 of what has a value, added strictly in order."""
    has = ~np.isnan(ratios)
    total = np.where(has, ratios, 0.0).cumsum(axis=1)[:, -1]
    count = has.sum(axis=1)
    mean: Floats = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    return mean
