"""Audits as they are kept: what is shown, what was said, what was taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from segjudge.auditing import Item, Outcome, outcome
from segjudge.judgments import Judgment
from segjudge.service.database import AuditRow, Database, SaidRow, now
from segjudge.service.verdicts import Verdicts


class Audits:
    """The tables of audits.

    Parameters
    ----------
    database : Database
    verdicts : Verdicts
        Where what is said goes as well.
    """

    def __init__(self, database: Database, verdicts: Verdicts) -> None:
        self._database = database
        self._verdicts = verdicts

    def add(
        self, audit: str, run: str, name: str, task: str, seed: int, items: Sequence[Item]
    ) -> None:
        """Keep a new audit."""
        with self._database.session() as session:
            session.add(
                AuditRow(
                    id=audit,
                    run=run,
                    name=name,
                    created=now(),
                    task=task,
                    seed=seed,
                    items=[item.model_dump(mode="json", exclude_none=True) for item in items],
                )
            )

    def get(self, audit: str) -> tuple[AuditRow, list[Item]] | None:
        """Return an audit and its items, if there is one of this id."""
        with self._database.session() as session:
            row = session.get(AuditRow, audit)
        return (row, [Item.model_validate(item) for item in row.items]) if row else None

    def list(self, run: str | None = None) -> list[AuditRow]:
        """Return audits, the newest first."""
        query = select(AuditRow).order_by(AuditRow.created.desc()).limit(200)
        if run is not None:
            query = query.where(AuditRow.run == run)
        with self._database.session() as session:
            return list(session.scalars(query))

    def said(self, audit: str) -> tuple[dict[int, str], set[int]]:
        """Return what counts of what was said, in order, and the items that were said anew."""
        query = select(SaidRow).where(SaidRow.audit == audit).order_by(SaidRow.id)
        active: dict[int, str] = {}
        before: set[int] = set()
        anew: set[int] = set()
        with self._database.session() as session:
            for row in session.scalars(query):
                if row.item in before:
                    anew.add(row.item)
                before.add(row.item)
                active.pop(row.item, None)
                if row.active:
                    active[row.item] = row.verdict
        return active, anew

    def say(self, row: AuditRow, item: Item, number: int, verdict: str) -> Judgment:
        """Keep what a person said of an item; what was said of it before steps back."""
        judgment = item.judged(verdict, f"human:{row.name}").model_copy(
            update={"judged_on": now(), "task": item.task or row.task}
        )
        kept = self._verdicts.say(judgment)
        with self._database.session() as session:
            for earlier in session.scalars(_active(row.id, number)):
                earlier.active = False
            session.add(SaidRow(audit=row.id, item=number, verdict=verdict, judgment=kept.id))
        return judgment

    def take_back(self, audit: str, number: int) -> bool:
        """Take back what was said of an item; return whether anything was."""
        with self._database.session() as session:
            rows = list(session.scalars(_active(audit, number)))
            for row in rows:
                row.active = False
        for row in rows:
            self._verdicts.take_back(row.judgment)
        return bool(rows)

    def outcome(self, audit: str, items: Sequence[Item]) -> Outcome:
        """Return what the audit says so far."""
        said, anew = self.said(audit)
        return outcome(items, said, anew)


def _active(audit: str, number: int) -> Any:
    return select(SaidRow).where(SaidRow.audit == audit, SaidRow.item == number, SaidRow.active)
