"""What tests run in processes of their own, forked from one that has imported litellm."""

from __future__ import annotations

import asyncio
import multiprocessing
from multiprocessing.context import ForkServerContext
from typing import Any

from chat_asking import QUICK
from chat_server import questions

from segjudge.cache.store import Store
from segjudge.judge.base import Failure
from segjudge.judge.chat import ChatJudge
from segjudge.prompts import load


def context() -> ForkServerContext:
    """Return where to start processes; all of them share one import of litellm."""
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(["chat_child_preload"])
    return made


def judge_all(url: str, store: str, count: int, concurrency: int, results: Any = None) -> None:
    """Ask about `count` pairs; put how many were decided and how many failed."""

    async def main() -> tuple[int, int]:
        with Store(store) as opened:
            judge = ChatJudge(
                "openai/test-model",
                prompt=load("relation"),
                store=opened,
                api_base=url,
                concurrency=concurrency,
                patience=QUICK,
            )
            decisions = [each async for each in judge.decide(questions(count))]
        failed = sum(isinstance(each, Failure) for each in decisions)
        return len(decisions) - failed, failed

    found = asyncio.run(main())
    if results is not None:
        results.put(found)
