"""The store's database, read with plain SQLite: what is there, whose it is, and its rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from enum import Enum
from pathlib import Path
from typing import NamedTuple, NoReturn

from diskcache import DEFAULT_SETTINGS, Timeout
from diskcache.core import DBNAME, METADATA

from segjudge.cache.textdisk import NotText, checked_key, checked_value
from segjudge.errors import InputError, Problem

SCHEMA_KEY = "meta/schema"
_SCHEMA_NAME = "segjudge.store/"
_SCHEMA_NUMBER = 1
#: What the schema row says: one word, so that any version can read it.
SCHEMA = f"{_SCHEMA_NAME}{_SCHEMA_NUMBER}"

#: Rows read at once.
PAGE = 2_000
_COLUMNS = "key, raw, mode, filename, value, tag, rowid"


class State(Enum):
    """What a folder is, before anything is written to it."""

    NOTHING = "nothing"
    STORE = "store"


class Row(NamedTuple):
    """A row whose key and value are text."""

    key: str
    value: str
    tag: str
    rowid: int


def no_store(path: Path) -> NoReturn:
    """Say that there is no store at `path`."""
    _fail(path, "no store here; `segjudge judge` and `segjudge judgments import` make one")


def _fail(path: Path, message: str) -> NoReturn:
    raise InputError(Problem(str(path), "", "", "", message))


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Turn what SQLite, diskcache and the file system raise into what a user can do."""
    try:
        yield
    except NotText as error:
        raise InputError(
            Problem(str(path), "", "", "", f"{error}: not written by segjudge, so not read")
        ) from error
    except Timeout as error:
        message = "can't be written: another process holds it, or the folder can't be written to"
        raise InputError(Problem(str(path), "", "", "", message)) from error
    except sqlite3.Error as error:
        raise InputError(Problem(str(path), "", "", "", _told(str(error)))) from error
    except OSError as error:
        reason = f"can't be used as a store: {error.strerror or error}"
        raise InputError(Problem(str(path), "", "", "", reason)) from error


def _told(said: str) -> str:
    for known, advice in _ADVICE.items():
        if known in said:
            return f"{said}: {advice}"
    return f"the store's database: {said}"


_ADVICE = {
    "full": "what was stored before is kept; make room and start again",
    "disk I/O error": "what was stored before is kept; is the disk full, or gone?",
    "readonly": "the folder can't be written to; choose another with --store",
    "unable to open": "the folder can't be written to; choose another with --store",
    "locked": "another process holds the store; try again when it has finished",
    "malformed": "the store is damaged; `sqlite3 cache.db .recover` may save what is in it",
    "not a database": "no store of segjudge; choose another folder with --store",
}


def look(path: Path, timeout: float) -> State:
    """Find out what is at `path`; refuse what is neither a store nor a place for one."""
    file = path / DBNAME
    if path.exists() and not path.is_dir():
        _fail(path, "a file, where a store is a folder")
    if not file.exists():
        if path.exists() and any(not each.name.startswith(".") for each in path.iterdir()):
            _fail(path, "a folder with other files in it, and no store")
        return State.NOTHING
    with closing(connect(path, timeout)) as database:
        schema = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        tables = {name for _, name, _ in schema}
        settings: dict[str, object] = {}
        if "Settings" in tables:
            settings = dict(database.execute("SELECT key, value FROM Settings"))
        if settings.keys() - DEFAULT_SETTINGS.keys() - METADATA.keys() or (
            settings.get("eviction_policy", "none") != "none"
        ):
            _fail(path, "a cache of another program; choose another folder with --store")
        for kind, name, statement in schema:
            if kind == "view" or (kind == "trigger" and _plain(statement) != _TRIGGERS.get(name)):
                _fail(path, f"has a {kind} of its own, which could change answers: not opened")
        if "Cache" not in tables or not database.execute("SELECT 1 FROM Cache LIMIT 1").fetchall():
            # Another process may be making it just now, or was stopped while it did.
            return State.NOTHING
        _check(database, path)
    return State.STORE


def _plain(statement: object) -> str:
    return " ".join(str(statement).split())


def _trigger(name: str, event: str, change: str) -> str:
    key = name.split("_")[1]
    return (
        f"CREATE TRIGGER {name} AFTER {event} ON Cache FOR EACH ROW BEGIN UPDATE Settings "
        f'SET value = value {change} WHERE key = "{key}"; END'
    )


#: diskcache's own triggers, which count rows and their size.
_TRIGGERS = {
    name: _trigger(name, event, change)
    for name, event, change in (
        ("Settings_count_insert", "INSERT", "+ 1"),
        ("Settings_count_delete", "DELETE", "- 1"),
        ("Settings_size_insert", "INSERT", "+ NEW.size"),
        ("Settings_size_update", "UPDATE", "+ NEW.size - OLD.size"),
        ("Settings_size_delete", "DELETE", "- OLD.size"),
    )
}


def _check(database: sqlite3.Connection, path: Path) -> None:
    """Refuse a database of another program or schema, and one with a key that isn't text."""
    rows = named(database, [SCHEMA_KEY])
    said = rows[0].value if rows else ""
    number = said.removeprefix(_SCHEMA_NAME)
    if not said.startswith(_SCHEMA_NAME) or not number.isdecimal():
        _fail(path, "a cache of another program; choose another folder with --store")
    if int(number) > _SCHEMA_NUMBER:
        _fail(
            path,
            f"made by a newer segjudge (store schema {number}, this one reads {_SCHEMA_NUMBER}): "
            "upgrade segjudge, or choose another folder with --store",
        )
    if int(number) < _SCHEMA_NUMBER:
        _fail(
            path,
            f"made by an older segjudge (store schema {number}, this one reads {_SCHEMA_NUMBER}): "
            "export it with the version that made it and import the file into a new store",
        )
    # The index alone answers this, so it's quick; values are checked as they are read.
    odd = database.execute(
        "SELECT 1 FROM Cache WHERE raw IS NOT 1 OR typeof(key) <> 'text' LIMIT 1"
    ).fetchall()
    if odd:
        raise NotText("it has a key that isn't plain text")


def connect(path: Path, timeout: float) -> sqlite3.Connection:
    """Open the database for reading only, from read-only media too."""
    file = (path / DBNAME).absolute()
    database = _connected(f"{file.as_uri()}?mode=ro", timeout)
    try:
        database.execute("SELECT 1 FROM sqlite_master").fetchall()
    except sqlite3.OperationalError as error:
        database.close()
        if "unable to open" not in str(error) and "readonly" not in str(error):
            raise
        # SQLite wants to make a file beside the database, and can't; without a log to read
        # there is no need for it.
        log = file.with_name(f"{DBNAME}-wal")
        if log.exists() and log.stat().st_size:
            _fail(
                path,
                "was not closed when it was copied here, and the folder can't be written to: "
                "copy all of it to a folder that can",
            )
        database = _connected(f"{file.as_uri()}?mode=ro&immutable=1", timeout)
    return database


def _connected(uri: str, timeout: float) -> sqlite3.Connection:
    database = sqlite3.connect(
        uri, timeout=timeout, isolation_level=None, check_same_thread=False, uri=True
    )
    database.execute("PRAGMA trusted_schema = OFF")
    return database


def named(database: sqlite3.Connection, keys: Sequence[str]) -> list[Row]:
    """Return the rows with these keys, as far as there are any."""
    rows: list[Row] = []
    for first in range(0, len(keys), 500):
        some = keys[first : first + 500]
        query = f"SELECT {_COLUMNS} FROM Cache WHERE key IN ({','.join('?' * len(some))})"
        rows += map(_row, database.execute(query, some))
    return rows


def page(
    database: sqlite3.Connection, kind: str, after: tuple[str, int] | None = None
) -> list[Row]:
    """Return the next rows of a kind, at most `PAGE`: by tag, then as they were put in."""
    query = (
        f"SELECT {_COLUMNS} FROM Cache WHERE tag < ? AND (tag, rowid) > (?, ?) "
        "ORDER BY tag, rowid LIMIT ?"
    )
    tag, rowid = after or (f"{kind}/", -1)
    return [*map(_row, database.execute(query, (f"{kind}0", tag, rowid, PAGE)))]


def count(database: sqlite3.Connection, kind: str) -> int:
    """Return how many rows of a kind there are."""
    query = "SELECT count(*) FROM Cache WHERE key >= ? AND key < ?"
    ((number,),) = database.execute(query, (f"{kind}/", f"{kind}0"))
    return int(number)


def _row(columns: tuple[object, ...]) -> Row:
    key, raw, mode, filename, value, tag, rowid = columns
    text = checked_value(mode, filename, value)
    return Row(checked_key(key, raw), text, str(tag), int(str(rowid)))
