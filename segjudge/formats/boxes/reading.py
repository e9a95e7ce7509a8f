"""Reading boxes: EgoHome rows, our JSON lines, tables; `read_boxes`."""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction

from segjudge.annotations import Source
from segjudge.boxes import Boxes
from segjudge.errors import InputError, Problem, UsageError
from segjudge.formats.boxes.collect import Collector
from segjudge.formats.boxes.declared import Declared
from segjudge.formats.boxes.rows import EGOHOME, OWN, has_boxes, read_rows
from segjudge.formats.boxes.table import is_box_table, read_table
from segjudge.formats.interface import Options, View
from segjudge.formats.registry import views
from segjudge.formats.source import Raw, open_raw

_ROLES = ("episode", "t", "hand")


def read_boxes(
    path: str | os.PathLike[str],
    *,
    coords: str | None = None,
    order: str | None = None,
    fps: float | None = None,
    columns: Mapping[str, str] | None = None,
) -> Boxes:
    """Read hand boxes.

    Parameters
    ----------
    path : str or path
        EgoHome rows (JSON, JSON lines, parquet), our JSON lines, or a table; ``.gz`` is read
        too, and ``-`` is standard input.
    coords : {"px", "unit", "thousand", "percent"}, optional
        What the numbers are; needed where the file doesn't say it, and no file of EgoHome does.
    order : {"xyxy", "xywh", "yxyx", "xxyy"}, optional
        Their order; needed where the file doesn't say it. EgoHome rows are ``xyxy`` unless told
        otherwise, and the columns of a table say it by their names.
    fps : float, optional
        Frames a second, where the file doesn't say it or says it wrong.
    columns : mapping of str to str, optional
        Names of a table's columns for ``episode``, ``t`` and ``hand``.

    Raises
    ------
    InputError
        The file can't be read; names every problem in it.
    UsageError
        An option can't be used, or one is needed.
    """
    declared = Declared.of(coords, order)
    for role in columns or {}:
        if role not in _ROLES:
            raise UsageError(f"--columns {role}=...: boxes have {', '.join(_ROLES)}")
    options = Options(None, None, rate_option(fps), dict(columns or {}))
    raw = open_raw(path)
    with uncollected():
        return boxes_in(_view(raw, options), raw, options, declared)


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the search for cycles: among a million new lists it takes most of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def rate_option(fps: float | None) -> Fraction | None:
    """Return the option ``fps`` as a fraction.

    Raises
    ------
    UsageError
        It is no frame rate.
    """
    if fps is None:
        return None
    if not (math.isfinite(fps) and 0 < fps <= 1_000_000):
        raise UsageError(f"--fps {fps}: frames a second, above 0")
    return Fraction(repr(float(fps)))


def boxes_in(view: View, raw: Raw, options: Options, declared: Declared) -> Boxes:
    """Read the boxes of a view, whose records are consumed."""
    collector = Collector(raw.file, view.problems)
    if view.kind == "table":
        read_table(view, collector, options, declared)
        name = "csv"
    else:
        read_rows(view, collector, options, declared)
        name = "egohome" if any(EGOHOME in record.row for record in view.head) else "segjudge"
    return collector.build(Source(raw.file, raw.sha256, name))


def _view(raw: Raw, options: Options) -> View:
    """Look at a file as records or as a table.

    Raises
    ------
    InputError
        It holds no boxes in any shape that is known.
    """
    candidates = views(raw, options, frozenset((EGOHOME,)))
    for view in candidates:
        if is_box_table(view.header) if view.kind == "table" else has_boxes(view.head):
            return view
    what = candidates[0].seen() if candidates else "text that is neither JSON nor a table"
    noted = [problem for view in candidates for problem in view.problems]
    expected = (
        f"expected boxes: rows with `{EGOHOME}`, lines with `{OWN}`, "
        "or a table with columns such as "
        f"x1, y1, x2, y2; this is {what}"
    )
    raise InputError([*noted, Problem(raw.file, "", "", "", expected)])
