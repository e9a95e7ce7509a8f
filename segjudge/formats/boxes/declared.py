"""What coordinates are given in, and in which order: said by the file or by an option."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from segjudge.boxes import COORDS, ORDERS, Coords, Order
from segjudge.errors import UsageError
from segjudge.formats.boxes.collect import Collector
from segjudge.formats.build import seen


@dataclass(frozen=True, slots=True)
class Declared:
    """What the user says of a file's boxes.

    Attributes
    ----------
    coords : {"px", "unit", "thousand", "percent"} or None
    order : {"xyxy", "xywh", "yxyx", "xxyy"} or None
    """

    coords: Coords | None = None
    order: Order | None = None

    @classmethod
    def of(cls, coords: str | None, order: str | None) -> Declared:
        """Check the two options.

        Raises
        ------
        UsageError
            One of them has no such value.
        """
        if coords is not None and coords not in COORDS:
            raise UsageError(f"--coords {coords}: there are {', '.join(COORDS)}")
        if order is not None and order not in ORDERS:
            raise UsageError(f"--order {order}: there are {', '.join(ORDERS)}")
        return cls(coords, order)

    def of_record(
        self, row: Mapping[str, Any], default: Order | None, collector: Collector, place: str
    ) -> tuple[Coords, Order] | None:
        """Return the coordinates and order of one record, or None after telling what lacks.

        Parameters
        ----------
        row : mapping
            May say ``coords`` and ``order`` itself; an option must not contradict it.
        default : str or None
            The order that the format itself implies.
        """
        coords = _agreed(row.get("coords"), self.coords, COORDS, "coords", collector, place)
        order = _agreed(row.get("order"), self.order, ORDERS, "order", collector, place)
        order = default if order is None else order
        if coords is None or order is None:
            return None
        if not coords or not order:
            return None
        return cast(Coords, coords), cast(Order, order)


def undeclared(file: str, name: str, allowed: tuple[str, ...]) -> UsageError:
    """Make the error on a file that does not say what the user must."""
    return UsageError(
        f"{file} does not say the {name} of its boxes; say it with --{name} {'|'.join(allowed)}"
    )


def _agreed(
    said: object,
    given: str | None,
    allowed: tuple[str, ...],
    name: str,
    collector: Collector,
    place: str,
) -> str | None:
    """Return what file and option agree on, None where neither says it, "" after a fault."""
    if said is None or said == "":
        return given
    if said not in allowed:
        collector.problem(place, name, seen(said), " or ".join(allowed))
        return ""
    if given is not None and said != given:
        collector.problem(place, name, seen(said), f"{given}, as --{name} says")
        return ""
    return str(said)
