"""One segment: under which names its start, end and label stand, and in which unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from segjudge.errors import UsageError
from segjudge.formats.build import Builder, is_text, seen
from segjudge.formats.clock import BadTime, microseconds
from segjudge.formats.interface import Options, Unit, keys_seen

_STARTS: dict[str, tuple[str, ...]] = {
    "": ("start", "begin", "start_time", "start_timestamp", "time_start", "t_start"),
    "s": ("start_sec", "start_s", "start_seconds", "start_time_sec", "start_time_seconds"),
    "ms": ("start_ms",),
    "us": ("start_us",),
    "frames": ("start_frame", "frame_start"),
}
_ENDS: dict[str, tuple[str, ...]] = {
    "": ("end", "stop", "end_time", "stop_time", "end_timestamp", "stop_timestamp", "time_end",
         "t_end"),
    "s": ("end_sec", "end_s", "end_seconds", "stop_sec", "end_time_sec", "end_time_seconds"),
    "ms": ("end_ms", "stop_ms"),
    "us": ("end_us", "stop_us"),
    "frames": ("end_frame", "stop_frame", "frame_end"),
}  # fmt: skip
#: One field that holds both times: a pair, or an object with start and end.
_PAIRS = ("segment", "timestamp", "timestamps", "interval")
_LABELS = (
    "label", "subtask", "text", "sentence", "caption", "description", "narration", "action_text",
    "instruction", "action", "name", "task", "label_echo",
)  # fmt: skip
_TRACKS = ("track", "hand")
_UNIT_OF = {
    name: unit
    for names in (_STARTS, _ENDS)
    for unit, group in names.items()
    for name in group
    if unit
}
#: Stands for a field that is not there, where null would be a value.
MISSING = object()

Fault = Callable[[str, object, str], None]


class Spelling(NamedTuple):
    """The names that one segment uses; None for what it lacks."""

    start: str | None
    end: str | None
    pair: str | None
    label: str | None
    track: str | None
    unit: Unit


class Speller(dict[tuple[str, ...], Spelling]):
    """Finds the spelling for the keys of a segment, once for each set of keys."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.options = options

    def __missing__(self, keys: tuple[str, ...]) -> Spelling:
        spelling = self[keys] = spell(keys, self.options)
        return spelling


def spell(keys: Iterable[str], options: Options) -> Spelling:
    """Find the names of start, end, label and track among the keys of a segment.

    Names given by ``--columns`` win. Then the names whose unit is the one asked for, then those
    that say no unit, then seconds, milliseconds, microseconds, frames.

    Raises
    ------
    UsageError
        ``--unit`` contradicts what the names say.
    """
    present = set(keys)
    columns = options.columns
    label = columns.get("label") or _first(_LABELS, present)
    track = columns.get("track") or _first(_TRACKS, present)
    start, end = columns.get("start"), columns.get("end")
    if start and end:
        return Spelling(start, end, None, label, track, options.unit or _named_unit(start, end))
    order = [options.unit or "", "", "s", "ms", "us", "frames"]
    for said in order:
        first = start or _first(_STARTS[said], present)
        last = end or _first(_ENDS[said], present)
        if first in present and last in present:
            _check_unit(said, options.unit, first)
            return Spelling(first, last, None, label, track, _unit(said or options.unit))
    pair = _first(_PAIRS, present)
    if pair and not (start or end):
        return Spelling(None, None, pair, label, track, _unit(options.unit))
    names_start = start or next((n for u in order if (n := _first(_STARTS[u], present))), None)
    names_end = end or next((n for u in order if (n := _first(_ENDS[u], present))), None)
    known = _UNIT_OF.get(names_start or names_end or "", options.unit)
    return Spelling(names_start, names_end, None, label, track, _unit(known))


def is_whole(spelling: Spelling) -> bool:
    """Say whether start, end and label all have a name."""
    return bool(spelling.label and (spelling.pair or (spelling.start and spelling.end)))


def _first(names: Iterable[str], present: set[str]) -> str | None:
    """Return the first of some names that is there."""
    return next((name for name in names if name in present), None)


def _unit(unit: str | None) -> Unit:
    """Return a unit, seconds where nothing says one."""
    return unit or "s"  # type: ignore[return-value]


def _named_unit(start: str, end: str) -> Unit:
    """Return the unit that two given columns say by their names."""
    first, last = _UNIT_OF.get(start, "s"), _UNIT_OF.get(end, "s")
    if first != last:
        raise UsageError(f"--columns: {start!r} and {end!r} say different units; give --unit")
    return _unit(first)


def _check_unit(said: str, asked: str | None, name: str | None) -> None:
    """Refuse an option that contradicts the name of a field."""
    if asked and said and said != asked:
        raise UsageError(
            f"--unit {asked} contradicts the field {name!r}; "
            "name the fields with --columns start=...,end=... if the name is wrong"
        )


def read_segment(
    segment: Mapping[str, Any],
    spelling: Spelling,
    fps: Fraction | None,
    fault: Fault,
    label: str | None = None,
) -> tuple[int, int, str, str] | None:
    """Return (start, end, label, track) of one segment, times in microseconds.

    Parameters
    ----------
    fault : callable
        Told (field, value, expected) of each thing wrong; then the result is None.
    label : str, optional
        The label, where it stands outside the segment.
    """
    if spelling.pair is not None:
        start, end = _pair(segment.get(spelling.pair), spelling, fps, fault)
    else:
        start = _time(segment, spelling.start, "start", spelling.unit, fps, fault)
        end = _time(segment, spelling.end, "end", spelling.unit, fps, fault)
    if label is None:
        label = _text(segment, spelling.label, "label", fault)
    track: str | None = ""
    if spelling.track is not None:
        track = _track(segment.get(spelling.track), spelling.track, fault)
    if 0 <= end < start:
        name = spelling.end or spelling.pair or "end"
        opening = (
            segment.get(spelling.start) if spelling.start else segment.get(spelling.pair or "")
        )
        fault(name, segment.get(name), f"an end that is not before the start, {seen(opening)}")
        return None
    if start < 0 or end < 0 or label is None or track is None:
        return None
    return start, end, label, track


def _time(
    segment: Mapping[str, Any],
    name: str | None,
    role: str,
    unit: Unit,
    fps: Fraction | None,
    fault: Fault,
) -> int:
    """Return a time in microseconds, or -1 after telling what is wrong with it."""
    value = segment.get(name, MISSING) if name is not None else MISSING
    try:
        return microseconds(value, unit, fps)
    except BadTime as bad:
        if value is MISSING:
            fault(
                name or role, MISSING, f"a field {name or role}; the keys are {keys_seen(segment)}"
            )
        else:
            fault(name or role, value, bad.expected)
        return -1


def _pair(value: object, spelling: Spelling, fps: Fraction | None, fault: Fault) -> tuple[int, int]:
    """Return the two times of a field that holds both."""
    name = spelling.pair or "segment"
    if isinstance(value, Mapping):
        inner = spell(value, Options(unit=spelling.unit if spelling.unit != "s" else None))
        start = _time(value, inner.start, "start", inner.unit, fps, fault)
        return start, _time(value, inner.end, "end", inner.unit, fps, fault)
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        fault(name, value, "two times, [start, end]")
        return -1, -1
    times = {"start": value[0], "end": value[1]}
    start = _time(times, "start", "start", spelling.unit, fps, fault)
    return start, _time(times, "end", "end", spelling.unit, fps, fault)


def _text(segment: Mapping[str, Any], name: str | None, role: str, fault: Fault) -> str | None:
    """Return a label, or None after telling what is wrong with it."""
    value = segment.get(name, MISSING) if name is not None else MISSING
    if isinstance(value, str):
        if is_text(value):
            return value
        fault(name or role, value, "text without lone surrogates")
    elif value is MISSING:
        fault(name or role, MISSING, f"a field {name or role}; the keys are {keys_seen(segment)}")
    else:
        fault(name or role, value, "a label, which is text")
    return None


def _track(value: object, name: str, fault: Fault) -> str | None:
    """Return the name of a track; null is the single timeline."""
    if value is None:
        return ""
    if isinstance(value, str) and is_text(value):
        return value
    fault(name, value, "the name of a track, which is text")
    return None


def add_segments(
    builder: Builder,
    speller: Speller,
    episode: int,
    segments: Iterable[object],
    where: Callable[[int], str],
    fps: Fraction | None,
    track: str = "",
    label: str | None = None,
) -> None:
    """Put a list of segments of one timeline into the builder.

    Parameters
    ----------
    segments : iterable
        Objects with named fields, or triples ``[start, end, label]``.
    where : callable
        Gives the place of the segment of that number, from 1, for messages.
    track, label : str
        Where the timeline says them, not the segment.
    """
    triple = Spelling("start", "end", None, "label", None, _unit(speller.options.unit))
    for number, segment in enumerate(segments, 1):

        def fault(field: str, value: object, expected: str, number: int = number) -> None:
            shown_value = "missing" if value is MISSING else seen(value)
            builder.problem(where(number), field, shown_value, expected)

        if type(segment) is dict:
            spelling, fields = speller[tuple(segment)], segment
        elif isinstance(segment, (list, tuple)) and len(segment) == 3:
            spelling, fields = triple, dict(zip(("start", "end", "label"), segment, strict=True))
        elif isinstance(segment, Mapping):
            spelling, fields = speller[tuple(segment)], dict(segment)
        else:
            fault("", segment, "a segment: an object, or [start, end, label]")
            continue
        found = read_segment(fields, spelling, fps, fault, label)
        if found is not None:
            builder.segment(episode, track or found[3], found[0], found[1], found[2])
