"""Which answers a question needs: presentation orders, votes, and their keys."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from segjudge.cache.answers import Answer, AnswerKey, derive
from segjudge.judge.base import Question
from segjudge.judgments import UNKNOWN, Judgment, Pair


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One answer that a question needs."""

    question: Question
    key: AnswerKey
    digest: str

    @property
    def turned(self) -> bool:
        """Whether the pair's second label is shown first."""
        return self.key.order == 1

    @property
    def shown(self) -> tuple[str, str]:
        """The two labels in the order in which they are shown."""
        a, b, _ = self.question.pair
        return (b, a) if self.turned else (a, b)


@dataclass(frozen=True, slots=True)
class Plan:
    """Which samples of a question are wanted, and how their keys are made.

    Attributes
    ----------
    judge, prompt_sha256 : str
    kind : str
        Of the prompt: ``relation``, ``permissible`` or ``same``.
    params : mapping
    votes, orders, run, pairs_per_call, seed : int
    """

    judge: str
    prompt_sha256: str
    kind: str
    params: Mapping[str, Any]
    votes: int = 1
    orders: int = 1
    run: int = 1
    pairs_per_call: int = 1
    seed: int = 0

    def samples(self, question: Question, again: int = 0) -> list[Sample]:
        """Return the samples of a question; with `again`, those of a further round of votes."""
        first = self._first_order(question)
        samples = []
        for number in range(again * self.votes, (again + 1) * self.votes):
            for order in (first, 1 - first)[: self.orders]:
                key = AnswerKey(
                    self.judge,
                    self.prompt_sha256,
                    self.params,
                    question.task,
                    question.pair,
                    self.pairs_per_call,
                    order,
                    number,
                    self.run,
                )
                samples.append(Sample(question, key, key.digest()))
        return samples

    def _first_order(self, question: Question) -> int:
        """Return which label is shown first: as good as random, and the same in each run."""
        text = "\x1f".join((self.prompt_sha256, question.task, *question.pair))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0] & 1

    def undecided(self, judgment: Judgment) -> bool:
        """Return whether votes left open what this kind of prompt could have decided."""
        verdict = judgment.verdict
        return (self.kind != "same" and verdict.permissible == UNKNOWN) or (
            self.kind != "permissible" and verdict.same == UNKNOWN
        )

    def calls(self, samples: Iterable[Sample]) -> Iterator[tuple[Sample, ...]]:
        """Group samples into calls: one each, or shuffled by the seed into several each.

        A call is about one task and context, and never twice about one pair.
        """
        if self.pairs_per_call == 1:
            yield from ((sample,) for sample in samples)
            return
        groups: dict[tuple[str, str, int], list[Sample]] = {}
        times: Counter[tuple[str, Pair]] = Counter()
        for sample in samples:
            task, pair = sample.key.task, sample.key.pair
            groups.setdefault((task, pair.context, times[task, pair]), []).append(sample)
            times[task, pair] += 1
        for name, group in groups.items():
            group.sort(key=lambda sample: sample.digest)
            random.Random(f"{self.seed}/{name}").shuffle(group)
            for at in range(0, len(group), self.pairs_per_call):
                yield tuple(group[at : at + self.pairs_per_call])


@dataclass(slots=True, eq=False)
class Pending:
    """A question whose answers are not all there yet."""

    question: Question
    answers: list[Answer]
    missing: set[str]
    failure: tuple[str, str] | None = None
    samples: Sequence[Sample] = field(default=())

    def take(self, digest: str, answer: Answer | None, reason: str = "", detail: str = "") -> bool:
        """Take an answer or the reason why there is none; return whether that was the last."""
        self.missing.discard(digest)
        if answer is not None:
            self.answers.append(answer)
        elif self.failure is None:
            self.failure = (reason, detail)
        return not self.missing

    def judgment(self) -> Judgment:
        """Return the judgment derived from the answers."""
        return derive(self.answers)
