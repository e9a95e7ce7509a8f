"""What a record says of its episode besides segments: id, failure, frame rate, duration."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from segjudge.findings import finding
from segjudge.formats.build import Builder, is_text, seen
from segjudge.formats.clock import BadTime, frame_rate, microseconds
from segjudge.formats.interface import Options, Record, Row, Unit, View, keys_seen
from segjudge.formats.spellings import DURATION_KEYS, FRAME_COUNT_KEYS


def episode_id(
    record: Record, view: View, builder: Builder, options: Options, id_keys: tuple[str, ...]
) -> tuple[str | None, str]:
    """Return the id of a record and the field it stands in; None after telling what is wrong."""
    if record.key is not None:
        return checked_id(record.key, "episode id", record.place, builder), ""
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
    return checked_id(row[key], key, record.place, builder), key


def checked_id(value: object, field: str, place: str, builder: Builder) -> str | None:
    """Return an id as text; whole numbers are ids, too."""
    if type(value) is int:
        value = str(value) if abs(value) < 10**18 else None
    if isinstance(value, str) and value.strip() and is_text(value):
        return value
    builder.problem(place, field, seen(value), "an episode id: text or a whole number")
    return None


def says_failed(row: Row, builder: Builder, place: str) -> bool:
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


def rate_of(row: Row, builder: Builder, options: Options, place: str) -> Fraction | None:
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


def set_duration(
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
