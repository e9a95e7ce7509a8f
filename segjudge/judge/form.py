"""In which form a server takes a request for JSON: found out once a run, by one call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from segjudge.judge.faults import Course, Fault
from segjudge.judge.transport import FORMS


class Form:
    """The form that requests have. The first call of a run is alone until it shows which.

    Attributes
    ----------
    level : int
        Index into `FORMS`.
    proven : bool
        Whether a request was answered.
    """

    def __init__(self) -> None:
        self.level = 0
        self.proven = False
        self.probed = False
        self._first = asyncio.Lock()
        self.opened = asyncio.Event()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Take part; wait while another call finds out."""
        if self.opened.is_set():
            yield Turn(self)
            return
        await self._first.acquire()
        if self.opened.is_set():
            self._first.release()
            yield Turn(self)
            return
        turn = Turn(self, self._first)
        try:
            yield turn
        finally:
            turn.seen()


class Turn:
    """One call's part in finding the form."""

    def __init__(self, form: Form, lock: asyncio.Lock | None = None) -> None:
        self._shared = form
        self._lock = lock
        self._level = form.level

    @property
    def form(self) -> str:
        """The form to ask in."""
        return FORMS[self._level]

    def seen(self) -> None:
        """Let the others go: the server's answer had nothing to do with the form."""
        self._shared.opened.set()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def accepted(self) -> None:
        """Settle on the form that was answered."""
        self._shared.proven = True
        self._shared.level = max(self._shared.level, self._level)
        self.seen()

    def lower(self, fault: Fault) -> bool:
        """Return whether to ask again in a less strict form, because of this fault."""
        shared = self._shared
        if fault.course is Course.FORM:
            if self._level < shared.level:
                self._level = shared.level  # another call has found out meanwhile
                return True
            if self._level + 1 < len(FORMS):
                self._level = shared.level = self._level + 1
                return True
            fault.course = Course.GIVE_UP
            return False
        # Some servers refuse a form without saying that it is the form: tried once, before any
        # success, and kept only if it helps.
        vague = fault.course is Course.GIVE_UP and fault.reason == "rejected"
        if not vague or shared.proven or shared.probed:
            return False
        if self._level + 1 < len(FORMS):
            self._level += 1
            return True
        shared.probed = True
        return False
