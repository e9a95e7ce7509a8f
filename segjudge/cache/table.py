"""Judgments from a table of verdicts, such as a person filled in."""

from __future__ import annotations

import csv
import os

from pydantic import ValidationError

from segjudge.cache.jsonl import explained
from segjudge.errors import InputError, Problem
from segjudge.judgments import Judgment

_NEEDED = ("label_a", "label_b", "verdict")
_TAKEN = (*_NEEDED, "judge", "prompt", "task", "context", "rationale", "judged_on")


def read_table(path: str | os.PathLike[str], judge: str | None = None) -> list[Judgment]:
    """Read judgments from a CSV or TSV file with a header.

    Parameters
    ----------
    path : path
        Columns label_a, label_b and verdict; judge, prompt, task, context, rationale and
        judged_on are taken where there are. Rows without a verdict are passed over.
    judge : str, optional
        Who judged, where the table has no such column.

    Raises
    ------
    InputError
        The file can't be read, a column is missing, or rows are no judgments; each is named.
    """
    name = os.fspath(path)
    problems: list[Problem] = []
    found: list[Judgment] = []
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            head = stream.readline()
            stream.seek(0)
            rows = csv.DictReader(stream, delimiter="\t" if "\t" in head else ",")
            columns = rows.fieldnames or []
            needed = _NEEDED if judge is not None else (*_NEEDED, "judge")
            problems += [
                Problem(name, "header", "", "", f"a column {column}{_HINT.get(column, '')}")
                for column in needed
                if column not in columns
            ]
            for row in rows if not problems else ():
                values = {key: row[key] for key in _TAKEN if row.get(key)}
                if "verdict" not in values:
                    continue
                values.setdefault("judge", judge or "")
                try:
                    found.append(Judgment.model_validate(values))
                except ValidationError as error:
                    problems += explained(error, name, f"line {rows.line_num}")
    except OSError as error:
        raise InputError(Problem(name, "", "", "", error.strerror or str(error))) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(Problem(name, "", "", "", f"a UTF-8 table: {error}")) from error
    if problems:
        raise InputError(problems)
    return found


_HINT = {"judge": ", or --judge NAME"}
