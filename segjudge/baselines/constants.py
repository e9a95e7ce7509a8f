"""Answers that look at no video: one label over everything, whole or cut into windows.

Each is a function of the reference, of which it takes the episodes, tracks and durations, and no
more than its description says.
"""

from __future__ import annotations

import numpy as np

from segjudge.annotations import Annotations, Int32, Int64
from segjudge.baselines.timelines import Timelines, canonical, laid, spread, timelines
from segjudge.errors import InputError
from segjudge.overlaps import Index

#: A label that fits everything and says nothing.
GENERIC = "doing household chores"

#: More windows than this can't be meant: the clock does not begin at 0.
MOST_SEGMENTS = 10_000_000


def constant(reference: Annotations, label: str = GENERIC) -> Annotations:
    """Lay one label over the whole timeline of each episode and track."""
    return _one_each(reference, timelines(reference), None, (label,))


def windows(reference: Annotations, length: int = 2_500_000, label: str = GENERIC) -> Annotations:
    """Lay it in windows of `length` microseconds, the last one cut at the timeline's end.

    Raises
    ------
    InputError
        There would be more than `MOST_SEGMENTS`.
    """
    return cut_into_windows(constant(reference, label), length)


def cut_into_windows(whole: Annotations, length: int) -> Annotations:
    """Cut each segment into windows of `length` microseconds, the last one shorter."""
    count = -(-whole.length // length)
    if float(count.sum(dtype=np.float64)) > MOST_SEGMENTS:
        raise InputError(
            f"windows of {length / 1e6:g} s would be more than {MOST_SEGMENTS:,} segments; the "
            "timelines begin at 0: do the reference's clocks?"
        )
    owner, number = spread(count)
    start = whole.start[owner] + number * length
    end = np.minimum(start + length, whole.end[owner])
    column = whole.episode[owner], whole.track[owner], start, end, whole.label[owner]
    return laid(whole, *column, whole.labels)


def longest(reference: Annotations, by: str = "label") -> Annotations:
    """Lay a label of the reference's own over the whole timeline.

    Parameters
    ----------
    reference : Annotations
    by : {"label", "segment", "corpus"}
        The label with most reference time in the episode's track; the label of the longest
        single segment there; the label with most time in the corpus. A tie goes to the label
        seen first, in canonical order. A track without a reference segment stays empty.
    """
    lines = timelines(reference)
    if not len(reference):
        return _one_each(reference, lines.take(np.zeros(len(lines), np.bool_)), None, ("",))
    if by == "corpus":
        best = _most_time(reference, np.zeros(len(reference), np.int64))[1]
        return _one_each(reference, lines, np.repeat(best, len(lines)), reference.labels)
    if by == "segment":
        group, best = _longest_segment(reference)
    else:
        group, best = _most_time(reference, reference.group)
    own = _group(reference, lines)
    place = np.minimum(np.searchsorted(group, own), len(group) - 1)
    known = group[place] == own
    return _one_each(reference, lines.take(known), best[place[known]], reference.labels)


def instruction(
    reference: Annotations, field: str = "instruction", length: int | None = None
) -> Annotations:
    """Lay the episode's own instruction over its whole timeline, or in windows.

    Parameters
    ----------
    reference : Annotations
    field : str
        The field of the episode table that has it; an episode without one stays empty.
    length : int, optional
        Length of the windows in microseconds.
    """
    values = reference.table.fields.get(field, (None,) * len(reference.episodes))
    said = [v.strip() if isinstance(v, str) else "" for v in values]
    labels = tuple(sorted({text for text in said if text}))
    place = {text: i for i, text in enumerate(labels)}
    label = np.array([place.get(text, -1) for text in said], np.int32)
    lines = timelines(reference)
    lines = lines.take(label[lines.episode] >= 0)
    whole = _one_each(reference, lines, label[lines.episode], labels)
    return whole if length is None else cut_into_windows(whole, length)


def shotgun(reference: Annotations, k: int = 8, labels: tuple[str, ...] = ()) -> Annotations:
    """Lay constants one on the other.

    Parameters
    ----------
    reference : Annotations
    k : int
        How many: the labels with most time in the corpus, fewer where it has fewer.
    labels : tuple of str
        The labels to layer, in place of those.
    """
    if labels:
        names, chosen = labels, np.arange(len(labels), dtype=np.int32)
    else:
        names, chosen = reference.labels, _by_time(reference)[:k]
    lines = timelines(reference)
    owner, layer = spread(np.full(len(lines), len(chosen), np.int64))
    column = lines.episode[owner], lines.track[owner]
    end = lines.end[owner]
    return laid(reference, *column, np.zeros(len(end), np.int64), end, chosen[layer], names)


def empty(reference: Annotations) -> Annotations:
    """Say nothing: no segment at all."""
    none = np.zeros(0, np.int32)
    times = np.zeros(0, np.int64)
    return laid(reference, none, none, times, times, none, ())


def _one_each(
    reference: Annotations, lines: Timelines, label: Int32 | None, labels: tuple[str, ...]
) -> Annotations:
    """Return one segment a timeline, over all of it."""
    if label is None:
        label = np.zeros(len(lines), np.int32)
    start = np.zeros(len(lines), np.int64)
    return laid(reference, lines.episode, lines.track, start, lines.end, label, labels)


def _group(reference: Annotations, lines: Timelines) -> Int64:
    """Return what `Annotations.group` is, for timelines."""
    return lines.episode.astype(np.int64) * max(len(reference.tracks), 1) + lines.track


def _totals(reference: Annotations, group: Int64) -> tuple[Int64, Int64, Int64, Index]:
    """Return the time of each label in each group, and when it is first seen there."""
    key = group * max(len(reference.labels), 1) + reference.label
    keys, place = np.unique(key, return_inverse=True)
    total = np.zeros(len(keys), np.int64)
    np.add.at(total, place, reference.length)
    seen = np.full(len(keys), len(reference), np.intp)
    rank = np.empty(len(reference), np.intp)
    rank[canonical(reference)] = np.arange(len(reference))
    np.minimum.at(seen, place, rank)
    n = max(len(reference.labels), 1)
    return keys // n, keys % n, total, seen


def _most_time(reference: Annotations, group: Int64) -> tuple[Int64, Int32]:
    """Return the label with most time in each group, a tie to the one seen first."""
    groups, label, total, seen = _totals(reference, group)
    order = np.lexsort((seen, -total, groups))
    best = order[np.flatnonzero(np.diff(groups[order], prepend=-1))]
    return groups[best], label[best].astype(np.int32)


def _by_time(reference: Annotations) -> Int32:
    """Return the labels of the corpus by their time, most first."""
    _, label, total, seen = _totals(reference, np.zeros(len(reference), np.int64))
    return label[np.lexsort((seen, -total))].astype(np.int32)


def _longest_segment(reference: Annotations) -> tuple[Int64, Int32]:
    """Return the label of each group's longest segment, a tie to the one seen first."""
    order = canonical(reference)
    order = order[np.lexsort((-reference.length[order], reference.group[order]))]
    best = order[np.flatnonzero(np.diff(reference.group[order], prepend=-1))]
    return reference.group[best], reference.label[best]
