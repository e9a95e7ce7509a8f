"""Asking a chat model for what the chain left open, and saying what came of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn, TypedDict, Unpack

from segjudge.cache import Answer, FailedAttempt, Store, default_store_path
from segjudge.errors import StoppedEarly, UsageError
from segjudge.findings import Finding, finding
from segjudge.judge import Failure, Records
from segjudge.judge.chat import ChatJudge
from segjudge.judge.progress import Progress
from segjudge.judgments import Judgment
from segjudge.prompts import Prompt, load
from segjudge.report import Run
from segjudge.scoring.case import Case

#: The prompt that is asked with unless told otherwise.
DEFAULT_PROMPT = "relation"


class JudgeOptions(TypedDict, total=False):
    """Keyword options of `ChatJudge`; see there."""

    api_base: str | None
    judge_name: str | None
    params: Mapping[str, Any] | None
    concurrency: int
    rpm: int | None
    tpm: int | None
    votes: int
    orders: int
    run: int
    pairs_per_call: int
    seed: int
    timeout: float
    max_tokens: int
    budget_usd: float | None
    price_in: float | None
    price_out: float | None
    limit: int | None
    retry_undecided: bool
    on_progress: Callable[[Progress], None] | None


class NoAnswers:
    """A store that holds nothing, for a plan where there is no store yet."""

    def get(self, digests: Sequence[str]) -> dict[str, Answer]:
        """Return nothing."""
        return {}

    def put(self, answers: Sequence[tuple[str, Answer]]) -> None:
        """Refuse: nothing is asked of a plan."""
        raise NotImplementedError

    def fail(self, attempts: Sequence[FailedAttempt]) -> None:
        """Refuse: nothing is asked of a plan."""
        raise NotImplementedError


def prompt_for(task: str, name: str | None) -> Prompt:
    """Return the prompt asked for, or the default one.

    Raises
    ------
    UsageError
        There is no such prompt, or it is for another task.
    """
    prompt = load(name or DEFAULT_PROMPT)
    if prompt.task not in ("any", task):
        raise UsageError(f"the prompt {prompt.id} is for the task {prompt.task}, not {task}")
    return prompt


@contextmanager
def opened(store: Store | str | os.PathLike[str] | None) -> Iterator[Store]:
    """Open a store where a path or nothing is given; nothing means the user's own."""
    if isinstance(store, Store):
        yield store
        return
    with Store(Path(store) if store is not None else default_store_path()) as found:
        yield found


def prompt_names(prompt: Prompt) -> tuple[str, ...]:
    """Return what `asker` may call this very prompt: by name and version, by hash, by both."""
    sha = f"({prompt.sha256[:12]})"
    return prompt.id, sha, f"{prompt.id} {sha}"


def refuse_mixture(records: Records, judge: str, prompt: Prompt, mix: bool) -> None:
    """Refuse to fill gaps in one judge's recorded judgments with another judge's answers.

    Raises
    ------
    UsageError
        Recorded judgments are of another judge or prompt than the one to be asked.
    """
    others = [
        f"{who!r} with {asked or 'no prompt named'!r}"
        for who, asked in records.askers
        if not (who == judge and asked in prompt_names(prompt))
    ]
    if others and not mix:
        raise UsageError(
            f"the recorded judgments are by {', '.join(others)}, and {judge!r} would be asked with "
            f"{prompt.id!r}: a score by two judges. Allow it with --mix, or leave --judgments out"
        )


async def ask(
    case: Case,
    model: str,
    prompt: Prompt,
    store: Store,
    **options: Unpack[JudgeOptions],
) -> Run:
    """Put what the chain left open to a chat model; what is answered is filled into the case.

    Parameters
    ----------
    case : Case
    model : str
        As litellm names it.
    prompt : Prompt
    store : Store
        Where each answer is kept at once.
    **options
        See `ChatJudge`.

    Returns
    -------
    Run

    Raises
    ------
    StoppedEarly
        The run could not go on. What was answered is kept, and filled in.
    UsageError
        An option that can't be; litellm is missing.
    """
    judge = ChatJudge(model, prompt=prompt, store=store, **options)
    answered: list[Judgment] = []
    failed: list[Failure] = []
    try:
        async with aclosing(judge.decide(case.decided.missing())) as decisions:
            async for decision in decisions:
                (failed if isinstance(decision, Failure) else answered).append(decision)  # type: ignore[arg-type]
    finally:
        case.add(answered)
        case.findings.extend(_noticed(judge.progress, failed))
        case.run = run_of(judge.progress)
    return case.run


class _Nobody:
    """A way to no model at all: what the store doesn't know stays unknown."""

    async def open(self) -> None:
        """Refuse."""
        raise StoppedEarly("nobody is asked")

    async def complete(self, *_: object) -> NoReturn:
        """Refuse."""
        raise StoppedEarly("nobody is asked")

    async def close(self) -> None:
        """Do nothing."""


async def recall(
    case: Case, model: str, prompt: Prompt, store: Store, **options: Unpack[JudgeOptions]
) -> None:
    """Fill in what the store knows of a model's answers, asking nothing.

    Also what the model had said of the pairs that a person decided. Parameters are those of
    `ask`.
    """
    silent: JudgeOptions = {**options, "on_progress": None, "limit": None, "budget_usd": None}
    judge = ChatJudge(model, prompt=prompt, store=store, transport=_Nobody(), **silent)
    wanted = (case.unaided or case.decided).missing()
    answered: list[Judgment] = []
    with suppress(StoppedEarly):
        async with aclosing(judge.decide(wanted)) as decisions:
            async for decision in decisions:
                if isinstance(decision, Judgment):
                    answered.append(decision)  # noqa: PERF401 - it ends with an exception
    case.add(answered)


def run_of(progress: Progress) -> Run:
    """Return what was asked and what it cost, for the report."""
    tokens = progress.tokens_in + progress.tokens_out
    return Run(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        asked=progress.asked,
        cached=progress.stored,
        failed=progress.failed,
        tokens=tokens or None,
        cost_usd=None if progress.unpriced or not progress.models else progress.cost_usd,
    )


def _noticed(progress: Progress, failed: Sequence[Failure]) -> list[Finding]:
    """Return what a reader must know of how the model answered."""
    found: list[Finding] = []
    if failed:
        reasons = ", ".join(f"{n} {reason}" for reason, n in progress.failures.most_common())
        found.append(
            finding(
                "judge_failures",
                f"{len(failed)} questions got no judgment and stay unknown: {reasons}",
                level="warning",
                side="judgments",
                count=len(failed),
                places=(
                    f"{f.question.label_a!r} / {f.question.label_b!r}: {f.reason}" for f in failed
                ),
            )
        )
    return found
