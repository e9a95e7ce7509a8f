"""Options of the commands that ask a model, written down once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from segjudge.errors import UsageError
from segjudge.scoring import AskOptions


def ask_options(
    model: Annotated[
        str | None,
        typer.Option(
            metavar="PROVIDER/MODEL",
            help="Chat model to ask, as litellm names it. Without it nothing is ever asked.",
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where answers are kept; the user's data folder if not given. Without --model "
            "its answers are replayed.",
        ),
    ] = None,
    api_base: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An OpenAI-compatible server, with --model openai/NAME."),
    ] = None,
    judge_name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Keep the answers under this name, not the model's."),
    ] = None,
    param: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=VALUE",
            help="Parameter of the model, such as temperature=0; may be repeated. null takes a "
            "default one out.",
        ),
    ] = [],  # noqa: B006 - typer reads the default, nothing changes it
    votes: Annotated[
        int | None, typer.Option(metavar="K", help="Ask each question K times.  [default: 1]")
    ] = None,
    orders: Annotated[
        int | None,
        typer.Option(metavar="1|2", help="2 asks in both presentation orders.  [default: 1]"),
    ] = None,
    pairs_per_call: Annotated[
        int | None, typer.Option(metavar="N", help="Pairs in one call, 1 to 10.  [default: 1]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Shuffles which pairs share a call.")
    ] = None,
    retry_undecided: Annotated[
        bool, typer.Option("--retry-undecided", help="Ask again where votes gave no majority.")
    ] = False,
    concurrency: Annotated[
        int | None, typer.Option(metavar="N", help="Most calls at a time.  [default: 16]")
    ] = None,
    rpm: Annotated[int | None, typer.Option(metavar="N", help="Most requests a minute.")] = None,
    tpm: Annotated[int | None, typer.Option(metavar="N", help="Most tokens a minute.")] = None,
    timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Longest call.  [default: 60]")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(metavar="N", help="Longest answer.  [default: 1024]")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(metavar="USD", help="Stop when so much is spent; needs a known price."),
    ] = None,
    price_in: Annotated[
        float | None, typer.Option(metavar="USD", help="Price of a million tokens in.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(metavar="USD", help="Price of a million tokens out.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Ask at most so many questions.")
    ] = None,
) -> AskOptions:
    """Turn what was typed into the keyword options of `ChatJudge`; what is absent is left out."""
    given: dict[str, Any] = {
        "model": model,
        "store": store,
        "api_base": api_base,
        "judge_name": judge_name,
        "params": _params(param),
        "votes": votes,
        "orders": orders,
        "pairs_per_call": pairs_per_call,
        "seed": seed,
        "retry_undecided": retry_undecided or None,
        "concurrency": concurrency,
        "rpm": rpm,
        "tpm": tpm,
        "timeout": timeout,
        "max_tokens": max_tokens,
        "budget_usd": budget,
        "price_in": price_in,
        "price_out": price_out,
        "limit": limit,
    }
    present = {name: value for name, value in given.items() if value is not None}
    if model is None and set(present) - {"store"}:
        names = ", ".join("--" + name.replace("_", "-") for name in present if name != "store")
        raise UsageError(f"{names}: these are for asking a model; name one with --model")
    return cast(AskOptions, present)


def _params(texts: list[str]) -> dict[str, Any] | None:
    """Return the model's parameters: those given over the default temperature of 0."""
    if not texts:
        return None
    params: dict[str, Any] = {"temperature": 0}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--param {text!r} is not NAME=VALUE, such as temperature=0")
        try:
            params[name] = json.loads(value)
        except json.JSONDecodeError:
            params[name] = value
    return {name: value for name, value in params.items() if value is not None}
