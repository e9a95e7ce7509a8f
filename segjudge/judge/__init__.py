"""Who is asked: the `Judge` protocol, replay, and the chain that decides a pair."""

from __future__ import annotations

from segjudge.judge.base import Decision, Failure, Judge, Question
from segjudge.judge.chain import By, Decided, LabelPairs, decide_without_asking
from segjudge.judge.replay import Conflict, Recorded, Records, asker, is_prompt, select
from segjudge.judge.verb import decide_by_verb

__all__ = [
    "By",
    "Conflict",
    "Decided",
    "Decision",
    "Failure",
    "Judge",
    "LabelPairs",
    "Question",
    "Recorded",
    "Records",
    "asker",
    "decide_by_verb",
    "decide_without_asking",
    "is_prompt",
    "select",
]
