"""The chain that decides a pair: empty label, identity, people, recorded judgments.

What none of them decides is left for a model, and unknown until it answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from segjudge.jmatrix import JMatrix
from segjudge.judge.base import Question
from segjudge.judge.replay import Records
from segjudge.judgments import UNKNOWN, Judgment, Pair, Verdict, identity_form, normalise


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
        Who decided each.
    verdict : list of Verdict or None
        Of the labels in the order of the pair (a, b) as indexed; None where unknown.
    record : list of Judgment or None
        The judgment behind it, where there is one.
    question : list of Question
    judge : str or None
        Who decided where no record says so, such as ``ego4d-verb@118``.
    """

    pairs: LabelPairs
    labels: Sequence[str]
    contexts: Sequence[str]
    by: list[By]
    verdict: list[Verdict | None]
    record: list[Judgment | None]
    question: list[Question]
    judge: str | None = None

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
        """Return the distinct questions that nothing decided, in canonical order."""
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
        """Record a verdict said of the question's pair, turned to the order indexed."""
        turned = normalise(self.labels[int(self.pairs.a[row])]) != self.question[row].pair.a
        self.by[row] = by
        self.verdict[row] = on_pair.flipped if turned else on_pair
        self.record[row] = record


def decide_without_asking(
    pairs: LabelPairs,
    labels: Sequence[str],
    contexts: Sequence[str] = ("",),
    *,
    task: str = "subtask",
    records: Records | None = None,
    identity: bool = True,
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
    for row, (a, b, _) in enumerate(rows):
        pair = question[row].pair
        if not plain[a] or not plain[b]:
            decided._set(row, Verdict.DIFFERENT, By.RULE, None)
        elif identity and form[a] == form[b] and form[a]:
            decided._set(row, Verdict.SAME, By.IDENTITY, None)
        elif found := records.human(pair, task):
            decided._set(row, found.verdict, By.HUMAN, found.judgment)
        elif found := records.model(pair, task):
            decided._set(row, found.verdict, By.RECORDED, found.judgment)
    return decided


def _question(
    labels: Sequence[str], plain: dict[int, str], context: str, task: str, a: int, b: int
) -> Question:
    if plain[a] > plain[b]:
        a, b = b, a
    return Question(Pair(plain[a], plain[b], context), task, labels[a], labels[b])
