"""EgoHome whole: four scores of invented rows, each as the parts alone give it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import segjudge
from segjudge.errors import InputError, UsageError
from segjudge.protocols import EGOHOME
from segjudge.report.benchmark import BenchmarkReport
from segjudge.scoring.benchmark import egohome_report, score_egohome
from segjudge.scoring.boxes import score_boxes
from segjudge.scoring.egohome import egohome

FOLDER = Path(__file__).parents[2] / "examples" / "egohome"
ROWS, PREDICTION = FOLDER / "rows.json", FOLDER / "prediction.json"
JUDGMENTS = FOLDER / "judgments.jsonl"
THOUSAND: Any = {"reading": {"coords": "thousand"}}

Change = Callable[[dict[str, Any]], Any]


def scored(prediction: Path = PREDICTION, rows: Path = ROWS, **options: Any) -> BenchmarkReport:
    options = {"judgments": JUDGMENTS, "box_options": THOUSAND, **options}
    return score_egohome(rows, prediction, **options)


def changed(tmp_path: Path, change: Change, of: Path = PREDICTION) -> Path:
    """Write rows anew, each changed; a row for which None comes back is left out."""
    rows = [change(row) for row in json.loads(of.read_text("utf-8"))]
    path = tmp_path / of.name
    path.write_text(json.dumps([row for row in rows if row is not None]), "utf-8")
    return path


@pytest.fixture(scope="module")
def whole() -> BenchmarkReport:
    return scored()


def test_all_four_scores_are_there_in_the_order_of_the_protocol(whole: BenchmarkReport) -> None:
    assert list(whole.scores) == [part.name for part in EGOHOME.parts]
    assert not whole.not_scored
    assert not whole.without_value()
    assert {name: score.metric for name, score in whole.scores.items()} == {
        "subtasks": "psj",
        "hand captions": "psj",
        "hand actions": "psj",
        "hand boxes": "chf",
    }


@pytest.mark.parametrize("part", EGOHOME.parts[:3], ids=lambda part: part.task)
def test_each_score_is_what_its_task_alone_gives(whole: BenchmarkReport, part: Any) -> None:
    lines = [line for line in segjudge.read_judgments(JUDGMENTS) if line.task in (None, part.task)]
    judgments = [] if part.task == "hand-action" else lines
    alone = segjudge.score(
        ROWS,
        PREDICTION,
        task=part.task,
        metrics=["psj"],
        judgments=judgments,
        by=part.by,
        bins=EGOHOME.bins,
    )
    together = whole.scores[part.name].report
    assert together.metrics == alone.metrics
    assert together.by_group == alone.by_group
    assert together.by_length == alone.by_length
    assert together.judge == alone.judge


def test_boxes_are_what_they_alone_give(whole: BenchmarkReport) -> None:
    alone = score_boxes(ROWS, PREDICTION, **THOUSAND)
    together = whole.scores["hand boxes"].report
    assert together.metrics == alone.metrics
    assert together.by_group == alone.by_group
    assert dict(together.by_episode) == dict(alone.by_episode)
    figures = alone.metrics["chf"]
    hits = int(figures["hits_direct"] or 0) + int(figures["hits_interpolated"] or 0)
    outside = int(figures["outside_direct"] or 0) + int(figures["outside_interpolated"] or 0)
    assert figures["value"] == hits / (int(figures["reference_boxes"] or 0) + outside)


def test_hands_add_up(whole: BenchmarkReport) -> None:
    boxes = whole.scores["hand boxes"].report
    for part in ("reference_boxes", "hits_direct", "outside_interpolated"):
        hands = [int(boxes.by_group["hand"][hand]["chf"][part] or 0) for hand in ("left", "right")]
        assert sum(hands) == boxes.metrics["chf"][part]
    captions = whole.scores["hand captions"].report
    hands = [captions.by_group["track"][hand]["psj"]["numerator_s"] for hand in ("left", "right")]
    assert sum(hands) == pytest.approx(captions.metrics["psj"]["numerator_s"])  # type: ignore[arg-type]


def test_who_judged_is_said(whole: BenchmarkReport) -> None:
    judges = {name: score.report.judge for name, score in whole.scores.items()}
    assert judges["hand captions"].id == "authors"
    assert judges["hand actions"].id == "ego4d-verb@118"
    assert judges["hand actions"].pairs.verb == judges["hand actions"].pairs.needed
    assert judges["hand boxes"].pairs.needed == 0


def test_floors_stand_beside_each_score(whole: BenchmarkReport) -> None:
    for part in EGOHOME.parts:
        score = whole.scores[part.name]
        assert list(score.floors) == list(part.floors)
        best = max(float(own["value"] or 0) for own in score.floors.values())
        assert score.margin.value == pytest.approx(float(score.figures["value"] or 0) - best)
    assert whole.scores["subtasks"].floors["constant"]["value"] == 0


def test_the_truth_scores_one_but_for_boxes_across_an_absence() -> None:
    report = scored(ROWS)
    values = [score.figures["value"] for score in report.scores.values()]
    # A hand that is gone for 12 frames is interpolated, by the appendix's letter.
    assert values == [1, 1, 1, 810 / 822]
    report = scored(ROWS, box_options={**THOUSAND, "max_gap_s": 0.1})
    assert report.scores["hand boxes"].figures["value"] == 1
    assert [score.coverage.share for score in report.scores.values()] == [1, 1, 1, 1]


def test_without_floors_fewer_pairs_are_needed() -> None:
    plain, full = (
        egohome(ROWS, PREDICTION, box_options=THOUSAND, with_floors=flag) for flag in (False, True)
    )
    assert len(plain.texts[0].case.decided.by) < len(full.texts[0].case.decided.by)
    report = egohome_report(plain)
    assert not any(score.floors for score in report.scores.values())


def test_without_judgments_there_are_bounds() -> None:
    report = scored(judgments=())
    assert report.without_value() == ["subtasks", "hand captions"]
    figures = report.scores["subtasks"].figures
    assert (figures["value"], figures["low"], figures["high"]) == (None, 0, 1)
    assert report.scores["hand actions"].figures["value"] is not None


def test_what_the_prediction_lacks_is_not_scored(tmp_path: Path) -> None:
    def lacking(row: dict[str, Any]) -> dict[str, Any]:
        return {key: v for key, v in row.items() if key not in ("hand_captions", "hand_boxes")}

    report = scored(changed(tmp_path, lacking), box_options=None)
    assert list(report.scores) == ["subtasks", "hand actions"]
    assert report.not_scored == {
        "hand captions": "the prediction has none",
        "hand boxes": "the prediction has none",
    }


def test_a_row_that_lacks_what_others_have_is_an_error(tmp_path: Path) -> None:
    def lacking(row: dict[str, Any]) -> dict[str, Any]:
        if row["clip_id"].endswith("_001"):
            del row["hand_captions"]
        return row

    with pytest.raises(InputError, match="hand_captions"):
        scored(changed(tmp_path, lacking))


def test_an_episode_that_is_missing_is_scored_as_empty(tmp_path: Path) -> None:
    def first_two(row: dict[str, Any]) -> dict[str, Any] | None:
        return None if row["clip_id"].startswith("7f") else row

    report = scored(changed(tmp_path, first_two))
    for name, score in report.scores.items():
        assert (score.coverage.episodes, score.coverage.in_prediction) == (3, 2), name
        assert score.report.by_episode["7f6e5d4c3b2a_000"][score.metric]["value"] == 0


def test_coordinates_must_be_declared() -> None:
    with pytest.raises(UsageError, match="--coords"):
        scored(box_options=None)


def test_boxes_may_come_from_a_table(tmp_path: Path, whole: BenchmarkReport) -> None:
    lines = ["episode,t,hand,x1,y1,x2,y2,coords"]
    for row in json.loads(PREDICTION.read_text("utf-8")):
        for entry in row["hand_boxes"]:
            for hand in ("left", "right"):
                corners = entry.get(hand) or [""] * 4
                cells = [row["clip_id"], entry["t"], hand, *corners, "thousand"]
                lines.append(",".join(map(str, cells)))
    table = tmp_path / "boxes.csv"
    table.write_text("\n".join(lines) + "\n", "utf-8")
    report = scored(predicted_boxes=table)
    assert report.scores["hand boxes"].figures == whole.scores["hand boxes"].figures


def test_options_change_segments_and_boxes_alike(tmp_path: Path) -> None:
    def late(row: dict[str, Any]) -> dict[str, Any]:
        """Move every time by 2 s, and give the clip another id."""
        timelines = [row["subtasks"], *row["hand_actions"].values(), *row["hand_captions"].values()]
        for segment in (s for timeline in timelines for s in timeline):
            segment["start"], segment["end"] = segment["start"] + 2, segment["end"] + 2
        for entry in row["hand_boxes"]:
            entry["t"] += 2
        return {**row, "clip_id": "late " + row["clip_id"]}

    path = changed(tmp_path, late)
    renamed = tmp_path / "ids.csv"
    ids = [row["clip_id"] for row in json.loads(ROWS.read_text("utf-8"))]
    renamed.write_text("".join(f"late {name},{name}\n" for name in ids), "utf-8")
    report = scored(path, id_map=renamed, offset=-2.0, episodes=".*_000")
    straight = scored(episodes=".*_000")
    for name, score in report.scores.items():
        assert score.figures["value"] == pytest.approx(straight.scores[name].figures["value"])
        assert score.coverage.episodes == 2


def test_episodes_that_failed_can_be_left_out_everywhere(tmp_path: Path) -> None:
    def failing(row: dict[str, Any]) -> dict[str, Any]:
        failed = {"clip_id": row["clip_id"], "ok": False, "subtasks": None, "hand_boxes": None}
        failed |= {"hand_actions": {}, "hand_captions": {}}
        return failed if row["clip_id"].startswith("7f") else row

    path = changed(tmp_path, failing)
    assert scored(path).scores["hand boxes"].coverage.episodes == 3
    report = scored(path, leave_out_failed=True)
    assert {score.coverage.episodes for score in report.scores.values()} == {2}


def test_of_several_prompts_the_protocols_own_counts(tmp_path: Path) -> None:
    lines = []
    for line in JUDGMENTS.read_text("utf-8").splitlines():
        fields = json.loads(line)
        lines.append(fields | {"prompt": "relation@1", "verdict": "different"})
        if fields["task"] == "subtask":
            lines.append(fields | {"prompt": "permissible-subtask@1"})
    both = tmp_path / "both.jsonl"
    both.write_text("".join(json.dumps(fields) + "\n" for fields in lines), "utf-8")
    report = scored(judgments=both)
    assert report.scores["subtasks"].report.judge.prompt == "permissible-subtask@1"
    assert report.scores["hand captions"].report.judge.prompt == "relation@1"


def test_the_json_reads_back_and_is_the_same_twice(whole: BenchmarkReport) -> None:
    def plain(report: BenchmarkReport) -> Any:
        def without_run(value: Any) -> Any:
            if isinstance(value, dict):
                return {k: without_run(v) for k, v in value.items() if k != "run"}
            return [without_run(v) for v in value] if isinstance(value, list) else value

        return without_run(json.loads(report.to_json()))

    assert plain(BenchmarkReport.model_validate_json(whole.to_json())) == plain(whole)
    assert plain(scored()) == plain(whole)
