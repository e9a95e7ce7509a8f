"""The report of a benchmark: each score, its floors, and how much of the truth is covered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Unpack

import numpy as np

from segjudge.annotations import Annotations
from segjudge.errors import InputError, Problem
from segjudge.judge.verb import TASK
from segjudge.metrics import Asked, Comparison, Outcome
from segjudge.metrics.bins import Bins
from segjudge.metrics.psj import credit
from segjudge.protocols import EGOHOME
from segjudge.report import Report, Run, build
from segjudge.report.benchmark import BenchmarkReport, Coverage, Score
from segjudge.report.floors import Margin
from segjudge.scoring.boxes import BoxHits, BoxOptions, box_report
from segjudge.scoring.case import Case, report
from segjudge.scoring.doors import fill, run_anywhere
from segjudge.scoring.egohome import BoxPart, Egohome, Path_, TextPart, egohome
from segjudge.scoring.floors import floors_report, margin
from segjudge.scoring.options import AskOptions
from segjudge.scoring.several import Name, Several
from segjudge.scoring.uncertainty import Sureness, intervals_of
from segjudge.version import version


def score_egohome(
    rows: Path_,
    prediction: Path_,
    *,
    predicted_boxes: Path_ | None = None,
    box_options: BoxOptions | None = None,
    with_floors: bool = True,
    **options: Unpack[AskOptions],
) -> BenchmarkReport:
    """Score a prediction as EgoHome does.

    Without ``model`` nothing is asked. Parameters and errors are those of `egohome.egohome`, and
    those of asking a model.

    Returns
    -------
    BenchmarkReport
    """
    built = egohome(
        rows,
        prediction,
        predicted_boxes=predicted_boxes,
        box_options=box_options,
        with_floors=with_floors,
        **options,
    )
    for text in built.texts:
        if text.options.get("model"):
            run_anywhere(fill(text.case, **text.options))
    return egohome_report(built)


def egohome_report(built: Egohome) -> BenchmarkReport:
    """Compute all scores from what is known by now.

    Raises
    ------
    InputError
        There is nothing to score.
    """
    scores = {each.part.name: _text_score(each, built.with_floors) for each in built.texts}
    if built.boxes is not None:
        scores[built.boxes.part.name] = _box_score(built.boxes, built.with_floors)
    if not scores:
        why = "; ".join(f"{name}: {reason}" for name, reason in built.not_scored.items())
        raise InputError(Problem("", "", "", "", f"something to score ({why})"))
    runs = [score.report.run for score in scores.values()]
    return BenchmarkReport(
        protocol=EGOHOME.name,
        scores={part.name: scores[part.name] for part in EGOHOME.parts if part.name in scores},
        not_scored=built.not_scored,
        inputs=built.inputs,
        options={"bins": EGOHOME.bins, "floors": built.with_floors},
        version=version(),
        run=Run(
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            asked=sum(run.asked for run in runs),
            cached=sum(run.cached for run in runs),
            failed=sum(run.failed for run in runs),
            tokens=_total([run.tokens for run in runs]),
            cost_usd=_total([run.cost_usd for run in runs]),
        ),
    )


def _total(values: list[Any]) -> Any:
    """Return the sum of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _text_score(text: TextPart, with_floors: bool) -> Score:
    several = text.floors.several
    (name,) = [name for name in several.sides if name[0] == "system"]
    case = alone(several, name)
    found = report(case, text.part.by, bins=Bins.parse(EGOHOME.bins))
    key = case.metrics[0].key
    if text.part.task == TASK:
        # That is how the verbs are spelt.
        found.findings = [f for f in found.findings if f.code != "snake_case_labels"]
    score = Score(
        metric=key,
        report=found,
        coverage=Coverage(
            episodes=case.comparison.n_episodes,
            in_prediction=_in_prediction(found, case.comparison.n_episodes),
            share=_covered(case.comparison),
        ),
    )
    if with_floors:
        beside = floors_report(text.floors)
        score.floors = {floor: metrics[key] for floor, metrics in beside.floors.items()}
        score.margin = beside.systems[name[1]].margins[key]
    return score


def alone(several: Several, name: Name) -> Case:
    """Return the case of one side of several: only its own pairs."""
    case, comparison = several.case, several.sides[name]
    needs = {
        metric.key: several.needs.get((name, metric.key), np.zeros(0, np.int64))
        for metric in case.metrics
    }
    rows = np.unique(np.concatenate([*needs.values(), np.zeros(0, np.int64)])).astype(np.int64)
    own = {key: np.searchsorted(rows, each) for key, each in needs.items()}
    return replace(
        case, comparison=comparison, decided=case.decided.only(rows), needs=own, unaided=None
    )


def _in_prediction(found: Report, episodes: int) -> int:
    """Return how many episodes the prediction names."""
    return episodes - sum(f.count for f in found.findings if f.code == "missing_episodes")


def _covered(comparison: Comparison) -> float | None:
    """Return the share of the reference's time that lies under any predicted segment."""
    every = np.ones(len(comparison.pairs), np.bool_)
    by_reference, _ = credit(comparison, Asked(comparison.pairs), every)
    whole = int(comparison.reference.length.sum())
    return int(by_reference.sum()) / whole if whole else None


def _box_score(boxes: BoxPart, with_floors: bool) -> Score:
    hits = boxes.hits
    found = box_report(hits, boxes.reference, boxes.prediction, **boxes.options)
    covered = hits.parts["covered_direct"] + hits.parts["covered_interpolated"]
    whole = int(hits.parts["reference_boxes"].sum())
    score = Score(
        metric=hits.metric.key,
        report=found,
        coverage=Coverage(
            episodes=len(hits.episodes),
            in_prediction=_in_prediction(found, len(hits.episodes)),
            share=int(covered.sum()) / whole if whole else None,
        ),
    )
    if with_floors and hits.floors:
        outcomes = {name: hits.metric.outcome(parts) for name, parts in hits.floors.items()}
        score.floors = {name: build.figures(each, 0) for name, each in outcomes.items()}
        score.margin = _box_margin(hits, outcomes)
    return score


def _box_margin(hits: BoxHits, outcomes: Mapping[str, Outcome]) -> Margin:
    """Compare with the best floor as other scores are, on resamples of the episodes."""
    intervals = intervals_of({"ci": True})
    assert intervals is not None
    sure = Sureness.over(Annotations.from_segments([], hits.episodes), intervals)
    return margin(hits.outcome(), outcomes, sure)
