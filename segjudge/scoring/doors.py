"""The doors: files and options in, report or plan out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from pydantic import BaseModel

from segjudge.cache import read_judgments
from segjudge.errors import UsageError
from segjudge.judge import By, Records, select
from segjudge.judgments import Judgment
from segjudge.metrics import DEFAULT_METRICS, make_all
from segjudge.report import Input, Report
from segjudge.scoring.case import Case, case, report
from segjudge.scoring.sides import Side, edited, read_side

#: Recorded judgments: a file of JSON lines, or judgments in memory.
Recorded = str | os.PathLike[str] | Iterable[Judgment]

RESOLUTIONS = {"us": 1, "ms": 1000}


class CaseOptions(TypedDict, total=False):
    """Keyword options that `score`, `plan` and `judge` share.

    Attributes
    ----------
    metrics : sequence of str
        Names with options, ``semantic_f1@0.75,snap=outer``.
    judgments : path, judgments, or sequence of paths
        Recorded judgments; later ones win.
    task : str
        ``subtask``, ``hand-caption`` or ``hand-action``.
    judge, prompt : str or None
        Which recorded judgments count, where there are several.
    mix : bool
        Allow recorded judgments of several judges or prompts.
    identity : bool
        Labels of one identity form are the same without a call.
    context : {"none", "instruction"} or another field of the episode table
        What a question carries besides its labels.
    resolution : {"us", "ms"}
        What the files' times are rounded to; widens the slack of IoU thresholds.
    episodes, id_map, offset, clip, ignore_label, leave_out_failed
        See `sides.edited`.
    reading, prediction_reading : mapping
        ``format``, ``unit``, ``fps``, ``columns`` for `formats.read`; the second for the
        prediction where it differs.
    """

    metrics: Sequence[str]
    judgments: Recorded | Sequence[str | os.PathLike[str]]
    task: str
    judge: str | None
    prompt: str | None
    mix: bool
    identity: bool
    context: str
    resolution: Literal["us", "ms"]
    episodes: str | Sequence[str] | None
    id_map: Mapping[str, str] | str | os.PathLike[str] | None
    offset: float | Mapping[str, float]
    clip: Literal["none", "duration"]
    ignore_label: str | None
    leave_out_failed: bool
    reading: Mapping[str, Any]
    prediction_reading: Mapping[str, Any] | None


class Plan(BaseModel):
    """What a score would need. Nothing is asked to find out.

    Attributes
    ----------
    needed, rule, identity, human, recorded : int
        Distinct label pairs that the metrics need, and who has decided them.
    to_ask : int
        Distinct questions left for a model, labels normalised.
    by_metric : dict of str to int
        Distinct label pairs that each metric needs.
    """

    needed: int
    rule: int
    identity: int
    human: int
    recorded: int
    to_ask: int
    by_metric: dict[str, int]


_EDITS = ("episodes", "id_map", "offset", "clip", "ignore_label", "leave_out_failed")


def build_case(reference: Side, prediction: Side, **options: Unpack[CaseOptions]) -> Case:
    """Read, edit and align two sides, and decide all pairs that need no model.

    Parameters
    ----------
    reference, prediction : path or Annotations
    **options
        See `CaseOptions`.

    Raises
    ------
    InputError
        A file is not what it should be; every problem is named.
    UsageError
        An option can't be used as given.
    """
    resolution = options.get("resolution", "us")
    if resolution not in RESOLUTIONS:
        raise UsageError(f"resolution is {resolution!r}; expected us or ms")
    metrics = make_all(options.get("metrics") or DEFAULT_METRICS, RESOLUTIONS[resolution])
    task = options.get("task", "subtask")
    reading = options.get("reading") or {}
    theirs = options.get("prediction_reading")
    sides = (
        read_side(reference, task, reading),
        read_side(prediction, task, reading if theirs is None else theirs),
    )
    changes: dict[str, Any] = {name: options[name] for name in _EDITS if name in options}  # type: ignore[literal-required]
    sides = edited(*sides, **changes)
    lines, files = load_judgments(options.get("judgments", ()))
    chosen = select(lines, options.get("judge"), options.get("prompt"), options.get("mix", False))
    context = options.get("context", "none")
    built = case(
        *sides,
        metrics,
        Records(chosen),
        task=task,
        context_field=None if context == "none" else context,
        identity=options.get("identity", True),
        options=_said(options, [metric.key for metric in metrics]),
    )
    built.inputs.extend(files)
    return built


def score(
    reference: Side,
    prediction: Side,
    *,
    by: Sequence[str] = (),
    **options: Unpack[CaseOptions],
) -> Report:
    """Score a prediction against a reference on recorded judgments.

    Nothing is asked and no network is touched. Where answers are missing a metric has bounds
    and no value.

    Parameters
    ----------
    reference, prediction : path or Annotations
    by : sequence of str
        Fields of the reference's episode table to group by, such as ``family``.
    **options
        See `CaseOptions`.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        A file is not what it should be; every problem is named.
    UsageError
        An option can't be used as given.

    Examples
    --------
    >>> import segjudge
    >>> report = segjudge.score(
    ...     "examples/kitchen/reference.jsonl",
    ...     "examples/kitchen/prediction_careful.jsonl",
    ...     judgments="examples/kitchen/judgments.jsonl",
    ... )
    >>> round(report.metrics["psj"]["value"], 4)
    0.8268
    """
    return report(build_case(reference, prediction, **options), by)


def plan(reference: Side, prediction: Side, **options: Unpack[CaseOptions]) -> Plan:
    """Count the label pairs that a score needs, and how many are left to ask.

    Parameters and errors are those of `score`.
    """
    return plan_of(build_case(reference, prediction, **options))


def plan_of(built: Case) -> Plan:
    """Return the counts of a case."""
    count = built.decided.by.count
    return Plan(
        needed=len(built.decided.by),
        rule=count(By.RULE),
        identity=count(By.IDENTITY),
        human=count(By.HUMAN),
        recorded=count(By.RECORDED),
        to_ask=len(built.decided.missing()),
        by_metric={metric.key: len(built.needs[metric.key]) for metric in built.metrics},
    )


def load_judgments(
    source: Recorded | Sequence[str | os.PathLike[str]],
) -> tuple[list[Judgment], list[Input]]:
    """Return recorded judgments in order, and the files that they came from.

    Raises
    ------
    InputError
        A file can't be read or a line is no judgment.
    """
    lines: list[Judgment] = []
    files: list[Input] = []
    for item in [source] if isinstance(source, (str, os.PathLike)) else source:
        if isinstance(item, Judgment):
            lines.append(item)
            continue
        path = Path(item)
        lines.extend(read_judgments(path))
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        files.append(Input(role="judgments", file=path.name, sha256=digest, format="judgments"))
    return lines, files


def _said(options: CaseOptions, metrics: list[str]) -> dict[str, Any]:
    """Return the options that have a bearing on the figures, as JSON knows them."""
    said: dict[str, Any] = {
        "task": options.get("task", "subtask"),
        "metrics": metrics,
        "identity": options.get("identity", True),
        "context": options.get("context", "none"),
        "resolution": options.get("resolution", "us"),
    }
    for name, value in options.items():
        if name in said or name == "judgments" or value in (None, False, 0.0, "none", (), {}):
            continue
        if isinstance(value, os.PathLike) or (name == "id_map" and isinstance(value, str)):
            value = Path(value).name
        said[name] = dict(value) if isinstance(value, Mapping) else value
    return said
