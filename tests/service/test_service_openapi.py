"""Whatever is sent that the OpenAPI document allows, or forbids, is no fault of the service."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import requests
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from service_process import Process, example, http, serving, wait

schemathesis = pytest.importorskip("schemathesis")


@pytest.fixture(scope="module")
def document(shared: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = shared.get("/openapi.json").json()
    return found


def test_examples_are_answered(shared: TestClient, document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for path, model, status in [
        ("/v1/runs", "RunRequest", 202),
        ("/v1/plan", "RunRequest", 200),
        ("/v1/judge", "JudgeRequest", 200),
    ]:
        (example,) = schemas[model]["examples"]
        assert shared.post(path, json=example).status_code == status, path
    (said,) = schemas["PersonsVerdict"]["examples"]
    assert shared.put("/v1/judgments", json=said).status_code == 200
    form = document["paths"]["/v1/runs"]["post"]["requestBody"]["content"]["multipart/form-data"]
    reply = shared.post("/v1/runs", files={k: (None, v) for k, v in form["example"].items()})
    assert reply.status_code == 202, reply.text


def test_every_reference_resolves(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    for part in text.split('"#/components/schemas/')[1:]:
        assert part.partition('"')[0] in document["components"]["schemas"]


def examples_of(strategy: Any, check: Callable[[Any], None]) -> None:
    """Hand `check` some requests; the same ones each time."""

    @settings(
        max_examples=8,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def run(case: Any) -> None:
        check(case)

    run()


def begun(process: Process) -> dict[str, Any]:
    """Return what paths may name: a run, an audit of it, and an item of that."""
    with http(process) as client:
        run = client.post("/v1/runs", files=example()).json()["id"]
        assert wait(client, run)["state"] == "done"
        made = client.post(f"/v1/runs/{run}/audits", json={"name": "anna"})
        return {"run": run, "audit": made.json()["id"], "number": 1}


@pytest.mark.slow
def test_no_request_makes_it_fail(document: dict[str, Any], tmp_path: Path) -> None:
    statuses: dict[str, set[int]] = defaultdict(set)
    schema = schemathesis.openapi.from_dict(document)
    modes = schemathesis.GenerationMode
    with serving(tmp_path) as process, requests.Session() as session:

        def check(case: Any) -> None:
            reply = case.call(base_url=process.url, session=session, timeout=60)
            assert reply.status_code < 500, (case.operation.label, reply.text)
            statuses[case.operation.label].add(reply.status_code)

        known = begun(process)
        for operation in (result.ok() for result in schema.get_all_operations()):
            examples_of(operation.as_strategy(generation_mode=modes.POSITIVE), check)
            if operation.method != "delete" and "{" in operation.path:
                there = {name: known[name] for name in known if f"{{{name}}}" in operation.path}
                examples_of(operation.as_strategy(path_parameters=there), check)
            # A path of any text has no wrong spelling.
            with suppress(Unsatisfiable):
                examples_of(operation.as_strategy(generation_mode=modes.NEGATIVE), check)
    assert len(statuses) >= 20
    for label in ("PUT /v1/judgments", "POST /v1/judge"):
        assert {200, 422} <= statuses[label]
    for label in ("GET /v1/runs/{run}", "GET /v1/audits/{audit}/items/{number}"):
        assert {200, 404} <= statuses[label]
    assert {413, 415, 422} & statuses["POST /v1/runs"]
