"""A taxonomy of verbs, and which of them a label means: the tiers of `Taxonomy.resolve`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from segjudge.verbs.forms import forms

_AROUND = re.compile(r" *([(),/]) *")
_BREAKS = re.compile(r"[_\-‐‑\s]+")
_NOT_WORDS = re.compile(r"[(),/\s]+")


@dataclass(frozen=True, slots=True)
class Verb:
    """One class of a taxonomy.

    Attributes
    ----------
    label : str
        As the taxonomy spells it: ``put_(place,_leave,_drop)``.
    head : str
        What stands before ``_(``: ``put``, ``turn_off``.
    synonyms : tuple of str
        What stands in the parenthesis, plain: ``place``, ``turn over``.
    group : tuple of str
        Further words, from the second column of a user's CSV, plain.
    """

    label: str
    head: str
    synonyms: tuple[str, ...] = ()
    group: tuple[str, ...] = ()

    @classmethod
    def parse(cls, label: str, group: Iterable[str] = ()) -> Verb:
        """Take a label apart.

        Synonyms are separated by ``,``, and ``/`` holds two; a parenthesis that begins with
        ``with_`` says how and is no synonym.
        """
        head, _, rest = label.strip().partition("(")
        inside = rest.rpartition(")")[0] if ")" in rest else rest
        words = [] if plain(inside).startswith("with ") else re.split(r"[,/]", inside)
        head = head.strip().rstrip("_")
        synonyms = dict.fromkeys(filter(None, map(plain, words)))
        further = dict.fromkeys(filter(None, map(plain, group)))
        return cls(label.strip(), head, tuple(synonyms), tuple(further))


class Tier(StrEnum):
    """By what a label was recognised, in the order in which it is tried."""

    LABEL = "label"
    HEAD = "head"
    FORM = "form"  # an inflected form of a head
    SYNONYM = "synonym"
    GROUP = "group"
    AMBIGUOUS = "ambiguous"  # a word of several verbs of one tier
    UNKNOWN = "unknown"


class Resolution(NamedTuple):
    """Which verb a label means: its index in the taxonomy, or -1; and how that was found."""

    verb: int
    tier: Tier


def plain(text: str) -> str:
    """Return words as they are compared: case, ``_``, hyphens and a final full stop dropped."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return _BREAKS.sub(" ", text).strip().removesuffix(".").rstrip()


class Taxonomy:
    """Verbs, and the words that mean them.

    Parameters
    ----------
    name : str
        ``ego4d-118``, or the name of a user's file.
    verbs : sequence of Verb
    """

    def __init__(self, name: str, verbs: Sequence[Verb]) -> None:
        self.name = name
        self.verbs = tuple(verbs)
        heads = [plain(verb.head) for verb in self.verbs]
        self._labels = _index((_AROUND.sub(r"\1", plain(v.label)),) for v in self.verbs)
        self._tiers = (
            (Tier.HEAD, _index((head,) for head in heads)),
            (Tier.FORM, _index(forms(head) for head in heads)),
            (Tier.SYNONYM, _index(verb.synonyms for verb in self.verbs)),
            (Tier.GROUP, _index(verb.group for verb in self.verbs)),
        )
        words = (word for _, tier in self._tiers for word in tier)
        self._most_words = max((word.count(" ") + 1 for word in words), default=1)

    def __len__(self) -> int:
        return len(self.verbs)

    def __repr__(self) -> str:
        return f"Taxonomy({self.name!r}, {len(self)} verbs)"

    def resolve(self, label: str) -> Resolution:
        """Find the verb that a label means.

        First the whole label as the taxonomy spells it. Then its leading words, the longest run
        first ("turn off the tap" is ``turn_off``), as: a head, an inflected form of a head, a
        parenthesised synonym, a group word. What stands further back is never looked at, since
        many verbs are nouns too ("the cover", "an iron"). A word that one tier gives to several
        verbs means none.

        Parameters
        ----------
        label : str
            ``put_(place,_leave,_drop)``, ``put``, ``Putting``, ``place``, ``put the cup down``.
        """
        whole = _AROUND.sub(r"\1", plain(label))
        if whole in self._labels:
            return _only(self._labels[whole], Tier.LABEL)
        words = plain(_NOT_WORDS.sub(" ", label)).split()
        for n in range(min(self._most_words, len(words)), 0, -1):
            run = " ".join(words[:n])
            for tier, index in self._tiers:
                if run in index:
                    return _only(index[run], tier)
        return Resolution(-1, Tier.UNKNOWN)


def _index(words_by_verb: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    """Return word -> the verbs that it stands for."""
    found: dict[str, list[int]] = {}
    for verb, words in enumerate(words_by_verb):
        for word in set(words):
            found.setdefault(word, []).append(verb)
    return found


def _only(verbs: list[int], tier: Tier) -> Resolution:
    return Resolution(verbs[0], tier) if len(verbs) == 1 else Resolution(-1, Tier.AMBIGUOUS)
