"""How fast a server may be asked: slots, requests and tokens a minute, and the shared pause."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from segjudge.errors import UsageError

#: A minute, in seconds: what the limits of providers are counted over.
MINUTE = 60.0

#: Connections pools hold about 100; a wait for one looks like a time-out of the server.
MOST_CALLS = 80


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long to try again. Times in seconds.

    Attributes
    ----------
    attempts : int
        Calls for one question while the server fails, before it is given up.
    first_wait, longest_wait : float
        The wait doubles from the first to the longest.
    longest_pause : float
        Of a server's Retry-After no more than this is waited at a time.
    total_pause : float
        Time that one question waits for a server that says 429, before it is given up.
    grace : float
        Time given to calls in flight when a run is cancelled.
    """

    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 30.0
    longest_pause: float = 120.0
    total_pause: float = 900.0
    grace: float = 5.0

    def wait(self, attempt: int) -> float:
        """Return how long to wait after so many attempts, with jitter."""
        longest = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        return longest * random.uniform(0.5, 1.0)


class Gate:
    """What every call passes. For one event loop.

    Parameters
    ----------
    concurrency : int
        Most slots taken at a time. A slot is left only when its answer is kept.
    rpm, tpm : int, optional
        Requests and tokens a minute.
    """

    def __init__(self, concurrency: int, rpm: int | None = None, tpm: int | None = None) -> None:
        if not 1 <= concurrency <= MOST_CALLS:
            raise UsageError(f"concurrency is {concurrency}, expected 1 to {MOST_CALLS}")
        for name, limit in (("rpm", rpm), ("tpm", tpm)):
            if limit is not None and limit < 1:
                raise UsageError(f"{name} is {limit}, expected 1 or more")
        self._slots = asyncio.Semaphore(concurrency)
        self._requests = _throttler(rpm) if rpm else None
        self._tokens = TokenLog(tpm) if tpm else None
        self._paused_until = 0.0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold one of the slots."""
        async with self._slots:
            yield

    async def start(self, tokens: int) -> None:
        """Wait until a call of about so many tokens may start. Take it within a slot."""
        if self._tokens:
            await self._tokens.take(tokens)
        await self._unpaused()
        if self._requests:
            # Within a slot few wait at a time; each waiter polls.
            await self._requests.acquire()
            await self._unpaused()

    def correct(self, estimated: int, used: int) -> None:
        """Replace the estimate of a call that ended by what it used."""
        if self._tokens:
            self._tokens.correct(used - estimated)

    def pause(self, seconds: float) -> None:
        """Let nobody start a call for so long."""
        until = asyncio.get_running_loop().time() + seconds
        self._paused_until = max(self._paused_until, until)

    async def _unpaused(self) -> None:
        clock = asyncio.get_running_loop().time
        while (left := self._paused_until - clock()) > 0:
            # Jitter, so that not all come back in the same instant; never earlier than allowed.
            await asyncio.sleep(left + random.uniform(0.0, min(0.25, left / 4)))


class TokenLog:
    """Tokens spent within the last `period` seconds; first come, first served."""

    def __init__(self, limit: int, period: float = MINUTE) -> None:
        self._limit = limit
        self._period = period
        self._log: deque[tuple[float, int]] = deque()
        self._sum = 0
        self._turn = asyncio.Lock()

    async def take(self, tokens: int) -> None:
        """Wait until so many tokens are free; a call larger than the limit waits for all."""
        clock = asyncio.get_running_loop().time
        async with self._turn:  # only the first in the queue sleeps
            while self._forget(clock()) + tokens > self._limit and self._log:
                await asyncio.sleep(max(0.01, self._log[0][0] + self._period - clock()))
            self._add(clock(), tokens)

    def correct(self, difference: int) -> None:
        """Count what a call used more than was estimated, or less."""
        if difference:
            self._add(asyncio.get_running_loop().time(), difference)

    def _add(self, now: float, tokens: int) -> None:
        self._log.append((now, tokens))
        self._sum += tokens

    def _forget(self, now: float) -> int:
        while self._log and self._log[0][0] <= now - self._period:
            self._sum -= self._log.popleft()[1]
        return self._sum


class _Throttler(Protocol):
    """What is used of ``asyncio_throttle.Throttler``, imported only when a rate is given."""

    async def acquire(self) -> object: ...


def _throttler(rpm: int) -> _Throttler:
    """Return a throttle for `rpm` that spreads the minute instead of bursting it."""
    from asyncio_throttle.throttler import Throttler

    # Equal windows, so that any minute holds at most rpm: of 1 to 12 windows those that
    # waste least, then the most.
    windows = max(range(1, 13), key=lambda n: (rpm // n * n, n))
    return Throttler(rpm // windows, MINUTE / windows, retry_interval=0.05)
