"""Annotations: the columns that everything works on, and `align`, which makes sides comparable.

One row is one segment, for the whole corpus. Times are whole microseconds on the episode's own
clock, so sums are exact and touching segments touch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from segjudge.errors import InputError, Problem, shown
from segjudge.findings import Finding

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Float = npt.NDArray[np.float64]

MICROSECONDS = 1_000_000

#: Durations of one side, summed, must stay below this, and no time may lie further from 0, so
#: that no sum or difference of int64 can wrap.
LONGEST_TOTAL = 2**61


@dataclass(frozen=True, slots=True)
class Source:
    """Where annotations come from: file name, SHA-256 of its bytes, format that read it."""

    file: str
    sha256: str
    format: str


@dataclass(frozen=True, slots=True)
class EpisodeTable:
    """A row an episode, in the order of ``Annotations.episodes``.

    Attributes
    ----------
    duration : ndarray of int64, shape (n_episodes,)
        Length in microseconds; -1 where the file says nothing.
    failed : ndarray of bool, shape (n_episodes,)
        The file itself says that this episode failed. It is scored as empty.
    fields : dict of str to tuple
        Whatever else the file said (family, task, instruction, ...), one value an episode,
        None where it said nothing.
    """

    duration: Int64
    failed: Bool
    fields: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    @classmethod
    def empty(cls, n_episodes: int) -> EpisodeTable:
        """Return a table that knows nothing of `n_episodes` episodes."""
        return cls(np.full(n_episodes, -1, np.int64), np.zeros(n_episodes, np.bool_), {})

    def take(self, rows: npt.NDArray[np.intp]) -> EpisodeTable:
        """Return the table with the given rows; row -1 is an episode nothing is known of."""
        known = rows >= 0
        duration = np.full(len(rows), -1, np.int64)
        failed = np.zeros(len(rows), np.bool_)
        duration[known] = self.duration[rows[known]]
        failed[known] = self.failed[rows[known]]
        order = rows.tolist()
        fields = {
            name: tuple(values[i] if i >= 0 else None for i in order)
            for name, values in self.fields.items()
        }
        return EpisodeTable(duration, failed, fields)


@dataclass(frozen=True, slots=True, eq=False)
class Annotations:
    """Segments of a whole corpus as columns.

    Attributes
    ----------
    episode, track, label : ndarray of int32, shape (n,)
        Indices into `episodes`, `tracks` and `labels`. Only segments of the same episode and
        track ever meet.
    start, end : ndarray of int64, shape (n,)
        Microseconds on the episode's own clock, ``start <= end``.
    episodes, tracks, labels : tuple of str
        Episode ids; track names ("" for a single timeline); distinct labels exactly as read.
    table : EpisodeTable
        What is known of each episode.
    source : Source or None
        The file, for the report.
    findings : tuple of Finding
        What was noticed while reading.
    """

    episode: Int32
    track: Int32
    start: Int64
    end: Int64
    label: Int32
    episodes: tuple[str, ...]
    tracks: tuple[str, ...]
    labels: tuple[str, ...]
    table: EpisodeTable
    source: Source | None = None
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.start)
        columns = (self.episode, self.track, self.end, self.label)
        if any(len(column) != n for column in columns):
            raise ValueError("columns differ in length")
        if len(self.table.duration) != len(self.episodes):
            raise ValueError("the episode table differs in length from the episodes")
        if n and bool(np.any(self.end < self.start)):
            raise ValueError("a segment ends before it starts")
        if n and not -LONGEST_TOTAL <= self.start.min() <= self.end.max() <= LONGEST_TOTAL:
            raise InputError("a time is 70,000 years from 0; is the unit of time right?")
        if n and float(np.sum(self.end - self.start, dtype=np.float64)) >= LONGEST_TOTAL:
            raise InputError("the segments last 70,000 years together; is the unit of time right?")

    def __len__(self) -> int:
        return len(self.start)

    def __repr__(self) -> str:
        return (
            f"Annotations({len(self)} segments, {len(self.episodes)} episodes, "
            f"{len(self.tracks)} tracks, {len(self.labels)} labels)"
        )

    @property
    def length(self) -> Int64:
        """Duration of each segment in microseconds, shape (n,)."""
        return self.end - self.start

    @property
    def group(self) -> Int64:
        """Index of each segment's (episode, track), shape (n,); only equal groups meet."""
        return self.episode.astype(np.int64) * max(len(self.tracks), 1) + self.track

    def rows(self, keep: Bool | npt.NDArray[np.intp]) -> Annotations:
        """Return the annotations with the given segments only (mask or indices)."""
        return replace(
            self,
            episode=self.episode[keep],
            track=self.track[keep],
            start=self.start[keep],
            end=self.end[keep],
            label=self.label[keep],
        )

    def sum_by_episode(self, values: Int64) -> Int64:
        """Sum a value a segment over each episode, exactly.

        Parameters
        ----------
        values : ndarray of int64, shape (n,)

        Returns
        -------
        ndarray of int64, shape (n_episodes,)
        """
        sums = np.zeros(len(self.episodes), np.int64)
        np.add.at(sums, self.episode, values)
        return sums

    @classmethod
    def from_segments(
        cls,
        segments: Iterable[tuple[str, str, float, float, str]],
        episodes: Sequence[str] = (),
        table: EpisodeTable | None = None,
    ) -> Annotations:
        """Build annotations from ``(episode, track, start, end, label)`` rows, times in seconds.

        Parameters
        ----------
        segments : iterable of tuple
            Times in seconds, rounded to whole microseconds.
        episodes : sequence of str, optional
            Ids that must exist even when no segment names them, in this order; needed when
            `table` is given.

        Raises
        ------
        ValueError
            A time is not finite, or a segment ends before it starts.
        InputError
            A time is 70,000 years from 0, or the segments last so long together.
        """
        rows = list(segments)
        index = Vocabulary(episodes)
        tracks, labels = Vocabulary(), Vocabulary()
        episode = [index[row[0]] for row in rows]
        track = [tracks[row[1]] for row in rows]
        label = [labels[row[4]] for row in rows]
        seconds = np.array([(row[2], row[3]) for row in rows], np.float64).reshape(-1, 2)
        if not np.all(np.isfinite(seconds)):
            raise ValueError("a time is not finite")
        if np.any(np.abs(seconds) > LONGEST_TOTAL / MICROSECONDS):
            raise InputError("a time is 70,000 years from 0; is the unit of time right?")
        times = np.rint(seconds * MICROSECONDS).astype(np.int64)
        return cls(
            np.array(episode, np.int32),
            np.array(track, np.int32),
            times[:, 0].copy(),
            times[:, 1].copy(),
            np.array(label, np.int32),
            tuple(index),
            tuple(tracks),
            tuple(labels),
            table if table is not None else EpisodeTable.empty(len(index)),
        )


class Vocabulary(dict[str, int]):
    """Distinct strings in the order first seen; ``vocabulary[text]`` gives the index."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        super().__init__()
        for word in words:
            self.setdefault(word, len(self))

    def __missing__(self, word: str) -> int:
        index = self[word] = len(self)
        return index


def align(reference: Annotations, *others: Annotations) -> tuple[Annotations, ...]:
    """Give all sides the same episodes, tracks and labels, in canonical order.

    The episodes are the reference's: an episode that another side lacks is empty there. Each
    side is sorted by (episode id, track, start, end, label), so nothing that follows depends on
    the order of rows or files.

    ::

        reference  episodes (b, a)      ->  (a, b)
        prediction episodes (a)         ->  (a, b)   b is empty

    Parameters
    ----------
    reference : Annotations
        The truth; its episodes are the manifest.
    *others : Annotations
        Predictions, or other references.

    Returns
    -------
    tuple of Annotations
        The reference first; all with identical `episodes`, `tracks` and `labels`.

    Raises
    ------
    InputError
        Another side has an episode that the reference lacks; every such id is named.
    """
    manifest = set(reference.episodes)
    problems = [
        Problem(
            side.source.file if side.source else "",
            "",
            "episode id",
            shown(name),
            "an id that the reference has (see --episodes and --id-map)",
        )
        for side in others
        for name in side.episodes
        if name not in manifest
    ]
    if problems:
        raise InputError(problems)
    sides = (reference, *others)
    episodes = tuple(sorted(manifest))
    tracks = tuple(sorted({track for side in sides for track in side.tracks}))
    labels = tuple(sorted({label for side in sides for label in side.labels}))
    return tuple(_relabelled(side, episodes, tracks, labels) for side in sides)


def _relabelled(
    side: Annotations, episodes: tuple[str, ...], tracks: tuple[str, ...], labels: tuple[str, ...]
) -> Annotations:
    """Return one side with the given vocabularies, in canonical order."""
    episode = _renumbered(side.episode, side.episodes, episodes)
    track = _renumbered(side.track, side.tracks, tracks)
    label = _renumbered(side.label, side.labels, labels)
    order = _canonical(episode, track, side.start, side.end, label)
    own = {name: row for row, name in enumerate(side.episodes)}
    rows = np.array([own.get(name, -1) for name in episodes], np.intp)
    return Annotations(
        episode[order],
        track[order],
        side.start[order],
        side.end[order],
        label[order],
        episodes,
        tracks,
        labels,
        side.table.take(rows),
        side.source,
        side.findings,
    )


def _canonical(*columns: npt.NDArray[np.integer]) -> npt.NDArray[np.intp] | slice:
    """Return the stable order by the columns, the first first.

    Files mostly have it but for the order of their episodes, so that is tried before a full sort.
    """
    if _in_order(columns):
        return slice(None)
    order = np.argsort(columns[0], kind="stable")
    if _in_order([column[order] for column in columns]):
        return order
    return np.lexsort(columns[::-1])


def _in_order(columns: Sequence[npt.NDArray[np.integer]]) -> bool:
    """Say whether rows are sorted by the columns, the first first."""
    tied = np.ones(max(len(columns[0]) - 1, 0), np.bool_)
    for column in columns:
        earlier, later = column[:-1], column[1:]
        if np.any(tied & (later < earlier)):
            return False
        tied &= later == earlier
    return True


def _renumbered(column: Int32, old: tuple[str, ...], new: tuple[str, ...]) -> Int32:
    """Return indices into `old` as indices into `new`, which holds all of `old`."""
    place = {name: i for i, name in enumerate(new)}
    if not old:
        return column
    return np.array([place[name] for name in old], np.int32)[column]
