"""Judgments as JSON lines: the one form for exchange, replay and audit."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, cast

from pydantic import ValidationError

from segjudge.errors import InputError, Problem, shown
from segjudge.judgments import Judgment, Verdict
from segjudge.writing import replacing, write_text

#: How a file of UTF-16 begins.
UTF_16 = (b"\xff\xfe", b"\xfe\xff")

_VERDICTS = ", ".join(Verdict)


def read_judgments(path: str | os.PathLike[str]) -> list[Judgment]:
    """Read judgments from a JSONL file, perhaps gzipped.

    Parameters
    ----------
    path : path
        One judgment a line; blank lines are passed over.

    Returns
    -------
    list of Judgment
        In the order of the file.

    Raises
    ------
    InputError
        The file can't be read, or lines are no judgments; every such line is named.
    """
    judgments: list[Judgment] = []
    problems: list[Problem] = []
    name = os.fspath(path)
    try:
        with opened(Path(path)) as stream:
            for number, line in enumerate(stream, 1):
                if number == 1 and (told := _no_judgments(line)):
                    raise InputError(Problem(name, "", "", "", told))
                if line.strip():
                    _take(line, name, number, judgments, problems)
    except OSError as error:
        raise InputError(Problem(name, "", "", "", error.strerror or str(error))) from error
    except (EOFError, zlib.error) as error:
        broken = f"a gzip file that breaks off: {error}"
        raise InputError(Problem(name, "", "", "", broken)) from error
    if problems:
        raise InputError(problems)
    return judgments


def opened(path: Path) -> BinaryIO:
    """Open a file, through gzip where its first bytes say so."""
    with path.open("rb") as probe:
        zipped = probe.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if zipped else path.open("rb")


def _no_judgments(line: bytes) -> str:
    """Say what to do with a file whose first line shows that it holds no JSON lines."""
    if line.startswith(UTF_16):
        return "it is UTF-16: save it as UTF-8"
    if b"label_a" in line and not line.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return "a table: `segjudge judgments import` makes judgments of it"
    return ""


def _take(
    line: bytes, file: str, number: int, judgments: list[Judgment], problems: list[Problem]
) -> None:
    """Read one line into `judgments`, or say in `problems` what is wrong with it."""
    place = f"line {number}"
    try:
        judgments.append(Judgment.model_validate_json(line.removeprefix(b"\xef\xbb\xbf")))
    except ValidationError as error:
        problems += explained(error, file, place)


def explained(error: ValidationError, file: str, place: str) -> list[Problem]:
    """Turn what pydantic says of one judgment into problems a user can mend."""
    problems = []
    missing = []
    for fault in error.errors(include_url=False):
        field = ".".join(map(str, fault["loc"]))
        if fault["type"] == "missing":
            missing.append(field)
            continue
        value = shown(_text(fault["input"]))
        problems.append(Problem(file, place, field, value, _expected(field)))
    if missing:
        every = "label_a, label_b, verdict and judge on every line"
        problems.insert(0, Problem(file, place, ", ".join(missing), "missing", every))
    return problems


def _text(value: object) -> object:
    """Show a whole line as the text that it is in the file."""
    return value.decode(errors="replace").strip() if isinstance(value, bytes) else value


def _expected(field: str) -> str:
    if not field:
        return "one JSON object a line"
    if field == "verdict":
        return f"one of {_VERDICTS}"
    if field in ("label_a", "label_b", "prompt", "task", "context", "rationale"):
        return "a string"
    if field == "judge":
        return "a name"
    return "a value of the type in docs/judgments.md"


def write_judgments(judgments: Iterable[Judgment], path: str | os.PathLike[str]) -> int:
    """Write judgments as JSONL, sorted by pair; gzipped where the name ends in ``.gz``.

    The file appears whole or not at all; ``-`` is standard output.

    Returns
    -------
    int
        Number of lines written.
    """
    ordered = sorted(judgments, key=_sort_key)
    if os.fspath(path) == "-":
        write_text("-", "".join(judgment.line() + "\n" for judgment in ordered))
        return len(ordered)
    with replacing(Path(path)) as stream:
        for judgment in ordered:
            stream.write(judgment.line().encode() + b"\n")
    return len(ordered)


def _sort_key(judgment: Judgment) -> tuple[str, ...]:
    pair = judgment.pair
    return (
        pair.a,
        pair.b,
        pair.context,
        judgment.task or "",
        judgment.judge,
        judgment.prompt or "",
        judgment.judged_on or "",
        judgment.line(),
    )
