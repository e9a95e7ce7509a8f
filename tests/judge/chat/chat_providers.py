"""What providers are sent and how their answers are read; for a process of its own.

respx sees only litellm's httpx transport, which must be chosen before the first call.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import traceback
from pathlib import Path
from typing import Any

import httpx
import respx
from chat_asking import QUICK, Result, decided
from chat_server import question

from segjudge.cache.answers import Answer
from segjudge.cache.store import Store
from segjudge.judge.chat import ChatJudge
from segjudge.judge.transport import import_litellm
from segjudge.prompts import load

TEXT = '{"reason": "a is done on the way", "verdict": "a_in_b"}'
ONE = question("crack an egg", "make an omelette")

OPENAI = "https://api.openai.com/v1/chat/completions"
GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"
ANTHROPIC = "https://api.anthropic.com/v1/messages"


def openai(text: str | None = TEXT, finish: str = "stop", **message: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320},
    }


def gemini(text: str | None = TEXT, finish: str = "STOP") -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": text}]} if text is not None else {}
    return {
        "candidates": [{"content": content, "finishReason": finish, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": 300,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": 5,
            "totalTokenCount": 325,
        },
        "modelVersion": "gemini-2.5-flash",
    }


def anthropic(text: str | None = TEXT, stop: str = "end_turn") -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "text", "text": text}] if text is not None else [],
        "stop_reason": stop,
        "usage": {"input_tokens": 300, "output_tokens": 20},
    }


class Asked:
    """What was sent to a provider, and what came of it."""

    def __init__(self, model: str, url: str, *replies: httpx.Response, **options: Any) -> None:
        settings: dict[str, Any] = {"prompt": load("relation"), "timeout": 5.0, "patience": QUICK}
        with (
            tempfile.TemporaryDirectory() as folder,
            Store(Path(folder) / "store") as store,
            respx.mock(assert_all_mocked=True, assert_all_called=False) as net,
        ):
            route = net.post(url).mock(side_effect=[*replies, *replies[-1:] * 9])
            judge = ChatJudge(model, store=store, **{**settings, **options})
            self.result: Result = asyncio.run(decided(judge, [ONE]))
            self.requests = [call.request for call in route.calls]
            self.others = len(net.calls) - len(route.calls)
            self.answers: list[Answer] = list(store.answers())

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.requests[0].content)
        return found

    @property
    def answer(self) -> Answer:
        assert len(self.requests) == 1
        assert self.others == 0, "something else was contacted"
        (answer,) = self.answers
        assert answer.verdict == "a_in_b" if answer.order == 0 else "b_in_a"
        return answer


def ok(body: dict[str, Any]) -> httpx.Response:
    return httpx.Response(200, json=body)


def openai_is_mapped() -> None:
    asked = Asked("openai/gpt-4o-mini", OPENAI, ok(openai()), params={"temperature": 0, "seed": 3})
    answer = asked.answer
    assert asked.body["response_format"]["json_schema"]["strict"] is True
    assert (asked.body["temperature"], asked.body["seed"]) == (0, 3)
    assert [message["role"] for message in asked.body["messages"]] == ["system", "user"]
    assert asked.requests[0].headers["authorization"] == "Bearer key-openai"
    assert answer.model_answered == "gpt-4o-mini-2024-07-18"
    assert answer.usage == {"prompt_tokens": 300, "completion_tokens": 20}
    assert answer.cost_usd is not None
    assert abs(answer.cost_usd - (300 * 0.15 + 20 * 0.6) / 1e6) < 1e-12


def gemini_is_mapped() -> None:
    asked = Asked(
        "gemini/gemini-2.5-flash", GEMINI, ok(gemini()), params={"temperature": 0, "seed": 3}
    )
    answer = asked.answer
    made = asked.body["generationConfig"]
    assert made["response_mime_type"] == "application/json"
    schema = made.get("response_json_schema") or made["response_schema"]
    assert list(schema["properties"]) == ["reason", "verdict"]
    assert (made["temperature"], made["seed"], made["max_output_tokens"]) == (0, 3, 1024)
    assert "key-gemini" not in str(asked.requests[0].url)
    assert answer.usage is not None
    assert answer.usage["completion_tokens"] == 25
    assert answer.params_dropped == []
    assert answer.cost_usd is not None


def anthropic_is_mapped() -> None:
    model = "anthropic/claude-sonnet-4-5"
    asked = Asked(model, ANTHROPIC, ok(anthropic()), params={"temperature": 0, "seed": 3})
    answer = asked.answer
    schema = json.dumps(asked.body)
    assert '"verdict"' in schema
    assert "$ref" not in schema
    assert asked.body["max_tokens"] == 1024
    assert "seed" not in asked.body
    assert answer.params_dropped == ["seed"]
    assert "seed" not in answer.params_sent
    assert answer.model_answered == "claude-sonnet-4-5-20250929"


def an_older_claude_answers_by_tool() -> None:
    call = {"type": "tool_use", "id": "t", "name": "json_tool_call", "input": json.loads(TEXT)}
    reply = {**anthropic(), "content": [call], "stop_reason": "tool_use"}
    asked = Asked("anthropic/claude-3-haiku-20240307", ANTHROPIC, ok(reply))
    assert asked.answer.reason == "a is done on the way"


def refusals_are_told_apart() -> None:
    asked = Asked("openai/gpt-4o-mini", OPENAI, ok(openai(None, refusal="I won't")))
    assert (asked.result.reason(), len(asked.requests)) == ("refused", 1)
    for finish in ("SAFETY", "RECITATION"):
        asked = Asked("gemini/gemini-2.5-flash", GEMINI, ok(gemini(None, finish)))
        assert (asked.result.reason(), len(asked.requests)) == ("blocked", 1)
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {}}
    assert Asked("gemini/gemini-2.5-flash", GEMINI, ok(blocked)).result.reason() == "blocked"
    asked = Asked("anthropic/claude-sonnet-4-5", ANTHROPIC, ok(anthropic(None, "refusal")))
    assert (asked.result.reason(), len(asked.requests)) == ("blocked", 1)


def thoughts_may_eat_the_answer() -> None:
    asked = Asked("gemini/gemini-2.5-flash", GEMINI, ok(gemini(None, "MAX_TOKENS")), ok(gemini()))
    assert len(asked.requests) == 2
    (answer,) = asked.answers
    assert answer.attempts == 2
    second = json.loads(asked.requests[1].content)
    assert second["generationConfig"]["max_output_tokens"] == 4096


def trouble_is_repeated_by_class_and_body() -> None:
    page = httpx.Response(200, text="<!DOCTYPE html><html>oops</html>")
    for reply in (page, httpx.Response(502, text="<html>bad gateway</html>"), httpx.Response(503)):
        for model, url, good in (
            ("openai/gpt-4o-mini", OPENAI, openai()),
            ("gemini/gemini-2.5-flash", GEMINI, gemini()),
            ("anthropic/claude-sonnet-4-5", ANTHROPIC, anthropic()),
        ):
            asked = Asked(model, url, reply, ok(good))
            assert len(asked.answers) == 1, (model, reply, asked.result.decisions)
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    reply = httpx.Response(529, json=overloaded)
    assert len(Asked("anthropic/claude-sonnet-4-5", ANTHROPIC, reply, ok(anthropic())).answers) == 1


def a_limit_is_waited_for_and_a_quota_is_not() -> None:
    limited = httpx.Response(429, headers={"retry-after": "1"}, json={"error": {"code": 429}})
    for model, url, good in (
        ("gemini/gemini-2.5-flash", GEMINI, gemini()),
        ("anthropic/claude-sonnet-4-5", ANTHROPIC, anthropic()),
    ):
        asked = Asked(model, url, limited, ok(good))
        assert len(asked.answers) == 1
        assert asked.result.judge.progress.retries == 1
    day = {"error": {"code": 429, "message": "quota: GenerateRequestsPerDayPerProject"}}
    asked = Asked("gemini/gemini-2.5-flash", GEMINI, httpx.Response(429, json=day))
    assert "quota" in str(asked.result.error)
    assert len(asked.requests) == 1


def no_access_stops_after_one_call() -> None:
    for model, url in (
        ("openai/gpt-4o-mini", OPENAI),
        ("gemini/gemini-2.5-flash", GEMINI),
        ("anthropic/claude-sonnet-4-5", ANTHROPIC),
    ):
        for status in (401, 403, 404):
            reply = httpx.Response(status, json={"error": {"message": "no", "type": "x"}})
            asked = Asked(model, url, reply)
            assert asked.result.error is not None, (model, status, asked.result.decisions)
            assert len(asked.requests) == 1, (model, status)


CHECKS = (
    openai_is_mapped,
    gemini_is_mapped,
    anthropic_is_mapped,
    an_older_claude_answers_by_tool,
    refusals_are_told_apart,
    thoughts_may_eat_the_answer,
    trouble_is_repeated_by_class_and_body,
    a_limit_is_waited_for_and_a_quota_is_not,
    no_access_stops_after_one_call,
)


def check_all(results: Any) -> None:
    """Run all checks; put a mapping from each one's name to what went wrong, or an empty text."""
    for variable in ("OPENAI", "GEMINI", "ANTHROPIC"):
        os.environ[f"{variable}_API_KEY"] = f"key-{variable.lower()}"
    import_litellm().disable_aiohttp_transport = True
    problems = {}
    for check in CHECKS:
        try:
            check()
        except BaseException:
            problems[check.__name__] = traceback.format_exc()
    results.put(problems)
