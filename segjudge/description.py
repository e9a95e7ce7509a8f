"""What a set of annotations is like: durations, gaps, overlaps, labels, hands on screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from segjudge.annotations import MICROSECONDS, Annotations, Bool, Int64
from segjudge.boxes import HANDS, Boxes, frame_numbers
from segjudge.overlaps import self_overlap

#: Shares of the segments that are at most as long as the figure says.
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)

SECOND = 1_000_000

#: The labels with most time are named.
MOST_LABELS = 10


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long things are, in seconds.

    Attributes
    ----------
    count : int
    total_s : float
    mean_s : float or None
    quantiles_s : dict of str to float
        Share -> length that this share doesn't exceed; between two lengths on a straight line.
    """

    count: int
    total_s: float
    mean_s: float | None
    quantiles_s: dict[str, float]

    @classmethod
    def of(cls, lengths: Int64) -> Lengths:
        """Describe lengths in microseconds."""
        if not len(lengths):
            return cls(0, 0.0, None, {})
        seconds = lengths / MICROSECONDS
        values = np.quantile(seconds, QUANTILES).tolist()
        total = int(lengths.sum()) / MICROSECONDS
        named = {f"{share:g}": value for share, value in zip(QUANTILES, values, strict=True)}
        return cls(len(lengths), total, total / len(lengths), named)


@dataclass(frozen=True, slots=True)
class Timelines:
    """What the timelines of one track, or of all, are like.

    Attributes
    ----------
    episodes : int
        Those with a segment.
    segments : Lengths
    per_episode : float or None
        Segments an episode that has any.
    below_1_s, below_half_s, of_zero_length : int
    gaps : Lengths
        Times between a segment and the next of its timeline, where nothing is annotated.
    annotated_share : float or None
        Share of the timelines under a segment: from 0 to the episode's duration, or to its last
        segment where the file gives no duration.
    overlapped_s : float
        Time that timelines stack on themselves.
    overlapping : int
        Segments that overlap an earlier one of their timeline.
    labels : int
        Distinct ones.
    most : list of (str, int, float)
        The labels with most time: label, segments, seconds.
    """

    episodes: int
    segments: Lengths
    per_episode: float | None
    below_1_s: int
    below_half_s: int
    of_zero_length: int
    gaps: Lengths
    annotated_share: float | None
    overlapped_s: float
    overlapping: int
    labels: int
    most: list[tuple[str, int, float]]


def describe(annotations: Annotations) -> dict[str, Timelines]:
    """Return what each track is like, and all of them together under ``all`` if there are several.

    Parameters
    ----------
    annotations : Annotations
    """
    used = np.unique(annotations.track).tolist()
    found = {
        annotations.tracks[track]: _timelines(annotations.rows(annotations.track == track))
        for track in sorted(used, key=lambda i: annotations.tracks[i])
    }
    return found if len(found) == 1 else {"all": _timelines(annotations), **found}


def _timelines(side: Annotations) -> Timelines:
    length = side.length
    episodes = len(np.unique(side.episode))
    gaps, overlapping = _between(side)
    stacked = int(self_overlap(side).sum())
    whole = _whole(side)
    return Timelines(
        episodes,
        Lengths.of(length),
        len(side) / episodes if episodes else None,
        int((length < SECOND).sum()),
        int((length < SECOND // 2).sum()),
        int((length == 0).sum()),
        Lengths.of(gaps),
        (int(length.sum()) - stacked) / whole if whole else None,
        stacked / MICROSECONDS,
        overlapping,
        len(np.unique(side.label)),
        _most(side),
    )


def _between(side: Annotations) -> tuple[Int64, int]:
    """Return the gaps inside the timelines, and how many segments overlap an earlier one."""
    order = np.lexsort((side.end, side.start, side.group))
    group, start, end = side.group[order], side.start[order], side.end[order]
    # Ranks in place of times keep all timelines on one axis without overflow.
    times = np.unique(np.concatenate((start, end)))
    base = group * (len(times) + 1)
    reached = np.maximum.accumulate(base + np.searchsorted(times, end))[:-1]
    same = group[1:] == group[:-1]
    until = times[(reached - base[1:])[same]]
    between = start[1:][same] - until
    overlapping = (between < 0) & (end[1:][same] > start[1:][same])
    return between[between > 0], int(overlapping.sum())


def _whole(side: Annotations) -> int:
    """Return the length of all timelines together."""
    groups, first = np.unique(side.group, return_index=True)
    last = np.zeros(len(groups), np.int64)
    np.maximum.at(last, np.searchsorted(groups, side.group), side.end)
    duration = side.table.duration[side.episode[first]]
    return int(np.where(duration >= 0, np.maximum(duration, last), last).sum())


def _most(side: Annotations) -> list[tuple[str, int, float]]:
    segments = np.bincount(side.label, minlength=len(side.labels))
    time = np.zeros(len(side.labels), np.int64)
    np.add.at(time, side.label, side.length)
    order = sorted(np.unique(side.label).tolist(), key=lambda i: (-time[i], side.labels[i]))
    return [
        (side.labels[i], int(segments[i]), int(time[i]) / MICROSECONDS) for i in order[:MOST_LABELS]
    ]


@dataclass(frozen=True, slots=True)
class OnScreen:
    """Shares of the time, or of the frames, with hands.

    Attributes
    ----------
    left, right, both, either : float or None
        None where nothing says how long the clips are.
    whole : float
        What they are shares of: seconds, or frames.
    """

    left: float | None
    right: float | None
    both: float | None
    either: float | None
    whole: float

    @classmethod
    def of(cls, left: int, right: int, either: int, whole: int, per_unit: int) -> OnScreen:
        """Make it from lengths; what both have is what each has less what either has."""

        def share(part: int) -> float | None:
            return part / whole if whole else None

        both = left + right - either
        return cls(share(left), share(right), share(both), share(either), whole / per_unit)


def hands_in_segments(annotations: Annotations) -> OnScreen | None:
    """Return the shares of the clips' time under a segment of each hand; None without hands.

    A clip lasts as long as the file says, or to its last segment.
    """
    if not set(HANDS) & {annotations.tracks[i] for i in np.unique(annotations.track)}:
        return None
    named = [annotations.tracks.index(hand) for hand in HANDS if hand in annotations.tracks]
    only = annotations.rows(np.isin(annotations.track, named))
    left, right = (_covered(only.rows(_of(only, hand))) for hand in HANDS)
    either = _covered(replace(only, track=np.zeros_like(only.track)))
    last = np.zeros(len(only.episodes), np.int64)
    np.maximum.at(last, only.episode, only.end)
    duration = only.table.duration
    whole = int(np.where(duration >= 0, np.maximum(duration, last), last).sum())
    return OnScreen.of(left, right, either, whole, MICROSECONDS)


def _of(side: Annotations, track: str) -> Bool:
    if track not in side.tracks:
        return np.zeros(len(side), np.bool_)
    return np.asarray(side.track == side.tracks.index(track), np.bool_)


def _covered(side: Annotations) -> int:
    """Return the length of the union of all segments, each timeline by itself."""
    return int(side.length.sum()) - int(self_overlap(side).sum())


def hands_in_boxes(boxes: Boxes) -> OnScreen:
    """Return the shares of the clips' frames with a box of each hand.

    A clip has as many frames as its duration says, or as its last box.
    """
    clips = boxes.clips
    known = np.where(clips.rate_n > 0, clips.rate_n, 0)
    frame = frame_numbers(boxes.time, known[boxes.episode], clips.rate_d[boxes.episode])
    frames = np.zeros(len(boxes.episodes), np.int64)
    np.maximum.at(frames, boxes.episode, frame + 1)
    in_all = frame_numbers(np.maximum(clips.duration, 0), known, clips.rate_d)
    whole = int(np.maximum(frames, in_all)[known > 0].sum())
    key = boxes.episode.astype(np.int64) * (int(frames.max(initial=0)) + 1) + frame
    counted = known[boxes.episode] > 0

    def distinct(hands: Sequence[int]) -> int:
        return len(np.unique(key[counted & np.isin(boxes.hand, hands)]))

    return OnScreen.of(distinct([0]), distinct([1]), distinct([0, 1]), whole, 1)
