"""Showing how far a judge has come: a live line in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress

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
    heading : str
        Said before the first news.

    A reader who has gone, as with ``| head``, stops nothing: what is asked is paid for.
    """

    def __init__(self, total: int, heading: str = "") -> None:
        self._total = total
        self._heading = heading
        self._gone = False
        self._last = time.monotonic()
        self._first: tuple[float, int] | None = None
        self._live: Live | None = None
        self._write: Callable[[str], None] = self._plain

    def __enter__(self) -> Shown:
        if sys.stderr.isatty():
            self._head()
            console = Console(stderr=True, markup=False, highlight=False)
            self._live = Live(Text(""), console=console, refresh_per_second=5, transient=False)
            self._live.start()
            self._write = self._update
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            with suppress(OSError):
                self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Take news of the judge."""
        self._head()
        line = self.line(progress)
        if not self._gone:
            try:
                self._write(line)
            except OSError:
                self._gone = True

    def say(self, line: str) -> None:
        """Print a line on standard error, unless nobody reads it."""
        if not self._gone:
            try:
                print(line, file=sys.stderr, flush=True)
            except OSError:
                self._gone = True

    def _head(self) -> None:
        heading, self._heading = self._heading, ""
        if heading:
            self.say(heading)

    def line(self, progress: Progress) -> str:
        """Return the news as a line: pairs, rate, tokens, cost, time left."""
        done = progress.decided + progress.failed
        now, asked = time.monotonic(), progress.asked + progress.failed
        if asked and self._first is None:
            self._first = now, asked  # before, it was only getting ready
        since, before = self._first or (now, asked)
        rate = (asked - before) / (now - since) if now > since else 0.0
        parts = [f"{done} of {self._total} pairs", f"{progress.stored} from the store"]
        parts += [f"{progress.failed} failed"] if progress.failed else []
        parts += [f"{rate:.1f} a second"] if rate else []
        tokens = progress.tokens_in + progress.tokens_out
        parts += [f"{tokens} tokens"] if tokens else []
        if progress.models:
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
