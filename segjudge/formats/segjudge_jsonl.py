"""Our own format: one episode a line, exact, and simple enough to be written by hand."""

from __future__ import annotations

import json
from typing import IO, Any

import numpy as np

from segjudge.annotations import Annotations
from segjudge.errors import InputError, shown
from segjudge.formats.clock import seconds_text
from segjudge.formats.interface import Format, Options, Row, View
from segjudge.formats.records import Picked, Timeline, episode_reader, sample_segment
from segjudge.formats.spellings import BLOBS, DURATION_KEYS, FRAME_COUNT_KEYS

#: A field of an episode that would be read as something else is written under `fields`.
_NO_FIELDS = {
    *("id", "segments", "ok", "failed", "fields", "metadata"),
    *DURATION_KEYS,
    *FRAME_COUNT_KEYS,
    *BLOBS,
}

_KEYS = {"start", "end", "label"}

#: From here on a float of seconds can't hold every microsecond; times are written as text.
_LAST_EXACT = 4_000_000_000 * 1_000_000

EXAMPLE = """\
{"id": "a", "duration": 12.5, "family": "kitchen", "segments": [\
{"start": 0, "end": 3.25, "label": "open the drawer", "track": "left"}]}
"""


def _pick(row: Row, options: Options) -> Picked:
    """Take `segments`, and the fields that can't stand beside them."""
    if "segments" not in row:
        return Picked(missing="`segments`")
    own = row.get("fields")
    if not isinstance(own, dict):
        return Picked((Timeline("segments", row["segments"]),), frozenset({"segments"}))
    taken = frozenset({"segments", "fields"})
    return Picked((Timeline("segments", row["segments"]),), taken, fields=own)


def _recognises(view: View, options: Options) -> bool:
    """Lines with `id` and `segments`, whose segments have `start`, `end` and `label`."""
    if view.kind != "json" or view.wrapper:
        return False
    if not any({"id", "segments"} <= record.row.keys() for record in view.head):
        return False
    segment = sample_segment(view, "segments")
    return segment is None or (isinstance(segment, dict) and segment.keys() >= _KEYS)


def _time(time: int) -> str:
    """Write a time as a JSON value that reads back to the microsecond."""
    text = seconds_text(time)
    return text if time < _LAST_EXACT else f'"{text}"'


def _write(annotations: Annotations, stream: IO[str]) -> None:
    """Write one line an episode, its segments in their order."""
    order = np.argsort(annotations.episode, kind="stable")
    counts = np.bincount(annotations.episode, minlength=len(annotations.episodes))
    rows = order.tolist()
    start, end = annotations.start.tolist(), annotations.end.tolist()
    labels = [_text(label) for label in annotations.labels]
    tracks = [f', "track": {_text(track)}' if track else "" for track in annotations.tracks]
    label, track = annotations.label.tolist(), annotations.track.tolist()
    done = 0
    for episode, count in enumerate(counts.tolist()):
        segments = ", ".join(
            f'{{"start": {_time(start[i])}, "end": {_time(end[i])}, "label": {labels[label[i]]}'
            f"{tracks[track[i]]}}}"
            for i in rows[done : done + count]
        )
        done += count
        head = ", ".join(f"{_text(key)}: {text}" for key, text in _head(annotations, episode))
        stream.write(f'{{{head}, "segments": [{segments}]}}\n')


def _head(annotations: Annotations, episode: int) -> list[tuple[str, str]]:
    """Return what is written of an episode besides its segments, the values as JSON."""
    table = annotations.table
    head = [("id", _text(annotations.episodes[episode]))]
    if table.duration[episode] >= 0:
        head.append(("duration", _time(int(table.duration[episode]))))
    if table.failed[episode]:
        head.append(("failed", "true"))
    said = {name: v[episode] for name, v in table.fields.items() if v[episode] is not None}
    head += [(name, _text(value)) for name, value in said.items() if name not in _NO_FIELDS]
    apart = {name: value for name, value in said.items() if name in _NO_FIELDS}
    if apart:
        head.append(("fields", _text(apart)))
    return head


def _text(value: Any) -> str:
    """Write a value as JSON, in its own script."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        raise InputError(f"can't be written as JSON: {shown(value)}") from None


FORMAT = Format(
    name="segjudge",
    description="segjudge JSONL: an episode a line, `id` and `segments` of `start`, `end`, `label`",
    recognises=_recognises,
    read=episode_reader(_pick, ("id",)),
    write=_write,
    rank=10,
    example=EXAMPLE,
)
