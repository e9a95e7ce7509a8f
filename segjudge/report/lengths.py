"""From a metric's sums by length of segment to the figures of the report."""

from __future__ import annotations

from segjudge.annotations import MICROSECONDS, Int64
from segjudge.metrics import Metric
from segjudge.metrics.bins import Binned, Bins
from segjudge.report.model import Figures

#: Which ratio a side's lengths belong to.
RATIO = {"reference": "recall", "prediction": "precision"}


def bin_figures(metric: Metric, side: str, sums: Binned, bins: Bins) -> list[Figures]:
    """Return recall by reference length, or precision by prediction length.

    Parameters
    ----------
    metric : Metric
    side : {"reference", "prediction"}
    sums : Binned
        Of that side.
    bins : Bins

    Returns
    -------
    list of dict
        By bin: ``from_s``, ``to_s`` (None for infinity), ``segments``, ``value``, ``low``,
        ``high`` and what they are ratios of; ``reason`` where there is no value.
    """
    above, _ = metric.ratios[RATIO[side]]
    in_time = all(name.endswith("_us") for name in above)
    names = ("numerator_s", "denominator_s") if in_time else ("numerator", "denominator")
    low, high, below = (column.sum(axis=0) for column in (sums.low, sums.high, sums.below))
    found = []
    for b, (start, end) in enumerate(bins.spans()):
        exact = bool(sums.exact[b])
        known = exact or sums.bounded
        figures: Figures = {
            "from_s": start,
            "to_s": end,
            "segments": int(sums.segments[b]),
            "value": _ratio(low[b], below[b]) if exact else None,
            "low": _ratio(low[b], below[b]) if known else None,
            "high": _ratio(high[b], below[b]) if known else None,
            names[0]: _shown(low[b], in_time) if exact else None,
            names[1]: _shown(below[b], in_time),
        }
        if figures["value"] is None:
            figures["reason"] = _reason(int(below[b]), sums.bounded)
        found.append(figures)
    return found


def _reason(below: int, bounded: bool) -> str:
    if not below:
        return "the denominator is 0"
    return "undecided pairs" if bounded else "undecided pairs, and shares by length have no bounds"


def _ratio(above: Int64, below: Int64) -> float | None:
    return float(above / below) if below else None


def _shown(value: Int64, in_time: bool) -> float | int:
    return float(value / MICROSECONDS) if in_time else int(value)
