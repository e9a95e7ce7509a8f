"""One-to-one matching against every matching there is, ties included."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segjudge.metrics import matching
from segjudge.metrics.matching import match

#: Few and simple, so that sums tie: 1/2 + 1/4 = 1/3 + 5/12.
IOUS = [(1, 1), (1, 2), (2, 4), (1, 3), (2, 3), (1, 4), (3, 4), (5, 12), (7, 12)]

Graph = Mapping[tuple[int, int], tuple[int, int]]


def matched(graph: Graph) -> list[tuple[int, int]]:
    """Match; the graph gives overlap and union of each edge."""
    edges = sorted(graph)
    rows = np.array([[*edge, *graph[edge]] for edge in edges], np.int64).reshape(-1, 4)
    left, right, inter, union = (rows[:, k].copy() for k in range(4))
    chosen = match(left.astype(np.intp), right.astype(np.intp), inter, union)
    return [edge for edge, kept in zip(edges, chosen.tolist(), strict=True) if kept]


def weights(graph: Graph) -> dict[tuple[int, int], Fraction]:
    return {edge: Fraction(*iou) for edge, iou in graph.items()}


def graphs(
    rows: int, columns: int, ious: st.SearchStrategy[tuple[int, int]]
) -> st.SearchStrategy[dict[tuple[int, int], tuple[int, int]]]:
    places = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
    return st.dictionaries(places, ious, max_size=min(rows * columns, 18))


@given(graphs(6, 6, st.sampled_from(IOUS)))
def test_every_matching_tried(graph):
    assert matched(graph) == oracle.best_matching(weights(graph))


@given(graphs(4, 4, st.just((3, 4))))
def test_all_edges_alike(graph):
    """Nothing but the order of rows decides."""
    assert matched(graph) == oracle.best_matching(weights(graph))


@given(graphs(3, 6, st.sampled_from(IOUS)), graphs(6, 3, st.sampled_from(IOUS)))
def test_more_columns_than_rows_and_the_reverse(wide, tall):
    assert matched(wide) == oracle.best_matching(weights(wide))
    assert matched(tall) == oracle.best_matching(weights(tall))


@given(
    graphs(4, 4, st.tuples(st.integers(1, 10**9), st.integers(10**9, 10**12))),
    st.integers(0, 10**6),
)
def test_unions_of_hours_without_a_common_measure(graph, offset):
    moved = {(i + offset, j + offset): iou for (i, j), iou in graph.items()}
    assert matched(moved) == oracle.best_matching(weights(moved))


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({}, []),
        ({(4, 7): (1, 2)}, [(4, 7)]),
        # One edge of IoU 1 against two of almost nothing: count first.
        ({(0, 0): (1, 1), (0, 1): (1, 999), (1, 0): (1, 999)}, [(0, 1), (1, 0)]),
        # Greedy by order takes (0, 0) and ends with one.
        ({(0, 0): (3, 4), (0, 1): (3, 4), (1, 0): (3, 4)}, [(0, 1), (1, 0)]),
        # Equal sums 1/2 + 1/4 and 1/3 + 5/12: the edge list that comes first.
        (
            {(0, 0): (1, 3), (0, 1): (1, 2), (1, 0): (1, 4), (1, 1): (5, 12)},
            [(0, 0), (1, 1)],
        ),
        # One part in ten billion more: the larger sum, whatever the order.
        (
            {
                (0, 0): (10**10, 3 * 10**10),
                (0, 1): (5 * 10**9 + 1, 10**10),
                (1, 0): (1, 4),
                (1, 1): (5, 12),
            },
            [(0, 1), (1, 0)],
        ),
        # 1 + IoU as a weight would give up a match: 2 (1 + 1) against 3 (1 + 1/4).
        (
            {(0, 0): (1, 1), (1, 1): (1, 1), (0, 1): (1, 4), (1, 2): (1, 4), (2, 0): (1, 4)},
            [(0, 1), (1, 2), (2, 0)],
        ),
    ],
)
def test_by_hand(graph, expected):
    assert matched(graph) == expected


def test_the_solver_for_large_components_gives_up_no_match_either(monkeypatch):
    """Two pairs of IoU 1 against three that reach 1/4."""
    monkeypatch.setattr(matching, "EXACT_CELLS", 0)
    graph = {(0, 0): (1, 1), (1, 1): (1, 1), (0, 1): (1, 4), (1, 2): (1, 4), (2, 0): (1, 4)}
    assert matched(graph) == [(0, 1), (1, 2), (2, 0)]
    turned = {(j, i): iou for (i, j), iou in graph.items()}
    assert matched(turned) == [(0, 2), (1, 0), (2, 1)]


def test_twins_are_interchangeable_and_the_first_is_taken():
    graph = {(i, j): (3, 4) for i in range(3) for j in range(5)}
    assert matched(graph) == [(0, 0), (1, 1), (2, 2)]


def test_many_components_at_once():
    """What is decided in one component leaks into no other."""
    rng = random.Random(5)
    graph, expected = {}, []
    for block in range(60):
        own = {
            (block * 10 + rng.randrange(4), block * 10 + rng.randrange(4)): rng.choice(IOUS)
            for _ in range(rng.randrange(1, 9))
        }
        graph |= own
        expected += oracle.best_matching(weights(own))
    assert matched(graph) == expected


def random_graph(rows: int, columns: int, degree: float, seed: int) -> Graph:
    rng = random.Random(seed)
    return {
        (i, j): (rng.randrange(1, 2000), 2000)
        for i in range(rows)
        for j in range(columns)
        if rng.random() < degree / columns
    }


@pytest.mark.parametrize(
    ("rows", "columns", "degree", "seed"),
    [(20, 20, 4, 1), (25, 25, 3, 2), (25, 25, 12, 3), (60, 18, 6, 4), (100, 120, 4, 5),
     (120, 100, 30, 6)],
)  # fmt: skip
def test_larger_components(rows, columns, degree, seed):
    graph = random_graph(rows, columns, degree, seed)
    found = matched(graph)
    assert len({i for i, _ in found}) == len({j for _, j in found}) == len(found)
    count, total = oracle.largest_assignment(weights(graph))
    assert len(found) == count
    assert float(sum(weights(graph)[edge] for edge in found)) == pytest.approx(
        float(total), rel=0, abs=1e-9
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_oracle_for_large_graphs_agrees_with_trying_all(seed):
    graph = weights(random_graph(6, 7, 3, seed))
    best = oracle.best_matching(graph)
    expected = len(best), sum((graph[edge] for edge in best), Fraction(0))
    assert oracle.largest_assignment(graph) == expected


@pytest.mark.parametrize("seed", range(4))
def test_the_solver_for_large_components_agrees_with_the_exact_one(seed, monkeypatch):
    graph = random_graph(18, 18, 4, seed)
    exact = matched(graph)
    monkeypatch.setattr(matching, "EXACT_CELLS", 0)
    # With these weights no second matching is as good, so even the edges are the same.
    assert matched(graph) == exact


@pytest.mark.parametrize("seed", range(4))
def test_components_too_large_for_a_table_still_get_the_most_matches(seed, monkeypatch):
    graph = random_graph(40, 50, 3, seed)
    count, _ = oracle.largest_assignment(weights(graph))
    monkeypatch.setattr(matching, "DENSE_CELLS", 0)
    found = matched(graph)
    assert len({i for i, _ in found}) == len({j for _, j in found}) == len(found) == count
