"""How asking for one answer ended, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from segjudge.judge.parsing import Read
from segjudge.judge.samples import Sample
from segjudge.judge.transport import Reply


@dataclass(slots=True)
class Bill:
    """What one pair's answer took: its share of each call. None once a part is unknown."""

    calls: int = 0
    usage: dict[str, Any] | None = field(default_factory=dict)
    cost_usd: float | None = 0.0

    def add(self, usage: Mapping[str, Any] | None, cost: float | None, pairs: int) -> None:
        """Add this pair's share of a reply."""
        self.calls += 1
        known = self.usage
        if usage is None or known is None:
            self.usage = None
        else:
            names = dict.fromkeys([*known, *usage])
            self.usage = {
                name: known.get(name, 0) + (n if pairs == 1 else n / pairs)
                for name in names
                for n in (usage.get(name, 0),)
            }
        missing = cost is None or self.cost_usd is None
        self.cost_usd = None if missing else (self.cost_usd or 0.0) + (cost or 0.0) / pairs


@dataclass(slots=True, eq=False)
class Outcome:
    """How asking for a sample ended: `read` and `reply`, or the reason why there is no answer."""

    sample: Sample
    bill: Bill
    read: Read | None = None
    reply: Reply | None = None
    batch: dict[str, Any] | None = None
    reason: str = ""
    detail: str = ""

    def fail(self, reason: str, detail: str) -> Outcome:
        """Say that there is no answer, and why."""
        self.reason, self.detail = reason, detail
        return self
