"""The collector: readers put clips and boxes in, `Boxes` come out, or every problem."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from segjudge.annotations import Float, Int64, Source, Vocabulary
from segjudge.boxes import FRAME, HANDS, LARGEST, PIXEL, Absences, Boxes, Clips, Coords, Order
from segjudge.boxes.spaces import Space, on_grid, space_of
from segjudge.errors import InputError, Problem, shown
from segjudge.findings import Finding, finding
from segjudge.formats.build import seen

#: Frame rates are taken as the simplest fraction nearby with at most this denominator.
LARGEST_DENOMINATOR = 100_000


class Collector:
    """Collects boxes clip by clip; nothing is raised before `build`."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self.file = file
        self.problems = problems
        self._index = Vocabulary()
        self._places: dict[str, str] = {}
        self._rates: dict[int, Fraction] = {}
        self._sizes: dict[int, tuple[int, int]] = {}
        self._durations: dict[int, int] = {}
        self._spaces: dict[Space, str] = {}
        self._boxes: list[tuple[int, int, Int64, Int64, Float]] = []
        self._absent: list[tuple[int, int, Int64]] = []

    def problem(self, place: str, field: str, value: str, expected: str) -> None:
        """Note one thing wrong with the file."""
        self.problems.append(Problem(self.file, place, field, value, expected))

    def new_clip(self, name: str, place: str) -> int:
        """Begin a clip that must not have been there before; return its index."""
        if name in self._index:
            expected = f"an id of its own; the episode is there already ({self._places[name]})"
            self.problem(place, "episode id", seen(name), expected)
        self._places.setdefault(name, place)
        return self._index[name]

    def clip(self, name: str) -> int:
        """Return the index of a clip, made if need be: for tables of one box a row."""
        return self._index[name]

    def about(
        self,
        clip: int,
        rate: Fraction | None = None,
        size: tuple[int, int] | None = None,
        duration: int | None = None,
    ) -> None:
        """Set what is known of a clip."""
        if rate is not None:
            self._rates[clip] = rate.limit_denominator(LARGEST_DENOMINATOR)
        if size is not None:
            self._sizes[clip] = size
        if duration is not None:
            self._durations[clip] = duration

    def rate(self, clip: int) -> Fraction | None:
        """Return frames a second of a clip, as far as known."""
        return self._rates.get(clip)

    def add(
        self,
        clip: int,
        hand: int,
        times: Int64,
        values: Float,
        scores: Float,
        coords: Coords,
        order: Order,
        where: Callable[[int], str],
    ) -> None:
        """Add sound boxes of one hand of a clip.

        Parameters
        ----------
        times : ndarray of int64, shape (n,)
        values : ndarray of float64, shape (n, 4)
            As the file gives them.
        scores : ndarray of float64, shape (n,)
        where : callable
            Says where the box of that row stands, for messages.
        """
        if not len(times):
            return
        space = space_of(coords)
        if space not in self._spaces:
            self._spaces[space] = where(0)
        corners = on_grid(values, coords, order)
        reversed_ = np.any(corners[:, 2:] < corners[:, :2], axis=1)
        far = np.any(np.abs(corners) > LARGEST, axis=1)
        for row in np.flatnonzero(reversed_ & ~far).tolist():
            expected = f"a box whose end is not before its start ({coords}, {order})"
            self.problem(where(row), HANDS[hand], shown(values[row].tolist()), expected)
        for row in np.flatnonzero(far)[:1].tolist():
            # One wrong declaration puts every box of a clip far away: told once.
            more = f" ({far.sum() - 1} more of this hand)" if far.sum() > 1 else ""
            expected = f"coordinates nearer to the frame; are they {coords}?{more}"
            self.problem(where(row), HANDS[hand], shown(values[row].tolist()), expected)
        self._boxes.append((clip, hand, times, corners, scores))

    def absent(self, clip: int, hand: int, times: Int64) -> None:
        """Add moments of which the file says that the hand has no box."""
        self._absent.append((clip, hand, times))

    def build(self, source: Source) -> Boxes:
        """Return the boxes.

        Raises
        ------
        InputError
            With every problem noted.
        """
        if len(self._spaces) > 1:
            both = " and ".join(f"{space} ({place})" for space, place in self._spaces.items())
            self.problem("", "coords", both, "pixels or parts of the frame, not both in one file")
        if not self._index and not self.problems:
            self.problem("", "", "", "at least one episode; there is none")
        if self.problems:
            raise InputError(self.problems)
        space: Space = next(iter(self._spaces), "frame")
        none = Absences.none()
        built = Boxes(
            _spread([(c, t) for c, _, t, _, _ in self._boxes]),
            _spread([(h, t) for _, h, t, _, _ in self._boxes]),
            _joined([t for _, _, t, _, _ in self._boxes]),
            np.concatenate([np.zeros((0, 4), np.int64), *(b for _, _, _, b, _ in self._boxes)]),
            np.concatenate([np.zeros(0), *(s for *_, s in self._boxes)]),
            Absences(
                _spread([(c, t) for c, _, t in self._absent]),
                _spread([(h, t) for _, h, t in self._absent]),
                _joined([t for _, _, t in self._absent]),
            )
            if self._absent
            else none,
            tuple(self._index),
            self._clips(),
            space,
            source,
        )
        return _with_findings(built)

    def _clips(self) -> Clips:
        n = range(len(self._index))
        rates = [self._rates.get(i, Fraction(0)) for i in n]
        sizes = [self._sizes.get(i, (-1, -1)) for i in n]
        return Clips(
            np.array([rate.numerator for rate in rates], np.int64),
            np.array([rate.denominator for rate in rates], np.int64),
            np.array([width for width, _ in sizes], np.int64),
            np.array([height for _, height in sizes], np.int64),
            np.array([self._durations.get(i, -1) for i in n], np.int64),
        )


def _spread(chunks: list[tuple[int, Int64]]) -> np.ndarray:
    """Repeat the number of each chunk over its rows."""
    return np.repeat(
        np.array([number for number, _ in chunks], np.int32), [len(rows) for _, rows in chunks]
    )


def _joined(chunks: list[Int64]) -> Int64:
    return np.concatenate([np.zeros(0, np.int64), *chunks])


def _with_findings(boxes: Boxes) -> Boxes:
    """Say what is odd about boxes that are sound by themselves."""
    width, height = (
        (np.full(len(boxes), FRAME),) * 2
        if boxes.space == "frame"
        else (boxes.clips.width[boxes.episode] * PIXEL, boxes.clips.height[boxes.episode] * PIXEL)
    )
    known = width > 0
    x1, y1, x2, y2 = boxes.corners.T
    past = known & ((x2 > width) | (y2 > height) | (x1 < 0) | (y1 < 0))
    duration = boxes.clips.duration[boxes.episode]
    late = (duration >= 0) & (boxes.time > duration)
    checks = (
        ((x1 == x2) | (y1 == y2), "flat_boxes", "have no area"),
        (past, "boxes_past_frame", "reach past the frame; are --coords and --order right?"),
        (late, "boxes_past_duration", "lie past the end of their clip"),
    )  # fmt: skip
    found = [_finding(boxes, np.flatnonzero(hit), code, says) for hit, code, says in checks]
    return Boxes(
        boxes.episode, boxes.hand, boxes.time, boxes.corners, boxes.score, boxes.absent,
        boxes.episodes, boxes.clips, boxes.space, boxes.source,
        tuple(item for item in found if item is not None),
    )  # fmt: skip


def _finding(boxes: Boxes, rows: np.ndarray, code: str, says: str) -> Finding | None:
    if not len(rows):
        return None
    places = (
        f"episode {boxes.episodes[boxes.episode[i]]!r}, {HANDS[boxes.hand[i]]}, "
        f"{boxes.time[i] / 1e6:g} s"
        for i in rows[:100].tolist()
    )
    text = f"{len(rows)} of {len(boxes)} boxes {says}"
    return finding(code, text, level="warning", count=len(rows), places=places)
