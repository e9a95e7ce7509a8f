"""``segjudge serve``."""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segjudge.errors import InputError, UsageError

if TYPE_CHECKING:
    from segjudge.service import Settings

MIB = 2**20

#: A token that can be guessed is none.
SHORTEST_TOKEN = 16


def serve(
    data: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Where runs, judgments and answers are kept."),
    ],
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8321,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with the token that clients must show; needed for any address that "
            "others can reach.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str],
        typer.Option(metavar="NAME", help="Name that requests may be for; may be repeated."),
    ] = [],  # noqa: B006 - typer reads the default, nothing changes it
    model: Annotated[
        list[str],
        typer.Option(
            metavar="PROVIDER/MODEL",
            help="Chat model that clients may ask; may be repeated. Without one none is asked. "
            "Its key comes from the environment of this process alone.",
        ),
    ] = [],  # noqa: B006
    api_base: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An OpenAI-compatible server, with --model openai/NAME."),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Most calls at a time, a model.")] = 16,
    rpm: Annotated[int | None, typer.Option(metavar="N", help="Most requests a minute.")] = None,
    tpm: Annotated[int | None, typer.Option(metavar="N", help="Most tokens a minute.")] = None,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="Longest call.")] = 60.0,
    price_in: Annotated[
        float | None, typer.Option(metavar="USD", help="Price of a million tokens in.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(metavar="USD", help="Price of a million tokens out.")
    ] = None,
    max_upload: Annotated[int, typer.Option(metavar="MIB", min=1, help="Largest request.")] = 100,
    max_unpacked: Annotated[
        int, typer.Option(metavar="MIB", min=1, help="Most that a compressed file may hold.")
    ] = 512,
    work_seconds: Annotated[
        float, typer.Option(metavar="SECONDS", min=1, help="Longest reading or scoring.")
    ] = 300.0,
    queue: Annotated[int, typer.Option(min=1, help="Most runs that wait.")] = 32,
    workers: Annotated[int, typer.Option(min=1, max=16, help="Runs at a time.")] = 2,
) -> None:
    """Serve runs, judgments and audits over HTTP, with pages for people.

    Listens on this machine alone unless told otherwise. A run that is cut short goes on when the
    service is started again.
    """
    from segjudge.service import Settings

    token = read_token(token_file)
    if not _is_loopback(host) and token is None:
        raise UsageError(f"--host {host} can be reached by others: give --token-file FILE")
    run(
        Settings(
            data=data,
            token=token,
            hosts=_hosts(token, allow_host),
            models=tuple(model),
            api_base=api_base,
            concurrency=concurrency,
            rpm=rpm,
            tpm=tpm,
            timeout=timeout,
            price_in=price_in,
            price_out=price_out,
            max_upload=max_upload * MIB,
            max_json=min(max_upload, 16) * MIB,
            max_unpacked=max_unpacked * MIB,
            work_seconds=work_seconds,
            queue=queue,
            workers=workers,
        ),
        host,
        port,
    )


def read_token(path: Path | None) -> str | None:
    """Return the token in a file.

    Raises
    ------
    UsageError
        The file can't be read, or holds no token worth the name.
    """
    if path is None:
        return None
    try:
        token = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise UsageError(f"--token-file {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--token-file {path}: not text in UTF-8") from None
    if len(token) < SHORTEST_TOKEN or not token.isascii() or any(map(str.isspace, token)):
        raise UsageError(
            f"--token-file {path}: a token of at least {SHORTEST_TOKEN} ASCII characters "
            "without spaces"
        )
    return token


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _hosts(token: str | None, allowed: list[str]) -> tuple[str, ...]:
    """Return the names that requests may be for: any where a token is asked for and none named."""
    if token is not None and not allowed:
        return ()
    return ("localhost", "127.0.0.1", "[::1]", *(name.lower() for name in allowed))


@contextmanager
def held(data: Path) -> Iterator[None]:
    """Make the folder where all is kept, and keep other services from it.

    Raises
    ------
    InputError
        It can't be a folder of ours, or another service uses it.
    """
    if data.exists() and not data.is_dir():
        raise InputError(f"{data}: not a folder")
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (data / "service.lock").open("ab")
    except OSError as error:
        raise InputError(f"{data}: {error.strerror or error}") from None
    with lock:
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(f"{data}: another service uses this folder") from None
            except OSError:
                pass  # a file system without locks
        yield


def run(settings: Settings, host: str, port: int) -> None:
    """Serve until interrupted.

    Raises
    ------
    UsageError
        The extra isn't installed, or the address can't be listened on.
    InputError
        The folder can't be used.
    """
    try:
        import uvicorn

        from segjudge.service.app import create_app
    except ImportError as error:
        raise UsageError(
            f"serving needs more packages ({error}): pip install 'segjudge[service,report]'"
        ) from None
    config = uvicorn.Config(
        create_app(settings),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        h11_max_incomplete_event_size=64 * 1024,
    )
    try:
        socket = config.bind_socket()
    except SystemExit:
        raise UsageError(f"--port {port}: {host} can't be listened on at this port") from None
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{socket.getsockname()[1]}"

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[Any] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                typer.echo(url, err=True)

    with socket, held(settings.data):
        Server(config).run(sockets=[socket])
