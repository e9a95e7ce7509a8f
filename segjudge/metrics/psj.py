"""Permissible subsegment Jaccard: the share of annotated time under an accepted counterpart.

PSJ = (sum m(p, T) + sum m(t, P)) / (sum |I(p)| + sum |I(t)|), where m(s, S) is the length of s
covered by the union of the segments of S that are permissible with s (EgoHome release, equations
2 and 3). Many to many, so splitting a segment changes nothing. In spite of its name it is a Dice
coefficient wherever no side overlaps itself. A side that overlaps itself counts with
multiplicity on both lines, as the equations say, so stacked copies of one right label raise it;
the stacked time of each side is among the components.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from segjudge.annotations import Bool, Int64
from segjudge.metrics.base import Asked, Comparison, Components, Ratio, Reads
from segjudge.metrics.bins import BySegment
from segjudge.metrics.options import Options
from segjudge.overlaps import self_overlap, union_length


@dataclass(frozen=True, slots=True)
class Psj:
    """PSJ on one of the two answers."""

    name: str
    reads: Reads

    monotone: ClassVar[bool] = True
    segments_monotone: ClassVar[bool] = True
    ratios: ClassVar[Mapping[str, Ratio]] = {
        "value": (
            ("prediction_credit_us", "reference_credit_us"),
            ("prediction_length_us", "reference_length_us"),
        ),
        "precision": (("prediction_credit_us",), ("prediction_length_us",)),
        "recall": (("reference_credit_us",), ("reference_length_us",)),
    }

    @property
    def key(self) -> str:
        """Its name: it has no options."""
        return self.name

    def asked(self, comparison: Comparison) -> Asked:
        """Every overlapping pair, since any may earn time."""
        return Asked(comparison.pairs)

    def count(self, comparison: Comparison, asked: Asked, accepted: Bool) -> Components:
        """Credited, whole and stacked time of each side by episode, in microseconds."""
        prediction, reference = comparison.prediction, comparison.reference
        by_reference, by_prediction = credit(comparison, asked, accepted)
        return {
            "prediction_credit_us": prediction.sum_by_episode(by_prediction),
            "reference_credit_us": reference.sum_by_episode(by_reference),
            "prediction_length_us": prediction.sum_by_episode(prediction.length),
            "reference_length_us": reference.sum_by_episode(reference.length),
            "prediction_overlapped_us": self_overlap(prediction),
            "reference_overlapped_us": self_overlap(reference),
        }

    def by_segment(self, comparison: Comparison, asked: Asked, accepted: Bool) -> BySegment:
        """Credited and whole time of each segment, in microseconds."""
        prediction, reference = comparison.prediction, comparison.reference
        by_reference, by_prediction = credit(comparison, asked, accepted)
        return BySegment(
            np.stack((by_reference, reference.length)),
            np.stack((by_prediction, prediction.length)),
        )


def credit(comparison: Comparison, asked: Asked, accepted: Bool) -> tuple[Int64, Int64]:
    """Return m(s, S) of each segment: the time for which it earns credit.

    Parameters
    ----------
    comparison : Comparison
    asked : Asked
        As `Psj.asked` gives it.
    accepted : ndarray of bool, shape (n_pairs,)

    Returns
    -------
    reference, prediction : ndarray of int64
        Microseconds, one a segment of each side.
    """
    kept = asked.pairs.take(accepted)
    reference, prediction = comparison.reference, comparison.prediction
    return (
        union_length(reference, prediction, kept, "left"),
        union_length(prediction, reference, kept, "right"),
    )


def psj(options: Options) -> Psj:
    """Make ``psj``, on `permissible`."""
    options.finish()
    return Psj("psj", "permissible")


def psj_same(options: Options) -> Psj:
    """Make ``psj_same``, on `same`."""
    options.finish()
    return Psj("psj_same", "same")
