"""The engine: a bounded queue of runs, and the thread and event loop that they are worked on.

Apart from the loop that answers requests, so that neither holds up the other.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections import defaultdict
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from typing import Any, TypeVar

from segjudge.auditing import Candidate
from segjudge.cache import Store
from segjudge.errors import InputError, SegjudgeError, StoppedEarly
from segjudge.findings import Finding
from segjudge.judge.progress import Progress
from segjudge.judgments import Judgment
from segjudge.report import Report, Run
from segjudge.scoring import Case, fill
from segjudge.service.children import Busy, Children
from segjudge.service.database import RunRow
from segjudge.service.live import Live, counted
from segjudge.service.runs import (
    CANCELLED,
    DONE,
    FAILED,
    QUEUED,
    REPORTED,
    RUNNING,
    STOPPED,
    Runs,
    summary_of,
    told,
)
from segjudge.service.schema import RunOptions
from segjudge.service.settings import Settings
from segjudge.service.verdicts import Verdicts
from segjudge.service.work import Job
from segjudge.writing import write_text

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
    store : Store
        Where answers are kept; open from `start` to `stop`.
    """

    store: Store

    def __init__(
        self, settings: Settings, runs: Runs, verdicts: Verdicts, children: Children
    ) -> None:
        self.live = Live()
        self.settings = settings
        self.children = children
        self._runs = runs
        self._verdicts = verdicts
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="segjudge-engine")
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._lock = threading.Lock()
        self._waiting = 0
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._unwanted: set[str] = set()
        self._workers: list[asyncio.Task[None]] = []
        # Two runs that ask one model at a time could ask the same thing twice.
        self._asking: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._renewing: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def start(self) -> None:
        """Open the store, take up what an earlier service left unfinished, and begin."""
        self.store = Store(self.settings.store)
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
        self.store.close()

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
            await self._score(row)
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

    async def _score(self, row: RunRow) -> None:
        run, options = row.id, RunOptions.model_validate(row.options)
        self.live.say(run, state=RUNNING, stage="reading")
        case, people = await self._built(row, options)
        noticed = len(case.findings)
        state, message = DONE, ""
        try:
            await self._ask(run, case, options)
        except StoppedEarly as stopped:
            state, message = STOPPED, str(stopped)
        self.live.say(run, stage="scoring")
        kept = {
            "run": case.run.model_dump() if case.run else None,
            "findings": [asdict(each) for each in case.findings[noticed:]],
        }
        folder = self.settings.folder(run)
        await asyncio.to_thread(write_text, folder / "asked.json", json.dumps(kept))
        summary = await self._write(row, case, options)
        self._ended(run, state, message, summary=summary, people=people)

    async def _built(self, row: RunRow, options: RunOptions) -> tuple[Case, int]:
        """Return the case of a run with what people say now, and which state of that it is."""
        people, changes = await asyncio.to_thread(self._verdicts.people, options.task)
        job = self.job(row.id, row.names, options, people)
        return await self.children.call("build", job, patient=True), changes

    def job(
        self, run: str, names: Any, options: RunOptions, people: Sequence[Judgment] = ()
    ) -> Job:
        """Return what a process needs to know of a run."""
        replayed = options.use_store and not options.model
        return Job(
            str(self.settings.folder(run).absolute()),
            names,
            options.scores(),
            people,
            store=str(self.settings.store.absolute()) if replayed else None,
            most=self.settings.max_unpacked,
        )

    async def _ask(self, run: str, case: Case, options: RunOptions) -> None:
        """Ask the model, if one is named, for what is missing."""
        total = len(case.decided.missing())
        if not options.model:
            self.live.say(run, total=total, decided=0)
            return
        self.live.say(run, stage="waiting for the model", total=total, decided=0)

        def tell(progress: Progress) -> None:
            self.live.say(run, stage="asking", **counted(progress, total))

        asking = {**options.scores(), **self.settings.asking()}
        async with self._asking[options.model]:
            try:
                await fill(case, **asking, store=self.store, on_progress=tell)
            finally:
                decided = case.unaided or case.decided
                said = [record for record in decided.record if record is not None]
                await asyncio.to_thread(self._verdicts.note, said)

    async def _write(self, row: RunRow, case: Case, options: RunOptions) -> dict[str, Any]:
        text = await self.children.call("finish", case, options.by, patient=True)
        path = self.settings.folder(row.id) / "report.json"
        await asyncio.to_thread(write_text, path, text)
        return summary_of(Report.from_json(text))

    async def revive(self, row: RunRow) -> tuple[Case, int]:
        """Return the case of a run that has ended, asking nothing, with what people say now."""
        options = RunOptions.model_validate(row.options)
        case, people = await self._built(row, options)
        if options.model:
            asking = {**options.scores(), **self.settings.asking()}
            await fill(case, from_store_only=True, **asking, store=self.store)
        asked = json.loads((self.settings.folder(row.id) / "asked.json").read_text())
        case.run = Run(**asked["run"]) if asked["run"] else None
        case.findings += [
            Finding(**{**each, "places": tuple(each["places"])}) for each in asked["findings"]
        ]
        return case, people

    async def renew(self, run: str) -> None:
        """Bring a report up to what people say now."""
        async with self._renewing[run]:
            row = self._runs.get(run)
            if row is None or row.state not in REPORTED:
                return
            if row.people == await asyncio.to_thread(self._verdicts.changes):
                return
            case, people = await self.revive(row)
            options = RunOptions.model_validate(row.options)
            summary = await self._write(row, case, options)
            self._runs.set(run, summary=summary, people=people)

    async def page(self, row: RunRow) -> str:
        """Return the report of a run as a page, with what people say now."""
        case, _ = await self.revive(row)
        options = RunOptions.model_validate(row.options)
        text: str = await self.children.call("page", case, options.by)
        return text

    async def candidates(self, row: RunRow) -> list[Candidate]:
        """Return the pairs of a run that its judge decided, with what hangs on each."""
        case, _ = await self.revive(row)
        found: list[Candidate] = await self.children.call("candidates", case)
        return found

    def note(self, said: Sequence[Judgment]) -> None:
        """Keep what a model said, for looking up."""
        self._verdicts.note(said)
