"""What the page carries: the report and its detail as compact columns, safe inside a script tag."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from segjudge.annotations import Annotations, Int64, Vocabulary
from segjudge.judgments import Verdict
from segjudge.report.detail import Credit, Detail, Matched, Weighed, largest
from segjudge.report.floors import FloorsReport
from segjudge.report.gaming import GameReport
from segjudge.report.model import Report

#: The page lists so many of the judgments that matter most; `segjudge audit` writes them all.
MOST_WEIGHED = 200

#: Rationales are cut where all of them together would be longer than this many characters.
RATIONALE_BUDGET = 4_000_000
SHORTEST_RATIONALE = 60

#: Characters that could end a script tag or a line, and halves of a character that UTF-8 refuses.
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def embedded(data: Any) -> str:
    r"""Return data as JSON that stays data inside ``<script type="application/json">``.

    Every ``<``, ``>`` and ``&`` is written as ``\u003c`` and so on: no label can end the tag or
    open a comment.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def page_data(
    report: Report,
    detail: Detail,
    floors: FloorsReport | None = None,
    game: GameReport | None = None,
) -> dict[str, Any]:
    """Return everything the page shows.

    Times are microseconds from the earliest start of the episode. Segments and pairs are columns
    for the whole corpus; ``first`` says where each episode begins.
    """
    reference, prediction = detail.comparison.reference, detail.comparison.prediction
    origin = _origins(reference, prediction)
    strings = Vocabulary([""])
    said = report.model_dump(mode="json", by_alias=True, exclude={"by_episode"})
    return {
        "report": said,
        "episodes": _episodes(report, detail, origin),
        "labels": reference.labels,
        "tracks": reference.tracks,
        "reads": detail.reads,
        "creditedBy": detail.credited_by,
        "sides": {
            "reference": _segments(reference, origin, detail.reference),
            "prediction": _segments(prediction, origin, detail.prediction),
        },
        "pairs": _pairs(detail),
        "matched": {name: _matched(detail, found) for name, found in detail.matched.items()},
        "verdicts": _verdicts(detail, strings),
        "kinds": [{"name": str(v), "permissible": v.permissible, "same": v.same} for v in Verdict],
        "strings": list(strings),
        "weighed": _weighed(detail.weighed),
        "floors": floors.model_dump(mode="json")["floors"] if floors else {},
        "attacks": game.model_dump(mode="json")["attacks"] if game else {},
    }


def _firsts(side: Annotations) -> Int64:
    """Return where each episode's rows begin, and the end of the last."""
    return np.searchsorted(side.episode, np.arange(len(side.episodes) + 1)).astype(np.int64)


def _origins(*sides: Annotations) -> Int64:
    """Return the earliest start of each episode over both sides; 0 where that is later than 0."""
    origin = np.zeros(len(sides[0].episodes), np.int64)
    earliest = np.full(len(origin), np.iinfo(np.int64).max)
    for side in sides:
        np.minimum.at(earliest, side.episode, side.start)
    # A clock that counts from an epoch begins with the first segment, any other at 0.
    far = (earliest < 0) | ((earliest > 24 * 3600 * 10**6) & (earliest < np.iinfo(np.int64).max))
    origin[far] = earliest[far]
    return origin


def _episodes(report: Report, detail: Detail, origin: Int64) -> dict[str, Any]:
    comparison = detail.comparison
    table = comparison.reference.table
    columns = report.by_episode.columns
    credit = [
        side.sum_by_episode(getattr(own, end))
        for side, own in (
            (comparison.reference, detail.reference),
            (comparison.prediction, detail.prediction),
        )
        for end in ("low", "high")
    ]
    return {
        "id": list(report.by_episode.ids),
        "origin": origin.tolist(),
        "duration": table.duration.tolist(),
        "failed": np.flatnonzero(comparison.prediction.table.failed).tolist(),
        "fields": {
            name: [None if value is None else _short(value) for value in values]
            for name, values in table.fields.items()
        },
        "values": {
            metric: {name: rounded(figures[name]) for name in ("value", "low", "high")}
            for metric, figures in columns.items()
        },
        "credit": [(credit[0] + credit[2]).tolist(), (credit[1] + credit[3]).tolist()],
        "length": (
            comparison.reference.sum_by_episode(comparison.reference.length)
            + comparison.prediction.sum_by_episode(comparison.prediction.length)
        ).tolist(),
    }


def _short(value: Any) -> str | int | float | bool:
    """Return a field of the episode table as JSON knows it, no longer than a sentence."""
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 500 else text[:499] + "…"


def rounded(values: npt.NDArray[Any] | Iterable[float]) -> list[float | None]:
    """Return numbers in six decimals; null where there is none."""
    return [None if math.isnan(value) else round(float(value), 6) for value in values]


def _segments(side: Annotations, origin: Int64, credit: Credit) -> dict[str, Any]:
    high = credit.high if credit.high is credit.low else credit.high - credit.low
    return {
        "first": _firsts(side).tolist(),
        "track": side.track.tolist(),
        "start": (side.start - origin[side.episode]).tolist(),
        "length": side.length.tolist(),
        "label": side.label.tolist(),
        "credit": credit.low.tolist(),
        "open": None if credit.high is credit.low else high.tolist(),
    }


def _pairs(detail: Detail) -> dict[str, Any]:
    """Return the overlapping pairs; rows of segments count from the episode's first."""
    comparison, pairs = detail.comparison, detail.comparison.pairs
    episode = comparison.reference.episode[pairs.left]
    return {
        "first": np.searchsorted(episode, np.arange(comparison.n_episodes + 1)).tolist(),
        "left": (pairs.left - _firsts(comparison.reference)[episode]).tolist(),
        "right": (pairs.right - _firsts(comparison.prediction)[episode]).tolist(),
        "verdict": detail.row.tolist(),
    }


def _matched(detail: Detail, matched: Matched) -> dict[str, Any]:
    comparison = detail.comparison
    episode = comparison.reference.episode[matched.reference]
    return {
        "first": np.searchsorted(episode, np.arange(comparison.n_episodes + 1)).tolist(),
        "left": (matched.reference - _firsts(comparison.reference)[episode]).tolist(),
        "right": (matched.prediction - _firsts(comparison.prediction)[episode]).tolist(),
    }


def _verdicts(detail: Detail, strings: Vocabulary) -> dict[str, Any]:
    """Return what is known of each label pair; texts as indices into `strings`."""
    verdicts, order = detail.verdicts, list(Verdict)
    code = {verdict: i for i, verdict in enumerate(order)}
    contexts = verdicts.context.tolist()
    return {
        "a": verdicts.a.tolist(),
        "b": verdicts.b.tolist(),
        "context": [strings[verdicts.contexts[i]] for i in contexts] if any(contexts) else None,
        "verdict": [-1 if verdict is None else code[verdict] for verdict in verdicts.verdict],
        "by": [strings[text] for text in verdicts.by],
        "judge": [strings[text] for text in verdicts.judge],
        "prompt": [strings[text] for text in verdicts.prompt],
        "rationale": [strings[text] for text in _cut(verdicts.rationale)],
    }


def _cut(rationales: Sequence[str]) -> Sequence[str]:
    """Return rationales, all cut to the same length where they are too long together."""
    total = sum(map(len, rationales))
    if total <= RATIONALE_BUDGET:
        return rationales
    most = max(SHORTEST_RATIONALE, RATIONALE_BUDGET // len(rationales))
    return [text if len(text) <= most else text[: most - 1] + "…" for text in rationales]


def _weighed(weighed: Weighed) -> dict[str, Any]:
    """Return the judgments that matter most, and how many there are."""
    matter = int((largest(weighed) > 0).sum())
    kept = slice(0, min(MOST_WEIGHED, matter))

    def shown(changes: Mapping[str, Any]) -> dict[str, list[float | None]]:
        return {name: rounded(values[kept]) for name, values in changes.items()}

    return {
        "matter": matter,
        "row": weighed.row[kept].tolist(),
        "low": shown(weighed.low),
        "high": shown(weighed.high),
        "occurrences": weighed.occurrences[kept].tolist(),
        "seconds": (weighed.overlap_us[kept] / 1e6).tolist(),
    }
