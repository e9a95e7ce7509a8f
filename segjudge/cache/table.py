"""Judgments that a person filled in: a table or JSON lines, some verdicts perhaps still open."""

from __future__ import annotations

import csv
import io
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from segjudge.cache.jsonl import UTF_16, explained, opened
from segjudge.errors import InputError, Problem, shown
from segjudge.judgments import Judgment

_NEEDED = ("label_a", "label_b", "verdict")
_TAKEN = (*_NEEDED, "judge", "prompt", "task", "context", "rationale", "judged_on")
_DELIMITERS = ("\t", ",", ";")


class Filled(NamedTuple):
    """What was read.

    Attributes
    ----------
    judgments : list of Judgment
        In the order of the file.
    left_open : int
        Rows that have no verdict yet.
    """

    judgments: list[Judgment]
    left_open: int


def read_table(path: str | os.PathLike[str], judge: str | None = None) -> Filled:
    """Read verdicts that a person filled in.

    Parameters
    ----------
    path : path
        A CSV or TSV file with a header, or JSON lines, such as ``score --missing`` writes, perhaps
        gzipped: label_a, label_b and verdict; judge, prompt, task, context, rationale and
        judged_on are taken where there are. A row whose verdict is empty or null is still open.
    judge : str, optional
        Who judged, on the rows that don't say.

    Raises
    ------
    InputError
        The file can't be read, a column is missing, rows are no judgments, or none has a
        verdict; each is named.
    """
    name = os.fspath(path)
    problems: list[Problem] = []
    judgments: list[Judgment] = []
    nameless: list[str] = []
    left_open = 0
    try:
        with opened(Path(path)) as stream:
            raw = stream.read()
        if raw.startswith(UTF_16):
            raise InputError(Problem(name, "", "", "UTF-16", "save it as UTF-8"))
        text = raw.decode("utf-8-sig")
        for place, values in _rows(text, name, problems):
            verdict = values.get("verdict")
            verdict = verdict.strip().lower() if isinstance(verdict, str) else verdict
            if verdict in (None, ""):
                left_open += 1
                continue
            who = values.get("judge") or judge
            if not who:
                nameless.append(place)
            filled = {**values, "verdict": verdict, "judge": who or "somebody"}
            try:
                judgments.append(Judgment.model_validate(filled))
            except ValidationError as error:
                problems += explained(error, name, place)
    except OSError as error:
        raise InputError(Problem(name, "", "", "", error.strerror or str(error))) from error
    except (EOFError, zlib.error) as error:
        broken = f"a gzip file that breaks off: {error}"
        raise InputError(Problem(name, "", "", "", broken)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(Problem(name, "", "", "", f"expected a UTF-8 table: {error}")) from error
    if nameless:
        more = f", here and in {len(nameless) - 1} more rows" if len(nameless) > 1 else ""
        says = f"who judged{more}; or give --judge NAME"
        problems.append(Problem(name, nameless[0], "judge", "", says))
    if not problems and not judgments:
        problems.append(Problem(name, "", "verdict", "", "at least one row with a verdict"))
    if problems:
        raise InputError(problems)
    return Filled(judgments, left_open)


def _rows(text: str, name: str, problems: list[Problem]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the place and the non-empty fields of each row."""
    if text.lstrip().startswith("{"):
        yield from _json_rows(text, name, problems)
    else:
        yield from _table_rows(text, name, problems)


def _json_rows(
    text: str, name: str, problems: list[Problem]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            yield f"line {number}", {key: value for key, value in row.items() if value is not None}
        else:
            expected = "one JSON object a line"
            problems.append(Problem(name, f"line {number}", "", shown(line), expected))


def _table_rows(
    text: str, name: str, problems: list[Problem]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    head = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    columns = rows.fieldnames or []
    lacking = [column for column in _NEEDED if column not in columns]
    problems += [
        Problem(name, "header", "", "", f"expected a column {column}") for column in lacking
    ]
    if not lacking:
        for row in rows:
            if None in row or None in row.values():
                cells = f"{len(columns)} cells, as the header has"
                problems.append(Problem(name, f"line {rows.line_num}", "", "", cells))
                continue
            yield f"line {rows.line_num}", {key: row[key] for key in _TAKEN if row.get(key)}
