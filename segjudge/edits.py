"""What a user asks to change before anything is compared: annotations in, annotations out.

Each edit that changes anything leaves a finding, so that the report says so.
"""

from __future__ import annotations

import csv
import difflib
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np

from segjudge.annotations import MICROSECONDS, Annotations, Int64
from segjudge.errors import InputError, Problem, UsageError, shown
from segjudge.findings import Finding, finding

#: Seconds that a clock may be moved by: far beyond any recording, and no sum wraps.
LARGEST_OFFSET = 1e10


def noting(annotations: Annotations, *found: Finding) -> Annotations:
    """Return the annotations with further findings."""
    return replace(annotations, findings=(*annotations.findings, *found))


def episode_filter(text: str) -> frozenset[str] | re.Pattern[str]:
    """Read ``--episodes``: a file of ids, one a line, where such a file exists, else a pattern.

    Raises
    ------
    UsageError
        It is neither a file nor a regular expression.
    InputError
        The file can't be read or names no id.
    """
    if not text:
        raise UsageError("--episodes is empty; give a file of ids or a pattern")
    path = Path(text)
    if not _is_file(path):
        return _pattern("--episodes", text)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            Problem(text, "", "", "", f"expected a UTF-8 file of ids: {error}")
        ) from error
    ids = frozenset(line.strip() for line in lines if line.strip())
    if not ids:
        raise InputError(Problem(text, "", "", "", "expected at least one episode id, one a line"))
    return ids


def _is_file(path: Path) -> bool:
    """Say whether there is such a file; a long pattern is no possible name of one."""
    try:
        return path.is_file()
    except OSError:
        return False


def refuse_unknown(
    option: str, source: object, ids: Iterable[str], known: Iterable[str], side: str
) -> None:
    """Refuse ids that an option names and a side lacks; a slip of the pen would go unseen.

    Parameters
    ----------
    option : str
        The option, for messages.
    source : object
        The file that names the ids, if it is one.
    ids, known : iterable of str
        The ids named, and those that there are.
    side : {"reference", "prediction"}
        Whose ids are known.

    Raises
    ------
    InputError
        Naming every one of them.
    """
    there = set(known)
    unknown = sorted(name for name in set(ids) if name not in there)
    file = os.fspath(source) if isinstance(source, (str, os.PathLike)) else ""
    if unknown:
        raise InputError(
            Problem(file, "", option, shown(name), f"an episode of the {side}{_near(name, there)}")
            for name in unknown
        )


def _near(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def restricted(reference: Annotations, whole: int) -> Annotations:
    """Return the reference with the finding that only some of its episodes are scored."""
    kept = len(reference.episodes)
    if kept == whole:
        return reference
    text = f"{kept} of {whole} episodes of the reference are scored (--episodes)"
    return noting(reference, finding("restricted", text, count=kept))


def restrict(annotations: Annotations, chosen: Collection[str] | re.Pattern[str]) -> Annotations:
    """Keep the episodes named, or those whose whole id matches the pattern.

    Parameters
    ----------
    annotations : Annotations
    chosen : collection of str, or compiled pattern
        Ids that the annotations lack are passed over: `align` compares the sides.
    """
    if isinstance(chosen, re.Pattern):
        keep = [chosen.fullmatch(name) is not None for name in annotations.episodes]
    else:
        wanted = set(chosen)
        keep = [name in wanted for name in annotations.episodes]
    rows = np.flatnonzero(keep)
    new = np.full(len(annotations.episodes), -1, np.int32)
    new[rows] = np.arange(len(rows), dtype=np.int32)
    left = annotations.rows(new[annotations.episode] >= 0)
    return replace(
        left,
        episode=new[left.episode],
        episodes=tuple(annotations.episodes[i] for i in rows.tolist()),
        table=annotations.table.take(rows),
    )


def read_id_map(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read ``--id-map``: a CSV of two columns, the prediction's id and the reference's.

    A first row of ``prediction,reference`` or ``from,to`` is a header.

    Raises
    ------
    InputError
        The file can't be read; a row has not two cells; an id is mapped twice.
    """
    name = os.fspath(path)
    mapping: dict[str, str] = {}
    problems: list[Problem] = []
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            for number, row in enumerate(csv.reader(stream), 1):
                cells = [cell.strip() for cell in row]
                if not any(cells) or (number == 1 and tuple(cells) in _HEADERS):
                    continue
                place = f"row {number}"
                if len(cells) != 2 or not all(cells):
                    problems.append(
                        Problem(name, place, "", shown(row), "prediction's id, reference's id")
                    )
                elif cells[0] in mapping:
                    problems.append(Problem(name, place, "", shown(cells[0]), "each id once"))
                else:
                    mapping[cells[0]] = cells[1]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(Problem(name, "", "", "", f"expected a readable CSV: {error}")) from error
    if problems:
        raise InputError(problems)
    return mapping


_HEADERS = {("prediction", "reference"), ("from", "to")}


def rename_episodes(annotations: Annotations, mapping: Mapping[str, str]) -> Annotations:
    """Give episodes other ids; those not in the mapping keep theirs.

    Raises
    ------
    InputError
        Two episodes would get the same id.
    """
    names = tuple(mapping.get(name, name) for name in annotations.episodes)
    first: dict[str, str] = {}
    problems = []
    for old, new in zip(annotations.episodes, names, strict=True):
        if new in first:
            clash = f"{old!r} and {first[new]!r} both become {new!r}"
            problems.append(Problem("", "", "--id-map", clash, "distinct ids"))
        first[new] = old
    if problems:
        raise InputError(problems)
    count = sum(old != new for old, new in zip(annotations.episodes, names, strict=True))
    renamed = replace(annotations, episodes=names)
    if not count:
        return renamed
    return noting(
        renamed, finding("renamed", f"{count} episodes were given other ids", count=count)
    )


def shift(
    annotations: Annotations, seconds: float, episodes: Collection[str] | None = None
) -> Annotations:
    """Add seconds to the clock, of all episodes or of those named.

    Parameters
    ----------
    annotations : Annotations
    seconds : float
        Rounded to a whole microsecond, half to even on the exact decimal.
    episodes : collection of str, optional

    Raises
    ------
    UsageError
        The offset is not finite or too large, or an episode named does not exist.
    """
    if not isinstance(seconds, (int, float)):
        raise UsageError(f"--offset {seconds!r} is no number of seconds")
    if not abs(seconds) <= LARGEST_OFFSET:
        raise UsageError(f"--offset {seconds} is no number of seconds up to {LARGEST_OFFSET:.0e}")
    named = set(annotations.episodes if episodes is None else episodes)
    unknown = sorted(named - set(annotations.episodes))
    if unknown:
        raise UsageError(f"--offset: there is no episode {', '.join(map(repr, unknown))}")
    moved = np.array([name in named for name in annotations.episodes], np.bool_)
    step = moved.astype(np.int64) * round(Decimal(repr(float(seconds))) * MICROSECONDS)
    by_segment = step[annotations.episode]
    what = "every episode's clock" if episodes is None else f"the clock of {len(named)} episodes"
    return noting(
        replace(
            annotations, start=annotations.start + by_segment, end=annotations.end + by_segment
        ),
        finding("shifted", f"{what} was moved by {seconds:g} s", count=int(moved.sum())),
    )


def durations(*sides: Annotations) -> dict[str, int]:
    """Return each episode's duration in microseconds, from the first side that knows it."""
    known: dict[str, int] = {}
    for side in sides:
        for name, duration in zip(side.episodes, side.table.duration.tolist(), strict=True):
            if duration >= 0:
                known.setdefault(name, duration)
    return known


def clip_to_duration(annotations: Annotations, by_episode: Mapping[str, int]) -> Annotations:
    """Cut segments at 0 and at the episode's duration.

    A segment wholly outside becomes zero-length at the bound: it can match nothing, but still
    counts in the n of one-to-one metrics.

    Parameters
    ----------
    annotations : Annotations
    by_episode : mapping of str to int
        Durations in microseconds; an episode without one is cut at 0 only.
    """
    unbounded = np.iinfo(np.int64).max
    limit: Int64 = np.array(
        [by_episode.get(name, unbounded) for name in annotations.episodes], np.int64
    )
    most = limit[annotations.episode] if len(annotations) else limit[:0]
    start = np.clip(annotations.start, 0, most)
    end = np.clip(annotations.end, 0, most)
    cut = int(((start != annotations.start) | (end != annotations.end)).sum())
    gone = int(((start == end) & (annotations.start < annotations.end)).sum())
    unknown = sum(name not in by_episode for name in annotations.episodes)
    found = []
    if cut:
        text = f"{cut} segments were cut at their episode's ends, {gone} of them to nothing"
        found.append(finding("clipped", text, count=cut))
    if unknown:
        text = f"{unknown} episodes have no known duration and were not cut at their end"
        found.append(finding("no_duration", text, level="warning", count=unknown))
    return noting(replace(annotations, start=start, end=end), *found)


def ignore_labels(annotations: Annotations, expression: str) -> Annotations:
    """Drop the segments whose label the regular expression finds something in.

    Raises
    ------
    UsageError
        It is no regular expression, or an empty one, which would drop every segment.
    """
    if not expression:
        raise UsageError("--ignore-label is empty, and would drop every segment")
    pattern = _pattern("--ignore-label", expression)
    hit = np.array([pattern.search(label) is not None for label in annotations.labels], np.bool_)
    dropped = hit[annotations.label] if len(annotations) else hit[:0]
    count = int(dropped.sum())
    labels = sorted({annotations.labels[i] for i in annotations.label[dropped].tolist()})
    text = f"{count} segments with a label that {expression!r} matches were left out"
    return noting(
        annotations.rows(~dropped),
        finding(
            "ignored_labels",
            text,
            level="note" if count else "warning",
            count=count,
            places=map(repr, labels),
        ),
    )


def _pattern(option: str, expression: str) -> re.Pattern[str]:
    """Compile a regular expression that an option gave."""
    try:
        return re.compile(expression)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"{option} {expression!r} is no regular expression: {error}") from error
