"""Many at a time: none is lost, and what is too much is told to come again."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from chat_server import ChatServer
from fastapi.testclient import TestClient
from service_process import example, pairs, serving, wait

import segjudge
from segjudge.service.app import create_app
from segjudge.service.settings import Settings


def test_twenty_at_a_time(tmp_path: Path) -> None:
    seen: list[int] = []
    with serving(tmp_path, "--queue", "6") as process:

        def score(_: int) -> float:
            with segjudge.Client(process.url) as client:
                client._http.event_hooks["response"] = [
                    lambda reply: seen.append(reply.status_code)
                ]
                body = {role: data for role, (_, data) in example().items()}
                files = {role: tmp_path / f"{role}.jsonl" for role in body}
                report = client.score(**files, metrics=["psj"])
                return float(report.metrics["psj"]["value"])  # type: ignore[arg-type]

        for role, (_, data) in example().items():
            (tmp_path / f"{role}.jsonl").write_bytes(data)
        slowest = 0.0
        with ThreadPoolExecutor(20) as threads:
            scores = [threads.submit(score, n) for n in range(20)]
            while not all(each.done() for each in scores):
                began = time.monotonic()
                assert httpx.get(f"{process.url}/healthz", timeout=10).status_code == 200
                slowest = max(slowest, time.monotonic() - began)
                time.sleep(0.05)
        assert {round(each.result(), 4) for each in scores} == {0.8268}
        with segjudge.Client(process.url) as client:
            runs = list(client.runs())
        assert len({run["id"] for run in runs}) == 20
        assert {run["state"] for run in runs} == {"done"}
    assert set(seen) <= {200, 202, 429}
    assert slowest < 3.0


def test_a_full_queue_says_when_to_come_again(chat: ChatServer, tmp_path: Path) -> None:
    held = threading.Event()
    settings = Settings(
        data=tmp_path,
        hosts=("testserver",),
        models=("openai/test-model",),
        api_base=chat.url,
        queue=2,
        workers=1,
    )
    chat.latency = 1.5
    with TestClient(create_app(settings)) as client:
        body = {**pairs(1), "options": {"model": "openai/test-model"}}
        statuses, runs = [], []
        for _ in range(6):
            reply = client.post("/v1/runs", json=body)
            statuses.append(reply.status_code)
            if reply.status_code == 202:
                runs.append(reply.json()["id"])
            else:
                assert int(reply.headers["retry-after"]) >= 1
                assert "waiting" in reply.json()["detail"]
        assert statuses.count(429) >= 2
        assert {wait(client, run)["state"] for run in runs} == {"done"}
        held.set()
        # They share one question: it was asked once.
        assert len(chat.calls) == 1
        assert len(client.get("/v1/runs").json()["runs"]) == len(runs)
        assert client.post("/v1/runs", json=body).status_code == 202


@pytest.mark.parametrize("broken", [b"{", b'{"reference": []}'])
def test_refused_requests_free_their_place(client: TestClient, broken: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    for _ in range(40):
        assert client.post("/v1/runs", content=broken, headers=headers).status_code == 422
