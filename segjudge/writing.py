"""Writing files so that they appear whole or not at all."""

from __future__ import annotations

import gzip
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from segjudge.errors import InputError, Problem


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its place only when all went well.

    A link is followed. What is no regular file, such as ``/dev/null`` or a named pipe, is
    written to and never replaced. A name that ends in ``.gz`` is compressed, the same bytes
    each time.

    Raises
    ------
    InputError
        The file can't be written.
    """
    try:
        if path.exists() and (not path.is_file() or path.is_relative_to("/dev")):
            with path.open("wb") as raw, _packed(raw, path) as stream:
                yield stream
        else:
            with _beside(Path(os.path.realpath(path))) as part, _packed(part, path) as stream:
                yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = f"can't write: {error.strerror or error}"
        raise InputError(Problem(str(path), "", "", "", reason)) from error


@contextmanager
def _beside(path: Path) -> Iterator[BinaryIO]:
    """Write a file in the same folder, and put it in the other's place at the end."""
    part = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as raw:
            yield raw
        keep_mode(path, part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def keep_mode(path: Path, part: Path) -> None:
    """Give a file that takes another's place its mode; a new one has what the umask allows."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return
    part.chmod(mode)


@contextmanager
def _packed(raw: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """Compress what is written where the name ends in ``.gz``."""
    if path.suffix != ".gz":
        yield raw
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
        yield cast(BinaryIO, stream)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text to a file, whole or not at all; ``-`` is standard output.

    Raises
    ------
    InputError
        The file can't be written.
    """
    if os.fspath(path) == "-":
        # Data is UTF-8, whatever the terminal takes.
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    with replacing(Path(path)) as stream:
        stream.write(text.encode())
