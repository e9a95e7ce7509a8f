"""The client, against a service as users start it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from service_process import KITCHEN, Process, serving

import segjudge

TOKEN = "correct-horse-battery-staple"
SIDES = KITCHEN / "reference.jsonl", KITCHEN / "prediction_careful.jsonl"


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder = tmp_path_factory.mktemp("client")
    (folder / "token").write_text(TOKEN)
    with serving(folder / "data", "--token-file", str(folder / "token")) as process:
        yield process


@pytest.fixture
def client(process: Process) -> Iterator[segjudge.Client]:
    with segjudge.Client(process.url, TOKEN) as client:
        yield client


def test_score(client: segjudge.Client) -> None:
    report = client.score(*SIDES, judgments=KITCHEN / "judgments.jsonl", metrics=["psj"])
    mine = segjudge.score(*SIDES, judgments=KITCHEN / "judgments.jsonl", metrics=["psj"])
    assert report.metrics == mine.metrics
    assert list(report.by_episode) == list(mine.by_episode)
    lines = segjudge.read_judgments(KITCHEN / "judgments.jsonl")
    assert client.score(*SIDES, judgments=lines, metrics=["psj"]).metrics == mine.metrics
    states = {run["state"] for run in client.runs("done")}
    assert states == {"done"}


def test_plan_and_judge(client: segjudge.Client) -> None:
    plan = client.plan(*SIDES, metrics=["psj"])
    assert plan == segjudge.plan(*SIDES, metrics=["psj"])
    (answer,) = client.judge([("Open the fridge.", "open the_fridge")])
    assert answer["verdict"] == "same"


def test_annotations_in_memory(client: segjudge.Client) -> None:
    side = [{"id": "a", "segments": [{"start": 0, "end": 2, "label": "walk"}]}]
    assert client.score(side, side).metrics["psj"]["value"] == 1.0


def test_refusals(client: segjudge.Client, process: Process, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("episode,start,end,label\na,0,x,b\na,5,3,c\n")
    with pytest.raises(segjudge.InputError) as caught:
        client.score(SIDES[0], bad)
    assert [problem.place for problem in caught.value.problems] == ["line 2", "line 3"]
    with pytest.raises(segjudge.InputError, match="No such file"):
        client.score(SIDES[0], tmp_path / "nope")
    with pytest.raises(segjudge.InputError, match="no_such_option"):
        client.score(*SIDES, no_such_option=1)
    with pytest.raises(segjudge.SegjudgeError, match="404"):
        client.run("nope")
    with (
        segjudge.Client(process.url, "wrong") as other,
        pytest.raises(segjudge.SegjudgeError, match="401: show the token"),
    ):
        list(other.runs())
    with (
        segjudge.Client("http://127.0.0.1:9") as nobody,
        pytest.raises(segjudge.SegjudgeError, match=r"127\.0\.0\.1:9"),
    ):
        nobody.plan(*SIDES)


def test_importing_segjudge_imports_no_client() -> None:
    code = "import sys, segjudge; assert 'httpx' not in sys.modules; segjudge.Client; "
    code += "assert 'httpx' in sys.modules; assert 'fastapi' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
