"""Services to ask: one within the process, and ones that run as they do for users."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "judge" / "chat"))

from chat_server import ChatServer, serving
from fastapi.testclient import TestClient

from segjudge.service.app import create_app
from segjudge.service.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", hosts=("testserver",), heartbeat=0.5)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings)) as client:
        yield client


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A service for tests that don't mind what others have left in it."""
    data = tmp_path_factory.mktemp("shared") / "data"
    with TestClient(create_app(Settings(data=data, hosts=("testserver",)))) as client:
        yield client


@pytest.fixture(scope="session")
def _chat() -> Iterator[ChatServer]:
    with serving() as server:
        yield server


@pytest.fixture
def chat(_chat: ChatServer) -> ChatServer:
    """A model on loopback that answers from the labels."""
    _chat.reset()
    return _chat
