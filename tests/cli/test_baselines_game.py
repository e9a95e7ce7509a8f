"""``segjudge baselines`` and ``segjudge game``."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

KITCHEN = "examples/kitchen"
REFERENCE = f"{KITCHEN}/reference.jsonl"
CAREFUL = f"{KITCHEN}/prediction_careful.jsonl"
HASTY = f"{KITCHEN}/prediction_hasty.jsonl"
JUDGED = ("--judgments", f"{KITCHEN}/judgments.jsonl")
BLIND = ("--metric", "segmentation_f1@0.75")


def rows(text: str) -> dict[str, list[str]]:
    """Return the words of each line by its first word."""
    return {words[0]: words[1:] for line in text.splitlines() if (words := line.split())}


def test_floors_alone(segjudge: Run, here: Path) -> None:
    ran = segjudge(here, "baselines", REFERENCE, *BLIND)
    assert ran.returncode == 0
    found = rows(ran.stdout)
    assert found["floor"] == ["segmentation_f1@0.75"]
    assert found["windows"] == ["0.1007"]
    assert "system" not in found


def test_systems_that_do_not_beat_the_best_floor_are_marked(segjudge: Run, here: Path) -> None:
    ran = segjudge(
        here, "baselines", REFERENCE, HASTY, *BLIND, "--baseline", "windows", "--write", "floors"
    )
    assert ran.returncode == 0
    assert "beats it" in ran.stdout
    assert "DOES NOT" not in ran.stdout
    assert "1 baselines written to floors" in ran.stderr
    ran = segjudge(here, "baselines", REFERENCE, "floors/windows.jsonl", *BLIND)
    line = next(line for line in ran.stdout.splitlines() if line.startswith("windows.jsonl"))
    assert line.rstrip().endswith("DOES NOT BEAT IT")
    assert "+0.0000" in line


def test_status_3_for_lack_of_judgments(segjudge: Run, here: Path) -> None:
    command = ("baselines", REFERENCE, CAREFUL, *JUDGED, "--baseline", "constant")
    ran = segjudge(here, *command)
    assert ran.returncode == 3
    assert "open" in ran.stdout
    assert "No value for psj" in ran.stderr
    assert segjudge(here, *command, "--allow-bounds").returncode == 0


def test_missing_pairs_once_judged_decide_the_floors(segjudge: Run, here: Path) -> None:
    command = ("baselines", REFERENCE, CAREFUL, *JUDGED, "--baseline", "constant")
    ran = segjudge(here, *command, "--plan", "--missing", "missing.jsonl")
    assert ran.returncode == 0
    needed = rows(ran.stdout)["constant"]
    lines = [json.loads(line) for line in (here / "missing.jsonl").read_text("utf-8").splitlines()]
    assert needed == [str(len(lines))] * 2
    with (here / "judged.jsonl").open("w", encoding="utf-8") as stream:
        for line in lines:
            stream.write(json.dumps(line | {"verdict": "different", "judge": "authors",
                                            "prompt": "authors-rubric@1"}) + "\n")  # fmt: skip
    ran = segjudge(here, *command, "--judgments", "judged.jsonl")
    assert ran.returncode == 0
    assert rows(ran.stdout)["constant"][0] == "0.0000"


def test_json_and_plan_as_json(segjudge: Run, here: Path) -> None:
    command = ("baselines", REFERENCE, HASTY, *BLIND, "--baseline", "windows", "--json", "-")
    ran = segjudge(here, *command, "--baseline", "shuffled", "--resamples", "50", "--cluster",
                   "family")  # fmt: skip
    report = json.loads(ran.stdout)
    assert report["schema"] == "segjudge.floors/1"
    assert report["options"]["baselines"] == ["windows", "shuffled"]
    assert report["options"]["intervals"]["resamples"] == 50
    assert list(report["systems"]["prediction_hasty.jsonl"]["controls"]) == ["shuffled"]
    plan = json.loads(segjudge(here, *command, "--plan").stdout)
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
def test_status_2_for_bad_usage(
    segjudge: Run, here: Path, arguments: tuple[str, ...], says: str
) -> None:
    ran = segjudge(here, *arguments)
    assert ran.returncode == 2
    assert says in ran.stderr


def test_game(segjudge: Run, here: Path) -> None:
    attacks = ("cut", "stack", "round,seconds=0.5", "floor")
    chosen = [word for text in attacks for word in ("--attack", text)]
    ran = segjudge(here, "game", REFERENCE, HASTY, *JUDGED, *chosen, "--json", "game.json")
    assert ran.returncode in (0, 3)
    report = json.loads((here / "game.json").read_text("utf-8"))
    assert list(report["attacks"]) == list(attacks)
    assert report["attacks"]["cut"]["effects"]["psj"]["change"] == 0
    assert report["attacks"]["stack"]["effects"]["psj"]["pays"] is True
    assert report["attacks"]["stack"]["effects"]["semantic_f1@0.75"]["pays"] is False
    lines = ran.stdout.splitlines()
    assert lines[1].split()[:4] == ["as", "it", "is", "82"]
    assert any(line.startswith("variation  round,seconds=0.5") for line in lines)
    assert "Of 2 attacks, these pay: 1 in psj, 0 in semantic_f1@0.75" in ran.stdout


def test_game_counts_and_lists_the_pairs_of_changed_labels(segjudge: Run, here: Path) -> None:
    command = ("game", REFERENCE, HASTY, *JUDGED, "--attack", "injected")
    ran = segjudge(here, *command, "--plan", "--missing", "missing.jsonl")
    assert ran.returncode == 0
    assert rows(ran.stdout)["injected"] == ["171", "171"]
    assert len((here / "missing.jsonl").read_text("utf-8").splitlines()) == 171
    ran = segjudge(here, *command)
    assert ran.returncode == 3
    assert "psj?" in ran.stdout
    assert segjudge(here, *command, "--allow-bounds").returncode == 0


def test_a_score_warns_of_a_prediction_that_looks_gamed(segjudge: Run, here: Path) -> None:
    segjudge(here, "baselines", REFERENCE, "--baseline", "constant", "--write", "floors", *BLIND)
    ran = segjudge(here, "score", REFERENCE, "floors/constant.jsonl", *BLIND)
    assert "warning: prediction: one label, 'doing household chores', fills 100.0 %" in ran.stdout
    assert "this looks gamed" in ran.stdout
    assert "looks gamed" not in segjudge(here, "score", REFERENCE, CAREFUL, *BLIND).stdout
