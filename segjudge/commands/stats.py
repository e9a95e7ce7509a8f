"""``segjudge stats``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table

from segjudge import formats
from segjudge.annotations import Annotations
from segjudge.boxes import Boxes
from segjudge.commands.files import Columns, Format, Fps, Task, Unit
from segjudge.commands.options import reading
from segjudge.description import (
    Lengths,
    OnScreen,
    Timelines,
    describe,
    hands_in_boxes,
    hands_in_segments,
)
from segjudge.errors import InputError
from segjudge.formats.boxes import read_boxes
from segjudge.formats.egohome import FIELDS
from segjudge.formats.parsed import Parsed, parse_rows
from segjudge.report.floors import table
from segjudge.report.tables import cell, show
from segjudge.writing import write_text

#: The JSON has more of them.
LABELS_SHOWN = 3


@dataclass(slots=True)
class _Found:
    """What is in a file: timelines by task, and hands on screen."""

    episodes: int = 0
    tasks: dict[str, dict[str, Timelines]] = field(default_factory=dict)
    hands: dict[str, OnScreen] = field(default_factory=dict)

    def add(self, task: str, annotations: Annotations) -> None:
        """Describe the timelines of one task."""
        self.episodes = max(self.episodes, len(annotations.episodes))
        self.tasks[task] = describe(annotations)
        hands = hands_in_segments(annotations)
        if hands is not None:
            self.hands[task] = hands

    def add_boxes(self, boxes: Boxes) -> None:
        """Describe how often hands have a box."""
        self.episodes = max(self.episodes, len(boxes.episodes))
        self.hands["boxes"] = hands_in_boxes(boxes)


def stats(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Annotations or boxes.")],
    task: Task = None,
    format: Format = None,
    unit: Unit = None,
    fps: Fps = None,
    columns: Columns = None,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - prints it.")
    ] = None,
) -> None:
    """Say what annotations are like: durations, gaps, overlaps, labels, hands on screen.

    Of EgoHome rows all timelines and the boxes are described, unless --task picks one.
    """
    given = [[value] if value is not None else [] for value in (format, unit, fps, columns)]
    options = reading("", *given)
    found = _Found()
    rows = _rows(file) if task is None and format in (None, "egohome") else None
    if rows is not None:
        _describe_rows(rows, found, options.get("fps"))
    else:
        _describe_file(file, task, options, found)
    if json_file:
        written = {"schema": "segjudge.stats/1", "file": Path(file).name, **asdict(found)}
        write_text(json_file, json.dumps(written, ensure_ascii=False, indent=2) + "\n")
    if json_file != "-":
        show(_tables(found))


def _rows(file: str) -> Parsed | None:
    """Return a file of EgoHome rows that hold more than one thing; None for any other."""
    try:
        parsed = parse_rows(file)
    except InputError:
        return None
    return parsed if sum(map(parsed.holds, (*FIELDS, "boxes"))) > 1 else None


def _describe_rows(rows: Parsed, found: _Found, fps: float | None) -> None:
    for task in ("subtask", "hand-caption", "hand-action"):
        if rows.holds(task):
            found.add(task, rows.annotations(task))
    if rows.holds("boxes"):
        said = any("coords" in record.row for record in rows.records)
        # What the numbers are has no bearing on how many boxes there are.
        found.add_boxes(rows.boxes(None if said else "px", None, fps))


def _describe_file(file: str, task: str | None, options: Mapping[str, Any], found: _Found) -> None:
    """Describe a file of one timeline an episode, or of boxes where it is none."""
    try:
        found.add(task or "", formats.read(file, task=task, **options))
    except InputError as error:
        try:
            found.add_boxes(read_boxes(file, coords="px", order="xyxy", fps=options.get("fps")))
        except InputError:
            raise error from None


def _tables(found: _Found) -> RenderableType:
    """Return everything for people."""
    parts: list[RenderableType] = [cell(f"{found.episodes} episodes")]
    named = {
        _name(task, track, len(tracks)): timelines
        for task, tracks in found.tasks.items()
        for track, timelines in tracks.items()
    }
    if named:
        parts += [cell(""), _segments(named), cell(""), _gaps(named), cell(""), _labels(named)]
    if found.hands:
        parts += [cell(""), _hands(found.hands)]
    return Group(*parts)


def _name(task: str, track: str, tracks: int) -> str:
    words = [task, (track or "no track") if tracks > 1 else track]
    return ", ".join(word for word in words if word) or "all"


def _segments(named: Mapping[str, Timelines]) -> Table:
    made = table(
        ("segments",),
        (
            *("number", "an episode", "below 1 s", "below 0.5 s"),
            *("shortest", "10 %", "median", "90 %", "longest", "mean"),
        ),
    )
    for name, own in named.items():
        made.add_row(
            cell(name),
            str(own.segments.count),
            _decimal(own.per_episode, ".1f"),
            str(own.below_1_s),
            str(own.below_half_s),
            *(_quantile(own.segments, share) for share in ("0", "0.1", "0.5", "0.9", "1")),
            _decimal(own.segments.mean_s, ".3f"),
        )
    return made


def _quantile(lengths: Lengths, share: str) -> str:
    return _decimal(lengths.quantiles_s.get(share), ".3f")


def _gaps(named: Mapping[str, Timelines]) -> Table:
    made = table(
        ("time",),
        (
            "annotated s",
            "of the timelines",
            "gaps",
            "gaps s",
            "median gap",
            "overlapping",
            "stacked s",
        ),
    )
    for name, own in named.items():
        made.add_row(
            cell(name),
            f"{own.segments.total_s:.3f}",
            _share(own.annotated_share),
            str(own.gaps.count),
            f"{own.gaps.total_s:.3f}",
            _quantile(own.gaps, "0.5"),
            str(own.overlapping),
            f"{own.overlapped_s:.3f}",
        )
    return made


def _labels(named: Mapping[str, Timelines]) -> Table:
    made = table(("labels",), ("distinct",), ("most time",))
    for name, own in named.items():
        first, *others = own.most[:LABELS_SHOWN] or [("-", 0, 0.0)]
        made.add_row(cell(name), str(own.labels), cell(_label(first)))
        for other in others:
            made.add_row("", "", cell(_label(other)))
    return made


def _label(item: tuple[str, int, float]) -> str:
    label, segments, seconds = item
    return f"{label}: {segments} x, {seconds:.3f} s"


def _hands(hands: Mapping[str, OnScreen]) -> Table:
    made = table(("hands on screen",), ("left", "right", "both", "either"), ("of",))
    for name, own in hands.items():
        unit = "frames" if name == "boxes" else "s"
        shares = (own.left, own.right, own.both, own.either)
        made.add_row(cell(name or "all"), *map(_share, shares), f"{own.whole:g} {unit}")
    return made


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _decimal(value: float | None, style: str) -> str:
    return "-" if value is None else format(value, style)
