"""What trivial answers score, and by how much each system beats the best of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

import numpy as np

from segjudge import formats
from segjudge.annotations import Annotations
from segjudge.baselines import GENERIC, Baseline, baseline
from segjudge.errors import InputError, Problem, UsageError
from segjudge.findings import finding
from segjudge.metrics import Outcome
from segjudge.report.floors import FloorsReport, Margin, System
from segjudge.scoring.answered import answered
from segjudge.scoring.case import Case, judge_info
from segjudge.scoring.options import AskOptions
from segjudge.scoring.settings import settings_of
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
from segjudge.scoring.uncertainty import IntervalOptions, Sureness, intervals_of, sums_of
from segjudge.statistics import Interval, contrast
from segjudge.version import version

#: A label for each task that fits everything: what a constant says unless told otherwise.
GENERIC_LABELS = {"subtask": GENERIC, "hand-caption": "using the hand", "hand-action": "hold"}


def _for_task(text: str, task: str) -> str:
    """Return a baseline with the task's own generic label where it has one and names none."""
    generic = GENERIC_LABELS.get(task, GENERIC)
    fixed = text.partition(",")[0].strip() in ("constant", "windows")
    return (
        f"{text},label={generic}"
        if fixed and generic != GENERIC and ",label=" not in text
        else text
    )


def default_baselines(task: str) -> tuple[str, ...]:
    """Return the baselines that are scored unless told otherwise."""
    generic = GENERIC_LABELS.get(task, GENERIC)
    label = "" if generic == GENERIC else f",label={generic}"
    return (
        f"constant{label}",
        *(f"windows{length}{label}" for length in ("", ",seconds=5", ",seconds=10")),
        *("longest", "longest,by=segment", "longest,by=corpus"),
        *("instruction", "instruction,windows=2.5", "borrowed", "shotgun", "empty", "shuffled"),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Floors:
    """Floors, systems and each system's controls, before they are scored.

    Attributes
    ----------
    several : Several
        Its sides are ``("floor", baseline)``, ``("system", name)`` and
        ``("control", name, baseline)``.
    made : dict of tuple to Annotations
        The floors and controls themselves.
    sure : Sureness
        How intervals are made.
    """

    several: Several
    made: dict[Name, Annotations]
    sure: Sureness

    @property
    def case(self) -> Case:
        """What a judge may fill in."""
        return self.several.case


def floors(
    reference: Side,
    predictions: Sequence[Side] = (),
    *,
    baselines: Sequence[str] = (),
    wanted: IntervalOptions | None = None,
    **options: Unpack[AskOptions],
) -> Floors:
    """Make the floors of a reference, and all their label pairs ready to be judged.

    Parameters
    ----------
    reference : path or Annotations
    predictions : sequence of path or Annotations
    baselines : sequence of str
        Names with options; `default_baselines` if none is given.
    wanted : IntervalOptions, optional
        How intervals are made; they always are.
    **options
        See `AskOptions`.

    Raises
    ------
    InputError, UsageError
        As `score`; a baseline is unknown.
    """
    settings, intervals = settings_of(**options), intervals_of({**(wanted or {}), "ci": True})
    assert intervals is not None
    if intervals.how.stream == "study":
        raise UsageError("the study's stream can't compare systems of different durations")
    chosen = [
        baseline(_for_task(text, settings.task))
        for text in baselines or default_baselines(settings.task)
    ]
    truth, systems = read_several(reference, predictions, **options)
    if not truth.episodes:
        raise InputError("the reference has no episode")
    made = _made(chosen, truth, systems)
    sides = made | {("system", name): side for name, side in systems.items()}
    if not sides:
        raise UsageError("there is nothing to score: these baselines are made from a prediction")
    found = noticed_of(truth, systems, settings)
    silent = [key for (_, key), side in _floors_of(made) if not len(side) and key != "empty"]
    if silent:
        text = f"nothing to lay for {', '.join(silent)}: scored as empty"
        found.append(finding("empty_floors", text, count=len(silent)))
    built = several(truth, sides, settings, found, inputs_of(truth, systems))
    built.case.options["baselines"] = [each.key for each in chosen]
    sure = Sureness.over(built.case.comparison.reference, intervals)
    if systems:
        built.case.options["intervals"] = intervals.said
        built.case.findings.extend(sure.findings())
    return Floors(built, made, sure)


def _made(
    chosen: Sequence[Baseline], truth: Annotations, systems: Mapping[str, Annotations]
) -> dict[Name, Annotations]:
    """Make the floors, and each system's controls."""
    made: dict[Name, Annotations] = {}
    for each in chosen:
        if each.of == "reference":
            made["floor", each.key] = each.make(truth)
    for name, side in systems.items():
        for each in chosen:
            if each.of == "prediction":
                made["control", name, each.key] = each.make(side)
    return made


def _floors_of(made: Mapping[Name, Annotations]) -> list[tuple[Name, Annotations]]:
    return [(name, side) for name, side in made.items() if name[0] == "floor"]


def floors_report(built: Floors) -> FloorsReport:
    """Score floors and systems from what is known by now."""
    case, outcomes = built.case, built.several.outcomes()
    figures = {name: built.several.figures(name, own) for name, own in outcomes.items()}
    lying = {name[1]: own for name, own in outcomes.items() if name[0] == "floor"}
    systems = {}
    for name in [name for name in outcomes if name[0] == "system"]:
        margins = {
            key: margin(outcome, {f: own[key] for f, own in lying.items()}, built.sure)
            for key, outcome in outcomes[name].items()
        }
        controls = {
            c[2]: own for c, own in figures.items() if c[0] == "control" and c[1] == name[1]
        }
        systems[name[1]] = System(metrics=figures[name], margins=margins, controls=controls)
    return FloorsReport(
        floors={key: figures["floor", key] for key in lying},
        systems=systems,
        judge=judge_info(case.decided),
        inputs=case.inputs,
        findings=[*case.findings, *answered(case.decided, case.findings)],
        options=case.options,
        version=version(),
        run=run_of(case),
    )


def _bounds(outcome: Outcome) -> tuple[float, float] | None:
    """Return both ends of a metric's value over the corpus; None where it has none."""
    if outcome.unknown.any() and not outcome.metric.monotone:
        return None
    above, below = sums_of([outcome])
    totals = above.sum(axis=0), below.sum(axis=0)
    if not totals[1].all():
        return None
    ends = (totals[0] / totals[1])[:, 0].tolist()
    return ends[0], ends[-1]


def margin(system: Outcome, lying: Mapping[str, Outcome], sure: Sureness) -> Margin:
    """Compare a system with the best floor.

    Parameters
    ----------
    system : Outcome
    lying : mapping of str to Outcome
        The floors, of the same metric.
    sure : Sureness
    """
    own = _bounds(system)
    ends = {name: found for name, outcome in lying.items() if (found := _bounds(outcome))}
    if own is None or not ends:
        return Margin(reason="no value to compare")
    best, surest = (max(ends, key=lambda name: ends[name][end]) for end in (1, 0))
    low, high = own[0] - ends[best][1], own[1] - ends[surest][0]
    exact = low == high
    worst = _interval(system, lying[best], sure, lowest=True)
    kindest = worst if exact else _interval(system, lying[surest], sure, lowest=False)
    return Margin(
        floor=best,
        value=low if exact else None,
        low=low,
        high=high,
        interval_low=worst.low,
        interval_high=kindest.high,
        level=worst.level,
        beats=True if low > 0 else False if high <= 0 else None,
        reason=worst.reason or kindest.reason,
    )


def _interval(system: Outcome, floor: Outcome, sure: Sureness, lowest: bool) -> Interval:
    """Return the interval of the difference where it is lowest, or where it is highest."""
    own, its = (0, -1) if lowest else (-1, 0)
    lines = zip(sums_of([system]), sums_of([floor]), strict=True)
    above, below = (np.stack((one[:, own], other[:, its]), 1) for one, other in lines)
    how = sure.intervals
    draws = sure.draws(above, below)
    return contrast(draws, level=how.level, method=how.method).difference


def write_floors(built: Floors, folder: Path) -> list[Path]:
    """Write the floors and controls as files in our own format.

    Returns
    -------
    list of Path
        The files, in the order of the baselines.

    Raises
    ------
    InputError
        The folder can't be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = Problem(str(folder), "", "", "", f"a folder: {error.strerror}")
        raise InputError(problem) from error
    paths: list[Path] = []
    for name, side in built.made.items():
        plain = "".join(c if c.isalnum() or c in "=,.-" else "_" for c in "-".join(name[1:]))
        path = folder / f"{plain[:120]}.jsonl"
        number = 1
        while path in paths:
            number += 1
            path = folder / f"{plain[:110]}-{number}.jsonl"
        formats.write(side, path, "segjudge")
        paths.append(path)
    return paths
