"""EgoHome rows: `subtasks`, and `hand_actions`, `hand_captions` with a left and a right track."""

from __future__ import annotations

from segjudge.formats.interface import Format, Options, Row, View
from segjudge.formats.jsontext import BadJson, parsed_if_text
from segjudge.formats.records import Picked, Timeline, episode_reader, has_list

#: Task -> the field of a row that holds it.
FIELDS = {
    "subtask": "subtasks",
    "hand-action": "hand_actions",
    "hand-caption": "hand_captions",
}
_TAKEN = frozenset(FIELDS.values())
_HANDS = ("left", "right")


def _pick(row: Row, options: Options) -> Picked:
    """Take the timeline that the task names; subtasks if none is named."""
    key = FIELDS[options.task or "subtask"]
    if key not in row:
        return Picked(missing=f"`{key}` (--task picks one of {', '.join(FIELDS)})")
    if key == "subtasks":
        return Picked((Timeline(key, row[key]),), _TAKEN)
    return _hands(key, row[key])


def _hands(key: str, value: object) -> Picked:
    """Take a list for each hand; a hand that is missing or null does nothing."""
    try:
        hands = parsed_if_text(value)
    except BadJson:
        hands = value
    if not isinstance(hands, dict):
        # Anything else must be a list whose segments name the hand themselves.
        return Picked((Timeline(key, hands),), _TAKEN)
    if not hands.keys() <= set(_HANDS):
        return Picked(missing=f"`{key}` with nothing but `left` and `right`")
    timelines = tuple(
        Timeline(f"{key}.{hand}", hands[hand], hand, name=f"{key}.{hand} segment")
        for hand in _HANDS
        if hands.get(hand) is not None
    )
    return Picked(timelines, _TAKEN)


def _recognises(view: View, options: Options) -> bool:
    """Hand tracks, or `subtasks` beside a `clip_id`."""
    return has_list(view, "hand_actions", "hand_captions") or any(
        {"clip_id", "subtasks"} <= record.row.keys() for record in view.head
    )


FORMAT = Format(
    name="egohome",
    description="EgoHome rows: `subtasks`, `hand_actions`, `hand_captions`; --task picks one",
    recognises=_recognises,
    read=episode_reader(_pick),
    rank=36,
    example="""\
{"clip_id": "a", "duration_sec": 12.5, "subtasks": [\
{"start": 0.0, "end": 3.25, "label": "opening the drawer"}], "hand_captions": {"left": [\
{"start": 0.5, "end": 3.0, "label": "pulling the handle"}], "right": []}}
""",
)
