"""Influence: how much a metric would change if the verdict on one label pair were the other one.

Exact, and for all label pairs at once. A label pair may occur in many places; all of them flip
together. With unknown answers there are two readings, as for bounds: flipping a known pair moves
`low` and `high`; settling an unknown one as yes moves `low` up, settling it as no moves `high`
down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segjudge.annotations import Annotations, Bool, Float, Int64
from segjudge.jmatrix import JMatrix
from segjudge.judgments import NO, UNKNOWN, YES
from segjudge.metrics.base import (
    Asked,
    Comparison,
    Metric,
    Questions,
    answers,
    question_rows,
    questions,
)
from segjudge.metrics.flips import matching_flips
from segjudge.metrics.one_to_one import OneToOne
from segjudge.metrics.psj import Psj


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """What each label pair that a metric needs is worth to it.

    Attributes
    ----------
    metric : Metric
    questions : Questions
        The label pairs, as `metrics.questions` gives them; n of them.
    answer : ndarray of int8, shape (n,)
        1, 0 or -1 as it is now.
    low, high : ndarray of int64, shape (n,)
        Change of the sum above the line if the pair flipped, with every other unknown answer
        read as no, and as yes. The same object where nothing is unknown.
    denominator : int
        The sum below the line; no answer changes it.
    occurrences : ndarray of int64, shape (n,)
        Pairs of segments that have these labels and that the metric asks about.
    overlap_us : ndarray of int64, shape (n,)
        How long these overlap, together.
    """

    metric: Metric
    questions: Questions
    answer: npt.NDArray[np.int8]
    low: Int64
    high: Int64
    denominator: int
    occurrences: Int64
    overlap_us: Int64

    @property
    def on_low(self) -> Float:
        """Change of the value, or of its lower bound, shape (n,); NaN without a value."""
        return self._on_value(self.low)

    @property
    def on_high(self) -> Float:
        """Change of the value, or of its upper bound, shape (n,)."""
        return self._on_value(self.high)

    def _on_value(self, change: Int64) -> Float:
        if not self.denominator:
            return np.full(len(change), np.nan)
        return np.asarray(change / self.denominator, np.float64)


def has_influence(metric: Metric) -> bool:
    """Whether `influence` knows the metric: psj and the one-to-one metrics that read answers."""
    return bool(metric.reads) and isinstance(metric, Psj | OneToOne)


def influence(
    metric: Metric,
    comparison: Comparison,
    judgments: JMatrix,
    together: npt.NDArray[np.integer] | None = None,
) -> Influence:
    """Return what flipping each label pair would change, for all pairs at once.

    Parameters
    ----------
    metric : Metric
        One that `has_influence`.
    comparison : Comparison
    judgments : JMatrix
    together : ndarray of int, shape (n,), optional
        Label pairs with the same number flip together, such as two spellings of one label that
        one judgment decides. They must have the same answer. Each by itself if not given.

    Returns
    -------
    Influence

    Raises
    ------
    ValueError
        The metric is not one that this module knows.
    """
    if not has_influence(metric):
        raise ValueError(f"the influence on {metric.key} is not known")
    asked = metric.asked(comparison)
    needed = questions(comparison, asked.pairs)
    row = question_rows(comparison, asked.pairs, needed)
    group = np.arange(len(needed.a)) if together is None else np.asarray(together, np.int64)
    size = int(group.max(initial=-1)) + 1
    given = answers(metric, comparison, asked.pairs, judgments)
    low = _flips(metric, comparison, asked, given == YES, group[row], size)
    high = low
    if np.any(given == UNKNOWN):
        high = _flips(metric, comparison, asked, given != NO, group[row], size)
    answer = np.full(len(needed.a), UNKNOWN, np.int8)
    answer[row] = given
    occurrences, overlap = np.zeros((2, len(needed.a)), np.int64)
    np.add.at(occurrences, row, 1)
    np.add.at(overlap, row, asked.pairs.inter)
    return Influence(
        metric,
        needed,
        answer,
        low[group],
        low[group] if high is low else high[group],
        _denominator(metric, comparison, asked),
        occurrences,
        overlap,
    )


def _denominator(metric: Metric, comparison: Comparison, asked: Asked) -> int:
    none = np.zeros(len(asked.pairs), np.bool_)
    counted = metric.count(comparison, asked, none)
    return sum(int(counted[name].sum()) for name in metric.ratios["value"][1])


def _flips(
    metric: Metric, comparison: Comparison, asked: Asked, accepted: Bool, group: Int64, size: int
) -> Int64:
    """Return the change above the line for each group of label pairs, shape (size,)."""
    if isinstance(metric, OneToOne):
        return 2 * matching_flips(asked, accepted, group, size)
    reference, prediction, pairs = comparison.reference, comparison.prediction, asked.pairs
    start = np.maximum(reference.start[pairs.left], prediction.start[pairs.right])
    end = start + pairs.inter
    return covered_flips(reference, pairs.left, start, end, group, accepted, size) + covered_flips(
        prediction, pairs.right, start, end, group, accepted, size
    )


def covered_flips(
    segments: Annotations,
    row: npt.NDArray[np.intp],
    start: Int64,
    end: Int64,
    group: Int64,
    accepted: Bool,
    size: int,
) -> Int64:
    """Return how the covered time would change if the pieces of one group were flipped.

    ::

        accepted   a |-----------|
        accepted   b      |-----------|
        rejected   c                |------|
                     aaaaaa                    lost without a
                                 bbbbbb        lost without b
                                       cccc    won with c

    Where one group alone covers, the running sum of group numbers names it.

    Parameters
    ----------
    segments : Annotations
        What is covered; each piece lies in one of them.
    row : ndarray of intp, shape (n,)
        The segment that each piece covers.
    start, end : ndarray of int64, shape (n,)
        The pieces in microseconds.
    group : ndarray of int64, shape (n,)
        Which pieces flip together; all of a group are accepted, or none.
    accepted : ndarray of bool, shape (n,)
    size : int
        Number of groups.

    Returns
    -------
    ndarray of int64, shape (size,)
        Microseconds; above 0 for a group that is not accepted, below for one that is.
    """
    change = np.zeros(size, np.int64)
    if not len(row):
        return change
    length = segments.length
    shift = (np.cumsum(length) - length - segments.start)[row]
    bounds, place = np.unique(np.concatenate((start + shift, end + shift)), return_inverse=True)
    first, last = place[: len(row)], place[len(row) :]
    first, last, group, accepted = _disjoint(first, last, group, accepted, len(bounds))
    gaps = np.diff(bounds, append=bounds[-1])
    on, off, who = first[accepted], last[accepted], group[accepted]
    depth = np.bincount(on, minlength=len(bounds)) - np.bincount(off, minlength=len(bounds))
    names = np.zeros(len(bounds), np.int64)
    np.add.at(names, on, who)
    np.subtract.at(names, off, who)
    depth, names = np.cumsum(depth), np.cumsum(names)
    alone = depth == 1
    np.subtract.at(change, names[alone], gaps[alone])
    free = np.concatenate(([0], np.cumsum(np.where(depth == 0, gaps, 0))))
    open_ = ~accepted
    np.add.at(change, group[open_], free[last[open_]] - free[first[open_]])
    return change


def _disjoint(
    first: Int64, last: Int64, group: Int64, accepted: Bool, width: int
) -> tuple[Int64, Int64, Int64, Bool]:
    """Cut pieces so that those of one group no longer overlap; drop what is left empty."""
    key = group * width + first
    order = np.argsort(key, kind="stable")
    group, accepted = group[order], accepted[order]
    low, high = key[order], group * width + last[order]
    reached = np.maximum.accumulate(high)
    low[1:] = np.maximum(low[1:], reached[:-1])
    kept = low < high
    base = group[kept] * width
    return low[kept] - base, high[kept] - base, group[kept], accepted[kept]
