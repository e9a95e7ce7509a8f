"""Columns of times and boxes out of the values of a file: in bulk, or one by one to find faults."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from segjudge.annotations import Float, Int64
from segjudge.formats.build import seen
from segjudge.formats.clock import BadTime, microseconds

#: Told (index, field, value, expected) of each thing wrong.
Fault = Callable[[int, str, str, str], None]

_NUMBERS = {int, float}


def times_of(values: Sequence[Any], fps: Fraction | None, unit: str, fault: Fault) -> Int64:
    """Return times in microseconds, -1 where there is a fault.

    Parameters
    ----------
    values : sequence
        Numbers, or text as `microseconds` reads it.
    fps : Fraction or None
        For times in frames.
    unit : {"s", "frames"}
    """
    if unit == "s" and set(map(type, values)) <= _NUMBERS:
        fast = _seconds(values)
        if fast is not None:
            return fast
    times = np.full(len(values), -1, np.int64)
    for i, value in enumerate(values):
        try:
            times[i] = microseconds(value, unit, fps)  # type: ignore[arg-type]
        except BadTime as bad:
            fault(i, "t" if unit == "s" else "frame", seen(value), bad.expected)
    return times


def _seconds(values: Sequence[Any]) -> Int64 | None:
    """Return seconds as microseconds where no rounding is close; else None."""
    try:
        scaled = np.array(values, np.float64) * 1_000_000
    except OverflowError:
        return None
    near = np.rint(scaled)
    # Written this way round, NaN is refused too.
    good = (scaled >= 0) & (scaled < 1e12) & (np.abs(scaled - near) < 0.499)
    return near.astype(np.int64) if bool(np.all(good)) else None


def boxes_of(values: Sequence[Any], fault: Fault) -> tuple[Float, npt.NDArray[np.bool_]]:
    """Return boxes as four numbers each, and which of them are sound.

    Parameters
    ----------
    values : sequence
        Lists of four finite numbers.
    """
    if (
        set(map(type, values)) <= {list, tuple}
        and set(map(len, values)) <= {4}
        and set(map(type, chain.from_iterable(values))) <= _NUMBERS
    ):
        flat = chain.from_iterable(values)
        try:
            numbers = np.fromiter(flat, np.float64, 4 * len(values)).reshape(-1, 4)
        except OverflowError:
            numbers = np.full((1, 4), np.nan)
        if bool(np.all(np.isfinite(numbers))):
            return numbers, np.ones(len(values), np.bool_)
    numbers = np.zeros((len(values), 4))
    good = np.zeros(len(values), np.bool_)
    for i, value in enumerate(values):
        if _is_box(value):
            numbers[i], good[i] = value, True
        else:
            fault(i, "box", seen(value), "four finite numbers, or null")
    return numbers, good


def _is_box(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and len(value) == 4
        and all(type(x) in _NUMBERS and abs(x) < 1e300 and math.isfinite(x) for x in value)
    )


def scores_of(values: Sequence[Any], fault: Fault) -> Float:
    """Return scores, NaN where there is none."""
    scores = np.full(len(values), np.nan)
    for i, value in enumerate(values):
        if value is None:
            continue
        if type(value) in _NUMBERS and abs(value) < 1e300 and math.isfinite(value):
            scores[i] = value
        else:
            fault(i, "score", seen(value), "a finite number, or nothing")
    return scores
