"""Nested variance components: how alike are the episodes of a cluster, and what does it cost.

Unbalanced nested analysis of variance by moments, as in `reference/timing_study.md`, section 5.3
(families of components of episodes); with clusters alone it is the one-way analysis.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import ArrayLike

from segjudge.statistics.sums import Floats, Ints


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Where the variance of episodes comes from. None: can't be told, see `reason`.

    Attributes
    ----------
    episode, cluster, family : float or None
        Variance within clusters, between the clusters of a family, between families. `family` is
        None when no families were given.
    icc_cluster, icc_family : float or None
        Intra-cluster correlation: the share of the variance that two episodes of the same
        cluster, or of the same family, have in common.
    kish : float
        Size of the outermost group that an episode finds itself in, on average: sum n_i**2 / N.
    design_effect : float or None
        1 + (kish - 1) ICC of the outermost groups: how many times larger the variance of the mean
        is than with as many independent episodes.
    effective_episodes : float or None
        Episodes divided by the design effect.
    episodes, clusters, families : int
        Counts; `families` is 0 when none were given.
    reason : str
        Why something can't be told; empty where everything can.
    """

    episode: float | None
    cluster: float | None
    family: float | None
    icc_cluster: float | None
    icc_family: float | None
    kish: float
    design_effect: float | None
    effective_episodes: float | None
    episodes: int
    clusters: int
    families: int
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Groups of episodes: index by episode, size and mean by group."""

    index: Ints
    sizes: Ints
    means: Floats


def variance_components(
    values: ArrayLike, clusters: ArrayLike, families: ArrayLike | None = None
) -> VarianceComponents:
    """Split the variance of `values` into episode, cluster and family.

    Parameters
    ----------
    values : array_like, shape (episodes,)
        A value an episode, finite.
    clusters : array_like of int, shape (episodes,)
        The cluster of each episode.
    families : array_like of int, shape (episodes,), optional
        The family of each episode, the same throughout a cluster.

    Returns
    -------
    VarianceComponents
        Negative estimates are cut to 0.

    Raises
    ------
    ValueError
        When there are no episodes, shapes differ, a value isn't finite or a cluster lies in two
        families.
    """
    data = np.asarray(values, dtype=np.float64)
    if data.ndim != 1 or not data.size or not np.isfinite(data).all():
        raise ValueError("values must be a flat sequence of finite numbers, at least one")
    cluster = _groups(data, clusters)
    family = None if families is None else _groups(data, families)
    outer = cluster if family is None else family
    kish = float((outer.sizes.astype(np.float64) ** 2).sum()) / len(data)
    counts = (len(data), len(cluster.sizes), 0 if family is None else len(family.sizes))
    reason = _reason(*counts, family is not None)
    if reason:
        return VarianceComponents(None, None, None, None, None, kish, None, None, *counts, reason)
    parts = _nested(data, cluster, family)
    total = sum(parts)
    named = (parts[0], parts[1], None if family is None else parts[2])
    if total <= 0:
        return VarianceComponents(
            *named, None, None, kish, None, None, *counts, "the values don't vary"
        )
    shared = (parts[1] + parts[2]) / total
    of_family = None if family is None else parts[2] / total
    effect = 1 + (kish - 1) * (shared if of_family is None else of_family)
    return VarianceComponents(*named, shared, of_family, kish, effect, len(data) / effect, *counts)


def _groups(data: Floats, index: ArrayLike) -> _Groups:
    """Return the groups of `index`, numbered without gaps."""
    given = np.asarray(index)
    if given.shape != data.shape or given.dtype.kind not in "iu":
        raise ValueError(f"need an integer for each of {len(data)} episodes, not {given.shape}")
    _, inverse, sizes = np.unique(given, return_inverse=True, return_counts=True)
    means = np.bincount(inverse, weights=data) / sizes
    return _Groups(inverse.astype(np.int64), sizes.astype(np.int64), means)


def _reason(episodes: int, clusters: int, families: int, nested: bool) -> str:
    """Return why the components can't be told apart, or an empty string."""
    if nested and families < 2:
        return "fewer than 2 families"
    if nested and clusters == families:
        return "every family has a single cluster"
    if clusters < 2:
        return "fewer than 2 clusters"
    if episodes == clusters:
        return "every cluster has a single episode"
    return ""


def _nested(data: Floats, cluster: _Groups, family: _Groups | None) -> tuple[float, float, float]:
    """Return the variance within clusters, between clusters of a family, between families."""
    within = _mean_square(data - cluster.means[cluster.index], len(data) - len(cluster.sizes))
    if family is None:
        return within, _between(data, cluster, within), 0.0
    owner = np.empty(len(cluster.sizes), dtype=np.int64)
    owner[cluster.index] = family.index
    if not np.array_equal(owner[cluster.index], family.index):
        raise ValueError("a cluster lies in two families")
    episodes, clusters, families = len(data), len(cluster.sizes), len(family.sizes)
    squares = cluster.sizes.astype(np.float64) ** 2
    inner = float((squares / family.sizes[owner]).sum())
    middle = cluster.means[cluster.index] - family.means[family.index]
    size = (episodes - inner) / (clusters - families)
    between = max(0.0, (_mean_square(middle, clusters - families) - within) / size)
    overlap = (inner - float(squares.sum()) / episodes) / (families - 1)
    return within, between, _between(data, family, within + overlap * between)


def _between(data: Floats, groups: _Groups, expected: float) -> float:
    """Return the variance between groups beyond the mean square `expected` without any."""
    episodes, degrees = len(data), len(groups.sizes) - 1
    size = (episodes - float((groups.sizes.astype(np.float64) ** 2).sum()) / episodes) / degrees
    observed = _mean_square(groups.means[groups.index] - data.mean(), degrees)
    return max(0.0, (observed - expected) / size)


def _mean_square(away: Floats, degrees: int) -> float:
    return fsum((away**2).tolist()) / degrees
