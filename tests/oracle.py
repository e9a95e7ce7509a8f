"""What scores should be, computed slowly and exactly, without a line of the package.

Intervals are portion's, numbers are fractions, matchings are tried one by one. Segments are
``Segment`` tuples in whole microseconds; answers are a mapping from a frozenset of labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import portion

#: Whether two labels are accepted.
Accepts = Callable[[str, str], bool]
Edge = tuple[int, int]


class Segment(NamedTuple):
    episode: str
    track: str
    start: int
    end: int
    label: str


def interval(segment: Segment) -> portion.Interval:
    """Half-open, so that touching is not overlapping; empty where the length is zero."""
    return portion.closedopen(segment.start, segment.end)


def length(intervals: portion.Interval) -> int:
    return sum(piece.upper - piece.lower for piece in intervals if not piece.empty)


def overlap(one: Segment, two: Segment) -> int:
    if (one.episode, one.track) != (two.episode, two.track):
        return 0
    return length(interval(one) & interval(two))


def union(one: Segment, two: Segment) -> int:
    """Of two segments that overlap."""
    return length(interval(one) | interval(two))


def pairs(left: Sequence[Segment], right: Sequence[Segment]) -> list[tuple[int, int, int]]:
    """(left index, right index, overlap) of every overlapping pair, by trying all of them."""
    found = [(i, j, overlap(a, b)) for i, a in enumerate(left) for j, b in enumerate(right)]
    return [pair for pair in found if pair[2]]


def credit(segment: Segment, others: Iterable[Segment], accepts: Accepts) -> int:
    """m(s, S): how much of a segment lies under the union of its accepted counterparts."""
    cover = portion.empty()
    for other in others:
        same_place = (other.episode, other.track) == (segment.episode, segment.track)
        if same_place and accepts(segment.label, other.label):
            cover |= interval(other)
    return length(interval(segment) & cover)


def stacked(segments: Sequence[Segment]) -> int:
    """The time by which segments of one track lie on each other: their sum less their union."""
    total = 0
    for place in {(s.episode, s.track) for s in segments}:
        own = [s for s in segments if (s.episode, s.track) == place]
        cover = portion.empty()
        for segment in own:
            cover |= interval(segment)
        total += sum(s.end - s.start for s in own) - length(cover)
    return total


class Psj(NamedTuple):
    reference_credit: list[int]
    prediction_credit: list[int]
    numerator: int
    denominator: int


def psj(reference: Sequence[Segment], prediction: Sequence[Segment], accepts: Accepts) -> Psj:
    ours = [credit(s, prediction, accepts) for s in reference]
    theirs = [credit(s, reference, accepts) for s in prediction]
    whole = sum(s.end - s.start for s in (*reference, *prediction))
    return Psj(ours, theirs, sum(ours) + sum(theirs), whole)


def passes(one: Segment, two: Segment, theta: Fraction, resolution: int = 1) -> bool:
    """IoU at least theta, up to what rounding four times to the resolution can hide."""
    inter = overlap(one, two)
    if not inter:
        return False
    n, d = theta.numerator, theta.denominator
    return inter * d + (d + n) * resolution >= union(one, two) * n


def snap_outer(reference: Sequence[Segment], prediction: Sequence[Segment]) -> list[Segment]:
    """Move the outer ends of each track of a prediction onto the reference's.

    Rows must be in canonical order: of equal candidates the first is moved.
    """
    snapped = list(prediction)
    for place in {(s.episode, s.track) for s in prediction}:
        truth = [s for s in reference if s[:2] == place and s.end > s.start]
        rows = [i for i, s in enumerate(prediction) if s[:2] == place and s.end > s.start]
        if not truth or not rows:
            continue
        first = min(rows, key=lambda i: (prediction[i].start, prediction[i].end))
        last = min(rows, key=lambda i: (-prediction[i].end, -prediction[i].start))
        start = min(min(s.start for s in truth), snapped[first].end)
        snapped[first] = snapped[first]._replace(start=start)
        end = max(max(s.end for s in truth), snapped[last].start)
        snapped[last] = snapped[last]._replace(end=end)
    return snapped


def edges(
    reference: Sequence[Segment],
    prediction: Sequence[Segment],
    theta: Fraction,
    accepts: Accepts,
) -> dict[Edge, Fraction]:
    """The pairs that may match, with their IoU."""
    return {
        (i, j): Fraction(overlap(a, b), union(a, b))
        for i, a in enumerate(reference)
        for j, b in enumerate(prediction)
        if passes(a, b, theta) and accepts(a.label, b.label)
    }


def best_matching(weights: Mapping[Edge, Fraction]) -> list[Edge]:
    """Most edges, then largest sum, then the sorted edge list that comes first.

    Every matching is tried, so keep to about six rows.
    """
    rows = sorted({i for i, _ in weights})
    best: tuple[int, Fraction, list[tuple[int, int]]] = (0, Fraction(0), [])
    found: list[Edge] = []

    def extend(position: int, taken: frozenset[int], chosen: list[Edge], total: Fraction) -> None:
        nonlocal best, found
        if position == len(rows):
            # Of lists of equal length, the one that comes first has the largest negation.
            candidate = (len(chosen), total, [(-i, -j) for i, j in chosen])
            if candidate > best:
                best, found = candidate, list(chosen)
            return
        row = rows[position]
        extend(position + 1, taken, chosen, total)
        for (i, j), weight in weights.items():
            if i == row and j not in taken:
                extend(position + 1, taken | {j}, [*chosen, (i, j)], total + weight)

    extend(0, frozenset(), [], Fraction(0))
    return found


def matches_by_place(
    reference: Sequence[Segment],
    prediction: Sequence[Segment],
    theta: Fraction,
    accepts: Accepts,
) -> list[Edge]:
    """The best matching, each episode and track by itself; indices into the whole lists."""
    whole = edges(reference, prediction, theta, accepts)
    found: list[Edge] = []
    for place in sorted({s[:2] for s in reference}):
        own = {edge: w for edge, w in whole.items() if reference[edge[0]][:2] == place}
        found += best_matching(own)
    return sorted(found)


def largest_assignment(weights: Mapping[Edge, Fraction]) -> tuple[int, Fraction]:
    """Most edges, then the largest sum, for graphs too large to try every matching.

    Edges are added along cheapest augmenting paths (Bellman and Ford), which keeps the sum the
    largest for each number of edges.
    """
    by_row: dict[int, dict[int, Fraction]] = {}
    for (i, j), weight in weights.items():
        by_row.setdefault(i, {})[j] = weight
    row_of: dict[int, int] = {}
    column_of: dict[int, int] = {}
    while True:
        gain: dict[int, Fraction] = {i: Fraction(0) for i in by_row if i not in column_of}
        came: dict[int, int] = {}
        reach: dict[int, Fraction] = {}
        queue = list(gain)
        while queue:
            i = queue.pop(0)
            for j, weight in by_row[i].items():
                if column_of.get(i) == j:
                    continue
                through = gain[i] + weight
                if j in reach and reach[j] >= through:
                    continue
                reach[j], came[j] = through, i
                owner = row_of.get(j)
                if owner is not None:
                    gain[owner] = through - by_row[owner][j]
                    queue.append(owner)
        free = [j for j in reach if j not in row_of]
        if not free:
            break
        j: int | None = max(free, key=lambda column: reach[column])
        while j is not None:
            i = came[j]
            following = column_of.get(i)
            row_of[j], column_of[i] = i, j
            j = following
    total = sum((by_row[i][j] for i, j in column_of.items()), Fraction(0))
    return len(column_of), total
