"""What openai, gemini and anthropic are sent, and how their answers are read."""

from __future__ import annotations

import pytest
from chat_child import context
from chat_providers import CHECKS, check_all


@pytest.fixture(scope="module")
def problems() -> dict[str, str]:
    results = context().Queue()
    process = context().Process(target=check_all, args=(results,))
    process.start()
    found: dict[str, str] = results.get(timeout=120)
    process.join()
    return found


@pytest.mark.parametrize("name", [each.__name__ for each in CHECKS])
def test_provider(problems: dict[str, str], name: str) -> None:
    assert name not in problems, problems[name]
