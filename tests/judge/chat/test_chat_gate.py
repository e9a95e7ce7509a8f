"""Slots, rates and pauses, without a server."""

from __future__ import annotations

import asyncio
import time

import pytest

from segjudge.judge import gate as module
from segjudge.judge.gate import Gate, Patience, TokenLog


async def starts(gate: Gate, count: int, tokens: int = 1) -> list[float]:
    seen: list[float] = []

    async def one() -> None:
        async with gate.slot():
            await gate.start(tokens)
            seen.append(time.monotonic())

    await asyncio.gather(*(one() for _ in range(count)))
    return seen


def most_within(times: list[float], seconds: float) -> int:
    return max(sum(start <= t < start + seconds for t in times) for start in times)


@pytest.mark.parametrize("rpm", [1, 7, 20, 60, 100, 600, 5000])
def test_no_minute_holds_more_than_the_rate(monkeypatch: pytest.MonkeyPatch, rpm: int) -> None:
    throttler = module._throttler(rpm)
    windows = 60.0 / throttler.period  # type: ignore[attr-defined]
    assert windows == pytest.approx(round(windows))
    total = throttler.rate_limit * round(windows)  # type: ignore[attr-defined]
    assert 0.85 * rpm <= total <= rpm


def test_requests_are_spread_and_never_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MINUTE", 0.6)
    times = asyncio.run(starts(Gate(8, rpm=24), 40))
    assert most_within(times, 0.6) <= 24
    assert times[-1] - times[0] < 3


def test_tokens_are_counted_and_corrected() -> None:
    async def main() -> tuple[float, float]:
        log = TokenLog(100, period=0.6)
        started = time.monotonic()
        for _ in range(4):
            await log.take(50)
        first = time.monotonic() - started
        log.correct(-100)
        await log.take(50)
        return first, time.monotonic() - started - first

    first, second = asyncio.run(main())
    assert 0.58 < first < 2
    assert second < 0.5


def test_a_call_larger_than_the_limit_goes_alone() -> None:
    async def main() -> None:
        log = TokenLog(100, period=0.1)
        await log.take(10)
        await asyncio.wait_for(log.take(1_000), 1)

    asyncio.run(main())


def test_a_pause_is_for_everyone_and_never_shorter() -> None:
    async def main() -> list[float]:
        gate = Gate(4)
        gate.pause(0.3)
        gate.pause(0.1)
        started = time.monotonic()
        return [t - started for t in await starts(gate, 10)]

    times = asyncio.run(main())
    assert min(times) > 0.29
    assert max(times) < 2


def test_waits_double_up_to_the_longest() -> None:
    patience = Patience(first_wait=1, longest_wait=8)
    waits = [patience.wait(attempt) for attempt in range(1, 8)]
    for wait, longest in zip(waits, (1, 2, 4, 8, 8, 8, 8), strict=True):
        assert longest / 2 <= wait <= longest
