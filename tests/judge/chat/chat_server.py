"""A scripted chat server on loopback that answers from the labels it finds, and keeps a record.

It knows nothing of what the client thinks it asked: a swapped, zipped or mixed-up pair gets the
answer that is right for the labels as sent, and so shows as a wrong verdict.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from segjudge.judge.base import Question
from segjudge.judgments import Pair, Verdict, pair_of

_BLOCK = re.compile(r"<data>\n(.*?)\n</data>", re.DOTALL)


@dataclass
class Call:
    """A request as the server read it."""

    number: int
    body: dict[str, Any]
    headers: dict[str, str]
    context: str
    pairs: list[tuple[str, str, str]]  # id, first label, second label
    seen: int  # how often these pairs were asked together before

    @property
    def labels(self) -> tuple[str, str]:
        return self.pairs[0][1:]


@dataclass
class Say:
    """What the server answers."""

    content: str | None = None
    status: int = 200
    finish: str = "stop"
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None  # instead of a chat completion; a string is sent as HTML
    message: dict[str, Any] = field(default_factory=dict)
    model: str = ""
    usage: dict[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320}
    )
    delay: float = 0.0
    drop: bool = False


def truth(first: str, second: str) -> str:
    """Return what is right for labels like `task 3`, `task 3 again`, `step 2 of task 3`."""
    first, second = first.removesuffix(" again"), second.removesuffix(" again")
    if first == second:
        return "same"
    if first.endswith(f"of {second}"):
        return "a_in_b"
    return "b_in_a" if second.endswith(f"of {first}") else "different"


def answer_of(call: Call) -> str:
    """Return the right answer, in the form of the request."""
    found = [
        {"id": name, "reason": f"{first} / {second}", "verdict": truth(first, second)}
        for name, first, second in call.pairs
    ]
    if "several pairs" in call.body["messages"][0]["content"]:
        return json.dumps({"answers": found})
    del found[0]["id"]
    return json.dumps(found[0])


def question(first: str, second: str, context: str = "", task: str = "subtask") -> Question:
    pair, swapped = pair_of(first, second, context)
    return Question(pair, task, *((second, first) if swapped else (first, second)))


def questions(count: int) -> list[Question]:
    """Return distinct questions of all four verdicts, steps before and after their tasks."""
    made = []
    for n in range(count):
        first = f"task {n}"
        second = (
            f"task {n} again",
            f"step 1 of task {n}",
            f"task {n + 10_000}",
            f"a step of task {n}",
        )
        made.append(question(first, second[n % 4]))
    return made


def right(pair: Pair) -> Verdict:
    return Verdict(truth(pair.a, pair.b))


class ChatServer:
    """Serves ``/v1/chat/completions`` from a thread of its own.

    Attributes
    ----------
    script : callable
        Gets a `Call`; returns what to say, or None for the right answer.
    calls : list of Call
    """

    def __init__(self) -> None:
        self.script: Callable[[Call], Say | None] = lambda call: None
        self.calls: list[Call] = []
        self.at_once = self.most_at_once = 0
        self.latency = 0.0
        self._seen: Counter[tuple[tuple[str, str], ...]] = Counter()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self._ready.wait(10)

    def reset(self) -> None:
        self.script = lambda call: None
        self.calls.clear()
        self._seen.clear()
        self.latency = 0.0
        self.most_at_once = 0

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        app = web.Application(client_max_size=2**24)
        app.router.add_post("/v1/chat/completions", self._complete)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        self._loop.run_until_complete(self._runner.setup())
        site = web.TCPSite(self._runner, "127.0.0.1", 0, backlog=512)
        self._loop.run_until_complete(site.start())
        assert site._server is not None
        self.port = site._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._ready.set()
        self._loop.run_forever()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        try:
            call = self._read(await request.json(), dict(request.headers))
            say = self.script(call) or Say()
            if self.latency or say.delay:
                await asyncio.sleep(self.latency + say.delay)
            if say.drop and request.transport is not None:
                request.transport.close()
            return self._response(call, say)
        finally:
            self.at_once -= 1

    def _read(self, body: dict[str, Any], headers: dict[str, str]) -> Call:
        user = next(m for m in body["messages"] if m["role"] == "user")["content"]
        block = _BLOCK.search(user)
        assert block is not None, user
        lines = [json.loads(line) for line in block.group(1).split("\n")]
        context = lines.pop(0)["context"] if "context" in lines[0] else ""
        pairs = [(line.get("id", ""), line["a"], line["b"]) for line in lines]
        key = tuple(pair[1:] for pair in pairs)
        call = Call(len(self.calls), body, headers, context, pairs, self._seen[key])
        self._seen[key] += 1
        self.calls.append(call)
        return call

    def _response(self, call: Call, say: Say) -> web.Response:
        if isinstance(say.body, str):
            return web.Response(
                status=say.status, text=say.body, content_type="text/html", headers=say.headers
            )
        if say.body is not None:
            return web.json_response(say.body, status=say.status, headers=say.headers)
        content = answer_of(call) if say.content is None and not say.message else say.content
        reply = {
            "id": f"chatcmpl-{call.number}",
            "object": "chat.completion",
            "created": 1,
            "model": say.model or call.body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": say.finish,
                    "message": {"role": "assistant", "content": content, **say.message},
                }
            ],
        }
        if say.usage is not None:
            reply["usage"] = say.usage
        return web.json_response(reply, status=say.status, headers=say.headers)


@contextmanager
def serving() -> Iterator[ChatServer]:
    server = ChatServer()
    try:
        yield server
    finally:
        server.close()
