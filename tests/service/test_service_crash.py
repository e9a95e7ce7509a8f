"""Services that are killed, stopped and started again."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import httpx
from chat_server import ChatServer
from fastapi.testclient import TestClient
from service_process import asking, http, pairs, serving, wait

from segjudge.service.app import create_app
from segjudge.service.settings import Settings

PAIRS = 100
CONCURRENCY = 4


def start(client: httpx.Client | TestClient, first: int, count: int = PAIRS) -> str:
    body = {**pairs(count, first), "options": {"model": "openai/test-model", "metrics": ["psj"]}}
    reply = client.post("/v1/runs", json=body)
    assert reply.status_code == 202, reply.text
    return str(reply.json()["id"])


def wait_for_calls(chat: ChatServer, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(chat.calls) < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_killed_in_the_middle(chat: ChatServer, tmp_path: Path) -> None:
    chat.latency = 0.02
    options = [*asking(chat.url), "--concurrency", str(CONCURRENCY)]
    with serving(tmp_path, *options) as process, http(process) as client:
        # Two runs that share half of their pairs, and one that waits.
        runs = [start(client, 0), start(client, PAIRS // 2), start(client, 1_000, 20)]
        wait_for_calls(chat, PAIRS // 2)
        process.kill()
    time.sleep(0.3)
    flying = len(chat.calls)
    with serving(tmp_path, *options) as process, http(process) as client:
        for run in runs:
            assert wait(client, run)["state"] == "done"
            report = client.get(f"/v1/runs/{run}").json()["report"]
            assert report["metrics"]["psj"]["value"] == 1.0
            assert report["judge"]["pairs"]["unknown"] == 0
        asked = Counter(call.labels for call in chat.calls)
        needed = PAIRS + PAIRS // 2 + 20
        assert len(asked) == needed
        # Twice at most what was in flight when it was killed, and on disk nowhere.
        assert len(chat.calls) - needed <= CONCURRENCY, (flying, len(chat.calls))
        assert max(asked.values()) <= 2


def served(chat: ChatServer, data: Path, **own: int) -> TestClient:
    return TestClient(
        create_app(
            Settings(
                data=data,
                hosts=("testserver",),
                models=("openai/test-model",),
                api_base=chat.url,
                **own,  # type: ignore[arg-type]
            )
        )
    )


def test_stopped_and_started(chat: ChatServer, tmp_path: Path) -> None:
    with served(chat, tmp_path, concurrency=CONCURRENCY) as client:
        done = start(client, 500, 3)
        assert wait(client, done)["state"] == "done"
        chat.latency = 0.05
        run = start(client, 0, 60)
        wait_for_calls(chat, 20)
        began = time.monotonic()
    assert time.monotonic() - began < 6
    with served(chat, tmp_path, concurrency=CONCURRENCY) as client:
        kept = client.get(f"/v1/runs/{done}").json()
        assert kept["report"]["metrics"]["psj"]["value"] == 1.0
        assert wait(client, run)["state"] == "done"
    # Calls in flight were kept before the end, so nothing at all was asked twice.
    assert len(chat.calls) == 63


def test_cancelled(chat: ChatServer, tmp_path: Path) -> None:
    chat.latency = 0.6
    with served(chat, tmp_path, concurrency=2, workers=1) as client:
        run, waiting = start(client, 0, 50), start(client, 100, 5)
        wait_for_calls(chat, 2)
        for name in (waiting, run):
            began = time.monotonic()
            reply = client.delete(f"/v1/runs/{name}")
            assert reply.json()["state"] == "cancelled"
            assert time.monotonic() - began < 5.5
        assert len(chat.calls) <= 6
        assert wait(client, run)["state"] == "cancelled"
        chat.latency = 0.0
        again = start(client, 0, 50)
        assert wait(client, again)["state"] == "done"
        # What was in flight at the cancel was kept.
        assert len(chat.calls) == 50
        assert client.delete(f"/v1/runs/{run}").status_code == 200
        assert client.get(f"/v1/runs/{run}").status_code == 404
        assert client.delete(f"/v1/runs/{run}").status_code == 404
        assert not (tmp_path / "runs" / run).exists()
