"""Output of refiner: `predicted_subtasks`, `labeled_subtasks`, or the annotation sidecar."""

from __future__ import annotations

from segjudge.formats.interface import Format, Options, Row, View
from segjudge.formats.jsontext import BadJson, parsed_if_text
from segjudge.formats.records import Picked, Timeline, episode_reader, has_list

_SIDECAR = "subtask_annotation_result"
#: Labelling comes after segmentation, so its column is the finished one.
_COLUMNS = ("labeled_subtasks", "predicted_subtasks")
_TAKEN = frozenset((_SIDECAR, *_COLUMNS, "segments"))
_FAILED = ("invalid", "blocked")


def _pick(row: Row, options: Options) -> Picked:
    """Take the sidecar, else the labelled column, else the predicted one."""
    if row.get(_SIDECAR) is not None:
        return _from_sidecar(row[_SIDECAR])
    for key in _COLUMNS:
        if key in row:
            return Picked((Timeline(key, row[key]),), _TAKEN)
    return Picked(missing="`labeled_subtasks`, `predicted_subtasks` or `subtask_annotation_result`")


def _from_sidecar(value: object) -> Picked:
    """Take the segments of a sidecar, and what its `status` says."""
    try:
        result = parsed_if_text(value)
    except BadJson:
        result = None
    if not isinstance(result, dict):
        return Picked(missing=f"`{_SIDECAR}` as an object with `status` and `segments`")
    status = result.get("status")
    timeline = Timeline(f"{_SIDECAR}.segments", result.get("segments"))
    return Picked((timeline,), _TAKEN, status in _FAILED, fields={"status": status})


def _recognises(view: View, options: Options) -> bool:
    """One of refiner's columns."""
    return has_list(view, _SIDECAR, *_COLUMNS)


FORMAT = Format(
    name="refiner",
    description="refiner output: `predicted_subtasks`, `labeled_subtasks` or the sidecar",
    recognises=_recognises,
    read=episode_reader(_pick),
    rank=32,
    example="""\
{"episode_index": 0, "predicted_subtasks": [\
{"start_sec": 0.0, "end_sec": 3.25, "subtask": "open the drawer"}]}
""",
)
