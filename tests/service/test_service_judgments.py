"""Judgments over HTTP: deciding, looking up, and what people say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer
from fastapi.testclient import TestClient
from service_process import pairs, wait

from segjudge import Judgment, Verdict
from segjudge.service.app import create_app
from segjudge.service.settings import Settings

MODEL = "openai/test-model"


@pytest.fixture
def asking(chat: ChatServer, tmp_path: Path) -> Iterator[TestClient]:
    settings = Settings(
        data=tmp_path / "data",
        hosts=("testserver",),
        models=(MODEL,),
        api_base=chat.url,
        price_in=1.0,
        price_out=2.0,
    )
    with TestClient(create_app(settings)) as client:
        yield client


def say(client: TestClient, a: str, b: str, verdict: str, name: str = "anna", **more: str) -> int:
    body = {"label_a": a, "label_b": b, "verdict": verdict, "name": name, **more}
    reply = client.put("/v1/judgments", json=body)
    assert reply.status_code == 200, reply.text
    return int(reply.json()["judgment"]["id"])


def test_a_person_wins_and_the_model_is_not_overwritten(
    asking: TestClient, chat: ChatServer
) -> None:
    body = {**pairs(4), "options": {"model": MODEL, "metrics": ["psj"]}}
    run = asking.post("/v1/runs", json=body).json()["id"]
    assert wait(asking, run)["cost_usd"] == pytest.approx(4 * (300 * 1.0 + 20 * 2.0) / 1e6)
    before = asking.get(f"/v1/runs/{run}").json()["report"]
    assert before["metrics"]["psj"]["value"] == 1.0
    assert before["without_human"] == {}

    # Said of the other order: the verdict is turned with it.
    number = say(asking, "step 1 of task 2", "task 2", "different", task="subtask")
    after = asking.get(f"/v1/runs/{run}").json()["report"]
    assert after["metrics"]["psj"]["value"] == 0.75
    assert after["without_human"]["psj"]["value"] == 1.0
    assert after["judge"]["pairs"]["human"] == 1
    assert after["run"] == before["run"]
    listed = asking.get("/v1/runs").json()["runs"][0]
    assert listed["summary"]["psj"]["value"] == 0.75

    found = asking.get("/v1/judgments", params={"label": "TASK 2"}).json()["judgments"]
    assert [each["judgment"]["judge"] for each in found] == [MODEL, "human:anna"]
    assert [each["judgment"]["verdict"] for each in found] == ["a_in_b", "different"]

    # A new run has both figures too, though the model isn't asked about the pair any more.
    calls = len(chat.calls)
    again = asking.post("/v1/runs", json=body).json()["id"]
    wait(asking, again)
    report = asking.get(f"/v1/runs/{again}").json()["report"]
    assert report["metrics"]["psj"]["value"] == 0.75
    assert report["without_human"]["psj"]["value"] == 1.0
    assert len(chat.calls) == calls

    assert asking.delete(f"/v1/judgments/{number}").status_code == 204
    assert asking.delete(f"/v1/judgments/{number}").status_code == 404
    assert asking.delete(f"/v1/judgments/{found[0]['id']}").status_code == 404
    restored = asking.get(f"/v1/runs/{run}").json()["report"]
    assert restored == before


def test_what_a_model_was_never_asked_stays_unknown_without_people(asking: TestClient) -> None:
    say(asking, "task 0", "step 1 of task 0", "b_in_a")
    body = {**pairs(2), "options": {"model": MODEL, "metrics": ["psj"]}}
    run = asking.post("/v1/runs", json=body).json()["id"]
    wait(asking, run)
    report = asking.get(f"/v1/runs/{run}").json()["report"]
    assert report["metrics"]["psj"]["value"] == 1.0
    assert report["without_human"]["psj"]["value"] is None
    assert report["without_human"]["psj"]["low"] == 0.5


def test_judge_straight_away(asking: TestClient, chat: ChatServer) -> None:
    say(asking, "task 3", "task 4", "same")
    asked = [("task 1", "Task_1."), ("", "x"), ("task 3", "task 4"), ("step 1 of task 5", "task 5")]
    body = {
        "pairs": [{"label_a": a, "label_b": b} for a, b in [*asked, asked[-1][::-1]]],
        "model": MODEL,
    }
    answers = asking.post("/v1/judge", json=body).json()
    assert [(each["verdict"], each["by"]) for each in answers["pairs"]] == [
        ("same", "identity"),
        ("different", "rule"),
        ("same", "human"),
        ("a_in_b", "model"),
        ("b_in_a", "model"),
    ]
    assert answers["asked"] == len(chat.calls) == 1
    again = asking.post("/v1/judge", json=body).json()
    assert again["pairs"] == answers["pairs"]
    assert len(chat.calls) == 1
    unasked = asking.post("/v1/judge", json={"pairs": body["pairs"][3:4]}).json()
    assert unasked["pairs"][0]["by"] == "unknown"


def test_judge_bounds(shared: TestClient) -> None:
    pair = {"label_a": "a", "label_b": "b"}
    assert shared.post("/v1/judge", json={"pairs": []}).status_code == 422
    assert shared.post("/v1/judge", json={"pairs": [pair] * 201}).status_code == 422
    assert shared.post("/v1/judge", json={"pairs": [pair], "model": "x/y"}).status_code == 422
    assert (
        shared.post("/v1/judge", json={"pairs": [pair], "api_base": "http://x"}).status_code == 422
    )


def test_a_later_verdict_of_the_same_person_counts(client: TestClient) -> None:
    first = say(client, "a", "b", "same")
    say(client, "b", "a", "a_in_b", name="ben")
    say(client, "a", "b", "different")
    found = client.get("/v1/judgments").json()["judgments"]
    verdicts = [(each["judgment"]["judge"], each["judgment"]["verdict"]) for each in found]
    assert verdicts == [("human:ben", "a_in_b"), ("human:anna", "different")]
    assert first not in [each["id"] for each in found]
    answer = client.post("/v1/judge", json={"pairs": [{"label_a": "a", "label_b": "b"}]}).json()
    assert answer["pairs"][0]["verdict"] == "different"


def test_search_and_export(client: TestClient) -> None:
    for n in range(7):
        say(client, f"cut 100% of_{n}", f"schneiden {n}", "same" if n % 2 else "different")
    pages, after = [], 0
    while after is not None:
        page = client.get("/v1/judgments", params={"limit": 3, "after": after}).json()
        pages.append([each["judgment"]["label_a"] for each in page["judgments"]])
        after = page["next"]
    assert [len(page) for page in pages] == [3, 3, 1]

    def found(**wanted: str) -> int:
        return len(client.get("/v1/judgments", params=wanted).json()["judgments"])

    assert found(label="SCHNEIDEN 3") == found(label="100% of_3") == 1
    assert found(label="%") == 7
    assert found(label="c_t") == 0
    assert found(verdict="same") == 3
    assert found(verdict="same", judge="human:ben") == 0
    assert found(judge="human:anna") == 7
    assert client.get("/v1/judgments", params={"verdict": "maybe"}).status_code == 422

    reply = client.get("/v1/judgments/export", params={"verdict": "same"})
    lines = [Judgment.model_validate_json(line) for line in reply.text.splitlines()]
    assert {line.verdict for line in lines} == {Verdict.SAME}
    assert len(lines) == 3
    assert json.loads(reply.text.splitlines()[0])["judge"] == "human:anna"


@pytest.mark.parametrize(
    "body",
    [
        {"verdict": "undecided"},
        {"verdict": "maybe"},
        {"name": ""},
        {"name": "a\nb"},
        {"label_a": 3},
        {"judge": "openai/x"},
    ],
)
def test_verdicts_that_can_not_be(shared: TestClient, body: dict[str, object]) -> None:
    right = {"label_a": "a", "label_b": "b", "verdict": "same", "name": "anna"}
    assert shared.put("/v1/judgments", json={**right, **body}).status_code == 422
