"""One chat server for all of these tests, and a judge that asks it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_asking import Ask, Result, decided, judging
from chat_server import ChatServer, serving

from segjudge.cache.store import Store
from segjudge.judge.base import Question


@pytest.fixture(scope="session")
def _server() -> Iterator[ChatServer]:
    with serving() as server:
        yield server


@pytest.fixture
def server(_server: ChatServer) -> ChatServer:
    _server.reset()
    return _server


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def ask(server: ChatServer, store: Store) -> Ask:
    """Ask the server, keep what it says, and return what the judge made of it."""

    def ask(*questions: Question, **options: Any) -> Result:
        return asyncio.run(decided(judging(server, store, **options), questions))

    return ask
