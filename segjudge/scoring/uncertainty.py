"""How sure a figure is: bootstrap intervals, over clusters of episodes.

Each resample draws clusters of episodes with replacement and recomputes a ratio from the sums of
what it drew; all figures are recomputed on the same resamples. Where answers are unknown, the
interval reaches from the low end of the lower bound's to the high end of the upper bound's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segjudge.annotations import Annotations, Float, Int64
from segjudge.errors import UsageError
from segjudge.findings import Finding, counted, finding
from segjudge.metrics import Outcome
from segjudge.metrics.bins import Binned
from segjudge.report import Figures
from segjudge.scoring.fields import named, nested
from segjudge.scoring.intervals import IntervalOptions, Intervals, intervals_of
from segjudge.statistics import Draws, Interval, resample

__all__ = [
    "FEW_CLUSTERS",
    "Index",
    "IntervalOptions",
    "Intervals",
    "Sureness",
    "intervals_of",
    "sums_of",
]

#: With fewer clusters than this a report warns.
FEW_CLUSTERS = 10

#: Of so few, even the lowest and the highest resample are inside an interval of 90 % or more, in
#: one stage.
CAPPED_CLUSTERS = 4

EMPTY: Mapping[str, Any] = {}

Index = np.ndarray[Any, np.dtype[np.intp]]


@dataclass(frozen=True, slots=True, eq=False)
class Sureness:
    """Intervals over the clusters of one reference.

    Attributes
    ----------
    intervals : Intervals
    clusters : ndarray of int64, shape (n_episodes,)
        Cluster of each episode, in canonical order.
    lacking : tuple of str
        Episodes that have no value of the field; each is a cluster by itself.
    episodes : tuple of str
    noticed : list of Finding
        What is odd about the values of the field.
    """

    intervals: Intervals
    clusters: Int64
    lacking: tuple[str, ...]
    episodes: tuple[str, ...]
    noticed: Sequence[Finding] = ()

    @classmethod
    def over(cls, reference: Annotations, intervals: Intervals) -> Sureness:
        """Find the clusters of an aligned reference.

        Raises
        ------
        UsageError
            The reference's episodes have no such field.
        """
        names = reference.episodes
        if intervals.cluster in (None, "episode"):
            return cls(intervals, np.arange(len(names), dtype=np.int64), (), names)
        values = reference.table.fields.get(intervals.cluster or "")
        if values is None:
            have = ", ".join(reference.table.fields) or "none"
            raise UsageError(
                f"the reference's episodes have no field {intervals.cluster!r} to make clusters "
                f"of; they have {have}"
            )
        keys = [
            ("own", name) if value in (None, "") else ("shared", named(value))
            for name, value in zip(names, values, strict=True)
        ]
        place = {key: i for i, key in enumerate(sorted(set(keys)))}
        lacking = tuple(name for kind, name in keys if kind == "own")
        clusters = np.array([place[key] for key in keys], np.int64)
        return cls(
            intervals, clusters, lacking, names, nested(reference, [intervals.cluster or ""])
        )

    def count(self, rows: Index | None = None) -> int:
        """Return the number of clusters, of all episodes or of some."""
        return len(np.unique(self.clusters if rows is None else self.clusters[rows]))

    def draws(self, above: Float, below: Float, rows: Index | None = None) -> Draws:
        """Resample sums by episode; see `statistics.resample`."""
        clusters = self.clusters
        if rows is not None:
            above, below, clusters = above[rows], below[rows], clusters[rows]
        return resample(above, below, clusters, self.intervals.how)

    def figures(self, outcomes: Sequence[Outcome], rows: Index | None = None) -> dict[str, Figures]:
        """Return the interval of each metric's headline, over all episodes or some.

        Parameters
        ----------
        outcomes : sequence of Outcome
        rows : ndarray of intp, optional
            Episodes.

        Returns
        -------
        dict of str to dict
            Metric -> ``ci_low``, ``ci_high``, ``ci_level``, ``ci_clusters``; ``ci_reason`` where
            there is no interval.
        """
        if not outcomes:
            return {}
        draws = self.draws(*sums_of(outcomes), rows)
        found = {}
        for m, outcome in enumerate(outcomes):
            own = outcome.unknown if rows is None else outcome.unknown[rows]
            if own.any() and not outcome.metric.monotone:
                found[outcome.metric.key] = self.none("it has no bounds")
            else:
                found[outcome.metric.key] = self.hull(*self._ends(draws, m))
        return found

    def of_bins(self, side: Binned) -> list[Figures]:
        """Return the interval of each bin of one side."""
        above, below = np.stack((side.low, side.high), 1), np.stack((side.below, side.below), 1)
        draws = self.draws(above.astype(np.float64), below.astype(np.float64))
        return [
            self.hull(*self._ends(draws, b))
            if side.bounded or side.exact[b]
            else self.none("it has no bounds")
            for b in range(len(side.segments))
        ]

    def _ends(self, draws: Draws, metric: int) -> tuple[Interval, Interval]:
        """Return the intervals of the low and of the high reading, once where they are one."""
        low = self.intervals.of(draws, metric)
        return low, low if len(draws.value) == 1 else self.intervals.of(draws, metric, 1)

    def hull(self, low: Interval, high: Interval) -> Figures:
        """Return the figures of an interval from the low end of one to the high end of another."""
        reason = low.reason or high.reason
        if reason:
            return self.none(reason, min(low.clusters, high.clusters))
        return {
            "ci_low": low.low,
            "ci_high": high.high,
            "ci_level": self.intervals.level,
            "ci_clusters": min(low.clusters, high.clusters),
        }

    def none(self, reason: str, clusters: int | None = None) -> Figures:
        """Return the figures of no interval."""
        return {
            "ci_low": None,
            "ci_high": None,
            "ci_level": self.intervals.level,
            "ci_clusters": clusters,
            "ci_reason": reason,
        }

    def findings(
        self,
        groups: Mapping[str, Mapping[str, Mapping[str, Figures]]] = EMPTY,
        metrics: Mapping[str, Figures] = EMPTY,
    ) -> list[Finding]:
        """Return what a reader of the intervals, over all and by group, must know.

        Parameters
        ----------
        groups : mapping of str to mapping, optional
            Field -> group -> metric -> figures.
        metrics : mapping of str to dict, optional
            Metric -> figures over all.
        """
        found = [
            *(item for item in self.noticed if self.intervals.cluster not in groups),
            *self.intervals.findings(),
            *_without_interval(metrics),
        ]
        if self.lacking:
            found.append(
                finding(
                    "no_cluster",
                    f"{_have(len(self.lacking), 'episode')} no {self.intervals.cluster!r}; each "
                    "counts as a cluster of its own",
                    level="warning",
                    side="reference",
                    count=len(self.lacking),
                    places=(f"episode {name!r}" for name in self.lacking),
                )
            )
        if 0 < self.count() < FEW_CLUSTERS:
            found.append(self._few())
        few = [
            f"{field} {name!r}"
            for field, own in groups.items()
            for name, metrics in own.items()
            if any(0 < int(f["ci_clusters"] or 0) < FEW_CLUSTERS for f in metrics.values())
        ]
        if few:
            found.append(
                finding(
                    "few_clusters_in_groups",
                    f"{_have(len(few), 'group')} fewer than {FEW_CLUSTERS} clusters, so intervals "
                    "there are rough and rather too short",
                    level="warning",
                    count=len(few),
                    places=few,
                )
            )
        return found

    def _few(self) -> Finding:
        """Return the warning that clusters are few, and what can't be concluded from them."""
        count, field = self.count(), self.intervals.cluster
        own = field in (None, "episode")
        what = counted(count, "episode") if own else f"{counted(count, 'cluster')} by {field!r}"
        if count == 1:
            text = f"there is only {what}: one cluster says nothing about others"
        else:
            rough = f"an interval from fewer than {FEW_CLUSTERS} is rough and rather too short"
            if count <= CAPPED_CLUSTERS and self.intervals.how.stages == 1:
                rough = (
                    "an interval can't reach beyond the lowest and the highest of them, which hold "
                    f"the truth {100 - 100 / 2 ** (count - 1):.0f} % of the time at best"
                )
            text = f"there are only {what}: {rough}; so few can't show how others would turn out"
        return finding("few_clusters", text, level="warning", count=count)


def sums_of(outcomes: Sequence[Outcome]) -> tuple[Float, Float]:
    """Return the two lines of the headlines by episode.

    Returns
    -------
    above, below : ndarray of float64, shape (n_episodes, 2, n_metrics)
        Axis 1: unknown answers read as no, and as yes; of length 1 where nothing is unknown.
    """
    whole = all(outcome.low is outcome.high for outcome in outcomes)
    readings = [[outcome.low for outcome in outcomes], [outcome.high for outcome in outcomes]]
    lines = [
        [
            [_sum(side, outcome.metric.ratios["value"][line]) for side, outcome in both]
            for both in (zip(side, outcomes, strict=True) for side in readings[: 2 - whole])
        ]
        for line in (0, 1)
    ]
    above, below = (np.array(line, np.float64).transpose(2, 0, 1) for line in lines)
    return above, below


def _without_interval(metrics: Mapping[str, Figures]) -> list[Finding]:
    """Return why metrics have no interval, once a reason."""
    reasons: dict[str, list[str]] = {}
    for name, figures in metrics.items():
        if figures.get("ci_reason"):
            reasons.setdefault(str(figures["ci_reason"]), []).append(name)
    return [
        finding("no_interval", f"no interval of {', '.join(names)}: {reason}", count=len(names))
        for reason, names in reasons.items()
    ]


def _have(n: int, noun: str) -> str:
    return f"{counted(n, noun)} {'has' if n == 1 else 'have'}"


def _sum(components: Mapping[str, Int64], names: Sequence[str]) -> Int64:
    total: Int64 = np.sum([components[name] for name in names], axis=0, dtype=np.int64)
    return total
