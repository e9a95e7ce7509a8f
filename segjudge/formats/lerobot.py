"""LeRobot's `meta/lerobot_annotations.json`: episodes by index, with `subtasks` or `atoms`."""

from __future__ import annotations

from typing import Any

from segjudge.formats.interface import Format, Options, Row, View
from segjudge.formats.records import Picked, Timeline, episode_reader
from segjudge.formats.spellings import DURATION_KEYS

_TAKEN = frozenset(("subtasks", "atoms"))
_TEXTS = ("content", "label", "text")


def _pick(row: Row, options: Options) -> Picked:
    """Take `subtasks`; where there are none, the atoms of that style."""
    if row.get("subtasks") or "atoms" not in row:
        if "subtasks" not in row:
            return Picked(missing="`subtasks` or `atoms`")
        return Picked((Timeline("subtasks", row["subtasks"]),), _TAKEN)
    atoms = row["atoms"]
    if not isinstance(atoms, list):
        return Picked((Timeline("atoms", atoms),), _TAKEN)
    chosen = [atom for atom in atoms if not isinstance(atom, dict) or _is_subtask(atom)]
    return _from_atoms(chosen, row)


def _is_subtask(atom: Row) -> bool:
    """Atoms of other styles (plans, remarks, ...) are no subtasks."""
    return atom.get("style") == "subtask"


def _from_atoms(atoms: list[Any], row: Row) -> Picked:
    """Let each atom last until the next one, the last until the episode's known end."""
    if not all(isinstance(atom, dict) and _is_time(atom.get("timestamp")) for atom in atoms):
        return Picked(missing="`atoms` that each have a `timestamp` in seconds")
    ordered = sorted(atoms, key=lambda atom: float(atom["timestamp"]))
    starts = [atom["timestamp"] for atom in ordered]
    end = next((row[key] for key in DURATION_KEYS if row.get(key) is not None), None)
    if end is None and atoms and "end" not in ordered[-1]:
        return Picked(
            missing="`duration`: atoms have a start only, so the last one ends with its episode"
        )
    segments = [
        {"start": atom["timestamp"], "end": atom.get("end", later), "label": _text(atom)}
        for atom, later in zip(ordered, [*starts[1:], end], strict=False)
    ]
    return Picked((Timeline("atoms", segments, name="subtask atom"),), _TAKEN)


def _is_time(value: object) -> bool:
    """Say whether atoms can be put in order by this value."""
    return type(value) in (int, float) and -1e12 < value < 1e12  # type: ignore[operator]


def _text(atom: Row) -> object:
    """Return what the atom says."""
    return next((atom[key] for key in _TEXTS if key in atom), None)


def _recognises(view: View, options: Options) -> bool:
    """`subtasks` by index under `episodes`, or atoms."""
    return any(
        "atoms" in record.row
        or (view.wrapper == "episodes" and record.key is not None and "subtasks" in record.row)
        for record in view.head
    )


FORMAT = Format(
    name="lerobot",
    description="LeRobot's meta/lerobot_annotations.json: `subtasks` or `atoms` by episode",
    recognises=_recognises,
    read=episode_reader(_pick),
    rank=24,
    example="""\
{"episodes": {"0": {"subtasks": [{"label": "open the drawer", "start": 0.0, "end": 3.25}]}}}
""",
)
