"""What semantic and segmentation F1 share: threshold first, then one-to-one matching.

F1 = 2m / (n_pred + n_ref). Zero-length segments match nothing but count in n, so a prediction
can't raise its precision by collapsing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from segjudge.annotations import Annotations, Bool, Int64
from segjudge.metrics.base import Asked, Comparison, Components, Ratio, Reads
from segjudge.metrics.bins import BySegment
from segjudge.metrics.matching import match
from segjudge.metrics.options import Options
from segjudge.metrics.snapping import snap_outer
from segjudge.overlaps import Pairs, Threshold, join, near, passes


@dataclass(frozen=True, slots=True)
class OneToOne:
    """F1 over a one-to-one matching of segments that pass an IoU threshold.

    Attributes
    ----------
    name : str
    reads : {"permissible", "same", ""}
    threshold : Threshold
    snap : {"none", "outer"}
        ``outer`` moves the prediction's first start and last end onto the reference's.
    order : {"joint", "temporal_first"}
        ``joint`` matches among accepted pairs only; ``temporal_first`` matches without the
        answers, then keeps what is accepted.
    """

    name: str
    reads: Reads
    threshold: Threshold
    snap: str = "none"
    order: str = "joint"

    monotone: ClassVar[bool] = True
    segments_monotone: ClassVar[bool] = False
    ratios: ClassVar[Mapping[str, Ratio]] = {
        "value": (("matches", "matches"), ("predictions", "references")),
        "precision": (("matches",), ("predictions",)),
        "recall": (("matches",), ("references",)),
    }

    @property
    def key(self) -> str:
        """Name and options, those at their default left out."""
        options = "" if self.snap == "none" else f",snap={self.snap}"
        options += "" if self.order == "joint" else f",order={self.order}"
        return f"{self.name}@{self.threshold}{options}"

    def asked(self, comparison: Comparison) -> Asked:
        """Return the pairs that pass the threshold; with ``temporal_first`` the matched ones."""
        pairs, union = self._overlapping(comparison)
        noted = {
            "near_threshold": comparison.by_episode(
                pairs, near(pairs.inter, union, self.threshold)
            ),
            "predictions": _segments(comparison.prediction),
            "references": _segments(comparison.reference),
        }
        keep = passes(pairs.inter, union, self.threshold)
        pairs, union = pairs.take(keep), union[keep]
        if self.order == "temporal_first":
            keep = match(pairs.left, pairs.right, pairs.inter, union)
            pairs, union = pairs.take(keep), union[keep]
        return Asked(pairs, union, noted)

    def _overlapping(self, comparison: Comparison) -> tuple[Pairs, Int64]:
        """Return the overlapping pairs and their unions, after snapping."""
        reference, prediction = comparison.reference, comparison.prediction
        pairs = comparison.pairs
        if self.snap == "outer":
            prediction = snap_outer(reference, prediction)
            pairs = join(reference, prediction)
        lengths = reference.length[pairs.left] + prediction.length[pairs.right]
        return pairs, lengths - pairs.inter

    def count(self, comparison: Comparison, asked: Asked, accepted: Bool) -> Components:
        """Count matches, predictions and references by episode."""
        matched = asked.pairs.take(matches(asked, accepted))
        found = comparison.by_episode(matched, np.ones(len(matched), np.int64))
        return {"matches": found, **asked.noted}

    def by_segment(self, comparison: Comparison, asked: Asked, accepted: Bool) -> BySegment:
        """Whether each segment is matched, over 1."""
        matched = asked.pairs.take(matches(asked, accepted))
        recall = np.ones((2, len(comparison.reference)), np.int64)
        precision = np.ones((2, len(comparison.prediction)), np.int64)
        recall[0] = np.isin(np.arange(recall.shape[1]), matched.left)
        precision[0] = np.isin(np.arange(precision.shape[1]), matched.right)
        return BySegment(recall, precision)


def matches(asked: Asked, accepted: Bool) -> Bool:
    """Return which of the pairs asked are matched one to one, shape (n_pairs,)."""
    chosen = accepted.copy()
    pairs, union = asked.pairs.take(accepted), asked.union
    if union is None:
        raise ValueError("the pairs asked carry no union")
    chosen[accepted] = match(pairs.left, pairs.right, pairs.inter, union[accepted])
    return chosen


def _segments(side: Annotations) -> Int64:
    """Return the number of segments of each episode, zero-length ones included."""
    return np.bincount(side.episode, minlength=len(side.episodes)).astype(np.int64)


def one_to_one(name: str, reads: Reads, options: Options) -> OneToOne:
    """Make a metric of this family from the options behind its name."""
    threshold = options.threshold()
    snap = options.choice("snap", ("none", "outer"))
    order = options.choice("order", ("joint", "temporal_first")) if reads else "joint"
    options.finish()
    return OneToOne(name, reads, threshold, snap, order)
