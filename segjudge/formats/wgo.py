"""WGO-Bench rows: `segments` of `start_sec`, `end_sec`, `subtask`; JSON lines or parquet."""

from __future__ import annotations

from segjudge.formats.interface import Format, Options, Row, View
from segjudge.formats.records import Picked, Timeline, episode_reader, sample_segment


def _pick(row: Row, options: Options) -> Picked:
    """Take `segments`; the family may stand in `metadata` only."""
    if "segments" not in row:
        return Picked(missing="`segments`")
    metadata = row.get("metadata")
    family = metadata.get("source_family") if isinstance(metadata, dict) else None
    fields = {"family": family} if "family" not in row else {}
    return Picked((Timeline("segments", row["segments"]),), frozenset({"segments"}), fields=fields)


def _recognises(view: View, options: Options) -> bool:
    """Segments that say `start_sec`, `end_sec` and `subtask`."""
    segment = sample_segment(view, "segments")
    return isinstance(segment, dict) and {"start_sec", "end_sec", "subtask"} <= segment.keys()


FORMAT = Format(
    name="wgo",
    description="WGO-Bench rows: `segments` of `start_sec`, `end_sec`, `subtask`",
    recognises=_recognises,
    read=episode_reader(_pick),
    rank=40,
    example="""\
{"id": "a", "instruction": "tidy up", "segments": [\
{"start_sec": 0.0, "end_sec": 3.25, "subtask": "open the drawer"}]}
""",
)
