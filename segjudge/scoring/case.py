"""One scoring case: two sides made comparable, the metrics, and what is known of each pair.

`build` does all that needs no model; a judge may fill in what is missing; `report` ends it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from segjudge import gamed
from segjudge.annotations import Annotations, Int32
from segjudge.errors import UsageError
from segjudge.findings import Finding
from segjudge.judge import (
    By,
    Decided,
    LabelPairs,
    Records,
    decide_by_verb,
    decide_without_asking,
)
from segjudge.judgments import Judgment, normalise
from segjudge.metrics import Comparison, Metric, Questions, evaluate, questions
from segjudge.metrics.bins import Bins
from segjudge.report import Figures, Input, JudgeInfo, PairCounts, Report, Run, build
from segjudge.scoring import noticed
from segjudge.scoring.answered import answered, kept_apart
from segjudge.scoring.fields import nested
from segjudge.scoring.grouping import by_group
from segjudge.scoring.lengths import by_length
from segjudge.scoring.uncertainty import Sureness
from segjudge.verbs import Taxonomy, about_prediction, check_reference
from segjudge.version import version

K = TypeVar("K", bound=Hashable)


@dataclass(slots=True, eq=False)
class Case:
    """What `score`, `plan` and `judge` share.

    Attributes
    ----------
    comparison : Comparison
    metrics : list of Metric
    decided : Decided
        The pairs that the metrics need, in the union, and who decided them.
    needs : dict of str to ndarray of int64
        Metric -> rows of ``decided`` that it needs.
    findings : list of Finding
    options : dict
    inputs : list of Input
    run : Run or None
        What was asked; None where nothing was.
    unaided : Decided or None
        What is known of the pairs but for what people said; None where they said nothing.
    """

    comparison: Comparison
    metrics: list[Metric]
    decided: Decided
    needs: dict[str, np.ndarray]
    findings: list[Finding]
    options: dict[str, Any]
    inputs: list[Input] = field(default_factory=list)
    run: Run | None = None
    unaided: Decided | None = None

    def add(self, judgments: Sequence[Judgment]) -> None:
        """Fill in what a model answered."""
        self.decided.add(judgments, By.MODEL)
        if self.unaided is not None:
            self.unaided.add(judgments, By.MODEL)

    def unknown_rows(self, metric: Metric, decided: Decided | None = None) -> int:
        """Return how many distinct label pairs that a metric needs are unknown to it."""
        if not metric.reads:
            return 0
        verdicts = (decided or self.decided).verdict
        answers = [-1 if v is None else getattr(v, metric.reads) for v in verdicts]
        return sum(1 for row in self.needs[metric.key].tolist() if answers[row] < 0)


def case(
    reference: Annotations,
    prediction: Annotations,
    metrics: Sequence[Metric],
    records: Records,
    *,
    task: str = "subtask",
    context_field: str | None = None,
    identity: bool = True,
    verbs: Taxonomy | None = None,
    findings: Sequence[Finding] = (),
    options: dict[str, Any] | None = None,
) -> Case:
    """Make two sides comparable, and decide all pairs that need no model.

    Parameters
    ----------
    reference, prediction : Annotations
    metrics : sequence of Metric
    records : Records
        Recorded judgments, already of one judge and prompt.
    task : str
    context_field : str, optional
        Field of the reference's episode table that questions carry, such as ``instruction``.
    identity : bool
        Whether labels of one identity form are `same` without a call.
    verbs : Taxonomy, optional
        Let the verb judge alone decide: no identity, no records.
    findings : sequence of Finding
        Noticed before, to be reported.
    options : dict, optional
        What the report repeats of how it was made.

    Raises
    ------
    InputError
        The prediction has episodes that the reference lacks, or the reference has a label that
        is no verb.
    UsageError
        The reference has no such context field.
    """
    if verbs is not None:
        check_reference(reference, verbs)
    contexts, column = contexts_of(reference, context_field)
    comparison = Comparison.of(reference, prediction, column)
    asked = {m.key: questions(comparison, m.asked(comparison).pairs) for m in metrics if m.reads}
    pairs, needs = union(asked, len(comparison.reference.labels))
    labels = comparison.reference.labels
    unaided = None
    if verbs is not None:
        decided = decide_by_verb(pairs, labels, contexts, task, verbs)
    else:
        decide = partial(
            decide_without_asking,
            pairs,
            labels,
            contexts,
            task=task,
            identity=identity,
            reads=reads_of(metrics, needs, len(pairs.a)),
        )
        decided = decide(records=records)
        if any(judgment.is_human for judgment in decided.used):
            unaided = decide(records=records.without_people())
    return Case(
        comparison,
        list(metrics),
        decided,
        {m.key: needs.get(m.key, np.zeros(0, np.int64)) for m in metrics},
        [
            *findings,
            *noticed.said_of("reference", reference),
            *gamed.look(reference, prediction, noticed.said_of("prediction", prediction)),
            *noticed.lacking(reference, prediction),
            *noticed.together(comparison),
            *(about_prediction(prediction, verbs) if verbs is not None else ()),
            *(noticed.recorded(records, bool(context_field)) if verbs is None else ()),
            *(kept_apart(records, decided, task) if verbs is None else ()),
        ],
        options or {},
        [
            Input(
                role=role,
                file=Path(side.source.file).name,
                sha256=side.source.sha256,
                format=side.source.format,
            )
            for role, side in (("reference", reference), ("prediction", prediction))
            if side.source
        ],
        unaided=unaided,
    )


def decide(
    pairs: LabelPairs,
    labels: Sequence[str],
    contexts: Sequence[str],
    task: str,
    records: Records,
    identity: bool,
    verbs: Taxonomy | None,
    reads: Sequence[tuple[str, ...]] | None = None,
) -> Decided:
    """Decide all pairs that need no model; `case` says what each parameter is."""
    if verbs is not None:
        return decide_by_verb(pairs, labels, contexts, task, verbs)
    return decide_without_asking(
        pairs, labels, contexts, task=task, records=records, identity=identity, reads=reads
    )


def reads_of(
    metrics: Sequence[Metric], needs: Mapping[str, np.ndarray], count: int
) -> list[tuple[str, ...]]:
    """Return which answers the metrics read of each pair.

    Parameters
    ----------
    metrics : sequence of Metric
    needs : mapping of str to ndarray of int64
        Metric -> rows of the pairs that it needs.
    count : int
        Number of pairs.
    """
    read: list[tuple[str, ...]] = [()] * count
    for answer in sorted({metric.reads for metric in metrics if metric.reads}):
        own = [needs[m.key] for m in metrics if m.reads == answer and m.key in needs]
        for row in np.unique(np.concatenate([*own, np.zeros(0, np.int64)])).tolist():
            read[int(row)] += (answer,)
    return read


def contexts_of(
    reference: Annotations, context_field: str | None
) -> tuple[tuple[str, ...], Int32 | None]:
    """Return the distinct contexts ("" first) and each episode's index into them.

    Episodes are in the sorted order of their ids, as `align` puts them.
    """
    if context_field is None:
        return ("",), None
    values = reference.table.fields.get(context_field)
    if values is None:
        have = ", ".join(reference.table.fields) or "none"
        raise UsageError(
            f"the reference's episodes have no field {context_field!r}; they have {have}"
        )
    of = {
        name: normalise(value) if isinstance(value, str) else ""
        for name, value in zip(reference.episodes, values, strict=True)
    }
    contexts = ("", *sorted({text for text in of.values() if text}))
    index = {text: i for i, text in enumerate(contexts)}
    return contexts, np.array([index[of[name]] for name in sorted(of)], np.int32)


def union(asked: Mapping[K, Questions], n_labels: int) -> tuple[LabelPairs, dict[K, np.ndarray]]:
    """Return the pairs that any metric needs, each once, and the rows each metric needs."""
    n = max(n_labels, 1)
    keys = {key: (q.context * n + q.a) * n + q.b for key, q in asked.items()}
    every = np.unique(np.concatenate([*keys.values(), np.zeros(0, np.int64)]))
    rows = {key: np.searchsorted(every, own) for key, own in keys.items()}
    return LabelPairs((every // n) % n, every % n, every // (n * n)), rows


def report(
    case: Case,
    by: Sequence[str] = (),
    *,
    sure: Sureness | None = None,
    bins: Bins | None = None,
) -> Report:
    """Compute the metrics and write the report.

    Parameters
    ----------
    case : Case
    by : sequence of str
        Fields of the reference's episode table to group by; ``track`` groups by track.
    sure : Sureness, optional
        Adds intervals.
    bins : Bins, optional
        Adds recall and precision by length of segment.

    Raises
    ------
    UsageError
        The reference has no such field.
    """
    comparison, matrix = case.comparison, case.decided.matrix()
    outcomes = [evaluate(metric, comparison, matrix) for metric in case.metrics]
    metrics = {o.metric.key: build.figures(o, case.unknown_rows(o.metric)) for o in outcomes}
    for name, own in sure.figures(outcomes).items() if sure else ():
        metrics[name].update(own)
    groups = {name: by_group(name, comparison, outcomes, matrix, sure) for name in by}
    lengths, outside = by_length(case.metrics, comparison, matrix, bins, sure)
    return Report(
        schema="segjudge.report/1",
        metrics=metrics,
        by_group=groups,
        by_length=lengths,
        judge=judge_info(case.decided),
        inputs=case.inputs,
        findings=[
            *case.findings,
            *answered(case.decided, case.findings),
            *outside,
            *nested(comparison.reference, by),
            *(sure.findings(groups, metrics) if sure else ()),
            *noticed.about(outcomes, case.decided),
        ],
        options=case.options
        | ({"ci": sure.intervals.said} if sure else {})
        | ({"bins": bins.said} if bins else {}),
        version=version(),
        run=case.run or Run(created=datetime.now(UTC).isoformat(timespec="seconds")),
        by_episode=build.by_episode(comparison.reference.episodes, outcomes),
        without_human=_without_human(case),
    )


def _without_human(case: Case) -> dict[str, Figures]:
    """Return each metric's figures as they would be if no person had said anything."""
    unaided = case.unaided
    if unaided is None:
        return {}
    matrix = unaided.matrix()
    return {
        metric.key: build.figures(
            evaluate(metric, case.comparison, matrix), case.unknown_rows(metric, unaided)
        )
        for metric in case.metrics
    }


def judge_info(decided: Decided) -> JudgeInfo:
    """Return who judged, with which prompt, and how many pairs each."""
    counts = {by: decided.by.count(by) for by in By}
    used = decided.used
    who = sorted({record.judge for record in used if not record.is_human})
    prompts = sorted({record.prompt for record in used if record.prompt and not record.is_human})
    return JudgeInfo(
        id=", ".join(who) or decided.judge,
        people=sorted({record.judge for record in used if record.is_human}),
        prompt=", ".join(prompts) or None,
        pairs=PairCounts(needed=len(decided.by), **{by.value: n for by, n in counts.items()}),
    )
