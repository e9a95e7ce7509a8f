"""The store: every answer ever paid for, in one database that never forgets and never runs code.

Built on diskcache. All writing goes through it, on one thread of the store's own; reading is plain
SQLite, opened for reading only, so that a store on read-only media can be replayed.

Rows by key: ``meta/schema``, ``answer/<digest>``, ``failure/<digest>/<time>``,
``judgment/<digest>``. Values are JSON. Tags begin like keys and say in which order rows are read:
an answer's tag is its group, so the answers that make up one judgment come together.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
import uuid
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

from diskcache import DEFAULT_SETTINGS, Cache
from pydantic import BaseModel, ValidationError

from segjudge.cache import database
from segjudge.cache.answers import Answer, FailedAttempt, derive
from segjudge.cache.database import Row, refusing
from segjudge.cache.textdisk import TextDisk
from segjudge.errors import InputError, Problem
from segjudge.judgments import Judgment

#: Never evict, keep everything in one file, and be on disk before saying so.
_SETTINGS = {
    **DEFAULT_SETTINGS,
    "eviction_policy": "none",
    "cull_limit": 0,
    "size_limit": 2**62,
    "disk_min_file_size": 2**30,
    "sqlite_synchronous": 2,
    "tag_index": 1,
}

_Model = TypeVar("_Model", bound=BaseModel)
_Result = TypeVar("_Result")


class Counts(NamedTuple):
    """How much a store holds, or how much was added to it."""

    answers: int
    judgments: int
    failures: int


def default_store_path() -> Path:
    """Return where answers are kept unless told otherwise: in the user's data folder.

    The environment variable ``SEGJUDGE_STORE`` names another place.
    """
    named = os.environ.get("SEGJUDGE_STORE")
    if named:
        return Path(named).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "segjudge"
    variable, usual = "XDG_DATA_HOME", Path.home() / ".local" / "share"
    if sys.platform == "win32":
        variable, usual = "LOCALAPPDATA", Path.home() / "AppData" / "Local"
    base = Path(os.environ.get(variable, ""))
    # The XDG rule: a relative path there is to be ignored.
    return (base if base.is_absolute() else usual) / "segjudge"


class Store:
    """Answers, failed attempts and imported judgments in a folder of their own.

    Several threads may use one store, and several processes one folder on a local disk.

    Parameters
    ----------
    path : path
        The folder. It is made when it isn't there, readable by its owner only.
    readonly : bool
        Open what is there without changing it, for replay; also from read-only media.
    timeout : float
        Seconds to wait for another process that is writing.

    Attributes
    ----------
    path : Path

    Raises
    ------
    InputError
        Here and from every method: the folder is no store, or of another schema version, or it
        can't be read or written, or holds a row that isn't what it should be.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, readonly: bool = False, timeout: float = 60
    ) -> None:
        self.path = Path(path).expanduser()
        self._lock = threading.Lock()
        self._writer: ThreadPoolExecutor | None = None
        with refusing(self.path):
            found = database.look(self.path, timeout)
            if readonly and found is not database.State.STORE:
                database.no_store(self.path)
            if not readonly:
                self._open(timeout)
            self._reader = database.connect(self.path, timeout)

    def _open(self, timeout: float) -> None:
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # diskcache has a connection a thread: with one thread, closing closes them all.
        writer = ThreadPoolExecutor(1, "segjudge-store")
        try:
            self._cache = writer.submit(self._made, timeout).result()
        except BaseException:
            writer.shutdown()
            raise
        self._writer = writer

    def _made(self, timeout: float) -> Cache:
        cache = Cache(str(self.path.absolute()), timeout, TextDisk, **_SETTINGS)
        cache.add(database.SCHEMA_KEY, database.SCHEMA)
        return cache

    def _on_writer(self, work: Callable[[], _Result]) -> _Result:
        if self._writer is None:
            raise InputError(f"{self.path}: opened for reading only, or closed")
        with refusing(self.path):
            return self._writer.submit(work).result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; a second time does nothing."""
        with self._lock:
            self._reader.close()
        if self._writer is not None:
            self._on_writer(self._cache.close)
            self._writer.shutdown()
            self._writer = None

    def get(self, digests: Sequence[str]) -> dict[str, Answer]:
        """Return the answers that are there, by digest of their key."""
        found: dict[str, Answer] = {}
        with refusing(self.path), self._lock:
            rows = database.named(self._reader, [f"answer/{digest}" for digest in digests])
        for row in rows:
            found[row.key.removeprefix("answer/")] = self._read(Answer, row)
        return found

    def put(self, answers: Sequence[tuple[str, Answer]]) -> None:
        """Keep answers by digest of their key; all are on disk when this returns, or none.

        An answer with the same digest is replaced.

        Raises
        ------
        ValueError
            A digest isn't that of its answer: such an answer would be found for another question.
        """
        for digest, answer in answers:
            if answer.key.digest() != digest:
                raise ValueError(f"{digest} is not the digest of the answer to {answer.pair}")
        rows = [
            (f"answer/{digest}", answer.text(), f"answer/{answer.key.group()}")
            for digest, answer in answers
        ]
        self._on_writer(lambda: self._set(rows))

    def fail(self, attempts: Sequence[FailedAttempt]) -> None:
        """Keep failed attempts, each beside those before it."""
        rows = [
            (
                # Ordered by time, and apart even when two processes fail at once.
                f"failure/{attempt.digest}/{time.time_ns():020d}-{uuid.uuid4().hex[:8]}",
                attempt.model_dump_json(exclude_none=True, exclude_defaults=True),
                f"failure/{attempt.digest}",
            )
            for attempt in attempts
        ]
        self._on_writer(lambda: self._set(rows))

    def import_judgments(self, judgments: Iterable[Judgment]) -> int:
        """Keep judgments made elsewhere as they are; return how many lines are new.

        They have no single answers, so they stay judgments, and `judgments` gives them back.
        """
        rows = {f"judgment/{_digest(line)}": line for line in (j.line() for j in judgments)}
        before = self.counts().judgments
        self._on_writer(lambda: self._set([(key, line, "judgment/") for key, line in rows.items()]))
        return self.counts().judgments - before

    def merge(self, other: Store) -> Counts:
        """Take over what `other` holds and this store doesn't; return how much that was.

        Where both have an answer of one key, this store's stays.
        """
        before = self.counts()
        rows = [
            (row.key, row.value, row.tag)
            for kind in ("answer", "judgment", "failure")
            for row in other._rows(kind)
        ]
        self._on_writer(lambda: self._set(rows, replace=False))
        return Counts(*(now - then for now, then in zip(self.counts(), before, strict=True)))

    def _set(self, rows: Sequence[tuple[str, str, str]], replace: bool = True) -> None:
        keep = self._cache.set if replace else self._cache.add
        with self._cache.transact():
            for key, value, tag in rows:
                keep(key, value, tag=tag)

    def answers(self) -> Iterator[Answer]:
        """Iterate over all answers, those of one question and run together."""
        for row in self._rows("answer"):
            yield self._read(Answer, row)

    def failures(self) -> Iterator[FailedAttempt]:
        """Iterate over all failed attempts, in order of time within one key."""
        for row in self._rows("failure"):
            yield self._read(FailedAttempt, row)

    def judgments(self) -> Iterator[Judgment]:
        """Iterate over all judgments: those derived from answers, then those imported.

        One judgment for each judge, prompt, params, task, pair, context, pairs per call and run;
        a later run comes later. A line that was exported and imported again comes once.
        """
        imported = dict.fromkeys(row.key for row in self._rows("judgment"))
        for judgment in self._every_derived():
            if imported:
                imported.pop(f"judgment/{_digest(judgment.line())}", None)
            yield judgment
        yield from self._named(imported)

    def imported(self) -> Iterator[Judgment]:
        """Iterate over the judgments imported, but for those that the answers give as well."""
        imported = dict.fromkeys(row.key for row in self._rows("judgment"))
        for judgment in self._every_derived() if imported else ():
            imported.pop(f"judgment/{_digest(judgment.line())}", None)
        yield from self._named(imported)

    def _named(self, keys: Container[str]) -> Iterator[Judgment]:
        for row in self._rows("judgment"):
            if row.key in keys:
                yield self._read(Judgment, row)

    def _every_derived(self) -> Iterator[Judgment]:
        for _, rows in groupby(self._rows("answer"), key=lambda row: row.tag):
            yield self._derived([self._read(Answer, row) for row in rows])

    def _derived(self, answers: Sequence[Answer]) -> Judgment:
        try:
            return derive(answers)
        except ValueError as error:
            raise InputError(Problem(str(self.path), "", "", "", str(error))) from error

    def counts(self) -> Counts:
        """Return how many answers, imported judgments and failed attempts there are."""
        with refusing(self.path), self._lock:
            return Counts(
                *(database.count(self._reader, kind) for kind in ("answer", "judgment", "failure"))
            )

    def __len__(self) -> int:
        return self.counts().answers

    def _rows(self, kind: str) -> Iterator[Row]:
        """Iterate over the rows of a kind; in pages, so that none holds the database open."""
        after: tuple[str, int] | None = None
        while True:
            with refusing(self.path), self._lock:
                page = database.page(self._reader, kind, after)
            yield from page
            if len(page) < database.PAGE:
                return
            after = (page[-1].tag, page[-1].rowid)

    def _read(self, model: type[_Model], row: Row) -> _Model:
        try:
            return model.model_validate_json(row.value)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            field = ".".join(map(str, fault["loc"]))
            raise InputError(Problem(str(self.path), row.key, field, "", fault["msg"])) from error


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()
