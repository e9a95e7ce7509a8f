"""How a baseline or an attack is named: ``name[,option=value]...``, such as ``windows,seconds=5``.

An option is taken with its default; what differs from it is part of the key. A value may hold
commas (``constant,label=cut, stir and serve``): a new option begins only where ``NAME=`` follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from segjudge.annotations import MICROSECONDS
from segjudge.errors import UsageError

_NEXT = re.compile(r",(?=\s*[a-z_]+=)")

#: More seconds than any recording has.
_MOST_SECONDS = 10**9

#: More copies, layers or pieces than anything could show.
_MOST = 1_000_000


class Options:
    """What stands behind a name; a factory takes what it knows, then calls `finish`.

    Parameters
    ----------
    text : str
        The whole, ``windows,seconds=5``.

    Attributes
    ----------
    name : str
    taken : dict of str to str
        The options that differ from their default, in the order they were asked for.

    Raises
    ------
    UsageError
        The text is not of this shape, or an option is given twice.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        head, *rest = _NEXT.split(text.strip())
        self.name = head.strip()
        self.taken: dict[str, str] = {}
        self._given: dict[str, str] = {}
        for option in rest:
            name, _, value = option.strip().partition("=")
            if name in self._given:
                raise UsageError(f"{text!r}: {name} is given twice")
            self._given[name] = value.strip()

    @property
    def key(self) -> str:
        """Name and options, those at their default left out."""
        return ",".join([self.name, *(f"{name}={value}" for name, value in self.taken.items())])

    def has(self, name: str) -> bool:
        """Say whether an option was given."""
        return name in self._given

    def text_of(self, name: str, default: str) -> str:
        """Take a text that must not be blank."""
        value = self._given.pop(name, default)
        if not value and default:
            raise UsageError(f"{self.text!r}: {name} is empty")
        return self._take(name, value, default)

    def choice(self, name: str, allowed: Sequence[str]) -> str:
        """Take an option that has a few values; the first is the default."""
        value = self._given.pop(name, allowed[0])
        if value not in allowed:
            raise UsageError(
                f"{self.text!r}: {name}={value!r} is unknown; expected {' or '.join(allowed)}"
            )
        return self._take(name, value, allowed[0])

    def whole(self, name: str, default: int, least: int = 1) -> int:
        """Take a whole number."""
        text = self._given.pop(name, str(default))
        good = text.isascii() and text.isdigit() and least <= int(text) <= _MOST
        if not good:
            raise UsageError(f"{self.text!r}: {name} must be a whole number from {least} on")
        return int(self._take(name, str(int(text)), str(default)))

    def microseconds(self, name: str, default: str, signed: bool = False) -> int:
        """Take seconds with at most 6 decimals; returns whole microseconds, not 0."""
        number = self._decimal(name, default)
        time = number * MICROSECONDS
        if time != int(time) or not number or abs(number) > _MOST_SECONDS:
            raise UsageError(
                f"{self.text!r}: {name} must be seconds other than 0 with at most 6 decimals"
            )
        if number < 0 and not signed:
            raise UsageError(f"{self.text!r}: {name} must be above 0")
        return int(time)

    def share(self, name: str, default: str) -> Fraction:
        """Take a share, above 0 and below 1."""
        number = self._decimal(name, default)
        if not 0 < number < 1:
            raise UsageError(f"{self.text!r}: {name} must be above 0 and below 1")
        return Fraction(number)

    def finish(self) -> None:
        """Refuse whatever has not been taken."""
        if self._given:
            left = ", ".join(f"{name}={value}" for name, value in self._given.items())
            raise UsageError(f"{self.text!r}: {self.name} has no {left}")

    def _decimal(self, name: str, default: str) -> Decimal:
        text = self._given.pop(name, default)
        try:
            number = Decimal(text)
        except InvalidOperation:
            number = Decimal("nan")
        if not number.is_finite():
            raise UsageError(f"{self.text!r}: {name}={text!r} is no number")
        self._take(name, f"{number.normalize():f}", default)
        return number

    def _take(self, name: str, value: str, default: str) -> str:
        if value != default:
            self.taken[name] = value
        return value
