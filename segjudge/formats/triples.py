"""Triples `[start, end, label]` under `pred`, with an `ok` flag for each episode."""

from __future__ import annotations

from segjudge.formats.interface import Format, Options, Row, View
from segjudge.formats.records import Picked, Timeline, episode_reader, has_list


def _pick(row: Row, options: Options) -> Picked:
    """Take `pred`; a failed episode may lack it, and `gold` beside it is not kept."""
    if "pred" not in row and row.get("ok") is not False:
        return Picked(missing="`pred`")
    return Picked((Timeline("pred", row.get("pred")),), frozenset({"pred", "gold"}))


def _recognises(view: View, options: Options) -> bool:
    """Ask for a field `pred`."""
    return has_list(view, "pred")


FORMAT = Format(
    name="triples",
    description="triples `[start, end, label]` under `pred`, with an `ok` flag",
    recognises=_recognises,
    read=episode_reader(_pick),
    rank=30,
    example='{"id": "a", "ok": true, "pred": [[0.0, 3.25, "open the drawer"]]}\n',
)
