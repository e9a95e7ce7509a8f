"""How long does the chat judge take beyond waiting for the server, and to replay a full store?

A server on loopback, in a process of its own, answers after 200 ms. Printed are the time of 2,000
pairs at 32 at a time as a multiple of the ideal, the CPU time of a call beside that of bare loops
over litellm and httpx, and the time to decide 100,000 stored pairs as a multiple of reading them
as JSON lines. Importing litellm is not counted.

Run: python benchmarks/judge_speed.py [--pairs N] [--stored N]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from segjudge.cache import read_judgments, write_judgments
from segjudge.cache.answers import Answer, derive
from segjudge.cache.store import Store
from segjudge.judge.base import Question
from segjudge.judge.chat import ChatJudge
from segjudge.judge.samples import Plan
from segjudge.judge.transport import import_litellm
from segjudge.judgments import Pair, Verdict
from segjudge.prompts import load

LATENCY, AT_ONCE = 0.2, 32
MODEL = "openai/bench"
PROMPT = load("relation")
REPLY = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "bench",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {
                "role": "assistant",
                "content": '{"reason": "one wipes, the other zips", "verdict": "different"}',
            },
        }
    ],
    "usage": {"prompt_tokens": 600, "completion_tokens": 20, "total_tokens": 620},
}


def serve(tell: Connection) -> None:
    """Answer every request with the same reply, after the latency."""
    from aiohttp import web

    body = json.dumps(REPLY).encode()

    async def complete(request: web.Request) -> web.Response:
        await request.read()
        await asyncio.sleep(LATENCY)
        return web.Response(body=body, content_type="application/json")

    async def main() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", complete)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=512)
        await site.start()
        tell.send(runner.addresses[0][1])
        await asyncio.sleep(3_600)

    asyncio.run(main())


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Give the address of the server while it runs."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    process.start()
    yield f"http://127.0.0.1:{here.recv()}/v1"
    process.terminate()
    process.join()


def questions(count: int) -> list[Question]:
    """Return distinct questions with labels of a usual length."""
    pairs = [Pair(f"wipe table {n} with a wet cloth", f"zip up bag {n}") for n in range(count)]
    return [Question(pair, "subtask", *pair[:2]) for pair in pairs]


async def judged(url: str, store: Store, asked: list[Question]) -> ChatJudge:
    """Decide all questions."""
    judge = ChatJudge(MODEL, prompt=PROMPT, store=store, api_base=url, concurrency=AT_ONCE)
    count = 0
    async for _ in judge.decide(asked):
        count += 1
    assert count == len(asked)
    return judge


async def looped(asked: list[Question], call: Callable[[list[Any]], Awaitable[object]]) -> None:
    """Make a bare call for each question, so many at a time."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(question: Question) -> None:
        messages = PROMPT.messages([("1", *question.pair[:2])])
        async with slots:
            await call(messages)

    await asyncio.gather(*(one(question) for question in asked))


def body(messages: list[Any]) -> dict[str, Any]:
    """Return what a call sends, the model left out."""
    form = {"name": "judgment", "schema": PROMPT.schema(1), "strict": True}
    return {
        "messages": messages,
        "temperature": 0,
        "max_tokens": 1024,
        "response_format": {"type": "json_schema", "json_schema": form},
    }


async def by_litellm(url: str, asked: list[Question]) -> None:
    """Call through litellm and keep nothing."""
    litellm = import_litellm()

    async def call(messages: list[Any]) -> object:
        return await litellm.acompletion(
            model=MODEL, api_base=url, api_key="none", timeout=60, max_retries=0, **body(messages)
        )

    await looped(asked, call)
    await litellm.close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()


async def by_httpx(url: str, asked: list[Question]) -> None:
    """Call through httpx and keep nothing."""
    import httpx

    async with httpx.AsyncClient(timeout=60) as client:

        async def call(messages: list[Any]) -> object:
            sent = {"model": "bench", **body(messages)}
            return (await client.post(f"{url}/chat/completions", json=sent)).json()

        await looped(asked, call)


def measure(run: Callable[[], Any]) -> tuple[float, float]:
    """Return seconds passed and seconds of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu


def asking(pairs: int) -> None:
    """Compare asking with the ideal and with bare loops."""
    ideal = -(-pairs // AT_ONCE) * LATENCY
    asked = questions(pairs)
    with serving() as url, tempfile.TemporaryDirectory() as folder:
        with Store(Path(folder) / "warm") as store:
            asyncio.run(judged(url, store, asked[:5]))
        with Store(Path(folder) / "store") as store:
            rows = {"segjudge": measure(lambda: asyncio.run(judged(url, store, asked)))}
            again = asyncio.run(judged(url, store, asked))
            assert (again.progress.calls, again.progress.stored) == (0, pairs)
        rows["bare litellm"] = measure(lambda: asyncio.run(by_litellm(url, asked)))
        rows["bare httpx"] = measure(lambda: asyncio.run(by_httpx(url, asked)))
    print(f"{pairs:,} pairs, {AT_ONCE} at a time, a server of {LATENCY * 1000:.0f} ms")
    print(f"{'':16}{'seconds':>9}{'x ideal':>9}{'CPU ms a call':>15}")
    print(f"{'ideal':16}{ideal:9.1f}{1:9.2f}{0:15.2f}")
    for name, (wall, cpu) in rows.items():
        print(f"{name:16}{wall:9.1f}{wall / ideal:9.2f}{cpu / pairs * 1000:15.2f}")


def replaying(stored: int) -> None:
    """Compare deciding by a full store with reading the same judgments as JSON lines."""
    asked = questions(stored)
    plan = Plan(MODEL, PROMPT.sha256, PROMPT.kind, {"temperature": 0})
    made = [
        (
            sample.digest,
            Answer.of(
                sample.key,
                verdict=Verdict.DIFFERENT,
                reason="one wipes, the other zips",
                prompt=PROMPT.id,
                label_a=question.label_a,
                label_b=question.label_b,
                model_answered="bench",
                params_sent={"temperature": 0, "max_tokens": 1024},
                usage={"prompt_tokens": 600, "completion_tokens": 20},
                raw=REPLY["choices"][0]["message"]["content"],  # type: ignore[index]
                finish_reason="stop",
                judged_on="2026-11-30T21:00:00Z",
            ),
        )
        for question in asked
        for sample in plan.samples(question)
    ]
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store") as store:
        for at in range(0, stored, 5_000):
            store.put(made[at : at + 5_000])
        file = Path(folder) / "judgments.jsonl"
        write_judgments([derive([answer]) for _, answer in made], file)
        reading = min(measure(lambda: read_judgments(file))[0] for _ in range(3))
        deciding = min(
            measure(lambda: asyncio.run(judged("http://127.0.0.1:9/v1", store, asked)))[0]
            for _ in range(3)
        )
    print(f"\n{stored:,} stored pairs")
    print(f"read as JSON lines {reading:8.2f} s")
    print(f"decided by store   {deciding:8.2f} s, {deciding / reading:.2f} times that")


def main() -> None:
    """Run both."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=2_000)
    options.add_argument("--stored", type=int, default=100_000)
    chosen = options.parse_args()
    asking(chosen.pairs)
    replaying(chosen.stored)


if __name__ == "__main__":
    main()
