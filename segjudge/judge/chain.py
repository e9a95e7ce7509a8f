"""The chain that decides a pair: empty label, identity, people, recorded judgments.

What none of them decides is left for a model, and unknown until it answers. A verdict may leave one
of its two answers unknown; what follows in the chain then fills in that one, and changes no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from segjudge.jmatrix import JMatrix
from segjudge.judge.base import Question
from segjudge.judge.replay import Records
from segjudge.judgments import (
    NO,
    UNKNOWN,
    YES,
    Judgment,
    Pair,
    Verdict,
    identity_form,
    normalise,
)

#: The answers that metrics may read of a verdict.
ANSWERS = ("permissible", "same")


class By(StrEnum):
    """Who decided a pair."""

    RULE = "rule"  # a label is empty, so it matches nothing
    VERB = "verb"  # both labels mean one verb of a closed vocabulary, or they don't
    IDENTITY = "identity"
    HUMAN = "human"
    RECORDED = "recorded"
    MODEL = "model"
    UNKNOWN = "unknown"


class LabelPairs(NamedTuple):
    """Distinct label pairs as indices, as `metrics.questions` gives them."""

    a: npt.NDArray[np.int64]
    b: npt.NDArray[np.int64]
    context: npt.NDArray[np.int64]


@dataclass(slots=True, eq=False)
class Decided:
    """What the chain knows of each pair needed.

    Attributes
    ----------
    pairs : LabelPairs
    labels, contexts : sequence of str
        What the indices stand for.
    by : list of By
        Who decided each: the last whom it took. Unknown while an answer that is read is.
    verdict : list of Verdict or None
        Of the labels in the order of the pair (a, b) as indexed; None where unknown.
    record : list of Judgment or None
        The judgment behind it, where there is one; of several the last.
    question : list of Question
    judge : str or None
        Who decided where no record says so, such as ``ego4d-verb@118``.
    reads : list of tuple of str, or None
        The answers that are read of each, of `ANSWERS`; None where any verdict will do.
    earlier : dict of int to list of Judgment
        Row -> the judgments that gave one of the two answers, before `record` gave the other.
    """

    pairs: LabelPairs
    labels: Sequence[str]
    contexts: Sequence[str]
    by: list[By]
    verdict: list[Verdict | None]
    record: list[Judgment | None]
    question: list[Question]
    judge: str | None = None
    reads: Sequence[tuple[str, ...]] | None = None
    earlier: dict[int, list[Judgment]] = field(default_factory=dict)

    @property
    def used(self) -> list[Judgment]:
        """All judgments that gave an answer, in order of rows."""
        rows = [
            (*self.earlier.get(row, ()), *([record] if record else []))
            for row, record in enumerate(self.record)
        ]
        return [judgment for own in rows for judgment in own]

    def only(self, rows: npt.NDArray[np.int64]) -> Decided:
        """Return what is known of some of the pairs, in the order given."""
        chosen = rows.tolist()
        return replace(
            self,
            pairs=LabelPairs(self.pairs.a[rows], self.pairs.b[rows], self.pairs.context[rows]),
            by=[self.by[i] for i in chosen],
            verdict=[self.verdict[i] for i in chosen],
            record=[self.record[i] for i in chosen],
            question=[self.question[i] for i in chosen],
            reads=self.reads and [self.reads[i] for i in chosen],
            earlier={n: self.earlier[i] for n, i in enumerate(chosen) if i in self.earlier},
        )

    def matrix(self) -> JMatrix:
        """Return the answers as a `JMatrix`."""
        return JMatrix(
            len(self.labels),
            self.pairs.a,
            self.pairs.b,
            [v.permissible if v else UNKNOWN for v in self.verdict],
            [v.same if v else UNKNOWN for v in self.verdict],
            self.pairs.context,
        )

    def missing(self) -> list[Question]:
        """Return the distinct questions with an open answer, in canonical order."""
        open_ones = {
            question.pair: question
            for question, by in zip(self.question, self.by, strict=True)
            if by is By.UNKNOWN
        }
        return [open_ones[pair] for pair in sorted(open_ones)]

    def add(self, judgments: Sequence[Judgment], by: By) -> None:
        """Fill in what a judge answered to questions that were missing."""
        answers = {judgment.pair: judgment for judgment in judgments}
        for row, question in enumerate(self.question):
            found = answers.get(question.pair)
            if found is not None and self.by[row] is By.UNKNOWN:
                self._set(row, found.verdict_on_pair, by, found)

    def _set(self, row: int, on_pair: Verdict, by: By, record: Judgment | None) -> None:
        """Fill in a verdict said of the question's pair, turned to the order indexed."""
        turned = normalise(self.labels[int(self.pairs.a[row])]) != self.question[row].pair.a
        verdict, known = on_pair.flipped if turned else on_pair, self.verdict[row]
        self.verdict[row] = verdict if known is None else completed(known, verdict)
        before = self.record[row]
        if before is not None and known is not Verdict.UNDECIDED:
            self.earlier.setdefault(row, []).append(before)
        self.record[row] = record
        if self.by[row] is By.UNKNOWN and not self._open(row, by):
            self.by[row] = by

    def _open(self, row: int, by: By) -> bool:
        """Whether an answer that is read is unknown."""
        verdict = self.verdict[row]
        if self.reads is None:
            return verdict in (None, Verdict.UNDECIDED) and by is not By.MODEL
        return verdict is None or any(getattr(verdict, name) < 0 for name in self.reads[row])


def completed(first: Verdict, then: Verdict) -> Verdict:
    """Return the first verdict, with what it leaves unknown as the other says."""
    permissible = then.permissible if first.permissible == UNKNOWN else first.permissible
    same = then.same if first.same == UNKNOWN else first.same
    for verdict in (first, then):  # which may know the direction of a step
        if (verdict.permissible, verdict.same) == (permissible, same):
            return verdict
    return Verdict.PART if (permissible, same) == (YES, NO) else _BOTH[permissible, same]


_BOTH = {(YES, YES): Verdict.SAME, (NO, NO): Verdict.DIFFERENT}


def decide_without_asking(
    pairs: LabelPairs,
    labels: Sequence[str],
    contexts: Sequence[str] = ("",),
    *,
    task: str = "subtask",
    records: Records | None = None,
    identity: bool = True,
    reads: Sequence[tuple[str, ...]] | None = None,
) -> Decided:
    """Run the chain up to where a model would be asked.

    Parameters
    ----------
    pairs : LabelPairs
        Distinct pairs.
    labels, contexts : sequence of str
        What the indices stand for; context 0 is none.
    task : str
        Recorded judgments of another task don't count; those that name none do.
    records : Records, optional
    identity : bool
        Whether labels of one `identity_form` are `same` without a call.
    reads : sequence of tuple of str, optional
        The answers that are read of each pair: while one of them is unknown, the pair is open.

    Returns
    -------
    Decided
    """
    records = records or Records()
    used = np.unique(np.concatenate((pairs.a, pairs.b))).tolist()
    plain = {i: normalise(labels[i]) for i in used}
    form = {i: identity_form(labels[i]) for i in used}
    rows = list(zip(pairs.a.tolist(), pairs.b.tolist(), pairs.context.tolist(), strict=True))
    question = [_question(labels, plain, normalise(contexts[c]), task, a, b) for a, b, c in rows]
    n = len(rows)
    decided = Decided(pairs, labels, contexts, [By.UNKNOWN] * n, [None] * n, [None] * n, question)
    decided.reads = reads
    for row, (a, b, _) in enumerate(rows):
        pair = question[row].pair
        if not plain[a] or not plain[b]:
            decided._set(row, Verdict.DIFFERENT, By.RULE, None)
        elif identity and form[a] == form[b] and form[a]:
            decided._set(row, Verdict.SAME, By.IDENTITY, None)
        else:
            if found := records.human(pair, task):
                decided._set(row, found.verdict, By.HUMAN, found.judgment)
            wanted = ANSWERS if reads is None else reads[row]
            known = decided.verdict[row]
            complete = known is not None and all(getattr(known, name) >= 0 for name in wanted)
            if not complete and (found := records.model(pair, task)):
                decided._set(row, found.verdict, By.RECORDED, found.judgment)
    return decided


def _question(
    labels: Sequence[str], plain: dict[int, str], context: str, task: str, a: int, b: int
) -> Question:
    if plain[a] > plain[b]:
        a, b = b, a
    return Question(Pair(plain[a], plain[b], context), task, labels[a], labels[b])
