"""Deciding label pairs straight away, by the same chain as in a run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

import numpy as np

from segjudge.errors import StoppedEarly
from segjudge.judge import By, Decided, Failure, LabelPairs, Records, decide_without_asking
from segjudge.judge.chat import ChatJudge
from segjudge.judgments import Judgment, Pair
from segjudge.scoring.asking import prompt_for
from segjudge.service.engine import Engine
from segjudge.service.replies import Answered, Answers
from segjudge.service.schema import JudgeRequest


async def decide(engine: Engine, asked: JudgeRequest, people: Sequence[Judgment]) -> Answers:
    """Decide label pairs; ask the model named for what nothing else decides.

    Raises
    ------
    UsageError
        An option can't be used as given.
    """
    decided = _known(asked, people)
    answers = Answers(pairs=[])
    failed: dict[Pair, str] = {}
    missing = decided.missing()
    if asked.model and missing:
        judge = ChatJudge(
            asked.model,
            prompt=prompt_for(asked.task, asked.prompt),
            store=engine.scorer.store,
            **{**asked.judging(), **engine.settings.asking()},
        )
        said: list[Judgment] = []
        try:
            async with aclosing(judge.decide(missing)) as decisions:
                async for decision in decisions:
                    if isinstance(decision, Failure):
                        failed[decision.question.pair] = f"{decision.reason}: {decision.detail}"
                    else:
                        said.append(decision)
        except StoppedEarly as stopped:
            answers.stopped = str(stopped)
        decided.add(said, By.MODEL)
        await asyncio.to_thread(engine.scorer.note, said)
        progress = judge.progress
        answers.asked = progress.asked
        answers.cost_usd = None if progress.unpriced else progress.cost_usd
    for row, pair in enumerate(asked.pairs):
        verdict = decided.verdict[row]
        answers.pairs.append(
            Answered(
                label_a=pair.label_a,
                label_b=pair.label_b,
                verdict=verdict.value if verdict else None,
                by=decided.by[row].value,
                judgment=decided.record[row],
                failure=failed.get(decided.question[row].pair, ""),
            )
        )
    return answers


def _known(asked: JudgeRequest, people: Sequence[Judgment]) -> Decided:
    """Run the chain up to where a model would be asked; a row a pair, in order."""
    count = len(asked.pairs)
    labels = [label for pair in asked.pairs for label in (pair.label_a, pair.label_b)]
    contexts = [pair.context for pair in asked.pairs]
    rows = np.arange(count, dtype=np.int64)
    return decide_without_asking(
        LabelPairs(2 * rows, 2 * rows + 1, rows),
        labels,
        contexts,
        task=asked.task,
        records=Records(people),
        identity=asked.identity,
    )
