"""What asking costs: tokens estimated before, prices from litellm's own list. Asks nobody."""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

#: UTF-8 bytes a token, on average: 4 characters of English, a bit more than 1 of Chinese.
BYTES_PER_TOKEN = 4

#: Tokens that the wrapping of a message takes.
MESSAGE_TOKENS = 4

#: Tokens of the answer on one pair: a short reason and a verdict, as JSON.
ANSWER_TOKENS = 60

_PRICE_FILE = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars a million tokens, and who says so."""

    per_million_in: float
    per_million_out: float
    source: str

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """Return what so many tokens cost, in US dollars."""
        return (tokens_in * self.per_million_in + tokens_out * self.per_million_out) / 1e6


def estimate_tokens(messages: Iterable[Mapping[str, Any]]) -> int:
    """Estimate the tokens of a request: a token for each 4 bytes of UTF-8, 4 for each message."""
    return sum(
        MESSAGE_TOKENS + math.ceil(len(str(message["content"]).encode("utf-8", "replace")) / 4)
        for message in messages
    )


def price_of(
    model: str, price_in: float | None = None, price_out: float | None = None
) -> Price | None:
    """Return the price of a model: as given, else from litellm's list if that is installed.

    Parameters
    ----------
    model : str
        As litellm names it: ``gemini/gemini-3.5-flash``.
    price_in, price_out : float, optional
        US dollars a million tokens; one alone leaves the other at 0.
    """
    if price_in is not None or price_out is not None:
        return Price(price_in or 0.0, price_out or 0.0, "given")
    prices = _list_of_litellm()
    # The list names some models with their provider and some without.
    for name in (model, model.partition("/")[2]):
        entry = prices.get(name)
        if entry and "input_cost_per_token" in entry and "output_cost_per_token" in entry:
            return Price(
                entry["input_cost_per_token"] * 1e6,
                entry["output_cost_per_token"] * 1e6,
                f"litellm {_version_of_litellm()}",
            )
    return None


@lru_cache(maxsize=1)
def _list_of_litellm() -> dict[str, dict[str, Any]]:
    """Read the price list that litellm carries, without importing it: that takes seconds."""
    found = importlib.util.find_spec("litellm")
    for folder in (found.submodule_search_locations or []) if found else []:
        try:
            prices = json.loads((Path(folder) / _PRICE_FILE).read_bytes())
        except (OSError, ValueError):
            continue
        return {name: entry for name, entry in prices.items() if isinstance(entry, dict)}
    return {}


def _version_of_litellm() -> str:
    from importlib.metadata import version

    return version("litellm")
