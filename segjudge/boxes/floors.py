"""Boxes that look at no video: a point that stays where it is, over the whole clip, each hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from segjudge.annotations import MICROSECONDS, Int64
from segjudge.boxes.columns import HANDS, Absences, Boxes
from segjudge.boxes.frames import frame_numbers
from segjudge.boxes.spaces import FRAME, PIXEL


def centre(reference: Boxes) -> Boxes | None:
    """Keep both hands in the middle of the frame; None where its size in pixels is unknown.

    A box over the whole frame scores the same, as only centroids count.
    """
    if reference.space == "frame":
        middle = np.full((len(reference.episodes), 2), FRAME // 2, np.int64)
    else:
        clips = reference.clips
        size = np.column_stack((clips.width, clips.height))
        if np.any(size <= 0):
            return None
        middle = size * PIXEL // 2
    return _resting(reference, np.repeat(middle, len(HANDS), axis=0))


def usual(reference: Boxes) -> Boxes:
    """Keep each hand where it usually is: the median of its reference boxes in the corpus."""
    doubled = reference.corners[:, :2] + reference.corners[:, 2:]
    places = []
    for hand in range(len(HANDS)):
        own = np.sort(doubled[reference.hand == hand], axis=0)
        places.append(own[len(own) // 2] // 2 if len(own) else np.zeros(2, np.int64))
    return _resting(reference, np.tile(np.array(places), (len(reference.episodes), 1)))


def _resting(reference: Boxes, points: Int64) -> Boxes:
    """Return each hand at one point, from the first frame to the last of each clip.

    Parameters
    ----------
    points : ndarray of int64, shape (n_episodes * n_hands, 2)
    """
    n, hands = len(reference.episodes), len(HANDS)
    clips, zero = reference.clips, np.zeros(n * 2 * hands, np.int64)
    known = clips.rate_n > 0
    rate_n, rate_d = np.where(known, clips.rate_n, 1), clips.rate_d
    of_boxes = frame_numbers(reference.time, rate_n[reference.episode], rate_d[reference.episode])
    frames = np.zeros(n, np.int64)
    np.maximum.at(frames, reference.episode, of_boxes + 1)
    in_all = frame_numbers(np.maximum(clips.duration, 0), rate_n, rate_d)
    last = np.maximum(frames, in_all) - 1
    # Two boxes a hand, at the first frame and the last; only one where they are the same.
    time = zero.reshape(n, hands, 2).copy()
    time[:, :, 1] = (np.maximum(last, 0) * MICROSECONDS * rate_d // rate_n)[:, None]
    kept = np.repeat((last[:, None] >= [0, 1])[:, None, :], hands, axis=1).ravel()
    made = replace(
        reference,
        episode=np.repeat(np.arange(n, dtype=np.int32), hands * 2),
        hand=np.tile(np.repeat(np.arange(hands, dtype=np.int32), 2), n),
        time=time.ravel(),
        corners=np.tile(np.repeat(points, 2, axis=0), 2),
        score=np.full(n * hands * 2, np.nan),
        absent=Absences.none(),
        source=None,
        findings=(),
    )
    return made.rows(kept)
