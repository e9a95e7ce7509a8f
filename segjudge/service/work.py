"""What is done in processes of their own: reading files of strangers, and arithmetic on them."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from segjudge.errors import InputError, Problem, SegjudgeError, UsageError
from segjudge.judgments import Judgment
from segjudge.scoring import Case, Plan, build_case, plan_of, report
from segjudge.scoring.audits import candidates
from segjudge.scoring.detail import detail
from segjudge.scoring.grouping import TRACK

#: Where the files of a run lie in its folder. Both sides have one name, so that a file that names
#: no episode has the same one on both.
FILES = {
    "reference": "reference/upload",
    "prediction": "prediction/upload",
    "judgments": "judgments/upload",
}

_CHUNK = 2**20

__all__ = ["Job", "TooLarge", "build", "candidates", "check", "finish", "page", "plan"]


class TooLarge(SegjudgeError):
    """A file that holds more than the service takes."""


@dataclass(frozen=True, slots=True)
class Job:
    """The files and options of a run.

    Attributes
    ----------
    folder : str
    names : mapping
        Role -> what the client calls the file, for messages and the report.
    options : mapping
        As `segjudge.score` takes them.
    people : sequence of Judgment
        What people say; it wins.
    store : str or None
        The store whose judgments are replayed, or that a plan looks into.
    most : int
        Bytes of a file that came compressed.
    """

    folder: str
    names: Mapping[str, str]
    options: Mapping[str, Any]
    people: Sequence[Judgment] = ()
    store: str | None = None
    most: int = 2**29


def build(job: Job) -> Case:
    """Read the files and decide all that needs no model.

    Raises
    ------
    InputError, UsageError
        As `build_case`, with the client's names of files.
    TooLarge
        A file unpacks to more than is taken.
    """
    # A name in the options can't be that of a file elsewhere: relative ones end up here.
    os.chdir(job.folder)
    given = [path for role, path in FILES.items() if role in job.names]
    for path in given:
        _check_size(Path(path), job)
    options = dict(job.options)
    episodes = options.get("episodes")
    if isinstance(episodes, str):
        options["episodes"] = _pattern(episodes)
    options["judgments"] = [*given[2:], *job.people]
    if job.store is not None:
        options["store"] = job.store
    try:
        case = build_case(*given[:2], **options)
    except InputError as error:
        raise InputError([_named(problem, job) for problem in error.problems]) from None
    except UsageError as error:
        raise UsageError(_mended(str(error), job)) from None
    if episodes is not None:
        case.options["episodes"] = episodes
    case.inputs = [
        each.model_copy(update={"file": job.names.get(each.role, each.file)})
        for each in case.inputs
    ]
    return case


def _pattern(episodes: str) -> re.Pattern[str]:
    try:
        return re.compile(episodes)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"episodes {episodes!r} is no regular expression: {error}") from None


def _check_size(path: Path, job: Job) -> None:
    """Refuse a compressed file that holds too much, without unpacking all of it.

    What is broken is left to the reader, who says so.
    """
    with path.open("rb") as stream:
        if stream.read(2) != b"\x1f\x8b":
            return
    size = 0
    try:
        with gzip.open(path, "rb") as stream:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                if size > job.most:
                    name = _mended(str(path), job)
                    raise TooLarge(f"{name}: it unpacks to more than {job.most} bytes")
    except (EOFError, zlib.error, OSError):
        return


def _named(problem: Problem, job: Job) -> Problem:
    return replace(
        problem,
        file=_mended(problem.file, job),
        value=_mended(problem.value, job),
        expected=_mended(problem.expected, job),
    )


def _mended(text: str, job: Job) -> str:
    """Return a message with the client's names of files in place of ours."""
    for role, path in FILES.items():
        text = text.replace(path, job.names.get(role, role))
    return text


def check(job: Job, by: Sequence[str]) -> dict[str, int]:
    """Say whether a run can begin; raises as `build` does, and returns its size."""
    case = build(job)
    fields = (TRACK, *case.comparison.reference.table.fields)
    for name in by:
        if name not in fields:
            raise UsageError(f"no field {name!r} to group by; there are {', '.join(fields)}")
    sides = case.comparison.reference, case.comparison.prediction
    return {
        "episodes": len(sides[0].episodes),
        "segments": sum(map(len, sides)),
        "pairs": len(case.decided.by),
    }


def plan(job: Job, asking: Mapping[str, Any]) -> Plan:
    """Say what a run would take; asks nothing."""
    case = build(job)
    if not job.options.get("model"):
        return plan_of(case)
    options: dict[str, Any] = {**job.options, **asking}
    return plan_of(case, **options)


def finish(case: Case, by: Sequence[str]) -> str:
    """Return the report as JSON."""
    return report(case, by).to_json()


def page(case: Case, by: Sequence[str]) -> str:
    """Return the report as a page."""
    from segjudge.report.page import page as report_page  # it needs the extra `report`

    return report_page(report(case, by), detail(case))
