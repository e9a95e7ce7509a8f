"""The way to a model: one call through litellm, its reply, and what was really sent."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version as installed
from typing import Any, ClassVar, Protocol

from segjudge.errors import UsageError
from segjudge.judge.faults import Course, Fault, classify
from segjudge.judge.scrub import Scrubber

Message = dict[str, str]

#: How an answer's form is asked for, the strictest first.
FORMS = ("json_schema", "json_object", "plain")

_REFUSED_PARAM = re.compile(
    r"unsupported|(?:n't|not) support|not supported|unrecognized|unknown|extra inputs",
    re.IGNORECASE,
)

#: A call may take so many seconds longer than its own time-out before it is given up.
_MARGIN = 5.0

#: Set before litellm is imported: nothing but the model is contacted, no `.env` file is read.
_OFFLINE = {
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # releases before the offline mode
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `usage` and `cost_usd` are None when unknown, which is not zero."""

    text: str | None
    finish_reason: str | None
    refusal: str | None
    model: str | None
    usage: dict[str, Any] | None
    cost_usd: float | None
    price_source: str | None
    params_sent: dict[str, Any]
    params_dropped: list[str]


class Transport(Protocol):
    """One call to a model. Raises only `Fault`, and `UsageError` on opening."""

    async def open(self) -> None:
        """Get ready; called before the first call of a run."""

    async def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any], form: str, max_tokens: int
    ) -> Reply:
        """Ask once, without any retry."""

    async def close(self) -> None:
        """Let go of connections; called at the end of each run."""


class LiteLLM:
    """Any provider that litellm knows, by the model's name.

    Parameters
    ----------
    model : str
        ``provider/model``.
    api_base : str, optional
        Address of an OpenAI-compatible server.
    params : mapping
        Parameters of the model as requested. Those that it doesn't support are left out.
    timeout : float
        Seconds for a call.
    scrub : Scrubber
    """

    #: litellm's connections are the process's, so the last one out closes them.
    _open: ClassVar[int] = 0

    def __init__(
        self,
        model: str,
        *,
        api_base: str | None,
        params: Mapping[str, Any],
        timeout: float,
        scrub: Scrubber,
    ) -> None:
        self._model = model
        self._api_base = api_base
        self._requested = dict(params)
        self._timeout = timeout
        self._scrub = scrub
        self._litellm: Any = None
        self._params: dict[str, Any] = {}
        self._dropped: list[str] = []
        self._takes_form = True
        self._key: dict[str, str] = {}
        self._prices = ""

    async def open(self) -> None:
        """Import litellm, and find out which parameters the model takes."""
        if self._litellm is None:
            self._litellm = await asyncio.to_thread(import_litellm)
            self._prices = f"litellm {installed('litellm')}"
            self._choose_params()
        LiteLLM._open += 1

    def _choose_params(self) -> None:
        litellm = self._litellm
        try:
            _, provider, _, _ = litellm.get_llm_provider(self._model, api_base=self._api_base)
        except litellm.BadRequestError:
            raise UsageError(
                f"model {self._model!r} names no provider that litellm knows; write "
                "provider/model, as in gemini/gemini-3.5-flash, or openai/NAME with --api-base"
            ) from None
        supported = litellm.get_supported_openai_params(self._model, custom_llm_provider=provider)
        supported = None if supported is None else set(supported)
        known = set(litellm.constants.OPENAI_CHAT_COMPLETION_PARAMS)
        for name, value in self._requested.items():
            # What is no parameter of OpenAI's is the provider's own and is passed on.
            if supported is None or name in supported or name not in known:
                self._params[name] = value
            else:
                self._dropped.append(name)
        self._takes_form = supported is None or "response_format" in supported
        needs_key = provider == "openai" and self._api_base
        if needs_key and not os.environ.get("OPENAI_API_KEY"):
            self._key = {"api_key": "none"}  # a local server asks for none, but the client does

    async def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any], form: str, max_tokens: int
    ) -> Reply:
        """Ask once, without any retry; a parameter refused by name is left out from then on."""
        params = dict(self._params)
        try:
            return await self._ask(messages, schema, form, max_tokens, params)
        except Exception as error:
            if refused := self._drop_refused(error, params):
                names = ", ".join(refused)
                raise Fault(Course.AGAIN, "parameter", f"it takes no {names}") from None
            # Not chained: an error of litellm's carries the request.
            raise classify(error, self._scrub) from None

    def _drop_refused(self, error: Exception, sent: Mapping[str, Any]) -> list[str]:
        """Leave out the parameters that the model's refusal names, and return them.

        Of those that this request sent: another in flight may have met the same refusal before.
        """
        if isinstance(error, Fault) or getattr(error, "status_code", None) not in (400, 422):
            return []
        text = str(error)
        named = [name for name in sent if re.search(rf"\b{re.escape(name)}\b", text)]
        if not named or not _REFUSED_PARAM.search(text):
            return []
        for name in named:
            if name in self._params:
                del self._params[name]
                self._dropped.append(name)
        return named

    async def _ask(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any],
        form: str,
        max_tokens: int,
        params: Mapping[str, Any],
    ) -> Reply:
        sent = {**params, "max_tokens": max_tokens}
        dropped = list(self._dropped)
        shape = _response_format(form, schema) if self._takes_form else None
        if shape:
            sent["response_format"] = shape["type"]
        async with asyncio.timeout(self._timeout + _MARGIN):
            response = await self._litellm.acompletion(
                model=self._model,
                messages=list(messages),
                api_base=self._api_base,
                timeout=self._timeout,
                num_retries=0,
                max_retries=0,
                **params,
                max_tokens=max_tokens,
                **({"response_format": shape} if shape else {}),
                **self._key,
            )
        return self._reply(response, sent, dropped)

    def _reply(self, response: Any, sent: dict[str, Any], dropped: list[str]) -> Reply:
        if not getattr(response, "choices", None):
            raise Fault(Course.RETRY, "empty", "a reply without choices")
        choice = response.choices[0]
        usage, cost = _usage(response), None
        if usage is not None:
            cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
        refusal = getattr(choice.message, "refusal", None) or (
            getattr(choice.message, "provider_specific_fields", None) or {}
        ).get("refusal")
        text = choice.message.content
        known = isinstance(cost, int | float) and cost >= 0
        return Reply(
            text=self._scrub(text) if isinstance(text, str) else None,
            finish_reason=getattr(choice, "finish_reason", None),
            refusal=self._scrub(str(refusal)) if refusal else None,
            model=getattr(response, "model", None),
            usage=usage,
            cost_usd=cost if known else None,
            price_source=self._prices if known else None,
            params_sent=sent,
            params_dropped=dropped,
        )

    async def close(self) -> None:
        """Close litellm's connections when nobody else uses them."""
        LiteLLM._open -= 1
        if LiteLLM._open == 0:
            await self._litellm.close_litellm_async_clients()
            # A closed client must not be found by the next run.
            self._litellm.in_memory_llm_clients_cache.flush_cache()


def import_litellm() -> Any:
    """Import litellm so that it contacts nobody and prints nothing.

    Raises
    ------
    UsageError
        It isn't installed.
    """
    for name, value in _OFFLINE.items():
        os.environ.setdefault(name, value)
    try:
        # It builds some of its models as late as in the first call.
        warnings.filterwarnings("ignore", message=".*`ReadOnly` qualifier", category=UserWarning)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import litellm
    except ImportError as error:
        raise UsageError(
            f"asking a model needs litellm ({error}): pip install 'segjudge[chat]'"
        ) from None
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


def _response_format(form: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    if form == "json_schema":
        body = {"name": "judgment", "schema": dict(schema), "strict": True}
        return {"type": "json_schema", "json_schema": body}
    return {"type": "json_object"} if form == "json_object" else None


def _usage(response: Any) -> dict[str, Any] | None:
    """Return the counts of tokens; litellm says 0 where the server said nothing."""
    usage = getattr(response, "usage", None)
    prompt = getattr(usage, "prompt_tokens", None) or 0
    answer = getattr(usage, "completion_tokens", None) or 0
    if not prompt and not answer:
        return None
    counts = {"prompt_tokens": prompt, "completion_tokens": answer}
    details = getattr(usage, "completion_tokens_details", None)
    thought = getattr(details, "reasoning_tokens", None)
    return {**counts, "reasoning_tokens": thought} if thought else counts
