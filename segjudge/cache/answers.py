"""Single answers: what each is keyed by, what is kept of it, and how they become a judgment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from segjudge.judgments import Judgment, Pair, Verdict, by_vote

#: How keys are made. Another number here means that no answer kept before is found any more.
KEY_RULE = 1

#: A reply is kept up to so many characters.
RAW_LIMIT = 8_000
REASON_LIMIT = 2_000


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """What makes two answers the same answer.

    Attributes
    ----------
    judge : str
        The model's name as given, or what it is to be called.
    prompt_sha256 : str
        Of the prompt's text and answer schema.
    params : mapping
        Parameters as requested. The order of names doesn't count, nor does 0 against 0.0.
    task : str
    pair : Pair
        The labels in the pair's own order, and the context.
    pairs_per_call : int
        As asked for: 1 or more.
    order : int
        0: ``pair.a`` is shown first; 1: ``pair.b`` is.
    sample : int
        Index of the vote, from 0.
    run : int
        From 1; another run asks everything again.
    """

    judge: str
    prompt_sha256: str
    params: Mapping[str, Any]
    task: str
    pair: Pair
    pairs_per_call: int = 1
    order: int = 0
    sample: int = 0
    run: int = 1

    def digest(self) -> str:
        """Return the key as the store knows it: a SHA-256, the same on every machine."""
        return _sha256([*self._asked(), self.run, self.order, self.sample])

    def group(self) -> str:
        """Return what all answers behind one judgment share; sorts by run within a question."""
        return f"{_sha256(self._asked())}/{self.run:06d}"

    def _asked(self) -> list[Any]:
        return [
            KEY_RULE,
            self.judge,
            self.prompt_sha256,
            _canonical(self.params),
            self.task,
            *self.pair,
            self.pairs_per_call,
        ]


def _canonical(value: Any) -> Any:
    """Return a JSON value in which equal numbers look equal, also inside lists and mappings."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(name): _canonical(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(each) for each in value]
    return value


# Made once: json.dumps makes one for each call.
_encoded = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode


def _sha256(value: Any) -> str:
    text = _encoded(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _kept(limit: int) -> BeforeValidator:
    """Make a reply's text fit to keep: whole characters only, and not without end."""

    def keep(text: object) -> object:
        if not isinstance(text, str):
            return text
        if len(text) <= limit and text.isascii():
            return text
        # A reply may spell half a surrogate pair, which no file can hold.
        text = text.encode("utf-8", "replace").decode()
        if len(text) <= limit:
            return text
        # With its mark it fits, so that reading it back doesn't cut it again.
        mark = f"[... {len(text)} characters]"
        return text[: limit - len(mark)] + mark

    return BeforeValidator(keep)


class Answer(BaseModel):
    """One answer of a judge on one pair, with all that is needed to audit it.

    The key's fields come first; `verdict` is said of the pair in its own order, however it was
    shown. Fields not named here are kept.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    judge: str = Field(min_length=1, description="the model's name as given, or its alias")
    prompt_sha256: str
    params: dict[str, Any] = Field(default_factory=dict, description="as requested")
    task: str
    a: str = Field(description="the pair's first label, normalised")
    b: str
    context: str = ""
    pairs_per_call: int = Field(default=1, ge=1)
    order: int = Field(default=0, ge=0, le=1, description="0: a was shown first, 1: b was")
    sample: int = Field(default=0, ge=0)
    run: int = Field(default=1, ge=1)

    verdict: Verdict = Field(description="of a and b, in this order")
    reason: Annotated[str, _kept(REASON_LIMIT)] = ""
    prompt: str = Field(default="", description="name@version")
    label_a: str = Field(description="a raw spelling of a")
    label_b: str
    model_answered: str | None = Field(default=None, description="who answered, by its own account")
    params_sent: dict[str, Any] = Field(default_factory=dict)
    params_dropped: list[str] = Field(default_factory=list, description="not supported, not sent")
    usage: dict[str, Any] | None = Field(
        default=None, description="this pair's share; None: unknown"
    )
    cost_usd: float | None = Field(default=None, allow_inf_nan=False)
    price_source: str | None = None
    raw: Annotated[str, _kept(RAW_LIMIT)] = Field(
        default="", description="the reply as it came, cut"
    )
    finish_reason: str | None = None
    attempts: int = Field(default=1, ge=1, description="calls made until this answer came")
    notes: list[str] = Field(default_factory=list, description="what was odd about the reply")
    batch: dict[str, Any] | None = Field(
        default=None, description="its id in the call, pairs in the call"
    )
    judged_on: str | None = None
    version: str = Field(default="", description="of segjudge")

    @classmethod
    def of(cls, key: AnswerKey, **fields: Any) -> Answer:
        """Make an answer to `key` from the other fields."""
        return cls(
            judge=key.judge,
            prompt_sha256=key.prompt_sha256,
            params=dict(key.params),
            task=key.task,
            a=key.pair.a,
            b=key.pair.b,
            context=key.pair.context,
            pairs_per_call=key.pairs_per_call,
            order=key.order,
            sample=key.sample,
            run=key.run,
            **fields,
        )

    @property
    def pair(self) -> Pair:
        """The pair that this answer is about."""
        return Pair(self.a, self.b, self.context)

    @property
    def key(self) -> AnswerKey:
        """The key that this answer is kept under."""
        return AnswerKey(
            self.judge,
            self.prompt_sha256,
            self.params,
            self.task,
            self.pair,
            self.pairs_per_call,
            self.order,
            self.sample,
            self.run,
        )

    def text(self) -> str:
        """Return the answer as it is stored: JSON, without what is absent."""
        return self.model_dump_json(exclude_none=True, exclude_defaults=True)


class FailedAttempt(BaseModel):
    """An attempt that gave no answer, and why. Kept apart: it is never a verdict."""

    model_config = ConfigDict(extra="allow", frozen=True)

    digest: str = Field(pattern="^[0-9a-f]{64}$", description="of the answer's key")
    reason: str = Field(min_length=1, description="a stable word: refused, unparsed, timeout, ...")
    detail: Annotated[str, _kept(RAW_LIMIT)] = Field(
        default="", description="for people, no secrets"
    )
    when: str | None = None
    judge: str = ""
    task: str = ""
    label_a: str = ""
    label_b: str = ""
    context: str = ""


def derive(answers: Sequence[Answer]) -> Judgment:
    """Derive one judgment from all answers to one question of one run.

    The verdict is `by_vote`; votes stand in order of sample, then presentation, whatever the
    order of `answers`. Tokens and cost are sums, and absent as soon as those of one answer are
    unknown: a sum of some would read as a total.

    Raises
    ------
    ValueError
        There is no answer, or they aren't on one question.
    """
    if not answers:
        raise ValueError("no answers to derive a judgment from")
    ordered = sorted(answers, key=lambda answer: (answer.sample, answer.order))
    first = ordered[0]
    if len(ordered) > 1 and any(each.key.group() != first.key.group() for each in ordered[1:]):
        raise ValueError("answers on more than one question")
    verdicts = [answer.verdict for answer in ordered]
    verdict = verdicts[0] if len(verdicts) == 1 else by_vote(verdicts)  # a vote of one is itself
    told = next((answer for answer in ordered if answer.verdict == verdict), first)
    models = sorted({answer.model_answered for answer in ordered if answer.model_answered})
    extra: dict[str, Any] = {"models_answered": models} if models else {}
    if first.run != 1:
        extra["run"] = first.run
    if first.pairs_per_call != 1:
        extra["pairs_per_call"] = first.pairs_per_call
    return Judgment(
        label_a=first.label_a,
        label_b=first.label_b,
        verdict=verdict,
        judge=first.judge,
        prompt=first.prompt or None,
        prompt_sha256=first.prompt_sha256,
        task=first.task,
        context=first.context,
        params=first.params_sent or first.params,
        votes=[each.value for each in verdicts],
        rationale=told.reason or None,
        usage=_total([answer.usage for answer in ordered]),
        cost_usd=_sum([answer.cost_usd for answer in ordered]),
        judged_on=max((a.judged_on for a in ordered if a.judged_on), default=None),
        **extra,
    )


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _total(usages: Sequence[Mapping[str, Any] | None]) -> dict[str, Any] | None:
    """Add up counts by name, also those in mappings within; what is no count is left out."""
    known = [usage for usage in usages if usage is not None]
    if len(known) != len(usages):
        return None
    if len(known) == 1 and all(type(value) is int for value in known[0].values()):
        return dict(known[0])  # the usual case, in a tenth of the time
    total: dict[str, Any] = {}
    for name in dict.fromkeys(name for usage in known for name in usage):
        values = [usage.get(name) for usage in known]
        if any(isinstance(value, Mapping) for value in values):
            inner = [value if isinstance(value, Mapping) else {} for value in values]
            total[name] = _total(inner)
        else:
            counts = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
            if counts:
                total[name] = sum(counts)
    return total
