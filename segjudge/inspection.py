"""What can be noticed about annotations from their columns alone: `inspect` and its checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from segjudge.annotations import MICROSECONDS, Annotations, Bool, Int64
from segjudge.findings import PLACES_SHOWN, Finding, Level, finding
from segjudge.judgments import identity_form
from segjudge.overlaps import self_overlap

#: A label longer than this is most likely a paragraph, or a whole answer.
LONG_LABEL = 200

#: A side with fewer distinct inner times than this is too small to have a grid.
FEWEST_TIMES = 10

_PLACEHOLDER = re.compile(
    r"(?:new |untitled |unnamed )?(?:sub-?task|segment|event|action|step|label)[ #]*[0-9]*"
    r"|unknown|none|null|nan|n/?a|tbd|todo|placeholder|no[ _]?(?:event|label|action|hand)s?"
    r"|not[ _]available|undefined|\?+|-+|\.+",
    re.IGNORECASE,
)
_SNAKE = re.compile(r"[^\s_]+(?:_[^\s_]+)+")


def inspect(annotations: Annotations) -> tuple[Finding, ...]:
    """Return what is worth knowing before annotations are compared.

    Everything is computed on columns. The codes are documented in ``docs/formats.md``.

    Parameters
    ----------
    annotations : Annotations
        One side; its order of rows is free.

    Returns
    -------
    tuple of Finding
        Their `side` is empty; `Finding.on` says it.
    """
    checks: tuple[Callable[[Annotations], Iterable[Finding]], ...] = (
        _failed,
        _empty,
        _zero_length,
        _overlapping,
        _repeated,
        _adjacent,
        _outside,
        _coarse,
        _labels,
        _near_labels,
    )
    return tuple(item for check in checks for item in check(annotations))


def _counted(n: int, noun: str) -> str:
    """Return a count with its noun in the right number."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _seconds(time: int) -> str:
    """Write microseconds as seconds for people."""
    return f"{time / MICROSECONDS:.6f}".rstrip("0").rstrip(".")


def _places(annotations: Annotations, rows: npt.NDArray[np.intp]) -> list[str]:
    """Say where the first of some segments are."""
    places = []
    for i in rows[:PLACES_SHOWN].tolist():
        track = annotations.tracks[annotations.track[i]]
        hand = f", track {track!r}" if track else ""
        start, end = int(annotations.start[i]), int(annotations.end[i])
        episode = annotations.episodes[annotations.episode[i]]
        places.append(f"episode {episode!r}{hand}, {_seconds(start)}-{_seconds(end)} s")
    return places


def _of_segments(
    annotations: Annotations, hit: Bool, code: str, says: str, level: Level = "note"
) -> list[Finding]:
    """Make the finding on some segments; `says` follows their count."""
    rows = np.flatnonzero(hit)
    if not len(rows):
        return []
    text = f"{_counted(len(rows), 'segment')} {says}"
    places = _places(annotations, rows)
    return [finding(code, text, level=level, count=len(rows), places=places)]


def _of_episodes(
    annotations: Annotations, hit: Bool, code: str, says: str, level: Level
) -> list[Finding]:
    """Make the finding on some episodes; `says` follows their count."""
    rows = np.flatnonzero(hit)
    if not len(rows):
        return []
    text = f"{_counted(len(rows), 'episode')} {says}"
    places = (f"episode {annotations.episodes[i]!r}" for i in rows[:PLACES_SHOWN].tolist())
    return [finding(code, text, level=level, count=len(rows), places=places)]


def _failed(annotations: Annotations) -> list[Finding]:
    """Episodes that the file itself calls failed."""
    says = "failed by the file's own account; scored as empty"
    return _of_episodes(annotations, annotations.table.failed, "failed_episodes", says, "warning")


def _empty(annotations: Annotations) -> list[Finding]:
    """Episodes without a segment that didn't fail."""
    count = np.bincount(annotations.episode, minlength=len(annotations.episodes))
    empty = (count == 0) & ~annotations.table.failed
    return _of_episodes(annotations, empty, "empty_episodes", "without any segment", "note")


def _zero_length(annotations: Annotations) -> list[Finding]:
    """Segments that end where they start."""
    says = "of zero length, overlapping nothing but counted in one-to-one metrics"
    return _of_segments(annotations, annotations.length == 0, "zero_length", says, level="warning")


def _order(annotations: Annotations) -> npt.NDArray[np.intp]:
    """Return the rows by (group, start, end, label)."""
    return np.lexsort((annotations.label, annotations.end, annotations.start, annotations.group))


def _overlapping(annotations: Annotations) -> list[Finding]:
    """Segments that overlap an earlier one of the same episode and track."""
    rows = _order(annotations)
    rows = rows[annotations.length[rows] > 0]
    if len(rows) < 2:
        return []
    # Ranks in place of times keep the keys of all groups on one axis without overflow.
    times = np.unique(np.concatenate((annotations.start, annotations.end)))
    base = annotations.group[rows] * (len(times) + 1)
    start = base + np.searchsorted(times, annotations.start[rows])
    reached = np.maximum.accumulate(base + np.searchsorted(times, annotations.end[rows]))
    hit = np.zeros(len(annotations), np.bool_)
    hit[rows[1:]] = start[1:] < reached[:-1]
    stacked = int(np.sum(self_overlap(annotations)))
    says = (
        "overlapping an earlier one of the same episode and track, "
        f"{_seconds(stacked)} s in all; psj counts such time more than once"
    )
    return _of_segments(annotations, hit, "self_overlap", says, level="warning")


def _repeated(annotations: Annotations) -> list[Finding]:
    """Segments that are there twice: same episode, track, times and label."""
    rows = _order(annotations)
    columns = (annotations.group, annotations.start, annotations.end, annotations.label)
    same = np.ones(max(len(rows) - 1, 0), np.bool_)
    for column in columns:
        same &= column[rows[1:]] == column[rows[:-1]]
    hit = np.zeros(len(annotations), np.bool_)
    hit[rows[1:][same]] = True
    says = "the same as another: start, end and label"
    return _of_segments(annotations, hit, "duplicate_segments", says, level="warning")


def _adjacent(annotations: Annotations) -> list[Finding]:
    """Segments that begin where one with the same label ends."""
    rows = np.lexsort((annotations.start, annotations.label, annotations.group))
    first, second = rows[:-1], rows[1:]
    touches = (
        (annotations.group[first] == annotations.group[second])
        & (annotations.label[first] == annotations.label[second])
        & (annotations.end[first] == annotations.start[second])
        & (annotations.length[first] > 0)
        & (annotations.length[second] > 0)
    )
    hit = np.zeros(len(annotations), np.bool_)
    hit[second[touches]] = True
    says = "beginning where one with the same label ends, not merged"
    return _of_segments(annotations, hit, "adjacent_duplicates", says)


def _outside(annotations: Annotations) -> list[Finding]:
    """Segments that start or end past the known duration of their episode, or before 0."""
    duration: Int64 = annotations.table.duration[annotations.episode]
    known = duration >= 0
    past = known & (annotations.start >= duration) & (annotations.end > duration)
    beyond = known & (annotations.end > duration) & ~past
    return [
        *_of_segments(
            annotations, past, "start_past_duration",
            "starting past the end of the episode; is the clock right (--offset)?", "warning",
        ),
        *_of_segments(
            annotations, beyond, "end_past_duration",
            "ending past the end of the episode (--clip duration cuts there)",
        ),
        *_of_segments(
            annotations, annotations.start < 0, "before_zero", "starting before 0", "warning"
        ),
    ]  # fmt: skip


def _coarse(annotations: Annotations) -> list[Finding]:
    """All times of a side on a grid so coarse that the grid itself costs matches."""
    times = np.unique(np.concatenate((annotations.start, annotations.end)))
    times = times[times != 0]
    if len(times) < FEWEST_TIMES:
        return []
    for step, name in ((MICROSECONDS, "whole seconds"), (MICROSECONDS // 2, "half seconds")):
        if not np.any(times % step):
            text = (
                f"all times are {name}: this grid alone keeps short segments from reaching "
                "an IoU of 0.75"
            )
            return [finding("coarse_grid", text, level="warning", count=len(annotations))]
    return []


def _labels(annotations: Annotations) -> list[Finding]:
    """Labels that are blank, placeholders, lists, identifiers or paragraphs."""
    tests: tuple[tuple[str, Callable[[str], bool], str, Level], ...] = (
        ("blank_labels", _is_blank, "with a blank label, which never matches anything", "warning"),
        (
            "placeholder_labels", _is_placeholder,
            "with a placeholder for a label, which no judge can accept", "warning",
        ),
        ("joined_labels", _is_joined, "with several labels joined by '@' in one", "warning"),
        ("snake_case_labels", _is_snake, "with a label in snake_case", "note"),
        ("long_labels", _is_long, f"with a label of more than {LONG_LABEL} characters", "warning"),
    )  # fmt: skip
    used = set(np.unique(annotations.label).tolist())
    found = []
    for code, test, says, level in tests:
        matching = np.array(
            [i in used and test(label) for i, label in enumerate(annotations.labels)], np.bool_
        )
        if matching.any():
            hit = matching[annotations.label]
            found += _of_segments(annotations, hit, code, says, level)
    return found


def _is_blank(label: str) -> bool:
    return not label.strip()


def _is_placeholder(label: str) -> bool:
    return bool(_PLACEHOLDER.fullmatch(label.strip().replace("_", " ")))


def _is_joined(label: str) -> bool:
    return sum(bool(part.strip()) for part in label.split("@")) > 1


def _is_snake(label: str) -> bool:
    return bool(_SNAKE.fullmatch(label.strip()))


def _is_long(label: str) -> bool:
    return len(label) > LONG_LABEL


def _near_labels(annotations: Annotations) -> list[Finding]:
    """Labels of one side that differ by case, underscores, spaces or a final full stop only."""
    alike: dict[str, list[str]] = {}
    for i in np.unique(annotations.label).tolist():
        label = annotations.labels[i]
        alike.setdefault(identity_form(label), []).append(label)
    groups = [labels for labels in alike.values() if len(labels) > 1]
    if not groups:
        return []
    text = (
        f"{_counted(len(groups), 'label')} written in more than one way, by case, spaces, '_' or "
        "a final full stop; each is taken as one"
    )
    places = [" = ".join(map(repr, labels[:5])) for labels in groups]
    return [finding("near_identical_labels", text, count=len(groups), places=places)]
