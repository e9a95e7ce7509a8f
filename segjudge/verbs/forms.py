"""The forms of a verb, built from its dictionary form: "put" gives "puts", "putting".

Built and never guessed backwards: taking letters off the end makes "sew" of no form of it, and
"ty" of "tying".
"""

from __future__ import annotations

import re

#: Past and participle of the heads that have their own.
_IRREGULAR = {
    "blow": "blew blown", "break": "broke broken", "catch": "caught", "cut": "cut", "dig": "dug",
    "draw": "drew drawn", "drive": "drove driven", "feed": "fed", "give": "gave given",
    "grind": "ground", "hang": "hung hanged", "hit": "hit", "hold": "held", "knit": "knit knitted",
    "put": "put", "read": "read", "sew": "sewed sewn", "shake": "shook shaken", "sit": "sat",
    "stand": "stood", "stick": "stuck", "swing": "swung", "take": "took taken",
    "throw": "threw thrown", "wear": "wore worn", "write": "wrote written",
}  # fmt: skip

#: One vowel between consonants, as in "dip": the last letter doubles.
_DOUBLES = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")
_SILENT_E = re.compile(r".*[^eoy]e")
_CONSONANT_Y = re.compile(r".*[^aeiou]y")
_HISSES = ("s", "x", "z", "ch", "sh", "o")


def forms(verb: str) -> frozenset[str]:
    """Return the forms of a verb other than itself: with -s, with -ing, and the past.

    Parameters
    ----------
    verb : str
        Lower case; of several words ("turn off") the first one changes.
    """
    word, space, rest = verb.partition(" ")
    found = {_third(word), _gerund(word), *_past(word)}
    return frozenset(form + space + rest for form in found) - {verb}


def _third(word: str) -> str:
    if _CONSONANT_Y.fullmatch(word):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(_HISSES) else "s")


def _gerund(word: str) -> str:
    if word.endswith("ie"):
        return word[:-2] + "ying"
    if _SILENT_E.fullmatch(word):
        return word[:-1] + "ing"
    return _doubled(word) + "ing"


def _past(word: str) -> list[str]:
    if word in _IRREGULAR:
        return _IRREGULAR[word].split()
    if word.endswith("e"):
        return [word + "d"]
    if _CONSONANT_Y.fullmatch(word):
        return [word[:-1] + "ied"]
    return [_doubled(word) + "ed"]


def _doubled(word: str) -> str:
    return word + word[-1] if _DOUBLES.fullmatch(word) else word
