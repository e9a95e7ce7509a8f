"""The doors: files and options in, report or plan out."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar, Unpack, cast

from pydantic import BaseModel

from segjudge.cache import Store, default_store_path
from segjudge.errors import UsageError
from segjudge.judge import By
from segjudge.judge.chat import ChatJudge
from segjudge.metrics.bins import Bins
from segjudge.prompts import Prompt
from segjudge.report import Report
from segjudge.scoring.asking import (
    JudgeOptions,
    NoAnswers,
    ask,
    opened,
    prompt_for,
    recall,
)
from segjudge.scoring.case import Case, case, report
from segjudge.scoring.options import AskOptions, CaseOptions, ScoreOptions, parted
from segjudge.scoring.settings import read_sides, settings_of
from segjudge.scoring.sides import Side
from segjudge.scoring.uncertainty import IntervalOptions, Sureness, intervals_of

_T = TypeVar("_T")


class Plan(BaseModel):
    """What a score would need. Nothing is asked to find out.

    Attributes
    ----------
    needed, rule, verb, identity, human, recorded : int
        Distinct label pairs that the metrics need, and who has decided them.
    to_ask : int
        Distinct questions left for a model, labels normalised.
    stored : int or None
        Those of them that the store has answers for; None without a model.
    calls, tokens : int or None
        What asking the others takes; tokens are estimated.
    cost_usd : float or None
        None where no price is known.
    by_metric : dict of str to int
        Distinct label pairs that each metric needs.
    """

    needed: int
    rule: int
    verb: int = 0
    identity: int
    human: int
    recorded: int
    to_ask: int
    stored: int | None = None
    calls: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    by_metric: dict[str, int]


def build_case(reference: Side, prediction: Side, **options: Unpack[AskOptions]) -> Case:
    """Read, edit and align two sides, and decide all pairs that need no model.

    Parameters
    ----------
    reference, prediction : path or Annotations
    **options
        See `AskOptions`.

    Raises
    ------
    InputError
        A file is not what it should be; every problem is named.
    UsageError
        An option can't be used as given.
    """
    options = checked(options)
    settings = settings_of(**options)
    built = case(
        *read_sides(reference, prediction, **options),
        settings.metrics,
        settings.records,
        task=settings.task,
        context_field=settings.context_field,
        identity=settings.identity,
        verbs=settings.verbs,
        options=settings.said,
    )
    built.inputs.extend(settings.inputs)
    return built


def checked(options: AskOptions) -> AskOptions:
    """Return the options of a case as Python callers may give them: one metric may be a str.

    Raises
    ------
    UsageError
        An option of asking is given and no model is.
    """
    metrics = options.get("metrics")
    if isinstance(metrics, str):
        options = {**options, "metrics": [metrics]}
    asking = set(JudgeOptions.__annotations__) - {"on_progress", *CaseOptions.__annotations__}
    given = [
        name
        for name, value in options.items()
        if name in asking and value is not None and value is not False
    ]
    if given and not options.get("model"):
        raise UsageError(f"{', '.join(given)}: for asking a model only; name one with model=")
    return options


def _fields(by: str | Sequence[str]) -> Sequence[str]:
    """Return the fields to group by; one may be given alone."""
    return (by,) if isinstance(by, str) else by


def _judge_options(options: AskOptions) -> JudgeOptions:
    """Return the options that are the judge's own."""
    own = {name: value for name, value in options.items() if name in JudgeOptions.__annotations__}
    return cast(JudgeOptions, own)


def _prompt(built: Case, options: AskOptions) -> Prompt:
    """Return the prompt to ask with, refused where it can't answer what the metrics read."""
    prompt = prompt_for(options.get("task", "subtask"), options.get("prompt"))
    unread = [m.key for m in built.metrics if m.reads and prompt.kind not in ("relation", m.reads)]
    if unread:
        raise UsageError(
            f"the prompt {prompt.id} answers {prompt.kind!r} only, so {', '.join(unread)} would "
            "have no value; ask with --prompt relation, or for other metrics"
        )
    return prompt


async def fill(
    built: Case, *, from_store_only: bool = False, **options: Unpack[AskOptions]
) -> None:
    """Put what is missing to the model named in the options; without one, do nothing.

    Parameters
    ----------
    built : Case
    from_store_only : bool
        Ask nothing; fill in what the store has of that model.
    **options
        See `AskOptions`.

    Raises
    ------
    StoppedEarly
        The run could not go on. What was answered is kept, and filled in.
    UsageError
        An option can't be used as given, or litellm is missing.
    """
    model = options.get("model")
    if not model:
        return
    prompt = _prompt(built, options)
    with opened(options.get("store")) as store:
        if not from_store_only:
            await ask(built, model, prompt, store, **_judge_options(options))
        if from_store_only or built.unaided is not None:
            await recall(built, model, prompt, store, **_judge_options(options))


async def ascore(
    reference: Side,
    prediction: Side,
    *,
    by: str | Sequence[str] = (),
    bins: str | Sequence[float] | None = None,
    **options: Unpack[ScoreOptions],
) -> Report:
    """Score as `score` does, from within an event loop.

    Parameters, result and errors are those of `score`.
    """
    asking, wanted = parted(options)
    built = await asyncio.to_thread(build_case, reference, prediction, **asking)
    sure, lengths = extras(built, wanted, bins)
    await fill(built, **asking)
    return await asyncio.to_thread(report, built, _fields(by), sure=sure, bins=lengths)


def score(
    reference: Side,
    prediction: Side,
    *,
    by: str | Sequence[str] = (),
    bins: str | Sequence[float] | None = None,
    **options: Unpack[ScoreOptions],
) -> Report:
    """Score a prediction against a reference.

    Without ``model`` nothing is asked and no network is touched. Where answers are missing a
    metric has bounds and no value. Works where an event loop is running, as in a notebook.

    Parameters
    ----------
    reference, prediction : path or Annotations
    by : str or sequence of str
        Fields of the reference's episode table to group by, such as ``family``.
    bins : str or sequence of float, optional
        Edges in seconds, ``0,0.5,1,2,5,10,inf``: adds recall by the length of the reference's
        segments and precision by the length of the prediction's.
    **options
        See `AskOptions` and `IntervalOptions`: ``ci=True`` adds intervals.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        A file is not what it should be; every problem is named.
    UsageError
        An option can't be used as given.
    StoppedEarly
        The model could not be asked to the end; what was answered is kept in the store.

    Examples
    --------
    >>> import segjudge
    >>> report = segjudge.score(
    ...     "examples/kitchen/reference.jsonl",
    ...     "examples/kitchen/prediction_careful.jsonl",
    ...     judgments="examples/kitchen/judgments.jsonl",
    ... )
    >>> round(report.metrics["psj"]["value"], 4)
    0.8268
    """
    asking, wanted = parted(options)
    built = build_case(reference, prediction, **asking)
    sure, lengths = extras(built, wanted, bins)
    if asking.get("model"):
        run_anywhere(fill(built, **asking))
    return report(built, _fields(by), sure=sure, bins=lengths)


def extras(
    built: Case, wanted: IntervalOptions, bins: str | Sequence[float] | None
) -> tuple[Sureness | None, Bins | None]:
    """Return what a report is to have besides its figures; to be called before anyone is asked.

    Raises
    ------
    UsageError
        An option can't be used as given, or the reference has no such field.
    """
    intervals = intervals_of(wanted)
    sure = Sureness.over(built.comparison.reference, intervals) if intervals else None
    return sure, None if bins is None else Bins.parse(bins)


def run_anywhere(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine to its end, on a thread of its own where a loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1, "segjudge") as thread:
        return thread.submit(asyncio.run, work).result()


def plan(reference: Side, prediction: Side, **options: Unpack[AskOptions]) -> Plan:
    """Count the label pairs that a score needs, and what asking for the rest would take.

    Asks nothing and contacts nobody. Parameters and errors are those of `score`.
    """
    return plan_of(build_case(reference, prediction, **options), **options)


def plan_of(built: Case, **options: Unpack[AskOptions]) -> Plan:
    """Return the counts of a case, with calls and cost where a model is named."""
    count = built.decided.by.count
    missing = built.decided.missing()
    plan = Plan(
        needed=len(built.decided.by),
        rule=count(By.RULE),
        verb=count(By.VERB),
        identity=count(By.IDENTITY),
        human=count(By.HUMAN),
        recorded=count(By.RECORDED),
        to_ask=len(missing),
        by_metric={metric.key: len(built.needs[metric.key]) for metric in built.metrics},
    )
    model = options.get("model")
    if not model:
        return plan
    with ExitStack() as stack:
        judge = ChatJudge(
            model,
            prompt=_prompt(built, options),
            store=_existing(options.get("store"), stack),
            **_judge_options(options),
        )
        outlook = judge.outlook(missing)
    return plan.model_copy(
        update={
            "stored": outlook.stored,
            "to_ask": outlook.questions - outlook.stored,
            "calls": outlook.calls,
            "tokens": outlook.tokens_in + outlook.tokens_out,
            "cost_usd": outlook.cost_usd,
        }
    )


def _existing(store: Any, stack: ExitStack) -> Store | NoAnswers:
    """Open a store for reading where there is one; a plan makes none."""
    if isinstance(store, Store):
        return store
    path = Path(store) if store is not None else default_store_path()
    if not path.exists():
        return NoAnswers()
    return stack.enter_context(Store(path, readonly=True))
