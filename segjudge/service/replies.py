"""What the service answers."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, Field

from segjudge.auditing import Outcome
from segjudge.judgments import Judgment
from segjudge.service.database import AuditRow, JudgmentRow, RunRow
from segjudge.service.live import Live

State = Literal["queued", "running", "done", "stopped", "failed", "cancelled"]


class Trouble(BaseModel):
    """One thing wrong with a request or a file."""

    file: str = ""
    place: str = ""
    field: str = ""
    value: str = ""
    expected: str = ""
    message: str


class Wrong(BaseModel):
    """Why a request was refused."""

    detail: str
    problems: list[Trouble] = []


class RunReply(BaseModel):
    """A run: its state, and its report when it has one."""

    id: str
    number: int
    state: State
    created: str
    ended: str | None = None
    message: str = Field(default="", description="why it stopped or failed")
    problems: list[Trouble] = []
    names: dict[str, str] = Field(default={}, description="role -> the client's name of the file")
    options: dict[str, Any] = {}
    progress: dict[str, Any] = {}
    summary: dict[str, Any] = Field(default={}, description="metric -> value, low, high")
    report: dict[str, Any] | None = None

    @classmethod
    def of(cls, row: RunRow, live: Live, report: str | None = None) -> RunReply:
        """Return what is kept of a run, with how far it has come."""
        now = live.get(row.id)
        return cls(
            id=row.id,
            number=row.number,
            state=row.state,  # type: ignore[arg-type]
            created=row.created,
            ended=row.ended,
            message=row.message,
            problems=row.problems,
            names=row.names,
            options=row.options,
            progress=now[1] if now else row.progress,
            summary=row.summary,
            report=json.loads(report) if report else None,
        )


class FiguresReply(BaseModel):
    """The figures of a run, with and without what people say."""

    metrics: dict[str, dict[str, Any]]
    without_human: dict[str, dict[str, Any]]
    judge: dict[str, Any]


class About(BaseModel):
    """What the service offers."""

    version: str
    models: list[str]
    prompts: list[str]
    tasks: list[str]
    metrics: list[dict[str, str]]
    default_metrics: list[str]
    formats: dict[str, str]


class RunList(BaseModel):
    """Runs, the newest first."""

    runs: list[RunReply]
    next: int | None = Field(default=None, description="give it as `before` for the next page")


class Kept(BaseModel):
    """A judgment with its number."""

    id: int
    human: bool
    judgment: Judgment

    @classmethod
    def of(cls, row: JudgmentRow) -> Kept:
        """Return a row as it is answered."""
        judgment = Judgment.model_validate_json(row.line)
        return cls(id=row.id, human=row.human, judgment=judgment)


class KeptList(BaseModel):
    """Judgments, the oldest first."""

    judgments: list[Kept]
    next: int | None = Field(default=None, description="give it as `after` for the next page")


class Said(BaseModel):
    """A person's verdict, and all that is known of the pair."""

    judgment: Kept
    beside: list[Kept]


class Answered(BaseModel):
    """What is known of one label pair that was asked about."""

    label_a: str
    label_b: str
    verdict: str | None = Field(description="of label_a and label_b, in this order; None: unknown")
    by: str = Field(description="rule, identity, human, recorded, model or unknown")
    judgment: Judgment | None = None
    failure: str = Field(default="", description="why the model gave no verdict")


class Answers(BaseModel):
    """Label pairs, decided, in the order in which they were asked."""

    pairs: list[Answered]
    stopped: str = Field(default="", description="why not all were asked")
    asked: int = 0
    cost_usd: float | None = None


class AuditReply(BaseModel):
    """A blind audit: how far it has come, and what it says."""

    id: str
    run: str
    name: str
    task: str
    size: int
    said: int
    next: int | None = Field(description="the item to show; None at the end")
    last: int | None = Field(description="the item that was judged last; None at the beginning")
    outcome: Outcome

    @classmethod
    def of(cls, row: AuditRow, said: dict[int, str], outcome: Outcome) -> AuditReply:
        """Return how an audit stands."""
        left = (n for n in range(len(row.items)) if n not in said)
        return cls(
            id=row.id,
            run=row.run,
            name=row.name,
            task=row.task,
            size=len(row.items),
            said=len(said),
            next=next(left, None),
            last=next(reversed(said), None),
            outcome=outcome,
        )


class Shown(BaseModel):
    """An item as a person sees it before judging."""

    item: int
    left: str
    right: str
    context: str = ""


class Revealed(BaseModel):
    """What the judge had said, shown once the person has."""

    said: str
    verdict: str = Field(description="of the labels as shown")
    judge: str
    rationale: str = ""
    audit: AuditReply
