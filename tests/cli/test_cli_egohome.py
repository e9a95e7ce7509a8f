"""The commands for EgoHome, boxes, statistics and annotators, as they are typed."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_kitchen import Ended

Run = Callable[..., Ended]

ROWS, PREDICTION = "examples/egohome/rows.json", "examples/egohome/prediction.json"
RECORDED = ("--judgments", "examples/egohome/judgments.jsonl")
PEOPLE = [f"examples/egohome/annotator_{name}.jsonl" for name in ("anna", "ben", "chloe")]
EGOHOME = ("egohome", ROWS, PREDICTION, "--coords", "thousand")


def test_egohome_prints_one_table_and_writes_one_json(segjudge: Run, here: Path) -> None:
    ended = segjudge(*EGOHOME, *RECORDED, "--json", "out.json")
    assert (ended.status, ended.err) == (0, "")
    written = json.loads((here / "out.json").read_text("utf-8"))
    assert written["schema"] == "segjudge.benchmark/1"
    for name, score in written["scores"].items():
        value = score["report"]["metrics"][score["metric"]]["value"]
        assert f"{name:<15}" in ended.out
        assert f"{value:.4f}" in ended.out
    quiet = segjudge(*EGOHOME, *RECORDED, "--json", "-")
    assert json.loads(quiet.out)["scores"].keys() == written["scores"].keys()


def test_egohome_without_judgments_ends_with_3(segjudge: Run, here: Path) -> None:
    ended = segjudge(*EGOHOME, "--missing", "missing.jsonl")
    assert ended.status == 3
    assert "No value for subtasks: " in ended.err
    assert "No value for hand captions: " in ended.err
    missing = [json.loads(line) for line in (here / "missing.jsonl").read_text().splitlines()]
    assert {line["task"] for line in missing} == {"subtask", "hand-caption"}
    assert segjudge(*EGOHOME, "--allow-bounds").status == 0


def test_missing_pairs_of_all_scores_are_one_table(segjudge: Run, here: Path) -> None:
    segjudge(*EGOHOME, "--missing", "missing.csv")
    rows = list(csv.DictReader((here / "missing.csv").open(encoding="utf-8")))
    assert {row["task"] for row in rows} == {"subtask", "hand-caption"}


def test_fewer_floors_need_fewer_pairs(segjudge: Run) -> None:
    plans = [
        json.loads(segjudge(*EGOHOME, "--plan", *option, "--json", "-").out)
        for option in ((), ("--no-floors",))
    ]
    assert plans[0]["subtasks"]["needed"] > plans[1]["subtasks"]["needed"]
    assert plans[1]["hand actions"]["verb"] == plans[1]["hand actions"]["needed"]
    assert "left to ask" in segjudge(*EGOHOME, "--plan").out


def test_coordinates_are_asked_for(segjudge: Run) -> None:
    ended = segjudge("egohome", ROWS, PREDICTION)
    assert ended.status == 2
    assert "--coords px|unit|thousand|percent" in ended.err
    ended = segjudge(*EGOHOME[:3], "--coords", "reference:thousand")
    assert ended.status == 2
    assert "prediction.json does not say" in ended.err


@pytest.mark.parametrize("option", ["--task", "--metric", "--prompt", "--columns"])
def test_what_the_protocol_settles_cannot_be_typed(segjudge: Run, option: str) -> None:
    assert segjudge(*EGOHOME, option, "x").status == 2


def test_boxes_alone(segjudge: Run, here: Path) -> None:
    ended = segjudge("boxes", ROWS, PREDICTION, "--coords", "thousand", "--json", "out.json")
    assert ended.status == 0
    report = json.loads((here / "out.json").read_text("utf-8"))
    assert f"{report['metrics']['chf']['value']:.4f}" in ended.out
    assert list(report["by_group"]["hand"]) == ["left", "right"]
    strict = segjudge(
        "boxes", ROWS, PREDICTION, "--coords", "thousand", "--null-breaks", "--max-gap", "0.6"
    )
    assert "chf,null_breaks,max_gap_s=0.6" in strict.out


def test_a_table_of_boxes_with_names_of_its_own(segjudge: Run, here: Path) -> None:
    (here / "a.csv").write_text("clip,second,which,x1,y1,x2,y2,fps\nshed,0,left,1,1,3,3,30\n")
    columns = "episode=clip,t=second,hand=which"
    ended = segjudge("boxes", "a.csv", "a.csv", "--coords", "px", "--columns", columns)
    assert (ended.status, "1 / (1 + 0) boxes" in ended.out) == (0, True)
    assert segjudge("boxes", "a.csv", "a.csv", "--coords", "px", "--order", "xywh").status == 2


def test_stats_of_rows_and_of_other_files(segjudge: Run) -> None:
    ended = segjudge("stats", ROWS)
    assert ended.status == 0
    for word in ("subtask", "hand-caption, left", "hand-action, right", "boxes", "below 0.5 s"):
        assert word in ended.out
    only = json.loads(segjudge("stats", ROWS, "--task", "hand-action", "--json", "-").out)
    assert list(only["tasks"]) == ["hand-action"]
    assert only["tasks"]["hand-action"]["left"]["segments"]["count"] == 5
    kitchen = json.loads(segjudge("stats", "examples/kitchen/reference.jsonl", "--json", "-").out)
    assert kitchen["tasks"][""]["all"]["segments"]["count"] == 152


def test_stats_of_boxes_and_of_what_is_neither(segjudge: Run, here: Path) -> None:
    (here / "a.csv").write_text("episode,t,hand,x1,y1,x2,y2,fps\nshed,0,left,1,1,3,3,30\n")
    ended = segjudge("stats", "a.csv")
    assert (ended.status, "100.0 %" in ended.out) == (0, True)
    (here / "b.csv").write_text("one,two\n1,2\n")
    ended = segjudge("stats", "b.csv")
    assert ended.status == 2
    assert "a known format" in ended.err


def test_validate_looks_for_verbs_in_hand_actions(segjudge: Run) -> None:
    ended = segjudge("validate", PREDICTION, "--task", "hand-action")
    assert (ended.status, "'brush the shoe': 1 segment" in ended.out) == (0, True)
    ended = segjudge("validate", PREDICTION, "--task", "hand-action", "--verbs", "none")
    assert "brush the shoe" not in ended.out
    assert segjudge("validate", PREDICTION, "--verbs", "ego4d-118").status == 2


def test_annotators(segjudge: Run, here: Path) -> None:
    ended = segjudge("annotators", *PEOPLE, "--reference", ROWS, *RECORDED, "--json", "out.json")
    assert (ended.status, ended.err) == (0, "")
    assert "mean of others" in ended.out
    written = json.loads((here / "out.json").read_text("utf-8"))
    assert written["schema"] == "segjudge.annotators/1"
    assert written["annotators"]["annotator_anna.jsonl"]["reference"]["value"] > 0.9
    assert segjudge("annotators", *PEOPLE).status == 3
    assert segjudge("annotators", *PEOPLE, "--allow-bounds").status == 0
    assert segjudge("annotators", PEOPLE[0]).status == 2


def test_score_against_several_references(segjudge: Run) -> None:
    ended = segjudge("score", "--references", *PEOPLE, PREDICTION, *RECORDED)
    assert (ended.status, ended.err) == (0, "")
    assert "annotators against each other" in ended.out
    assert "floor longest" in ended.out
    written = json.loads(
        segjudge("score", "--references", *PEOPLE, PREDICTION, *RECORDED, "--json", "-").out
    )
    assert written["schema"] == "segjudge.references/1"
    assert segjudge("score", "--references", *PEOPLE, PREDICTION).status == 3


def test_references_refuse_what_is_for_one(segjudge: Run) -> None:
    for option in (("--by", "track"), ("--ci",), ("--offset", "1"), ("--html", "x.html")):
        ended = segjudge("score", "--references", *PEOPLE, PREDICTION, *option)
        assert ended.status == 2
        assert option[0] in ended.err
    ended = segjudge("score", *PEOPLE)
    assert ended.status == 2
    assert "--references" in ended.err


def test_feedback_passes_or_does_not(segjudge: Run) -> None:
    ben = ("feedback", ROWS, PEOPLE[1], *RECORDED)
    ended = segjudge(*ben)
    assert ended.status == 0
    assert "pass mark 0.8 reached" in ended.out
    ended = segjudge(*ben, "--pass", "0.9")
    assert ended.status == 0
    assert "pass mark 0.9 not reached" in ended.out
    assert segjudge("feedback", ROWS, PEOPLE[1]).status == 3
    assert segjudge(*ben, "--pass", "2").status == 2


def test_feedback_leaks_no_label_and_no_time_of_the_truth(segjudge: Run, here: Path) -> None:
    truth = {"id": "a", "duration": 12.345, "secret_field": "SECRET", "segments": []}
    truth["segments"] = [
        {"start": 0.123, "end": 4.567, "label": "SECRET one"},
        {"start": 4.567, "end": 11.891, "label": "SECRET two"},
    ]
    (here / "truth.jsonl").write_text(json.dumps(truth) + "\n")
    own = {"id": "a", "segments": [{"start": 0, "end": 5, "label": "cut"}]}
    (here / "own.jsonl").write_text(json.dumps(own) + "\n")
    lines = [
        {"label_a": f"SECRET {name}", "label_b": "cut", "verdict": verdict, "judge": "human:me"}
        for name, verdict in (("one", "same"), ("two", "different"))
    ]
    (here / "said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for judgments in ((), ("--judgments", "said.jsonl")):
        for output in ((), ("--json", "-")):
            ended = segjudge("feedback", "truth.jsonl", "own.jsonl", *judgments, *output)
            told = ended.out + ended.err
            assert "SECRET" not in told
            for time in ("0.123", "4.567", "11.891", "12.345", "4.444", "0.433", "7.324"):
                assert time not in told
