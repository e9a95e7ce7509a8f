"""Timelines of one clip for the closed forms, and the exact value of a metric on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from segjudge.annotations import Annotations
from segjudge.jmatrix import JMatrix
from segjudge.metrics import Comparison, evaluate, make

Row = tuple[str, str, float, float, str]
Accepts = Callable[[str, str], bool]


def corpus(rows: Sequence[Row], duration: float | None = None, **fields: str) -> Annotations:
    """Build annotations from rows of (episode, track, start, end, label), times in seconds."""
    side = Annotations.from_segments(rows)
    n = len(side.episodes)
    length = -1 if duration is None else round(duration * 1e6)
    table = replace(
        side.table,
        duration=np.full(n, length, np.int64),
        fields={name: (value,) * n for name, value in fields.items()},
    )
    return replace(side, table=table)


def exact(
    metric: str,
    reference: Annotations,
    prediction: Annotations,
    accepts: Accepts = lambda a, b: True,
) -> Fraction:
    """Return a metric over the corpus as a fraction."""
    comparison = Comparison.of(reference, prediction)
    labels = comparison.reference.labels
    a, b = np.triu_indices(len(labels))
    answer = [
        int(accepts(labels[i], labels[j]) or accepts(labels[j], labels[i]))
        for i, j in zip(a, b, strict=True)
    ]
    made = make(metric)
    outcome = evaluate(made, comparison, JMatrix(len(labels), a, b, answer, answer))
    above, below = (
        sum(int(outcome.low[name].sum()) for name in names) for names in made.ratios["value"]
    )
    return Fraction(above, below)


@st.composite
def single_layer(
    draw: st.DrawFn, labels: Sequence[str] = ("cut", "hold", "stir", "wash"), full: bool = False
) -> list[tuple[int, int, str]]:
    """One track without overlaps, in whole quarters of a second, at least one segment long."""
    cuts = sorted(draw(st.sets(st.integers(0, 60), min_size=2, max_size=12)))
    if full:
        cuts[0] = 0
    pieces = list(pairwise(cuts))
    kept = draw(st.sets(st.sampled_from(pieces), min_size=1))
    return [
        (start, end, draw(st.sampled_from(labels)))
        for start, end in (pieces if full else sorted(kept))
    ]
