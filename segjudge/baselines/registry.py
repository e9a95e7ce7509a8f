"""Baselines by name: ``constant``, ``windows,seconds=5``, ``shotgun,k=4``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from segjudge.annotations import Annotations
from segjudge.baselines import constants, controls
from segjudge.baselines.options import Options
from segjudge.errors import UsageError

Function = Callable[[Annotations], Annotations]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A degenerate prediction.

    Attributes
    ----------
    key : str
        Name and options: ``windows,seconds=5``.
    of : {"reference", "prediction"}
        What it is made from. One made from a prediction is that prediction's own control, no
        floor for others.
    make : callable
        Annotations in, annotations out.
    """

    key: str
    of: Literal["reference", "prediction"]
    make: Function = field(compare=False)


def baseline(text: str) -> Baseline:
    """Make a baseline from its name and options.

    Raises
    ------
    UsageError
        No baseline has that name, or it has no such option.
    """
    options = Options(text)
    factory = BASELINES.get(options.name)
    if factory is None:
        raise UsageError(
            f"no baseline is called {options.name!r}; there are {', '.join(BASELINES)}"
        )
    make = factory(options)
    options.finish()
    return Baseline(options.key, "prediction" if factory is _shuffled else "reference", make)


def _constant(options: Options) -> Function:
    return partial(constants.constant, label=options.text_of("label", constants.GENERIC))


def _windows(options: Options) -> Function:
    length = options.microseconds("seconds", "2.5")
    label = options.text_of("label", constants.GENERIC)
    return partial(constants.windows, length=length, label=label)


def _longest(options: Options) -> Function:
    return partial(constants.longest, by=options.choice("by", ("label", "segment", "corpus")))


def _instruction(options: Options) -> Function:
    named = options.text_of("field", "instruction")
    length = options.microseconds("windows", "0") if options.has("windows") else None
    return partial(constants.instruction, field=named, length=length)


def _shuffled(options: Options) -> Function:
    return partial(controls.shuffled, seed=options.whole("seed", 0, 0))


def _borrowed(options: Options) -> Function:
    return controls.borrowed


def _shotgun(options: Options) -> Function:
    given = options.text_of("labels", "")
    labels = tuple(label.strip() for label in given.split(";") if label.strip())
    if labels:
        return partial(constants.shotgun, labels=labels)
    return partial(constants.shotgun, k=options.whole("k", 8))


def _empty(options: Options) -> Function:
    return constants.empty


#: Name -> what makes it from its options.
BASELINES: dict[str, Callable[[Options], Function]] = {
    "constant": _constant,
    "windows": _windows,
    "longest": _longest,
    "instruction": _instruction,
    "shuffled": _shuffled,
    "borrowed": _borrowed,
    "shotgun": _shotgun,
    "empty": _empty,
}
