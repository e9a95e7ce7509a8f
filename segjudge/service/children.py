"""A few processes that read and reckon, so that no file can hold up or bring down the service."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from segjudge.errors import InputError, SegjudgeError, UsageError
from segjudge.service.work import TooLarge


class Busy(SegjudgeError):
    """Too much is waiting already; to be tried again."""


class TooSlow(SegjudgeError):
    """A piece of work that took too long, and was ended."""


class Fault(Exception):
    """A fault of ours in a child process; holds its traceback, for the log alone."""


class _Piece:
    """A piece of work: the process that is at it, and whether anybody still wants it."""

    def __init__(self) -> None:
        self.child: _Child | None = None
        self.unwanted = False


class _Child:
    """One process, and the pipes to it."""

    def __init__(self, memory: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "segjudge.service.child", str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, name: str, args: tuple[Any, ...], seconds: float) -> tuple[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            pickle.dump((name, args), self._process.stdin, pickle.HIGHEST_PROTOCOL)
            self._process.stdin.flush()
            answer: tuple[str, Any] = pickle.load(self._process.stdout)
            return answer
        except (EOFError, OSError, pickle.UnpicklingError):
            self.close()
            if late.is_set():
                return "slow", f"it took longer than {seconds:g} seconds"
            return "large", "reading it took more memory than the service gives it"
        finally:
            timer.cancel()

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue


class Children:
    """Does the work of `segjudge.service.work` in processes of their own.

    Parameters
    ----------
    count : int
        Processes; each is started when it is first needed.
    seconds : float
        Longest piece of work.
    memory : int
        Bytes a process may take.
    most_waiting : int
        Pieces of work that may wait for clients.
    """

    def __init__(self, count: int, seconds: float, memory: int, most_waiting: int) -> None:
        self._pool = ThreadPoolExecutor(count, "segjudge-child")
        self._seconds = seconds
        self._memory = memory
        self._most_waiting = most_waiting
        self._waiting = 0
        self._lock = threading.Lock()
        self._own = threading.local()
        self._all: set[_Child] = set()

    @property
    def full(self) -> bool:
        """Whether clients have to try again later."""
        return self._waiting >= self._most_waiting

    async def call(
        self, name: str, *args: Any, patient: bool = False, seconds: float | None = None
    ) -> Any:
        """Do a piece of work of this name. When the caller is cancelled, its process is ended.

        Parameters
        ----------
        name : str
            A function of `segjudge.service.work`.
        *args
            For it.
        patient : bool
            Wait however many are waiting.
        seconds : float, optional
            Longest that it may take, if shorter than what any may.

        Raises
        ------
        InputError, UsageError, TooLarge, TooSlow
            As the work ends.
        Busy
            Too much is waiting.
        """
        with self._lock:
            if not patient and self.full:
                raise Busy("too many files are waiting to be read")
            self._waiting += 1
        most = self._seconds if seconds is None else min(seconds, self._seconds)
        piece = _Piece()
        try:
            work = self._pool.submit(self._do, piece, name, args, most)
            kind, value = await asyncio.wrap_future(work)
        except asyncio.CancelledError:
            with self._lock:
                piece.unwanted = True
                if piece.child is not None:
                    piece.child.kill()
            raise
        finally:
            with self._lock:
                self._waiting -= 1
        return _opened(kind, value)

    def _do(
        self, piece: _Piece, name: str, args: tuple[Any, ...], seconds: float
    ) -> tuple[str, Any]:
        child: _Child | None = getattr(self._own, "child", None)
        if child is None or not child.lives:
            child = self._own.child = _Child(self._memory)
            with self._lock:
                self._all = {each for each in self._all if each.lives} | {child}
        with self._lock:
            if piece.unwanted:
                return "usage", "nobody waits for it any more"
            piece.child = child
        try:
            return child.ask(name, args, seconds)
        finally:
            with self._lock:
                piece.child = None
            if piece.unwanted:
                child.close()

    def close(self) -> None:
        """End the processes; work that goes on is given up."""
        with self._lock:
            children = list(self._all)
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.close()
        self._pool.shutdown()


def _opened(kind: str, value: Any) -> Any:
    """Return what was done, or raise how it failed."""
    if kind == "done":
        return value
    if kind == "input":
        raise InputError(value)
    if kind == "fault":
        raise Fault(value)
    kinds: dict[str, type[SegjudgeError]] = {"large": TooLarge, "slow": TooSlow}
    raise kinds.get(kind, UsageError)(value)
