"""Writing files so that they appear whole or not at all."""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO, cast

from segjudge.errors import InputError, Problem


class replacing:
    """Open a file for writing that takes its place only when all went well."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> BinaryIO:
        try:
            handle, self._name = tempfile.mkstemp(
                dir=self._path.parent, prefix=f".{self._path.name}."
            )
        except OSError as error:
            reason = f"can't write: {error.strerror or error}"
            raise InputError(Problem(str(self._path), "", "", "", reason)) from error
        self._raw = os.fdopen(handle, "wb")
        zipped = self._path.suffix == ".gz"
        self._stream: BinaryIO = (
            cast(BinaryIO, gzip.GzipFile(filename="", mode="wb", fileobj=self._raw, mtime=0))
            if zipped
            else self._raw
        )
        return self._stream

    def __exit__(self, kind: object, *_: object) -> None:
        self._stream.close()
        self._raw.close()
        if kind is None:
            os.chmod(self._name, 0o644)
            os.replace(self._name, self._path)
        else:
            os.unlink(self._name)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text to a file, whole or not at all; ``-`` is standard output.

    Raises
    ------
    InputError
        The file can't be written.
    """
    if os.fspath(path) == "-":
        sys.stdout.write(text)
        return
    with replacing(Path(path)) as stream:
        stream.write(text.encode())
