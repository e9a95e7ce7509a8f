"""A thin client of the service, on httpx."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import httpx

from segjudge.errors import InputError, Problem, SegjudgeError, StoppedEarly
from segjudge.judgments import Judgment
from segjudge.report import Report
from segjudge.scoring import Plan

#: A path of a file to send, or annotations as JSON knows them.
Side = str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any]

_ENDED = ("done", "stopped", "failed", "cancelled")


class Client:
    """Talks to a service that `segjudge serve` started.

    Parameters
    ----------
    url : str
        Such as ``http://127.0.0.1:8321``.
    token : str, optional
        What the service asks for, if it does.
    timeout : float
        Seconds for one request.
    patience : float
        Seconds to go on trying while the service says that too much is waiting.

    Raises
    ------
    InputError
        From every method: the service refuses the request; each fault is named.
    SegjudgeError
        From every method: the service can't be reached, or fails.

    Examples
    --------
    >>> client = segjudge.Client("http://127.0.0.1:8321")  # doctest: +SKIP
    >>> report = client.score("reference.jsonl", "prediction.jsonl")  # doctest: +SKIP
    """

    def __init__(
        self, url: str, token: str | None = None, *, timeout: float = 60.0, patience: float = 600.0
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout)
        self._patience = patience

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def start(
        self,
        reference: Side,
        prediction: Side,
        *,
        judgments: str | os.PathLike[str] | Sequence[Judgment] | None = None,
        **options: Any,
    ) -> str:
        """Start a run; return its id. Parameters are those of `score`."""
        run = self._send("POST", "/v1/runs", **_form(reference, prediction, judgments, options))
        return str(run["id"])

    def score(
        self,
        reference: Side,
        prediction: Side,
        *,
        judgments: str | os.PathLike[str] | Sequence[Judgment] | None = None,
        **options: Any,
    ) -> Report:
        """Score a prediction against a reference, and wait for the report.

        Parameters
        ----------
        reference, prediction : path, or annotations as JSON
        judgments : path or judgments, optional
            Recorded ones.
        **options
            As the service takes them: metrics, by, task, model, votes, ...

        Raises
        ------
        StoppedEarly
            The run was stopped before its end, or cancelled.
        """
        return self.wait(self.start(reference, prediction, judgments=judgments, **options))

    def wait(self, run: str) -> Report:
        """Wait for a run to end; return its report."""
        for _ in self.events(run):
            pass
        found = self.run(run)
        if found["state"] == "failed":
            raise InputError(_problems(found) or found["message"])
        if found["report"] is None or found["state"] == "stopped":
            raise StoppedEarly(found["message"] or f"the run is {found['state']}")
        return Report.from_json(json.dumps(found["report"]))

    def events(self, run: str) -> Iterator[dict[str, Any]]:
        """Give the state of a run each time it changes, until it ends."""
        last = ""
        while True:
            headers = {"Last-Event-ID": last} if last else {}
            try:
                with self._http.stream("GET", f"/v1/runs/{run}/events", headers=headers) as reply:
                    if reply.is_error:
                        reply.read()
                        raise _refused(reply)
                    for line in reply.iter_lines():
                        name, _, value = line.partition(": ")
                        if name == "id":
                            last = value
                        elif name == "data":
                            news: dict[str, Any] = json.loads(value)
                            yield news
                            if news["state"] in (*_ENDED, "removed"):
                                return
            except httpx.TransportError:
                # The service may have been started anew; runs go on then.
                self.run(run)
                time.sleep(0.5)

    def plan(
        self,
        reference: Side,
        prediction: Side,
        *,
        judgments: str | os.PathLike[str] | Sequence[Judgment] | None = None,
        **options: Any,
    ) -> Plan:
        """Say what a score would take; asks nothing. Parameters are those of `score`."""
        form = _form(reference, prediction, judgments, options)
        return Plan.model_validate(self._send("POST", "/v1/plan", **form))

    def judge(self, pairs: Sequence[tuple[str, str]], **options: Any) -> list[dict[str, Any]]:
        """Decide label pairs straight away; an answer a pair, in order.

        Parameters
        ----------
        pairs : sequence of (str, str)
        **options
            As the service takes them: model, prompt, votes, task, ...
        """
        asked = [{"label_a": a, "label_b": b} for a, b in pairs]
        answers = self._send("POST", "/v1/judge", json={"pairs": asked, **options})
        found: list[dict[str, Any]] = answers["pairs"]
        return found

    def run(self, run: str) -> dict[str, Any]:
        """Return a run: its state, and its report if it has one."""
        found: dict[str, Any] = self._send("GET", f"/v1/runs/{run}")
        return found

    def runs(self, state: str | None = None) -> Iterator[dict[str, Any]]:
        """Give all runs, the newest first, without their reports."""
        query: dict[str, Any] = {"state": state} if state else {}
        while True:
            page = self._send("GET", "/v1/runs", params=query)
            yield from page["runs"]
            if page["next"] is None:
                return
            query["before"] = page["next"]

    def cancel(self, run: str) -> dict[str, Any]:
        """Cancel a run, or remove one that has ended."""
        found: dict[str, Any] = self._send("DELETE", f"/v1/runs/{run}")
        return found

    def _send(self, method: str, path: str, **what: Any) -> Any:
        until = time.monotonic() + self._patience
        while True:
            try:
                reply = self._http.request(method, path, **what)
            except httpx.HTTPError as error:
                raise SegjudgeError(f"{self._http.base_url}: {error}") from None
            if reply.status_code != 429 or time.monotonic() > until:
                break
            time.sleep(float(reply.headers.get("Retry-After", 1)))
        if reply.is_error:
            raise _refused(reply)
        return reply.json() if reply.content else None


def _form(
    reference: Side,
    prediction: Side,
    judgments: str | os.PathLike[str] | Sequence[Judgment] | None,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    files = {"reference": _file(reference), "prediction": _file(prediction)}
    if isinstance(judgments, str | os.PathLike):
        files["judgments"] = _file(judgments)
    elif judgments is not None:
        text = "".join(f"{judgment.line()}\n" for judgment in judgments)
        files["judgments"] = "judgments.jsonl", text.encode()
    return {"files": files, "data": {"options": json.dumps(options)}}


def _file(side: Side) -> tuple[str, bytes]:
    if isinstance(side, str | os.PathLike):
        path = Path(side)
        try:
            return path.name, path.read_bytes()
        except OSError as error:
            raise InputError(Problem(str(path), "", "", "", error.strerror or str(error))) from None
    return "annotations.json", json.dumps(side).encode()


def _refused(reply: httpx.Response) -> SegjudgeError:
    """Return what a refusal says."""
    try:
        body = reply.json()
        detail = str(body["detail"])
    except (ValueError, KeyError, TypeError):
        return SegjudgeError(f"the service answered {reply.status_code}")
    problems = _problems(body)
    if problems or reply.status_code == 422:
        return InputError(problems or detail)
    return SegjudgeError(f"the service answered {reply.status_code}: {detail}")


def _problems(body: Mapping[str, Any]) -> list[Problem]:
    names = ("file", "place", "field", "value", "expected")
    return [Problem(*(each[name] for name in names)) for each in body.get("problems") or ()]
