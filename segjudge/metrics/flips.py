"""How the size of a one-to-one matching changes when some of its edges come or go."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from segjudge.annotations import Bool, Int64
from segjudge.metrics.base import Asked
from segjudge.metrics.matching import components
from segjudge.metrics.one_to_one import matches


def matching_flips(asked: Asked, accepted: Bool, group: Int64, size: int) -> Int64:
    """Return how the number of matches changes if the edges of one group flipped.

    An edge that shares neither segment with another is a match or none by itself. Elsewhere the
    matching is repaired from the present one, in the connected components that a group touches.

    Parameters
    ----------
    asked : Asked
        The edges that may match.
    accepted : ndarray of bool, shape (n_edges,)
    group : ndarray of int64, shape (n_edges,)
        Which edges flip together; all of a group are accepted, or none.
    size : int
        Number of groups.

    Returns
    -------
    ndarray of int64, shape (size,)
    """
    change = np.zeros(size, np.int64)
    left, right = asked.pairs.left, asked.pairs.right
    if not len(left):
        return change
    shared = (np.bincount(left)[left] > 1) | (np.bincount(right)[right] > 1)
    np.add.at(change, group[~shared], np.where(accepted[~shared], -1, 1))
    edges = np.flatnonzero(shared)
    if not len(edges):
        return change
    matched = matches(asked, accepted)
    for part in components(left[edges], right[edges]):
        own = edges[part]
        columns = (left, right, group, accepted, matched)
        for which, by in _repaired(*(column[own].tolist() for column in columns)):
            change[which] += by
    return change


def _repaired(
    left: Sequence[int],
    right: Sequence[int],
    group: Sequence[int],
    accepted: Sequence[bool],
    matched: Sequence[bool],
) -> list[tuple[int, int]]:
    """Return (group, change in matches) for each group of one component."""
    edges: dict[int, list[int]] = {}
    for edge, which in enumerate(group):
        edges.setdefault(which, []).append(edge)
    found = []
    for which, own in edges.items():
        lost = sum(matched[edge] for edge in own)
        if accepted[own[0]] and not lost:
            continue  # the present matching does without them
        active = [yes != (of == which) for yes, of in zip(accepted, group, strict=True)]
        kept = [yes and of != which for yes, of in zip(matched, group, strict=True)]
        most = lost or len(own)
        won = _augmented(left, right, active, kept, most)
        found.append((which, won - lost))
    return found


def _augmented(
    left: Sequence[int],
    right: Sequence[int],
    active: Sequence[bool],
    matched: Sequence[bool],
    most: int,
) -> int:
    """Return by how much a matching can grow along augmenting paths, up to `most`."""
    neighbours: dict[int, list[int]] = {}
    of_left: dict[int, int] = {}
    of_right: dict[int, int] = {}
    for i, j, on, chosen in zip(left, right, active, matched, strict=True):
        if on:
            neighbours.setdefault(i, []).append(j)
        if chosen:
            of_left[i], of_right[j] = j, i
    won = 0
    reached: dict[int, int] = {}
    for root in [i for i in neighbours if i not in of_left]:
        if won == most:
            break
        end = _search(root, neighbours, of_right, reached)
        if end is None:
            continue  # what was reached in vain stays of no use until something changes
        won += 1
        while True:
            i = reached[end]
            end_before = of_left.get(i)
            of_left[i], of_right[end] = end, i
            if end_before is None:
                break
            end = end_before
        reached = {}
    return won


def _search(
    root: int,
    neighbours: dict[int, list[int]],
    of_right: dict[int, int],
    reached: dict[int, int],
) -> int | None:
    """Return a free right vertex that an alternating path from `root` reaches, if any."""
    queue = deque((root,))
    while queue:
        i = queue.popleft()
        for j in neighbours.get(i, ()):
            if j in reached:
                continue
            reached[j] = i
            if j not in of_right:
                return j
            queue.append(of_right[j])
    return None
