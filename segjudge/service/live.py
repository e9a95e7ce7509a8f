"""How far the runs have come, for whoever watches: the last state of each, and its number."""

from __future__ import annotations

import json
import threading
from typing import Any

from segjudge.judge.progress import Progress

#: What a run counts.
COUNTS = ("total", "decided", "stored", "asked", "failed", "calls", "tokens")


def counted(progress: Progress, total: int) -> dict[str, Any]:
    """Return the counts of a judge as JSON knows them."""
    return {
        "total": total,
        "decided": progress.decided,
        "stored": progress.stored,
        "asked": progress.asked,
        "failed": progress.failed,
        "calls": progress.calls,
        "tokens": progress.tokens_in + progress.tokens_out,
        "cost_usd": None if progress.unpriced else round(progress.cost_usd, 6),
    }


class Live:
    """The last state of each run that waits or runs. Any thread may write and read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._states: dict[str, tuple[int, dict[str, Any]]] = {}

    def say(self, run: str, **news: Any) -> dict[str, Any]:
        """Change the state of a run; return all of it."""
        with self._lock:
            number, state = self._states.get(run, (0, {}))
            state = {**state, **news}
            self._states[run] = number + 1, state
        return state

    def get(self, run: str) -> tuple[int, dict[str, Any]] | None:
        """Return the number and the state, if the run waits or runs."""
        with self._lock:
            return self._states.get(run)

    def forget(self, run: str) -> None:
        """Drop a run that has ended."""
        with self._lock:
            self._states.pop(run, None)


def event(name: str, number: int, data: dict[str, Any]) -> str:
    """Return a server-sent event."""
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
