"""Runs as they are kept: states, messages, summaries."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select, update

from segjudge.errors import Problem
from segjudge.report import Report
from segjudge.service.database import Database, RunRow, now
from segjudge.service.settings import Settings

QUEUED, RUNNING = "queued", "running"
DONE, STOPPED, FAILED, CANCELLED = "done", "stopped", "failed", "cancelled"

#: States in which a run has a report.
REPORTED = (DONE, STOPPED)
UNFINISHED = (QUEUED, RUNNING)


def new_id() -> str:
    """Return an id that nobody can guess and no file system minds."""
    return secrets.token_hex(8)


class Runs:
    """The table of runs and the folders of their files.

    Parameters
    ----------
    database : Database
    settings : Settings
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings

    def add(self, run: str, options: Mapping[str, Any], names: Mapping[str, str]) -> RunRow:
        """Keep a run that is to wait."""
        with self._database.session() as session:
            row = RunRow(
                id=run,
                created=now(),
                state=QUEUED,
                options=dict(options),
                names=dict(names),
            )
            session.add(row)
        return row

    def get(self, run: str) -> RunRow | None:
        """Return a run, if there is one of this id."""
        with self._database.session() as session:
            return session.scalar(select(RunRow).where(RunRow.id == run))

    def newest(self, limit: int, before: int | None, state: str | None) -> list[RunRow]:
        """Return runs, the newest first."""
        query = select(RunRow).order_by(RunRow.number.desc()).limit(limit)
        if before is not None:
            query = query.where(RunRow.number < before)
        if state is not None:
            query = query.where(RunRow.state == state)
        with self._database.session() as session:
            return list(session.scalars(query))

    def unfinished(self) -> list[str]:
        """Return the runs to go on with, the oldest first."""
        query = select(RunRow.id).where(RunRow.state.in_(UNFINISHED)).order_by(RunRow.number)
        with self._database.session() as session:
            return list(session.scalars(query))

    def set(self, run: str, **values: Any) -> None:
        """Change what is kept of a run."""
        with self._database.session() as session:
            session.execute(update(RunRow).where(RunRow.id == run).values(**values))

    def end(self, run: str, state: str, message: str = "", **values: Any) -> None:
        """Keep how a run ended."""
        self.set(run, state=state, message=message, ended=now(), **values)

    def remove(self, run: str) -> None:
        """Forget a run and its files."""
        with self._database.session() as session:
            row = session.scalar(select(RunRow).where(RunRow.id == run))
            if row is not None:
                session.delete(row)
        shutil.rmtree(self._settings.folder(run), ignore_errors=True)


def told(problems: tuple[Problem, ...]) -> list[dict[str, str]]:
    """Return problems as JSON: each field, and the sentence that they make."""
    return [
        {
            "file": problem.file,
            "place": problem.place,
            "field": problem.field,
            "value": problem.value,
            "expected": problem.expected,
            "message": str(problem),
        }
        for problem in problems
    ]


def summary_of(report: Report) -> dict[str, Any]:
    """Return the headline figures of a report, for lists of runs."""
    wanted = ("value", "low", "high")
    return {
        name: {key: figures.get(key) for key in wanted} for name, figures in report.metrics.items()
    }
