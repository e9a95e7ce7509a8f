"""What was noticed about an input that is no error: data, for the report and for `validate`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Level = Literal["note", "warning"]

#: A finding names at most this many places; its count is always whole.
PLACES_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of thing noticed.

    Attributes
    ----------
    code : str
        Stable name, such as ``zero_length``; what a program filters on.
    level : {"note", "warning"}
        A warning is something that can mislead a reader of the score.
    side : str
        ``reference``, ``prediction``, ``judgments`` or empty for the whole run.
    count : int
        How many times it was seen.
    message : str
        One sentence for people.
    places : tuple of str
        Where, at most `PLACES_SHOWN` of them.
    """

    code: str
    level: Level
    side: str
    count: int
    message: str
    places: tuple[str, ...] = ()

    def on(self, side: str) -> Finding:
        """Return the same finding, said of `side`."""
        return Finding(self.code, self.level, side, self.count, self.message, self.places)

    def __str__(self) -> str:
        side = f"{self.side}: " if self.side else ""
        return f"{self.level}: {side}{self.message}"


def finding(
    code: str,
    message: str,
    *,
    level: Level = "note",
    side: str = "",
    count: int = 1,
    places: Iterable[str] = (),
) -> Finding:
    """Make a `Finding`, its list of places cut to `PLACES_SHOWN`."""
    return Finding(code, level, side, count, message, tuple(places)[:PLACES_SHOWN])


def counted(n: int, noun: str) -> str:
    """Return a number with its noun: ``1 episode``, ``2 episodes``."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
