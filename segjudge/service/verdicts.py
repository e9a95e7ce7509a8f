"""Judgments to look up and to correct: models' as they were given, people's beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import ColumnElement, func, insert, or_, select, update
from sqlalchemy.orm import Session

from segjudge.judgments import Judgment
from segjudge.service.database import Database, JudgmentRow

#: Rows taken at a time.
PAGE = 500


class Verdicts:
    """The table of judgments.

    Parameters
    ----------
    database : Database
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, judgments: Iterable[Judgment]) -> None:
        """Keep what models said, for looking up; the same line twice is kept once."""
        lines = {_digest(line.line()): line for line in judgments if not line.is_human}
        digests = list(lines)
        with self._database.session() as session:
            for first in range(0, len(digests), PAGE):
                some = digests[first : first + PAGE]
                known = set(
                    session.scalars(select(JudgmentRow.digest).where(JudgmentRow.digest.in_(some)))
                )
                rows = [_row(lines[each], each, human=False) for each in some if each not in known]
                if rows:
                    session.execute(insert(JudgmentRow), rows)

    def say(self, judgment: Judgment) -> JudgmentRow:
        """Keep a person's judgment; an earlier one of the same person on the pair steps back."""
        values = _row(judgment, _digest(judgment.line()), human=True)
        with self._database.session() as session:
            earlier = select(JudgmentRow.id).where(
                JudgmentRow.human,
                JudgmentRow.active,
                JudgmentRow.judge == judgment.judge,
                *_of_pair(judgment),
                JudgmentRow.task == judgment.task
                if judgment.task is not None
                else JudgmentRow.task.is_(None),
            )
            changed = self._next(session)
            session.execute(
                update(JudgmentRow)
                .where(JudgmentRow.id.in_(earlier))
                .values(active=False, changed=changed)
            )
            row = JudgmentRow(**values, changed=changed)
            session.add(row)
        return row

    def take_back(self, number: int) -> bool:
        """Take a person's judgment back; return whether there was one that counted."""
        with self._database.session() as session:
            row = session.get(JudgmentRow, number)
            if row is None or not row.human or not row.active:
                return False
            row.active, row.changed = False, self._next(session)
        return True

    def people(self, task: str | None = None) -> tuple[list[Judgment], int]:
        """Return what people say now, the latest last, and a number that grows with each change."""
        query = select(JudgmentRow.line).where(JudgmentRow.human, JudgmentRow.active)
        if task is not None:
            query = query.where(or_(JudgmentRow.task == task, JudgmentRow.task.is_(None)))
        with self._database.session() as session:
            lines = list(session.scalars(query.order_by(JudgmentRow.id)))
            changed = self._next(session) - 1
        return [Judgment.model_validate_json(line) for line in lines], changed

    def changes(self) -> int:
        """Return a number that grows with each change to what people say."""
        with self._database.session() as session:
            return self._next(session) - 1

    def beside(self, judgment: Judgment) -> list[JudgmentRow]:
        """Return all that is known of a judgment's pair, in the order in which it came."""
        query = select(JudgmentRow).where(JudgmentRow.active, *_of_pair(judgment))
        with self._database.session() as session:
            return list(session.scalars(query.order_by(JudgmentRow.id)))

    def search(
        self,
        *,
        label: str | None = None,
        verdict: str | None = None,
        judge: str | None = None,
        after: int = 0,
        limit: int = 50,
    ) -> list[JudgmentRow]:
        """Return the judgments that count, oldest first.

        Parameters
        ----------
        label : str, optional
            A part of one of the two labels, whatever its case.
        verdict, judge : str, optional
            Exactly.
        after : int
            Only those with a higher number.
        limit : int
        """
        query = select(JudgmentRow).where(JudgmentRow.active, JudgmentRow.id > after)
        if label:
            either = (JudgmentRow.a, JudgmentRow.b)
            query = query.where(or_(*(side.icontains(label, autoescape=True) for side in either)))
        if verdict is not None:
            query = query.where(JudgmentRow.verdict == verdict)
        if judge is not None:
            query = query.where(JudgmentRow.judge == judge)
        with self._database.session() as session:
            return list(session.scalars(query.order_by(JudgmentRow.id).limit(limit)))

    def export(self, **wanted: str | None) -> Iterator[str]:
        """Give the judgments that count as JSON lines, as `search` finds them."""
        after = 0
        while rows := self.search(
            label=wanted.get("label"),
            verdict=wanted.get("verdict"),
            judge=wanted.get("judge"),
            after=after,
            limit=PAGE,
        ):
            yield "".join(f"{row.line}\n" for row in rows)
            after = rows[-1].id

    def _next(self, session: Session) -> int:
        return int(session.scalar(select(func.max(JudgmentRow.changed))) or 0) + 1


def _of_pair(judgment: Judgment) -> Sequence[ColumnElement[bool]]:
    a, b, context = judgment.pair
    return JudgmentRow.a == a, JudgmentRow.b == b, JudgmentRow.context == context


def _row(judgment: Judgment, digest: str, human: bool) -> dict[str, object]:
    a, b, context = judgment.pair
    return {
        "digest": digest,
        "human": human,
        "active": True,
        "judge": judgment.judge,
        "verdict": judgment.verdict.value,
        "task": judgment.task,
        "a": a,
        "b": b,
        "context": context,
        "line": judgment.line(),
    }


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()
