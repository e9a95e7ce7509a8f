"""Showing how far a judge has come: a live line in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from rich.console import Console
from rich.live import Live
from rich.text import Text

from segjudge.judge.progress import Progress

#: Seconds between plain lines.
PLAIN_EVERY = 10.0


class Shown:
    """Shows progress on standard error; use it as a context.

    Parameters
    ----------
    total : int
        Questions to decide.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._began = self._last = time.monotonic()
        self._live: Live | None = None
        self._write: Callable[[str], None] = self._plain

    def __enter__(self) -> Shown:
        if sys.stderr.isatty():
            console = Console(stderr=True, markup=False, highlight=False)
            self._live = Live(Text(""), console=console, refresh_per_second=5, transient=False)
            self._live.start()
            self._write = self._update
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Take news of the judge."""
        self._write(self.line(progress))

    def line(self, progress: Progress) -> str:
        """Return the news as a line: pairs, rate, tokens, cost, time left."""
        done = progress.decided + progress.failed
        elapsed = max(time.monotonic() - self._began, 1e-9)
        asked = progress.asked + progress.failed
        rate = asked / elapsed
        parts = [f"{done} of {self._total} pairs", f"{progress.stored} from the store"]
        parts += [f"{progress.failed} failed"] if progress.failed else []
        parts += [f"{rate:.1f} a second"] if asked else []
        tokens = progress.tokens_in + progress.tokens_out
        parts += [f"{tokens} tokens"] if tokens else []
        if progress.calls:
            more = " and more" if progress.unpriced and progress.cost_usd else ""
            known = f"${progress.cost_usd:.4f}{more}"
            parts.append("cost unknown" if progress.unpriced and not more else known)
        if rate and done < self._total:
            parts.append(f"{(self._total - done) / rate:.0f} s left")
        return ", ".join(parts)

    def _update(self, line: str) -> None:
        if self._live is not None:
            self._live.update(Text(line))

    def _plain(self, line: str) -> None:
        now = time.monotonic()
        if now - self._last >= PLAIN_EVERY:
            self._last = now
            print(line, file=sys.stderr, flush=True)
