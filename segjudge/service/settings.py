"""What whoever starts the service decides; no client can change it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Settings:
    """How the service runs.

    Attributes
    ----------
    data : Path
        Folder of the database, the uploads, the reports and the store of answers.
    token : str or None
        What clients must show; None only where nobody but this machine can connect.
    hosts : tuple of str
        Names that a request may be for, without port; empty allows any.
    models : tuple of str
        The only models that a client may name.
    api_base : str or None
        Address of an OpenAI-compatible server for those models.
    concurrency, rpm, tpm, timeout, price_in, price_out
        See `ChatJudge`.
    max_upload, max_json : int
        Bytes of a whole request: with files, and as JSON.
    max_unpacked : int
        Bytes of a file that came compressed.
    upload_seconds, work_seconds : float
        For receiving a request, and for reading or scoring.
    pattern_seconds : float
        For reading files with a regular expression of the client's, which may try for ever.
    memory : int
        Bytes that a process which reads files may take.
    queue, workers, readers : int
        Runs that may wait, runs at a time, and processes that read files.
    heartbeat : float
        Seconds between signs of life of an event stream.
    """

    data: Path
    token: str | None = None
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    models: tuple[str, ...] = ()
    api_base: str | None = None
    concurrency: int = 16
    rpm: int | None = None
    tpm: int | None = None
    timeout: float = 60.0
    price_in: float | None = None
    price_out: float | None = None
    max_upload: int = 100 * MIB
    max_json: int = 16 * MIB
    max_unpacked: int = 512 * MIB
    upload_seconds: float = 300.0
    work_seconds: float = 300.0
    pattern_seconds: float = 10.0
    memory: int = 4096 * MIB
    queue: int = 32
    workers: int = 2
    readers: int = 2
    heartbeat: float = 15.0

    @property
    def store(self) -> Path:
        """Where answers are kept."""
        return self.data / "store"

    def folder(self, run: str) -> Path:
        """Return where the files of a run are kept."""
        return self.data / "runs" / run

    def asking(self) -> dict[str, Any]:
        """Return the options of asking that are the server's own."""
        own = {
            "api_base": self.api_base,
            "concurrency": self.concurrency,
            "rpm": self.rpm,
            "tpm": self.tpm,
            "timeout": self.timeout,
            "price_in": self.price_in,
            "price_out": self.price_out,
        }
        return {name: value for name, value in own.items() if value is not None}

    def planning(self) -> dict[str, Any]:
        """Return the options that a plan needs besides a run's own."""
        return {**self.asking(), "store": str(self.store.absolute())}
