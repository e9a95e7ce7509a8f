"""From a JSON document or a table to a stream of records, each with its place."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from segjudge.errors import InputError, Problem
from segjudge.findings import Finding, finding
from segjudge.formats.build import seen
from segjudge.formats.interface import Options, Record, View
from segjudge.formats.jsontext import (
    BadJson,
    Decoder,
    Embedded,
    Repeated,
    find_json,
    first_value,
    is_prose,
    line_value,
    named_twice,
    values_within,
)
from segjudge.formats.segments import is_whole, spell
from segjudge.formats.source import Raw, lines, whole_text
from segjudge.formats.spellings import ID_KEYS, LIST_KEYS

#: How many records a format may look at to recognise a file.
HEAD = 20

#: Keys of a document under which its records may stand.
WRAPPERS = ("database", "results", "records", "episodes", "rows")

_MOST_PROBED = 50


def with_head(view: View) -> View:
    """Fill the head of a view, and let its records begin with it again."""
    view.head = tuple(islice(view.records, HEAD))
    view.records = chain(view.head, view.records)
    return view


def table_view(raw: Raw, name: str) -> View | None:
    """Look at a text as a table with a header; None if its first line is one cell only."""
    problems: list[Problem] = []
    first = next((line for _, line in lines(raw, []) if line.strip()), "")
    delimiter = "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","
    if delimiter not in first:
        return None
    rows = _table_rows(raw, delimiter, problems)
    header = next(rows, None)
    if header is None:
        return None
    names = tuple(cell.strip() for cell in header[1])
    view = View("table", name, raw.stem, _table_records(raw.file, names, rows, problems))
    view.header, view.delimiter, view.problems = names, delimiter, problems
    problems += [
        _twice(raw.file, f"line {header[0]}", seen(column), "column")
        for column, count in Counter(names).items()
        if column and count > 1
    ]
    return view


def _twice(file: str, place: str, field: str, what: str) -> Problem:
    """Make the problem of a key or column that is there more than once: the last would win."""
    return Problem(file, place, field, "named twice", f"each {what} once")


def _table_rows(
    raw: Raw, delimiter: str, problems: list[Problem]
) -> Iterator[tuple[int, list[str]]]:
    """Give the rows that aren't blank, with the line that each begins on."""
    reader = csv.reader(
        (text for _, text in lines(raw, problems)), delimiter=delimiter, strict=True
    )
    line = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.append(
                Problem(raw.file, f"line {line}", "", "", f"expected a well-formed row: {error}")
            )
            return
        if cells:
            yield line, cells
        line = reader.line_num + 1


def _table_records(
    file: str,
    header: tuple[str, ...],
    rows: Iterable[tuple[int, list[str]]],
    problems: list[Problem],
) -> Iterator[Record]:
    """Give the rows as records."""
    for line, cells in rows:
        place = f"line {line}"
        if len(cells) != len(header):
            expected = f"{len(header)} cells, as in the header"
            problems.append(Problem(file, place, "", f"{len(cells)} cells", expected))
        elif any("\0" in cell for cell in cells):
            problems.append(Problem(file, place, "", "", "expected text without NUL bytes"))
        else:
            yield Record(place, None, dict(zip(header, cells, strict=True)))


def json_view(raw: Raw, options: Options) -> View | None:
    """Look at a text as JSON: lines, one document, or what a model said; None if there is none.

    Raises
    ------
    InputError
        It is JSON, but can't be read as such.
    """
    problems: list[Problem] = []
    if _is_json_lines(raw):
        return View("json", raw.file, raw.stem, _line_records(raw, problems), problems=problems)
    text = whole_text(raw, problems)
    found = find_json(text)
    if found is None:
        return None
    view = View("json", raw.file, raw.stem, iter(()), problems=problems)
    try:
        value, end = first_value(found.text, decoder := Decoder())
    except BadJson as bad:
        if not found.text.lstrip().startswith("[") and _some_line_is_json(text):
            view.records = _line_records(raw, problems)
            return view
        place = f"line {bad.line + found.line - 1}, column {bad.column}"
        fault = Problem(raw.file, place, "", bad.value, bad.expected)
        raise InputError([*problems, fault]) from None
    rest = found.text[end:].strip()
    if not rest or is_prose(rest):
        if rest or found.surrounded:
            _refuse_another(raw, text, found, found.at + end)
            view.findings.append(_surrounded())
        records = _document_records(value, view, options)
        view.records = _once(records, view) if decoder.met_repeated else records
        return view
    return _several_values(raw, found.text, view)


def _refuse_another(raw: Raw, text: str, found: Embedded, end: int) -> None:
    """Refuse a text with several JSON values that may be meant: a draft and the final one.

    Raises
    ------
    InputError
        Naming the lines of both.
    """
    for offset, part in ((found.at - len(found.before), found.before), (end, text[end:])):
        for at, value in values_within(part):
            if _holds_records(value):
                line = text.count("\n", 0, offset + at) + 1
                first, last = sorted((found.line, line))
                raise raw.fault(
                    f"there is JSON with segments on line {first} and again on line {last}; "
                    "keep the one that is meant"
                )


def _holds_records(value: Any) -> bool:
    """Say whether a JSON value may be what a file is about: records, or segments."""
    if isinstance(value, list):
        return any(isinstance(item, dict) and item for item in value)
    return any(isinstance(value.get(key), (dict, list)) for key in (*LIST_KEYS, *WRAPPERS))


def _once(records: Iterable[Record], view: View) -> Iterator[Record]:
    """Give the records; a key that one names twice becomes a problem."""
    for record in records:
        for key in named_twice(record.row):
            view.problems.append(_twice(view.file, record.place, seen(key), "key"))
        yield record


def _surrounded() -> Finding:
    """Make the finding that a file holds more than its JSON."""
    return finding("text_around_json", "The JSON was taken out of other text that surrounds it.")


def _several_values(raw: Raw, text: str, view: View) -> View:
    """Read JSON values that follow each other without being lines."""
    values, end, place = [], 0, 0
    while text[end:].strip():
        try:
            value, length = first_value(text[end:])
        except BadJson as bad:
            where = f"line {text.count(chr(10), 0, end) + bad.line}, column {bad.column}"
            fault = Problem(raw.file, where, "", bad.value, bad.expected)
            raise InputError([*view.problems, fault]) from None
        place += 1
        values.append((f"value {place}", value))
        end += length
    view.records = _once(_checked(values, raw.file, view.problems), view)
    return view


def _is_json_lines(raw: Raw) -> bool:
    """Say whether the text is one JSON value a line, on more than one line."""
    starts = (line for _, line in lines(raw, []) if line.strip())
    first, second = next(starts, ""), next(starts, "")
    if not first.lstrip().startswith("{") or not second.lstrip().startswith(("{", "[")):
        return False
    try:
        line_value(first)
    except BadJson:
        return False
    return True


def _some_line_is_json(text: str) -> bool:
    """Say whether one of the first lines is a JSON object of its own."""
    candidates = (line for line in text.splitlines() if line.startswith("{"))
    for line in islice(candidates, _MOST_PROBED):
        try:
            if line_value(line):
                return True
        except BadJson:
            continue
    return False


def _line_records(raw: Raw, problems: list[Problem]) -> Iterator[Record]:
    """Give the records of JSON lines; a bad line becomes a problem."""
    decoder = Decoder()
    for number, line in lines(raw, problems):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            value = line_value(line, decoder)
        except BadJson as bad:
            place = f"{place}, column {bad.column}"
            problems.append(Problem(raw.file, place, "", bad.value, bad.expected))
            continue
        if isinstance(value, dict):
            twice = named_twice(value) if decoder.met_repeated else ()
            problems += [_twice(raw.file, place, seen(key), "key") for key in twice]
            yield Record(place, None, value)
        else:
            problems.append(Problem(raw.file, place, "", seen(value), "a JSON object"))


def _document_records(value: Any, view: View, options: Options) -> Iterator[Record]:
    """Give the records of one JSON document."""
    if isinstance(value, dict):
        named = "id" in value and _is_episode(value)
        wrappers = [key for key in WRAPPERS if isinstance(value.get(key), (dict, list))]
        if wrappers and not named:
            full = [key for key in wrappers if value[key]] or wrappers[:1]
            if len(full) > 1:
                text = f"there are records under {' and under '.join(map(repr, full))}"
                view.problems.append(Problem(view.file, "", "", "", f"{text}; keep one"))
            if isinstance(value, Repeated):
                view.problems += [_twice(view.file, "", seen(k), "key") for k in value.repeated]
            view.wrapper = full[0]
            return _members(value[full[0]], view, options)
        if _is_episode(value) or not all(isinstance(v, (dict, list)) for v in value.values()):
            return iter([Record("", None, value)])
    return _members(value, view, options)


def _is_episode(row: dict[str, Any]) -> bool:
    """Say whether an object holds segments itself, and is no mapping of episodes."""
    return any(key in row for key in LIST_KEYS)


def _members(value: Any, view: View, options: Options) -> Iterator[Record]:
    """Give the records of a list, or of a mapping by id."""
    if isinstance(value, dict):
        if isinstance(value, Repeated):
            for key in value.repeated:
                expected = "an id of its own; it is there more than once"
                view.problems.append(Problem(view.file, "", "episode id", seen(key), expected))
        return _keyed(value, view)
    if not isinstance(value, list):
        view.problems.append(Problem(view.file, "", "", seen(value), "a JSON object or array"))
        return iter(())
    if value and _is_segment(value[0], options):
        return iter([Record("", None, {"segments": value})])
    rows = ((f"item {number}", _unwrapped(item)) for number, item in enumerate(value, 1))
    return _checked(rows, view.file, view.problems)


def _is_segment(item: Any, options: Options) -> bool:
    """Say whether an item of a bare list is a segment, and no episode."""
    if isinstance(item, list):
        return len(item) == 3 and isinstance(item[2], str)
    if not isinstance(item, dict):
        return False
    named = options.columns.get("episode")
    has_id = any(key in item for key in ID_KEYS) or named in item
    return not has_id and not _is_episode(item) and is_whole(spell(item, options))


def _unwrapped(item: Any) -> Any:
    """Return a row of a rows service, which wraps each one again."""
    if isinstance(item, dict) and isinstance(item.get("row"), dict):
        return item["row"]
    return item


def _keyed(value: dict[str, Any], view: View) -> Iterator[Record]:
    """Give the records of a mapping by id; a list of segments is an episode, too."""
    for key, item in value.items():
        place = f"episode {seen(key)}"
        if isinstance(item, list):
            yield Record(place, key, {"segments": item})
        elif isinstance(item, dict):
            yield Record(place, key, item)
        else:
            view.problems.append(
                Problem(view.file, place, "", seen(item), "an episode: an object or a list")
            )


def _checked(
    items: Iterable[tuple[str, Any]], file: str, problems: list[Problem]
) -> Iterator[Record]:
    """Give those items that are objects; the others become problems."""
    for place, item in items:
        if isinstance(item, dict):
            yield Record(place, None, item)
        else:
            problems.append(Problem(file, place, "", seen(item), "a JSON object"))
