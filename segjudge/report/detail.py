"""What stands behind a report: every segment, every pair of segments, every verdict, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from segjudge.annotations import Float, Int64
from segjudge.judgments import Verdict
from segjudge.metrics.base import Comparison
from segjudge.overlaps import Index


class Credit(NamedTuple):
    """Credited time of each segment in microseconds: unknown answers read as no, and as yes."""

    low: Int64
    high: Int64


class Matched(NamedTuple):
    """Rows of the segments that a one-to-one metric matched; unknown answers read as no."""

    reference: Index
    prediction: Index


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """What is known of each label pair, one entry a pair.

    Attributes
    ----------
    a, b, context : ndarray of int64
        Indices of the labels as they stand, and of the context; sorted by (context, a, b).
    contexts : sequence of str
        What `context` stands for.
    verdict : sequence of Verdict or None
        Said of (a, b); None where unknown.
    by : sequence of str
        Who decided: ``identity``, ``human``, ``recorded``, ``model``, ...
    judge, prompt, rationale : sequence of str
        Of the judgment behind it; empty where there is none.
    """

    a: Int64
    b: Int64
    context: Int64
    contexts: Sequence[str]
    verdict: Sequence[Verdict | None]
    by: Sequence[str]
    judge: Sequence[str]
    prompt: Sequence[str]
    rationale: Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """What each judgment is worth, those that matter most first.

    Spellings of one label pair that one judgment decides are one row.

    Attributes
    ----------
    row : ndarray of int64, shape (n,)
        A row of `Verdicts`.
    low, high : dict of str to ndarray of float64, shape (n,)
        Metric -> change of its value if the verdict flipped, or of its two bounds where answers
        are unknown; NaN where it doesn't ask for the pair or has no value.
    occurrences : ndarray of int64, shape (n,)
        Pairs of segments with these labels that overlap.
    overlap_us : ndarray of int64, shape (n,)
        How long these overlap, together.
    """

    row: Int64
    low: Mapping[str, Float]
    high: Mapping[str, Float]
    occurrences: Int64
    overlap_us: Int64

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, slots=True, eq=False)
class Detail:
    """Everything the page and the tables show besides the report.

    Attributes
    ----------
    comparison : Comparison
    verdicts : Verdicts
    row : ndarray of int64, shape (n_pairs,)
        The row of `verdicts` of each pair of overlapping segments; -1 where no metric needs it.
    reads : {"permissible", "same", ""}
        Which answer earns credit; empty where no metric gives any.
    credited_by : str
        The metric that gives credit, psj or psj_same; empty for none.
    reference, prediction : Credit
        Credit of each segment of the two sides.
    matched : dict of str to Matched
        One-to-one metric -> what it matched.
    weighed : Weighed
    """

    comparison: Comparison
    verdicts: Verdicts
    row: Int64
    reads: str
    credited_by: str
    reference: Credit
    prediction: Credit
    matched: Mapping[str, Matched]
    weighed: Weighed

    def verdict_of(self, pair: int) -> Verdict | None:
        """Return what is said of a pair of segments: of (reference, prediction)."""
        row = int(self.row[pair])
        verdict = self.verdicts.verdict[row] if row >= 0 else None
        label = self.comparison.reference.label[self.comparison.pairs.left[pair]]
        turned = verdict is not None and label != self.verdicts.a[row]
        return verdict.flipped if verdict is not None and turned else verdict


def largest(weighed: Weighed) -> Float:
    """Return the largest change of any metric for each row, in absolute size."""
    size = np.zeros(len(weighed))
    for changes in (*weighed.low.values(), *weighed.high.values()):
        np.maximum(size, np.nan_to_num(np.abs(changes)), out=size)
    return size
