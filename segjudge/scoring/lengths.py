"""Recall and precision by length of segment, for the report."""

from __future__ import annotations

from collections.abc import Sequence

from segjudge.findings import Finding, finding
from segjudge.jmatrix import JMatrix
from segjudge.metrics import Comparison, Metric
from segjudge.metrics.bins import Bins, binned
from segjudge.report import Figures
from segjudge.report.lengths import bin_figures
from segjudge.scoring.uncertainty import Sureness

#: Metric -> side -> bins.
ByLength = dict[str, dict[str, list[Figures]]]


def by_length(
    metrics: Sequence[Metric],
    comparison: Comparison,
    matrix: JMatrix,
    bins: Bins | None,
    sure: Sureness | None = None,
) -> tuple[ByLength, list[Finding]]:
    """Return the figures by length of each metric that has any, and what is worth saying of them.

    Parameters
    ----------
    metrics : sequence of Metric
    comparison : Comparison
    matrix : JMatrix
    bins : Bins or None
        None: there are none.
    sure : Sureness, optional
        Adds intervals.
    """
    if bins is None:
        return {}, []
    found: ByLength = {}
    for metric in metrics:
        sides = binned(metric, comparison, matrix, bins)
        for name, sums in (sides or {}).items():
            figures = bin_figures(metric, name, sums, bins)
            for own, extra in zip(figures, sure.of_bins(sums) if sure else (), strict=False):
                own.update(extra)
            found.setdefault(metric.key, {})[name] = figures
    return found, _outside(comparison, bins)


def _outside(comparison: Comparison, bins: Bins) -> list[Finding]:
    """Return how many segments of each side are in no bin."""
    found = []
    for name in ("reference", "prediction"):
        length = getattr(comparison, name).length
        count = int((bins.index(length) < 0).sum())
        if count:
            text = f"{count} of {len(length)} segments are in no bin of length"
            found.append(finding("outside_bins", text, side=name, count=count))
    return found
