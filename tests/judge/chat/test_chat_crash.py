"""Runs that are killed, and two at a time on one store."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from chat_child import context, judge_all
from chat_server import ChatServer, questions, right

from segjudge.cache.store import Store

PAIRS = 2_000
CONCURRENCY = 32
START = 60.0  # seconds that a process may take to begin


def wait_for_calls(server: ChatServer, count: int) -> None:
    deadline = time.monotonic() + START
    while len(server.calls) < count:
        assert time.monotonic() < deadline
        time.sleep(0.002)


def assert_intact(path: Path, count: int) -> None:
    with Store(path, readonly=True) as store:
        found = {judgment.pair: judgment for judgment in store.judgments()}
    assert set(found) == {each.pair for each in questions(count)}
    for pair, judgment in found.items():
        assert judgment.verdict_on_pair == right(pair)


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_stopped(server: ChatServer, tmp_path: Path) -> None:
    server.latency = 0.01
    work = (server.url, str(tmp_path / "store"), PAIRS, CONCURRENCY)
    done = 0
    for _ in range(3):
        worker = context().Process(target=judge_all, args=work)
        worker.start()
        done += random.randrange(100, 600)
        wait_for_calls(server, done)
        worker.kill()
        worker.join()
        done = len(server.calls)
    results = context().Queue()
    worker = context().Process(target=judge_all, args=(*work, results))
    worker.start()
    assert results.get(timeout=120) == (PAIRS, 0)
    worker.join()
    assert len(server.calls) <= PAIRS + CONCURRENCY * 3
    assert_intact(tmp_path / "store", PAIRS)


def test_two_runs_on_one_store_lose_nothing(server: ChatServer, tmp_path: Path) -> None:
    server.latency = 0.02
    results = context().Queue()
    work = (server.url, str(tmp_path / "store"), 300, 16, results)
    workers = [context().Process(target=judge_all, args=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    assert [results.get(timeout=90) for _ in workers] == [(300, 0)] * 2
    for worker in workers:
        worker.join()
    assert len(server.calls) <= 600
    assert_intact(tmp_path / "store", 300)
