"""A time value of a file as whole microseconds, exactly."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from fractions import Fraction

from segjudge.formats.interface import Unit

#: Times beyond this many seconds (317 years) are refused: no clock, most likely a wrong unit.
LATEST_SECONDS = 10**10

PER_UNIT = {"s": 1_000_000, "ms": 1_000, "us": 1}
UNIT_NAMES = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "frames": "frames"}

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_SHORT = re.compile(r"([0-9]{1,10})(?:\.([0-9]{0,6}))?")
_CLOCK = re.compile(r"(-?)(?:([0-9]{1,7}):)?([0-9]{1,9}):([0-9]{1,2}(?:\.[0-9]*)?)")
_SUFFIX = re.compile(r" ?s")
_LONGEST = 100
_EXACT = Context(prec=60, rounding=ROUND_HALF_EVEN)
_STEP = {name: Decimal(1) / per for name, per in PER_UNIT.items()}


class BadTime(ValueError):
    """A value that is no time; says what was expected. Never leaves the readers."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected)
        self.expected = expected


def microseconds(value: object, unit: Unit = "s", fps: Fraction | None = None) -> int:
    """Return a time as whole microseconds, rounded half to even on the exact decimal.

    Parameters
    ----------
    value : object
        A number, a numeric string, or a clock string: ``MM:SS``, ``MM:SS.f``, ``HH:MM:SS.f``.
        ``38.038s`` and ``01:02.5 s`` are read too. A clock string says its own unit.
    unit : {"s", "ms", "us", "frames"}
        Unit of plain numbers.
    fps : Fraction, optional
        Frames a second, needed for frames. Frame n begins at n / fps.

    Raises
    ------
    BadTime
        The value is no finite time between 0 and `LATEST_SECONDS`.
    """
    if unit == "frames":
        return _frame(value, fps)
    kind = type(value)
    if kind is float:
        return _from_float(value, unit)  # type: ignore[arg-type]
    if kind is int:
        return _checked(value, PER_UNIT[unit])  # type: ignore[arg-type]
    if kind is str:
        return _from_text(value, unit)  # type: ignore[arg-type]
    if isinstance(value, Decimal):
        return _from_decimal(value, unit)
    raise BadTime(_expected(unit))


def _checked(number: int, per_unit: int) -> int:
    """Return a whole number of units in microseconds, if it is in range."""
    if number < 0:
        raise BadTime("a time of at least 0")
    if number * per_unit > LATEST_SECONDS * 1_000_000:
        raise BadTime(f"a time of at most {LATEST_SECONDS} s; is the unit right?")
    return number * per_unit


def _from_float(value: float, unit: Unit) -> int:
    """Round a float by the decimal that it prints as."""
    scaled = value * PER_UNIT[unit]
    if 0.0 <= scaled < 1e12:
        near = round(scaled)
        # Far enough from a tie, the float product can't differ from the exact decimal.
        if abs(scaled - near) < 0.499:
            return near
    return _from_decimal(Decimal(repr(value)), unit)


def _from_decimal(value: Decimal, unit: Unit) -> int:
    """Round an exact decimal number of units."""
    if not value.is_finite():
        raise BadTime("a finite time")
    if value < 0:
        raise BadTime("a time of at least 0")
    if value > LATEST_SECONDS * 1_000_000 // PER_UNIT[unit]:
        raise BadTime(f"a time of at most {LATEST_SECONDS} s; is the unit right?")
    rounded = value.quantize(_STEP[unit], context=_EXACT)
    return int(_EXACT.multiply(rounded, PER_UNIT[unit]))


def _from_text(text: str, unit: Unit) -> int:
    """Read a numeric string or a clock string."""
    short = _SHORT.fullmatch(text)
    if short and unit == "s":
        whole, part = short.groups()
        if len(whole) < 10:
            return int(whole) * 1_000_000 + int((part or "").ljust(6, "0"))
    stripped = text.strip()
    if not stripped:
        raise BadTime(_expected(unit))
    if len(stripped) > _LONGEST:
        raise BadTime(_expected(unit))
    body = stripped[:-1].rstrip() if stripped.endswith("s") else stripped
    clock = _CLOCK.fullmatch(body)
    if clock:
        return _from_clock(clock)
    if _DECIMAL.fullmatch(body):
        try:
            # A trailing s says seconds, whatever the unit of bare numbers.
            return _from_decimal(Decimal(body), "s" if body != stripped else unit)
        except InvalidOperation:
            raise BadTime(_expected(unit)) from None
    if body.lstrip("+-").lower() in ("nan", "inf", "infinity"):
        raise BadTime("a finite time")
    raise BadTime(_expected(unit))


def _from_clock(clock: re.Match[str]) -> int:
    """Read ``[HH:]MM:SS[.f]``; only the leading part may pass 59."""
    sign, hours, minutes, seconds = clock.groups()
    if sign:
        raise BadTime("a time of at least 0")
    if Decimal(seconds) >= 60 or (hours is not None and int(minutes) >= 60):
        raise BadTime("a clock time with minutes and seconds below 60")
    whole = int(hours or 0) * 3600 + int(minutes) * 60
    return _from_decimal(_EXACT.add(Decimal(whole), Decimal(seconds)), "s")


def _frame(value: object, fps: Fraction | None) -> int:
    """Return when a frame begins; the numbers of a table may be whole floats or strings."""
    if fps is None:
        raise BadTime("frames a second for times in frames: a field fps, or --fps")
    if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,18}\s*", value):
        value = int(value)
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    if type(value) is not int:
        raise BadTime("a whole frame number")
    if value < 0:
        raise BadTime("a frame number of at least 0")
    if value > LATEST_SECONDS * fps:
        raise BadTime(f"a time of at most {LATEST_SECONDS} s; are the frames and fps right?")
    return round(Fraction(value * 1_000_000) / fps)


def _expected(unit: Unit) -> str:
    """Say what a time looks like."""
    return f"a time: {UNIT_NAMES[unit]} as a number, MM:SS or HH:MM:SS"


def frame_rate(value: object) -> Fraction | None:
    """Return frames a second as an exact fraction, or None if `value` is no such number."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", value):
        rate = Fraction(value)
    elif (
        # This compares without making a float of a huge number, and is false for NaN.
        isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= 1e6
    ):
        rate = Fraction(repr(value))
    else:
        return None
    return rate if 0 < rate <= 1_000_000 else None


def seconds_text(time: int) -> str:
    """Write microseconds as the shortest exact decimal of seconds: 1500000 is ``1.5``."""
    sign = "-" if time < 0 else ""
    whole, part = divmod(abs(time), 1_000_000)
    return f"{sign}{whole}.{part:06d}".rstrip("0").rstrip(".")
