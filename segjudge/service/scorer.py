"""Scoring a run of the service: files in, a report on disk out; and the same again later."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from segjudge.auditing import Candidate
from segjudge.cache import Store
from segjudge.errors import StoppedEarly
from segjudge.findings import Finding
from segjudge.judge.progress import Progress
from segjudge.judgments import Judgment
from segjudge.report import Report, Run
from segjudge.scoring import Case, fill
from segjudge.service.children import Children
from segjudge.service.database import RunRow
from segjudge.service.live import Live, counted
from segjudge.service.runs import DONE, REPORTED, STOPPED, Runs, summary_of
from segjudge.service.schema import RunOptions
from segjudge.service.settings import Settings
from segjudge.service.verdicts import Verdicts
from segjudge.service.work import Job
from segjudge.writing import write_text


class Ended(NamedTuple):
    """How the scoring of a run ended, and which state of what people say it took in."""

    state: str
    message: str
    summary: dict[str, Any]
    people: int


class Scorer:
    """Scores runs; everything here is for the engine's loop.

    Parameters
    ----------
    settings : Settings
    runs : Runs
    verdicts : Verdicts
    children : Children
    live : Live

    Attributes
    ----------
    store : Store
        Where answers are kept.
    """

    store: Store

    def __init__(
        self,
        settings: Settings,
        runs: Runs,
        verdicts: Verdicts,
        children: Children,
        live: Live,
    ) -> None:
        self._settings = settings
        self._runs = runs
        self._verdicts = verdicts
        self._children = children
        self._live = live
        # Two runs that ask one model at a time could ask the same thing twice.
        self._asking: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._renewing: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def score(self, row: RunRow) -> Ended:
        """Work on a run: read, ask, score; its report is on disk when this returns."""
        run, options = row.id, RunOptions.model_validate(row.options)
        self._live.say(run, stage="reading")
        case, people = await self._built(row, options)
        noticed = len(case.findings)
        state, message = DONE, ""
        try:
            await self._ask(run, case, options)
        except StoppedEarly as stopped:
            state, message = STOPPED, str(stopped)
        self._live.say(run, stage="scoring")
        kept = {
            "run": case.run.model_dump() if case.run else None,
            "findings": [asdict(each) for each in case.findings[noticed:]],
        }
        folder = self._settings.folder(run)
        await asyncio.to_thread(write_text, folder / "asked.json", json.dumps(kept))
        summary = await self._write(row, case, options)
        return Ended(state, message, summary, people)

    async def _built(self, row: RunRow, options: RunOptions) -> tuple[Case, int]:
        """Return the case of a run with what people say now, and which state of that it is."""
        people, changes = await asyncio.to_thread(self._verdicts.people, options.task)
        job = self.job(row.id, row.names, options, people)
        return await self._children.call("build", job, patient=True), changes

    def job(
        self, run: str, names: Any, options: RunOptions, people: Sequence[Judgment] = ()
    ) -> Job:
        """Return what a process needs to know of a run."""
        replayed = options.use_store and not options.model
        return Job(
            str(self._settings.folder(run).absolute()),
            names,
            options.scores(),
            people,
            store=str(self._settings.store.absolute()) if replayed else None,
            most=self._settings.max_unpacked,
        )

    async def _ask(self, run: str, case: Case, options: RunOptions) -> None:
        """Ask the model, if one is named, for what is missing."""
        total = len(case.decided.missing())
        if not options.model:
            self._live.say(run, total=total, decided=0)
            return
        self._live.say(run, stage="waiting for the model", total=total, decided=0)

        def tell(progress: Progress) -> None:
            self._live.say(run, stage="asking", **counted(progress, total))

        asking = {**options.scores(), **self._settings.asking()}
        async with self._asking[options.model]:
            try:
                await fill(case, **asking, store=self.store, on_progress=tell)
            finally:
                decided = case.unaided or case.decided
                said = [record for record in decided.record if record is not None]
                await asyncio.to_thread(self._verdicts.note, said)

    async def _write(self, row: RunRow, case: Case, options: RunOptions) -> dict[str, Any]:
        text = await self._children.call("finish", case, options.by, patient=True)
        path = self._settings.folder(row.id) / "report.json"
        await asyncio.to_thread(write_text, path, text)
        return summary_of(Report.from_json(text))

    async def revive(self, row: RunRow) -> tuple[Case, int]:
        """Return the case of a run that has ended, asking nothing, with what people say now."""
        options = RunOptions.model_validate(row.options)
        case, people = await self._built(row, options)
        if options.model:
            asking = {**options.scores(), **self._settings.asking()}
            await fill(case, from_store_only=True, **asking, store=self.store)
        asked = json.loads((self._settings.folder(row.id) / "asked.json").read_text())
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
        text: str = await self._children.call("page", case, options.by)
        return text

    async def candidates(self, row: RunRow) -> list[Candidate]:
        """Return the pairs of a run that its judge decided, with what hangs on each."""
        case, _ = await self.revive(row)
        found: list[Candidate] = await self._children.call("candidates", case)
        return found

    def note(self, said: Sequence[Judgment]) -> None:
        """Keep what a model said, for looking up."""
        self._verdicts.note(said)
