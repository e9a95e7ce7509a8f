"""What can go wrong that a user can mend: one small hierarchy.

Errors are raised where the mistake is known. Only ``cli.py`` turns them into an exit status.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class SegjudgeError(Exception):
    """Anything segjudge tells a user about on purpose."""


class UsageError(SegjudgeError):
    """An option or argument that can't be used as given (exit status 2)."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with an input, precise enough to go and mend it.

    Attributes
    ----------
    file : str
        Name of the file as the user gave it; empty where there is none.
    place : str
        Where in the file: ``line 12``, ``row 3``, ``episode 'a', segment 4``.
    field : str
        The field at fault; empty where the fault is not in one field.
    value : str
        The offending value, as read and shortened.
    expected : str
        What was expected instead.
    """

    file: str
    place: str
    field: str
    value: str
    expected: str

    def __str__(self) -> str:
        where = ": ".join(part for part in (self.file, self.place, self.field) if part)
        what = f"{self.value} (expected {self.expected})" if self.value else self.expected
        return f"{where}: {what}" if where else what


class InputError(SegjudgeError):
    """An input that can't be read as what it should be (exit status 2).

    Parameters
    ----------
    problems : iterable of Problem or str
        Every problem found, not only the first.
    """

    def __init__(self, problems: Iterable[Problem] | Problem | str) -> None:
        if isinstance(problems, str):
            problems = [Problem("", "", "", "", problems)]
        elif isinstance(problems, Problem):
            problems = [problems]
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class StoppedEarly(SegjudgeError):
    """A run that had to stop; what was answered so far is kept (exit status 4)."""


def shown(value: object, limit: int = 80) -> str:
    """Return ``repr(value)``, cut to `limit` characters, for use in a message."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
