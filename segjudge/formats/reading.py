"""Reading a file: the options checked, the format recognised, the columns built."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from fractions import Fraction
from typing import get_args

from segjudge.annotations import Annotations, Source
from segjudge.errors import UsageError
from segjudge.formats.build import Builder
from segjudge.formats.interface import Options, Task, Unit
from segjudge.formats.registry import choose
from segjudge.formats.source import open_raw

_ROLES = ("start", "end", "label", "episode", "track", "duration")


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    task: str | None = None,
    unit: str | None = None,
    fps: float | None = None,
    columns: Mapping[str, str] | None = None,
) -> Annotations:
    """Read an annotation file.

    Parameters
    ----------
    path : str or path
        The file; ``.gz`` is read too, and ``-`` is standard input.
    format : str, optional
        One of `names`; recognised by its keys if not given.
    task : {"subtask", "hand-caption", "hand-action"}, optional
        Which timeline to take from rows that hold several; ``subtask`` if not given. Other
        formats ignore it.
    unit : {"s", "ms", "us", "frames"}, optional
        Unit of times whose field name says none; seconds if not given.
    fps : float, optional
        Frames a second, for times in frames; what the file says if not given.
    columns : mapping of str to str, optional
        Names of fields in this file, for start, end, label, episode, track, duration.

    Returns
    -------
    Annotations
        Times in microseconds; `source`, the episode table and findings filled.

    Raises
    ------
    InputError
        The file can't be read; names every problem in it.
    UsageError
        An option can't be used.
    """
    options = _options(task, unit, fps, columns)
    raw = open_raw(path)
    chosen, view = choose(raw, options, format)
    builder = Builder(raw.file, view.problems, view.findings)
    chosen.read(view, builder, options)
    return builder.build(Source(raw.file, raw.sha256, chosen.name))


def _options(
    task: str | None, unit: str | None, fps: float | None, columns: Mapping[str, str] | None
) -> Options:
    """Check the options of `read`."""
    if task is not None and task not in get_args(Task):
        raise UsageError(f"--task {task}: there are {', '.join(get_args(Task))}")
    if unit is not None and unit not in get_args(Unit):
        raise UsageError(f"--unit {unit}: there are {', '.join(get_args(Unit))}")
    rate = None
    if fps is not None:
        if not (math.isfinite(fps) and 0 < fps <= 1_000_000):
            raise UsageError(f"--fps {fps}: frames a second, above 0")
        rate = Fraction(repr(float(fps)))
    for role in columns or {}:
        if role not in _ROLES:
            raise UsageError(f"--columns {role}=...: there are {', '.join(_ROLES)}")
    return Options(task, unit, rate, dict(columns or {}))  # type: ignore[arg-type]
