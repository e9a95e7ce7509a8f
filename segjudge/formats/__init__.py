"""Reading and writing annotation files: one file a format, all behind `read` and `write`."""

from __future__ import annotations

import gzip
import io
import math
import os
import secrets
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import IO, get_args

import numpy as np

from segjudge.annotations import Annotations, Source
from segjudge.errors import InputError, UsageError, shown
from segjudge.formats.build import Builder, is_text
from segjudge.formats.interface import Format, Options, Record, Task, Unit, View
from segjudge.formats.registry import choose, formats, named
from segjudge.formats.source import open_raw

__all__ = [
    "Format", "Options", "Record", "View", "describe", "names", "read", "write",
]  # fmt: skip

_ROLES = ("start", "end", "label", "episode", "track", "duration")


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    task: str | None = None,
    unit: str | None = None,
    fps: float | None = None,
    columns: Mapping[str, str] | None = None,
) -> Annotations:
    """Read an annotation file.

    Parameters
    ----------
    path : str or path
        The file; ``.gz`` is read too, and ``-`` is standard input.
    format : str, optional
        One of `names`; recognised by its keys if not given.
    task : {"subtask", "hand-caption", "hand-action"}, optional
        Which timeline to take from rows that hold several; ``subtask`` if not given. Other
        formats ignore it.
    unit : {"s", "ms", "us", "frames"}, optional
        Unit of times whose field name says none; seconds if not given.
    fps : float, optional
        Frames a second, for times in frames; what the file says if not given.
    columns : mapping of str to str, optional
        Names of fields in this file, for start, end, label, episode, track, duration.

    Returns
    -------
    Annotations
        Times in microseconds; `source`, the episode table and findings filled.

    Raises
    ------
    InputError
        The file can't be read; names every problem in it.
    UsageError
        An option can't be used.
    """
    options = _options(task, unit, fps, columns)
    raw = open_raw(path)
    chosen, view = choose(raw, options, format)
    builder = Builder(raw.file, view.problems, view.findings)
    chosen.read(view, builder, options)
    return builder.build(Source(raw.file, raw.sha256, chosen.name))


def _options(
    task: str | None, unit: str | None, fps: float | None, columns: Mapping[str, str] | None
) -> Options:
    """Check the options of `read`."""
    if task is not None and task not in get_args(Task):
        raise UsageError(f"--task {task}: there are {', '.join(get_args(Task))}")
    if unit is not None and unit not in get_args(Unit):
        raise UsageError(f"--unit {unit}: there are {', '.join(get_args(Unit))}")
    rate = None
    if fps is not None:
        if not (math.isfinite(fps) and 0 < fps <= 1_000_000):
            raise UsageError(f"--fps {fps}: frames a second, above 0")
        rate = Fraction(repr(float(fps)))
    for role in columns or {}:
        if role not in _ROLES:
            raise UsageError(f"--columns {role}=...: there are {', '.join(_ROLES)}")
    return Options(task, unit, rate, dict(columns or {}))  # type: ignore[arg-type]


def write(annotations: Annotations, path: str | os.PathLike[str], format: str) -> None:
    """Write annotations so that `read` gives the same back.

    The file appears whole or not at all. A name that ends in ``.gz`` is compressed, the same
    bytes each time. Segments are grouped by episode, otherwise in their order.

    Parameters
    ----------
    annotations : Annotations
    path : str or path
        ``-`` is standard output.
    format : str
        ``segjudge``, ``csv`` or ``tsv``, or another format that can be written.

    Raises
    ------
    InputError
        The annotations hold what the format can't: no episode, a negative time.
    UsageError
        The format is unknown or can't be written, or the file can't be.
    """
    chosen = named(format)
    if chosen.write is None:
        able = ", ".join(f.name for f in formats() if f.write is not None)
        raise UsageError(f"the format {format!r} can be read only; there are {able}")
    _check_writable(annotations)
    name = os.fspath(path)
    try:
        if name == "-":
            _write_stream(annotations, chosen, sys.stdout.buffer, False)
            sys.stdout.buffer.flush()
        else:
            _write_file(annotations, chosen, Path(os.path.realpath(name)))
    except OSError as error:
        raise UsageError(f"{name} can't be written: {error.strerror or error}") from None


def _check_writable(annotations: Annotations) -> None:
    """Refuse what couldn't be read back."""
    if not annotations.episodes:
        raise InputError("there is no episode to write")
    early = np.flatnonzero(annotations.start < 0)
    if len(early):
        episode = annotations.episodes[annotations.episode[early[0]]]
        raise InputError(
            f"{len(early)} segments start before 0, the first in episode {shown(episode)}; "
            "a file can't hold negative times"
        )
    words = (*annotations.episodes, *annotations.tracks, *annotations.labels)
    for word in words:
        if not is_text(word):
            raise InputError(f"a lone surrogate can't be written: {shown(word)}")
    for episode in annotations.episodes:
        if not episode.strip():
            raise InputError(f"an episode id must not be blank: {shown(episode)}")


def _write_file(annotations: Annotations, chosen: Format, path: Path) -> None:
    """Write beside the file, then put it in its place."""
    packed = path.suffix == ".gz"
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            _write_stream(annotations, chosen, stream, packed)
        return
    part = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as stream:
            _write_stream(annotations, chosen, stream, packed)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _write_stream(
    annotations: Annotations, chosen: Format, stream: IO[bytes], packed: bool
) -> None:
    """Write as UTF-8 text, compressed if asked."""
    assert chosen.write is not None
    if packed:
        with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as inner:
            _write_text(annotations, chosen, inner)
    else:
        _write_text(annotations, chosen, stream)


def _write_text(
    annotations: Annotations, chosen: Format, stream: IO[bytes] | gzip.GzipFile
) -> None:
    """Write as UTF-8 text, line ends as they are, and leave the stream open."""
    assert chosen.write is not None
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")  # type: ignore[arg-type, type-var]
    try:
        chosen.write(annotations, text)
        text.flush()
    finally:
        text.detach()


def names() -> tuple[str, ...]:
    """Return the names of all formats, in the order in which they are tried."""
    return tuple(format.name for format in formats())


def describe() -> dict[str, str]:
    """Return one line about each format, by name, for help pages."""
    return {format.name: format.description for format in formats()}
