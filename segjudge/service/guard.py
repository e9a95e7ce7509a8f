"""Who may ask what: the host, other sites, the token, and the headers of every answer.

Pure ASGI, so that a refused request is never read and a stream is never held up.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from segjudge.service.settings import Settings

COOKIE = "segjudge"

#: Seconds that a browser stays logged in.
LOGGED_IN = 7 * 24 * 3600

_OPEN = ("/healthz", "/login", "/favicon.ico")
_OPEN_UNDER = "/static/"
_UPLOADS = ("/v1/runs", "/v1/plan")
_SAFE = ("GET", "HEAD", "OPTIONS")

#: What pages of ours may do: only what came from here.
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Guard:
    """Refuses what isn't allowed, before anything is read.

    Parameters
    ----------
    app : ASGI application
    settings : Settings
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if not scope["path"].startswith(_OPEN_UNDER):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        most = self._settings.max_upload if scope["path"] in _UPLOADS else self._settings.max_json
        refused = self._refused(scope["method"], scope["path"], headers) or announced(headers, most)
        bounded = Bounded(receive, most, self._settings.upload_seconds)
        await (refused or self._app)(scope, bounded, marked)

    def _refused(self, method: str, path: str, headers: Headers) -> Response | None:
        """Return why a request isn't let through, as an answer."""
        host = headers.get("host", "")
        if self._settings.hosts and _name(host) not in self._settings.hosts:
            return _no(403, "this service is not for that host")
        if _from_elsewhere(method, host, headers):
            return _no(403, "requests from other sites are refused")
        if path in _OPEN or path.startswith(_OPEN_UNDER) or self._knows(headers):
            return None
        if method == "GET" and "text/html" in headers.get("accept", ""):
            return RedirectResponse("/login", 303)
        response = _no(401, "show the token: Authorization: Bearer TOKEN")
        response.headers["WWW-Authenticate"] = "Bearer"
        return response

    def _knows(self, headers: Headers) -> bool:
        """Whether a request shows the token, or that a browser logged in with it."""
        token = self._settings.token
        if token is None:
            return True
        kind, _, shown = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and same(shown.strip(), token):
            return True
        return was_issued(token, _cookie(headers))


class Bounded:
    """What a client sends: refused as soon as it is too much, or takes too long.

    Parameters
    ----------
    receive : callable
    most : int
        Bytes.
    seconds : float
        For the whole request.
    """

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive = receive
        self._most = most
        self._seconds = seconds
        self._end = asyncio.get_running_loop().time() + seconds
        self._taken = 0
        self._whole = False

    async def __call__(self) -> Message:
        """Receive a part.

        Raises
        ------
        HTTPException
            413 or 408; the connection isn't read any further.
        """
        if self._whole:
            return await self._receive()  # it only waits for the client to go
        try:
            async with asyncio.timeout_at(self._end):
                message = await self._receive()
        except TimeoutError:
            why = f"the request took longer than {self._seconds:g} seconds"
            raise HTTPException(408, why, {"Connection": "close"}) from None
        self._taken += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._taken > self._most:
            raise HTTPException(413, _too_much(self._most), {"Connection": "close"})
        return message


def announced(headers: Headers, most: int) -> Response | None:
    """Refuse a request that says itself that it is too large."""
    length = headers.get("content-length", "")
    return _no(413, _too_much(most)) if length.isdecimal() and int(length) > most else None


def _too_much(most: int) -> str:
    return f"a request of at most {most} bytes"


def same(shown: str, token: str) -> bool:
    """Compare in a time that doesn't tell how much of it is right."""
    return hmac.compare_digest(shown.encode("utf-8", "replace"), token.encode())


def issue(token: str) -> str:
    """Return what a browser keeps instead of the token: an end, and proof of knowing it."""
    end = str(int(time.time()) + LOGGED_IN)
    return f"{end}.{_signed(token, end)}"


def was_issued(token: str, value: str) -> bool:
    """Whether `issue` gave this, not too long ago."""
    end, _, proof = value.partition(".")
    if not hmac.compare_digest(proof.encode("utf-8", "replace"), _signed(token, end).encode()):
        return False
    return end.isdecimal() and int(end[:12]) > time.time()


def _signed(token: str, end: str) -> str:
    text = f"segjudge login until {end}".encode("utf-8", "replace")
    return hmac.new(token.encode(), text, hashlib.sha256).hexdigest()


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _name(host: str) -> str:
    """Return a host without its port."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


def _from_elsewhere(method: str, host: str, headers: Headers) -> bool:
    """Whether a browser says that another site made it ask.

    Following a link from elsewhere to a page is no harm; all else is refused. What isn't a
    browser says nothing, and no site can make it ask.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        if site in ("same-origin", "none"):
            return False
        return not (method == "GET" and headers.get("sec-fetch-mode") == "navigate")
    origin = headers.get("origin")
    return origin is not None and method not in _SAFE and urlsplit(origin).netloc != host


def _no(status: int, why: str) -> Response:
    return JSONResponse({"detail": why, "problems": []}, status, {"Connection": "close"})
