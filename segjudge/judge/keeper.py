"""The one task that writes to the store, in batches, and says when an answer is on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from segjudge.cache.answers import Answer, FailedAttempt
from segjudge.errors import InputError, StoppedEarly

#: At most so many entries go into one transaction.
BATCH = 256


class AnswerStore(Protocol):
    """What is used of the store."""

    def get(self, digests: Sequence[str]) -> dict[str, Answer]:
        """Return the answers that are there, by digest."""

    def put(self, answers: Sequence[tuple[str, Answer]]) -> None:
        """Keep answers, durably."""

    def fail(self, attempts: Sequence[FailedAttempt]) -> None:
        """Keep failed attempts."""


_Entry = tuple[list[tuple[str, Answer]], list[FailedAttempt], "asyncio.Future[None]"]


class Keeper:
    """Keeps what was answered, for any number of workers."""

    def __init__(self, store: AnswerStore) -> None:
        self._store = store
        self._queue: asyncio.Queue[_Entry | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._write(), name="segjudge-keeper")

    async def keep(self, answers: list[tuple[str, Answer]], failures: list[FailedAttempt]) -> None:
        """Return when all of it is on disk.

        Raises
        ------
        StoppedEarly
            The store can't be written, so nothing more must be paid for.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((answers, failures, done))
        await done

    async def close(self) -> None:
        """Write what is still waiting, then end."""
        self._queue.put_nowait(None)
        await self._task

    async def _write(self) -> None:
        ending = False
        while not ending:
            entries = [await self._queue.get()]
            while len(entries) < BATCH and not self._queue.empty():
                entries.append(self._queue.get_nowait())
            ending = None in entries
            batch = [entry for entry in entries if entry is not None]
            if batch:
                await self._write_batch(batch)

    async def _write_batch(self, batch: list[_Entry]) -> None:
        answers = [answer for entry in batch for answer in entry[0]]
        failures = [failure for entry in batch for failure in entry[1]]
        try:
            await asyncio.to_thread(self._commit, answers, failures)
        except Exception as error:
            for *_, done in batch:
                if not done.done():
                    done.set_exception(_unwritable(error))
            return
        for *_, done in batch:
            if not done.done():
                done.set_result(None)

    def _commit(self, answers: list[tuple[str, Answer]], failures: list[FailedAttempt]) -> None:
        if answers:
            self._store.put(answers)
        if failures:
            self._store.fail(failures)


def _unwritable(error: Exception) -> StoppedEarly:
    what = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
    stopped = StoppedEarly(f"the store can't be written, so nothing more is asked: {what}")
    stopped.__cause__ = error
    return stopped
