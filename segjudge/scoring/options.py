"""The keyword options of `score`, `plan` and `judge`, and what the report repeats of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, cast

from segjudge.cache import Store
from segjudge.scoring.asking import JudgeOptions
from segjudge.scoring.recorded import Recorded
from segjudge.scoring.uncertainty import IntervalOptions
from segjudge.scoring.verbs import Verbs


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
        Which recorded judgments count, where there are several. The prompt is also the one that
        a model is asked with: a name or a file.
    run : int
        Which run's answers count, where a judge was asked the same thing repeatedly.
    mix : bool
        Allow recorded judgments of several judges or prompts.
    identity : bool
        Labels of one identity form are the same without a call.
    verbs : {"ego4d-118", "ego4d-117", "ego4d-115", "none"}, path or Taxonomy
        What decides hand actions: a list of verbs, a CSV in Ego4D's shape, or none of them, so
        that identity, judgments and model do.
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
    judgments: Recorded
    task: str
    judge: str | None
    prompt: str | None
    run: int
    mix: bool
    identity: bool
    verbs: Verbs | None
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


class AskOptions(CaseOptions, JudgeOptions, total=False):
    """The options of a case, and those of asking a model.

    Attributes
    ----------
    model : str or None
        A chat model, as litellm names it. Without one nothing is ever asked.
    store : path, Store or None
        Where answers are kept; the user's own store if not given.
    **others
        See `ChatJudge`.
    """

    model: str | None
    store: Store | str | os.PathLike[str] | None


class ScoreOptions(AskOptions, IntervalOptions, total=False):
    """The options of a case, of asking a model, and of intervals."""


def parted(options: ScoreOptions) -> tuple[AskOptions, IntervalOptions]:
    """Part the options of the intervals from the others.

    Raises
    ------
    TypeError
        There is no such option.
    """
    parts: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for name, value in options.items():
        if name not in ScoreOptions.__annotations__:
            raise TypeError(f"there is no option {name!r}")
        parts[name in IntervalOptions.__annotations__][name] = value
    return cast(AskOptions, parts[0]), cast(IntervalOptions, parts[1])


#: Options that have no bearing on the figures, or that the report says elsewhere.
_UNSAID = {"judgments", "store", "on_progress", "concurrency", "rpm", "tpm", "timeout"}
_UNSAID |= {"budget_usd", "price_in", "price_out", "limit", "api_base"}


#: Options whose text may name a file.
_MAY_BE_FILES = {"episodes", "id_map", "prompt", "verbs"}


def said(options: Mapping[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    """Return the options that have a bearing on the figures, as JSON knows them."""
    always = {
        "task": options.get("task", "subtask"),
        "metrics": list(metrics),
        "identity": options.get("identity", True),
        "context": options.get("context", "none"),
        "resolution": options.get("resolution", "us"),
    }
    given = {
        name: _plain(name, value)
        for name, value in options.items()
        if name not in always
        and name not in _UNSAID
        and value not in (None, False, 0.0, "none", (), {}, [])
        and (name, value) != ("run", 1)
    }
    return always | given


def _plain(name: str, value: Any) -> Any:
    """Return a value as JSON knows it; of a path only the name, as machines differ."""
    if isinstance(value, os.PathLike) or (name in _MAY_BE_FILES and _is_file(value)):
        return Path(value).name
    return dict(value) if isinstance(value, Mapping) else value


def _is_file(value: Any) -> bool:
    return isinstance(value, str) and os.path.isfile(value)
