"""Influence of every label pair against one scoring, on 300,000 + 300,000 segments.

Prints seconds and the ratio, for sides that tile their episodes, for sides that overlap
themselves, and for a low threshold, where many segments have several candidates.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from segjudge.annotations import Annotations, EpisodeTable
from segjudge.jmatrix import JMatrix
from segjudge.metrics import Comparison, evaluate, make, questions
from segjudge.metrics.influence import influence

SEGMENTS, EPISODES, LABELS, MOST = 300_000, 3_000, 20_000, 10


def side(seed: int, stacked: bool) -> Annotations:
    """Segments one after the other; where stacked, a third lies over its neighbours."""
    rng = np.random.default_rng(seed)
    n = SEGMENTS // EPISODES
    length = rng.integers(500_000, 8_000_000, (EPISODES, n))
    end = np.cumsum(length, axis=1)
    start = end - length
    if stacked:
        end = end + (rng.random(end.shape) < 0.3) * rng.integers(0, 20_000_000, end.shape)
    # An episode has its own words, as it has in life, so the pairs are many and mostly distinct.
    words = rng.integers(0, 30, (EPISODES, n)) + rng.integers(0, LABELS - 30, (EPISODES, 1))
    ids = tuple(f"e{i:05d}" for i in range(EPISODES))
    return Annotations(
        np.repeat(np.arange(EPISODES, dtype=np.int32), n),
        np.zeros(SEGMENTS, np.int32),
        start.ravel(),
        end.ravel(),
        words.ravel().astype(np.int32),
        ids,
        ("",),
        tuple(f"label {i}" for i in range(LABELS)),
        EpisodeTable.empty(EPISODES),
    )


def timed(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def main() -> int:
    slow = False
    for stacked in (False, True):
        reference, prediction = side(1, stacked), side(2, stacked)
        comparison = Comparison.of(reference, prediction)
        asked = questions(comparison, comparison.pairs)
        yes = np.random.default_rng(3).integers(0, 2, len(asked.a))
        judgments = JMatrix(LABELS, asked.a, asked.b, yes, yes, asked.context)
        what = "stacked" if stacked else "tiled"
        print(f"{what}: {len(comparison.pairs)} overlaps, {len(asked.a)} label pairs")
        for name in ("psj", "semantic_f1@0.75", "semantic_f1@0.3"):
            metric = make(name)
            once = timed(
                lambda m=metric, r=reference, p=prediction, j=judgments: evaluate(
                    m, Comparison.of(r, p), j
                )
            )
            every = timed(lambda m=metric, c=comparison, j=judgments: influence(m, c, j))
            slow |= every > MOST * once
            print(
                f"  {name:<18} score {once:6.2f} s   influence {every:6.2f} s   {every / once:.1f}x"
            )
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
