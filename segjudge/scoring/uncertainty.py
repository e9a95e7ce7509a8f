"""How sure a figure is: bootstrap intervals, over clusters of episodes.

Each resample draws clusters of episodes with replacement and recomputes a ratio from the sums of
what it drew; all figures are recomputed on the same resamples. Where answers are unknown, the
interval reaches from the low end of the lower bound's to the high end of the upper bound's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

import numpy as np

from segjudge.annotations import Annotations, Float, Int64
from segjudge.errors import UsageError
from segjudge.findings import Finding, finding
from segjudge.metrics import Outcome
from segjudge.metrics.bins import Binned
from segjudge.report import Figures
from segjudge.statistics import Draws, Interval, Resampling, interval, resample
from segjudge.statistics.intervals import Method

#: With fewer clusters than this a report warns.
FEW_CLUSTERS = 10

EMPTY: Mapping[str, Any] = {}

Index = np.ndarray[Any, np.dtype[np.intp]]


class IntervalOptions(TypedDict, total=False):
    """Keyword options of the intervals.

    Attributes
    ----------
    ci : bool
        Whether there are any.
    cluster : str or None
        Field of the reference's episode table: episodes of one value are drawn together. None
        takes each episode by itself.
    level : float
        Nominal coverage, 0.95.
    ci_method : {"percentile", "bc", "bca"}
        See `statistics.intervals`.
    resamples, ci_seed, stages, stream
        See `statistics.Resampling`.
    """

    ci: bool
    cluster: str | None
    level: float
    ci_method: Method
    resamples: int
    ci_seed: int
    stages: Literal[1, 2]
    stream: Literal["pcg64", "study"]


@dataclass(frozen=True, slots=True)
class Intervals:
    """How intervals are made.

    Attributes
    ----------
    cluster : str or None
    level : float
    method : {"percentile", "bc", "bca"}
    how : Resampling
    """

    cluster: str | None = None
    level: float = 0.95
    method: Method = "percentile"
    how: Resampling = field(default_factory=Resampling)

    @property
    def said(self) -> dict[str, Any]:
        """What a report repeats of it."""
        how = self.how
        return {
            "cluster": self.cluster or "episode",
            "level": self.level,
            "method": self.method,
            "widened_for_few_clusters": how.stream != "study",
            "resamples": how.resamples,
            "seed": how.seed,
            "stages": how.stages,
            "stream": how.stream,
        }

    def of(self, draws: Draws, metric: int = 0, system: int = 0) -> Interval:
        """Return the interval of one ratio."""
        return interval(draws, metric, system, level=self.level, method=self.method)


def intervals_of(options: IntervalOptions) -> Intervals | None:
    """Return how intervals are to be made; None where none are asked for.

    Raises
    ------
    UsageError
        An option can't be used as given, or is given although no interval is asked for.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if not given.pop("ci", False):
        if given:
            names = ", ".join("--" + name.replace("_", "-") for name in given)
            raise UsageError(f"{names}: these are for intervals; ask for them with --ci")
        return None
    level, method = options.get("level", 0.95), options.get("ci_method", "percentile")
    if not 0 < level < 1:
        raise UsageError(f"level must be between 0 and 1, not {level}")
    if method not in ("percentile", "bc", "bca"):
        raise UsageError(f"ci method must be percentile, bc or bca, not {method!r}")
    stream = options.get("stream", "pcg64")
    if stream == "study" and method == "bca":
        raise UsageError("the study's stream has percentile and bc intervals, no bca")
    try:
        how = Resampling(
            options.get("resamples", 10_000),
            options.get("ci_seed", 0),
            options.get("stages", 2 if stream == "study" else 1),
            stream=stream,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    return Intervals(options.get("cluster"), level, method, how)


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
    """

    intervals: Intervals
    clusters: Int64
    lacking: tuple[str, ...]
    episodes: tuple[str, ...]

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
            ("own", name) if value in (None, "") else ("shared", str(value))
            for name, value in zip(names, values, strict=True)
        ]
        place = {key: i for i, key in enumerate(sorted(set(keys)))}
        lacking = tuple(name for kind, name in keys if kind == "own")
        return cls(intervals, np.array([place[key] for key in keys], np.int64), lacking, names)

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
        self, groups: Mapping[str, Mapping[str, Mapping[str, Figures]]] = EMPTY
    ) -> list[Finding]:
        """Return what a reader of the intervals, over all and by group, must know."""
        found = []
        if self.lacking:
            found.append(
                finding(
                    "no_cluster",
                    f"{len(self.lacking)} episodes have no {self.intervals.cluster!r}; each counts "
                    "as a cluster of its own",
                    level="warning",
                    side="reference",
                    count=len(self.lacking),
                    places=(f"episode {name!r}" for name in self.lacking),
                )
            )
        if 0 < self.count() < FEW_CLUSTERS:
            found.append(few_clusters(self.count(), self.intervals.cluster))
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
                    f"{len(few)} groups have fewer than {FEW_CLUSTERS} clusters, so their "
                    "intervals are rough and rather too short",
                    level="warning",
                    count=len(few),
                    places=few,
                )
            )
        return found


def few_clusters(clusters: int, field: str | None) -> Finding:
    """Return the warning that clusters are few, and what can't be concluded from them."""
    what = f"clusters by {field!r}" if field else "episodes"
    return finding(
        "few_clusters",
        f"there are only {clusters} {what}: an interval from fewer than {FEW_CLUSTERS} is rough "
        "and rather too short, and so few can't show how others would turn out",
        level="warning",
        count=clusters,
    )


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


def _sum(components: Mapping[str, Int64], names: Sequence[str]) -> Int64:
    total: Int64 = np.sum([components[name] for name in names], axis=0, dtype=np.int64)
    return total
