"""What the service refuses: other sites, other hosts, too much, and whoever lacks the token."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from service_process import Process, example, serving
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message
from typer.testing import CliRunner

from segjudge.cli import app
from segjudge.service import guard
from segjudge.service.app import create_app
from segjudge.service.settings import Settings

TOKEN = "correct-horse-battery-staple"
SECRET = "sk-very-secret-provider-key"


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    data = tmp_path_factory.mktemp("safety")
    options = ("--max-upload", "20", "--max-unpacked", "30", "--model", "openai/x")
    with serving(data, *options, env={"OPENAI_API_KEY": SECRET}) as process:
        yield process


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[TestClient]:
    settings = Settings(data=tmp_path / "data", token=TOKEN, hosts=())
    with TestClient(create_app(settings), follow_redirects=False) as client:
        yield client


def raw(process: Process, head: str, body: Iterator[bytes] | None = None) -> tuple[str, int]:
    """Send a request by hand; return the status line and how many bytes were taken."""
    sent = 0
    with socket.create_connection(("127.0.0.1", process.port), timeout=20) as connection:
        connection.sendall(head.encode())
        try:
            for part in body or ():
                connection.sendall(part)
                sent += len(part)
        except OSError:
            pass
        try:
            return connection.recv(200).decode().partition("\r\n")[0], sent
        except OSError:
            return "", sent


def head_of(process: Process, length: str) -> str:
    return (
        f"POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1:{process.port}\r\n"
        f"Content-Type: multipart/form-data; boundary=x\r\n{length}\r\n\r\n"
    )


def test_a_gigabyte_is_refused_by_its_length(process: Process) -> None:
    began = time.monotonic()
    status, _ = raw(process, head_of(process, f"Content-Length: {2**30}"))
    assert status == "HTTP/1.1 413 Request Entity Too Large" or " 413 " in status
    assert time.monotonic() - began < 2


def test_a_gigabyte_is_refused_by_its_count(process: Process) -> None:
    def chunks() -> Iterator[bytes]:
        start = b'--x\r\nContent-Disposition: form-data; name="reference"; filename="a"\r\n\r\n'
        yield b"%x\r\n%s\r\n" % (len(start), start)
        for _ in range(1024):
            yield b"100000\r\n" + b" " * 2**20 + b"\r\n"

    status, sent = raw(process, head_of(process, "Transfer-Encoding: chunked"), chunks())
    assert sent < 100 * 2**20
    assert status == "" or " 413 " in status
    # And it goes on answering.
    assert " 200 " in raw(process, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")[0]


def test_a_bomb_is_refused(shared: TestClient, client: TestClient) -> None:
    bomb = gzip.compress(gzip.compress(b" " * 2**20) + b" " * (600 * 2**20), 1)
    assert len(bomb) < 4 * 2**20
    began = time.monotonic()
    reply = client.post("/v1/runs", files=example("reference") | {"prediction": ("b.gz", bomb)})
    assert reply.status_code == 413, reply.text
    assert "b.gz: it unpacks to more than" in reply.json()["detail"]
    assert time.monotonic() - began < 20
    assert client.get("/v1/runs").json()["runs"] == []


def test_json_has_a_bound_of_its_own(shared: TestClient) -> None:
    body = json.dumps({"reference": "x" * (17 * 2**20), "prediction": ""})
    reply = shared.post("/v1/runs", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code == 413


def test_every_route_has_a_bound(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, hosts=("testserver",), max_json=10_000, max_upload=20_000)

    def parts() -> Iterator[bytes]:
        yield b'{"label_a": "'
        yield b"x" * 30_000

    with TestClient(create_app(settings)) as client:
        for method, path in [("PUT", "/v1/judgments"), ("POST", "/v1/judge"), ("POST", "/login")]:
            headers = {"Content-Type": "application/json"}
            for content in (b"x" * 30_000, parts()):
                reply = client.request(method, path, content=content, headers=headers)
                assert reply.status_code == 413, (path, reply.text)


def test_a_request_that_trickles_in_is_ended() -> None:
    async def receive() -> dict[str, object]:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"x", "more_body": True}

    taken = []

    async def read() -> None:
        bounded = guard.Bounded(receive, 1_000, 0.3)
        for _ in range(100):
            taken.append(await bounded())  # noqa: PERF401 - it ends with an exception

    with pytest.raises(HTTPException) as caught:
        asyncio.run(read())
    assert caught.value.status_code == 408
    assert len(taken) <= 16


def test_slow_work_is_ended(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, hosts=("testserver",), work_seconds=3)
    labels = [
        {"id": "a", "segments": [{"start": n, "end": n + 1, "label": "a" * 40 + "b"}]}
        for n in range(1)
    ]
    body = {"reference": labels, "prediction": labels, "options": {"ignore_label": "(a+)+$"}}
    with TestClient(create_app(settings)) as client:
        began = time.monotonic()
        reply = client.post("/v1/runs", json=body)
        assert reply.status_code == 422
        assert "longer than 3 seconds" in reply.json()["detail"]
        assert time.monotonic() - began < 15
        ok = client.post("/v1/plan", json={**body, "options": {}})
        assert ok.status_code == 200, ok.text


def test_a_pattern_that_tries_for_ever_ends_soon(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, hosts=("testserver",), pattern_seconds=4)
    side = [{"id": "a", "segments": [{"start": 0, "end": 1, "label": "a" * 40 + "!"}]}]
    body = {"reference": side, "prediction": side, "options": {"ignore_label": "^(a|a)+$"}}
    with TestClient(create_app(settings)) as client:
        for path in ("/v1/runs", "/v1/plan"):
            reply = client.post(path, json=body)
            assert reply.status_code == 422
            assert "took too long: it took longer than 4 seconds" in reply.json()["detail"]


def test_reading_ends_when_nobody_waits_for_it(tmp_path: Path) -> None:
    settings = Settings(
        data=tmp_path, hosts=("testserver",), pattern_seconds=60, readers=1, work_seconds=60
    )
    side = [{"id": "a", "segments": [{"start": 0, "end": 1, "label": "a" * 40 + "!"}]}]
    body = {"reference": side, "prediction": side}
    stuck = json.dumps({**body, "options": {"ignore_label": "^(a|a)+$"}}).encode()

    async def leave(app: ASGIApp) -> None:
        """Send a plan, and go after a moment."""
        parts = iter([{"type": "http.request", "body": stuck, "more_body": False}])

        async def receive() -> Message:
            for part in parts:
                return part
            await asyncio.sleep(4)
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            pass

        headers = [(b"host", b"testserver"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/v1/plan", "headers": headers}
        await app({**scope, "query_string": b"", "http_version": "1.1"}, receive, send)

    app = create_app(settings)
    with TestClient(app) as client:
        began = time.monotonic()
        asyncio.run(leave(app))
        assert client.post("/v1/plan", json=body).status_code == 200
        assert time.monotonic() - began < 40


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil"])
def test_other_hosts(shared: TestClient, host: str) -> None:
    assert shared.get("/healthz", headers={"Host": host}).status_code == 403


def test_hosts_of_this_machine() -> None:
    for host in ("localhost", "127.0.0.1:8321", "[::1]:8321", "LocalHost:1"):
        assert guard._name(host) in Settings(data=Path()).hosts


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403),
        ({"Origin": "http://testserver"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_other_sites(shared: TestClient, headers: dict[str, str], status: int) -> None:
    said = {"label_a": "a", "label_b": "b", "verdict": "same", "name": "anna"}
    assert shared.put("/v1/judgments", json=said, headers=headers).status_code == status


def test_json_is_not_taken_for_a_form_of_another_site(shared: TestClient) -> None:
    said = b'{"label_a": "a", "label_b": "b", "verdict": "same", "name": "anna"}'
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        reply = shared.put("/v1/judgments", content=said, headers={"Content-Type": kind})
        assert reply.status_code == 422


def test_reading_from_other_sites(shared: TestClient) -> None:
    cross = {"Sec-Fetch-Site": "cross-site"}
    assert shared.get("/v1/judgments/export", headers=cross).status_code == 403
    followed = {**cross, "Sec-Fetch-Mode": "navigate"}
    assert shared.get("/healthz", headers=followed).status_code == 200


def test_every_answer_has_the_headers(shared: TestClient) -> None:
    for path in ("/healthz", "/v1/runs", "/nowhere"):
        headers = shared.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_nothing_without_the_token(locked: TestClient) -> None:
    assert locked.get("/healthz").status_code == 200
    for method, path in [
        ("GET", "/v1/runs"),
        ("POST", "/v1/runs"),
        ("GET", "/openapi.json"),
        ("GET", "/v1/judgments/export"),
        ("DELETE", "/v1/runs/x"),
        ("GET", "/nowhere"),
    ]:
        for headers in (
            {},
            {"Authorization": "Bearer wrong"},
            {"Authorization": "Bearer "},
            {"Authorization": f"Basic {TOKEN}"},
            {"Cookie": f"{guard.COOKIE}={TOKEN}"},
            {"Cookie": f"{guard.COOKIE}=9999999999.{'0' * 64}"},
        ):
            reply = locked.request(method, path, headers=headers)
            assert reply.status_code == 401, (method, path, headers)
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert locked.get("/v1/runs", headers=right).status_code == 200


def test_cookies_end(monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = guard.issue(TOKEN)
    assert guard.was_issued(TOKEN, cookie)
    assert not guard.was_issued("another-token-altogether", cookie)
    later = time.time() + guard.LOGGED_IN + 1
    monkeypatch.setattr(guard.time, "time", lambda: later)
    assert not guard.was_issued(TOKEN, cookie)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org"])
def test_others_need_a_token(host: str, tmp_path: Path) -> None:
    command = ["serve", "--data", str(tmp_path / "d"), "--host", host]
    result = CliRunner().invoke(app, command)
    assert "can be reached by others: give --token-file" in str(result.exception)
    short = tmp_path / "token"
    short.write_text("short\n")
    result = CliRunner().invoke(app, [*command, "--token-file", str(short)])
    assert "at least 16" in str(result.exception)
    assert not (tmp_path / "d").exists()


def serve(*options: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "segjudge", "serve", "--port", "0", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


def test_a_folder_that_cannot_be_used(tmp_path: Path, process: Process) -> None:
    file = tmp_path / "file"
    file.touch()
    assert serve("--data", str(file)) == (2, f"error: {file}: not a folder\n")
    no_token = serve("--data", str(tmp_path / "d"), "--token-file", str(tmp_path / "none"))
    assert no_token == (2, f"error: --token-file {tmp_path / 'none'}: No such file or directory\n")


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such locks")
def test_a_folder_serves_one_service(tmp_path: Path) -> None:
    with serving(tmp_path):
        said = serve("--data", str(tmp_path))
    assert said == (2, f"error: {tmp_path}: another service uses this folder\n")
    with serving(tmp_path) as again:
        assert again.url


def test_pages_of_nothing(shared: TestClient) -> None:
    for path in ("/runs/zzz", "/audits/zzz"):
        reply = shared.get(path)
        assert reply.status_code == 404
        assert "There is no such" in reply.text


def test_hand_actions_are_decided_by_verb(shared: TestClient) -> None:
    pair = {"label_a": "cut", "label_b": "slice"}
    asked = {"pairs": [pair], "task": "hand-action"}
    said = {**pair, "verdict": "same", "name": "anna", "task": "hand-action"}
    for reply in (
        shared.post("/v1/judge", json=asked),
        shared.put("/v1/judgments", json=said),
    ):
        assert reply.status_code == 422
        (problem,) = reply.json()["problems"]
        assert problem["field"] == "task"
        assert problem["expected"].startswith("hand actions are decided by their verbs")


def test_bad_options_say_where(shared: TestClient) -> None:
    options = {"options": json.dumps({"verbs": "x"})}
    reply = shared.post("/v1/plan", files=example("reference", "prediction"), data=options)
    assert reply.status_code == 422
    (problem,) = reply.json()["problems"]
    assert (problem["place"], problem["field"]) == ("options", "verbs")
    assert problem["expected"].startswith("there are none,")


def test_keys_of_providers_appear_in_no_answer(process: Process) -> None:
    import httpx

    with httpx.Client(base_url=process.url) as client:
        body = {"pairs": [{"label_a": "a", "label_b": "b"}], "model": "openai/y"}
        said = [client.post("/v1/judge", json=body).text]
        said += [client.get(path).text for path in ("/healthz", "/openapi.json", "/v1/runs")]
    assert SECRET not in "".join(said)
    assert "no model 'openai/y' is offered here; there are: openai/x" in said[0]
