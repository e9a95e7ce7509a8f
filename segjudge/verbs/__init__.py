"""Verb classes of a closed vocabulary, and which of them a label means."""

from __future__ import annotations

from functools import cache

from segjudge.errors import UsageError
from segjudge.verbs.coverage import about_prediction, check_reference, unresolved
from segjudge.verbs.forms import forms
from segjudge.verbs.lists import DEFAULT, EGO4D
from segjudge.verbs.table import from_csv
from segjudge.verbs.taxonomy import Resolution, Taxonomy, Tier, Verb

__all__ = [
    "DEFAULT",
    "EGO4D",
    "Resolution",
    "Taxonomy",
    "Tier",
    "Verb",
    "about_prediction",
    "built_in",
    "check_reference",
    "forms",
    "from_csv",
    "unresolved",
]


@cache
def built_in(name: str = DEFAULT) -> Taxonomy:
    """Return one of the Ego4D lists: ``ego4d-118``, ``ego4d-117`` or ``ego4d-115``.

    Raises
    ------
    UsageError
        There is no such list.
    """
    if name not in EGO4D:
        raise UsageError(f"no list of verbs is called {name!r}; there are {', '.join(EGO4D)}")
    return Taxonomy(name, [Verb.parse(label) for label in EGO4D[name]])
