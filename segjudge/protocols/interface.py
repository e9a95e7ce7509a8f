"""What a protocol says, and nothing of how it is done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One score of a benchmark.

    Attributes
    ----------
    name : str
        As reports call it: ``hand captions``.
    task : str
        What of a row is scored: ``subtask``, ``hand-caption``, ``hand-action`` or ``boxes``.
    metric : str
        Its name and options.
    prompt : str
        The prompt that label pairs are judged with; "" where nobody is asked.
    floors : tuple of str
        Trivial answers to compare with, as `baselines.baseline` takes them.
    by : tuple of str
        What its figures are grouped by.
    """

    name: str
    task: str
    metric: str
    prompt: str = ""
    floors: tuple[str, ...] = ()
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Protocol:
    """A benchmark.

    Attributes
    ----------
    name : str
    parts : tuple of Part
    bins : str
        Edges of lengths in seconds for recall and precision by length of segment.
    """

    name: str
    parts: tuple[Part, ...]
    bins: str
