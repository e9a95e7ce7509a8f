"""Boxes: hand boxes of a whole corpus as columns, one row a box."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from segjudge.annotations import Bool, Float, Int32, Int64, Source
from segjudge.boxes.spaces import Space
from segjudge.findings import Finding

#: The hands, in the order of their index.
HANDS = ("left", "right")

Index = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Clips:
    """A row an episode, in the order of ``Boxes.episodes``.

    Attributes
    ----------
    rate_n, rate_d : ndarray of int64, shape (n_episodes,)
        Frames a second as a fraction; ``0 / 1`` where the file says nothing.
    width, height : ndarray of int64, shape (n_episodes,)
        Size of a frame in pixels; -1 where the file says nothing.
    duration : ndarray of int64, shape (n_episodes,)
        Microseconds; -1 where the file says nothing.
    """

    rate_n: Int64
    rate_d: Int64
    width: Int64
    height: Int64
    duration: Int64

    @classmethod
    def unknown(cls, n_episodes: int) -> Clips:
        """Return a table that knows nothing of `n_episodes` episodes."""
        nothing = np.full(n_episodes, -1, np.int64)
        zero, one = np.zeros(n_episodes, np.int64), np.ones(n_episodes, np.int64)
        return cls(zero, one, nothing, nothing, nothing)

    def take(self, rows: Index) -> Clips:
        """Return the table with the given rows; row -1 is an episode nothing is known of."""
        known, taken = rows >= 0, Clips.unknown(len(rows))
        columns = {}
        for name in self.__slots__:
            column = getattr(taken, name).copy()
            column[known] = getattr(self, name)[rows[known]]
            columns[name] = column
        return Clips(**columns)


@dataclass(frozen=True, slots=True, eq=False)
class Absences:
    """Moments of which a file says outright that a hand has no box.

    Attributes
    ----------
    episode, hand : ndarray of int32, shape (n,)
    time : ndarray of int64, shape (n,)
        Microseconds.
    """

    episode: Int32
    hand: Int32
    time: Int64

    @classmethod
    def none(cls) -> Absences:
        """Return no moment at all."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Hand boxes as columns.

    Attributes
    ----------
    episode, hand : ndarray of int32, shape (n,)
        Indices into `episodes` and `HANDS`.
    time : ndarray of int64, shape (n,)
        Microseconds on the episode's own clock.
    corners : ndarray of int64, shape (n, 4)
        x1, y1, x2, y2 on the grid of `space`, ``x1 <= x2`` and ``y1 <= y2``.
    score : ndarray of float64, shape (n,)
        The model's confidence; NaN where it gives none.
    absent : Absences
    episodes : tuple of str
    clips : Clips
    space : {"px", "frame"}
        What the grid divides: the pixel or the frame (`spaces`).
    source : Source or None
    findings : tuple of Finding
    """

    episode: Int32
    hand: Int32
    time: Int64
    corners: Int64
    score: Float
    absent: Absences
    episodes: tuple[str, ...]
    clips: Clips
    space: Space
    source: Source | None = None
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.time)
        columns = (self.episode, self.hand, self.corners, self.score)
        if any(len(column) != n for column in columns):
            raise ValueError("columns differ in length")
        if self.corners.shape != (n, 4):
            raise ValueError("a box has four coordinates")
        if len(self.clips.duration) != len(self.episodes):
            raise ValueError("the clips differ in length from the episodes")

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        return f"Boxes({len(self)} boxes, {len(self.episodes)} episodes, in {self.space})"

    def rows(self, keep: Bool | Index) -> Boxes:
        """Return the boxes that a mask or indices keep."""
        return replace(
            self,
            episode=self.episode[keep],
            hand=self.hand[keep],
            time=self.time[keep],
            corners=self.corners[keep],
            score=self.score[keep],
        )
