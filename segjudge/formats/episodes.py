"""Any list or mapping of episodes that hold segments under a usual name: the general format."""

from __future__ import annotations

from segjudge.formats.interface import Format, Options, View
from segjudge.formats.records import episode_reader, has_list, pick_first

KEYS = ("segments", "reference_segments", "subtasks", "annotations", "events", "action_config")


def _recognises(view: View, options: Options) -> bool:
    """One of the usual names for a list of segments."""
    return has_list(view, *KEYS)


FORMAT = Format(
    name="episodes",
    description="a list, a mapping by id or lines of episodes with `segments` in any usual naming",
    recognises=_recognises,
    read=episode_reader(pick_first(*KEYS)),
    rank=90,
    example="""\
{"a": {"fps": 30, "segments": [\
{"start_frame": 0, "end_frame": 98, "instruction": "open the drawer"}]}}
""",
)
