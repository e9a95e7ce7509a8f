"""Several sides against one reference: aligned together, their label pairs decided as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, Unpack, cast

import numpy as np

from segjudge import gamed
from segjudge.annotations import Annotations, Source, align
from segjudge.baselines import baseline
from segjudge.errors import UsageError
from segjudge.findings import Finding
from segjudge.judgments import UNKNOWN
from segjudge.metrics import Comparison, Metric, Outcome, evaluate, questions
from segjudge.overlaps import join
from segjudge.report import Figures, Input, Run, build
from segjudge.scoring import noticed
from segjudge.scoring.case import Case, contexts_of, decide, reads_of, union
from segjudge.scoring.options import AskOptions
from segjudge.scoring.settings import Settings, read_sides
from segjudge.scoring.sides import Side, read_side
from segjudge.verbs import about_prediction, check_reference

#: What tells one side from the others, such as ``("floor", "constant")``.
Name = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Several:
    """Several comparisons with one reference, and what is known of all their label pairs.

    Attributes
    ----------
    case : Case
        Its pairs are those that any side needs, so that it can be planned, asked and listed as
        any other; its comparison is the first side's.
    sides : dict of tuple to Comparison
    needs : dict of (tuple, str) to ndarray of int64
        Side and metric -> rows of ``case.decided`` that they need.
    """

    case: Case
    sides: dict[Name, Comparison]
    needs: dict[tuple[Name, str], np.ndarray]

    def outcomes(self) -> dict[Name, dict[str, Outcome]]:
        """Compute every metric on every side from what is known by now."""
        matrix = self.case.decided.matrix()
        return {
            name: {m.key: evaluate(m, comparison, matrix) for m in self.case.metrics}
            for name, comparison in self.sides.items()
        }

    def figures(self, name: Name, outcomes: Mapping[str, Outcome]) -> dict[str, Figures]:
        """Return the figures of one side over the corpus, by metric."""
        return {
            key: build.figures(outcome, self._undecided(name, outcome.metric))
            for key, outcome in outcomes.items()
        }

    def pairs(self, name: Name) -> tuple[int, int]:
        """Return how many distinct pairs a side needs, and how many of them are undecided."""
        needed: set[int] = set()
        undecided: set[int] = set()
        verdicts = self.case.decided.verdict
        for metric in self.case.metrics:
            for row in self.needs.get((name, metric.key), np.zeros(0, np.int64)).tolist():
                verdict = verdicts[row]
                needed.add(row)
                if verdict is None or getattr(verdict, metric.reads) == UNKNOWN:
                    undecided.add(row)
        return len(needed), len(undecided)

    def _undecided(self, name: Name, metric: Metric) -> int:
        """Return how many distinct pairs that a metric needs on a side are unknown to it."""
        rows = self.needs.get((name, metric.key), np.zeros(0, np.int64))
        known = replace(self.case, needs={metric.key: rows})
        return known.unknown_rows(metric)


def several(
    reference: Annotations,
    sides: Mapping[Name, Annotations],
    settings: Settings,
    findings: Sequence[Finding] = (),
    inputs: Sequence[Input] = (),
) -> Several:
    """Align all sides with the reference, and decide all pairs that need no model.

    Parameters
    ----------
    reference : Annotations
    sides : mapping of tuple to Annotations
        At least one.
    settings : Settings
    findings, inputs
        For the report.

    Raises
    ------
    InputError
        A side has episodes that the reference lacks.
    """
    if settings.verbs is not None:
        check_reference(reference, settings.verbs)
    contexts, column = contexts_of(reference, settings.context_field)
    truth, *aligned = align(reference, *sides.values())
    context = np.zeros(len(truth.episodes), np.int32) if column is None else column
    comparisons = {
        name: Comparison(truth, side, join(truth, side), context)
        for name, side in zip(sides, aligned, strict=True)
    }
    return judged(comparisons, contexts, settings, findings, inputs)


def _reads(
    metrics: Sequence[Metric], needs: Mapping[tuple[Name, str], np.ndarray], count: int
) -> list[tuple[str, ...]]:
    """Return which answers the metrics read of each pair, on any side."""
    every: dict[str, list[np.ndarray]] = {}
    for (_, key), rows in needs.items():
        every.setdefault(key, []).append(rows)
    return reads_of(metrics, {key: np.concatenate(rows) for key, rows in every.items()}, count)


def judged(
    comparisons: Mapping[Name, Comparison],
    contexts: Sequence[str],
    settings: Settings,
    findings: Sequence[Finding] = (),
    inputs: Sequence[Input] = (),
) -> Several:
    """Decide all pairs of several comparisons that need no model.

    Parameters
    ----------
    comparisons : mapping of tuple to Comparison
        At least one; all with the same labels.
    contexts : sequence of str
        What the comparisons' contexts stand for.
    settings : Settings
    findings, inputs
        For the report.
    """
    first = next(iter(comparisons.values()))
    labels = first.reference.labels
    reading = [metric for metric in settings.metrics if metric.reads]
    asked = {
        (name, metric.key): questions(comparison, metric.asked(comparison).pairs)
        for name, comparison in comparisons.items()
        for metric in reading
    }
    pairs, needs = union(asked, len(labels))
    decided = decide(
        pairs,
        labels,
        contexts,
        settings.task,
        settings.records,
        settings.identity,
        settings.verbs,
        _reads(settings.metrics, needs, len(pairs.a)),
    )
    case = Case(
        first,
        settings.metrics,
        decided,
        {metric.key: _together(needs, metric.key) for metric in settings.metrics},
        list(findings),
        settings.said,
        [*inputs, *settings.inputs],
    )
    return Several(case, dict(comparisons), needs)


def _together(needs: Mapping[tuple[Name, str], np.ndarray], metric: str) -> np.ndarray:
    """Return the rows that a metric needs on any side."""
    own = [rows for (_, key), rows in needs.items() if key == metric]
    return np.unique(np.concatenate([*own, np.zeros(0, np.int64)]))


def read_several(
    reference: Side, predictions: Sequence[Side], **options: Unpack[AskOptions]
) -> tuple[Annotations, dict[str, Annotations]]:
    """Read a reference and predictions, and change them as the options ask.

    Returns
    -------
    reference : Annotations
    predictions : dict of str to Annotations
        By file name; a name that is there before is numbered.

    Raises
    ------
    InputError, UsageError
        As `read_sides`.
    UsageError
        An option leaves the predictions with different references.
    """
    plain = read_side(reference, options.get("task", "subtask"), options.get("reading") or {})
    if not predictions:
        alone = cast(AskOptions, {**options, "id_map": None, "offset": 0.0})
        return read_sides(plain, baseline("empty").make(plain), **alone)[0], {}
    named: dict[str, Annotations] = {}
    first: Annotations | None = None
    for prediction in predictions:
        truth, side = read_sides(plain, prediction, **options)
        first = truth if first is None else first
        if not _same(first, truth):
            raise UsageError(
                "--clip or --leave-out-failed leaves the predictions with different references; "
                "give one prediction at a time"
            )
        named[fresh_name(side, named)] = side
    assert first is not None
    return first, named


def _same(one: Annotations, other: Annotations) -> bool:
    """Say whether two edits of one reference gave the same segments."""
    return one.episodes == other.episodes and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("episode", "track", "start", "end", "label")
    )


def fresh_name(side: Annotations, named: Mapping[str, Any]) -> str:
    """Return a side's file name, numbered where it is taken."""
    name = Path(side.source.file).name if side.source else "prediction"
    number = 1
    while (found := name if number == 1 else f"{name} ({number})") in named:
        number += 1
    return found


def noticed_of(
    reference: Annotations, predictions: Mapping[str, Annotations], settings: Settings
) -> list[Finding]:
    """Return what is worth saying of the reference, and of each prediction by its name."""
    found = noticed.said_of("reference", reference)
    for name, side in predictions.items():
        found += gamed.look(reference, side, noticed.said_of(name, side), name)
        found += noticed.lacking(reference, side, name)
        found += noticed.together(Comparison.of(reference, side), name)
        if settings.verbs is not None:
            found += [item.on(name) for item in about_prediction(side, settings.verbs)]
    if settings.verbs is None:
        found += noticed.recorded(settings.records, bool(settings.context_field))
    return found


class Sourced(Protocol):
    """Segments or boxes: whatever may come from a file."""

    @property
    def source(self) -> Source | None:
        """Where it comes from."""


def input_of(role: str, side: Sourced) -> Input | None:
    """Return the file that a side came from, if it came from one."""
    source = side.source
    if source is None:
        return None
    name = Path(source.file).name
    return Input(role=role, file=name, sha256=source.sha256, format=source.format)


def inputs_of(reference: Sourced, predictions: Mapping[str, Sourced]) -> list[Input]:
    """Return the files that the sides came from."""
    sides = [("reference", reference), *(("prediction", side) for side in predictions.values())]
    return [item for role, side in sides if (item := input_of(role, side)) is not None]


def run_of(case: Case) -> Run:
    """Return what was asked, or that nothing was."""
    return case.run or Run(created=datetime.now(UTC).isoformat(timespec="seconds"))
