"""Length of the truth: what is credited or matched, by the length of a segment.

Recall by the reference's lengths, precision by the prediction's. A metric that can tell what each
segment adds has `by_segment`; the bins do the rest. Bins are half-open, ``[a, b)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from segjudge.annotations import MICROSECONDS, Annotations, Bool, Int64
from segjudge.errors import UsageError
from segjudge.jmatrix import JMatrix
from segjudge.judgments import NO, UNKNOWN, YES
from segjudge.metrics.base import Asked, Comparison, Metric, answers

#: Stands for infinity; no segment is so long.
ENDLESS = int(np.iinfo(np.int64).max)


class BySegment(NamedTuple):
    """What each segment adds above and below the line of recall and of precision.

    ``recall`` is shape (2, n_reference), ``precision`` shape (2, n_prediction).
    """

    recall: Int64
    precision: Int64


@runtime_checkable
class Segmental(Protocol):
    """A metric whose recall and precision are sums over segments.

    Attributes
    ----------
    segments_monotone : bool
        Whether one more yes can never lower what any single segment adds; only then do shares by
        length have bounds. A matching isn't: it may give one segment's partner to another.
    """

    segments_monotone: bool

    def by_segment(self, comparison: Comparison, asked: Asked, accepted: Bool) -> BySegment:
        """Return what each segment adds, given which of the pairs asked are accepted."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Lengths between consecutive edges, the lower one included.

    Attributes
    ----------
    edges : tuple of int
        Microseconds, ascending; `ENDLESS` for infinity.
    """

    edges: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.edges) - 1

    @classmethod
    def parse(cls, edges: str | Sequence[float]) -> Bins:
        """Read edges in seconds, such as ``0,0.5,1,2,inf``.

        Raises
        ------
        UsageError
            They aren't at least two ascending numbers from 0 on.
        """
        texts = edges.split(",") if isinstance(edges, str) else map(str, edges)
        try:
            found = tuple(_microseconds(Decimal(text.strip())) for text in texts)
        except (ArithmeticError, ValueError):
            found = ()
        if len(found) < 2 or found[0] < 0 or any(b <= a for a, b in pairwise(found)):
            raise UsageError(
                f"bins {edges!r}: expected edges in seconds, at least two, ascending from 0 on "
                "and a microsecond apart, such as 0,0.5,1,2,5,10,inf"
            )
        return cls(found)

    @property
    def said(self) -> list[float | None]:
        """The edges in seconds, None for infinity, as a report repeats them."""
        return [None if edge == ENDLESS else edge / MICROSECONDS for edge in self.edges]

    def spans(self) -> list[tuple[float, float | None]]:
        """Return the ends of each bin in seconds; None for infinity."""
        return [(start or 0.0, end) for start, end in pairwise(self.said)]

    def index(self, length: Int64) -> Int64:
        """Return the bin of each length, -1 where it is in none."""
        place = np.searchsorted(np.array(self.edges, np.int64), length, "right") - 1
        return np.where(place < len(self), place, -1).astype(np.int64)


def _microseconds(seconds: Decimal) -> int:
    """Return whole microseconds; what is no time fails as ValueError or ArithmeticError."""
    microseconds = seconds * MICROSECONDS
    return ENDLESS if microseconds >= ENDLESS else int(microseconds.to_integral_value())


@dataclass(frozen=True, slots=True, eq=False)
class Binned:
    """One side's sums by episode and bin.

    Attributes
    ----------
    segments : ndarray of int64, shape (n_bins,)
    below : ndarray of int64, shape (n_episodes, n_bins)
        The lower line: segments, or their length in microseconds.
    low, high : ndarray of int64, shape (n_episodes, n_bins)
        The upper line with every unknown answer read as no, and as yes.
    exact : ndarray of bool, shape (n_bins,)
        Whether a bin has a value in spite of what is unknown.
    bounded : bool
        Whether `low` and `high` bound the others.
    """

    segments: Int64
    below: Int64
    low: Int64
    high: Int64
    exact: Bool
    bounded: bool


def binned(
    metric: Metric, comparison: Comparison, judgments: JMatrix, bins: Bins
) -> dict[str, Binned] | None:
    """Return a metric's sums by length of the segments of each side.

    Parameters
    ----------
    metric : Metric
    comparison : Comparison
    judgments : JMatrix
        Over the comparison's labels and contexts.
    bins : Bins
        Lengths are those of the segments as given, whatever the metric moves.

    Returns
    -------
    dict of str to Binned, or None
        ``reference`` for recall and ``prediction`` for precision; None for a metric that doesn't
        say what a segment adds.
    """
    if not isinstance(metric, Segmental):
        return None
    asked = metric.asked(comparison)
    given = answers(metric, comparison, asked.pairs, judgments)
    low = metric.by_segment(comparison, asked, given == YES)
    high = metric.by_segment(comparison, asked, given != NO)
    unknown = comparison.by_episode(asked.pairs, given == UNKNOWN) > 0
    of_side = (
        ("reference", comparison.reference, low.recall, high.recall),
        ("prediction", comparison.prediction, low.precision, high.precision),
    )
    return {
        name: _side(segments, one, other, bins, unknown, metric.segments_monotone)
        for name, segments, one, other in of_side
    }


def _side(
    side: Annotations, low: Int64, high: Int64, bins: Bins, unknown: Bool, monotone: bool
) -> Binned:
    """Sum one side's segments by episode and bin."""
    place = bins.index(side.length)
    inside = place >= 0
    shape = len(side.episodes), len(bins)
    episode, column = side.episode[inside], place[inside]

    def total(values: Int64) -> Int64:
        sums = np.zeros(shape, np.int64)
        np.add.at(sums, (episode, column), values[inside])
        return sums

    below, least, most = total(low[1]), total(low[0]), total(high[0])
    counted = total(np.ones(len(side), np.int64))
    if monotone:
        exact = least.sum(axis=0) == most.sum(axis=0)
    else:
        exact = ~(counted[unknown] > 0).any(axis=0)
    return Binned(counted.sum(axis=0), below, least, most, exact, monotone)
