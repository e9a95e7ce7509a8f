"""The engine: a bounded queue of runs, and the thread and event loop that they are worked on.

Apart from the loop that answers requests, so that neither holds up the other.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from segjudge.cache import Store
from segjudge.errors import InputError, SegjudgeError
from segjudge.service.children import Busy, Children
from segjudge.service.live import Live
from segjudge.service.runs import (
    CANCELLED,
    FAILED,
    QUEUED,
    RUNNING,
    Runs,
    told,
)
from segjudge.service.scorer import Scorer
from segjudge.service.settings import Settings
from segjudge.service.verdicts import Verdicts

log = logging.getLogger("segjudge.service")

_T = TypeVar("_T")


class Engine:
    """Works on runs, a few at a time, in the order in which they came.

    Parameters
    ----------
    settings : Settings
    runs : Runs
    verdicts : Verdicts
    children : Children

    Attributes
    ----------
    live : Live
    scorer : Scorer
        Its store is open from `start` to `stop`.
    """

    def __init__(
        self, settings: Settings, runs: Runs, verdicts: Verdicts, children: Children
    ) -> None:
        self.live = Live()
        self.settings = settings
        self.scorer = Scorer(settings, runs, verdicts, children, self.live)
        self._runs = runs
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="segjudge-engine")
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._lock = threading.Lock()
        self._waiting = 0
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._unwanted: set[str] = set()
        self._workers: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Open the store, take up what an earlier service left unfinished, and begin."""
        self.scorer.store = Store(self.settings.store)
        self._thread.start()
        self.do(self._begin(self._runs.unfinished())).result()

    async def _begin(self, left: list[str]) -> None:
        for run in left:
            self._waiting += 1
            self.live.say(run, state=QUEUED)
            self._queue.put_nowait(run)
        count = range(self.settings.workers)
        self._workers = [asyncio.create_task(self._work()) for _ in count]

    def stop(self) -> None:
        """End: calls in flight get a moment to be kept; unfinished runs go on another time."""
        self.do(self._end()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self.scorer.store.close()

    async def _end(self) -> None:
        runs = [*self._workers, *self._tasks.values()]
        for task in runs:
            task.cancel()
        await asyncio.gather(*runs, return_exceptions=True)
        # Libraries leave tasks of their own behind.
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._loop.shutdown_asyncgens()
        await self._loop.shutdown_default_executor()

    def do(self, work: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Do something on the engine's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def reserve(self) -> None:
        """Take a place in the queue.

        Raises
        ------
        Busy
            None is free.
        """
        with self._lock:
            if self._waiting >= self.settings.queue:
                raise Busy("too many runs are waiting")
            self._waiting += 1

    def release(self) -> None:
        """Give a place in the queue back."""
        with self._lock:
            self._waiting -= 1

    def submit(self, run: str) -> None:
        """Put a run in the place that was reserved."""
        self.live.say(run, state=QUEUED)
        self._loop.call_soon_threadsafe(self._queue.put_nowait, run)

    async def cancel(self, run: str) -> None:
        """Give a run up, whether it waits or runs; what was answered is kept."""
        self._unwanted.add(run)
        task = self._tasks.get(run)
        if task is None:
            self._runs.end(run, CANCELLED)
            self.live.forget(run)
            return
        task.cancel()
        await asyncio.wait([task])

    async def _work(self) -> None:
        while True:
            run = await self._queue.get()
            self.release()
            if run in self._unwanted:
                self._unwanted.discard(run)
                continue
            task = self._tasks[run] = asyncio.create_task(self._run(run))
            try:
                await asyncio.wait([task])
            finally:
                self._tasks.pop(run, None)

    async def _run(self, run: str) -> None:
        """Work on a run, and keep how it ended."""
        try:
            row = self._runs.get(run)
            if row is None:
                return
            self._runs.set(run, state=RUNNING)
            self.live.say(run, state=RUNNING)
            ended = await self.scorer.score(row)
            self._ended(run, ended.state, ended.message, summary=ended.summary, people=ended.people)
        except asyncio.CancelledError:
            if run in self._unwanted:
                self._unwanted.discard(run)
                self._ended(run, CANCELLED)
            raise
        except InputError as error:
            self._ended(run, FAILED, str(error), problems=told(error.problems))
        except SegjudgeError as error:
            self._ended(run, FAILED, str(error))
        except Exception:
            log.exception("run %s failed", run)
            self._ended(run, FAILED, "an unexpected fault of the service; its log says more")
        finally:
            self.live.forget(run)

    def _ended(self, run: str, state: str, message: str = "", **values: Any) -> None:
        found = self.live.get(run)
        progress = {key: found[1][key] for key in found[1] if key != "state"} if found else {}
        self._runs.end(run, state, message, progress=progress, **values)
