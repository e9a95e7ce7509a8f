"""How far a judge has come, for people to watch and for the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Progress:
    """Counts over a judge's whole life.

    Attributes
    ----------
    stored : int
        Questions decided by answers kept before.
    asked : int
        Questions decided by asking.
    failed : int
        Questions that ended as a `Failure`.
    failures : Counter
        The same by reason.
    calls, retries : int
        Calls sent, and those among them that repeat a call which the server failed.
    tokens_in, tokens_out : int
        Of the replies that said so.
    cost_usd : float
        Of the calls whose cost is known.
    unpriced : int
        Replies whose cost is not known.
    reckoned_usd : float
        As `cost_usd`, with an estimate for the unpriced replies: what a budget is held by.
    begun : int
        Questions that were begun to be asked: what a limit is held by.
    models : Counter
        Replies by the model that answered, by its own account.
    steering : set of str
        Labels that look as if they were to steer the judge.
    """

    stored: int = 0
    asked: int = 0
    failed: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    reckoned_usd: float = 0.0
    begun: int = 0
    models: Counter[str] = field(default_factory=Counter)
    steering: set[str] = field(default_factory=set)

    @property
    def decided(self) -> int:
        """Questions with a judgment."""
        return self.stored + self.asked
