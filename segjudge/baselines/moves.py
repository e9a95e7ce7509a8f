"""What may be done to a prediction's times: cut, merge, copy, move, round, drop, stretch.

Each is one function from annotations to annotations; labels stay as they are.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from segjudge.annotations import Annotations, Bool, Int64
from segjudge.baselines.chance import noise
from segjudge.baselines.timelines import canonical, ends, spread


def cut(prediction: Annotations, k: int = 2) -> Annotations:
    """Cut every segment into `k` pieces of equal length, to the microsecond."""
    owner, piece = spread(np.full(len(prediction), k, np.int64))
    pieces = prediction.rows(owner)
    # length * piece // k in parts that don't overflow.
    whole, rest = pieces.length // k, pieces.length % k
    start = pieces.start + whole * piece + rest * piece // k
    end = pieces.start + whole * (piece + 1) + rest * (piece + 1) // k
    return _moved(pieces, start, end)


def merge(prediction: Annotations, gap: int = 0) -> Annotations:
    """Merge segments of one label that touch, overlap, or are at most `gap` apart.

    Parameters
    ----------
    prediction : Annotations
    gap : int
        Microseconds.
    """
    order = np.lexsort((prediction.end, prediction.start, prediction.label, prediction.group))
    sides = prediction.rows(order)
    if not len(sides):
        return _moved(sides, sides.start, sides.end)
    other = (np.diff(sides.group) != 0) | (np.diff(sides.label) != 0)
    run = np.concatenate(([0], np.cumsum(other)))
    # The furthest end of a run so far; ranks in place of times keep runs apart.
    times, rank = np.unique(sides.end, return_inverse=True)
    furthest = np.maximum.accumulate(run * len(times) + rank)
    reached = times[furthest - run * len(times)]
    fresh = np.concatenate(([True], other | (sides.start[1:] > reached[:-1] + gap)))
    first = np.flatnonzero(fresh)
    end = np.maximum.reduceat(sides.end, first)
    return _moved(sides.rows(first), sides.start[first], end)


def duplicate(prediction: Annotations, n: int = 2) -> Annotations:
    """Give every segment `n` times."""
    return _copied(prediction, np.full(len(prediction), n, np.int64))


def stack(prediction: Annotations, accepted: Bool, n: int = 10) -> Annotations:
    """Give what was accepted `n` times, and the rest once.

    Parameters
    ----------
    prediction : Annotations
    accepted : ndarray of bool, shape (n_segments,)
        Whether a segment earns anything as it is.
    n : int
    """
    return _copied(prediction, np.where(accepted, n, 1))


def shift(prediction: Annotations, by: int = 500_000) -> Annotations:
    """Move all boundaries by the same time, not below 0."""
    start, end = (np.maximum(time + by, 0) for time in (prediction.start, prediction.end))
    return _moved(prediction, start, end)


def jitter(prediction: Annotations, most: int = 500_000, seed: int = 0) -> Annotations:
    """Move each boundary by up to `most` either way, evenly, not below 0.

    Equal times of one episode and track move together, so touching segments still touch. A
    segment that would be turned around is turned back.
    """
    moved = []
    for time in (prediction.start, prediction.end):
        chance = noise(prediction, seed, time) % np.uint64(2 * most + 1)
        moved.append(np.maximum(time + chance.astype(np.int64) - most, 0))
    return _moved(prediction, np.minimum(*moved), np.maximum(*moved))


def round_to(prediction: Annotations, step: int = 1_000_000) -> Annotations:
    """Round all times to the nearest multiple of `step`, halves up; nothing is dropped."""
    start, end = ((time + step // 2) // step * step for time in _times(prediction))
    return _moved(prediction, start, end)


def floor_to(prediction: Annotations, step: int = 1_000_000) -> Annotations:
    """Cut all times down to a multiple of `step`, as MM:SS does; nothing is dropped."""
    start, end = (time // step * step for time in _times(prediction))
    return _moved(prediction, start, end)


def drop_shortest(prediction: Annotations, share: Fraction = Fraction(1, 10)) -> Annotations:
    """Drop the shortest segments, so many that they are at most `share` of all."""
    count = int(len(prediction) * share)
    order = canonical(prediction)
    order = order[np.argsort(prediction.length[order], kind="stable")]
    keep = np.ones(len(prediction), np.bool_)
    keep[order[:count]] = False
    kept = prediction.rows(keep)
    return _moved(kept, kept.start, kept.end)


def stretch(prediction: Annotations, how: str = "ends") -> Annotations:
    """Stretch segments so that each episode's track is covered from 0 to the episode's end.

    Parameters
    ----------
    prediction : Annotations
        Its episodes' durations say where they end; unknown ones end with their last segment.
    how : {"ends", "gaps", "each"}
        ``ends``: the first segment begins at 0 and the last one ends with the episode.
        ``gaps``: so, and each lasts until the next one begins. ``each``: every segment covers
        the whole, one on the other.
    """
    order = canonical(prediction)
    sides = prediction.rows(order)
    last = ends(prediction)[sides.episode]
    if how == "each" or not len(sides):
        return _moved(sides, np.minimum(0, sides.start), np.maximum(last, sides.end))
    start, end = sides.start.copy(), sides.end.copy()
    opens = np.diff(sides.group, prepend=-1) != 0
    start[opens] = np.minimum(0, start[opens])
    if how == "gaps":
        following = np.flatnonzero(~opens)
        end[following - 1] = np.maximum(end[following - 1], sides.start[following])
    closing = _latest(sides, np.flatnonzero(opens))
    end[closing] = np.maximum(end[closing], last[closing])
    return _moved(sides, start, end)


def _latest(sides: Annotations, first: Int64) -> Int64:
    """Return, for each group of rows, the one that ends last."""
    order = np.lexsort((sides.start, sides.end, np.cumsum(np.diff(sides.group, prepend=-1) != 0)))
    return np.asarray(order[np.append(first[1:], len(order)) - 1], np.int64)


def _times(prediction: Annotations) -> tuple[Int64, Int64]:
    return prediction.start, prediction.end


def _copied(prediction: Annotations, count: Int64) -> Annotations:
    copies = prediction.rows(np.repeat(np.arange(len(prediction)), count))
    return _moved(copies, copies.start, copies.end)


def _moved(prediction: Annotations, start: Int64, end: Int64) -> Annotations:
    """Return the same segments with other times; what was found in the file no longer holds."""
    return replace(prediction, start=start, end=end, source=None, findings=())
