"""What diskcache may read and write here: text, and never a pickle."""

from __future__ import annotations

from typing import Any, NoReturn

from diskcache import Disk
from diskcache.core import MODE_RAW


class NotText(TypeError):
    """A row or a value that isn't text: refused before anything looks inside it."""


class TextDisk(Disk):  # type: ignore[misc]
    """Keys and values are `str`, stored as they are.

    diskcache's own Disk pickles what it can't store plainly and unpickles any row marked as a
    pickle, so a store from somebody else could run code; its JSONDisk unpickles too.
    """

    def put(self, key: Any) -> tuple[str, bool]:
        """Return a key as stored."""
        return _text(key), True

    def get(self, key: Any, raw: Any) -> str:
        """Return a stored key."""
        return checked_key(key, raw)

    def store(self, value: Any, read: bool, key: Any = None) -> tuple[int, int, None, str]:
        """Return a value as stored: size, mode, file name, value."""
        return 0, MODE_RAW, None, _refuse("a file") if read else _text(value)

    def fetch(self, mode: Any, filename: Any, value: Any, read: bool) -> str:
        """Return a stored value."""
        return checked_value(mode, filename, value)


def checked_key(key: object, raw: object) -> str:
    """Return a key read from the database, if it is text."""
    return _text(key) if raw == 1 else _refuse("a key that isn't plain")


def checked_value(mode: object, filename: object, value: object) -> str:
    """Return a value read from the database, if it is text in its row."""
    if mode != MODE_RAW or filename is not None:
        _refuse("a value that isn't plain text")
    return _text(value)


def _text(value: object) -> str:
    # A subclass of str may carry more than text.
    return value if type(value) is str else _refuse(type(value).__name__)


def _refuse(what: str) -> NoReturn:
    raise NotText(f"only text can be kept here, not {what}")
