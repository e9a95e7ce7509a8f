"""One run over a stream of questions: look up, ask for what is missing, keep, decide."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from itertools import islice

from segjudge.cache.answers import Answer, FailedAttempt, derive
from segjudge.errors import StoppedEarly
from segjudge.gamed import looks_steering
from segjudge.judge.base import Decision, Failure, Question
from segjudge.judge.outcome import Outcome
from segjudge.judge.samples import Pending, Plan, Sample
from segjudge.judge.session import Landing, Session, now

#: Questions looked up in the store at a time.
CHUNK = 512

_DETAIL = 500


class Run:
    """What one `ChatJudge.decide` does.

    A fixed number of workers pulls from the questions, so that a million of them are never a
    million tasks.

    Parameters
    ----------
    session : Session
    plan : Plan
    questions : iterable of Question
        Pulled from as needed. The same question a second time is passed over.
    retry_undecided : bool
        Ask for a further round of votes where those kept left a question open.
    tell : callable
        Called whenever something was decided.
    """

    def __init__(
        self,
        session: Session,
        plan: Plan,
        questions: Iterable[Question],
        retry_undecided: bool,
        tell: Callable[[], None],
    ) -> None:
        self._session = session
        self._plan = plan
        self._questions = _once_each(questions)
        self._retry_undecided = retry_undecided
        self._tell = tell
        self._calls: deque[tuple[Sample, ...]] = deque()
        self._pending: dict[str, Pending] = {}
        self._looking = asyncio.Lock()
        self._exhausted = False
        self._left_open = False
        self._out: asyncio.Queue[list[Decision] | None] = asyncio.Queue(session.concurrency * 2)
        self._error: BaseException | None = None

    async def decisions(self) -> AsyncGenerator[Decision, None]:
        """Work until every question is decided, or the run has to stop."""
        workers = [asyncio.create_task(self._work()) for _ in range(self._session.concurrency)]
        ended = asyncio.create_task(self._end(workers))
        try:
            while (batch := await self._out.get()) is not None:
                for decision in batch:
                    yield decision
        finally:
            await self._finish(workers)
            await ended
        if self._error is not None:
            raise self._error
        stopped = self._session.stopped()
        if stopped and (self._left_open or self._pending):
            raise stopped

    async def _end(self, workers: Sequence[asyncio.Task[None]]) -> None:
        await asyncio.gather(*workers, return_exceptions=True)
        await self._out.put(None)

    async def _finish(self, workers: Sequence[asyncio.Task[None]]) -> None:
        """Give calls in flight a moment to be kept, then end all workers."""
        self._exhausted = True
        self._calls.clear()
        emptying = asyncio.create_task(self._empty())
        try:
            await asyncio.wait(workers, timeout=self._session.patience.grace)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            emptying.cancel()
            while not self._out.empty():
                self._out.get_nowait()

    async def _empty(self) -> None:
        """Let nobody wait for a reader who has gone."""
        while True:
            await self._out.get()

    async def _work(self) -> None:
        try:
            while (call := await self._next()) is not None:
                async with self._session.gate.slot():
                    await self._do(call)
        except Exception as error:
            self._error = self._error or error
            self._session.halt(StoppedEarly(str(error)))
            self._exhausted = True

    async def _next(self) -> tuple[Sample, ...] | None:
        """Return the next call to make; look up more questions when there is none."""
        async with self._looking:
            while True:
                if self._session.over_budget() or self._session.halted:
                    self._calls.clear()  # what is kept is still looked up
                if self._calls:
                    return self._calls.popleft()
                if self._exhausted:
                    return None
                await self._look_up()

    async def _look_up(self) -> None:
        """Decide a chunk of questions by what is kept, and queue calls for what is missing."""
        chunk = list(islice(self._questions, CHUNK))
        if not chunk:
            self._exhausted = True
            return
        wanted = [self._plan.samples(question) for question in chunk]
        found = await self._found(wanted)
        decided: list[Decision] = []
        missing: list[Sample] = []
        unsettled: list[tuple[Question, list[Answer]]] = []
        for question, samples in zip(chunk, wanted, strict=True):
            answers = [found[s.digest] for s in samples if s.digest in found]
            if len(answers) < len(samples):
                missing += self._open(question, samples, answers)
                continue
            judgment = derive(answers)
            if self._plan.undecided(judgment):
                unsettled.append((question, answers))
            else:
                decided.append(judgment)
        missing += await self._settle_further(unsettled, decided)
        self._session.progress.stored += len(decided)
        self._calls.extend(self._plan.calls(missing))
        await self._emit(decided)

    async def _found(self, wanted: Iterable[Sequence[Sample]]) -> dict[str, Answer]:
        digests = [sample.digest for samples in wanted for sample in samples]
        return await asyncio.to_thread(self._session.store.get, digests)

    async def _settle_further(
        self, unsettled: list[tuple[Question, list[Answer]]], decided: list[Decision]
    ) -> list[Sample]:
        """Add the further rounds of votes that are kept; return what to ask for, if allowed."""
        missing: list[Sample] = []
        again = 1
        while unsettled:
            wanted = [self._plan.samples(question, again) for question, _ in unsettled]
            found = await self._found(wanted)
            still: list[tuple[Question, list[Answer]]] = []
            for (question, answers), samples in zip(unsettled, wanted, strict=True):
                more = [found[s.digest] for s in samples if s.digest in found]
                if len(more) < len(samples):
                    if self._retry_undecided:
                        missing += self._open(question, samples, [*answers, *more])
                    else:
                        decided.append(derive(answers))
                    continue
                judgment = derive([*answers, *more])
                if self._plan.undecided(judgment):
                    still.append((question, [*answers, *more]))
                else:
                    decided.append(judgment)
            unsettled, again = still, again + 1
        return missing

    def _open(
        self, question: Question, samples: Sequence[Sample], answers: list[Answer]
    ) -> list[Sample]:
        """Note a question that must be asked; return the samples to ask for."""
        if self._session.halted or not self._session.may_ask():
            self._left_open = True
            return []
        known = {answer.key.digest() for answer in answers}
        missing = [sample for sample in samples if sample.digest not in known]
        pending = Pending(question, answers, {sample.digest for sample in missing})
        for sample in missing:
            self._pending[sample.digest] = pending
        steering = {label for label in question.pair[:2] if looks_steering(label)}
        self._session.progress.steering |= steering
        return missing

    async def _do(self, call: Sequence[Sample]) -> None:
        """Ask for the samples of a call; those that another run is asking for are waited for."""
        flights = self._session.flights
        others = [(sample, flights[sample.digest]) for sample in call if sample.digest in flights]
        mine = [sample for sample in call if sample.digest not in flights]
        if mine:
            await self._fly(mine)
        for sample, flight in others:
            await asyncio.wait([flight])
            if flight.cancelled():
                self._calls.append((sample,))
            else:
                await self._settle(sample, flight.result())

    async def _fly(self, samples: Sequence[Sample]) -> None:
        session = self._session
        loop = asyncio.get_running_loop()
        for sample in samples:
            session.flights[sample.digest] = loop.create_future()
        try:
            landings = await self._land(samples)
            for sample, landing in landings:
                session.flights[sample.digest].set_result(landing)
        finally:
            flights = {sample: session.flights.pop(sample.digest) for sample in samples}
            for flight in flights.values():
                flight.cancel()
        for sample, landing in landings:
            await self._settle(sample, landing)

    async def _land(self, samples: Sequence[Sample]) -> list[tuple[Sample, Landing]]:
        session = self._session
        known: dict[str, Answer] = {}
        if session.runs > 1:
            # Another run may have asked since this one looked them up.
            known = await self._found([samples])
        landings = [(s, Landing(known[s.digest])) for s in samples if s.digest in known]
        unknown = [sample for sample in samples if sample.digest not in known]
        if unknown:
            asker = await session.ready()
            outcomes, stop = await asker.ask(unknown)
            if stop is not None:
                session.halt_for(stop)
            landings += await self._keep(outcomes)
        return landings

    async def _keep(self, outcomes: Sequence[Outcome]) -> list[tuple[Sample, Landing]]:
        """Bring to disk how asking ended, and only then say so."""
        landings: list[tuple[Sample, Landing]] = []
        failures = []
        for outcome in outcomes:
            if outcome.read is not None:
                landings.append((outcome.sample, Landing(self._session.answer(outcome))))
            elif outcome.reason:
                landings.append((outcome.sample, Landing(None, outcome.reason, outcome.detail)))
                failures.append(_failed(outcome, self._plan.judge))
        answers = [(s.digest, landing.answer) for s, landing in landings if landing.answer]
        await self._session.keeper.keep(answers, failures)
        return landings

    async def _settle(self, sample: Sample, landing: Landing) -> None:
        """Hand an answer to its question, and decide that when nothing is missing any more."""
        pending = self._pending.pop(sample.digest)
        if not pending.take(sample.digest, landing.answer, landing.reason, landing.detail):
            return
        progress = self._session.progress
        if pending.failure is None:
            progress.asked += 1
            await self._emit([pending.judgment()])
            return
        reason, detail = pending.failure
        progress.failed += 1
        progress.failures[reason] += 1
        await self._emit([Failure(pending.question, reason, detail[:_DETAIL])])

    async def _emit(self, decisions: list[Decision]) -> None:
        if decisions:
            self._tell()
            await self._out.put(decisions)


def _once_each(questions: Iterable[Question]) -> Iterator[Question]:
    seen = set()
    for question in questions:
        what = (question.task, question.pair)
        if what not in seen:
            seen.add(what)
            yield question


def _failed(outcome: Outcome, judge: str) -> FailedAttempt:
    question = outcome.sample.question
    return FailedAttempt(
        digest=outcome.sample.digest,
        reason=outcome.reason,
        detail=outcome.detail,
        when=now(),
        judge=judge,
        task=question.task,
        label_a=question.label_a,
        label_b=question.label_b,
        context=question.pair.context,
    )
