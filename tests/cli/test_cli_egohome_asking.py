"""EgoHome with a chat model on loopback: each task with its own prompt, one store for all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chat_server import Call, ChatServer, Say, serving
from cli_kitchen import Ended

from segjudge import Judgment, read_judgments

Run = Callable[..., Ended]

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "examples" / "egohome" / "judgments.jsonl"
EGOHOME = (
    *("egohome", "examples/egohome/rows.json", "examples/egohome/prediction.json"),
    *("--coords", "thousand"),
)
KEY = "sk-loopback-0123456789abcdef"


def authors() -> Callable[[Call], Say]:
    """Return a script that answers as the authors did, in the words of a yes-or-no prompt."""
    verdicts: dict[frozenset[str], Judgment] = {
        frozenset((line.label_a, line.label_b)): line for line in read_judgments(RECORDED)
    }

    def answer(call: Call) -> Say:
        said = verdicts[frozenset(call.labels)].verdict
        return Say(
            json.dumps({"reason": "as they say", "verdict": "no" if said == "different" else "yes"})
        )

    return answer


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with serving() as running:
        yield running


def test_the_scores_are_those_of_the_recorded_judgments(
    segjudge: Run, server: ChatServer, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.reset()
    server.script = authors()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = ("--model", "openai/loopback", "--api-base", server.url, "--store", "store")
    plan = json.loads(segjudge(*EGOHOME, *model, "--plan", "--json", "-").out)
    asked = sum(part["to_ask"] for part in plan.values())
    assert (plan["hand actions"]["to_ask"], len(server.calls)) == (0, 0)
    ended = segjudge(*EGOHOME, *model, "--json", "-")
    assert ended.status == 0, ended.err
    assert len(server.calls) == asked
    found = json.loads(ended.out)
    recorded = json.loads(segjudge(*EGOHOME, "--judgments", RECORDED, "--json", "-").out)
    for name, score in found["scores"].items():
        key = score["metric"]
        same = recorded["scores"][name]
        assert score["report"]["metrics"][key] == same["report"]["metrics"][key]
        assert score["floors"] == same["floors"]
    prompts = {name: score["report"]["judge"]["prompt"] for name, score in found["scores"].items()}
    assert prompts == {
        "subtasks": "permissible-subtask@1",
        "hand captions": "permissible-hand-caption@1",
        "hand actions": None,
        "hand boxes": None,
    }
    assert found["run"]["asked"] == asked
    again = segjudge(*EGOHOME, "--store", "store", "--json", "-")
    assert (again.status, len(server.calls)) == (0, asked)
    replayed = json.loads(again.out)["scores"]
    for name, score in found["scores"].items():
        assert replayed[name]["report"]["metrics"] == score["report"]["metrics"]


def test_a_run_that_stops_ends_with_4_and_keeps_what_it_has(
    segjudge: Run, server: ChatServer, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.reset()
    server.script = authors()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = ("--model", "openai/loopback", "--api-base", server.url, "--store", "few")
    ended = segjudge(*EGOHOME, *model, "--limit", "5")
    # Once a task can't be asked to its end, the next is not begun.
    assert (ended.status, len(server.calls)) == (4, 5)
    assert "subtasks" in ended.out
    assert "stopped: " in ended.err
