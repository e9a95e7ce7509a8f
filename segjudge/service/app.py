"""The application: routes, refusals, pages, and the engine behind them."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from segjudge.errors import InputError, Problem, SegjudgeError
from segjudge.service import api_audits, api_judgments, api_runs, pages
from segjudge.service.children import Busy
from segjudge.service.docs import document
from segjudge.service.guard import Guard
from segjudge.service.runs import told
from segjudge.service.service import Service
from segjudge.service.settings import Settings
from segjudge.service.uploads import explained, plain
from segjudge.service.work import TooLarge
from segjudge.version import version

log = logging.getLogger("segjudge.service")

#: Seconds after which to try again when too much is waiting.
RETRY_AFTER = 2


def create_app(settings: Settings) -> FastAPI:
    """Return the service as an ASGI application; it takes up work when it is started."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service = Service(settings)
        app.state.service = service
        service.start()
        try:
            yield
        finally:
            service.stop()

    app = FastAPI(
        title="segjudge",
        version=version(),
        description=(
            "Score free-form annotations of video in time, with a judge of label pairs: "
            "runs, judgments, and blind audits of the judge."
        ),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = settings
    for routes in (api_runs, api_judgments, api_audits, pages):
        app.include_router(routes.router)

    @app.get("/healthz", tags=["service"])
    async def healthz() -> dict[str, str]:
        """Say that the service answers."""
        return {"status": "ok", "version": version()}

    _refusals(app)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    app.add_middleware(Guard, settings=settings)
    return app


def _refusals(app: FastAPI) -> None:
    """Say what is wrong in one form, whatever noticed it."""

    @app.exception_handler(SegjudgeError)
    async def refused(_: Request, error: Exception) -> JSONResponse:
        if isinstance(error, Busy):
            return _wrong(429, str(error), headers={"Retry-After": str(RETRY_AFTER)})
        if isinstance(error, InputError):
            first = str(error.problems[0]) if error.problems else "the input can't be read"
            return _wrong(422, first, error.problems)
        return _wrong(413 if isinstance(error, TooLarge) else 422, str(error))

    @app.exception_handler(ValidationError)
    async def no_request(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, ValidationError)
        problems = explained(error)
        return _wrong(422, str(problems[0]), tuple(problems))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        problems = [
            Problem("", str(loc[0]), ".".join(map(str, loc[1:])), "", plain(each["msg"]))
            for each in error.errors()
            for loc in (each["loc"],)
        ]
        return _wrong(422, str(problems[0]), tuple(problems))

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        headers = dict(error.headers or {})
        return _wrong(error.status_code, str(error.detail), headers=headers)


def _wrong(
    status: int,
    detail: str,
    problems: tuple[Problem, ...] = (),
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    # What a file or a client said may hold half a surrogate pair, which no answer can.
    named = [{key: _whole(text) for key, text in each.items()} for each in told(problems)]
    return JSONResponse({"detail": _whole(detail), "problems": named}, status, headers)


def _whole(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
