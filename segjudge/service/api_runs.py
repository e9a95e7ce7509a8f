"""Runs over HTTP: start, watch, list, plan, cancel."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any, get_args

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse

from segjudge import formats, metrics
from segjudge.metrics import DEFAULT_METRICS
from segjudge.prompts import names
from segjudge.report.page import scripts, styles
from segjudge.report.page.builder import policy
from segjudge.scoring import Plan
from segjudge.service.children import Busy, TooSlow
from segjudge.service.database import RunRow
from segjudge.service.docs import RUN_BODY, WRONG
from segjudge.service.live import event
from segjudge.service.replies import About, FiguresReply, RunList, RunReply, State
from segjudge.service.runs import REPORTED, UNFINISHED, new_id
from segjudge.service.schema import RunOptions, Task
from segjudge.service.service import Service, service_of, while_connected
from segjudge.service.uploads import check_model, receive_run
from segjudge.version import version

router = APIRouter(prefix="/v1", tags=["runs"])

#: Seconds between two looks at how far a run has come.
LOOK = 0.2

Number = Annotated[int, Query(ge=1, le=2**62)]


@router.post("/runs", status_code=202, responses=WRONG, openapi_extra=RUN_BODY)
async def start(request: Request, response: Response) -> RunReply:
    """Start a run: a reference and a prediction, in any format that is read, and options.

    The files are read before the answer: what is wrong with them is said at once, each bad row
    named. Watch the run at `/v1/runs/{id}/events`; its report is in `/v1/runs/{id}`.
    """
    service = service_of(request)
    run = new_id()
    folder = service.settings.folder(run)
    service.engine.reserve()
    try:
        options, names = await receive_run(request, service.settings, folder)
        check_model(options, service.settings)
        job = service.engine.scorer.job(run, names, options)
        await _read(request, service, options, "check", job, options.by)
        stored = options.model_dump(mode="json", exclude_defaults=True)
        row = await asyncio.to_thread(service.runs.add, run, stored, names)
    except BaseException:
        service.engine.release()
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        raise
    service.engine.submit(run)
    response.headers["Location"] = f"/v1/runs/{run}"
    return RunReply.of(row, service.engine.live)


@router.post("/plan", responses=WRONG, openapi_extra=RUN_BODY)
async def plan(request: Request) -> Plan:
    """Say what a run would take: label pairs, calls, tokens, cost. Asks nothing, keeps nothing."""
    service = service_of(request)
    if service.children.full:
        raise Busy("too many files are waiting to be read")
    folder = service.settings.folder(new_id())
    try:
        options, names = await receive_run(request, service.settings, folder)
        check_model(options, service.settings)
        people, _ = await asyncio.to_thread(service.verdicts.people, options.task)
        job = service.engine.scorer.job(folder.name, names, options, people)
        asking = service.settings.planning()
        found: Plan = await _read(request, service, options, "plan", job, asking)
        return found
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _read(
    request: Request, service: Service, options: RunOptions, work: str, *args: Any
) -> Any:
    """Read the files of a request, for as long as its client waits."""
    if not options.has_patterns():
        return await while_connected(request, service.children.call(work, *args))
    most = service.settings.pattern_seconds
    try:
        return await while_connected(request, service.children.call(work, *args, seconds=most))
    except TooSlow as error:
        raise TooSlow(
            f"reading took too long: {error}; a regular expression in ignore_label or episodes "
            "may try too many ways to match"
        ) from None


@router.get("/runs", responses=WRONG)
def list_runs(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Number | None = None,
    state: State | None = None,
) -> RunList:
    """List runs, the newest first, without their reports."""
    service = service_of(request)
    rows = service.runs.newest(limit, before, state)
    replies = [RunReply.of(row, service.engine.live) for row in rows]
    return RunList(runs=replies, next=rows[-1].number if len(rows) == limit else None)


@router.get("/runs/{run}", responses=WRONG)
async def get_run(request: Request, run: str) -> RunReply:
    """Return the state of a run, and its report once it has one.

    The report takes in what people say by now.
    """
    service = service_of(request)
    row = await found(service, run)
    if row.state not in REPORTED:
        return RunReply.of(row, service.engine.live)
    row, path = await renewed(service, row)
    text = await asyncio.to_thread(path.read_text, encoding="utf-8")
    return await asyncio.to_thread(RunReply.of, row, service.engine.live, text)


@router.get("/runs/{run}/report.json", responses=WRONG)
async def report_json(request: Request, run: str) -> Response:
    """Return the report alone, as `segjudge score --json` writes it."""
    service = service_of(request)
    _, path = await renewed(service, await found(service, run))
    text = await asyncio.to_thread(path.read_bytes)
    return Response(text, media_type="application/json")


@router.get("/runs/{run}/report.html", responses=WRONG, response_class=HTMLResponse)
async def report_html(request: Request, run: str) -> HTMLResponse:
    """Return the report as a page that stands by itself."""
    service = service_of(request)
    row, _ = await renewed(service, await found(service, run))
    page = await service.on_engine(service.engine.scorer.page(row))
    own = f"{policy(styles(), scripts())}; frame-ancestors 'none'"
    return HTMLResponse(page, headers={"Content-Security-Policy": own})


@router.get("/runs/{run}/figures", responses=WRONG)
async def figures(request: Request, run: str) -> FiguresReply:
    """Return the figures of a run alone, with and without what people say by now."""
    service = service_of(request)
    _, path = await renewed(service, await found(service, run))
    return await asyncio.to_thread(_figures, path)


def _figures(path: Path) -> FiguresReply:
    report = json.loads(path.read_bytes())
    return FiguresReply(**{name: report[name] for name in FiguresReply.model_fields})


@router.get("/about", tags=["service"])
def about(request: Request) -> About:
    """Say what the service offers: models, prompts, metrics, formats."""
    described = ((name, *metrics.describe(name)) for name in metrics.names())
    return About(
        version=version(),
        models=list(service_of(request).settings.models),
        prompts=list(names()),
        tasks=list(get_args(Task)),
        metrics=[{"name": name, "usage": usage, "about": what} for name, usage, what in described],
        default_metrics=list(DEFAULT_METRICS),
        formats=formats.describe(),
    )


@router.get("/runs/{run}/events", responses=WRONG, response_class=StreamingResponse)
async def events(request: Request, run: str) -> StreamingResponse:
    """Tell how far a run has come, as server-sent events.

    Each `progress` event carries the whole state, so one that was missed does no harm; the last
    event is `end`. A comment now and then is a sign of life.
    """
    service = service_of(request)
    await found(service, run)
    seen = request.headers.get("last-event-id", "")
    stream = _news(service, run, int(seen) if seen.isdecimal() and len(seen) < 18 else 0)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


async def _news(service: Service, run: str, seen: int) -> AsyncIterator[str]:
    last = time.monotonic()
    while True:
        now = service.engine.live.get(run)
        if now is None:
            row = await asyncio.to_thread(service.runs.get, run)
            if row is None:
                yield event("end", seen + 1, {"state": "removed"})
                return
            if row.state not in UNFINISHED:
                data = {**row.progress, "state": row.state, "message": row.message}
                yield event("end", seen + 1, {**data, "summary": row.summary})
                return
        elif now[0] != seen:
            seen, last = now[0], time.monotonic()
            yield event("progress", *now)
        if time.monotonic() - last >= service.settings.heartbeat:
            last = time.monotonic()
            yield ": alive\n\n"
        await asyncio.sleep(LOOK)


@router.delete("/runs/{run}", responses=WRONG)
async def delete(request: Request, run: str) -> RunReply:
    """Cancel a run that waits or goes on; remove one that has ended.

    What was answered stays in the store. The reply is the run as it was left.
    """
    service = service_of(request)
    row = await found(service, run)
    if row.state in UNFINISHED:
        await service.on_engine(service.engine.cancel(run))
        row = await found(service, run)
    else:
        await asyncio.to_thread(service.runs.remove, run)
    return RunReply.of(row, service.engine.live)


async def found(service: Service, run: str) -> RunRow:
    """Return a run.

    Raises
    ------
    HTTPException
        404: there is none.
    """
    row = await asyncio.to_thread(service.runs.get, run)
    if row is None:
        raise HTTPException(404, "there is no such run")
    return row


async def renewed(service: Service, row: RunRow) -> tuple[RunRow, Path]:
    """Return a run whose report takes in what people say by now, and where the report is.

    Raises
    ------
    HTTPException
        409: it has none.
    """
    if row.state not in REPORTED:
        raise HTTPException(409, f"the run has no report: it is {row.state}")
    await service.on_engine(service.engine.scorer.renew(row.id))
    row = await found(service, row.id)
    return row, service.settings.folder(row.id) / "report.json"
