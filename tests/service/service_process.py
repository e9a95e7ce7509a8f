"""A service in a process of its own, as users start it, and files to send to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"


class Process:
    """`segjudge serve`, until it is stopped or killed."""

    def __init__(self, data: Path, *options: str, env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "segjudge", "serve", "--data", str(data), "--port", "0"]
        self._process = subprocess.Popen(
            [*command, *options],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
        assert self._process.stderr is not None
        self.url = self._process.stderr.readline().strip()
        assert self.url.startswith("http"), self.url + self._process.stderr.read()
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        self.said.extend(self._process.stderr)

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)

    def stop(self) -> int:
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(20)

    def close(self) -> None:
        if self._process.poll() is None:
            self.kill()
        self._reader.join(5)
        assert self._process.stderr is not None
        self._process.stderr.close()


@contextmanager
def serving(data: Path, *options: str, env: dict[str, str] | None = None) -> Iterator[Process]:
    process = Process(data, *options, env=env)
    try:
        yield process
    finally:
        process.close()


def example(*roles: str) -> dict[str, tuple[str, bytes]]:
    """Return files of the example as a form takes them."""
    names = {
        "reference": "reference.jsonl",
        "prediction": "prediction_careful.jsonl",
        "judgments": "judgments.jsonl",
    }
    chosen = roles or tuple(names)
    return {role: (names[role], (KITCHEN / names[role]).read_bytes()) for role in chosen}


def pairs(count: int, first: int = 0) -> dict[str, Any]:
    """Return two sides that need `count` judgments; the chat server knows the answers."""
    numbers = range(first, first + count)

    def side(label: str) -> list[dict[str, Any]]:
        segments = [
            {"start": 2 * i, "end": 2 * i + 2, "label": label.format(n)}
            for i, n in enumerate(numbers)
        ]
        return [{"id": "a", "segments": segments}]

    return {"reference": side("task {}"), "prediction": side("step 1 of task {}")}


def wait(client: Any, run: str) -> dict[str, Any]:
    """Follow a run to its end; return its last event."""
    with client.stream("GET", f"/v1/runs/{run}/events") as reply:
        assert reply.status_code == 200
        news = [line[6:] for line in reply.iter_lines() if line.startswith("data: ")]
    last: dict[str, Any] = json.loads(news[-1])
    return last


def asking(url: str) -> list[str]:
    """Return the options of a service that may ask the chat server."""
    return ["--model", "openai/test-model", "--api-base", url]


def http(process: Process, **headers: str) -> httpx.Client:
    return httpx.Client(base_url=process.url, timeout=60, headers=headers)
