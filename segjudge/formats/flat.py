"""One segment a row: delimited tables, flat JSON lines, flat parquet."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, NamedTuple

from segjudge.errors import InputError, Problem
from segjudge.formats.about import checked_id
from segjudge.formats.build import Builder, seen
from segjudge.formats.clock import BadTime, frame_rate, microseconds
from segjudge.formats.interface import Options, Record, Row, View, keys_seen
from segjudge.formats.segments import MISSING, Speller, Spelling, is_whole, read_segment
from segjudge.formats.spellings import BLOBS, ROW_ID_KEYS

#: What our own tables say of the episode on each of its rows.
EPISODE_COLUMNS = ("episode_duration", "episode_failed", "episode_fields")


def id_key(keys: tuple[str, ...], options: Options) -> str | None:
    """Return the column that names the episode, or None."""
    named = options.columns.get("episode")
    if named is not None:
        return named if named in keys else None
    return next((key for key in ROW_ID_KEYS if key in keys), None)


def is_flat(keys: tuple[str, ...], options: Options) -> bool:
    """Say whether these columns make a table of one segment a row."""
    given = [options.columns[role] for role in options.columns]
    if any(name not in keys for name in given):
        return False
    return id_key(keys, options) is not None and is_whole(Speller(options)[keys])


def read_flat(view: View, builder: Builder, options: Options) -> None:
    """Put all rows into the builder.

    Raises
    ------
    InputError
        A column that every row needs is missing.
    """
    if view.header:
        _check_header(view, options)
    rows = _Rows(view, builder, options)
    for record in view.records:
        rows.read(record)
    rows.close()


def _check_header(view: View, options: Options) -> None:
    """Name all columns that are missing, once and not row by row."""
    spelling = Speller(options)[view.header]
    lacking = [
        f"{role}: no column {name!r}"
        for role, name in options.columns.items()
        if name not in view.header
    ]
    found = {
        "start": spelling.start or spelling.pair,
        "end": spelling.end or spelling.pair,
        "label": spelling.label,
        "episode": id_key(view.header, options),
    }
    lacking += [
        f"{role}: no column of a usual name; give --columns {role}=NAME"
        for role, name in found.items()
        if name is None and role not in options.columns
    ]
    if lacking:
        columns = f"the columns are {keys_seen(view.header, 40)}"
        raise InputError(
            [*view.problems, *(Problem(view.file, "", "", "", f"{x} ({columns})") for x in lacking)]
        )


class _Plan(NamedTuple):
    """What the keys of a row mean: found once, as most rows have the same."""

    spelling: Spelling
    id_key: str | None
    others: tuple[str, ...]


class _Rows:
    """Reads row after row, and finds out which other columns belong to the episode."""

    def __init__(self, view: View, builder: Builder, options: Options) -> None:
        self.table = view.kind == "table"
        self.builder, self.options = builder, options
        self.speller = Speller(options)
        self.plans: dict[tuple[str, ...], _Plan] = {}
        self.extra: dict[str, dict[int, Any]] = {}
        self.places: dict[int, str] = {}
        self.varies: set[str] = set()
        self.place = ""

    def fault(self, field: str, value: object, expected: str) -> None:
        """Note what is wrong with a field of the present row."""
        text = "missing" if value is MISSING or (self.table and value == "") else seen(value)
        self.builder.problem(self.place, field, text, expected)

    def plan(self, keys: tuple[str, ...]) -> _Plan:
        """Find out what the keys of a row mean."""
        spelling, key = self.speller[keys], id_key(keys, self.options)
        used = {*spelling[:5], key, "fps", self.options.columns.get("duration")}
        used |= BLOBS | set(EPISODE_COLUMNS)
        others = tuple(name for name in keys if name not in used)
        return self.plans.setdefault(keys, _Plan(spelling, key, others))

    def read(self, record: Record) -> None:
        """Put one row into the builder."""
        row, self.place = record.row, record.place
        keys = tuple(row)
        plan = self.plans.get(keys) or self.plan(keys)
        name = self._episode_name(row, plan.id_key)
        if name is None:
            return
        episode = self.builder.episode(name)
        self.places.setdefault(episode, record.place)
        if not self._is_bare(row, plan.spelling):
            found = read_segment(row, plan.spelling, self._rate(row), self.fault)
            if found is not None:
                self.builder.segment(episode, found[3], found[0], found[1], found[2])
        self._about_episode(episode, row)
        for other in plan.others:
            if other not in self.varies:
                self._keep_constant(episode, other, row[other])

    def _episode_name(self, row: Row, key: str | None) -> str | None:
        """Return the id of the row's episode, or None after telling what is wrong."""
        if key is not None:
            return checked_id(row[key], key, self.place, self.builder)
        self.fault("episode", MISSING, f"an episode id; the keys are {keys_seen(row)}")
        return None

    def _is_bare(self, row: Row, spelling: Spelling) -> bool:
        """Say whether a row of a table only names an episode: no start, end and label."""
        cells = (spelling.start, spelling.end, spelling.label)
        return self.table and all(name is not None and row.get(name) == "" for name in cells)

    def _rate(self, row: Row) -> Fraction | None:
        """Return frames a second: the option, else the column."""
        return self.options.fps or frame_rate(row.get("fps"))

    def _about_episode(self, episode: int, row: Row) -> None:
        """Read what our own tables say of the episode."""
        key = self.options.columns.get("duration", "episode_duration")
        value = row.get(key)
        if value is not None and value != "":
            try:
                time = microseconds(value, "s")
            except BadTime as bad:
                self.fault(key, value, bad.expected)
            else:
                known = self.builder.duration(episode, time)
                if known != time:
                    self.fault(
                        key, value, f"one duration an episode; it was {known / 1e6} s before"
                    )
        failed = row.get("episode_failed")
        if failed in (True, "true"):
            self.builder.fail(episode)
        elif failed not in (None, False, "", "false"):
            self.fault("episode_failed", failed, "true or false")
        fields = row.get("episode_fields")
        if isinstance(fields, str) and fields:
            self._keep_fields(episode, fields)

    def _keep_fields(self, episode: int, text: str) -> None:
        """Read the fields that our own tables keep as JSON."""
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict):
            self.fault("episode_fields", text, "the JSON text of an object")
            return
        for name, value in fields.items():
            self.builder.keep(episode, name, value, self.place)

    def _keep_constant(self, episode: int, name: str, value: Any) -> None:
        """Remember another column; one that varies within an episode is not the episode's."""
        known = self.extra.setdefault(name, {})
        if known.setdefault(episode, value) != value:
            self.varies.add(name)
            del self.extra[name]

    def close(self) -> None:
        """Keep the columns that are constant within each episode."""
        for name, values in self.extra.items():
            for episode, value in values.items():
                if not (self.table and value == ""):
                    self.builder.keep(episode, name, value, self.places[episode])
