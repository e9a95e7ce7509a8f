"""From a metric's components by episode to the figures of the report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from segjudge.metrics.base import Components, Outcome, Ratio, ratio
from segjudge.report.columns import Column, EpisodeResults, plain
from segjudge.report.model import Figures

Index = npt.NDArray[np.intp]
_US = "_us"


def figures(outcome: Outcome, undecided_pairs: int) -> Figures:
    """Return a metric's figures over the corpus: sums first, the ratio last.

    Parameters
    ----------
    outcome : Outcome
    undecided_pairs : int
        Distinct label pairs that this metric needs and nobody decided.
    """
    return _pooled(outcome, np.arange(len(outcome.unknown)), undecided_pairs)


def grouped(outcome: Outcome, groups: Sequence[str]) -> dict[str, Figures]:
    """Return a metric's figures by group.

    Parameters
    ----------
    outcome : Outcome
    groups : sequence of str, length n_episodes
        The group of each episode.
    """
    rows: dict[str, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    return {group: _pooled(outcome, np.array(rows[group], np.intp), None) for group in sorted(rows)}


def by_episode(ids: tuple[str, ...], outcomes: Sequence[Outcome]) -> EpisodeResults:
    """Return the figures of each episode, as columns."""
    return EpisodeResults(
        ids,
        {outcome.metric.key: _columns(outcome, outcome.low, outcome.high) for outcome in outcomes},
    )


def _pooled(outcome: Outcome, rows: Index, undecided_pairs: int | None) -> Figures:
    """Return the figures of some episodes taken together."""
    low, high = (
        {name: column[rows].sum(keepdims=True) for name, column in side.items()}
        for side in (outcome.low, outcome.high)
    )
    unknown = outcome.unknown[rows].sum(keepdims=True)
    together = Outcome(outcome.metric, low, high, unknown, outcome.noted)
    result: Figures = {
        name: plain(column[0]) for name, column in _columns(together, low, high).items()
    }
    result.update(_mean(outcome, rows))
    if result["value"] is None:
        result["reason"] = _reason(outcome, int(together.unknown[0]), undecided_pairs)
    if undecided_pairs:
        result["undecided_pairs"] = undecided_pairs
    return result


def _reason(outcome: Outcome, unknown: int, undecided_pairs: int | None) -> str:
    if not unknown:
        return "the denominator is 0: nothing is annotated"
    pairs = f"{undecided_pairs} label pairs are undecided" if undecided_pairs else "undecided pairs"
    return pairs if outcome.metric.monotone else f"{pairs}, and it has no bounds: not monotone"


def _mean(outcome: Outcome, rows: Index) -> Figures:
    """Return the mean over the episodes that have a value; the others are counted."""
    parts = outcome.metric.ratios["value"]
    low, high = ratio(outcome.low, parts)[rows], ratio(outcome.high, parts)[rows]
    having = ~np.isnan(low)
    means = [float(side[having].mean()) if having.any() else None for side in (low, high)]
    exact = not outcome.unknown[rows].any()
    bounded = exact or outcome.metric.monotone
    return {
        "mean_over_episodes": means[0] if exact else None,
        "mean_low": means[0] if bounded else None,
        "mean_high": means[1] if bounded else None,
        "episodes": int(having.sum()),
        "episodes_without_value": int((~having).sum()),
    }


def _columns(outcome: Outcome, low: Components, high: Components) -> dict[str, Column]:
    """Return value, low, high, components and further ratios, each as a column.

    What depends on unknown answers has no value; its bounds stand beside it. Where a metric is
    not monotone, two equal ends say nothing of what lies between.
    """
    exact = outcome.unknown == 0
    ratios = outcome.metric.ratios
    value_low, value_high = ratio(low, ratios["value"]), ratio(high, ratios["value"])
    bounded = exact | outcome.metric.monotone
    columns: dict[str, Column] = {
        "value": np.where(exact, value_low, np.nan),
        "low": np.where(bounded, value_low, np.nan),
        "high": np.where(bounded, value_high, np.nan),
    }
    for name, parts in ratios.items():
        if name != "value":
            columns[name] = np.where(exact, ratio(low, parts), np.nan)
    low_parts, high_parts = _shown(low, ratios["value"]), _shown(high, ratios["value"])
    noted = {_shown_name(name) for name in outcome.noted}
    for name, column in low_parts.items():
        if name in noted or (bounded.all() and np.array_equal(column, high_parts[name])):
            columns[name] = column
            continue
        known = exact | (bounded & (column == high_parts[name]))
        columns[name] = np.where(known, column, np.nan)
        if outcome.metric.monotone:
            columns[f"{name}_low"], columns[f"{name}_high"] = column, high_parts[name]
    return columns


def _shown(components: Components, value: Ratio) -> dict[str, Column]:
    """Return the components as the report shows them: durations in seconds."""
    shown: dict[str, Column] = {}
    above, below = value
    if all(name.endswith(_US) for name in (*above, *below)):
        shown["numerator_s"] = np.sum([components[name] for name in above], axis=0) / 1e6
        shown["denominator_s"] = np.sum([components[name] for name in below], axis=0) / 1e6
    for name, column in components.items():
        shown[_shown_name(name)] = column / 1e6 if name.endswith(_US) else column
    return shown


def _shown_name(component: str) -> str:
    return component.removesuffix(_US) + "_s" if component.endswith(_US) else component
