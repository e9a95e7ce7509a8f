"""What the runs of one judge share while at least one of them is going on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime

from segjudge.cache.answers import Answer
from segjudge.errors import StoppedEarly
from segjudge.judge.asking import Asker
from segjudge.judge.faults import Fault
from segjudge.judge.gate import Gate, Patience
from segjudge.judge.keeper import AnswerStore, Keeper
from segjudge.judge.outcome import Outcome
from segjudge.judge.pricing import Price
from segjudge.judge.progress import Progress
from segjudge.judge.transport import Transport
from segjudge.prompts import Prompt
from segjudge.version import version

#: What to tell people about why a run stopped.
_WHY = {
    "no_access": "the model refused access; check the key and what it may use",
    "quota": "the account's quota or credit is used up",
    "not_found": "there is no such model or address",
    "refused": "the server refuses these requests",
    "unreachable": "the model can't be reached",
    "rate_limited": "the server kept saying that it is asked too often",
}


@dataclass(frozen=True, slots=True)
class Landing:
    """How asking for one sample ended, once that is on disk."""

    answer: Answer | None
    reason: str = ""
    detail: str = ""


class Session:
    """Gate, connections, keeper and limits, for the runs that one judge has at a time.

    Parameters
    ----------
    concurrency : int
    store : AnswerStore
    prompt : Prompt
    transport : Transport
    gate : Gate
    patience : Patience
    progress : Progress
    max_tokens : int
    price, budget_price : Price, optional
    budget_usd : float, optional
    limit : int, optional
    """

    def __init__(
        self,
        *,
        concurrency: int,
        store: AnswerStore,
        prompt: Prompt,
        transport: Transport,
        gate: Gate,
        patience: Patience,
        progress: Progress,
        max_tokens: int,
        price: Price | None,
        budget_price: Price | None,
        budget_usd: float | None,
        limit: int | None,
    ) -> None:
        self.concurrency = concurrency
        self.store = store
        self.gate = gate
        self.patience = patience
        self.progress = progress
        self.keeper = Keeper(store)
        self.flights: dict[str, asyncio.Future[Landing]] = {}
        self.runs = 0
        self._prompt = prompt
        self._transport = transport
        self._opening = asyncio.Lock()
        self._open = False
        self._stop: StoppedEarly | None = None
        self._limited = False
        self._budget_usd = budget_usd
        self._limit = limit
        self._price = price
        self._asker = Asker(
            prompt,
            transport,
            gate,
            patience,
            max_tokens,
            progress,
            price,
            budget_price,
            lambda: self.halted,
        )

    async def ready(self) -> Asker:
        """Return who asks, with the transport open."""
        async with self._opening:
            if not self._open:
                await self._transport.open()
                self._open = True
        return self._asker

    async def close(self) -> None:
        """Write what is still waiting, and let go of connections."""
        await self.keeper.close()
        if self._open:
            self._open = False
            await self._transport.close()

    @property
    def halted(self) -> bool:
        """Whether nothing is to be asked any more."""
        return self._stop is not None

    def halt(self, stop: StoppedEarly) -> None:
        """Ask nothing any more; the first reason counts."""
        self._stop = self._stop or stop

    def halt_for(self, fault: Fault) -> None:
        """Ask nothing any more, because of a fault."""
        why = _WHY.get(fault.reason, "the server keeps failing")
        self.halt(StoppedEarly(f"{why}: {fault.detail}"))

    def stopped(self) -> StoppedEarly | None:
        """Return why not everything was asked, if so."""
        if self._stop is None and self._limited:
            return StoppedEarly(f"the limit of {self._limit} questions was reached")
        return self._stop

    def over_budget(self) -> bool:
        """Return whether the budget is used up; nothing is asked any more then."""
        spent = self.progress.reckoned_usd
        if self._budget_usd is None or spent < self._budget_usd:
            return False
        self.halt(
            StoppedEarly(f"the budget of {self._budget_usd:g} USD is used up ({spent:.4g} USD)")
        )
        return True

    def may_ask(self) -> bool:
        """Count a question that is to be asked, unless the limit is reached."""
        if self._limit is not None and self.progress.begun >= self._limit:
            self._limited = True
            return False
        self.progress.begun += 1
        return True

    def answer(self, outcome: Outcome) -> Answer:
        """Return the answer to keep."""
        read, reply, bill = outcome.read, outcome.reply, outcome.bill
        assert read is not None and reply is not None  # noqa: PT018 - one fact
        question, priced = outcome.sample.question, bill.cost_usd is not None
        return Answer.of(
            outcome.sample.key,
            verdict=self._prompt.read(read.word, outcome.sample.turned),
            reason=read.reason,
            prompt=self._prompt.id,
            label_a=question.label_a,
            label_b=question.label_b,
            model_answered=reply.model,
            params_sent=reply.params_sent,
            params_dropped=reply.params_dropped,
            usage=bill.usage,
            cost_usd=bill.cost_usd,
            price_source=self._price.source if self._price and priced else reply.price_source,
            raw=reply.text or "",
            finish_reason=reply.finish_reason,
            attempts=bill.calls,
            notes=list(read.notes),
            batch=outcome.batch,
            judged_on=now(),
            version=version(),
        )


def now() -> str:
    """Return the time, UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
