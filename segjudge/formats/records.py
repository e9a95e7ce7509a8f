"""What the formats of one record an episode share: id, duration, frame rate, fields, segments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from segjudge.findings import finding
from segjudge.formats.build import Builder, is_text, seen
from segjudge.formats.clock import BadTime, frame_rate, microseconds
from segjudge.formats.interface import Options, Record, Row, Unit, View, keys_seen
from segjudge.formats.jsontext import BadJson, parsed_if_text
from segjudge.formats.names import BLOBS, DURATION_KEYS, FRAME_COUNT_KEYS, ID_KEYS, LIST_KEYS
from segjudge.formats.segments import Speller, add_segments


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
        Where the record says them for the whole list.
    name : str
        What one of its segments is called in messages.
    """

    field: str
    segments: object
    track: str = ""
    label: str | None = None
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
    """

    timelines: tuple[Timeline, ...] = ()
    taken: frozenset[str] = field(default_factory=frozenset)
    failed: bool = False
    missing: str = ""


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
    failed = _says_failed(row, builder, place) or picked.failed
    if failed:
        builder.fail(episode)
    rate = _rate(row, builder, options, place)
    used = _duration(row, builder, episode, options, rate, place)
    for timeline in picked.timelines:
        _read_timeline(timeline, builder, speller, episode, place, rate, failed)
    known = {id_key, *used, "ok", "failed", *picked.taken} | BLOBS
    for key, value in row.items():
        if key not in known and not (view.kind == "table" and value == ""):
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


def episode_id(
    record: Record, view: View, builder: Builder, options: Options, id_keys: tuple[str, ...]
) -> tuple[str | None, str]:
    """Return the id of a record and the field it stands in; None after telling what is wrong."""
    if record.key is not None:
        return _checked_id(record.key, "episode id", record.place, builder), ""
    row = record.row
    named = options.columns.get("episode")
    key = named or next((key for key in id_keys if key in row), None)
    if key is None and not record.place and view.stem:
        builder.findings.append(
            finding(
                "id_from_file_name",
                f"The only episode has no id; it is called {view.stem!r} after the file.",
            )
        )
        return view.stem, ""
    if key is None or key not in row:
        expected = f"an episode id: {' or '.join([named] if named else id_keys)}"
        builder.problem(record.place, "", "", f"{expected}; the keys are {keys_seen(row)}")
        return None, ""
    return _checked_id(row[key], key, record.place, builder), key


def _checked_id(value: object, field: str, place: str, builder: Builder) -> str | None:
    """Return an id as text; whole numbers are ids, too."""
    if type(value) is int:
        value = str(value) if abs(value) < 10**18 else None
    if isinstance(value, str) and value.strip() and is_text(value):
        return value
    builder.problem(place, field, seen(value), "an episode id: text or a whole number")
    return None


def _says_failed(row: Row, builder: Builder, place: str) -> bool:
    """Return what `ok` and `failed` say."""
    says = False
    for key, bad in (("ok", False), ("failed", True)):
        value = row.get(key)
        if value is None or value == "":
            continue
        if isinstance(value, str) and value.lower() in ("true", "false"):
            value = value.lower() == "true"
        if not isinstance(value, bool):
            builder.problem(place, key, seen(value), "true or false")
        elif value is bad:
            says = True
    return says


def _rate(row: Row, builder: Builder, options: Options, place: str) -> Fraction | None:
    """Return frames a second: the option, else the record, else None."""
    if options.fps is not None:
        return options.fps
    value = row.get("fps")
    if value is None or value == "":
        metadata = row.get("metadata")
        value = metadata.get("fps") if isinstance(metadata, dict) else None
    if value is None:
        return None
    rate = frame_rate(value)
    if rate is None and options.unit == "frames":
        builder.problem(place, "fps", seen(value), "frames a second, a number above 0")
    return rate


def _duration(
    row: Row,
    builder: Builder,
    episode: int,
    options: Options,
    rate: Fraction | None,
    place: str,
) -> set[str]:
    """Set the duration of an episode; return the fields that said it."""
    named = options.columns.get("duration")
    keys: Iterable[str] = (named,) if named else DURATION_KEYS
    metadata = row.get("metadata")
    for source in (row, metadata if isinstance(metadata, dict) else {}):
        for key in keys:
            value = source.get(key)
            if value is None or value == "":
                continue
            # A plain duration is in seconds even where the segments count frames.
            asked = options.unit if options.unit != "frames" else None
            unit: Unit = DURATION_KEYS.get(key) or asked or "s"  # type: ignore[assignment]
            try:
                builder.duration(episode, microseconds(value, unit))
            except BadTime as bad:
                builder.problem(place, key, seen(value), bad.expected)
            return {key}
    return _frame_count(row, builder, episode, rate)


def _frame_count(row: Row, builder: Builder, episode: int, rate: Fraction | None) -> set[str]:
    """Set the duration from a number of frames, where nothing else says it."""
    for key in FRAME_COUNT_KEYS:
        value = row.get(key)
        if type(value) is int and rate is not None:
            try:
                builder.duration(episode, microseconds(value, "frames", rate))
            except BadTime:
                continue
    return set()


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

    def where(number: int) -> str:
        return f"{place}, {timeline.name} {number}"

    add_segments(builder, speller, episode, segments, where, rate, timeline.track, timeline.label)


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


def other_lists(*taken: str) -> frozenset[str]:
    """Return the fields that hold segments of other formats or tasks: not to be kept as fields."""
    return frozenset(LIST_KEYS) | set(taken)
