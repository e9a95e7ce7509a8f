"""Figures by group: a field of the episodes, or the track."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segjudge.annotations import Annotations
from segjudge.errors import UsageError
from segjudge.jmatrix import JMatrix
from segjudge.metrics import Comparison, Outcome, evaluate
from segjudge.report import Figures, build

#: Groups by track, not by a field of the episodes.
TRACK = "track"


def by_group(
    name: str, comparison: Comparison, outcomes: Sequence[Outcome], matrix: JMatrix
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

    Raises
    ------
    UsageError
        The reference has no such field.
    """
    if name == TRACK:
        return _by_track(comparison, outcomes, matrix)
    groups = _groups(comparison.reference, name)
    result: dict[str, dict[str, Figures]] = {group: {} for group in sorted(set(groups))}
    for outcome in outcomes:
        for group, own in build.grouped(outcome, groups).items():
            result[group][outcome.metric.key] = own
    return result


def _groups(reference: Annotations, name: str) -> list[str]:
    values = reference.table.fields.get(name)
    if values is None:
        have = ", ".join((TRACK, *reference.table.fields))
        raise UsageError(
            f"the reference's episodes have no field {name!r} to group by; they have {have}"
        )
    return ["" if value is None else str(value) for value in values]


def _by_track(
    comparison: Comparison, outcomes: Sequence[Outcome], matrix: JMatrix
) -> dict[str, dict[str, Figures]]:
    sides = comparison.reference, comparison.prediction
    used = np.unique(np.concatenate([side.track for side in sides])).tolist()
    result: dict[str, dict[str, Figures]] = {}
    for track in used:
        alone = comparison.on_track(track)
        name = comparison.reference.tracks[track]
        result[name] = {}
        for outcome in outcomes:
            own = evaluate(outcome.metric, alone, matrix)
            figures = build.grouped(own, [name] * comparison.n_episodes)
            result[name][outcome.metric.key] = figures[name]
    return result
