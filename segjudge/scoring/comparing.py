"""Systems against each other on one reference: differences, intervals, tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Unpack

import numpy as np

from segjudge.annotations import Float
from segjudge.metrics import Outcome
from segjudge.report import Figures, build
from segjudge.report.comparison import ComparisonReport, Contestant, Difference, Form
from segjudge.scoring import noticed
from segjudge.scoring.answered import answered
from segjudge.scoring.case import judge_info
from segjudge.scoring.caveats import caveats
from segjudge.scoring.contest import Contest, contest
from segjudge.scoring.doors import fill, run_anywhere
from segjudge.scoring.noise import noise_of
from segjudge.scoring.options import AskOptions, ScoreOptions, parted
from segjudge.scoring.several import run_of
from segjudge.scoring.sides import Side
from segjudge.scoring.uncertainty import Index, sums_of
from segjudge.statistics import Draws, contrast, holm
from segjudge.version import version

#: System -> metric -> outcome.
Outcomes = Mapping[str, Mapping[str, Outcome]]


def compare(
    reference: Side,
    *predictions: Side,
    names: Sequence[str] | None = None,
    noise_runs: Sequence[int] = (),
    **options: Unpack[ScoreOptions],
) -> ComparisonReport:
    """Compare systems on one reference: every pair of them, in every metric.

    Parameters
    ----------
    reference, *predictions : path or Annotations
    names : sequence of str, optional
        What to call the systems; their file names if not given.
    noise_runs : sequence of int
        Runs of the recorded judgments between which the judge's noise is measured: every system
        is scored by each run's answers.
    **options
        See `AskOptions` and `IntervalOptions`.

    Returns
    -------
    ComparisonReport

    Raises
    ------
    InputError, UsageError, StoppedEarly
        As `score`.

    Examples
    --------
    >>> import segjudge
    >>> kitchen = "examples/kitchen/"
    >>> comparison = segjudge.compare(
    ...     kitchen + "reference.jsonl",
    ...     kitchen + "prediction_careful.jsonl",
    ...     kitchen + "prediction_hasty.jsonl",
    ...     judgments=kitchen + "judgments.jsonl",
    ...     metrics=["psj"],
    ... )
    >>> [round(each.value, 4) for each in comparison.forms["all"].differences]
    [0.1846]
    """
    asking, wanted = parted(options)
    built = contest(
        reference, predictions, names=names, noise_runs=noise_runs, wanted=wanted, **asking
    )
    if asking.get("model"):
        run_anywhere(fill(built.case, **asking))
    return comparison_report(built, **asking)


def comparison_report(built: Contest, **options: Unpack[AskOptions]) -> ComparisonReport:
    """Compare the systems from what is known by now.

    Parameters
    ----------
    built : Contest
    **options
        Those it was built with: the judge's runs are read again by them.
    """
    case = built.case
    outcomes = {name: own for (name,), own in built.several.outcomes().items()}
    noise, unsure = noise_of(built.several, built.noise_runs, options)
    common = np.logical_and.reduce(list(built.has.values()))
    n, shared = len(common), int(common.sum())
    forms = {"all": _form(_title(n, n, shared), built, outcomes)}
    for each in forms["all"].differences:
        noise.note(each)
    if 0 < shared < n:
        title = _title(shared, n, shared)
        forms["common"] = _form(title, built, outcomes, np.flatnonzero(common))
    return ComparisonReport(
        systems={name: _contestant(built, name) for name in outcomes},
        forms=forms,
        judge=judge_info(case.decided),
        inputs=case.inputs,
        findings=[
            *case.findings,
            *answered(case.decided, case.findings),
            *unsure,
            *caveats(built, forms["all"]),
            *noticed.about([], case.decided),
        ],
        options=case.options,
        version=version(),
        run=run_of(case),
    )


def _title(episodes: int, whole: int, shared: int) -> str:
    if episodes < whole:
        return (
            f"The {episodes} of {whole} episodes that every system has, as published "
            "comparisons count them"
        )
    if whole == 1:
        return "The only episode of the reference" + (
            ", which every system has"
            if shared
            else "; a system that lacks it or calls it failed is scored as empty"
        )
    if shared == whole:
        return f"All {whole} episodes of the reference, which every system has"
    return (
        f"All {whole} episodes of the reference; one that a system lacks or calls failed is "
        "scored as empty"
    )


def _contestant(built: Contest, name: str) -> Contestant:
    """Return what a system came with."""
    decided, rows = built.case.decided, built.pairs_of(name)
    own = replace(
        decided, by=[decided.by[r] for r in rows], record=[decided.record[r] for r in rows]
    )
    has, failed = int(built.has[name].sum()), built.failed[name]
    return Contestant(
        episodes=has,
        missing=len(built.has[name]) - has - failed,
        failed=failed,
        judge=judge_info(own),
    )


def _form(title: str, built: Contest, outcomes: Outcomes, rows: Index | None = None) -> Form:
    """Compare all systems on some episodes, or on all."""
    n = len(built.sure.episodes)
    systems = {name: _figures(built, name, own, rows) for name, own in outcomes.items()}
    return Form(
        title=title,
        episodes=n if rows is None else len(rows),
        clusters=built.sure.count(rows),
        systems=systems,
        differences=_differences(built, outcomes, rows),
    )


def _figures(
    built: Contest, name: str, outcomes: Mapping[str, Outcome], rows: Index | None
) -> dict[str, Figures]:
    """Return one system's figures with their intervals, by metric."""
    if rows is None:
        figures = built.several.figures((name,), outcomes)
    else:
        inside = np.isin(np.arange(len(built.sure.episodes)), rows)
        groups = np.where(inside, "x", "").tolist()
        figures = {key: build.grouped(own, groups)["x"] for key, own in outcomes.items()}
    for key, extra in built.sure.figures(list(outcomes.values()), rows).items():
        figures[key].update(extra)
    return figures


def _differences(built: Contest, outcomes: Outcomes, rows: Index | None) -> list[Difference]:
    """Compare every pair of systems in every metric, with Holm's correction over all of them."""
    lines = [_both(sums_of(list(own.values()))) for own in outcomes.values()]
    above, below = (np.concatenate([line[axis] for line in lines], axis=1) for axis in (0, 1))
    draws = built.sure.draws(above, below, rows)
    found = [
        _difference(built, outcomes, rows, draws, m, pair)
        for m in range(len(built.case.metrics))
        for pair in combinations(range(len(outcomes)), 2)
    ]
    tested = [(each, each.p) for each in found if each.p is not None]
    adjusted = holm([p for _, p in tested], len(found)).tolist()
    for (each, _), p in zip(tested, adjusted, strict=True):
        each.p_holm = p
    return found


def _both(lines: tuple[Float, Float]) -> tuple[Float, Float]:
    """Return the two lines with the low and the high reading, also where they are one."""
    above, below = lines
    return (above, below) if above.shape[1] == 2 else (above.repeat(2, 1), below.repeat(2, 1))


def _difference(
    built: Contest,
    outcomes: Outcomes,
    rows: Index | None,
    draws: Draws,
    m: int,
    pair: tuple[int, int],
) -> Difference:
    """Compare two systems in one metric. System i is 2i of the draws, and read high 2i + 1."""
    metric, names = built.case.metrics[m], list(outcomes)
    a, b = names[pair[0]], names[pair[1]]
    i, j = 2 * pair[0], 2 * pair[1]
    made = Difference(metric=metric.key, a=a, b=b)
    known = not any(_open(outcomes[name][metric.key], rows) for name in (a, b))
    if known or _alike(built, a, b, rows):
        _settle(made, built, draws, m, i, j)
    elif not metric.monotone:
        made.reason = "undecided pairs, and it has no bounds: not monotone"
    else:
        how = built.sure.intervals
        low, high = (
            contrast(draws, m, *ends, level=how.level, method=how.method).difference
            for ends in ((i, j + 1), (i + 1, j))
        )
        made.low, made.high, made.ci_low, made.ci_high = low.value, high.value, low.low, high.high
        made.ci_clusters = low.clusters
        made.reason = "; ".join(filter(None, ("undecided pairs", low.reason or high.reason)))
    return made


def _settle(made: Difference, built: Contest, draws: Draws, m: int, i: int, j: int) -> None:
    """Write in a difference that no unknown answer can change, with its tests."""
    how = built.sure.intervals
    found = contrast(draws, m, i, j, level=how.level, method=how.method)
    own, sign = found.difference, found.sign
    made.value = made.low = made.high = own.value
    made.ci_low, made.ci_high, made.ci_clusters = own.low, own.high, own.clusters
    made.p, made.p_floor, made.reason = found.p, found.p_floor, own.reason
    made.wins, made.losses, made.ties = sign.wins, sign.losses, sign.ties
    made.sign_p, made.sign_p_floor = sign.p, sign.p_floor


def _open(outcome: Outcome, rows: Index | None) -> bool:
    """Say whether answers that a metric needs are unknown on some episodes."""
    return bool((outcome.unknown if rows is None else outcome.unknown[rows]).any())


def _alike(built: Contest, a: str, b: str, rows: Index | None) -> bool:
    """Say whether two systems say the same on some episodes: no answer can tell them apart."""
    sides = [built.several.sides[name,].prediction for name in (a, b)]
    if rows is not None:
        sides = [side.rows(np.isin(side.episode, rows)) for side in sides]
    one, other = sides
    columns = ("episode", "track", "start", "end", "label")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in columns)
