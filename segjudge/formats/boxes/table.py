"""Boxes in a table: one box a row, the order of its numbers said by the names of the columns."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from segjudge.boxes import COORDS, Coords, Order
from segjudge.errors import InputError, Problem, UsageError
from segjudge.formats.boxes.collect import Collector
from segjudge.formats.boxes.declared import Declared, undeclared
from segjudge.formats.boxes.rows import hand_of
from segjudge.formats.boxes.values import times_of
from segjudge.formats.build import seen
from segjudge.formats.clock import frame_rate
from segjudge.formats.interface import Options, Record, View, keys_seen
from segjudge.formats.spellings import ROW_ID_KEYS

#: Names of the four numbers, the first set that is there counts, and the order they say.
_CORNERS: tuple[tuple[tuple[str, str, str, str], Order], ...] = (
    (("x1", "y1", "x2", "y2"), "xyxy"),
    (("xmin", "ymin", "xmax", "ymax"), "xyxy"),
    (("x_min", "y_min", "x_max", "y_max"), "xyxy"),
    (("left", "top", "right", "bottom"), "xyxy"),
    (("x", "y", "w", "h"), "xywh"),
    (("x", "y", "width", "height"), "xywh"),
    (("left", "top", "width", "height"), "xywh"),
)
_SECONDS = ("t", "time", "time_s", "time_sec", "timestamp", "timestamp_s", "timestamp_sec")
_FRAMES = ("frame", "frame_idx", "frame_index")
_HANDS = ("hand", "side", "track")
_SCORES = ("score", "confidence", "conf")


class _Columns(NamedTuple):
    """Where a table keeps what; "" for what it lacks."""

    episode: str
    time: str
    unit: str
    hand: str
    corners: tuple[str, str, str, str]
    order: Order
    score: str
    width: str
    height: str


class _Row(NamedTuple):
    place: str
    time: Any
    cells: tuple[str, ...]
    score: str


def is_box_table(header: tuple[str, ...]) -> bool:
    """Say whether a table has four columns that make a box."""
    return any(set(names) <= set(header) for names, _ in _CORNERS)


def read_table(view: View, collector: Collector, options: Options, declared: Declared) -> None:
    """Put the boxes of all rows into the collector.

    Raises
    ------
    InputError
        A column is missing.
    UsageError
        The option ``order`` contradicts the names of the columns; nothing says the coordinates.
    """
    columns = _columns(view, options)
    if declared.order not in (None, columns.order):
        raise UsageError(
            f"--order {declared.order}: the columns {', '.join(columns.corners)} of {view.file} "
            f"say {columns.order}"
        )
    rows: dict[tuple[int, int, Coords], list[_Row]] = {}
    for record in view.records:
        _sort_in(record, columns, view, options, declared, collector, rows)
    for (clip, hand, coords), found in rows.items():
        _put(found, clip, hand, coords, columns, collector)


def _columns(view: View, options: Options) -> _Columns:
    header = view.header
    corners, order = next((item for item in _CORNERS if set(item[0]) <= set(header)), (None, None))
    named = options.columns.get
    seconds, frames = named("t") or _first(_SECONDS, header), _first(_FRAMES, header)
    found = {
        "episode": named("episode") or _first(ROW_ID_KEYS, header),
        "t or frame": seconds or frames,
        "hand": named("hand") or _first(_HANDS, header),
        "x1, y1, x2, y2": corners,
    }
    lacking = [name for name, column in found.items() if not column or column not in _of(header)]
    if lacking or corners is None or order is None:
        text = f"a column for {' and one for '.join(lacking)}; there are {keys_seen(header, 40)}"
        raise InputError([*view.problems, Problem(view.file, "", "", "", text)])
    own_size = set(corners) & {"width", "height"}
    width, height = (
        _first((f"frame_{name}", *(() if own_size else (name,))), header)
        for name in ("width", "height")
    )
    return _Columns(
        str(found["episode"]),
        str(found["t or frame"]),
        "s" if seconds else "frames",
        str(found["hand"]),
        corners,
        order,
        _first(_SCORES, header),
        width,
        height,
    )


def _of(header: tuple[str, ...]) -> set[Any]:
    """Return everything a column may be said to be: a name, or the names of the corners."""
    return {*header, *(names for names, _ in _CORNERS if set(names) <= set(header))}


def _first(names: tuple[str, ...], header: tuple[str, ...]) -> str:
    return next((name for name in names if name in header), "")


def _sort_in(
    record: Record,
    columns: _Columns,
    view: View,
    options: Options,
    declared: Declared,
    collector: Collector,
    rows: dict[tuple[int, int, Coords], list[_Row]],
) -> None:
    """Put one row to those of its clip and hand."""
    row, place = record.row, record.place
    name = row[columns.episode]
    if not name.strip():
        collector.problem(place, columns.episode, "missing", "an episode id")
        return
    hand = hand_of(row[columns.hand])
    if hand is None:
        collector.problem(place, columns.hand, seen(row[columns.hand]), "left or right")
        return
    clip = collector.clip(name)
    _about(clip, row, columns, options, collector, place)
    said = declared.of_record({"coords": row.get("coords")}, columns.order, collector, place)
    if said is None:
        if declared.coords is None and not row.get("coords"):
            raise undeclared(view.file, "coords", COORDS)
        return
    cells = tuple(row[name].strip() for name in columns.corners)
    score = row[columns.score].strip() if columns.score else ""
    rows.setdefault((clip, hand, said[0]), []).append(_Row(place, row[columns.time], cells, score))


def _about(
    clip: int,
    row: Mapping[str, str],
    columns: _Columns,
    options: Options,
    collector: Collector,
    place: str,
) -> None:
    """Read the frame rate and size that a row says of its clip."""
    rate = options.fps or _checked(row.get("fps"), collector, place)
    if rate is not None:
        collector.about(clip, rate=rate)
    width, height = (row.get(name, "").strip() for name in (columns.width, columns.height))
    if width and height:
        if all(text.isdecimal() and int(text) > 0 for text in (width, height)):
            collector.about(clip, size=(int(width), int(height)))
        else:
            value = f"{width} x {height}"
            collector.problem(place, columns.width, value, "whole numbers of pixels")


def _checked(text: str | None, collector: Collector, place: str) -> Fraction | None:
    if text is None or not text.strip():
        return None
    rate = frame_rate(text.strip())
    if rate is None:
        collector.problem(place, "fps", seen(text), "frames a second, a number above 0")
    return rate


def _put(
    rows: list[_Row],
    clip: int,
    hand: int,
    coords: Coords,
    columns: _Columns,
    collector: Collector,
) -> None:
    """Put the rows of one clip and hand into the collector."""

    def fault(i: int, field: str, value: str, expected: str) -> None:
        collector.problem(
            rows[i].place, columns.time if field in ("t", "frame") else field, value, expected
        )

    times = times_of([row.time for row in rows], collector.rate(clip), columns.unit, fault)
    blank = np.array([not any(row.cells) for row in rows], np.bool_)
    values = np.zeros((len(rows), 4))
    scores = np.full(len(rows), np.nan)
    sound = ~blank & (times >= 0)
    for i, row in enumerate(rows):
        for place, cell in enumerate(row.cells if not blank[i] else ()):
            values[i, place] = number = _number(cell)
            if number != number:
                fault(i, columns.corners[place], seen(cell), "a finite number")
                sound[i] = False
        if row.score:
            scores[i] = _number(row.score)
            if scores[i] != scores[i]:
                fault(i, columns.score, seen(row.score), "a finite number, or nothing")
    kept = np.flatnonzero(sound)
    collector.add(
        clip,
        hand,
        times[kept],
        values[kept],
        scores[kept],
        coords,
        columns.order,
        lambda row: rows[kept[row]].place,
    )
    collector.absent(clip, hand, times[blank & (times >= 0)])


def _number(text: str) -> float:
    """Return a finite number, or NaN for anything else."""
    try:
        number = float(text)
    except ValueError:
        return np.nan
    return number if abs(number) < 1e300 else np.nan
