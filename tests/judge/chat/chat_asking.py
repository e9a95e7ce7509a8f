"""A judge that asks the chat server without losing time, and what it said."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from chat_server import ChatServer

from segjudge.errors import SegjudgeError
from segjudge.judge.base import Decision, Failure, Question
from segjudge.judge.chat import ChatJudge
from segjudge.judge.gate import Patience
from segjudge.judgments import Judgment, Pair
from segjudge.prompts import load

QUICK = Patience(
    attempts=3, first_wait=0.01, longest_wait=0.05, longest_pause=5.0, total_pause=3.0, grace=1.0
)


class Result:
    """What a judge said to some questions."""

    def __init__(self, judge: ChatJudge) -> None:
        self.judge = judge
        self.decisions: list[Decision] = []
        self.error: SegjudgeError | None = None

    @property
    def judgments(self) -> dict[Pair, Judgment]:
        return {each.pair: each for each in self.decisions if isinstance(each, Judgment)}

    @property
    def failures(self) -> dict[Pair, Failure]:
        return {each.question.pair: each for each in self.decisions if isinstance(each, Failure)}

    @property
    def one(self) -> Decision:
        assert self.error is None
        (only,) = self.decisions
        return only

    def reason(self) -> str:
        only = self.one
        assert isinstance(only, Failure), only
        return only.reason


def judging(server: ChatServer, store: Any, **options: Any) -> ChatJudge:
    settings: dict[str, Any] = {
        "prompt": load("relation"),
        "api_base": server.url,
        "timeout": 5.0,
        "patience": QUICK,
        **options,
    }
    return ChatJudge(settings.pop("model", "openai/test-model"), store=store, **settings)


async def decided(judge: ChatJudge, questions: Iterable[Question]) -> Result:
    result = Result(judge)
    try:
        async for decision in judge.decide(questions):
            result.decisions.append(decision)
    except SegjudgeError as error:
        result.error = error
    return result


Ask = Callable[..., Result]
