"""Recorded judgments, from files of JSON lines, stores or memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from segjudge.cache import Store, read_judgments
from segjudge.judgments import Judgment
from segjudge.report import Input

#: A file of JSON lines, a store's folder, or judgments in memory.
Recorded = str | os.PathLike[str] | Iterable[Judgment] | Sequence[str | os.PathLike[str]]


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
    """Return the judgments of one file or store."""
    if path.is_dir():
        with Store(path, readonly=True) as store:
            found = list(store.judgments())
        digest = hashlib.sha256()
        for line in sorted(judgment.line() for judgment in found):
            digest.update(line.encode() + b"\n")
        kind, sha256 = "store", digest.hexdigest()
    else:
        found = read_judgments(path)
        with path.open("rb") as stream:
            kind, sha256 = "judgments", hashlib.file_digest(stream, "sha256").hexdigest()
    return found, Input(role="judgments", file=path.name, sha256=sha256, format=kind)
