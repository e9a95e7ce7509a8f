"""What the routes share: the database, the engine and the processes, from start to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import HTTPException, Request

from segjudge.errors import InputError
from segjudge.service.audits import Audits
from segjudge.service.children import Children
from segjudge.service.database import Database
from segjudge.service.engine import Engine
from segjudge.service.runs import Runs
from segjudge.service.settings import Settings
from segjudge.service.verdicts import Verdicts

_T = TypeVar("_T")


class Service:
    """All that stands behind the routes.

    Parameters
    ----------
    settings : Settings
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        try:
            settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            (settings.data / "runs").mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise InputError(f"{settings.data}: {error.strerror or error}") from error
        self._database = Database(settings.data / "service.db")
        self.runs = Runs(self._database, settings)
        self.verdicts = Verdicts(self._database)
        self.audits = Audits(self._database, self.verdicts)
        self.children = Children(
            settings.readers, settings.work_seconds, settings.memory, settings.queue
        )
        self.engine = Engine(settings, self.runs, self.verdicts, self.children)

    def start(self) -> None:
        """Take up work."""
        self.engine.start()

    def stop(self) -> None:
        """End work; what is unfinished goes on another time."""
        self.engine.stop()
        self.children.close()
        self._database.close()

    async def on_engine(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Do something on the engine's loop, and wait for it on this one."""
        return await asyncio.wrap_future(self.engine.do(work))


async def while_connected(request: Request, work: Coroutine[Any, Any, _T]) -> _T:
    """Do something for a client; give it up when the client goes.

    Raises
    ------
    HTTPException
        499, for nobody: the client has gone.
    """
    doing = asyncio.ensure_future(work)
    going = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((doing, going), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise HTTPException(499, "the client has gone")
        return await doing
    finally:
        for task in (doing, going):
            task.cancel()
        await asyncio.gather(doing, going, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def service_of(request: Request) -> Service:
    """Return the service that a request is for."""
    service: Service = request.app.state.service
    return service
