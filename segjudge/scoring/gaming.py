"""What each metric does when a prediction is attacked, or varied as honest tools vary it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from segjudge.annotations import Annotations, Bool
from segjudge.baselines import Attack, attack, ends
from segjudge.judge import By
from segjudge.judgments import YES
from segjudge.metrics.base import answers
from segjudge.report import Figures, Run
from segjudge.report.gaming import Attacked, Effect, GameReport
from segjudge.scoring.answered import answered
from segjudge.scoring.case import Case, judge_info
from segjudge.scoring.options import AskOptions
from segjudge.scoring.settings import Settings, settings_of
from segjudge.scoring.several import (
    Name,
    Several,
    inputs_of,
    noticed_of,
    read_several,
    run_of,
    several,
)
from segjudge.scoring.sides import Side
from segjudge.version import version

AS_IT_IS: Name = ("as it is",)

#: What is done unless told otherwise.
DEFAULT_ATTACKS = (
    *("cut", "cut,k=3", "merge", "duplicate", "stack,n=2", "stack"),
    *(f"shift,seconds={by}" for by in ("-0.5", "0.1", "0.25", "0.5", "1")),
    *(f"jitter,seconds={most}" for most in ("0.1", "0.25", "0.5", "1")),
    *(f"round,seconds={step}" for step in ("0.1", "0.25", "0.5", "1", "2")),
    *("floor", "drop", "drop,share=0.25", "drop,share=0.5"),
    *("stretch", "stretch,how=gaps", "stretch,how=each"),
    *("umbrella", "hedged", "stuffed", "injected"),
)


@dataclass(slots=True, eq=False)
class Game:
    """A prediction to be attacked.

    Attributes
    ----------
    settings : Settings
    reference : Annotations
    attacks : list of Attack
    plain : Several
        The prediction as it is, whose pairs come first: what is accepted decides what is stacked.
    under_attack : Several or None
        The prediction as it is and under each attack, once `attacked` has made them.
    """

    settings: Settings
    reference: Annotations
    attacks: list[Attack]
    plain: Several
    under_attack: Several | None = None

    @property
    def case(self) -> Case:
        """What a judge may fill in, at this stage."""
        return (self.under_attack or self.plain).case


def game(
    reference: Side,
    prediction: Side,
    *,
    attacks: Sequence[str] = (),
    **options: Unpack[AskOptions],
) -> Game:
    """Make a prediction ready to be attacked.

    Parameters
    ----------
    reference, prediction : path or Annotations
    attacks : sequence of str
        Names with options, such as ``shift,seconds=0.5``; `DEFAULT_ATTACKS` if none is given.
    **options
        See `AskOptions`.

    Raises
    ------
    InputError, UsageError
        As `score`; an attack is unknown.
    """
    settings = settings_of(**options)
    chosen = {made.key: made for made in map(attack, attacks or DEFAULT_ATTACKS)}
    truth, named = read_several(reference, [prediction], **options)
    (side,) = named.values()
    named = {"prediction": side}
    found, inputs = noticed_of(truth, named, settings), inputs_of(truth, named)
    plain = several(truth, {AS_IT_IS: side}, settings, found, inputs)
    plain.case.options["attacks"] = list(chosen)
    return Game(settings, truth, list(chosen.values()), plain)


def attacked(built: Game) -> None:
    """Attack the prediction, given what is known of it by now, and decide what needs no model.

    What a model has answered before stays answered.
    """
    comparison = built.plain.sides[AS_IT_IS]
    accepted = earning(built.plain)
    known = _with_ends(comparison.reference, comparison.prediction)
    sides = {AS_IT_IS: comparison.prediction} | {
        (each.key,): each.make(known, accepted) for each in built.attacks
    }
    before = built.plain.case
    under_attack = several(built.reference, sides, built.settings, before.findings)
    case = under_attack.case
    case.inputs, case.options = before.inputs, before.options
    said = zip(before.decided.by, before.decided.record, strict=True)
    case.add([record for by, record in said if by is By.MODEL and record is not None])
    built.under_attack = under_attack


def earning(plain: Several) -> Bool:
    """Return which segments of the prediction earn anything in any metric, shape (n,).

    What is unknown doesn't count as earning.
    """
    comparison, matrix = plain.sides[AS_IT_IS], plain.case.decided.matrix()
    earns = np.zeros(len(comparison.prediction), np.bool_)
    for metric in plain.case.metrics:
        pairs = metric.asked(comparison).pairs
        given = answers(metric, comparison, pairs, matrix)
        earns[pairs.right[given == YES]] = True
    return earns


def _with_ends(reference: Annotations, prediction: Annotations) -> Annotations:
    """Return the prediction, aligned, with the ends of the reference's timelines as durations."""
    return replace(prediction, table=replace(prediction.table, duration=ends(reference)))


def game_report(built: Game) -> GameReport:
    """Score the prediction as it is and under each attack from what is known by now.

    Raises
    ------
    ValueError
        It hasn't been `attacked` yet.
    """
    if built.under_attack is None:
        raise ValueError("attack it first")
    sides, case = built.under_attack, built.case
    figures = {name: sides.figures(name, own) for name, own in sides.outcomes().items()}
    plain = figures[AS_IT_IS]
    rows = {
        each.key: Attacked(
            name=each.name,
            options=dict(each.options),
            kind=each.kind,
            segments=len(sides.sides[each.key,].prediction),
            effects=_effects(plain, figures[each.key,]),
        )
        for each in built.attacks
    }
    return GameReport(
        metrics=plain,
        segments=len(sides.sides[AS_IT_IS].prediction),
        attacks=rows,
        judge=judge_info(case.decided),
        inputs=case.inputs,
        findings=[*case.findings, *answered(case.decided, case.findings)],
        options=case.options,
        version=version(),
        run=_spent(built.plain.case.run, case.run) or run_of(case),
    )


def _effects(plain: Mapping[str, Figures], own: Mapping[str, Figures]) -> dict[str, Effect]:
    return {metric: _effect(plain[metric], figures) for metric, figures in own.items()}


def _effect(before: Figures, after: Figures) -> Effect:
    """Return the score under attack and the change, with bounds."""
    value, low, high = _ends(after)
    _, low_before, high_before = _ends(before)
    if low is None or high is None or low_before is None or high_before is None:
        return Effect(
            value=value, low=low, high=high,
            change=None, change_low=None, change_high=None, pays=None,
        )  # fmt: skip
    least, most = low - high_before, high - low_before
    return Effect(
        value=value,
        low=low,
        high=high,
        change=least if least == most else None,
        change_low=least,
        change_high=most,
        pays=True if least > 0 else False if most <= 0 else None,
    )


def _ends(figures: Figures) -> tuple[float | None, float | None, float | None]:
    """Return value, low and high as numbers."""
    value, low, high = (
        None if figures[name] is None else float(figures[name] or 0)
        for name in ("value", "low", "high")
    )
    return value, low, high


def _spent(*runs: Run | None) -> Run | None:
    """Return what several stages of asking came to."""
    made = [run for run in runs if run is not None]
    if len(made) < 2:
        return made[0] if made else None
    priced = [run.cost_usd for run in made if run.asked or run.failed]
    return Run(
        created=made[-1].created,
        asked=sum(run.asked for run in made),
        cached=sum(run.cached for run in made),
        failed=sum(run.failed for run in made),
        tokens=sum(run.tokens or 0 for run in made) or None,
        cost_usd=None if None in priced else sum(cost or 0 for cost in priced),
    )
