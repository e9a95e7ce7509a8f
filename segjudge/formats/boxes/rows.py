"""Boxes in JSON: EgoHome rows with `hand_boxes`, and our own lines with `boxes`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from segjudge.boxes import COORDS, HANDS, ORDERS, Coords, Order
from segjudge.boxes.columns import Index
from segjudge.formats.about import episode_id, rate_of, says_failed, set_duration
from segjudge.formats.boxes.collect import Collector
from segjudge.formats.boxes.declared import Declared, undeclared
from segjudge.formats.boxes.values import boxes_of, scores_of, times_of
from segjudge.formats.build import Builder, seen
from segjudge.formats.interface import Options, Record, Row, View, keys_seen
from segjudge.formats.jsontext import BadJson, parsed_if_text
from segjudge.formats.spellings import ID_KEYS

EGOHOME, OWN = "hand_boxes", "boxes"


class _Entries(NamedTuple):
    """The boxes of one clip as lists side by side; `number` is the entry's, from 1.

    `score` is empty where the shape has none.
    """

    number: list[int]
    time: list[Any]
    hand: list[int]
    box: list[Any]
    score: list[Any]


def has_boxes(records: Iterable[Record]) -> bool:
    """Say whether one of some records holds boxes."""
    return any(EGOHOME in record.row or OWN in record.row for record in records)


def read_rows(view: View, collector: Collector, options: Options, declared: Declared) -> None:
    """Put the boxes of all records into the collector.

    Raises
    ------
    UsageError
        Neither the file nor an option says what the coordinates are.
    """
    scratch = Builder(view.file, collector.problems, view.findings)
    for record in view.records:
        _read_record(record, view, collector, options, declared, scratch)


def _read_record(
    record: Record,
    view: View,
    collector: Collector,
    options: Options,
    declared: Declared,
    scratch: Builder,
) -> None:
    row = record.row
    name, _ = episode_id(record, view, scratch, options, ID_KEYS)
    if name is None:
        return
    where = f"{record.place}, " if record.place and record.key is None else ""
    place = f"{where}episode {seen(name)}"
    clip = collector.new_clip(name, record.place or place)
    scratch.episode(name)
    rate = rate_of(row, scratch, options, place)
    set_duration(row, scratch, clip, options, rate, place)
    duration = scratch.duration(clip, -1)
    collector.about(clip, rate, _size(row, collector, place), duration if duration >= 0 else None)
    key = EGOHOME if EGOHOME in row else OWN
    entries = _list(row, key, collector, place, says_failed(row, scratch, place))
    if not entries:
        return
    said = declared.of_record(row, "xyxy" if key == EGOHOME else None, collector, place)
    if said is None:
        if declared.coords is None and not row.get("coords"):
            raise undeclared(view.file, "coords", COORDS)
        if key == OWN and declared.order is None and not row.get("order"):
            raise undeclared(view.file, "order", ORDERS)
        return
    place = f"{place}, {key} entry"
    take = _egohome_entries if key == EGOHOME else _own_entries
    _put(take(entries, collector, place), clip, rate, said, collector, place)


def _size(row: Row, collector: Collector, place: str) -> tuple[int, int] | None:
    """Return the size of the frames in pixels, where the record says it."""
    width, height = row.get("width"), row.get("height")
    if width is None and height is None:
        return None
    for key, value in (("width", width), ("height", height)):
        if type(value) is not int or not 0 < value <= 100_000:
            collector.problem(place, key, seen(value), "a whole number of pixels")
            return None
    return width, height  # type: ignore[return-value]


def _list(row: Row, key: str, collector: Collector, place: str, failed: bool) -> list[Any]:
    """Return the list of entries, empty after telling what is wrong."""
    if key not in row and not failed:
        expected = f"`{EGOHOME}` or `{OWN}`; the keys are {keys_seen(row)}"
        collector.problem(place, "", "", expected)
        return []
    try:
        entries = parsed_if_text(row.get(key))
    except BadJson as bad:
        collector.problem(place, key, bad.value, f"the JSON text of a list: {bad.expected}")
        return []
    if isinstance(entries, list):
        return [] if failed else entries
    if not failed:
        expected = 'a list of boxes (a clip that failed says "ok": false)'
        collector.problem(place, key, seen(entries), expected)
    return []


def _objects(entries: list[Any], collector: Collector, place: str) -> list[tuple[int, Any]]:
    """Return the entries that are objects, with their numbers; the others are problems."""
    numbered = list(enumerate(entries, 1))
    if set(map(type, entries)) <= {dict}:
        return numbered
    for number, entry in numbered:
        if not isinstance(entry, dict):
            collector.problem(f"{place} {number}", "", seen(entry), "an object")
    return [(number, entry) for number, entry in numbered if isinstance(entry, dict)]


def _egohome_entries(entries: list[Any], collector: Collector, place: str) -> _Entries:
    """Take ``{"t": ..., "left": [...], "right": [...]}``: a missing hand says nothing."""
    numbered = _objects(entries, collector, place)
    found = _Entries([], [], [], [], [])
    for hand, name in enumerate(HANDS):
        with_hand = [(n, entry) for n, entry in numbered if name in entry]
        found.number.extend([n for n, _ in with_hand])
        found.time.extend([entry.get("t") for _, entry in with_hand])
        found.hand.extend([hand] * len(with_hand))
        found.box.extend([entry[name] for _, entry in with_hand])
    return found


def _own_entries(entries: list[Any], collector: Collector, place: str) -> _Entries:
    """Take ``{"t": ..., "hand": ..., "box": [...] or null, "score": ...}``; or a ``frame``."""
    found = _Entries([], [], [], [], [])
    for number, entry in _objects(entries, collector, place):
        hand = hand_of(entry.get("hand"))
        if hand is None:
            collector.problem(f"{place} {number}", "hand", seen(entry.get("hand")), "left or right")
        elif "box" not in entry:
            expected = f"a box, or null; the keys are {keys_seen(entry)}"
            collector.problem(f"{place} {number}", "box", "missing", expected)
        else:
            found.number.append(number)
            found.time.append(Frame(entry["frame"]) if "frame" in entry else entry.get("t"))
            found.hand.append(hand)
            found.box.append(entry["box"])
            found.score.append(entry.get("score"))
    return found


class Frame(NamedTuple):
    """A frame number where a time is expected."""

    number: Any


def hand_of(value: object) -> int | None:
    """Return the index of a hand: ``left``, ``Right``, ``left_hand``; None for anything else."""
    if not isinstance(value, str):
        return None
    word = value.strip().casefold().replace("_", " ").removesuffix("hand").strip()
    return HANDS.index(word) if word in HANDS else None


def _put(
    entries: _Entries,
    clip: int,
    rate: Fraction | None,
    said: tuple[Coords, Order],
    collector: Collector,
    place: str,
) -> None:
    """Put the entries of one clip into the collector, hand by hand."""

    def fault(i: int, field: str, value: str, expected: str) -> None:
        name = HANDS[entries.hand[i]] if field == "box" else field
        collector.problem(f"{place} {entries.number[i]}", name, value, expected)

    times = _mixed_times(entries.time, rate, fault)
    hands = np.array(entries.hand, np.int32)
    null = np.array([box is None for box in entries.box], np.bool_)
    rows = np.flatnonzero(~null)

    def at_row(i: int, field: str, value: str, expected: str) -> None:
        fault(int(rows[i]), field, value, expected)

    values, sound = boxes_of([entries.box[i] for i in rows.tolist()], at_row)
    scores = scores_of(entries.score, fault) if entries.score else np.full(len(times), np.nan)
    for hand in range(len(HANDS)):
        kept = sound & (hands[rows] == hand) & (times[rows] >= 0)
        of_hand = rows[kept]

        def where(row: int, of_hand: Index = of_hand) -> str:
            return f"{place} {entries.number[of_hand[row]]}"

        collector.add(clip, hand, times[of_hand], values[kept], scores[of_hand], *said, where)
        collector.absent(clip, hand, times[null & (hands == hand) & (times >= 0)])


def _mixed_times(values: Sequence[Any], rate: Fraction | None, fault: Any) -> Any:
    """Return times, each given in seconds or as a frame."""
    in_frames = [i for i, value in enumerate(values) if isinstance(value, Frame)]
    if not in_frames:
        return times_of(values, rate, "s", fault)
    seconds = [i for i in range(len(values)) if not isinstance(values[i], Frame)]
    times = np.full(len(values), -1, np.int64)
    for rows, unit in ((in_frames, "frames"), (seconds, "s")):
        plain = [values[i].number if unit == "frames" else values[i] for i in rows]

        def at_row(i: int, *what: str, rows: list[int] = rows) -> None:
            fault(rows[i], *what)

        times[rows] = times_of(plain, rate, unit, at_row)
    return times
