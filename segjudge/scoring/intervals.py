"""How intervals are made: the options, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from segjudge.errors import UsageError
from segjudge.findings import Finding, finding
from segjudge.statistics import Draws, Interval, Resampling, interval
from segjudge.statistics.intervals import Method

#: Fewer resamples than this are refused.
FEWEST_RESAMPLES = 100

#: With fewer resamples than this beyond each end a report warns.
FEW_BEYOND = 5


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

    def findings(self) -> list[Finding]:
        """Return the warning that the level is too fine for so few resamples."""
        tail, count = (1 - self.level) / 2, self.how.resamples
        if tail * count > FEW_BEYOND - 1e-9:
            return []
        text = (
            f"of {count} resamples {tail * count:.2g} are beyond each end of an interval of "
            f"{100 * self.level:.10g} %, so the ends are left to chance; it needs "
            f"{math.ceil(FEW_BEYOND / tail - 1e-6)} --resamples or a lower --level"
        )
        return [finding("coarse_interval", text, level="warning", count=count)]

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
    resamples = options.get("resamples", 10_000)
    if resamples < FEWEST_RESAMPLES:
        raise UsageError(f"resamples must be at least {FEWEST_RESAMPLES}, not {resamples}")
    try:
        how = Resampling(
            resamples,
            options.get("ci_seed", 0),
            options.get("stages", 2 if stream == "study" else 1),
            stream=stream,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    return Intervals(options.get("cluster"), level, method, how)
