"""Boxes from files to a report: options, both sides' readings, changes, floors."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from boxes_corpora import Box, boxes

from segjudge.boxes import centre, usual
from segjudge.errors import InputError, UsageError
from segjudge.scoring.boxes import hits_of, score_boxes

GOLD = [Box(f, 0, (100.0, 100.0, 200.0, 200.0)) for f in range(30)]


def value(report: Any) -> Fraction:
    (figures,) = report.metrics.values()
    return Fraction(figures["value"]).limit_denominator(10_000)


def test_options_are_in_the_key_and_in_the_report() -> None:
    model = [GOLD[0], Box(10, 0, None), GOLD[29]]
    report = score_boxes(boxes(GOLD), boxes(model), null_breaks=True, max_gap_s=1.5)
    assert list(report.metrics) == ["chf,null_breaks,max_gap_s=1.5"]
    assert value(report) == Fraction(2, 30)
    assert (report.options["null_breaks"], report.options["max_gap_s"]) == (True, 1.5)
    assert value(score_boxes(boxes(GOLD), boxes(model))) == 1


@pytest.mark.parametrize("wrong", [{"max_gap_s": -1}, {"same_frame": "first"}, {"max_gap_s": 1e99}])
def test_options_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        score_boxes(boxes(GOLD), boxes(GOLD), **wrong)


def test_an_episode_that_the_reference_lacks_is_an_error() -> None:
    with pytest.raises(InputError, match="an id that the reference has"):
        hits_of(boxes(GOLD), replace(boxes(GOLD), episodes=("b",)))


def test_a_side_may_be_read_in_its_own_way(tmp_path: Path) -> None:
    gold = {"clip_id": "a", "fps": 30, "width": 1000, "height": 1000}
    gold["hand_boxes"] = [{"t": 0, "left": [100, 100, 200, 200]}]
    model = {"clip_id": "a", "hand_boxes": [{"t": 0, "left": [0.15, 0.15, 0.1, 0.1]}]}
    paths = []
    for name, row in (("gold.json", gold), ("model.json", model)):
        paths.append(tmp_path / name)
        paths[-1].write_text(json.dumps([row]), "utf-8")
    report = score_boxes(
        *paths,
        reading={"coords": "px"},
        prediction_reading={"coords": "unit", "order": "xywh"},
    )
    assert value(report) == 1
    assert [item.sha256 != "" for item in report.inputs] == [True, True]


def test_no_boxes_have_no_value_and_the_report_says_why() -> None:
    report = score_boxes(boxes([]), boxes([]))
    assert report.metrics["chf"]["value"] is None
    assert report.metrics["chf"]["reason"]


def test_resting_in_the_middle_hits_where_the_hand_is_in_the_middle() -> None:
    gold = boxes(
        [Box(f, 0, (0.4, 0.4, 0.6, 0.6)) for f in range(20)]
        + [Box(f, 0, (0.0, 0.0, 0.2, 0.2)) for f in range(20, 30)],
        coords="unit",
    )
    made = centre(gold)
    assert made is not None
    hits = hits_of(gold, made)
    # The right hand is never there, so that resting there costs 30 frames.
    assert hits.outcome().low["reference_boxes"].tolist() == [30]
    assert value(score_boxes(gold, made)) == Fraction(20, 60)
    assert value(score_boxes(gold, usual(gold))) == Fraction(20, 60)
    assert list(hits.floors) == ["centre", "usual"]


def test_the_middle_of_unknown_pixels_is_no_floor() -> None:
    assert centre(boxes(GOLD)) is None
    assert list(hits_of(boxes(GOLD), boxes(GOLD)).floors) == ["usual"]


def test_a_clock_can_be_moved() -> None:
    late = boxes([box._replace(frame=box.frame + 30) for box in GOLD])
    assert value(score_boxes(boxes(GOLD), late)) == 0
    moved = score_boxes(boxes(GOLD), late, offset=-1.0)
    assert value(moved) == 1
    assert [item.code for item in moved.findings] == ["shifted"]
    with pytest.raises(InputError, match="did you mean 'a'"):
        score_boxes(boxes(GOLD), late, offset={"aa": -1.0})
    with pytest.raises(InputError, match="an episode of the reference"):
        score_boxes(boxes(GOLD), late, episodes=["a", "b"])
    early = score_boxes(boxes(GOLD), boxes(GOLD), offset={"a": -0.5})
    assert value(early) == Fraction(15, 30)
    assert "15 boxes fell before 0" in early.findings[0].message
