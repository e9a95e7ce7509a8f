"""Judgments over HTTP: decide pairs, look up, export, and what people say."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.responses import StreamingResponse

from segjudge.judgments import Judgment, Verdict
from segjudge.service.database import now
from segjudge.service.deciding import decide
from segjudge.service.docs import WRONG
from segjudge.service.replies import Answers, Kept, KeptList, Said
from segjudge.service.schema import JudgeRequest, PersonsVerdict
from segjudge.service.service import service_of
from segjudge.service.uploads import check_model

router = APIRouter(prefix="/v1", tags=["judgments"])

Part = Annotated[str | None, Query(max_length=500, description="a part of one of the labels")]
Who = Annotated[str | None, Query(max_length=300, description="exactly this judge")]
Number = Annotated[int, Path(ge=1, le=2**62)]


@router.post("/judge", responses=WRONG)
async def judge(request: Request, asked: JudgeRequest) -> Answers:
    """Decide label pairs straight away, at most 200 of them.

    Rules, people and what is stored come first; a model is asked only if one is named.
    """
    service = service_of(request)
    check_model(asked, service.settings)
    people, _ = await asyncio.to_thread(service.verdicts.people, asked.task)
    return await service.on_engine(decide(service.engine, asked, people))


@router.get("/judgments", responses=WRONG)
def search(
    request: Request,
    label: Part = None,
    verdict: Verdict | None = None,
    judge: Who = None,
    after: Annotated[int, Query(ge=0, le=2**62)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> KeptList:
    """Look up judgments: the models', and the people's that count."""
    rows = service_of(request).verdicts.search(
        label=label, verdict=verdict, judge=judge, after=after, limit=limit
    )
    kept = [Kept.of(row) for row in rows]
    return KeptList(judgments=kept, next=rows[-1].id if len(rows) == limit else None)


@router.get("/judgments/export", responses=WRONG, response_class=StreamingResponse)
def export(
    request: Request, label: Part = None, verdict: Verdict | None = None, judge: Who = None
) -> StreamingResponse:
    """Return judgments as JSON lines, the form that `--judgments` takes."""
    lines = service_of(request).verdicts.export(label=label, verdict=verdict, judge=judge)
    headers = {"Content-Disposition": 'attachment; filename="judgments.jsonl"'}
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)


@router.put("/judgments", responses=WRONG)
def say(request: Request, said: PersonsVerdict) -> Said:
    """Record a person's verdict beside the models'; from now on it wins.

    A later one of the same person on the same pair takes its place. Every report gives its
    figures with and without what people say.
    """
    service = service_of(request)
    judgment = Judgment.model_validate(
        {**said.model_dump(exclude={"name"}), "judge": f"human:{said.name}", "judged_on": now()}
    )
    row = service.verdicts.say(judgment)
    beside = [Kept.of(each) for each in service.verdicts.beside(judgment) if each.id != row.id]
    return Said(judgment=Kept.of(row), beside=beside)


@router.delete("/judgments/{number}", status_code=204, responses=WRONG)
def take_back(request: Request, number: Number) -> None:
    """Take a person's verdict back. A model's judgment can't be."""
    if not service_of(request).verdicts.take_back(number):
        raise HTTPException(404, "there is no verdict of a person with this number")
