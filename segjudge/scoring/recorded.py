"""Recorded judgments, from files of JSON lines, stores or memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from segjudge.cache import Store, read_judgments
from segjudge.errors import InputError, Problem, UsageError
from segjudge.judgments import Judgment
from segjudge.report import Input

#: A file of JSON lines, a store's folder, or judgments in memory.
Recorded = str | os.PathLike[str] | Iterable[Judgment] | Sequence[str | os.PathLike[str]]


def file_input(role: str, path: Path, format: str) -> Input:
    """Return what the report says of a file that has a bearing on the figures.

    Raises
    ------
    InputError
        The file can't be read.
    """
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(Problem(str(path), "", "", "", error.strerror or str(error))) from error
    return Input(role=role, file=path.name, sha256=digest, format=format)


def load_judgments(source: Recorded) -> tuple[list[Judgment], list[Input]]:
    """Return recorded judgments in order, and what they came from.

    Raises
    ------
    InputError
        A file or store can't be read, or a line is no judgment.
    """
    lines: list[Judgment] = []
    inputs: list[Input] = []
    for item in [source] if isinstance(source, (str, os.PathLike)) else source:
        if isinstance(item, Judgment):
            lines.append(item)
        else:
            found, kept = read_recorded(Path(item))
            lines += found
            inputs.append(kept)
    return lines, inputs


def read_recorded(path: Path) -> tuple[list[Judgment], Input]:
    """Return the judgments of one file or store.

    Raises
    ------
    UsageError
        Standard input is named: judgments are read twice, once for their hash.
    """
    if str(path) == "-":
        raise UsageError("judgments can't be read from standard input; name a file or a store")
    if path.is_dir():
        with Store(path, readonly=True) as store:
            found = list(store.judgments())
        return found, _store_input(path, found)
    return read_judgments(path), file_input("judgments", path, "judgments")


def read_imported(source: Store | Path) -> tuple[list[Judgment], list[Input]]:
    """Return the judgments imported into a store; none where there is no store yet."""
    if isinstance(source, Store):
        path, found = source.path, list(source.imported())
    elif not source.exists():
        return [], []
    else:
        path = source
        with Store(source, readonly=True) as store:
            found = list(store.imported())
    return found, [_store_input(path, found)] if found else []


def _store_input(path: Path, found: Sequence[Judgment]) -> Input:
    """Return what the report says of the judgments of a store."""
    digest = hashlib.sha256()
    for line in sorted(judgment.line() for judgment in found):
        digest.update(line.encode() + b"\n")
    return Input(role="judgments", file=path.name, sha256=digest.hexdigest(), format="store")
