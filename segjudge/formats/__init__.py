"""Reading and writing annotation files: one file a format, all behind `read` and `write`."""

from __future__ import annotations

from segjudge.formats.interface import Format, Options, Record, View
from segjudge.formats.reading import read
from segjudge.formats.registry import describe, names
from segjudge.formats.writing import write

__all__ = ["Format", "Options", "Record", "View", "describe", "names", "read", "write"]
