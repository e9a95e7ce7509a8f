"""What the formats of one record an episode share: id, duration, frame rate, fields, segments."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from segjudge.formats.about import episode_id, rate_of, says_failed, set_duration
from segjudge.formats.build import Builder, is_text, seen
from segjudge.formats.interface import Options, Record, Row, View, keys_seen
from segjudge.formats.jsontext import BadJson, parsed_if_text
from segjudge.formats.segments import MISSING, Speller, add_segments
from segjudge.formats.spellings import BLOBS, ID_KEYS


@dataclass(frozen=True, slots=True)
class Timeline:
    """A list of segments inside a record.

    Attributes
    ----------
    field : str
        Name of the field, for messages.
    segments : object
        The list, or the JSON text of it, as read.
    track, label : str
        Where the record says them for the whole list; a label that is no text is a fault.
    name : str
        What one of its segments is called in messages.
    """

    field: str
    segments: object
    track: str = ""
    label: object = None
    name: str = "segment"


@dataclass(frozen=True, slots=True)
class Picked:
    """What a format takes from a record.

    Attributes
    ----------
    timelines : tuple of Timeline
    taken : frozenset of str
        Keys that are no fields of the episode: read here, or of no use.
    failed : bool
        The record says that the episode failed.
    missing : str
        What the record lacks to be of this format, in words; "" where it lacks nothing.
    fields : mapping
        Fields of the episode that the record says elsewhere than at its top.
    """

    timelines: tuple[Timeline, ...] = ()
    taken: frozenset[str] = field(default_factory=frozenset)
    failed: bool = False
    missing: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)


Pick = Callable[[Row, Options], Picked]


def pick_first(*keys: str) -> Pick:
    """Make a `Pick` that takes the segments from the first of some fields that is there."""

    def pick(row: Row, options: Options) -> Picked:
        for key in keys:
            if key in row:
                return Picked((Timeline(key, row[key]),), frozenset(keys))
        return Picked(missing=" or ".join(f"`{key}`" for key in keys))

    return pick


def episode_reader(
    pick: Pick, id_keys: tuple[str, ...] = ID_KEYS
) -> Callable[[View, Builder, Options], None]:
    """Make the reader of a format of one record an episode."""

    def read(view: View, builder: Builder, options: Options) -> None:
        speller = Speller(options)
        for record in view.records:
            _read_record(record, view, builder, speller, pick, id_keys)

    return read


def _read_record(
    record: Record,
    view: View,
    builder: Builder,
    speller: Speller,
    pick: Pick,
    id_keys: tuple[str, ...],
) -> None:
    """Put one episode into the builder."""
    row, options = record.row, speller.options
    row = _with_metadata(row)
    name, id_key = episode_id(record, view, builder, options, id_keys)
    if name is None:
        return
    place = (
        record.place if record.key is not None else _joined(record.place, f"episode {seen(name)}")
    )
    picked = pick(row, options)
    if picked.missing:
        expected = f"{picked.missing}; the keys are {keys_seen(row)}"
        builder.problem(place, "", "", expected)
        return
    episode = builder.new_episode(name, record.place or place)
    failed = says_failed(row, builder, place) or picked.failed
    if failed:
        builder.fail(episode)
    rate = rate_of(row, builder, options, place)
    used = set_duration(row, builder, episode, options, rate, place)
    for timeline in picked.timelines:
        _read_timeline(timeline, builder, speller, episode, place, rate, failed)
    known = {id_key, *used, "ok", "failed", *picked.taken} | BLOBS
    for key, value in row.items():
        if key not in known and not (view.kind == "table" and value == ""):
            builder.keep(episode, key, value, place)
    for key, value in picked.fields.items():
        builder.keep(episode, key, value, place)


def _joined(first: str, second: str) -> str:
    """Join two parts of a place."""
    return f"{first}, {second}" if first else second


def _with_metadata(row: Row) -> Row:
    """Parse a `metadata` that is the JSON text of an object."""
    text = row.get("metadata")
    if isinstance(text, str) and text.startswith("{"):
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            return row
        if isinstance(parsed, dict):
            return {**row, "metadata": parsed}
    return row


def _read_timeline(
    timeline: Timeline,
    builder: Builder,
    speller: Speller,
    episode: int,
    place: str,
    rate: Fraction | None,
    failed: bool,
) -> None:
    """Put the segments of one timeline into the builder."""
    try:
        segments: Any = parsed_if_text(timeline.segments)
    except BadJson as bad:
        inside = f"the JSON text of a list of segments; at column {bad.column}: {bad.expected}"
        builder.problem(place, timeline.field, bad.value, inside)
        return
    if segments is None and failed:
        return
    if not isinstance(segments, (list, tuple)):
        builder.problem(
            place,
            timeline.field,
            seen(segments),
            'a list of segments (an episode that failed says "ok": false)',
        )
        return

    label = timeline.label
    if label is not None and not (isinstance(label, str) and is_text(label)):
        value = "missing" if label is MISSING else seen(label)
        builder.problem(place, f"{timeline.field}: label", value, "a label, which is text")
        return

    def where(number: int) -> str:
        return f"{place}, {timeline.name} {number}"

    add_segments(builder, speller, episode, segments, where, rate, timeline.track, label)


def has_list(view: View, *keys: str) -> bool:
    """Say whether one of the first records has one of these keys."""
    return any(key in record.row for record in view.head for key in keys)


def sample_segment(view: View, *keys: str) -> object:
    """Return the first segment that the first records have under one of these keys, or None."""
    for record in view.head:
        for key in keys:
            try:
                segments = parsed_if_text(record.row.get(key))
            except BadJson:
                continue
            if isinstance(segments, list) and segments:
                return segments[0]
    return None
