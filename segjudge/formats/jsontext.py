"""JSON as it comes: whole, cut off, in a code fence, after a model's thoughts, amid prose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from segjudge.errors import shown

_FENCE = re.compile(r"```[ \t]*[A-Za-z0-9]*[ \t]*\r?\n(.*?)(?:\r?\n[ \t]*```|\Z)", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_NUMBER_TAIL = re.compile(r"[-+.eE0-9]*")
_MOST_OPENINGS = 50

#: What models put their thoughts between.
THOUGHT_TAGS = ("think", "thinking", "reasoning")
_THOUGHT = re.compile(rf"<({'|'.join(THOUGHT_TAGS)})>", re.IGNORECASE)
_THOUGHT_END = re.compile(rf"</({'|'.join(THOUGHT_TAGS)})>", re.IGNORECASE)

#: What the rest of a text may begin with to be prose and not more data.
_PROSE = re.compile(r"[A-Za-z`<*#(]")


class BadJson(ValueError):
    """Text that is no JSON; says why and where. Never leaves the readers."""

    def __init__(self, expected: str, line: int, column: int, value: str) -> None:
        super().__init__(expected)
        self.expected, self.line, self.column, self.value = expected, line, column, value


class Repeated(dict[str, Any]):
    """A JSON object that named some keys more than once; the last value of each is kept."""

    repeated: tuple[str, ...] = ()


class Embedded(NamedTuple):
    """A JSON value found in a text.

    Attributes
    ----------
    text : str
        The text from its first character on.
    line, at : int
        The line and the offset of that character in the whole text.
    surrounded : bool
        There is other text around it.
    before : str
        What stands before it, but for a model's thoughts.
    """

    text: str
    line: int
    at: int
    surrounded: bool
    before: str = ""


class Decoder(json.JSONDecoder):
    """Decodes JSON and notes whether any object named a key twice, which is rare."""

    def __init__(self) -> None:
        super().__init__(object_pairs_hook=self._object)
        self.met_repeated = False

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Make a dict that remembers repeated keys."""
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        self.met_repeated = True
        noted = Repeated(value)
        seen: set[str] = set()
        noted.repeated = tuple(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        return noted


_DOCUMENT = Decoder()


def line_value(text: str, decoder: Decoder = _DOCUMENT) -> Any:
    """Return the JSON value of one line; objects that name a key twice come back as `Repeated`.

    Raises
    ------
    BadJson
        Says what is wrong and at which column.
    """
    try:
        return decoder.decode(text)
    except (RecursionError, ValueError) as error:
        raise _explained(error, text) from None


def named_twice(value: Any) -> list[str]:
    """Return the keys that an object, or a list or an object within it, names more than once."""
    found: list[str] = []
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, Repeated):
            found += item.repeated
        inner = item.values() if isinstance(item, dict) else item
        left += [each for each in inner if isinstance(each, (dict, list))]
    return found


def first_value(text: str, decoder: Decoder = _DOCUMENT) -> tuple[Any, int]:
    """Return the JSON value that a text begins with, and where it ends.

    Objects that name a key twice come back as `Repeated`.

    Raises
    ------
    BadJson
        Says what is wrong, at which line and column.
    """
    start = len(text) - len(text.lstrip())
    try:
        return decoder.raw_decode(text, start)
    except (RecursionError, ValueError) as error:
        raise _explained(error, text) from None


def _explained(error: Exception, text: str) -> BadJson:
    """Say what is wrong with a text that the decoder refused."""
    if not isinstance(error, json.JSONDecodeError):
        deep = isinstance(error, RecursionError)
        why = "JSON that is nested less deeply" if deep else "numbers of at most 4300 digits"
        return BadJson(why, 1, 1, shown(text.strip(), 40))
    rest = text[error.pos :].strip()
    if _cut_off(error.msg, rest):
        end = text.rstrip()
        line, column = end.count("\n") + 1, len(end) - end.rfind("\n")
        return BadJson("a whole JSON value; the text is truncated", line, column, "")
    return BadJson(f"JSON ({error.msg})", error.lineno, error.colno, shown(rest, 40))


def _cut_off(message: str, rest: str) -> bool:
    """Say whether the text ended before the value did."""
    if message.startswith("Unterminated string") or not rest:
        return True
    literals = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
    if message.startswith("Expecting value") and any(word.startswith(rest) for word in literals):
        return True
    if message.startswith("Invalid \\"):
        return len(rest) < 6 and '"' not in rest
    return bool(_NUMBER_TAIL.fullmatch(rest))


def is_prose(rest: str) -> bool:
    """Say whether what follows a JSON value is words, and no data."""
    return bool(_PROSE.match(rest)) and not any(
        line.lstrip().startswith(("{", "[")) for line in rest.splitlines()
    )


def find_json(text: str) -> Embedded | None:
    """Find the JSON in what a model said: after its thoughts, in a fence, amid prose.

    Returns None where there is none. Only an object, or an array of objects or arrays, counts.
    """
    start = max((end.end() for end in _THOUGHT_END.finditer(text)), default=0)
    if start == 0 and _THOUGHT.match(text.lstrip()):
        return None
    for fence in _FENCE.finditer(text, start):
        if fence.group(1).lstrip().startswith(("{", "[")):
            return _embedded(text, start, fence.start(1), fence.group(1), True)
    body = text[start:]
    if body.lstrip().startswith(("{", "[")):
        return _embedded(text, start, start, body, start > 0)
    for count, opening in enumerate(_OPENING.finditer(body)):
        if count == _MOST_OPENINGS:
            return None
        tail = body[opening.start() :]
        try:
            value, _ = first_value(tail)
        except BadJson as bad:
            # A cut-off object is worth a message; a stray bracket in prose is not.
            if "truncated" not in bad.expected or not re.match(r'[{\[]\s*["{\[]', tail):
                continue
            value = {"": None}
        if value and (isinstance(value, dict) or isinstance(value[0], (dict, list))):
            return _embedded(text, start, start + opening.start(), tail, True)
    return None


def _embedded(text: str, start: int, at: int, found: str, surrounded: bool) -> Embedded:
    """Make the result of a search that began at `start`."""
    return Embedded(found, text.count("\n", 0, at) + 1, at, surrounded, text[start:at])


def values_within(text: str) -> Iterator[tuple[int, Any]]:
    """Give the JSON objects and arrays amid a text, each with its offset."""
    at = 0
    for _ in range(_MOST_OPENINGS):
        opening = _OPENING.search(text, at)
        if opening is None:
            return
        try:
            value, length = first_value(text[opening.start() :])
        except BadJson:
            at = opening.end()
            continue
        yield opening.start(), value
        at = opening.start() + length


def parsed_if_text(value: object) -> object:
    """Return a JSON array or object that stands as a string in a column, parsed.

    Raises
    ------
    BadJson
        The string is no JSON.
    """
    return line_value(value) if isinstance(value, str) else value
