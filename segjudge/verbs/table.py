"""A taxonomy from a user's CSV: a column ``label``, and perhaps one ``group`` of further words."""

from __future__ import annotations

import ast
import csv
import io
import json

from segjudge.errors import InputError, Problem, shown
from segjudge.verbs.taxonomy import Taxonomy, Verb, plain


def from_csv(text: str, file: str, name: str) -> Taxonomy:
    """Read a taxonomy in the shape of Ego4D's ``narration_verb_taxonomy.csv``.

    Parameters
    ----------
    text : str
        The whole file, header included. A cell that holds commas must be quoted.
    file : str
        Its name, for messages.
    name : str
        What the taxonomy is called in reports.

    Raises
    ------
    InputError
        It has no such columns, a row has too many cells, a group is no list, a label is empty
        or there twice; every row at fault is named.
    """
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    header = [cell.strip() for cell in next(rows, [])]
    if "label" not in header:
        raise InputError(Problem(file, "line 1", "label", "missing", "a column of that name"))
    verbs: list[Verb] = []
    problems: list[Problem] = []
    known: set[str] = set()
    for cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        place = f"line {rows.line_num}"
        if len(cells) != len(header):
            expected = f"{len(header)} cells, as in the header; a label with commas in quotes"
            problems.append(Problem(file, place, "", f"{len(cells)} cells", expected))
            continue
        row = dict(zip(header, cells, strict=True))
        group = _words(row.get("group", ""))
        if group is None:
            expected = "a list of words, such as ['hold', 'grip']"
            problems.append(Problem(file, place, "group", shown(row["group"]), expected))
            continue
        verb = Verb.parse(row["label"], group)
        if not plain(verb.head) or plain(verb.label) in known:
            expected = "a label of its own, which begins with its verb"
            problems.append(Problem(file, place, "label", shown(row["label"]), expected))
            continue
        known.add(plain(verb.label))
        verbs.append(verb)
    if not verbs and not problems:
        problems.append(Problem(file, "", "", "", "at least one verb; there is none"))
    if problems:
        raise InputError(problems)
    return Taxonomy(name, verbs)


def _words(cell: str) -> list[str] | None:
    """Return the words of a group: a list as Python or JSON writes it, or separated by commas."""
    if not cell.strip().startswith("["):
        return cell.split(",")
    for parse in (json.loads, ast.literal_eval):
        try:
            words = parse(cell.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(words, list) and all(isinstance(word, str) for word in words):
            return words
    return None
