"""A bad day at the server, and keys that must not leak on it."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import random
import sys
import traceback
from pathlib import Path

import pytest
from chat_asking import QUICK, Ask, decided, judging
from chat_server import Call, ChatServer, Say, questions, right

from segjudge.cache.store import Store
from segjudge.errors import StoppedEarly, UsageError
from segjudge.judge.base import Question

KEY = "sk-test-0123456789abcdefghijklmnop"


def test_every_pair_is_decided_or_listed_and_none_is_different_by_default(
    ask: Ask, server: ChatServer, store: Store
) -> None:
    luck = random.Random(5)
    bad = [
        Say(status=429, body={}, headers={"Retry-After": "0.1"}),
        Say(status=503, body={}),
        Say(delay=1.0),
        Say("different, I think"),
    ]

    def script(call: Call) -> Say | None:
        return luck.choice(bad) if luck.random() < 0.2 else None

    server.script = script
    server.latency = 0.01
    asked = questions(400)
    result = ask(*asked, concurrency=32, timeout=0.5)
    assert result.error is None
    assert set(result.judgments) | set(result.failures) == {each.pair for each in asked}
    assert len(result.decisions) == 400
    for pair, judgment in result.judgments.items():
        assert judgment.verdict_on_pair == right(pair)
    assert len(result.failures) < 40
    assert {f.reason for f in result.failures.values()} <= {"unparsed", "timeout", "server"}
    assert {failed.reason for failed in store.failures()} == {
        failure.reason for failure in result.failures.values()
    }
    server.script = lambda call: None
    assert not ask(*asked).failures


@pytest.mark.parametrize(
    "say",
    [
        Say(status=401, body={"error": {"message": f"Incorrect API key provided: {KEY}"}}),
        Say(status=500, body={"error": {"message": f"crashed with Authorization: Bearer {KEY}"}}),
        Say(status=400, body={"error": {"message": f"bad header {KEY}"}}),
        Say(f"Your key is {KEY}."),
        Say('{"reason": "' + KEY + '", "verdict": "same"}'),
        Say(message={"content": None, "refusal": f"not with {KEY}"}),
        Say(body=f"<html>{KEY}</html>"),
        Say(drop=True),
    ],
    ids=range(8),
)
def test_a_key_is_in_no_log_error_or_store(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, say: Say
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.script = lambda call: say
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    logging.getLogger().addHandler(handler)
    try:
        with (
            Store(tmp_path / "store") as store,
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
        ):
            result = asyncio.run(decided(judging(server, store), questions(3)))
    finally:
        logging.getLogger().removeHandler(handler)
    assert server.calls[0].headers["Authorization"] == f"Bearer {KEY}"
    if result.error is not None:
        said.write("".join(traceback.format_exception(result.error)))
    said.write(repr(result.decisions))
    assert KEY not in said.getvalue()
    for file in (tmp_path / "store").iterdir():
        assert KEY.encode() not in file.read_bytes()


def test_a_million_questions_are_not_a_million_tasks(server: ChatServer, store: Store) -> None:
    pulled = 0

    def endless() -> object:
        nonlocal pulled
        for each in questions(100_000):
            pulled += 1
            yield each

    async def main() -> int:
        judge = judging(server, store, concurrency=4, patience=QUICK)
        stream = judge.decide(endless())  # type: ignore[arg-type]
        async with contextlib.aclosing(stream):
            async for _ in stream:
                if judge.progress.asked >= 20:
                    break
            return len(asyncio.all_tasks())

    assert asyncio.run(main()) < 20
    assert pulled <= 1024
    assert len(store) <= 20 + 4 + 8


def test_a_run_can_be_stopped_from_outside(server: ChatServer, store: Store) -> None:
    server.latency = 0.02

    found = 0

    async def main() -> None:
        nonlocal found
        judge = judging(server, store, concurrency=4)
        async for _ in judge.decide(questions(500)):
            found += 1
            if found == 20:
                judge.stop("enough")

    with pytest.raises(StoppedEarly, match="enough"):
        asyncio.run(main())
    assert len(store) == found < 40


def test_an_error_in_the_questions_comes_out(server: ChatServer, store: Store) -> None:
    def broken() -> object:
        yield from questions(3)
        raise KeyError("mine")

    async def main() -> None:
        async for _ in judging(server, store).decide(broken()):  # type: ignore[arg-type]
            pass

    with pytest.raises(KeyError, match="mine"):
        asyncio.run(main())


def test_no_questions_are_no_calls(ask: Ask, server: ChatServer) -> None:
    none: list[Question] = []
    assert ask(*none).decisions == []
    assert server.calls == []


def test_one_judge_serves_one_loop_after_another(server: ChatServer, store: Store) -> None:
    judge = judging(server, store)
    for n in (5, 10, 15):
        assert len(asyncio.run(decided(judge, questions(n))).judgments) == n
    assert len(server.calls) == 15


def test_without_litellm_the_way_to_get_it_is_said(
    ask: Ask, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    result = ask(*questions(3))
    assert isinstance(result.error, UsageError)
    assert "pip install 'segjudge[chat]'" in str(result.error)
    assert server.calls == []


def test_a_full_store_needs_neither_litellm_nor_a_server(
    ask: Ask, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(*questions(10))
    server.calls.clear()
    monkeypatch.setitem(sys.modules, "litellm", None)
    result = ask(*questions(10), api_base="http://127.0.0.1:9/v1")
    assert len(result.judgments) == 10
