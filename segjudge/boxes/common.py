"""Two sides of boxes made comparable: the same episodes, frame rates and space."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from segjudge.annotations import Int64
from segjudge.boxes.columns import Absences, Boxes, Clips, Index
from segjudge.boxes.spaces import FRAME, PIXEL, scaled
from segjudge.errors import InputError, Problem, shown


def align_boxes(reference: Boxes, prediction: Boxes) -> tuple[Boxes, Boxes]:
    """Give both sides the reference's episodes, sorted by id, and one space.

    An episode that the prediction lacks is empty there.

    Raises
    ------
    InputError
        The prediction has an episode that the reference lacks; or the sides are given in
        different spaces, and a clip's size in pixels is unknown.
    """
    file = prediction.source.file if prediction.source else ""
    known = set(reference.episodes)
    unknown = [name for name in prediction.episodes if name not in known]
    if unknown:
        expected = "an id that the reference has (see --episodes and --id-map)"
        raise InputError(Problem(file, "", "episode id", shown(n), expected) for n in unknown)
    episodes = tuple(sorted(known))
    return in_one_space(_ordered(reference, episodes), _ordered(prediction, episodes))


def _ordered(side: Boxes, episodes: tuple[str, ...]) -> Boxes:
    """Return a side with its episodes in the given order."""
    own = {name: row for row, name in enumerate(side.episodes)}
    new = {name: row for row, name in enumerate(episodes)}
    place = np.array([new[name] for name in side.episodes], np.int32)
    taken: Index = np.array([own.get(name, -1) for name in episodes], np.intp)
    absent = side.absent
    return replace(
        side,
        episode=place[side.episode] if len(place) else side.episode,
        absent=Absences(
            place[absent.episode] if len(place) else absent.episode, absent.hand, absent.time
        ),
        episodes=episodes,
        clips=side.clips.take(taken),
    )


def in_one_space(reference: Boxes, prediction: Boxes) -> tuple[Boxes, Boxes]:
    """Bring two sides of the same episodes into one space.

    Sides given in the same space stay as they are, so nothing is rounded; pixels of two frame
    sizes become those of the reference's. Where one side is given in pixels and the other in
    parts of the frame, the latter become pixels.
    """
    if reference.space == prediction.space == "frame":
        return reference, prediction
    if reference.space == prediction.space:
        return reference, _resized(prediction, reference.clips)
    if reference.space == "px":
        return reference, _in_pixels(prediction, _size(reference.clips, prediction.clips))
    return _in_pixels(reference, _size(prediction.clips, reference.clips)), prediction


def _size(own: Clips, other: Clips) -> Int64:
    """Return width and height of the pixels of one side, shape (n_episodes, 2)."""
    sizes = [np.column_stack((clips.width, clips.height)) for clips in (own, other)]
    whole = np.all(sizes[0] > 0, axis=1)[:, None]
    return np.asarray(np.where(whole, sizes[0], sizes[1]), np.int64)


def _in_pixels(side: Boxes, size: Int64) -> Boxes:
    """Turn parts of the frame into pixels."""
    lacking = np.unique(side.episode[np.any(size[side.episode] <= 0, axis=1)]).tolist()
    if lacking:
        file = side.source.file if side.source else ""
        expected = "width and height of its frames, as one side is in pixels and the other not"
        raise InputError(
            Problem(file, f"episode {side.episodes[i]!r}", "", "", expected) for i in lacking
        )
    corners = scaled(side.corners, np.tile(size[side.episode], 2), FRAME // PIXEL)
    return replace(side, corners=corners, space="px")


def _resized(side: Boxes, to: Clips) -> Boxes:
    """Turn pixels of a resized video into those of the original, where both sizes are known."""
    sizes = [np.column_stack((clips.width, clips.height)) for clips in (side.clips, to)]
    differ = np.all((sizes[0] > 0) & (sizes[1] > 0), axis=1) & np.any(sizes[0] != sizes[1], axis=1)
    rows = np.flatnonzero(differ[side.episode])
    if not len(rows):
        return side
    corners = side.corners.copy()
    own, new = (np.tile(size[side.episode[rows]], 2) for size in sizes)
    corners[rows] = scaled(corners[rows], new, own)
    return replace(side, corners=corners)
