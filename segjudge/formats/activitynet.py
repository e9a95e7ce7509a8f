"""ActivityNet (`database`, `results`) and ActivityNet Captions (`timestamps`, `sentences`)."""

from __future__ import annotations

from segjudge.formats.interface import Format, Options, Row, View
from segjudge.formats.records import Picked, Timeline, episode_reader

_TAKEN = frozenset(("annotations", "segments", "timestamps", "sentences"))


def _pick(row: Row, options: Options) -> Picked:
    """Take `annotations`, the list under an id, or the two parallel lists of Captions."""
    if "timestamps" in row and "sentences" in row:
        return _parallel(row["timestamps"], row["sentences"])
    for key in ("annotations", "segments"):
        if key in row:
            return Picked((Timeline(key, row[key]),), _TAKEN)
    return Picked(missing="`annotations`, or `timestamps` and `sentences`")


def _parallel(times: object, sentences: object) -> Picked:
    """Pair the times with the sentences."""
    if not isinstance(times, list) or not isinstance(sentences, list):
        return Picked(missing="`timestamps` and `sentences` as two lists")
    if len(times) != len(sentences):
        counts = f"{len(times)} `timestamps` and {len(sentences)} `sentences`"
        return Picked(missing=f"as many times as sentences, but there are {counts}")
    segments = [
        {"timestamp": time, "sentence": sentence}
        for time, sentence in zip(times, sentences, strict=True)
    ]
    return Picked((Timeline("timestamps", segments),), _TAKEN)


def _recognises(view: View, options: Options) -> bool:
    """Episodes by id under `database` or `results`, or the lists of Captions."""
    if view.kind != "json":
        return False
    if view.wrapper in ("database", "results"):
        return any(record.key is not None for record in view.head)
    return any({"timestamps", "sentences"} <= record.row.keys() for record in view.head)


FORMAT = Format(
    name="activitynet",
    description="ActivityNet JSON (`database`, `results`) and ActivityNet Captions",
    recognises=_recognises,
    read=episode_reader(_pick),
    rank=26,
    example="""\
{"a": {"duration": 12.5, "timestamps": [[0.0, 3.25]], "sentences": ["A drawer is opened."]}}
""",
)
