"""What an annotation is worth: one file a metric, each a pure function of columns and answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from segjudge.errors import UsageError
from segjudge.metrics.base import (
    Asked,
    Comparison,
    Components,
    Metric,
    Outcome,
    Questions,
    evaluate,
    questions,
    ratio,
)
from segjudge.metrics.options import Options

__all__ = [
    "Asked",
    "Comparison",
    "Components",
    "Metric",
    "Options",
    "Outcome",
    "Questions",
    "describe",
    "evaluate",
    "make",
    "make_all",
    "names",
    "questions",
    "ratio",
]

#: What ``segjudge score`` computes unless told otherwise.
DEFAULT_METRICS = ("psj", "semantic_f1@0.75", "segmentation_f1@0.75")


@cache
def _registered() -> dict[str, EntryPoint]:
    """Return every metric by name: built in or another package's, all by entry point."""
    return {point.name: point for point in entry_points(group="segjudge.metrics")}


def names() -> list[str]:
    """Return the names of all metrics, sorted."""
    return sorted(_registered())


def make(text: str, resolution: int = 1) -> Metric:
    """Make a metric from its name and options.

    Parameters
    ----------
    text : str
        ``name[@threshold][,option=value]...``, such as ``semantic_f1@0.75,snap=outer``.
    resolution : int
        Microseconds to which the files' times are rounded: 1, or 1000 for whole milliseconds.

    Raises
    ------
    UsageError
        No metric has that name, or it has no such option.
    """
    options = Options(text, resolution)
    point = _registered().get(options.name)
    if point is None:
        raise UsageError(f"no metric is called {options.name!r}; there are {', '.join(names())}")
    factory = cast(Callable[[Options], Metric], point.load())
    return factory(options)


def make_all(texts: Iterable[str], resolution: int = 1) -> list[Metric]:
    """Make several metrics, each key once."""
    made = (make(text, resolution) for text in texts)
    return list({metric.key: metric for metric in made}.values())


def describe(name: str) -> tuple[str, str]:
    """Return how a metric is written, with its options, and what it is.

    The first comes from the factory's docstring, ``Make ``usage`` ...``, the second is the
    first line of its module's.
    """
    factory = _registered()[name].load()
    usage = (factory.__doc__ or "").split("``")
    module = sys.modules[factory.__module__].__doc__ or ""
    written = "".join(usage[1:]).partition("\n")[0].rstrip(".") if len(usage) > 2 else name
    return written, module.strip().partition("\n")[0]
