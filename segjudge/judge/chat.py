"""`ChatJudge`: label pairs put to a chat model, every answer kept at once."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from segjudge.errors import StoppedEarly, UsageError
from segjudge.judge.base import Decision, Question
from segjudge.judge.gate import Gate, Patience
from segjudge.judge.keeper import AnswerStore
from segjudge.judge.pricing import ANSWER_TOKENS, Price, estimate_tokens, price_of
from segjudge.judge.progress import Progress
from segjudge.judge.run import CHUNK, Run
from segjudge.judge.samples import Plan, Sample
from segjudge.judge.scrub import Scrubber
from segjudge.judge.session import Session
from segjudge.judge.transport import LiteLLM, Transport
from segjudge.prompts import Prompt

#: Most pairs in one call.
MOST_PAIRS = 10

#: Parameters that are the judge's own business, or may hold a secret that would be recorded.
_NOT_PARAMS = frozenset(
    (
        *("api_base", "api_key", "base_url", "extra_headers", "headers", "max_retries", "messages"),
        *("max_completion_tokens", "max_tokens", "mock_response", "model", "n", "num_retries"),
        *("response_format", "stream", "timeout", "tool_choice", "tools"),
    )
)


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a run would take, by what is kept now. Asks nothing.

    Attributes
    ----------
    questions : int
        Distinct ones.
    stored : int
        Those decided by answers kept before.
    calls, tokens_in, tokens_out : int
        For the others; tokens are estimates.
    cost_usd : float or None
        None where no price is known.
    price : Price or None
    """

    questions: int
    stored: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    price: Price | None


class ChatJudge:
    """Decides label pairs by asking a chat model through litellm.

    Each distinct question is asked once, and never again once its answers are in the store. One
    judge may run several `decide` at a time within one event loop; they share its limits and ask
    nothing twice.

    Parameters
    ----------
    model : str
        ``provider/model``, as litellm names it.
    prompt : Prompt
        By `segjudge.prompts.load`.
    store : Store
        Where answers are looked up and kept.
    api_base : str, optional
        Address of an OpenAI-compatible server, with ``openai/NAME`` as the model.
    judge_name : str, optional
        What the judge is called in the store, instead of `model`.
    params : mapping, optional
        Parameters of the model; ``{"temperature": 0}`` by default. A part of the key. Those that
        the model doesn't support are left out, and that is recorded.
    concurrency : int
        Most calls at a time.
    rpm, tpm : int, optional
        Requests and tokens a minute.
    votes : int
        Answers to ask for, in each order.
    orders : int
        1, or 2 for both presentation orders.
    run : int
        Another number asks everything again.
    pairs_per_call : int
        1 to 10.
    seed : int
        Shuffles which pairs share a call.
    timeout : float
        Seconds for a call.
    max_tokens : int
        Longest answer.
    budget_usd : float, optional
        Stop when calls have cost so much. Those in flight then still end.
    price_in, price_out : float, optional
        US dollars a million tokens, instead of litellm's list; both or none.
    limit : int, optional
        Most questions to ask.
    retry_undecided : bool
        Ask for a further round of votes where those kept left a question open.
    on_progress : callable, optional
        Called with the `Progress` whenever something was decided.
    patience : Patience
        How often and how long to try again.
    transport : Transport, optional
        Another way to the model than litellm.

    Attributes
    ----------
    progress : Progress
        Counts over the judge's whole life.

    Raises
    ------
    UsageError
        An option that can't be, or a budget without a known price.
    """

    def __init__(
        self,
        model: str,
        *,
        prompt: Prompt,
        store: AnswerStore,
        api_base: str | None = None,
        judge_name: str | None = None,
        params: Mapping[str, Any] | None = None,
        concurrency: int = 16,
        rpm: int | None = None,
        tpm: int | None = None,
        votes: int = 1,
        orders: int = 1,
        run: int = 1,
        pairs_per_call: int = 1,
        seed: int = 0,
        timeout: float = 60.0,
        max_tokens: int = 1024,
        budget_usd: float | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
        limit: int | None = None,
        retry_undecided: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
        patience: Patience | None = None,
        transport: Transport | None = None,
    ) -> None:
        params = {"temperature": 0} if params is None else dict(params)
        _check_params(params)
        _check_range("votes", votes, 1, 99)
        _check_range("orders", orders, 1, 2)
        _check_range("run", run, 1, 999_999)
        _check_range("pairs per call", pairs_per_call, 1, MOST_PAIRS)
        _check_range("max_tokens", max_tokens, 1, 1_000_000)
        _check_range("limit", limit, 1, 10**12)
        _check_range("timeout", timeout, 0.001, 86_400)
        _check_range("budget", budget_usd, 0, 1e9)
        _check_prices(price_in, price_out)
        Gate(concurrency, rpm, tpm)  # refuses what can't be before anything is asked
        given = (
            None if price_in is None and price_out is None else price_of("", price_in, price_out)
        )
        if budget_usd is not None and (given or price_of(model)) is None:
            raise UsageError(
                f"a budget needs a price, and none is known for {model!r}: give the prices in and "
                "out, in US dollars a million tokens"
            )
        self.progress = Progress()
        self._model = model
        self._prompt = prompt
        self._store = store
        self._concurrency = concurrency
        self._limits = (rpm, tpm)
        self._plan = Plan(
            judge_name or model,
            prompt.sha256,
            prompt.kind,
            params,
            votes,
            orders,
            run,
            pairs_per_call,
            seed,
        )
        self._max_tokens = max_tokens
        self._budget_usd = budget_usd
        self._given_price = given
        self._limit = limit
        self._retry_undecided = retry_undecided
        self._on_progress = on_progress
        self._patience = patience or Patience()
        self._transport = transport or LiteLLM(
            model, api_base=api_base, params=params, timeout=timeout, scrub=Scrubber()
        )
        self._session: Session | None = None

    async def decide(self, questions: Iterable[Question]) -> AsyncGenerator[Decision, None]:
        """Decide each distinct question once, as a stream.

        Close the stream when leaving it early (``contextlib.aclosing``): calls in flight then get
        a few seconds to be kept. The same happens when the task is cancelled.

        Raises
        ------
        StoppedEarly
            No access, no quota, no server, a budget or limit reached, or a store that can't be
            written. What was decided has been yielded and kept, also what the store knew of the
            questions after that.
        UsageError
            litellm is missing or doesn't know the model.
        """
        session = self._session = self._session or self._new_session()
        session.runs += 1
        run = Run(session, self._plan, questions, self._retry_undecided, self._tell)
        stream = run.decisions()
        try:
            async for decision in stream:
                yield decision
        finally:
            await stream.aclose()
            session.runs -= 1
            if session.runs == 0:
                self._session = None
                await session.close()

    def stop(self, why: str = "stopped") -> None:
        """Ask nothing any more: runs end with `StoppedEarly` after the calls in flight."""
        if self._session is not None:
            self._session.halt(StoppedEarly(why))

    def outlook(self, questions: Iterable[Question]) -> Outlook:
        """Say what deciding these questions would take. Asks nothing and contacts nobody."""
        distinct = list({(q.task, q.pair): q for q in questions}.values())
        missing: list[Sample] = []
        stored = 0
        for at in range(0, len(distinct), CHUNK):
            chunk = [self._plan.samples(question) for question in distinct[at : at + CHUNK]]
            found = self._store.get([sample.digest for samples in chunk for sample in samples])
            for samples in chunk:
                absent = [sample for sample in samples if sample.digest not in found]
                missing += absent
                stored += not absent
        calls = tokens_in = 0
        for call in self._plan.calls(missing):
            items = [(str(number), *sample.shown) for number, sample in enumerate(call, 1)]
            context = call[0].key.pair.context
            calls += 1
            tokens_in += estimate_tokens(self._prompt.messages(items, context=context))
        tokens_out = len(missing) * ANSWER_TOKENS
        price = self._given_price or price_of(self._model)
        cost = None if price is None else price.cost(tokens_in, tokens_out)
        cost = cost if calls else 0.0
        return Outlook(len(distinct), stored, calls, tokens_in, tokens_out, cost, price)

    def _tell(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self.progress)

    def _new_session(self) -> Session:
        return Session(
            concurrency=self._concurrency,
            store=self._store,
            prompt=self._prompt,
            transport=self._transport,
            gate=Gate(self._concurrency, *self._limits),
            patience=self._patience,
            progress=self.progress,
            max_tokens=self._max_tokens,
            price=self._given_price,
            budget_price=self._given_price or price_of(self._model),
            budget_usd=self._budget_usd,
            limit=self._limit,
        )


def _check_range(name: str, value: float | None, least: float, most: float) -> None:
    if value is not None and not least <= value <= most:
        raise UsageError(f"{name} is {value}, expected {least:g} to {most:g}")


def _check_prices(price_in: float | None, price_out: float | None) -> None:
    if (price_in is None) != (price_out is None):
        raise UsageError("give both prices, in and out, or none")
    _check_range("price in", price_in, 0, 1e9)
    _check_range("price out", price_out, 0, 1e9)


def _check_params(params: Mapping[str, Any]) -> None:
    for name in params:
        if name.lower() in _NOT_PARAMS:
            raise UsageError(f"{name} is no parameter to give: it is set by other options or none")
    try:
        json.dumps(params, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the parameters are no JSON: {error}") from None
