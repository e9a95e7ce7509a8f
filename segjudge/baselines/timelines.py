"""The timelines that a trivial answer fills: from 0 to the end of each episode, track by track."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segjudge.annotations import Annotations, Bool, EpisodeTable, Int32, Int64
from segjudge.overlaps import Index

#: The tracks of hands: an episode that annotates one of them has the other as well.
HANDS = ("left", "right")


@dataclass(frozen=True, slots=True, eq=False)
class Timelines:
    """A row a timeline, sorted by (episode, track). Each begins at 0.

    Attributes
    ----------
    episode, track : ndarray of int32, shape (n,)
        Indices, as in the annotations they are of.
    end : ndarray of int64, shape (n,)
        Microseconds, above 0.
    """

    episode: Int32
    track: Int32
    end: Int64

    def __len__(self) -> int:
        return len(self.episode)

    def take(self, keep: Bool) -> Timelines:
        """Return the timelines that the mask keeps."""
        return Timelines(self.episode[keep], self.track[keep], self.end[keep])


def ends(annotations: Annotations) -> Int64:
    """Return where each episode ends: its duration where known, else its last segment's end.

    Returns
    -------
    ndarray of int64, shape (n_episodes,)
        Microseconds, 0 where nothing is known.
    """
    last = np.zeros(len(annotations.episodes), np.int64)
    np.maximum.at(last, annotations.episode, annotations.end)
    return np.where(annotations.table.duration >= 0, annotations.table.duration, last)


def timelines(reference: Annotations) -> Timelines:
    """Return the timelines of the episodes, on the tracks that the reference uses there.

    An episode that uses one hand gets each hand that the corpus uses. One without a segment
    gets the tracks that most episodes have. A timeline without length is left out.
    """
    used = np.zeros((len(reference.episodes), max(len(reference.tracks), 1)), np.bool_)
    used[reference.episode, reference.track] = True
    named = np.array([name in HANDS for name in reference.tracks or ("",)], np.bool_)
    hands = named & used.any(axis=0)
    used |= hands & used[:, hands].any(axis=1, keepdims=True)
    silent = ~used.any(axis=1)
    used[silent] = _commonest(used[~silent])
    episode, track = np.nonzero(used)
    end = ends(reference)[episode]
    lines = Timelines(episode.astype(np.int32), track.astype(np.int32), end)
    return lines.take(end > 0)


def _commonest(used: Bool) -> Bool:
    """Return the set of tracks that most episodes have; the first track where none has any."""
    if not len(used):
        first = np.zeros(used.shape[1], np.bool_)
        first[0] = True
        return first
    sets, count = np.unique(used, axis=0, return_counts=True)
    return np.asarray(sets[np.argmax(count)], np.bool_)


def laid(
    like: Annotations,
    episode: Int32,
    track: Int32,
    start: Int64,
    end: Int64,
    label: Int32,
    labels: tuple[str, ...],
) -> Annotations:
    """Return annotations of the given columns over the episodes and tracks of others.

    Of the episodes only the durations are kept: a prediction knows nothing else of them.
    """
    n = len(like.episodes)
    table = EpisodeTable(like.table.duration, np.zeros(n, np.bool_))
    tracks = like.tracks or ("",)
    return Annotations(episode, track, start, end, label, like.episodes, tracks, labels, table)


def spread(count: Int64 | Index) -> tuple[Index, Index]:
    """Spell out repetitions: (owner, number from 0) for every one of ``count[owner]``."""
    owner = np.repeat(np.arange(len(count), dtype=np.intp), count)
    number = np.arange(len(owner), dtype=np.intp) - np.repeat(np.cumsum(count) - count, count)
    return owner, number


def canonical(annotations: Annotations) -> Index:
    """Return the rows in canonical order: by episode id, track, start, end and label."""
    episode, track, label = (
        _rank(names)[column]
        for names, column in (
            (annotations.episodes, annotations.episode),
            (annotations.tracks, annotations.track),
            (annotations.labels, annotations.label),
        )
    )
    return np.lexsort((label, annotations.end, annotations.start, track, episode))


def _rank(names: tuple[str, ...]) -> Index:
    """Return each name's place among the sorted names."""
    rank = np.zeros(len(names), np.intp)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return rank
