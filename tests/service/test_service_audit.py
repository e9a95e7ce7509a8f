"""The audit over HTTP: blind until said, undone, counted."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from service_process import example, wait

from segjudge.service.app import create_app
from segjudge.service.settings import Settings

OTHER = {"same": "different", "different": "same"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A service of this module's own: what is said here changes the score."""
    data = tmp_path_factory.mktemp("audited") / "data"
    with TestClient(create_app(Settings(data=data, hosts=("testserver",)))) as client:
        yield client


@pytest.fixture(scope="module")
def run(shared: TestClient) -> str:
    options = json.dumps({"metrics": ["psj"]})
    reply = shared.post("/v1/runs", files=example(), data={"options": options})
    found = str(reply.json()["id"])
    assert wait(shared, found)["state"] == "done"
    return found


def begin(client: TestClient, run: str, **asked: object) -> dict[str, object]:
    reply = client.post(f"/v1/runs/{run}/audits", json={"name": "anna", "size": 20, **asked})
    assert reply.status_code == 201, reply.text
    return dict(reply.json())


def test_blind_until_said(shared: TestClient, run: str) -> None:
    audit = begin(shared, run)
    assert set(audit) == {"id", "run", "name", "task", "size", "said", "next", "last", "outcome"}
    for number in range(20):
        shown = shared.get(f"/v1/audits/{audit['id']}/items/{number}").json()
        assert set(shown) == {"item", "left", "right", "context"}
    said = shared.put(f"/v1/audits/{audit['id']}/items/0", json={"verdict": "same"}).json()
    assert said["judge"] == "authors"
    assert said["rationale"]
    assert said["audit"]["next"] == 1


def test_kappa_grows_with_the_random_stratum(shared: TestClient, run: str) -> None:
    audit = begin(shared, run, size=40, name="ben")
    path = f"/v1/audits/{audit['id']}"
    for number in range(40):
        first = shared.put(f"{path}/items/{number}", json={"verdict": "same"}).json()
        verdict = first["verdict"]
        if verdict != "same" and verdict in ("left_in_right", "right_in_left", "different"):
            assert shared.delete(f"{path}/items/{number}").status_code == 200
            shared.put(f"{path}/items/{number}", json={"verdict": verdict})
    found = shared.get(path).json()
    outcome = found["outcome"]
    assert found["next"] is None
    assert found["last"] == 39
    assert outcome["random"]["items"] == outcome["influence"]["items"] == 20
    # Corrected after the judge's verdict was seen: right for the score, no evidence for kappa.
    assert outcome["not_blind"] > 0
    assert outcome["agreement"]["verdict"]["pairs"] < 20
    assert outcome["agreement"]["verdict"]["agreement"]["value"] == 1.0
    listed = shared.get(f"/v1/runs/{run}/audits").json()
    assert listed[0]["id"] == audit["id"]
    lines = shared.get("/v1/judgments", params={"judge": "human:ben", "limit": 100}).json()
    assert len(lines["judgments"]) == 40
    assert {each["judgment"]["task"] for each in lines["judgments"]} == {"subtask"}


def test_undo_takes_the_verdict_out_of_the_score(client: TestClient) -> None:
    options = json.dumps({"metrics": ["psj"]})
    reply = client.post("/v1/runs", files=example(), data={"options": options})
    run = reply.json()["id"]
    wait(client, run)
    before = client.get(f"/v1/runs/{run}/figures").json()
    audit = begin(client, run, random_share=0.0, size=5)
    path = f"/v1/audits/{audit['id']}/items/0"
    said = client.put(path, json={"verdict": "different"}).json()
    assert said["verdict"] == "same"  # what weighs most is accepted
    after = client.get(f"/v1/runs/{run}/figures").json()
    assert after["metrics"]["psj"]["value"] < before["metrics"]["psj"]["value"]
    assert after["without_human"]["psj"] == before["metrics"]["psj"]
    assert client.delete(path).status_code == 200
    assert client.delete(path).status_code == 409
    assert client.get(f"/v1/runs/{run}/figures").json() == before


def test_refusals(shared: TestClient, run: str) -> None:
    audit = begin(shared, run, size=3)
    path = f"/v1/audits/{audit['id']}"
    assert shared.get("/v1/audits/nope").status_code == 404
    assert shared.get(f"{path}/items/3").status_code == 404
    assert shared.put(f"{path}/items/0", json={"verdict": "a_in_b"}).status_code == 422
    assert shared.post(f"/v1/runs/{run}/audits", json={"name": ""}).status_code == 422
    plain = shared.post("/v1/runs", files=example("reference", "prediction")).json()["id"]
    wait(shared, plain)
    reply = shared.post(f"/v1/runs/{plain}/audits", json={"name": "anna"})
    assert reply.status_code == 409
    assert "no judge decided" in reply.json()["detail"]
