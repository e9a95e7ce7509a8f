"""From a reply's text to verdict words: tolerant of wrapping, strict about the answer.

A verdict is read only from the schema's own field. A word in prose, in reasoning or in an
echoed rubric is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from segjudge.errors import SegjudgeError

#: Other words for a verdict, each for one word that a prompt may know. Closed on purpose.
ALIASES = {
    "identical": "same",
    "equal": "same",
    "equivalent": "same",
    "the_same": "same",
    "same_activity": "same",
    "a_part_of_b": "a_in_b",
    "a_is_part_of_b": "a_in_b",
    "a_step_of_b": "a_in_b",
    "a_is_a_step_of_b": "a_in_b",
    "a_subtask_of_b": "a_in_b",
    "a_within_b": "a_in_b",
    "b_part_of_a": "b_in_a",
    "b_is_part_of_a": "b_in_a",
    "b_step_of_a": "b_in_a",
    "b_is_a_step_of_a": "b_in_a",
    "b_subtask_of_a": "b_in_a",
    "b_within_a": "b_in_a",
    "unrelated": "different",
    "distinct": "different",
    "true": "yes",
    "false": "no",
    "y": "yes",
    "n": "no",
}

_FENCE = re.compile(r"```[\w-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
_OBJECT = re.compile(r"\{\s*\"")
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)


class Unreadable(SegjudgeError):
    """A reply that holds no answer of the form asked for; the message says why."""


class Read(NamedTuple):
    """An answer as read: one of the prompt's words, the reason, and what was odd."""

    word: str
    reason: str
    notes: tuple[str, ...]


class _Item(BaseModel):
    """One answer as the schema has it. Other fields don't matter."""

    model_config = ConfigDict(strict=True, extra="ignore")

    verdict: str
    reason: str = ""

    @field_validator("verdict", mode="before")
    @classmethod
    def _boolean_is_a_word(cls, value: object) -> object:
        return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


def word_of(said: str, words: Collection[str]) -> str | None:
    """Return the prompt's word that was said, whatever its case and by closed aliases, or None."""
    plain = re.sub(r"[\s_-]+", "_", said.strip().strip(".\"'`*").strip()).casefold()
    if plain in words:
        return plain
    alias = ALIASES.get(plain)
    return alias if alias in words else None


def read_one(text: str, words: Collection[str]) -> Read:
    """Read the answer on one pair.

    Raises
    ------
    Unreadable
        No object of the schema, two that contradict, or a verdict that is none of `words`.
    """
    found, notes = _objects(text)
    answers = [item for item in found if isinstance(item, dict) and "verdict" in item]
    if len(found) == 1 and isinstance(found[0], dict) and not answers:
        # A server without schemas may answer in the form that several pairs have.
        inner = found[0].get("answers")
        if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], dict):
            answers = inner
    if not answers:
        raise Unreadable("no JSON object with a verdict")
    read = [_item(item, words, notes) for item in answers]
    if len({item.word for item in read}) > 1:
        raise Unreadable("several JSON objects whose verdicts differ")
    return read[0]


class ReadMany(NamedTuple):
    """What a reply on several pairs holds, by id."""

    answers: dict[str, Read]
    contradictory: frozenset[str]


def read_many(text: str, ids: Collection[str], words: Collection[str]) -> ReadMany:
    """Read the answers on several pairs: by id, never by position.

    Unknown ids and answers that can't be read are left out, to be asked again.

    Raises
    ------
    Unreadable
        There is no list of answers at all.
    """
    found, notes = _objects(text)
    lists = [item["answers"] for item in found if isinstance(item, dict) and "answers" in item]
    lists += [item for item in found if isinstance(item, list)]
    if len(lists) != 1 or not isinstance(lists[0], list):
        raise Unreadable("not one JSON list of answers")
    answers: dict[str, Read] = {}
    contradictory: set[str] = set()
    for item in lists[0]:
        name = str(item.get("id")).strip() if isinstance(item, dict) else ""
        if name not in ids:
            continue
        try:
            read = _item(item, words, notes)
        except Unreadable:
            continue
        if answers.setdefault(name, read).word != read.word:
            contradictory.add(name)
    kept = {name: read for name, read in answers.items() if name not in contradictory}
    return ReadMany(kept, frozenset(contradictory))


def is_whole(text: str) -> bool:
    """Return whether a reply cut by its length limit still holds a whole JSON value."""
    try:
        json.JSONDecoder().raw_decode(_unwrapped(text)[0].lstrip())
    except ValueError:
        return False
    return True


def _item(item: dict[str, Any], words: Collection[str], notes: Sequence[str]) -> Read:
    try:
        checked = _Item.model_validate(item)
    except ValidationError as error:
        field = ".".join(map(str, error.errors()[0]["loc"]))
        raise Unreadable(f"{field}: {error.errors()[0]['msg']}") from None
    word = word_of(checked.verdict, words)
    if word is None:
        raise Unreadable(f"the verdict is none of {', '.join(words)}")
    if word != checked.verdict:
        notes = [*notes, f"verdict written {checked.verdict[:40]!r}"]
    return Read(word, checked.reason, tuple(notes))


def _unwrapped(text: str) -> tuple[str, list[str]]:
    """Return the text without reasoning and without the one fence around its JSON."""
    notes = []
    plain = text.removeprefix("\ufeff").strip()
    if plain.lower().startswith("<think"):
        plain = _THOUGHT.sub("", plain, count=1).strip()
        notes.append("reasoning before the answer")
    # JSON that merely holds a fence in one of its strings is no fenced JSON.
    fences = [] if plain.startswith(("{", "[")) else _FENCE.findall(plain)
    if len(fences) == 1:
        plain = fences[0].strip()
        notes.append("fenced")
    return plain, notes


def _objects(text: str) -> tuple[list[Any], list[str]]:
    """Return the JSON values in a reply that aren't inside another, and what was odd about it."""
    plain, notes = _unwrapped(text)
    decoder = json.JSONDecoder(object_pairs_hook=_without_repeats)
    found: list[Any] = []
    around = ""
    at = end = 0
    while (at := _next_value(plain, at)) >= 0:
        # What begins like an object and breaks off must not yield the parts inside it.
        around += plain[end:at]
        try:
            value, end = decoder.raw_decode(plain, at)
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"broken JSON: {error}"[:200]) from None
        found.append(value)
        at = end
    if (around + plain[end:]).strip():
        notes.append("text around the JSON")
    return found, notes


def _next_value(text: str, at: int) -> int:
    """Return where the next object begins, braces in prose passed over, or a list at the start."""
    if at == 0 and text.startswith("["):
        return 0
    begins = _OBJECT.search(text, at)
    return begins.start() if begins else -1


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that says a field twice, for which of the two would count."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a field is there twice")
    return dict(pairs)
