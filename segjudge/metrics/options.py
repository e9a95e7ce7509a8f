"""How a metric is named: ``name[@threshold][,option=value]...``.

For example ``semantic_f1@0.75,snap=outer``.
"""

from __future__ import annotations

from collections.abc import Sequence

from segjudge.errors import UsageError
from segjudge.overlaps import Threshold

#: Where a metric that has a threshold is asked for without one.
DEFAULT_THRESHOLD = "0.75"


class Options:
    """What stands behind a metric's name; a factory takes what it knows, then calls `finish`.

    Parameters
    ----------
    text : str
        The whole, ``semantic_f1@0.75,snap=outer``.
    resolution : int
        Microseconds to which the files' times are rounded (1, or 1000 for whole milliseconds).

    Raises
    ------
    UsageError
        The text is not of this shape, or an option is given twice.
    """

    def __init__(self, text: str, resolution: int = 1) -> None:
        self.text = text
        head, *rest = text.strip().split(",")
        self.name, at, threshold = head.partition("@")
        self._threshold = threshold if at else None
        self._resolution = resolution
        self._given: dict[str, str] = {}
        for option in rest:
            name, equals, value = option.strip().partition("=")
            if not equals or not name or name in self._given:
                raise UsageError(
                    f"metric {text!r}: {option!r} is no option; expected NAME=VALUE, each once"
                )
            self._given[name] = value

    def threshold(self) -> Threshold:
        """Take the IoU threshold; 0.75 if none is given."""
        text = DEFAULT_THRESHOLD if self._threshold is None else self._threshold
        self._threshold = None
        return Threshold.parse(text, self._resolution)

    def choice(self, name: str, allowed: Sequence[str]) -> str:
        """Take an option that has a few values; the first is the default."""
        value = self._given.pop(name, allowed[0])
        if value not in allowed:
            raise UsageError(
                f"metric {self.text!r}: {name}={value!r} is unknown; "
                f"expected {' or '.join(allowed)}"
            )
        return value

    def finish(self) -> None:
        """Refuse whatever has not been taken."""
        left = [f"{name}={value}" for name, value in self._given.items()]
        left += [f"@{self._threshold}"] if self._threshold is not None else []
        if left:
            raise UsageError(f"metric {self.text!r}: {self.name} has no {', '.join(left)}")
