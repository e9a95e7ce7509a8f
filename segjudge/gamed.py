"""What in a prediction looks as if it were there for the score: findings, never a verdict.

Stacked time, copies and long labels are noticed by `inspection` on any side; of a prediction they
say here why they matter. One label over nearly everything, and labels that speak to the judge,
are noticed here alone. Each has an honest explanation too, so nothing is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from segjudge.annotations import Annotations, Int64, Vocabulary
from segjudge.errors import shown
from segjudge.findings import Finding, finding
from segjudge.judgments import identity_form
from segjudge.overlaps import self_overlap

#: More than this share of its time stacked on itself looks gamed, as a fraction.
MOST_STACKED = (5, 100)

#: One label over more than this share of the time looks gamed, unless the reference does it too.
MOST_OF_ONE = (80, 100)

_STEERING = re.compile(
    # "ignore the rules above", "disregard all previous instructions"
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}"
    r"\b(?:above|previous|prior|earlier|all|instructions?|rules?|prompt|rubric)\b"
    r"|\b(?:ignorier|vergiss)\w*\b.{0,40}\b(?:anweisung|regel)"
    r"|\b(?:ignor(?:a|e|ez|er)|oublie[zr]?|olvida)\b.{0,40}\b(?:r[eè]gl|instruc|consigne)"
    r"|(?:игнорир|забуд)\w*.{0,40}(?:инструкц|правил|указан)"
    r"|(?:忽略|无视|忘记).{0,20}(?:指令|规则|指示|以上|之前)"
    # "answer same", "reply with 'yes'", "verdict: same", `"verdict": "same"`
    r"|\b(?:answer|reply|respond|output)\b(?: with| only)?[\s:\"'`*]*"
    r"\b(?:same|yes|true|permissible|a_in_b|b_in_a|match)\b"
    r"|\b(?:verdict|system prompt|instructions?|permissible)\b[\"'`]?\s*[:=]"
    r"|\b(?:a_in_b|b_in_a)\b"
    # Text that plays another part of the conversation, or closes the prompt's own marks.
    r"|\b(?:assistant|system|user)\s*:|</?[a-z_]+>|<\|\w+\|>|```|[{}]"
    r"|\b(?:dear|attention|note to|you are) (?:the |a |an )?(?:judge|grader|evaluator|ai)\b",
    re.DOTALL,
)


def looks_steering(label: str) -> bool:
    """Return whether a label looks as if it spoke to the judge rather than of the video."""
    text = unicodedata.normalize("NFKC", label).casefold()
    return any(_STEERING.search(spelt) for spelt in (text, text.replace("_", " ")))


def look(
    reference: Annotations,
    prediction: Annotations,
    found: Iterable[Finding],
    side: str = "prediction",
) -> list[Finding]:
    """Say which of a prediction's findings look gamed, and add those not noticed before.

    Parameters
    ----------
    reference, prediction : Annotations
        Not necessarily aligned.
    found : iterable of Finding
        What was noticed of the prediction.
    side : str
        What the new findings are said of.

    Returns
    -------
    list of Finding
        The same ones, some with a longer message, and then the new ones.
    """
    say = {"self_overlap": _stacked, "duplicate_segments": _copied, "long_labels": _long}
    told = []
    for item in found:
        reason = say[item.code](prediction) if item.code in say else ""
        message = f"{item.message}; this looks gamed: {reason}" if reason else item.message
        told.append(replace(item, message=message))
    new = (*_one_label(reference, prediction), *_steering(prediction))
    return [*told, *(item.on(side) for item in new)]


def _stacked(prediction: Annotations) -> str:
    """Tell how much of a prediction's time is stacked on itself, if it is too much."""
    stacked, total = int(self_overlap(prediction).sum()), int(prediction.length.sum())
    if not _above(stacked, total, MOST_STACKED):
        return ""
    return f"{_percent(stacked, total)} of the predicted time is stacked on other predictions"


def _copied(prediction: Annotations) -> str:
    return "copies of a label that is accepted raise psj"


def _long(prediction: Annotations) -> str:
    return "a label that names many things may be accepted for each of them"


def _one_label(reference: Annotations, prediction: Annotations) -> list[Finding]:
    """Tell of one label over most of the time: the same everywhere, or one in each track."""
    for alone in (True, False):
        tops, theirs = _tops(prediction, alone), _tops(reference, alone)
        if not tops.above() or theirs.above():
            continue
        count = _episodes_of_one(prediction)
        name = f"one label, {tops.name!r}," if alone else "one label an episode"
        text = (
            f"{name} fills {tops.share()} of the predicted time (of the reference's "
            f"{theirs.share()}), and one fills more than {MOST_OF_ONE[0]} % in {count} of "
            f"{len(prediction.episodes)} episodes; this looks gamed"
        )
        return [finding("one_label", text, level="warning", count=count)]
    return []


class _Tops(NamedTuple):
    """The label with most time: its time and name, and the time of all labels, by group."""

    time: Int64
    whole: Int64
    name: str

    def above(self) -> bool:
        """Whether these labels together fill too much of the time."""
        return _above(int(self.time.sum()), int(self.whole.sum()), MOST_OF_ONE)

    def share(self) -> str:
        """Return the share of the time that they fill, for people."""
        return _percent(int(self.time.sum()), int(self.whole.sum()))


def _tops(side: Annotations, alone: bool) -> _Tops:
    """Find the label with most time, of the corpus or of each track of each episode."""
    spelt = [identity_form(label) for label in side.labels]
    forms = Vocabulary(sorted(spelt))
    form = np.array([forms[text] for text in spelt], np.int64)
    group = np.zeros(len(side), np.int64) if alone else side.group
    keys, place = np.unique(group * max(len(forms), 1) + form[side.label], return_inverse=True)
    time = np.zeros(len(keys), np.int64)
    np.add.at(time, place, side.length)
    owner = keys // max(len(forms), 1)
    order = np.lexsort((keys, -time, owner))
    first = np.flatnonzero(np.diff(owner[order], prepend=-1))
    if not len(first):
        return _Tops(time, time, "")
    named = int(keys[order[first[0]]] % len(forms))
    name = min(side.labels[i] for i in np.flatnonzero(form == named).tolist())
    return _Tops(time[order[first]], np.add.reduceat(time[order], first), name)


def _episodes_of_one(prediction: Annotations) -> int:
    """Count the episodes in each of whose tracks one label fills more than its share."""
    tops = _tops(prediction, False)
    groups = np.unique(prediction.group)
    one = tops.time * MOST_OF_ONE[1] > tops.whole * MOST_OF_ONE[0]
    episode = groups // max(len(prediction.tracks), 1)
    return len(np.unique(episode)) - len(np.unique(episode[~one]))


def _steering(prediction: Annotations) -> list[Finding]:
    """Tell of labels that look as if they spoke to the judge."""
    used = np.unique(prediction.label).tolist()
    hit = np.zeros(len(prediction.labels), np.bool_)
    hit[[i for i in used if looks_steering(prediction.labels[i])]] = True
    if not hit.any():
        return []
    rows = int(hit[prediction.label].sum())
    labels = sorted(shown(prediction.labels[i]) for i in np.flatnonzero(hit).tolist())
    text = f"{rows} segments have a label that speaks to the judge; this looks gamed"
    return [finding("steering_labels", text, level="warning", count=rows, places=labels)]


def _above(part: int, whole: int, limit: tuple[int, int]) -> bool:
    """Say whether a share is above a limit, in whole numbers."""
    return part * limit[1] > whole * limit[0]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "0 %"
