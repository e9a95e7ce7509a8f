"""Attacks and variations by name: ``cut,k=3``, ``shift,seconds=-0.5``, ``hedged``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from segjudge.annotations import Annotations, Bool
from segjudge.baselines import moves, wordings
from segjudge.baselines.options import Options
from segjudge.errors import UsageError

Function = Callable[[Annotations, Bool], Annotations]
Kind = Literal["attack", "variation"]


@dataclass(frozen=True, slots=True)
class Attack:
    """Something done to a prediction that teaches it nothing about the video.

    Attributes
    ----------
    key : str
        Name and options: ``shift,seconds=-0.5``.
    name : str
    options : mapping of str to str
        The options that differ from their default.
    kind : {"attack", "variation"}
        An attack is done for the score's sake; a variation is what honest tools do.
    rewords : bool
        Whether it changes labels, so that its label pairs must be judged anew.
    make : callable
        The prediction, and which of its segments earn anything as they are; annotations out.
    """

    key: str
    name: str
    options: Mapping[str, str]
    kind: Kind
    rewords: bool
    make: Function = field(compare=False)


def attack(text: str) -> Attack:
    """Make an attack from its name and options.

    Raises
    ------
    UsageError
        No attack has that name, or it has no such option.
    """
    options = Options(text)
    factory = ATTACKS.get(options.name)
    if factory is None:
        raise UsageError(f"no attack is called {options.name!r}; there are {', '.join(ATTACKS)}")
    make = factory(options)
    options.finish()
    kind: Kind = "variation" if options.name in _VARIATIONS else "attack"
    rewords = options.name in _REWORDING
    return Attack(options.key, options.name, dict(options.taken), kind, rewords, make)


def _cut(options: Options) -> Function:
    k = options.whole("k", 2, 2)
    return lambda prediction, accepted: moves.cut(prediction, k)


def _merge(options: Options) -> Function:
    gap = options.microseconds("gap", "0") if options.has("gap") else 0
    return lambda prediction, accepted: moves.merge(prediction, gap)


def _duplicate(options: Options) -> Function:
    n = options.whole("n", 2, 2)
    return lambda prediction, accepted: moves.duplicate(prediction, n)


def _stack(options: Options) -> Function:
    n = options.whole("n", 10, 2)
    return lambda prediction, accepted: moves.stack(prediction, accepted, n)


def _shift(options: Options) -> Function:
    by = options.microseconds("seconds", "0.5", signed=True)
    return lambda prediction, accepted: moves.shift(prediction, by)


def _jitter(options: Options) -> Function:
    most = options.microseconds("seconds", "0.5")
    seed = options.whole("seed", 0, 0)
    return lambda prediction, accepted: moves.jitter(prediction, most, seed)


def _round(options: Options) -> Function:
    step = options.microseconds("seconds", "1")
    return lambda prediction, accepted: moves.round_to(prediction, step)


def _floor(options: Options) -> Function:
    step = options.microseconds("seconds", "1")
    return lambda prediction, accepted: moves.floor_to(prediction, step)


def _drop(options: Options) -> Function:
    share = options.share("share", "0.1")
    return lambda prediction, accepted: moves.drop_shortest(prediction, share)


def _stretch(options: Options) -> Function:
    how = options.choice("how", ("ends", "gaps", "each"))
    return lambda prediction, accepted: moves.stretch(prediction, how)


def _umbrella(options: Options) -> Function:
    label, seed = options.text_of("label", ""), options.whole("seed", 0, 0)
    return lambda prediction, accepted: wordings.umbrella(prediction, label, seed)


def _hedged(options: Options) -> Function:
    return lambda prediction, accepted: wordings.hedged(prediction)


def _stuffed(options: Options) -> Function:
    return lambda prediction, accepted: wordings.stuffed(prediction)


def _injected(options: Options) -> Function:
    text = options.text_of("text", wordings.INJECTION)
    return lambda prediction, accepted: wordings.injected(prediction, text)


#: Name -> what makes it from its options.
ATTACKS: dict[str, Callable[[Options], Function]] = {
    "cut": _cut,
    "merge": _merge,
    "duplicate": _duplicate,
    "stack": _stack,
    "shift": _shift,
    "jitter": _jitter,
    "round": _round,
    "floor": _floor,
    "drop": _drop,
    "stretch": _stretch,
    "umbrella": _umbrella,
    "hedged": _hedged,
    "stuffed": _stuffed,
    "injected": _injected,
}

_VARIATIONS = {"merge", "shift", "jitter", "round", "floor"}
_REWORDING = {"umbrella", "hedged", "stuffed", "injected"}
