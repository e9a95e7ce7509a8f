"""What asking would cost, without asking."""

from __future__ import annotations

import subprocess
import sys

import pytest

from segjudge.judge import pricing
from segjudge.judge.pricing import estimate_tokens, price_of


def test_prices_are_litellms_own() -> None:
    price = price_of("openai/gpt-4o-mini")
    assert price is not None
    assert (price.per_million_in, price.per_million_out) == (0.15, 0.6)
    assert price.source.startswith("litellm ")
    assert price.cost(1_000_000, 500_000) == pytest.approx(0.45)
    assert price_of("gemini/gemini-2.5-flash") is not None
    assert price_of("anthropic/claude-sonnet-4-5") is not None


def test_given_prices_win_and_unknown_ones_are_none() -> None:
    assert price_of("openai/no-such-model") is None
    given = price_of("openai/gpt-4o-mini", price_in=1.0)
    assert given is not None
    assert (given.per_million_in, given.per_million_out, given.source) == (1.0, 0.0, "given")


def test_without_litellm_no_price_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    pricing._list_of_litellm.cache_clear()
    try:
        assert price_of("openai/gpt-4o-mini") is None
    finally:
        monkeypatch.undo()
        pricing._list_of_litellm.cache_clear()


def test_tokens_follow_the_rule() -> None:
    assert estimate_tokens([{"role": "user", "content": "x" * 400}]) == 104
    assert estimate_tokens([{"role": "user", "content": "切菜" * 10}]) == 4 + 15
    assert estimate_tokens([]) == 0


def test_neither_prices_nor_the_judge_load_litellm() -> None:
    code = (
        "import sys; from segjudge.judge.chat import ChatJudge; "
        "from segjudge.judge.pricing import price_of; assert price_of('openai/gpt-4o-mini'); "
        "assert 'litellm' not in sys.modules and 'httpx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
