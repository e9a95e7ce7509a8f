"""The database: one SQLite file, through SQLAlchemy. Runs, judgments, audits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, create_engine, event, text
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

#: Version of the tables; SQLite keeps it as user_version.
SCHEMA = 1


class Base(DeclarativeBase):
    """What all tables share."""

    type_annotation_map = {dict[str, Any]: JSON, list[Any]: JSON}  # noqa: RUF012 - SQLAlchemy's


class RunRow(Base):
    """A run; its files lie in the folder of its id."""

    __tablename__ = "runs"

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    created: Mapped[str]
    ended: Mapped[str | None]
    state: Mapped[str] = mapped_column(index=True)
    message: Mapped[str] = mapped_column(default="")
    problems: Mapped[list[Any]] = mapped_column(default=list)
    options: Mapped[dict[str, Any]]
    names: Mapped[dict[str, Any]]
    progress: Mapped[dict[str, Any]] = mapped_column(default=dict)
    summary: Mapped[dict[str, Any]] = mapped_column(default=dict)
    people: Mapped[int] = mapped_column(default=0)


class JudgmentRow(Base):
    """A judgment: a model's, copied from the store of answers, or a person's, which is kept here.

    A person's is never changed: a later one, or taking it back, makes it inactive.
    """

    __tablename__ = "judgments"
    __table_args__ = (Index("pair", "a", "b"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(unique=True)
    human: Mapped[bool] = mapped_column(index=True)
    active: Mapped[bool] = mapped_column(default=True)
    judge: Mapped[str] = mapped_column(index=True)
    verdict: Mapped[str] = mapped_column(index=True)
    task: Mapped[str | None]
    a: Mapped[str]
    b: Mapped[str] = mapped_column(index=True)
    context: Mapped[str]
    line: Mapped[str]
    changed: Mapped[int] = mapped_column(default=0)


class AuditRow(Base):
    """A blind audit: what is shown, in which order, and what the model had said."""

    __tablename__ = "audits"

    id: Mapped[str] = mapped_column(primary_key=True)
    run: Mapped[str] = mapped_column(index=True)
    name: Mapped[str]
    created: Mapped[str]
    task: Mapped[str]
    seed: Mapped[int]
    items: Mapped[list[Any]]


class SaidRow(Base):
    """What a person said in an audit; taken back, it stays, inactive."""

    __tablename__ = "said"

    id: Mapped[int] = mapped_column(primary_key=True)
    audit: Mapped[str] = mapped_column(ForeignKey("audits.id"), index=True)
    item: Mapped[int]
    verdict: Mapped[str]
    judgment: Mapped[int]
    active: Mapped[bool] = mapped_column(default=True)


class Database:
    """Sessions on the file.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self._engine = create_engine(
            f"sqlite:///{path}", connect_args={"check_same_thread": False, "timeout": 30}
        )
        event.listen(self._engine, "connect", _prepare)
        with self._engine.begin() as connection:
            found = connection.execute(text("PRAGMA user_version")).scalar_one()
            if found not in (0, SCHEMA):
                raise ValueError(f"{path} has tables of version {found}; this is {SCHEMA}")
            Base.metadata.create_all(connection)
            connection.execute(text(f"PRAGMA user_version = {SCHEMA}"))

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Open a session; what was done in it is kept when it ends well."""
        with Session(self._engine, expire_on_commit=False) as session, session.begin():
            yield session

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def _prepare(connection: Any, _: Any) -> None:
    """Let readers and a writer work side by side, and be on disk before saying so."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def now() -> str:
    """Return the time, UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
