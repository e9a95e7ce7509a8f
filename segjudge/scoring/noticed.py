"""What is worth saying of a case beside its figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from segjudge import inspection
from segjudge.annotations import Annotations, align
from segjudge.findings import Finding, Level, finding
from segjudge.judge import Decided, Records
from segjudge.metrics import Comparison, Outcome

_NEVER = np.iinfo(np.int64).max


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
    elif all(tracks):
        found += _single_tracks(comparison, tracks[1] - tracks[0], tracks[0] - tracks[1], side)
    return [*found, *_clocks(reference, prediction, side)]


def _single_tracks(
    comparison: Comparison, predicted: set[str], true: set[str], side: str
) -> list[Finding]:
    """Return the tracks that the prediction alone has, and beside them those it lacks."""
    if not predicted:
        return []
    kinds: tuple[tuple[str, set[str], Annotations, str, Level], ...] = (
        ("unknown_track", predicted, comparison.prediction, "the reference lacks", "warning"),
        ("missing_track", true, comparison.reference, "the prediction lacks", "note"),
    )
    found = []
    for code, names, own, says, level in kinds:
        for name in sorted(names):
            count = int((own.track == own.tracks.index(name)).sum())
            text = f"{count} segments on track {name!r}, which {says}, meet nothing"
            found.append(finding(code, text, level=level, side=side, count=count))
    return found


def _clocks(reference: Annotations, prediction: Annotations, side: str) -> list[Finding]:
    """Return the episodes whose times look like those of another clock or unit."""
    n = len(reference.episodes)
    first, last = np.full((2, n), _NEVER), np.full((2, n), -_NEVER)
    for row, each in enumerate((reference, prediction)):
        np.minimum.at(first[row], each.episode, each.start)
        np.maximum.at(last[row], each.episode, each.end)
    duration = reference.table.duration
    known = duration >= 0
    late = known[prediction.episode] & (prediction.start >= duration[prediction.episode])
    both = (first < _NEVER).all(axis=0) & ~known
    apart = both & ((first[0] >= last[1]) | (first[1] >= last[0]))
    found = []
    see = "is the unit or the clock right? See --unit and --offset"
    if late.any():
        episodes = np.unique(prediction.episode[late]).tolist()
        text = (
            f"{int(late.sum())} segments in {len(episodes)} episodes start after the reference's "
            f"episode has ended; {see}"
        )
        found.append(_warned("after_the_end", text, reference, episodes, side))
    if apart.any():
        episodes = np.flatnonzero(apart).tolist()
        text = f"in {len(episodes)} episodes the sides have no time in common; {see}"
        found.append(_warned("no_common_time", text, reference, episodes, side))
    return found


def _warned(
    code: str, text: str, reference: Annotations, episodes: list[int], side: str
) -> Finding:
    places = (f"episode {reference.episodes[i]!r}" for i in episodes)
    return finding(
        code, text, level="warning", side=side or "prediction", count=len(episodes), places=places
    )


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
