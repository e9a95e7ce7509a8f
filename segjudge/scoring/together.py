"""Sides of equal rank on one set of episodes, so that any two can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from segjudge.annotations import Annotations, Bool, EpisodeTable, align
from segjudge.metrics import Comparison
from segjudge.overlaps import join
from segjudge.scoring.case import contexts_of
from segjudge.scoring.several import Name


def manifest(sides: Iterable[Annotations]) -> Annotations:
    """Return the episodes of all sides, and what the first to know each says of it."""
    first: dict[str, tuple[Annotations, int]] = {}
    for side in sides:
        for row, name in enumerate(side.episodes):
            first.setdefault(name, (side, row))
    fields = dict.fromkeys(name for side, _ in first.values() for name in side.table.fields)
    table = EpisodeTable(
        np.array([side.table.duration[row] for side, row in first.values()], np.int64),
        np.zeros(len(first), np.bool_),
        {
            name: tuple(
                side.table.fields[name][row] if name in side.table.fields else None
                for side, row in first.values()
            )
            for name in fields
        },
    )
    return Annotations.from_segments([], tuple(first), table)


class Together:
    """Sides aligned on the episodes of all of them, to be compared two by two.

    Parameters
    ----------
    sides : mapping of tuple to Annotations
    context_field : str or None
        Field of the episodes that questions carry, from the first side that says it.

    Attributes
    ----------
    contexts : tuple of str
    comparisons : dict of tuple to Comparison
    shared : dict of tuple to int
        Comparison -> episodes that it is over.

    Raises
    ------
    UsageError
        No side has such a context field.
    """

    def __init__(self, sides: Mapping[Name, Annotations], context_field: str | None) -> None:
        whole = manifest(sides.values())
        self.contexts, column = contexts_of(whole, context_field)
        base, *aligned = align(whole, *sides.values())
        self.sides = dict(zip(sides, aligned, strict=True))
        self.context = np.zeros(len(base.episodes), np.int32) if column is None else column
        self.has: dict[Name, Bool] = {
            name: np.array([e in set(side.episodes) for e in base.episodes], np.bool_)
            for name, side in sides.items()
        }
        self.comparisons: dict[Name, Comparison] = {}
        self.shared: dict[Name, int] = {}

    def compare(self, name: Name, truth: Name, other: Name, shared: bool = True) -> None:
        """Compare two sides on the truth's episodes, or on those that both have."""
        keep = self.has[truth] & self.has[other] if shared else self.has[truth]
        one, two = (
            side.rows(keep[side.episode]) for side in (self.sides[truth], self.sides[other])
        )
        self.comparisons[name] = Comparison(one, two, join(one, two), self.context)
        self.shared[name] = int(keep.sum())
