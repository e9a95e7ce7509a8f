"""The blind audit over HTTP: one item at a time, the judge's verdict only after the person's."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request

from segjudge.auditing import Item, draw
from segjudge.service.api_runs import found
from segjudge.service.database import AuditRow
from segjudge.service.docs import WRONG
from segjudge.service.replies import AuditReply, Revealed, Shown
from segjudge.service.runs import REPORTED, new_id
from segjudge.service.schema import AuditRequest, AuditVerdict
from segjudge.service.service import Service, service_of

router = APIRouter(prefix="/v1", tags=["audit"])

Number = Annotated[int, Path(ge=0, le=10_000)]


@router.post("/runs/{run}/audits", status_code=201, responses=WRONG)
async def begin(request: Request, run: str, asked: AuditRequest) -> AuditReply:
    """Begin an audit of a run's judge: draw the pairs that a person is to judge."""
    service = service_of(request)
    row = await found(service, run)
    if row.state not in REPORTED:
        raise HTTPException(409, f"the run can't be audited: it is {row.state}")
    candidates = await service.on_engine(service.engine.scorer.candidates(row))
    items = draw(candidates, asked.size, random_share=asked.random_share, seed=asked.seed)
    if not items:
        raise HTTPException(409, "no judge decided any pair of this run")
    task = str(row.options.get("task", "subtask"))
    audit = new_id()
    await asyncio.to_thread(service.audits.add, audit, run, asked.name, task, asked.seed, items)
    return await asyncio.to_thread(_reply, service, audit)


@router.get("/runs/{run}/audits", responses=WRONG)
def list_audits(request: Request, run: str) -> list[AuditReply]:
    """List the audits of a run, the newest first."""
    service = service_of(request)
    return [_reply(service, row.id) for row in service.audits.list(run)]


@router.get("/audits/{audit}", responses=WRONG)
def get_audit(request: Request, audit: str) -> AuditReply:
    """Say how an audit stands: agreement and kappa are of the random stratum alone."""
    return _reply(service_of(request), audit)


@router.get("/audits/{audit}/items/{number}", responses=WRONG)
def get_item(request: Request, audit: str, number: Number) -> Shown:
    """Return the labels of an item, and nothing of what the judge said."""
    _, item = _item(service_of(request), audit, number)
    return Shown(item=number, left=item.left, right=item.right, context=item.context)


@router.put("/audits/{audit}/items/{number}", responses=WRONG)
def say(request: Request, audit: str, number: Number, said: AuditVerdict) -> Revealed:
    """Record what a person says of an item; the answer tells what the judge had said."""
    service = service_of(request)
    row, item = _item(service, audit, number)
    service.audits.say(row, item, number, said.verdict)
    return Revealed(
        said=said.verdict,
        verdict=item.shown_verdict(),
        judge=item.judgment.judge,
        rationale=item.judgment.rationale or "",
        audit=_reply(service, audit),
    )


@router.delete("/audits/{audit}/items/{number}", responses=WRONG)
def undo(request: Request, audit: str, number: Number) -> AuditReply:
    """Take back what was said of an item. Said anew, it counts for the score, not for kappa."""
    service = service_of(request)
    _item(service, audit, number)
    if not service.audits.take_back(audit, number):
        raise HTTPException(409, "nothing was said of this item")
    return _reply(service, audit)


def _found(service: Service, audit: str) -> tuple[AuditRow, list[Item]]:
    kept = service.audits.get(audit)
    if kept is None:
        raise HTTPException(404, "there is no such audit")
    return kept


def _item(service: Service, audit: str, number: int) -> tuple[AuditRow, Item]:
    row, items = _found(service, audit)
    if number >= len(items):
        raise HTTPException(404, "there is no such item")
    return row, items[number]


def _reply(service: Service, audit: str) -> AuditReply:
    row, items = _found(service, audit)
    said, _ = service.audits.said(audit)
    return AuditReply.of(row, said, service.audits.outcome(audit, items))
