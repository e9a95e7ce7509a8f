"""The bytes of a file: where they come from, gzip, encoding, lines with their numbers."""

from __future__ import annotations

import difflib
import gzip
import hashlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from segjudge.errors import InputError, Problem

#: The longest line and the largest JSON document that are held in memory, in bytes.
LARGEST_DOCUMENT = 2**30

#: How many bytes tell the kind of a file.
PEEK = 1024

#: After this many lines that are no UTF-8, the file is no UTF-8.
MOST_UNDECODABLE = 100

_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BROKEN = (EOFError, zlib.error, OSError)


@dataclass(frozen=True, slots=True)
class Raw:
    """A file that can be opened more than once.

    Attributes
    ----------
    file : str
        Name as given, for messages.
    stem : str
        The name without folder and suffixes; "" for standard input.
    sha256 : str
        Of the bytes as they are stored.
    path : Path or None
        Where it can be opened, if it is a regular file.
    data : bytes
        Its bytes, if it is not.
    """

    file: str
    stem: str
    sha256: str
    path: Path | None
    data: bytes

    def stored(self) -> IO[bytes]:
        """Open the bytes as they are stored."""
        return io.BytesIO(self.data) if self.path is None else self.path.open("rb")

    def is_packed(self) -> bool:
        """Say whether the bytes are gzip."""
        with self.stored() as stream:
            return stream.read(2) == _GZIP

    def open(self) -> IO[bytes]:
        """Open the bytes, decompressed if they are gzip."""
        stream = self.stored()
        if self.is_packed():
            return io.BufferedReader(gzip.GzipFile(fileobj=stream, mode="rb"))
        return stream

    def fault(self, expected: str, place: str = "", value: str = "") -> InputError:
        """Make the error that this file deserves."""
        return InputError(Problem(self.file, place, "", value, expected))


def open_raw(path: str | os.PathLike[str]) -> Raw:
    """Find a file and hash it; ``-`` is standard input.

    Raises
    ------
    InputError
        It isn't there, is a folder, can't be read, or is empty.
    """
    name = os.fspath(path)
    file = name.encode("utf-8", "backslashreplace").decode("utf-8")
    if name == "-":
        return _in_memory(file, "", sys.stdin.buffer.read())
    where = Path(name)
    stem = where.name.split(".")[0] or where.name
    try:
        with where.open("rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return _in_memory(file, stem, stream.read())
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = stream.tell()
    except FileNotFoundError:
        raise InputError(Problem(file, "", "", "", _not_found(where))) from None
    except IsADirectoryError:
        raise InputError(Problem(file, "", "", "", "this is a folder, not a file")) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(Problem(file, "", "", "", f"can't be read: {reason}")) from None
    if not size:
        raise InputError(Problem(file, "", "", "", "the file is empty"))
    return Raw(file, stem, digest, where, b"")


def _in_memory(file: str, stem: str, data: bytes) -> Raw:
    """Hold bytes that can be read once only."""
    if not data:
        raise InputError(Problem(file, "", "", "", "the file is empty"))
    return Raw(file, stem, hashlib.sha256(data).hexdigest(), None, data)


def _not_found(where: Path) -> str:
    """Say that a file isn't there, with the nearest name that is."""
    try:
        present = [entry.name for entry in os.scandir(where.parent)]
    except OSError:
        return "no such file (its folder isn't there either)"
    near = difflib.get_close_matches(where.name, present, n=1)
    return (
        f"no such file; did you mean {str(where.parent / near[0])!r}?" if near else "no such file"
    )


def first_bytes(raw: Raw) -> bytes:
    """Return how a file begins, once decompressed: `PEEK` bytes at most.

    Raises
    ------
    InputError
        The gzip data is broken already there.
    """
    try:
        with raw.open() as stream:
            return stream.read(PEEK)
    except _BROKEN as error:
        raise raw.fault(f"the gzip data is broken: {error}") from None


def check_kind(raw: Raw, start: bytes) -> str:
    """Return ``parquet`` or ``text``, judged by how the file begins.

    Raises
    ------
    InputError
        The bytes are neither: UTF-16, another binary format, nothing at all.
    """
    if start.startswith(_PARQUET):
        return "parquet"
    if start.startswith(_UTF16):
        raise raw.fault("the text is UTF-16; save it as UTF-8")
    if b"\0" in start:
        raise raw.fault("a binary file that is neither gzip nor parquet")
    if not start.strip() and len(start) < PEEK:
        raise raw.fault("the file holds nothing")
    return "text"


def lines(
    raw: Raw, problems: list[Problem], limit: int = LARGEST_DOCUMENT
) -> Iterator[tuple[int, str]]:
    """Give each line with its number (from 1), line end included, without a byte order mark.

    A line that is no UTF-8 becomes a problem and is given with replacement characters, so that
    what follows keeps its place.

    Raises
    ------
    InputError
        The gzip data breaks off, a line is longer than `limit` bytes, or too many lines are
        no UTF-8.
    """
    undecodable = 0
    with raw.open() as stream:
        for number in range(1, sys.maxsize):
            try:
                line = stream.readline(limit + 1)
            except _BROKEN as error:
                fault = f"the gzip data breaks off or is damaged: {error}"
                raise InputError(
                    [*problems, *raw.fault(fault, f"line {number}").problems]
                ) from None
            if not line:
                return
            if len(line) > limit:
                raise raw.fault(f"a line of at most {limit} bytes", f"line {number}")
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            try:
                yield number, line.decode("utf-8")
            except UnicodeDecodeError as error:
                undecodable += 1
                byte = f"byte {error.start + 1} (0x{line[error.start]:02x})"
                problems.append(Problem(raw.file, f"line {number}", "", byte, "UTF-8 text"))
                if undecodable > MOST_UNDECODABLE:
                    raise InputError(problems) from None
                yield number, line.decode("utf-8", "replace")


def whole_text(raw: Raw, problems: list[Problem], limit: int = LARGEST_DOCUMENT) -> str:
    """Return all text of a file.

    Raises
    ------
    InputError
        As `lines`, or the text is longer than `limit` characters.
    """
    size, parts = 0, []
    for _, line in lines(raw, problems, limit):
        size += len(line)
        if size > limit:
            raise raw.fault(f"a document of at most {limit} characters; JSON lines have no limit")
        parts.append(line)
    return "".join(parts)
