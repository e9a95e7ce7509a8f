"""What an answer is: verdicts, label pairs, identity, and the judgment, a line of JSON.

A question is about an unordered pair of labels. Two yes/no answers matter, each yes (1), no (0)
or unknown (-1): *permissible* (the same activity, or one a step of the other) and *same*.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

YES, NO, UNKNOWN = 1, 0, -1


class Verdict(StrEnum):
    """What a judge may say of two labels, a and b."""

    SAME = "same"
    A_IN_B = "a_in_b"  # a is a step of b
    B_IN_A = "b_in_a"
    PART = "part"  # one is a step of the other, direction open
    DIFFERENT = "different"
    PERMISSIBLE = "permissible"  # "yes" to a permissible prompt
    NOT_SAME = "not_same"  # "no" to a same-event prompt
    UNDECIDED = "undecided"  # votes without a majority

    @property
    def permissible(self) -> int:
        """Whether it is the same activity, or one a step of the other: 1, 0 or -1."""
        return _ANSWERS[self][0]

    @property
    def same(self) -> int:
        """Whether it is the same activity: 1, 0 or -1."""
        return _ANSWERS[self][1]

    @property
    def flipped(self) -> Verdict:
        """The same verdict, said of (b, a)."""
        return _FLIPPED.get(self, self)


_ANSWERS = {
    Verdict.SAME: (YES, YES),
    Verdict.A_IN_B: (YES, NO),
    Verdict.B_IN_A: (YES, NO),
    Verdict.PART: (YES, NO),
    Verdict.DIFFERENT: (NO, NO),
    Verdict.PERMISSIBLE: (YES, UNKNOWN),
    Verdict.NOT_SAME: (UNKNOWN, NO),
    Verdict.UNDECIDED: (UNKNOWN, UNKNOWN),
}
_FLIPPED = {Verdict.A_IN_B: Verdict.B_IN_A, Verdict.B_IN_A: Verdict.A_IN_B}


def normalise(label: str) -> str:
    """Return the label as used for keys, order and prompts: NFC, white space collapsed."""
    return " ".join(unicodedata.normalize("NFC", label).split())


def identity_form(label: str) -> str:
    """Return what two labels must share to be `same` without asking.

    NFKC, case folding, ``_`` to space, collapsed white space, a final full stop dropped. Nothing
    is dropped by alphabet: comparing ``[a-z0-9]`` tokens makes all Chinese labels equal.
    """
    text = unicodedata.normalize("NFKC", label).casefold()
    # Case folding can undo NFKC (U+1E9E, U+0345), so once more.
    text = " ".join(unicodedata.normalize("NFKC", text).replace("_", " ").split())
    return text.removesuffix(".").rstrip()


class Pair(NamedTuple):
    """An unordered pair of normalised labels with its context: what a question is about.

    Attributes
    ----------
    a, b : str
        Normalised labels, ``a <= b``.
    context : str
        What the question carries besides the labels; empty for none.
    """

    a: str
    b: str
    context: str = ""


def pair_of(label_a: str, label_b: str, context: str = "") -> tuple[Pair, bool]:
    """Return the unordered pair of two labels, and whether they had to change places."""
    a, b, context = normalise(label_a), normalise(label_b), normalise(context)
    return (Pair(a, b, context), False) if a <= b else (Pair(b, a, context), True)


class Judgment(BaseModel):
    """A verdict on two labels, as it is exchanged, replayed and audited: a line of JSON.

    The first four fields are required. Fields not named here are kept. Labels stay as written;
    `pair` and `verdict_on_pair` are what counts.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    label_a: str = Field(description="first label, raw spelling")
    label_b: str = Field(description="second label, raw spelling")
    verdict: Verdict = Field(description="of label_a and label_b, in this order")
    judge: str = Field(min_length=1, description="who said so: a model's name, or human:NAME")
    prompt: str | None = Field(None, description="name@version of the prompt")
    prompt_sha256: str | None = None
    task: str | None = Field(None, description="subtask, hand-caption, ...; absent fits any")
    context: str = Field("", description="what the question carried besides the labels")
    params: dict[str, Any] | None = Field(None, description="parameters sent to the model")
    votes: list[str] | None = Field(None, description="the single answers behind the verdict")
    rationale: str | None = None
    usage: dict[str, Any] | None = None
    cost_usd: float | None = Field(None, allow_inf_nan=False)
    judged_on: str | None = None
    run: int = Field(1, ge=1, strict=True, description="of a question asked again on purpose")

    @property
    def pair(self) -> Pair:
        """The unordered pair that this judgment is about."""
        return pair_of(self.label_a, self.label_b, self.context)[0]

    @property
    def verdict_on_pair(self) -> Verdict:
        """The verdict, said of `pair` in its own order."""
        flipped = pair_of(self.label_a, self.label_b, self.context)[1]
        return self.verdict.flipped if flipped else self.verdict

    @property
    def is_human(self) -> bool:
        """Whether a person said so; such judgments may always accompany and win."""
        return self.judge.casefold().startswith("human")

    def line(self) -> str:
        """Return the judgment as one line of JSON, without absent fields, no line feed."""
        return self.model_dump_json(exclude_defaults=True)


def by_vote(verdicts: Sequence[Verdict]) -> Verdict:
    """Derive one verdict from several answers on one pair.

    Majority for each of the two answers; a tie is unknown in that one. Where the answers are
    those of a step, the direction named more often counts, and ``part`` when both are named
    equally often or none is.

    Parameters
    ----------
    verdicts : sequence of Verdict
        Answers said of the pair in one order.

    Returns
    -------
    Verdict
        `UNDECIDED` when both answers are unknown, as for no verdicts at all.
    """
    permissible = _majority([verdict.permissible for verdict in verdicts])
    same = _majority([verdict.same for verdict in verdicts])
    if permissible == YES and same == NO:
        a_in_b, b_in_a = verdicts.count(Verdict.A_IN_B), verdicts.count(Verdict.B_IN_A)
        if a_in_b == b_in_a:
            return Verdict.PART
        return Verdict.A_IN_B if a_in_b > b_in_a else Verdict.B_IN_A
    return _FROM_ANSWERS.get((permissible, same), Verdict.UNDECIDED)


_FROM_ANSWERS = {
    (YES, YES): Verdict.SAME,
    (NO, NO): Verdict.DIFFERENT,
    (YES, UNKNOWN): Verdict.PERMISSIBLE,
    (UNKNOWN, NO): Verdict.NOT_SAME,
}


def _majority(answers: Sequence[int]) -> int:
    """Return the answer given more often among the known ones, else unknown."""
    yes, no = answers.count(YES), answers.count(NO)
    return UNKNOWN if yes == no else YES if yes > no else NO
