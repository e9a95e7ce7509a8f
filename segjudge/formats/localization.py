"""Localization rows: reference `gold_segments`, predictions as intervals under each label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from segjudge.findings import finding
from segjudge.formats.build import Builder, seen
from segjudge.formats.interface import Format, Options, Record, Row, View
from segjudge.formats.jsontext import BadJson, parsed_if_text
from segjudge.formats.records import Picked, Timeline, episode_reader
from segjudge.formats.segments import MISSING

_TAKEN = frozenset(("gold_segments", "labels", "label_specs"))


def _pick(row: Row, options: Options) -> Picked:
    """Take `gold_segments`, else the intervals of all labels."""
    if "gold_segments" in row:
        return Picked((Timeline("gold_segments", row["gold_segments"]),), _TAKEN)
    if "labels" not in row:
        return Picked(missing="`gold_segments` or `labels`")
    blocks = _blocks(row)
    if blocks is None:
        return Picked((Timeline("labels", row["labels"]),), _TAKEN)
    return Picked(tuple(_timeline(number, block) for number, block in blocks), _TAKEN)


def _blocks(row: Row) -> list[tuple[int, Any]] | None:
    """Return the blocks of a prediction with their numbers, or None if it isn't a list."""
    try:
        blocks = parsed_if_text(row.get("labels"))
    except BadJson:
        return None
    return list(enumerate(blocks, 1)) if isinstance(blocks, list) else None


def _timeline(number: int, block: Any) -> Timeline:
    """Return the intervals of one block; what is wrong with it is told when they are read."""
    name = f"label {number}, interval"
    if not isinstance(block, dict):
        return Timeline(f"labels[{number}]", block, label=MISSING, name=name)
    label = block.get("label")
    given = MISSING if label is None else label
    return Timeline(f"labels[{number}].intervals", block.get("intervals"), label=given, name=name)


def _read(view: View, builder: Builder, options: Options) -> None:
    """Read all records, and count the echoes that aren't the label they stand under."""
    wrong: list[str] = []
    view.records = _listening(view.records, wrong)
    episode_reader(_pick)(view, builder, options)
    if wrong:
        text = (
            f"{len(wrong)} intervals echo another label than the one they stand under; "
            "the latter counts"
        )
        noticed = finding(
            "label_echo_differs", text, level="warning", count=len(wrong), places=wrong
        )
        builder.findings.append(noticed)


def _listening(records: Iterator[Record], wrong: list[str]) -> Iterator[Record]:
    """Pass records on, and note where an interval's echo differs from its label."""
    for record in records:
        for number, block in _blocks(record.row) or ():
            intervals = block.get("intervals") if isinstance(block, dict) else None
            for i, interval in enumerate(intervals if isinstance(intervals, list) else (), 1):
                if _echoes_other(interval, block.get("label")):
                    where = f"{record.place or 'the episode'}, label {number}, interval {i}"
                    wrong.append(f"{where}: {seen(interval['label_echo'])}")
        yield record


def _echoes_other(interval: Any, label: object) -> bool:
    """Say whether an interval has an echo that is not the label it stands under."""
    return isinstance(interval, dict) and interval.get("label_echo", label) != label


def _recognises(view: View, options: Options) -> bool:
    """`gold_segments`, or `labels` that hold intervals."""
    return any("gold_segments" in record.row or _is_nested(record.row) for record in view.head)


def _is_nested(row: Row) -> bool:
    """Say whether a row is a prediction in the nested form."""
    blocks = _blocks(row)
    return bool(blocks) and any(isinstance(b, dict) and "intervals" in b for _, b in blocks or ())


FORMAT = Format(
    name="localization",
    description="localization rows: `gold_segments`, or `labels` of `label` and `intervals`",
    recognises=_recognises,
    read=_read,
    rank=34,
    example="""\
{"id": "a", "labels": [{"label": "open the drawer", "intervals": [\
{"label_echo": "open the drawer", "start_sec": 0.0, "end_sec": 3.25}]}]}
""",
)
