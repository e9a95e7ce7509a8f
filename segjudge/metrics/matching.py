"""One-to-one matching: the most pairs, then the largest summed IoU, then canonical order.

The threshold comes first: only edges that may match are given. A maximum-sum assignment
thresholded afterwards loses matches (reference [0,10] [10,14], prediction [0,12.5] [2.6,10]).
"""

from __future__ import annotations

from math import lcm

import numpy as np

from segjudge.annotations import Bool, Float, Int64
from segjudge.overlaps import Index

#: Up to so many cells (rows x columns) a component is solved in whole numbers, ties included;
#: above it in float64, where sums of IoU that differ by less than 1e-12 count as a tie.
EXACT_CELLS = 400

#: Above so many cells only the number of matches is optimised: a table would not fit memory.
DENSE_CELLS = 25_000_000


def match(left: Index, right: Index, inter: Int64, union: Int64) -> Bool:
    """Choose a maximum-cardinality one-to-one matching among the edges.

    Parameters
    ----------
    left, right : ndarray of intp, shape (n_edges,)
        Rows of the two sides, sorted by (left, right), each edge once.
    inter, union : ndarray of int64, shape (n_edges,)
        Microseconds; their quotient is the IoU.

    Returns
    -------
    ndarray of bool, shape (n_edges,)
        The edges chosen. Among matchings of equal size the largest summed IoU wins, then the
        one whose sorted list of edges comes first.
    """
    chosen = np.ones(len(left), np.bool_)
    if not len(left):
        return chosen
    shared = (np.bincount(left)[left] > 1) | (np.bincount(right)[right] > 1)
    if not np.any(shared):
        return chosen
    edges = np.flatnonzero(shared)
    chosen[edges] = False
    for component in components(left[edges], right[edges]):
        part = edges[component]
        kept = _solve(left[part], right[part], inter[part], union[part])
        chosen[part[kept]] = True
    return chosen


def components(left: Index, right: Index) -> list[Index]:
    """Split edges into connected components: positions, ascending within each."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    _, i = np.unique(left, return_inverse=True)
    _, j = np.unique(right, return_inverse=True)
    n = int(i.max()) + 1 + int(j.max()) + 1
    graph = coo_array((np.ones(len(i), np.int8), (i, j + i.max() + 1)), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    of_edge = label[i]
    order = np.argsort(of_edge, kind="stable")
    cuts = np.flatnonzero(np.diff(of_edge[order])) + 1
    return list(np.split(order, cuts))


def _solve(left: Index, right: Index, inter: Int64, union: Int64) -> Index:
    """Return the positions of the edges chosen in one component."""
    rows, i = np.unique(left, return_inverse=True)
    columns, j = np.unique(right, return_inverse=True)
    cells = len(rows) * len(columns)
    if cells > DENSE_CELLS:
        return _most(i, j)
    if cells > EXACT_CELLS:
        return _assign(i, j, inter / union, len(rows), len(columns))
    return _assign_exactly(i, j, inter.tolist(), union.tolist())


def _most(i: Index, j: Index) -> Index:
    """Maximum cardinality alone, by Hopcroft and Karp."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    graph = csr_array((np.ones(len(i), np.int8), (i, j)), shape=(i.max() + 1, j.max() + 1))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    return np.flatnonzero(partner[i] == j)


def _assign(i: Index, j: Index, iou: Float, rows: int, columns: int) -> Index:
    """Assign by weight 1 + IoU / (1 + min(rows, columns)): the IoU can't cost a match."""
    from scipy.optimize import linear_sum_assignment

    weight = np.zeros((rows, columns))
    weight[i, j] = 1 + iou / (1 + min(rows, columns))
    row, column = linear_sum_assignment(weight, maximize=True)
    partner = np.full(rows, -1)
    partner[row] = column
    return np.flatnonzero(partner[i] == j)


def _assign_exactly(i: Index, j: Index, inter: list[int], union: list[int]) -> Index:
    """Assign in Python's whole numbers: count, then summed IoU, then order, in one weight.

    With D a common multiple of the unions and k edges, an edge weighs
    ``(D * size + 1 + IoU * D) * 2**k + 2**(k - 1 - rank)``: the sum of all IoU * D stays below
    one match, and the sum of all ranks below one step of IoU * D.
    """
    rows, columns, k = int(i.max()) + 1, int(j.max()) + 1, len(i)
    common = lcm(*union)
    one_match = common * min(rows, columns) + 1
    weight = [[0] * columns for _ in range(rows)]
    for rank, (row, column) in enumerate(zip(i.tolist(), j.tolist(), strict=True)):
        iou = inter[rank] * (common // union[rank])
        weight[row][column] = ((one_match + iou) << k) + (1 << (k - 1 - rank))
    if rows > columns:
        flipped = _heaviest([list(column) for column in zip(*weight, strict=True)])
        partner = np.full(rows, -1)
        partner[flipped] = np.arange(columns)
    else:
        partner = np.array(_heaviest(weight))
    return np.flatnonzero(partner[i] == j)


def _heaviest(weight: list[list[int]]) -> list[int]:
    """Return the column of each row in the assignment of the largest weight, rows <= columns.

    Shortest augmenting paths with potentials (Kuhn, Munkres), exact on whole numbers.
    """
    n, m = len(weight), len(weight[0])
    u, v = [0] * (n + 1), [0] * (m + 1)
    owner = [0] * (m + 1)
    for row in range(1, n + 1):
        owner[0], column = row, 0
        slack: list[int | None] = [None] * (m + 1)
        came_from, seen = [0] * (m + 1), [False] * (m + 1)
        while owner[column]:
            seen[column] = True
            here, step, following = owner[column], None, 0
            for c in range(1, m + 1):
                if seen[c]:
                    continue
                cost = -weight[here - 1][c - 1] - u[here] - v[c]
                best = slack[c]
                if best is None or cost < best:
                    slack[c], came_from[c], best = cost, column, cost
                if step is None or best < step:
                    step, following = best, c
            assert step is not None
            for c in range(m + 1):
                if seen[c]:
                    u[owner[c]] += step
                    v[c] -= step
                elif (left := slack[c]) is not None:
                    slack[c] = left - step
            column = following
        while column:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    found = [0] * n
    for c in range(1, m + 1):
        if owner[c]:
            found[owner[c] - 1] = c - 1
    return found
