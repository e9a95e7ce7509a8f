"""The `Judge` protocol: questions in, decisions out, as a stream."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Protocol

from segjudge.judgments import Judgment, Pair


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to decide: an unordered pair of labels, with its context and task.

    Attributes
    ----------
    pair : Pair
        Normalised labels in order, and the context.
    task : str
        ``subtask``, ``hand-caption``, ...
    label_a, label_b : str
        A raw spelling of each of the pair's labels, for the record.
    """

    pair: Pair
    task: str
    label_a: str
    label_b: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A question that got no judgment, and why: never a verdict.

    Attributes
    ----------
    question : Question
    reason : str
        A stable word: ``refused``, ``blocked``, ``unparsed``, ``truncated``, ``timeout``, ...
    detail : str
        What was seen, for people; never a key or a secret.
    """

    question: Question
    reason: str
    detail: str


Decision = Judgment | Failure


class Judge(Protocol):
    """Whoever decides label pairs."""

    def decide(self, questions: Iterable[Question]) -> AsyncIterator[Decision]:
        """Decide each question once, in any order, as a stream a caller can stop.

        Raises
        ------
        StoppedEarly
            The judge can't go on; what was decided so far has been yielded and kept.
        """
