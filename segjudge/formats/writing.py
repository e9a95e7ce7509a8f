"""Writing annotations: whole or not at all, and so that they read back the same."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import sys
from pathlib import Path
from typing import IO

import numpy as np

from segjudge.annotations import Annotations
from segjudge.errors import InputError, UsageError, shown
from segjudge.formats.build import is_text
from segjudge.formats.interface import Format
from segjudge.formats.registry import formats, named
from segjudge.writing import keep_mode


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
    except BrokenPipeError:
        raise
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
        keep_mode(path, part)
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
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    try:
        chosen.write(annotations, text)
        text.flush()
    finally:
        text.detach()
