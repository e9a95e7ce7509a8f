"""From times to frames: each box moves to frame round(t * fps), half of a frame upwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from segjudge.annotations import MICROSECONDS, Int64
from segjudge.boxes.columns import HANDS, Boxes, Clips, Index
from segjudge.errors import InputError, Problem

SameFrame = Literal["error", "score", "nearest"]
SAME_FRAME: tuple[SameFrame, ...] = get_args(SameFrame)

#: No clip has more frames.
MOST_FRAMES = 2**31


@dataclass(frozen=True, slots=True, eq=False)
class Framed:
    """Boxes on the frames of their clips, at most one a hand and frame, sorted.

    Attributes
    ----------
    series : ndarray of int64, shape (n,)
        ``episode * len(HANDS) + hand``: what is interpolated along.
    frame : ndarray of int64, shape (n,)
    corners : ndarray of int64, shape (n, 4)
    absent_series, absent_frame : ndarray of int64
        Where the file says outright that there is no box.
    """

    series: Int64
    frame: Int64
    corners: Int64
    absent_series: Int64
    absent_frame: Int64

    def __len__(self) -> int:
        return len(self.frame)


def frame_numbers(time: Int64, rate_n: Int64, rate_d: Int64) -> Int64:
    """Return round(time * rate), exactly, half of a frame upwards.

    Parameters
    ----------
    time : ndarray of int64, shape (n,)
        Microseconds, at least 0.
    rate_n, rate_d : ndarray of int64, shape (n,)
        Frames a second as a fraction.
    """
    if int(time.max(initial=0)) * int(rate_n.max(initial=0)) >= 2**61:
        time, rate_n, rate_d = time.astype(object), rate_n.astype(object), rate_d.astype(object)
    step = 2 * MICROSECONDS * rate_d
    frames = np.minimum((2 * time * rate_n + step // 2) // step, MOST_FRAMES)
    return np.asarray(frames, np.int64)


def on_frames(boxes: Boxes, clips: Clips, same_frame: SameFrame = "error") -> Framed:
    """Move boxes to the frames of the clips, which are the reference's.

    Parameters
    ----------
    boxes : Boxes
    clips : Clips
        In the order of the boxes' episodes.
    same_frame : {"error", "score", "nearest"}
        What happens to several boxes of one hand on one frame: an error; the one with the
        highest score stays; the one whose time is nearest to the frame's stays.

    Raises
    ------
    InputError
        A clip has no frame rate or too many frames; several boxes of a hand fall on one frame
        and `same_frame` does not choose. Every case is named.
    """
    _check_rates(boxes, clips)
    frame = frame_numbers(boxes.time, clips.rate_n[boxes.episode], clips.rate_d[boxes.episode])
    series = boxes.episode.astype(np.int64) * len(HANDS) + boxes.hand
    key = series * (MOST_FRAMES + 1) + frame
    order = np.argsort(key, kind="stable")
    if np.any(key[order[1:]] == key[order[:-1]]):
        order = np.lexsort((*_preference(boxes, clips, frame, same_frame), key))
    series, frame, key = series[order], frame[order], key[order]
    first = np.append(np.ones(1, np.bool_), key[1:] != key[:-1])[: len(key)]
    problems = list(_problems(boxes, order, frame, first, same_frame))
    if problems:
        raise InputError(problems)
    absent = boxes.absent
    absent_frame = frame_numbers(
        absent.time, clips.rate_n[absent.episode], clips.rate_d[absent.episode]
    )
    absent_series = absent.episode.astype(np.int64) * len(HANDS) + absent.hand
    return Framed(
        series[first], frame[first], boxes.corners[order[first]], absent_series, absent_frame
    )


def _check_rates(boxes: Boxes, clips: Clips) -> None:
    """Refuse clips whose frame rate nobody says."""
    used = np.unique(np.concatenate((boxes.episode, boxes.absent.episode)))
    lacking = used[clips.rate_n[used] <= 0].tolist()
    if lacking:
        file = boxes.source.file if boxes.source else ""
        raise InputError(
            Problem(file, f"episode {boxes.episodes[i]!r}", "fps", "", "frames a second, or --fps")
            for i in lacking
        )


def _preference(
    boxes: Boxes, clips: Clips, frame: Int64, same_frame: SameFrame
) -> tuple[np.ndarray, ...]:
    """Return sort keys that put the box to stay first, whatever the order of rows."""
    least = (*boxes.corners.T[::-1], boxes.time)
    if same_frame == "score":
        return (*least, -np.nan_to_num(boxes.score, nan=-np.inf))
    if same_frame == "nearest":
        # Twice the distance from the frame, in units of 1 / (1,000,000 * rate) seconds.
        n = clips.rate_n[boxes.episode].astype(object)
        d = clips.rate_d[boxes.episode].astype(object)
        away = abs(boxes.time.astype(object) * n - frame.astype(object) * d * MICROSECONDS)
        return (*least, np.asarray(away / (n * MICROSECONDS), np.float64))
    return least


def _problems(
    boxes: Boxes, order: Index, frame: Int64, first: np.ndarray, same_frame: SameFrame
) -> Iterator[Problem]:
    """Say which boxes lie beyond the last possible frame, or share one where none may."""
    file = boxes.source.file if boxes.source else ""
    for row in np.flatnonzero(frame >= MOST_FRAMES).tolist():
        yield Problem(file, _place(boxes, order[row]), "t", "", "a frame; is the unit right?")
    repeated = np.flatnonzero(~first)
    if same_frame == "score":
        repeated = repeated[np.isnan(boxes.score[order[repeated]])]
    elif same_frame == "nearest":
        return
    for row in repeated.tolist():
        expected = f"one box a hand and frame; frame {frame[row]} has another"
        if same_frame == "score":
            expected += ", and this one has no score to choose by"
        yield Problem(file, _place(boxes, order[row]), "", "", expected)


def _place(boxes: Boxes, row: int) -> str:
    time = boxes.time[row] / MICROSECONDS
    return f"episode {boxes.episodes[boxes.episode[row]]!r}, {HANDS[boxes.hand[row]]}, {time:g} s"
