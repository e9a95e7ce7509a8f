"""``segjudge baselines`` and ``segjudge game``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_kitchen import CAREFUL, HASTY, JUDGED, REFERENCE, Ended

Run = Callable[..., Ended]

BLIND = ("--metric", "segmentation_f1@0.75")


def rows(text: str) -> dict[str, list[str]]:
    """Return the words of each line by its first word."""
    return {words[0]: words[1:] for line in text.splitlines() if (words := line.split())}


def test_floors_alone(command: Run) -> None:
    ran = command("baselines", REFERENCE, *BLIND)
    assert ran.status == 0
    found = rows(ran.out)
    assert found["floor"] == ["segmentation_f1@0.75"]
    assert found["windows"] == ["0.1007"]
    assert "system" not in found


def test_systems_that_do_not_beat_the_best_floor_are_marked(command: Run) -> None:
    ran = command(
        "baselines", REFERENCE, HASTY, *BLIND, "--baseline", "windows", "--write", "floors"
    )
    assert ran.status == 0
    assert "beats it" in ran.out
    assert "DOES NOT" not in ran.out
    assert "1 baseline written to floors" in ran.err
    ran = command("baselines", REFERENCE, "floors/windows.jsonl", *BLIND)
    line = next(line for line in ran.out.splitlines() if line.startswith("windows.jsonl"))
    assert line.rstrip().endswith("DOES NOT BEAT IT")
    assert "+0.0000" in line


def test_status_3_for_lack_of_judgments(command: Run) -> None:
    asked = ("baselines", REFERENCE, CAREFUL, *JUDGED, "--baseline", "constant")
    ran = command(*asked)
    assert ran.status == 3
    assert "open" in ran.out
    assert "No value for psj" in ran.err
    assert command(*asked, "--allow-bounds").status == 0


def test_missing_pairs_once_judged_decide_the_floors(command: Run) -> None:
    asked = ("baselines", REFERENCE, CAREFUL, *JUDGED, "--baseline", "constant")
    ran = command(*asked, "--plan", "--missing", "missing.jsonl")
    assert ran.status == 0
    needed = rows(ran.out)["constant"]
    lines = [json.loads(line) for line in Path("missing.jsonl").read_text("utf-8").splitlines()]
    assert needed == [str(len(lines))] * 2
    with Path("judged.jsonl").open("w", encoding="utf-8") as stream:
        for line in lines:
            stream.write(json.dumps(line | {"verdict": "different", "judge": "authors",
                                            "prompt": "authors-rubric@1"}) + "\n")  # fmt: skip
    ran = command(*asked, "--judgments", "judged.jsonl")
    assert ran.status == 0
    assert rows(ran.out)["constant"][0] == "0.0000"


def test_json_and_plan_as_json(command: Run) -> None:
    asked = ("baselines", REFERENCE, HASTY, *BLIND, "--baseline", "windows", "--json", "-")
    ran = command(*asked, "--baseline", "shuffled", "--resamples", "150", "--cluster",
                   "family")  # fmt: skip
    report = json.loads(ran.out)
    assert report["schema"] == "segjudge.floors/1"
    assert report["options"]["baselines"] == ["windows", "shuffled"]
    assert report["options"]["intervals"]["resamples"] == 150
    assert list(report["systems"]["prediction_hasty.jsonl"]["controls"]) == ["shuffled"]
    plan = json.loads(command(*asked, "--plan").out)
    assert plan["by_side"] == {
        "windows": {"needed": 0, "undecided": 0},
        "prediction_hasty.jsonl": {"needed": 0, "undecided": 0},
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("baselines", REFERENCE, "--baseline", "nothing"), "no baseline is called 'nothing'"),
        (("baselines", REFERENCE, "--baseline", "shuffled"), "made from a prediction"),
        (("baselines", REFERENCE, "--json", "-", "--missing", "-"), "only one of"),
        (("baselines", REFERENCE, "--cluster", "town"), "no field 'town'"),
        (("game", REFERENCE, HASTY, "--attack", "bribe"), "no attack is called 'bribe'"),
        (("game", REFERENCE, HASTY, "--attack", "cut,k=0"), "whole number from 2 on"),
    ],
)
def test_status_2_for_bad_usage(command: Run, arguments: tuple[str, ...], says: str) -> None:
    ran = command(*arguments)
    assert ran.status == 2
    assert says in ran.err


def test_game(command: Run) -> None:
    attacks = ("cut", "stack", "round,seconds=0.5", "floor")
    chosen = [word for text in attacks for word in ("--attack", text)]
    ran = command("game", REFERENCE, HASTY, *JUDGED, *chosen, "--json", "game.json")
    assert ran.status in (0, 3)
    report = json.loads(Path("game.json").read_text("utf-8"))
    assert list(report["attacks"]) == list(attacks)
    assert report["attacks"]["cut"]["effects"]["psj"]["change"] == 0
    assert report["attacks"]["stack"]["effects"]["psj"]["pays"] is True
    assert report["attacks"]["stack"]["effects"]["semantic_f1@0.75"]["pays"] is False
    lines = ran.out.splitlines()
    assert lines[1].split()[:4] == ["as", "it", "is", "82"]
    assert any(line.startswith("variation  round,seconds=0.5") for line in lines)
    assert "Of 2 attacks, these pay: 1 in psj, 0 in semantic_f1@0.75" in ran.out


def test_game_counts_and_lists_the_pairs_of_changed_labels(command: Run) -> None:
    asked = ("game", REFERENCE, HASTY, *JUDGED, "--attack", "injected")
    ran = command(*asked, "--plan", "--missing", "missing.jsonl")
    assert ran.status == 0
    assert rows(ran.out)["injected"] == ["171", "171"]
    assert len(Path("missing.jsonl").read_text("utf-8").splitlines()) == 171
    ran = command(*asked)
    assert ran.status == 3
    assert "psj?" in ran.out
    assert command(*asked, "--allow-bounds").status == 0


def test_a_score_warns_of_a_prediction_that_looks_gamed(command: Run) -> None:
    command("baselines", REFERENCE, "--baseline", "constant", "--write", "floors", *BLIND)
    ran = command("score", REFERENCE, "floors/constant.jsonl", *BLIND)
    assert "warning: prediction: one label, 'doing household chores', fills 100.0 %" in ran.out
    assert "this looks gamed" in ran.out
    assert "looks gamed" not in command("score", REFERENCE, CAREFUL, *BLIND).out
