"""Flat records: one segment a JSON line or a parquet row, with the episode's id on each."""

from __future__ import annotations

from segjudge.formats.flat import is_flat, read_flat
from segjudge.formats.interface import Format, Options, View


def _recognises(view: View, options: Options) -> bool:
    """Ask for records that have an episode id, a start, an end and a label themselves."""
    return view.kind != "table" and any(
        record.key is None and is_flat(tuple(record.row), options) for record in view.head
    )


FORMAT = Format(
    name="rows",
    description="one segment a JSON line or parquet row, each with the id of its episode",
    recognises=_recognises,
    read=read_flat,
    rank=80,
    example="""\
{"episode_id": "a", "start_ms": 0, "end_ms": 3250, "label": "open the drawer", "hand": "left"}
""",
)
