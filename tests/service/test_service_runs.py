"""Runs over HTTP: the same figures as without it, and refusals that say what to mend."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from service_process import KITCHEN, example, wait

import segjudge
from segjudge.service.schema import EXAMPLE_PREDICTION, EXAMPLE_REFERENCE


def start(client: TestClient, **options: object) -> str:
    reply = client.post("/v1/runs", files=example(), data={"options": json.dumps(options)})
    assert reply.status_code == 202, reply.text
    run = str(reply.json()["id"])
    assert reply.headers["location"] == f"/v1/runs/{run}"
    return run


def test_same_report_as_without_the_service(shared: TestClient) -> None:
    run = start(shared, metrics=["psj", "semantic_f1@0.75,snap=outer"], by=["family"])
    assert wait(shared, run)["state"] == "done"
    mine = json.loads(
        segjudge.score(
            KITCHEN / "reference.jsonl",
            KITCHEN / "prediction_careful.jsonl",
            judgments=KITCHEN / "judgments.jsonl",
            metrics=["psj", "semantic_f1@0.75,snap=outer"],
            by=["family"],
        ).to_json()
    )
    theirs = shared.get(f"/v1/runs/{run}").json()["report"]
    for report in (mine, theirs):
        del report["run"]
    assert theirs == mine
    assert "/" not in json.dumps([each["file"] for each in theirs["inputs"]])


def test_events_end_with_the_figures_and_are_replayed(shared: TestClient) -> None:
    run = start(shared, metrics=["psj"])
    last = wait(shared, run)
    assert last["summary"]["psj"]["value"] == pytest.approx(0.8268, abs=1e-4)
    assert wait(shared, run) == last
    with shared.stream("GET", f"/v1/runs/{run}/events", headers={"Last-Event-ID": "99"}) as reply:
        assert reply.headers["content-type"].startswith("text/event-stream")
        assert "event: end" in "\n".join(reply.iter_lines())


def test_plan_asks_and_keeps_nothing(client: TestClient, settings: object) -> None:
    reply = client.post("/v1/plan", files=example("reference", "prediction"))
    assert reply.status_code == 200
    assert reply.json()["needed"] == reply.json()["to_ask"] + reply.json()["identity"] == 243
    assert client.get("/v1/runs").json() == {"runs": [], "next": None}
    assert not [*(settings.data / "runs").iterdir()]  # type: ignore[attr-defined]


def test_list_in_pages(client: TestClient) -> None:
    runs = [start(client, metrics=["psj"]) for _ in range(5)]
    for run in runs:
        wait(client, run)
    first = client.get("/v1/runs", params={"limit": 3}).json()
    second = client.get("/v1/runs", params={"limit": 3, "before": first["next"]}).json()
    assert [run["id"] for run in first["runs"] + second["runs"]] == runs[::-1]
    assert second["next"] is None
    assert len(client.get("/v1/runs", params={"state": "done"}).json()["runs"]) == 5
    assert client.get("/v1/runs", params={"state": "failed"}).json()["runs"] == []


@pytest.mark.parametrize(
    ("reference", "prediction"),
    [
        (EXAMPLE_REFERENCE, EXAMPLE_PREDICTION),
        ({"a": EXAMPLE_REFERENCE[0]["segments"]}, {"a": EXAMPLE_PREDICTION[0]["segments"]}),
        (EXAMPLE_REFERENCE[0]["segments"], EXAMPLE_PREDICTION[0]["segments"]),
        (
            "episode,start,end,label\na,0,4,open the fridge\n",
            "episode,start,end,label\na,0,4,opening a refrigerator\n",
        ),
    ],
)
def test_annotations_as_json(shared: TestClient, reference: object, prediction: object) -> None:
    line = {
        "label_a": "open the fridge",
        "label_b": "opening a refrigerator",
        "verdict": "same",
        "judge": "human:anna",
    }
    body = {"reference": reference, "prediction": prediction, "judgments": [line]}
    reply = shared.post("/v1/runs", json=body)
    assert reply.status_code == 202, reply.text
    assert wait(shared, reply.json()["id"])["summary"]["psj"]["value"] == 1.0


def test_compressed_files(shared: TestClient) -> None:
    files = {role: (name, gzip.compress(data)) for role, (name, data) in example().items()}
    reply = shared.post("/v1/runs", files=files)
    assert reply.status_code == 202, reply.text
    assert wait(shared, reply.json()["id"])["state"] == "done"


def test_each_bad_row_is_named(client: TestClient) -> None:
    rows = ["episode,start,end,label"]
    rows += [f"a,{n},{n + 1},walk" if n % 10 else f"a,{n},x{n},walk" for n in range(400)]
    bad = ("../../etc/bad.csv", "\n".join(rows).encode())
    reply = client.post("/v1/runs", files={"reference": bad, "prediction": bad})
    assert reply.status_code == 422
    problems = reply.json()["problems"]
    assert [each["place"] for each in problems] == [f"line {2 + n}" for n in range(0, 400, 10)]
    assert {each["file"] for each in problems} == {"bad.csv"}
    assert problems[0]["message"].startswith("bad.csv: line 2: end: 'x0'")
    assert client.get("/v1/runs").json()["runs"] == []


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        (b"\x00\x01\x02\x03", "a binary file"),
        (b"PAR1 not really", "parquet"),
        (b"\x1f\x8b broken", "gzip"),
        ("[]".encode("utf-16"), "UTF-16"),
        (b"[" * 100_000, ""),
        (b"just prose", "a known format"),
    ],
)
def test_files_that_are_not_what_they_say(shared: TestClient, data: bytes, says: str) -> None:
    files = example("reference") | {"prediction": ("mine.json", data)}
    reply = shared.post("/v1/runs", files=files)
    assert reply.status_code == 422, reply.text
    assert says in reply.json()["detail"]
    assert "upload" not in reply.text


@pytest.mark.parametrize(
    "options",
    [
        {"metrics": ["no_such_metric"]},
        {"metrics": "psj"},
        {"no_such_option": 1},
        {"by": ["no_such_field"]},
        {"context": "no_such_field"},
        {"votes": 0},
        {"offset": 1e400},
        {"episodes": "("},
        {"task": "hand-wave"},
        {"model": "openai/gpt-4o"},
        {"api_base": "http://127.0.0.1:1"},
        {"params": {"api_base": "http://127.0.0.1:1"}},
        {"prompt": "/etc/passwd"},
        {"verbs": "/etc/passwd"},
        {"id_map": "/etc/passwd"},
        {"store": "/tmp"},
        {"judgments": "/etc/passwd"},
    ],
)
def test_options_that_can_not_be(shared: TestClient, options: dict[str, object]) -> None:
    for path in ("/v1/runs", "/v1/plan"):
        if "by" in options and path == "/v1/plan":
            continue
        reply = shared.post(path, files=example(), data={"options": json.dumps(options)})
        assert reply.status_code == 422, reply.text
        assert reply.json()["detail"]
        assert "root:" not in reply.text


def test_no_file_of_the_server_is_read(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ids.txt").write_text("kitchen_001\n")
    run = start(client, metrics=["psj"], episodes="ids.txt|kitchen_002")
    assert wait(client, run)["state"] == "done"
    report = client.get(f"/v1/runs/{run}").json()["report"]
    assert list(report["by_episode"]) == ["kitchen_002"]
    assert report["options"]["episodes"] == "ids.txt|kitchen_002"


def test_refusals(shared: TestClient) -> None:
    body = b'{"reference": [], "prediction": []}'
    assert shared.post("/v1/runs", content=body).status_code == 415
    form = {"Content-Type": "multipart/form-data"}
    assert shared.post("/v1/runs", content=body, headers=form).status_code == 400
    odd = {"Content-Type": "multipart/form-data; boundary=x; charset=nonsense"}
    part = b'--x\r\nContent-Disposition: form-data; name="reference"\r\n\r\n1\r\n--x--\r\n'
    assert shared.post("/v1/runs", content=part, headers=odd).status_code in (400, 422)
    assert shared.post("/v1/runs", files=example("reference")).status_code == 422
    extra = example() | {"verdicts": ("x", b"x")}
    assert "one of reference" in shared.post("/v1/runs", files=extra).json()["detail"]
    assert shared.get("/v1/runs/nope").status_code == 404
    assert shared.get("/v1/runs/nope/events").status_code == 404
    assert shared.delete("/v1/runs/..%2F..").status_code == 404
    run = start(shared, metrics=["psj"])
    wait(shared, run)
    assert shared.delete(f"/v1/runs/{run}").json()["state"] == "done"
    assert shared.get(f"/v1/runs/{run}").status_code == 404
