"""Figures by group: a field of the episodes, or the track."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from segjudge.annotations import Annotations
from segjudge.errors import UsageError
from segjudge.jmatrix import JMatrix
from segjudge.metrics import Comparison, Outcome, evaluate
from segjudge.report import Figures, build
from segjudge.scoring.fields import named
from segjudge.scoring.uncertainty import Sureness

#: Groups by track, not by a field of the episodes.
TRACK = "track"


def by_group(
    name: str,
    comparison: Comparison,
    outcomes: Sequence[Outcome],
    matrix: JMatrix,
    sure: Sureness | None = None,
) -> dict[str, dict[str, Figures]]:
    """Return group -> metric -> figures.

    Parameters
    ----------
    name : str
        A field of the reference's episode table, or ``track``: each track is then compared
        alone, which changes no component, as only segments of one track ever meet.
    comparison : Comparison
    outcomes : sequence of Outcome
        Over the whole comparison.
    matrix : JMatrix
    sure : Sureness, optional
        Adds intervals, over the episodes of each group.

    Raises
    ------
    UsageError
        The reference has no such field.
    """
    if name == TRACK:
        return _by_track(comparison, outcomes, matrix, sure)
    groups = _groups(comparison.reference, name)
    result: dict[str, dict[str, Figures]] = {group: {} for group in sorted(set(groups))}
    for outcome in outcomes:
        for group, own in build.grouped(outcome, groups).items():
            result[group][outcome.metric.key] = own
    for group, figures in result.items():
        rows = np.flatnonzero([each == group for each in groups])
        _add(figures, outcomes, sure, rows)
    return result


def _groups(reference: Annotations, name: str) -> list[str]:
    values = reference.table.fields.get(name)
    if values is None:
        have = ", ".join((TRACK, *reference.table.fields))
        raise UsageError(
            f"the reference's episodes have no field {name!r} to group by; they have {have}"
        )
    return [named(value) for value in values]


def _add(
    figures: dict[str, Figures],
    outcomes: Sequence[Outcome],
    sure: Sureness | None,
    rows: npt.NDArray[np.intp] | None = None,
) -> None:
    """Add intervals to the figures of one group, if there are to be any."""
    for metric, own in sure.figures(outcomes, rows).items() if sure else ():
        figures[metric].update(own)


def _by_track(
    comparison: Comparison,
    outcomes: Sequence[Outcome],
    matrix: JMatrix,
    sure: Sureness | None,
) -> dict[str, dict[str, Figures]]:
    sides = comparison.reference, comparison.prediction
    used = np.unique(np.concatenate([side.track for side in sides])).tolist()
    result: dict[str, dict[str, Figures]] = {}
    for track in used:
        alone = comparison.on_track(track)
        name = comparison.reference.tracks[track]
        found = [evaluate(outcome.metric, alone, matrix) for outcome in outcomes]
        groups = [name] * comparison.n_episodes
        result[name] = {own.metric.key: build.grouped(own, groups)[name] for own in found}
        _add(result[name], found, sure)
    return result
