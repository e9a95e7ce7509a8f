"""What a format is: the contract between a file, its reader and whoever adds a format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from segjudge.annotations import Annotations
from segjudge.errors import Problem, shown
from segjudge.findings import Finding

if TYPE_CHECKING:
    from segjudge.formats.build import Builder

Unit: TypeAlias = Literal["s", "ms", "us", "frames"]
Task: TypeAlias = Literal["subtask", "hand-caption", "hand-action"]

#: A JSON object of the file: an episode, or one segment of a flat table.
Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Options:
    """What the user says about a file beyond what the file says itself.

    Attributes
    ----------
    task : str or None
        Which of several timelines of a row is meant.
    unit : str or None
        Unit of times whose field name doesn't say one; None means seconds.
    fps : Fraction or None
        Frames a second, for times in frames.
    columns : mapping of str to str
        Names of the fields in this file: ``{"start": "begin", ...}``.
    """

    task: Task | None = None
    unit: Unit | None = None
    fps: Fraction | None = None
    columns: Mapping[str, str] = field(default_factory=dict)


class Record(NamedTuple):
    """One JSON object or table row, and where it stands.

    ``key`` is the id that its container gives it (a mapping by id), or None.
    """

    place: str
    key: str | None
    row: Row


@dataclass(slots=True)
class View:
    """One way to look at a file: as JSON records, as a delimited table, as parquet rows.

    Attributes
    ----------
    kind : {"json", "table", "parquet"}
    file, stem : str
        Name as given; the name without folder and suffixes ("" for standard input).
    records : iterator of Record
        All records, read as they are asked for; to be consumed once.
    head : tuple of Record
        The first few of them, for recognition; `records` gives them again.
    header : tuple of str
        Columns of a table or of parquet; empty for JSON.
    wrapper : str
        The key that the records stood under (``database``, ``results``, ...), or "".
    delimiter : str
        What separates the cells of a table.
    problems, findings : list
        Filled while the records are read.
    """

    kind: Literal["json", "table", "parquet"]
    file: str
    stem: str
    records: Iterator[Record]
    head: tuple[Record, ...] = ()
    header: tuple[str, ...] = ()
    wrapper: str = ""
    delimiter: str = ""
    problems: list[Problem] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def seen(self) -> str:
        """Say in words what the file looks like, for messages."""
        if self.kind != "json":
            name = "a table" if self.kind == "table" else "parquet"
            return f"{name} with the columns {keys_seen(self.header)}"
        under = f" under {self.wrapper!r}" if self.wrapper else ""
        if not self.head:
            return f"JSON{under} without any record"
        return f"JSON{under} with the keys {keys_seen(self.head[0].row)}"


def keys_seen(keys: Mapping[str, Any] | tuple[str, ...], limit: int = 12) -> str:
    """List keys for a message, the first `limit` of them."""
    names = [shown(key, 40) for key in list(keys)[:limit]]
    more = [f"and {len(keys) - limit} more"] if len(keys) > limit else []
    return ", ".join([*names, *more]) or "(none)"


@dataclass(frozen=True, slots=True)
class Format:
    """A file format. A package adds its own under the entry points ``segjudge.formats``.

    Attributes
    ----------
    name : str
        What ``--format`` takes.
    description : str
        One line for help pages.
    recognises : callable
        Whether a view has the keys that this format requires.
    read : callable
        Puts all episodes and segments of a view into a builder.
    write : callable or None
        Writes annotations as text.
    rank : int
        Formats are tried from low to high rank; the general ones stand last.
    example : str
        The smallest file of this format.
    """

    name: str
    description: str
    recognises: Callable[[View, Options], bool]
    read: Callable[[View, Builder, Options], None]
    write: Callable[[Annotations, IO[str]], None] | None = None
    rank: int = 50
    example: str = ""
