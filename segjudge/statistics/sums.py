"""Numerators and denominators by episode, and their exact sums by cluster.

Before anything is drawn, each column is rounded to a binary grid, as fine as leaves the largest sum
that any resample can reach within 53 bits: to about 2**-52 of that sum, which doesn't change whole
microseconds and counts at all. Sums of what lies on the grid are exact, in whatever order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LARGEST = 1e100  # beyond it a ratio or a sum could overflow


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Checked columns, episodes sorted by cluster and otherwise in the order given.

    Attributes
    ----------
    data : ndarray of float64, shape (episodes, 2, systems, metrics)
        Numerators, then denominators.
    starts, sizes : ndarray of int64, shape (clusters,)
        First episode and number of episodes of each cluster.
    """

    data: Floats
    starts: Ints
    sizes: Ints


def columns_of(numerator: ArrayLike, denominator: ArrayLike, clusters: ArrayLike) -> Columns:
    """Return the columns sorted by cluster; `bootstrap.resample` says what is refused."""
    top = np.asarray(numerator, dtype=np.float64)
    bottom = np.asarray(denominator, dtype=np.float64)
    index = np.asarray(clusters)
    if top.shape != bottom.shape or not 1 <= top.ndim <= 3:
        raise ValueError(
            "numerator and denominator must have the same 1, 2 or 3 axes, "
            f"not {top.shape} and {bottom.shape}"
        )
    if 0 in top.shape[1:]:
        raise ValueError(f"need at least one system and one metric, not {top.shape}")
    if index.shape != top.shape[:1]:
        raise ValueError(f"{len(top)} episodes need as many clusters, not {index.shape}")
    if index.size and index.dtype.kind not in "iu":
        raise ValueError(f"clusters must be integers, not {index.dtype}")
    if not ((np.abs(top) <= _LARGEST).all() and (np.abs(bottom) <= _LARGEST).all()):
        raise ValueError(f"numerators and denominators must be finite, at most {_LARGEST:g}")
    if ((bottom < 1 / _LARGEST) & (bottom != 0)).any():
        raise ValueError(f"denominators must be 0 or at least {1 / _LARGEST:g}, not negative")
    order = np.argsort(index, kind="stable")
    _, sizes = np.unique(index, return_counts=True)
    data = np.stack([_by_metric(top), _by_metric(bottom)], axis=1)[order]
    sizes = sizes.astype(np.int64)
    return Columns(data, np.cumsum(sizes) - sizes, sizes)


def ratio(sums: Floats) -> Floats:
    """Return numerator / denominator, NaN where the denominator is 0.

    Parameters
    ----------
    sums : ndarray of float64, shape (..., 2, systems, metrics)
        Numerators and denominators.

    Returns
    -------
    ndarray of float64, shape (..., systems, metrics)
    """
    top, bottom = sums[..., 0, :, :], sums[..., 1, :, :]
    return np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 0)


def _by_metric(values: Floats) -> Floats:
    """Return `values` with the axes (episodes, systems, metrics)."""
    if values.ndim == 3:
        return values
    metrics = values.shape[1] if values.ndim == 2 else 1
    return values.reshape(len(values), 1, metrics)


def on_grid(values: Floats, starts: Ints, sizes: Ints) -> Floats:
    """Round each column to multiples of a power of two that keep every resample's sum exact.

    Systems share the grid of a metric, so equal numbers stay equal across systems. The largest
    sum any resample can reach, of one stage or two, is clusters x size x largest value.
    """
    if not values.size:
        return values
    largest = np.maximum.reduceat(np.abs(values), starts, axis=0)
    reach = (largest * sizes[:, None, None, None]).max(axis=(0, 2)) * len(sizes)
    exponent = np.where(reach > 0, 52 - np.frexp(reach)[1], 0)[:, None, :]
    rounded: Floats = np.ldexp(np.rint(np.ldexp(values, exponent)), -exponent)
    return rounded


def cluster_sums(columns: Columns) -> Floats:
    """Return the sums by cluster, shape (clusters, 2, systems, metrics)."""
    if not len(columns.data):
        return columns.data
    return np.add.reduceat(columns.data, columns.starts, axis=0)


def own_ratios(ratios: Floats) -> Floats:
    """Return columns whose ratio of sums is the mean of the ratios that have a value."""
    has = ~np.isnan(ratios)
    columns = np.stack([np.where(has, ratios, 0.0), has.astype(np.float64)], axis=1)
    ones = np.ones(len(ratios), dtype=np.int64)
    return on_grid(columns, np.arange(len(ratios)), ones)
