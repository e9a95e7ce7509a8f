"""What a user asks to change before boxes are compared: boxes in, boxes out."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from segjudge.boxes.columns import Absences, Boxes
from segjudge.errors import InputError, Problem, shown
from segjudge.findings import finding


def restrict_boxes(boxes: Boxes, chosen: Collection[str] | re.Pattern[str]) -> Boxes:
    """Keep the episodes named, or those whose whole id matches the pattern."""
    if isinstance(chosen, re.Pattern):
        keep = [chosen.fullmatch(name) is not None for name in boxes.episodes]
    else:
        wanted = set(chosen)
        keep = [name in wanted for name in boxes.episodes]
    rows = np.flatnonzero(keep)
    new = np.full(len(boxes.episodes), -1, np.int32)
    new[rows] = np.arange(len(rows), dtype=np.int32)
    left, absent = boxes.rows(new[boxes.episode] >= 0), boxes.absent
    there = new[absent.episode] >= 0
    return replace(
        left,
        episode=new[left.episode],
        absent=Absences(new[absent.episode][there], absent.hand[there], absent.time[there]),
        episodes=tuple(boxes.episodes[i] for i in rows.tolist()),
        clips=boxes.clips.take(rows),
    )


def rename_clips(boxes: Boxes, mapping: Mapping[str, str]) -> Boxes:
    """Give episodes other ids; those not in the mapping keep theirs.

    Raises
    ------
    InputError
        Two episodes would get the same id.
    """
    names = tuple(mapping.get(name, name) for name in boxes.episodes)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(Problem("", "", "--id-map", shown(n), "distinct ids") for n in twice)
    count = sum(old != new for old, new in zip(boxes.episodes, names, strict=True))
    text = f"{count} episodes were given other ids"
    return _noting(replace(boxes, episodes=names), "renamed", text, count)


def shift_boxes(boxes: Boxes, by: Mapping[str, int], every: int = 0) -> Boxes:
    """Move the clock of single episodes, or of all, by microseconds.

    What would lie before 0 is dropped: no frame of the clip is there.

    Parameters
    ----------
    boxes : Boxes
    by : dict of str to int
    every : int
        For episodes not named.
    """
    move = np.array([by.get(name, every) for name in boxes.episodes], np.int64)
    if not np.any(move):
        return boxes
    time = boxes.time + move[boxes.episode]
    absent = boxes.absent
    gone = absent.time + move[absent.episode]
    there = gone >= 0
    moved = replace(
        boxes,
        time=time,
        absent=Absences(absent.episode[there], absent.hand[there], gone[there]),
    )
    lost = int((time < 0).sum())
    text = f"the clock of {np.count_nonzero(move)} episodes was moved; {lost} boxes fell before 0"
    return _noting(moved.rows(time >= 0), "shifted", text, int(np.count_nonzero(move)))


def _noting(boxes: Boxes, code: str, text: str, count: int) -> Boxes:
    """Return the boxes with a further finding, if there is anything to say."""
    if not count:
        return boxes
    return replace(boxes, findings=(*boxes.findings, finding(code, text, count=count)))
