"""The timing study's own resamples, so that its kind of interval comes out to the digit.

Source: `reference/timing_study.md`, sections 5.1 and 5.2. Python's Mersenne Twister draws, for
each resample, all clusters first, then for each drawn cluster as many of its episodes as it has.
Sums are `math.fsum`: the study ran on a Python whose `sum` compensates (3.12 and later), plain
`sum` of earlier ones rounds ties apart, and its bias correction counts exact ties.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from math import fsum, isnan, nan

import numpy as np

from segjudge.statistics.sums import Columns, Floats

Series = tuple[list[float], list[float]]


def resample(columns: Columns, resamples: int, seed: int, weight: str) -> tuple[Floats, Floats]:
    """Return the ratio and its resamples in the study's stream and sums.

    Parameters
    ----------
    columns : Columns
        Numerators and denominators, sorted by cluster.
    resamples, seed : int
        How many, and the seed; there are always two stages.
    weight : {"episode", "cluster"}
        As in `Resampling`.

    Returns
    -------
    value : ndarray of float64, shape (systems, metrics)
    values : ndarray of float64, shape (resamples, systems, metrics)
    """
    shape = columns.data.shape[2:]
    series: list[Series] = [
        (columns.data[:, 0, s, m].tolist(), columns.data[:, 1, s, m].tolist())
        for s, m in np.ndindex(shape)
    ]
    stops = columns.starts + columns.sizes
    members = [range(a, b) for a, b in zip(columns.starts.tolist(), stops.tolist(), strict=True)]
    value = [_statistic(members, each, weight) for each in series]
    values = [
        [_statistic(picked, each, weight) for each in series]
        for picked in _picks(members, resamples, seed)
    ]
    return np.array(value).reshape(shape), np.array(values).reshape(resamples, *shape)


def _picks(members: Sequence[range], resamples: int, seed: int) -> Iterator[list[list[int]]]:
    """Yield the episodes of each resample, a list a drawn cluster."""
    draw = random.Random(seed).randrange
    for _ in range(resamples):
        drawn = [members[draw(len(members))] for _ in members]
        yield [[rows[draw(len(rows))] for _ in rows] for rows in drawn]


def _statistic(picked: Sequence[Sequence[int]], series: Series, weight: str) -> float:
    """Return the ratio of what was picked, NaN where its denominator is 0."""
    top, bottom = series
    if weight == "episode":
        every = [row for rows in picked for row in rows]
        return _ratio(every, top, bottom)
    ratios = [_ratio(rows, top, bottom) for rows in picked]
    known = [each for each in ratios if not isnan(each)]
    return fsum(known) / len(known) if known else nan


def _ratio(rows: Sequence[int], top: list[float], bottom: list[float]) -> float:
    total = fsum([bottom[row] for row in rows])
    return fsum([top[row] for row in rows]) / total if total > 0 else nan
