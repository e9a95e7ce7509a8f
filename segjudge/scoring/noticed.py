"""What is worth saying of a case beside its figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from segjudge import inspection
from segjudge.annotations import Annotations, align
from segjudge.findings import Finding, finding
from segjudge.judge import Decided, Records
from segjudge.metrics import Comparison, Outcome


def said_of(side: str, annotations: Annotations) -> list[Finding]:
    """Return what was noticed of one side, while reading it and in its columns.

    Columns are looked through in canonical order, so that the order of a file's rows does not
    show in a report.
    """
    (canonical,) = align(annotations)
    found = (*annotations.findings, *inspection.inspect(canonical))
    return [item.on(side) for item in found]


class Listing(Protocol):
    """Segments or boxes: whatever names its episodes."""

    @property
    def episodes(self) -> tuple[str, ...]:
        """Episode ids."""


def lacking(reference: Listing, prediction: Listing, side: str = "prediction") -> list[Finding]:
    """Return which episodes of the reference the prediction does not name at all."""
    named = set(prediction.episodes)
    missing = sorted(name for name in reference.episodes if name not in named)
    if not missing:
        return []
    text = f"{len(missing)} of {len(reference.episodes)} episodes are not in the prediction"
    return [
        finding(
            "missing_episodes",
            f"{text}; they are scored as empty",
            level="warning",
            side=side,
            count=len(missing),
            places=(f"episode {name!r}" for name in missing),
        )
    ]


def together(comparison: Comparison, side: str = "") -> list[Finding]:
    """Return what is worth saying of two sides together."""
    reference, prediction = comparison.reference, comparison.prediction
    found = []
    tracks = [{each.tracks[i] for i in np.unique(each.track)} for each in (reference, prediction)]
    if all(tracks) and not tracks[0] & tracks[1]:
        found.append(
            finding(
                "no_common_track",
                f"the sides have no track in common (reference {sorted(tracks[0])}, prediction "
                f"{sorted(tracks[1])}), so no segments meet; see --task and --columns track=",
                level="warning",
                side=side,
            )
        )
    return found


def recorded(records: Records, with_context: bool) -> list[Finding]:
    """Return what is worth saying of the recorded judgments."""
    found = []
    if records.conflicts:
        found.append(
            finding(
                "conflicting_judgments",
                f"{len(records.conflicts)} judgments contradict an earlier one of the same judge "
                "and prompt; the later one counts (segjudge judgments diff lists them)",
                level="warning",
                side="judgments",
                count=len(records.conflicts),
                places=(
                    f"{c.later.label_a!r} / {c.later.label_b!r}: "
                    f"{c.earlier.verdict} then {c.later.verdict}"
                    for c in records.conflicts
                ),
            )
        )
    if records.contexts and not with_context:
        found.append(
            finding(
                "judgments_with_context",
                f"{records.contexts} judgments carry a context and so don't count here; "
                "--context instruction uses them",
                side="judgments",
                count=records.contexts,
            )
        )
    return found


def about(outcomes: Sequence[Outcome], decided: Decided) -> list[Finding]:
    """Return what a reader of the figures must know."""
    found = []
    for outcome in outcomes:
        close = int(outcome.low.get("near_threshold", np.zeros(1)).sum())
        if close:
            found.append(
                finding(
                    "near_threshold",
                    f"{outcome.metric.key}: {close} pairs are within 1 ms of the threshold",
                    count=close,
                )
            )
    if any(record is not None and not record.is_human for record in decided.record):
        found.append(
            finding(
                "own_wording",
                "the judge's prompt is not a benchmark's own wording, so these figures are not "
                "the published ones",
            )
        )
    return found
