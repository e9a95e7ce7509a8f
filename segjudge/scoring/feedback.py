"""What an annotator may know of a comparison with the truth: which own segments earned how much.

No label and no time of the reference is in a feedback, and shares are in tenths, so that no time
of the reference can be read off them either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, Unpack, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from segjudge import edits
from segjudge.annotations import MICROSECONDS, Annotations, Bool, Int64
from segjudge.errors import InputError, UsageError
from segjudge.judgments import NO, UNKNOWN, YES
from segjudge.metrics import Asked, evaluate
from segjudge.metrics.base import answers
from segjudge.metrics.psj import Psj, credit
from segjudge.scoring.case import Case
from segjudge.scoring.doors import build_case
from segjudge.scoring.options import AskOptions
from segjudge.scoring.sides import Reading, Side, read_side
from segjudge.scoring.verbs import verbs_for
from segjudge.verbs import Taxonomy, check_reference

#: A share of an own segment or of all time: 0, 0.1, ... 1; None where answers are unknown.
Tenths = float | None


class OwnSegment(BaseModel):
    """One of the annotator's own segments, and the share of it that earned credit."""

    episode: str
    track: str
    start_s: float
    end_s: float
    label: str
    earned: Tenths


class Feedback(BaseModel):
    """What an annotator is told.

    Attributes
    ----------
    score : float or None
        The metric's value, rounded down to two decimals; None where answers are unknown.
    pass_mark : float
    passed : bool or None
        Whether the exact value reaches the mark; None where that depends on what is unknown.
    episodes, episodes_in_all : int
        Those annotated, and those that there are.
    precision, recall : float or None
        In tenths: how much of the own time earned credit, and how much of the truth's time.
    segments : list of OwnSegment
    """

    model_config = ConfigDict(populate_by_name=True)

    schema_: Literal["segjudge.feedback/1"] = Field(default="segjudge.feedback/1", alias="schema")
    metric: str
    score: float | None
    pass_mark: float
    passed: bool | None
    episodes: int
    episodes_in_all: int
    precision: Tenths
    recall: Tenths
    segments: list[OwnSegment]

    def to_json(self) -> str:
        """Return the feedback as JSON, indented, with a final line feed."""
        return self.model_dump_json(by_alias=True, indent=2) + "\n"


def feedback_case(
    reference: Side, annotation: Side, **options: Unpack[AskOptions]
) -> tuple[Case, int]:
    """Compare an annotation with the truth, on the episodes annotated.

    Returns
    -------
    case : Case
        To be judged, if need be.
    episodes : int
        Those that the reference has.

    Raises
    ------
    InputError
        The annotation is not what it should be. What is wrong with the reference is not said.
    UsageError
        An option can't be used as given, or is not for a feedback.
    """
    if options.get("metrics"):
        raise UsageError("a feedback is by psj; leave --metric out")
    task, reading = options.get("task", "subtask"), options.get("reading") or {}
    theirs = options.get("prediction_reading")
    own = read_side(annotation, task, reading if theirs is None else theirs)
    verbs, _ = verbs_for(task, options.get("verbs"))
    truth = _unspoken(reference, task, reading, verbs)
    whole = len(truth.episodes)
    known = set(truth.episodes)
    shared = [name for name in own.episodes if name in known]
    truth = edits.restrict(truth, shared) if len(shared) == len(own.episodes) else truth
    options = cast(AskOptions, {**options, "metrics": ["psj"]})
    return build_case(truth, own, **options), whole


def _unspoken(reference: Side, task: str, reading: Reading, verbs: Taxonomy | None) -> Annotations:
    """Read the reference; what is wrong with it may hold its labels, and so is not said."""
    try:
        truth = read_side(reference, task, reading)
        if verbs is not None:
            check_reference(truth, verbs)
        return truth
    except InputError as error:
        n = len(error.problems)
        raise InputError(
            f"the reference can't be read ({n} problems; `segjudge validate` names them)"
        ) from None


def feedback(case: Case, episodes: int, pass_mark: float = 0.8) -> Feedback:
    """Say what an annotator's own segments earned, from what is known by now.

    Parameters
    ----------
    case : Case
    episodes : int
        Those that the reference has, as `feedback_case` gives them.
    pass_mark : float
        What the value must reach.

    Raises
    ------
    UsageError
        The mark is not between 0 and 1.
    """
    if not 0 <= pass_mark <= 1:
        raise UsageError(f"--pass {pass_mark}: expected a number from 0 to 1")
    metric = cast(Psj, case.metrics[0])
    comparison, matrix = case.comparison, case.decided.matrix()
    asked = metric.asked(comparison)
    given = answers(metric, comparison, asked.pairs, matrix)
    outcome = evaluate(metric, comparison, matrix)
    totals = [
        {name: int(column.sum()) for name, column in side.items()}
        for side in (outcome.low, outcome.high)
    ]
    low, high = (_ratio(side, metric, "value") for side in totals)
    exact = not np.any(given == UNKNOWN)
    return Feedback(
        metric=metric.key,
        score=math.floor(100 * low + 1e-9) / 100 if exact and low is not None else None,
        pass_mark=pass_mark,
        passed=_passed(low, high, pass_mark),
        episodes=comparison.n_episodes,
        episodes_in_all=episodes,
        precision=_tenths(_ratio(totals[0], metric, "precision")) if exact else None,
        recall=_tenths(_ratio(totals[0], metric, "recall")) if exact else None,
        segments=_own_segments(case, asked, given == YES, given != NO),
    )


def _ratio(totals: dict[str, int], metric: Psj, name: str) -> float | None:
    above, below = (sum(totals[part] for part in parts) for parts in metric.ratios[name])
    return above / below if below else None


def _passed(low: float | None, high: float | None, mark: float) -> bool | None:
    if low is None or high is None:
        return None
    return True if low >= mark else False if high < mark else None


def _tenths(share: float | None) -> Tenths:
    """Return a share in tenths; 0 and 1 only where it is exactly that."""
    if share is None or share in (0, 1):
        return share
    return min(max(round(10 * share), 1), 9) / 10


def _own_segments(case: Case, asked: Asked, accepted: Bool, perhaps: Bool) -> list[OwnSegment]:
    """Return the annotator's segments in canonical order, each with its share."""
    side = case.comparison.prediction
    ends: Sequence[Int64] = [
        credit(case.comparison, asked, which)[1] for which in (accepted, perhaps)
    ]
    found = []
    for i, length in enumerate(side.length.tolist()):
        low, high = (int(end[i]) for end in ends)
        known = low == high and length
        found.append(
            OwnSegment(
                episode=side.episodes[side.episode[i]],
                track=side.tracks[side.track[i]],
                start_s=int(side.start[i]) / MICROSECONDS,
                end_s=int(side.end[i]) / MICROSECONDS,
                label=side.labels[side.label[i]],
                earned=_tenths(low / length) if known else None,
            )
        )
    return found
