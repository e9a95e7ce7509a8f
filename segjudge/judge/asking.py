"""Asking: one call, its repeats by class of fault, and re-asks until its answers can be read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from segjudge.judge.faults import Course, Fault
from segjudge.judge.form import Form, Turn
from segjudge.judge.gate import Gate, Patience
from segjudge.judge.outcome import Bill, Outcome
from segjudge.judge.parsing import Unreadable, is_whole, read_many, read_one
from segjudge.judge.pricing import ANSWER_TOKENS, Price, estimate_tokens
from segjudge.judge.progress import Progress
from segjudge.judge.samples import Sample
from segjudge.judge.transport import Message, Reply, Transport
from segjudge.prompts import Prompt

#: A reply cut by its length limit is asked for once more with so many times the limit.
LONGER = 4

#: So many refused requests before any success, and it is no longer about one question.
MOST_REFUSED = 10

#: So many questions given up in a row for want of a server, and the run stops.
MOST_GIVEN_UP = 10

_AGAIN = (
    "That could not be read: {why}. Answer again, with only the one JSON object in the form "
    "asked for."
)


class Asker:
    """Asks for samples, a call at a time.

    Parameters
    ----------
    prompt : Prompt
    transport : Transport
    gate : Gate
    patience : Patience
    max_tokens : int
        Longest answer; once more with `LONGER` times that when it was too short.
    progress : Progress
    price : Price, optional
        Given prices; else what the transport says.
    budget_price : Price, optional
        What to reckon with for the budget where a reply's cost is unknown.
    stopping : callable
        Whether the run is ending, so that nothing is sent any more.
    """

    def __init__(
        self,
        prompt: Prompt,
        transport: Transport,
        gate: Gate,
        patience: Patience,
        max_tokens: int,
        progress: Progress,
        price: Price | None,
        budget_price: Price | None,
        stopping: Callable[[], bool],
    ) -> None:
        self._prompt = prompt
        self._transport = transport
        self._gate = gate
        self._patience = patience
        self._max_tokens = max_tokens
        self._progress = progress
        self._price = price
        self._budget_price = budget_price
        self._stopping = stopping
        self._form = Form()
        self._refused = 0
        self._given_up = 0

    async def ask(self, samples: Sequence[Sample]) -> tuple[list[Outcome], Fault | None]:
        """Ask for samples in one call, then again alone for those that it left open.

        Returns
        -------
        list of Outcome
            One a sample. Without an answer and a reason where the run has to stop before.
        Fault or None
            Why the run has to stop.
        """
        outcomes = [Outcome(sample, Bill()) for sample in samples]
        try:
            if len(outcomes) > 1:
                await self._several(outcomes)
            for outcome in outcomes:
                if outcome.read is None and not outcome.reason:
                    await self._one(outcome)
        except Fault as fault:
            return outcomes, fault
        return outcomes, None

    async def _several(self, outcomes: list[Outcome]) -> None:
        """Ask for all in one call. What it doesn't answer is left as it is."""
        by_id = {str(number): outcome for number, outcome in enumerate(outcomes, 1)}
        items = [(name, *outcome.sample.shown) for name, outcome in by_id.items()]
        pair = outcomes[0].sample.question.pair
        messages = self._prompt.messages(items, context=pair.context)
        try:
            reply = await self._call(messages, outcomes, self._max_tokens)
            many = read_many(reply.text or "", by_id, self._prompt.verdicts)
        except Unreadable:
            return
        except Fault as fault:
            if fault.course is Course.STOP:
                raise
            return
        for name, outcome in by_id.items():
            if name in many.contradictory:
                outcome.fail("contradictory", f"two verdicts on one pair: {reply.text}")
            elif name in many.answers:
                outcome.read, outcome.reply = many.answers[name], reply
                outcome.batch = {"id": name, "pairs": len(outcomes)}

    async def _one(self, outcome: Outcome) -> None:
        """Ask about one pair until its answer can be read, or it is clear that it can't."""
        sample, limit = outcome.sample, self._max_tokens
        asked = self._prompt.messages([("1", *sample.shown)], context=sample.key.pair.context)
        messages, tried = asked, set[str]()
        while True:
            try:
                reply = await self._call(messages, [outcome], limit)
            except Fault as fault:
                if fault.course is Course.STOP:
                    raise
                outcome.fail(fault.reason, fault.detail)
                return
            problem = self._read(outcome, reply)
            if problem is None:
                return
            reason, detail = problem
            once_more = reason in ("truncated", "empty", "unparsed") and reason not in tried
            if not once_more or self._stopping():
                outcome.fail(reason, detail)
                return
            tried.add(reason)
            if reason == "truncated":
                limit *= LONGER
            elif reason == "unparsed":
                messages = [*asked, *_complaint(reply.text or "", detail)]

    def _read(self, outcome: Outcome, reply: Reply) -> tuple[str, str] | None:
        """Read the answer into `outcome`, or return why there is none."""
        text = reply.text or ""
        if reply.refusal:
            return "refused", reply.refusal
        if reply.finish_reason == "content_filter":
            return "blocked", text or "the answer was withheld"
        if reply.finish_reason == "length" and not is_whole(text):
            return "truncated", f"cut at its limit of tokens: {text}"
        if not text.strip():
            return "empty", "a reply without text"
        try:
            outcome.read = read_one(text, self._prompt.verdicts)
        except Unreadable as why:
            return "unparsed", f"{why}: {text}"
        outcome.reply = reply
        return None

    async def _call(
        self, messages: list[Message], outcomes: Sequence[Outcome], max_tokens: int
    ) -> Reply:
        """Get a reply, in a form that the server takes, and settle the bill."""
        schema = self._prompt.schema(len(outcomes))
        async with self._form.turn() as turn:
            while True:
                try:
                    reply = await self._patiently(messages, schema, turn.form, max_tokens, turn)
                except Fault as fault:
                    if turn.lower(fault):
                        continue
                    raise self._judged(fault) from None
                turn.accepted()
                break
        self._given_up = 0
        usage, cost = reply.usage, reply.cost_usd
        if self._price and usage is not None:
            cost = self._price.cost(usage["prompt_tokens"], usage["completion_tokens"])
        for outcome in outcomes:
            outcome.bill.add(usage, cost, len(outcomes))
        self._count(reply, cost, estimate_tokens(messages))
        return reply

    def _count(self, reply: Reply, cost: float | None, tokens: int) -> None:
        progress = self._progress
        progress.models[reply.model or "unknown"] += 1
        if reply.usage is not None:
            progress.tokens_in += reply.usage["prompt_tokens"]
            progress.tokens_out += reply.usage["completion_tokens"]
        if cost is None:
            progress.unpriced += 1
            usage = reply.usage or {"prompt_tokens": tokens, "completion_tokens": ANSWER_TOKENS}
            reckoned = self._budget_price or Price(0.0, 0.0, "")
            cost = reckoned.cost(usage["prompt_tokens"], usage["completion_tokens"])
        else:
            progress.cost_usd += cost
        progress.reckoned_usd += cost

    def _judged(self, fault: Fault) -> Fault:
        """Return the fault, or one that stops the run when faults of its sort are all there is."""
        if fault.course is Course.GIVE_UP and not self._form.proven:
            self._refused += 1
            if self._refused >= MOST_REFUSED:
                many = f"{self._refused} requests were refused and none was answered; the last: "
                return Fault(Course.STOP, "refused", many + fault.detail)
        if fault.course in (Course.RETRY, Course.PAUSE):
            self._given_up += 1
            dead = fault.reason == "unreachable" and not self._form.proven
            if dead or self._given_up >= MOST_GIVEN_UP:
                return Fault(Course.STOP, fault.reason, fault.detail)
        return fault

    async def _patiently(
        self,
        messages: list[Message],
        schema: Mapping[str, Any],
        form: str,
        max_tokens: int,
        turn: Turn,
    ) -> Reply:
        """Call, and call again as long as the class of the fault and patience allow."""
        attempt, paused = 0, 0.0
        while True:
            try:
                return await self._once(messages, schema, form, max_tokens)
            except Fault as fault:
                if fault.course is Course.AGAIN:
                    self._progress.retries += 1
                    continue
                if fault.course not in (Course.RETRY, Course.PAUSE):
                    raise
                turn.seen()
                attempt += 1
                wait = self._patience.wait(attempt)
                if fault.retry_after is not None:
                    wait = min(max(wait, fault.retry_after), self._patience.longest_pause)
                limited = fault.course is Course.PAUSE
                paused += wait if limited else 0.0
                if limited:
                    over = paused > self._patience.total_pause
                else:
                    over = attempt >= self._patience.attempts
                if over or self._stopping():
                    raise
                self._progress.retries += 1
                if limited:
                    self._gate.pause(wait)
                else:
                    await asyncio.sleep(wait)

    async def _once(
        self, messages: list[Message], schema: Mapping[str, Any], form: str, max_tokens: int
    ) -> Reply:
        tokens = estimate_tokens(messages) + ANSWER_TOKENS
        await self._gate.start(tokens)
        if self._stopping():
            raise Fault(Course.STOP, "stopped", "the run was ending")
        self._progress.calls += 1
        reply = await self._transport.complete(messages, schema, form, max_tokens)
        if reply.usage is not None:
            used = reply.usage["prompt_tokens"] + reply.usage["completion_tokens"]
            self._gate.correct(tokens, used)
        return reply


def _complaint(text: str, why: str) -> list[Message]:
    """Return the messages that show a model its reply and say what was wrong with it."""
    return [
        {"role": "assistant", "content": text[:2_000] or "(nothing)"},
        {"role": "user", "content": _AGAIN.format(why=why.partition(": ")[0])},
    ]
