"""How much faster is our bootstrap of psj, a ratio of sums, than a plain loop over resamples?

Prints a small table of seconds and their ratio. The loop runs a tenth of the resamples. Exit status
1: in one stage we are less than 20 times as fast.

Run: python benchmarks/statistics_resampling.py
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from segjudge.annotations import Annotations
from segjudge.jmatrix import JMatrix
from segjudge.metrics import Comparison, evaluate, make
from segjudge.statistics import Resampling, resample
from segjudge.statistics.sums import Ints

#: At least so many times as fast as the loop, in one stage.
LEAST = 20

EPISODES, RESAMPLES, CLUSTERS = 2_000, 10_000, 200


def plain_loop(numerator: list[int], denominator: list[int], resamples: int) -> list[float]:
    """Resample episodes in plain Python, one at a time."""
    stream = random.Random(0)
    every = range(len(numerator))
    values = []
    for _ in range(resamples):
        drawn = stream.choices(every, k=len(numerator))
        values.append(sum(numerator[i] for i in drawn) / sum(denominator[i] for i in drawn))
    return values


def plain_loop_in_two_stages(
    numerator: list[int], denominator: list[int], members: list[list[int]], resamples: int
) -> list[float]:
    """Resample clusters, then the episodes of each, in plain Python."""
    stream = random.Random(0)
    values = []
    for _ in range(resamples):
        clusters = stream.choices(members, k=len(members))
        drawn = [i for rows in clusters for i in stream.choices(rows, k=len(rows))]
        values.append(sum(numerator[i] for i in drawn) / sum(denominator[i] for i in drawn))
    return values


def psj_sums(rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return the two lines of psj by episode: 10 segments each, half of the labels accepted."""
    count = EPISODES * 10
    bounds = np.arange(0, count, dtype=np.float64)
    moved = bounds + rng.uniform(-0.4, 0.4, count)
    names = [f"{i // 10:04}" for i in range(count)]
    sides = [
        Annotations.from_segments(
            (name, "", start, start + 1, label)
            for name, start, label in zip(names, starts, labels, strict=True)
        )
        for starts, labels in (
            (bounds.tolist(), rng.choice(["pour", "stir"], count).tolist()),
            (moved.tolist(), rng.choice(["fill", "mix"], count).tolist()),
        )
    ]
    comparison = Comparison.of(*sides)
    # fill and pour are 0 and 2 in the sorted labels, mix and stir 1 and 3.
    answers = JMatrix(4, [0, 0, 1, 1], [2, 3, 2, 3], [1, 0, 0, 1], [1, 0, 0, 1])
    outcome = evaluate(make("psj"), comparison, answers)
    above, below = outcome.metric.ratios["value"]
    return tuple(sum(outcome.low[name] for name in names) for names in (above, below))


def seconds(run: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> int:
    """Time ours and the loop on the same data, and print the table; return 1 if ours is slow."""
    numerator, denominator = psj_sums(np.random.default_rng(0))
    top, bottom = numerator.tolist(), denominator.tolist()
    episode = np.arange(EPISODES)
    cluster = episode % CLUSTERS
    members = [np.flatnonzero(cluster == g).tolist() for g in range(CLUSTERS)]
    part = RESAMPLES // 10
    one = 10 * seconds(lambda: plain_loop(top, bottom, part))
    two = 10 * seconds(lambda: plain_loop_in_two_stages(top, bottom, members, part))
    rows = [
        ("one stage, each episode a cluster", one, ours(numerator, denominator, episode, 1)),
        (f"one stage, {CLUSTERS} clusters", one, ours(numerator, denominator, cluster, 1)),
        (f"two stages, {CLUSTERS} clusters", two, ours(numerator, denominator, cluster, 2)),
    ]
    print(f"{RESAMPLES:,} resamples of psj over {EPISODES:,} episodes, seconds")
    print(f"{'':36}{'plain loop':>12}{'segjudge':>12}{'ratio':>8}")
    for name, loop, took in rows:
        print(f"{name:36}{loop:12.3f}{took:12.3f}{loop / took:8.1f}")
    return int(any(loop / took < LEAST for name, loop, took in rows if name.startswith("one")))


def ours(
    numerator: ArrayLike, denominator: ArrayLike, clusters: ArrayLike, stages: Literal[1, 2]
) -> float:
    """Return the seconds that `resample` takes for the same."""
    how = Resampling(RESAMPLES, stages=stages)
    return seconds(lambda: resample(numerator, denominator, clusters, how))


if __name__ == "__main__":
    sys.exit(main())
