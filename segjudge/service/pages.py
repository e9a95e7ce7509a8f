"""The pages: thin HTML that scripts of ours fill, every label as text."""

from __future__ import annotations

import asyncio
from importlib.resources import files
from urllib.parse import parse_qs

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from segjudge.report.page import asset
from segjudge.service import guard
from segjudge.service.service import service_of
from segjudge.version import version

router = APIRouter(include_in_schema=False)

#: What may be fetched under /static: files of the report page, which the pages share, and ours.
SHARED = {"base.css": "static/base.css", "dom.js": "static/dom.js"}
OWN = ("service.css", "api.js", "runs.js", "new.js", "run.js", "audit.js")

_TYPES = {"css": "text/css", "js": "text/javascript"}

#: Bytes of a login, and seconds that a wrong one takes at least.
_LOGIN = 4096
_WRONG_LOGIN = 0.5

_SHELL = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/base.css">
<link rel="stylesheet" href="/static/service.css">
<title>{title} · segjudge</title>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="home" href="/">segjudge</a>
<nav aria-label="Pages"><a href="/">Runs</a> <a href="/new">New run</a></nav>
</header>
<main id="main" tabindex="-1">{main}</main>
<footer class="foot">segjudge {version}</footer>
{scripts}</body>
</html>
"""

_LOGIN_FORM = """\
<h1>Log in</h1>
<form class="card login" method="post" action="/login">
<p role="alert">{said}</p>
<label class="field">Token <input type="password" name="token" required autofocus
autocomplete="current-password"></label>
<button type="submit">Log in</button>
</form>"""


def shell(title: str, *scripts: str, main: str = "") -> HTMLResponse:
    """Return a page. Nothing that a client said is ever put into it."""
    tags = "".join(f'<script src="/static/{name}"></script>\n' for name in scripts)
    return HTMLResponse(_SHELL.format(title=title, main=main, scripts=tags, version=version()))


def missing(said: str) -> HTMLResponse:
    """Return a page that says what there isn't."""
    page = shell("Not found", main=f"<h1>{said}</h1>")
    page.status_code = 404
    return page


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Return a script or a style sheet."""
    if name in SHARED:
        text = asset(SHARED[name])
    elif name in OWN:
        text = files("segjudge.service").joinpath("static", name).read_text("utf-8")
    else:
        raise HTTPException(404, "there is no such file")
    kind = _TYPES[name.rpartition(".")[2]]
    return Response(text, media_type=kind, headers={"Cache-Control": "max-age=60"})


@router.get("/")
def runs() -> HTMLResponse:
    """List the runs."""
    return shell("Runs", "dom.js", "api.js", "runs.js")


@router.get("/new")
def new() -> HTMLResponse:
    """Start a run."""
    return shell("New run", "dom.js", "api.js", "new.js")


@router.get("/runs/{run}")
def run(request: Request, run: str) -> HTMLResponse:
    """Watch a run, and read its figures."""
    if service_of(request).runs.get(run) is None:
        return missing("There is no such run.")
    return shell("Run", "dom.js", "api.js", "run.js")


@router.get("/audits/{audit}")
def audit(request: Request, audit: str) -> HTMLResponse:
    """Judge label pairs without seeing what the judge said."""
    if service_of(request).audits.get(audit) is None:
        return missing("There is no such audit.")
    return shell("Audit", "dom.js", "api.js", "audit.js")


@router.get("/login")
def login() -> HTMLResponse:
    """Ask for the token."""
    return shell("Log in", main=_LOGIN_FORM.format(said=""))


@router.post("/login")
async def log_in(request: Request) -> Response:
    """Compare the token; let the browser keep a proof of it that ends."""
    token = request.app.state.settings.token
    body = await Request(request.scope, guard.Bounded(request.receive, _LOGIN, 10.0)).body()
    shown = parse_qs(body.decode("utf-8", "replace")).get("token", [""])[0].strip()
    if token is not None and not guard.same(shown, token):
        await asyncio.sleep(_WRONG_LOGIN)
        page = shell("Log in", main=_LOGIN_FORM.format(said="This is not the token."))
        page.status_code = 403
        return page
    response = RedirectResponse("/", 303)
    if token is not None:
        response.set_cookie(
            guard.COOKIE,
            guard.issue(token),
            max_age=guard.LOGGED_IN,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
    return response
