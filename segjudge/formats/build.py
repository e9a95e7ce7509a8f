"""The builder: readers put episodes and segments in, `Annotations` come out, or every problem."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from segjudge.annotations import Annotations, EpisodeTable, Source, Vocabulary
from segjudge.errors import InputError, Problem, shown
from segjudge.findings import Finding, finding

#: A field of an episode larger than this, as JSON, is not kept.
LARGEST_FIELD = 10_000


def seen(value: object) -> str:
    """Return a value for a message; JSON's null by its own name."""
    if value is None:
        return "null"
    try:
        return shown(value)
    except RecursionError:
        return "a deeply nested value"


def is_text(text: str) -> bool:
    """Say whether a string can be written as UTF-8: it holds no half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class Builder:
    """Collects columns while a file is read.

    Times are whole microseconds. Nothing is raised while reading; `build` raises all problems
    at once.
    """

    def __init__(self, file: str, problems: list[Problem], findings: list[Finding]) -> None:
        self.file = file
        self.problems = problems
        self.findings = findings
        self.labels = Vocabulary()
        self.tracks = Vocabulary()
        self._episodes: dict[str, str] = {}
        self._index = Vocabulary()
        self._durations: dict[int, int] = {}
        self._failed: set[int] = set()
        self._dropped = array("i")
        self._fields: dict[str, dict[int, Any]] = {}
        self._episode, self._track, self._label = array("i"), array("i"), array("i")
        self._start, self._end = array("q"), array("q")

    def problem(self, place: str, field: str, value: str, expected: str) -> None:
        """Note one thing wrong with the file."""
        self.problems.append(Problem(self.file, place, field, value, expected))

    def new_episode(self, name: str, place: str) -> int:
        """Begin an episode that must not have been there before; return its index."""
        if name in self._index:
            first = self._episodes[name]
            expected = f"an id of its own; the episode is there already ({first})"
            self.problem(place, "episode id", seen(name), expected)
        else:
            self._episodes[name] = place
        return self._index[name]

    def episode(self, name: str) -> int:
        """Return the index of an episode, made if need be: for tables of one segment a row."""
        return self._index[name]

    def duration(self, episode: int, time: int) -> int:
        """Set an episode's duration unless it has one; return the one it has."""
        return self._durations.setdefault(episode, time)

    def fail(self, episode: int) -> None:
        """Note that the file itself calls an episode failed."""
        self._failed.add(episode)

    def has_failed(self, episode: int) -> bool:
        """Say whether the file calls an episode failed."""
        return episode in self._failed

    def keep(self, episode: int, name: str, value: object, place: str) -> None:
        """Keep a field of an episode, unless it is empty, large or binary."""
        if value is None or isinstance(value, (bytes, bytearray)):
            return
        if isinstance(value, str) and len(value) > LARGEST_FIELD:
            return
        try:
            clean = _json_value(value)
            text = json.dumps(clean, ensure_ascii=False)
            text.encode("utf-8")
        except UnicodeEncodeError:
            self.problem(place, shown(name, 40), seen(value), "text without lone surrogates")
            return
        except RecursionError:
            return
        if not is_text(name):
            self.problem(place, "", shown(name, 40), "a field name without lone surrogates")
        elif clean is not None and len(text) <= LARGEST_FIELD:
            self._fields.setdefault(name, {})[episode] = clean

    def kept(self, episode: int, name: str) -> object:
        """Return a field that was kept, or None."""
        return self._fields.get(name, {}).get(episode)

    def drop_field(self, name: str) -> None:
        """Forget a field in all episodes."""
        self._fields.pop(name, None)

    def segment(self, episode: int, track: str, start: int, end: int, label: str) -> None:
        """Add a segment; times in microseconds, ``0 <= start <= end``."""
        self._episode.append(episode)
        self._track.append(self.tracks[track])
        self._start.append(start)
        self._end.append(end)
        self._label.append(self.labels[label])

    def build(self, source: Source) -> Annotations:
        """Return the annotations.

        Raises
        ------
        InputError
            With every problem noted.
        """
        if not self._index and not self.problems:
            self.problem("", "", "", "at least one episode; there is none")
        if self.problems:
            raise InputError(self.problems)
        n = len(self._index)
        duration, failed = np.full(n, -1, np.int64), np.zeros(n, np.bool_)
        for index, time in self._durations.items():
            duration[index] = time
        failed[list(self._failed)] = True
        fields = {name: tuple(map(values.get, range(n))) for name, values in self._fields.items()}
        whole = Annotations(
            _column(self._episode, np.int32),
            _column(self._track, np.int32),
            _column(self._start, np.int64),
            _column(self._end, np.int64),
            _column(self._label, np.int32),
            tuple(self._index),
            tuple(self.tracks),
            tuple(self.labels),
            EpisodeTable(duration, failed, fields),
            source,
            tuple(self.findings),
        )
        return _without_failed(whole)


def _without_failed(whole: Annotations) -> Annotations:
    """Drop segments of episodes that failed, since those are scored as empty."""
    bad = whole.table.failed[whole.episode]
    count = int(np.count_nonzero(bad))
    if not count:
        return whole
    names = [whole.episodes[i] for i in np.unique(whole.episode[bad]).tolist()]
    noticed = finding(
        "failed_with_segments",
        f"{count} segments of {len(names)} episodes that the file calls failed are left out.",
        level="warning",
        count=count,
        places=(f"episode {name!r}" for name in names),
    )
    kept = whole.rows(~bad)
    return Annotations(
        kept.episode, kept.track, kept.start, kept.end, kept.label,
        kept.episodes, kept.tracks, kept.labels, kept.table, kept.source,
        (*kept.findings, noticed),
    )  # fmt: skip


def _column(values: array[int], dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Look at an array as a numpy column, without a copy."""
    return np.frombuffer(values, dtype) if len(values) else np.empty(0, dtype)


def _json_value(value: object) -> Any:
    """Return a value as JSON can hold it: NaN and infinities become None, dates become text."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, Mapping):
        return {str(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return None
    return str(value)
