"""Which labels of a side mean no verb, with how many segments and how much time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from segjudge.annotations import MICROSECONDS, Annotations
from segjudge.errors import InputError, Problem, shown
from segjudge.findings import Finding, finding
from segjudge.verbs.taxonomy import Taxonomy, Tier


class Unresolved(NamedTuple):
    """A label in use that means no verb of the taxonomy, and what it stands on."""

    label: str
    tier: Tier
    segments: int
    length: int
    first: str


def unresolved(side: Annotations, taxonomy: Taxonomy) -> list[Unresolved]:
    """Return the labels of a side that mean no verb, those with most time first.

    Parameters
    ----------
    side : Annotations
    taxonomy : Taxonomy
    """
    found = []
    for label in np.unique(side.label).tolist():
        verb, tier = taxonomy.resolve(side.labels[label])
        if verb >= 0:
            continue
        rows = np.flatnonzero(side.label == label)
        length = int(side.length[rows].sum())
        found.append(Unresolved(side.labels[label], tier, len(rows), length, _place(side, rows[0])))
    return sorted(found, key=lambda item: (-item.length, item.label))


def _place(side: Annotations, row: int) -> str:
    track = side.tracks[side.track[row]]
    hand = f", track {track!r}" if track else ""
    start = side.start[row] / MICROSECONDS
    return f"episode {side.episodes[side.episode[row]]!r}{hand}, {start:g} s"


def check_reference(reference: Annotations, taxonomy: Taxonomy) -> None:
    """Refuse a reference with labels that mean no verb.

    Raises
    ------
    InputError
        Names every such label, how often it occurs and where first.
    """
    file = reference.source.file if reference.source else ""
    problems = [
        Problem(
            file,
            f"{item.first}, and {item.segments - 1} more" if item.segments > 1 else item.first,
            "label",
            shown(item.label),
            _expected(item.tier, taxonomy),
        )
        for item in unresolved(reference, taxonomy)
    ]
    if problems:
        raise InputError(problems)


def _expected(tier: Tier, taxonomy: Taxonomy) -> str:
    if tier is Tier.AMBIGUOUS:
        return f"one verb of {taxonomy.name}; this is a word of several"
    return f"a verb of {taxonomy.name} (--verbs names another list)"


def about_prediction(prediction: Annotations, taxonomy: Taxonomy) -> list[Finding]:
    """Return the finding on a prediction's labels that mean no verb: they match nothing."""
    items = unresolved(prediction, taxonomy)
    if not items:
        return []
    segments = sum(item.segments for item in items)
    length = sum(item.length for item in items)
    share = length / max(int(prediction.length.sum()), 1)
    return [
        finding(
            "unresolved_verbs",
            f"{_counted(segments)} ({length / MICROSECONDS:.3f} s, {100 * share:.1f} % of its "
            f"time) with a label that is no verb of {taxonomy.name} and matches nothing",
            level="warning",
            side="prediction",
            count=segments,
            places=(_described(item) for item in items),
        )
    ]


def _counted(segments: int) -> str:
    return f"{segments} segment" if segments == 1 else f"{segments} segments"


def _described(item: Unresolved) -> str:
    why = ", a word of several verbs" if item.tier is Tier.AMBIGUOUS else ""
    return f"{item.label!r}: {_counted(item.segments)}, {item.length / MICROSECONDS:.3f} s{why}"
