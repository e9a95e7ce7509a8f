"""Interval arithmetic on columns: join, union, threshold. The only place that knows how.

Everything is whole microseconds in int64 and exact. Overlap is of positive length: touching is
not overlapping, and a zero-length segment overlaps nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from segjudge.annotations import LONGEST_TOTAL, Annotations, Bool, Int64
from segjudge.errors import InputError, UsageError

Index = npt.NDArray[np.intp]

#: A threshold is a decimal fraction with at most this many decimals.
THRESHOLD_DECIMALS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """All pairs of segments that overlap, sorted by (left, right).

    Attributes
    ----------
    left, right : ndarray of intp, shape (n_pairs,)
        Row of the segment on each side.
    inter : ndarray of int64, shape (n_pairs,)
        Length of the overlap in microseconds, above 0.
    """

    left: Index
    right: Index
    inter: Int64

    def __len__(self) -> int:
        return len(self.left)

    def take(self, keep: Bool) -> Pairs:
        """Return the pairs that the mask keeps, in the same order."""
        return Pairs(self.left[keep], self.right[keep], self.inter[keep])


def join(left: Annotations, right: Annotations) -> Pairs:
    """Find all pairs of overlapping segments of two aligned annotations.

    A pair overlaps in exactly one of two ways, and each is one range of a sorted column, so the
    work is in proportion to the segments and the pairs found, also where a side overlaps itself::

        right starts inside left          left starts inside right
        left   |--------|                 left        |------|
        right     |--------|              right   |--------|
        l.start <= r.start < l.end        r.start < l.start < r.end

    Parameters
    ----------
    left, right : Annotations
        Aligned (`annotations.align`): the same episodes and tracks. The order of rows is free.

    Returns
    -------
    Pairs

    Raises
    ------
    InputError
        The spans of the episodes add up to more than 70,000 years.
    """
    lrow, lstart, lend, rrow, rstart, rend = _keys(left, right)
    starts_inside_left = _ranges(
        np.searchsorted(rstart, lstart, "left"), np.searchsorted(rstart, lend, "left")
    )
    starts_inside_right = _ranges(
        np.searchsorted(lstart, rstart, "right"), np.searchsorted(lstart, rend, "left")
    )
    i = np.concatenate((starts_inside_left[0], starts_inside_right[1]))
    j = np.concatenate((starts_inside_left[1], starts_inside_right[0]))
    inter = np.minimum(lend[i], rend[j]) - np.maximum(lstart[i], rstart[j])
    i, j = lrow[i], rrow[j]
    order = np.argsort(i * np.intp(max(len(right), 1)) + j, kind="stable")
    return Pairs(i[order], j[order], inter[order])


def _keys(left: Annotations, right: Annotations) -> tuple[Index, Int64, Int64, Index, Int64, Int64]:
    """Put both sides on one axis on which different (episode, track) groups can't touch.

    Each group is rebased to its earliest start on the left, so epoch clocks don't overflow, and
    the right is cut to the left's extent: what lies outside can't overlap.
    """
    lrow, lgroup, lstart, lend = _by_start(left)
    rrow, rgroup, rstart, rend = _by_start(right)
    if not len(lrow) or not len(rrow):
        none = np.zeros(0, np.int64)
        return lrow[:0], none, none, rrow[:0], none, none
    first = np.flatnonzero(np.diff(lgroup, prepend=-1))
    groups, origin = lgroup[first], lstart[first]
    extent = np.maximum.reduceat(lend, first) - origin
    if float(np.sum(extent, dtype=np.float64)) + len(extent) >= LONGEST_TOTAL:
        raise InputError("the episodes span 70,000 years together; is the unit of time right?")
    base = np.cumsum(extent + 1) - (extent + 1)
    sizes = np.diff(first, append=len(lgroup))
    shift = np.repeat(base - origin, sizes)
    place = np.minimum(np.searchsorted(groups, rgroup), len(groups) - 1)
    low, high = origin[place], origin[place] + extent[place]
    rstart, rend = np.clip(rstart, low, high), np.clip(rend, low, high)
    meets = (groups[place] == rgroup) & (rend > rstart)
    rshift = (base - origin)[place]
    return (
        lrow,
        lstart + shift,
        lend + shift,
        rrow[meets],
        (rstart + rshift)[meets],
        (rend + rshift)[meets],
    )


def _by_start(side: Annotations) -> tuple[Index, Int64, Int64, Int64]:
    """Return row, group, start and end of the segments of positive length, by (group, start)."""
    row = np.flatnonzero(side.end > side.start)
    group, start = side.group[row], side.start[row]
    later = (group[1:] > group[:-1]) | ((group[1:] == group[:-1]) & (start[1:] >= start[:-1]))
    if not np.all(later):
        order = np.lexsort((start, group))
        row, group, start = row[order], group[order], start[order]
    return row, group, start, side.end[row]


def _ranges(low: Index, high: Index) -> tuple[Index, Index]:
    """Spell out index ranges: (owner, index) for every index in ``low[owner]:high[owner]``."""
    count = np.maximum(high - low, 0)
    owner = np.repeat(np.arange(len(low), dtype=np.intp), count)
    skipped = np.repeat(low - (np.cumsum(count) - count), count)
    return owner, np.arange(len(owner), dtype=np.intp) + skipped


def covered_length(segments: Annotations, row: Index, start: Int64, end: Int64) -> Int64:
    """Length of the union of the pieces that cover each segment.

    ::

        segment   |------------------|
        pieces      |-----|   |---|
                       |----|
        union       |~~~~~~~~~|~~~|      counted once where pieces overlap

    Parameters
    ----------
    segments : Annotations
        The segments covered, shape (n,).
    row : ndarray of intp, shape (n_pieces,)
        The segment that each piece covers.
    start, end : ndarray of int64, shape (n_pieces,)
        The pieces, in microseconds; each within its segment.

    Returns
    -------
    ndarray of int64, shape (n,)
        Microseconds; 0 where no piece covers.
    """
    covered = np.zeros(len(segments), np.int64)
    if not len(row):
        return covered
    length = segments.length
    # Segments laid end to end on one axis: a running maximum can't leak into the next one.
    shift = (np.cumsum(length) - length - segments.start)[row]
    start, end = start + shift, end + shift
    if np.any(row[1:] < row[:-1]) or np.any(start[1:] < start[:-1]):
        order = np.argsort(start, kind="stable")
        row, start, end = row[order], start[order], end[order]
    reached = np.maximum.accumulate(end)
    fresh = end - start
    np.maximum(end[1:] - np.maximum(start[1:], reached[:-1]), 0, out=fresh[1:])
    np.add.at(covered, row, fresh)
    return covered


def union_length(segments: Annotations, other: Annotations, pairs: Pairs, side: str) -> Int64:
    """Length of the union of a segment's overlaps with its counterparts, for one side.

    Parameters
    ----------
    segments, other : Annotations
        The side asked about and the side that covers it.
    pairs : Pairs
        Overlapping pairs between the two, as `join` gives them, perhaps filtered.
    side : {"left", "right"}
        Which index of `pairs` belongs to `segments`.

    Returns
    -------
    ndarray of int64, shape (len(segments),)
        m(s, S) of the EgoHome release, equation 3, in microseconds.
    """
    own, its = (pairs.left, pairs.right) if side == "left" else (pairs.right, pairs.left)
    start = np.maximum(segments.start[own], other.start[its])
    return covered_length(segments, own, start, start + pairs.inter)


def self_overlap(side: Annotations) -> Int64:
    """Duration that a side stacks on itself, by episode.

    The sum of the durations less the length of their union, each track by itself.

    Returns
    -------
    ndarray of int64, shape (n_episodes,)
        Microseconds; 0 everywhere when no two segments of one track overlap.
    """
    row, group, start, end = _by_start(side)
    if not len(row):
        return np.zeros(len(side.episodes), np.int64)
    stacked = np.zeros(len(row), np.int64)
    first = np.flatnonzero(np.diff(group, prepend=-1))
    origin = start[first]
    extent = np.maximum.reduceat(end, first) - origin
    if float(np.sum(extent, dtype=np.float64)) >= LONGEST_TOTAL:
        raise InputError("the episodes span 70,000 years together; is the unit of time right?")
    shift = np.repeat(np.cumsum(extent) - extent - origin, np.diff(first, append=len(group)))
    start, end = start + shift, end + shift
    reached = np.maximum.accumulate(end)
    stacked[1:] = np.clip(reached[:-1] - start[1:], 0, (end - start)[1:])
    total = np.zeros(len(side.episodes), np.int64)
    np.add.at(total, side.episode[row], stacked)
    return total


@dataclass(frozen=True, slots=True)
class Threshold:
    """An IoU threshold as the decimal fraction ``n / d`` that a user wrote.

    Attributes
    ----------
    n, d : int
        Numerator and denominator in lowest terms, ``0 < n <= d``.
    resolution : int
        Microseconds to which the files' times are rounded: 1, or 1000 for whole milliseconds.
    """

    n: int
    d: int
    resolution: int = 1

    @classmethod
    def parse(cls, text: str, resolution: int = 1) -> Threshold:
        """Read a threshold such as ``0.75``.

        Raises
        ------
        UsageError
            It is no decimal number in (0, 1] with at most 6 decimals.
        """
        whole, _, decimals = text.strip().partition(".")
        good = (whole + decimals).isascii() and (whole + decimals).isdigit()
        value = Fraction(text.strip()) if good else Fraction(0)
        if not 0 < value <= 1 or len(decimals) > THRESHOLD_DECIMALS:
            raise UsageError(
                f"{text!r} is no IoU threshold: expected a decimal number above 0 and up to 1 "
                f"with at most {THRESHOLD_DECIMALS} decimals, such as 0.75"
            )
        return cls(value.numerator, value.denominator, resolution)

    def __str__(self) -> str:
        return f"{self.n / self.d:.{THRESHOLD_DECIMALS}f}".rstrip("0").rstrip(".")


def passes(inter: Int64, union: Int64, threshold: Threshold) -> Bool:
    """Whether ``inter / union`` reaches the threshold, up to what rounding can hide.

    Rounding the four endpoints of a pair to the grid moves ``inter`` and ``union`` by at most
    one step each, so ``inter * d - union * n`` by at most ``d + n``: that is the slack
    (DESIGN.md, The data).

    Parameters
    ----------
    inter, union : ndarray of int64, shape (n,)
        Microseconds.
    threshold : Threshold

    Returns
    -------
    ndarray of bool, shape (n,)
        False where ``inter`` is 0.
    """
    slack = (threshold.d + threshold.n) * threshold.resolution
    return np.asarray((inter > 0) & (_excess(inter, union, threshold) + slack >= 0), np.bool_)


def near(inter: Int64, union: Int64, threshold: Threshold) -> Bool:
    """Whether a pair is within a millisecond of the threshold, on either side of it."""
    band = (threshold.d + threshold.n) * 1000
    return np.asarray((inter > 0) & (abs(_excess(inter, union, threshold)) <= band), np.bool_)


def _excess(inter: Int64, union: Int64, threshold: Threshold) -> Int64:
    """Return ``inter * d - union * n`` exactly, in Python integers where int64 could wrap."""
    largest = int(union.max(initial=0)) * max(threshold.n, threshold.d)
    if largest >= LONGEST_TOTAL:
        exact = inter.astype(object) * threshold.d - union.astype(object) * threshold.n
        return np.asarray(exact)
    return inter * threshold.d - union * threshold.n
