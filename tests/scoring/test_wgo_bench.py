"""Figures on a real benchmark and a real model's output, where the files are at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segjudge
from segjudge.metrics import Comparison

FILES = Path(__file__).parents[3] / "shared" / "data" / "wgo_bench"
GOLD, PREDICTIONS = FILES / "gold.jsonl", FILES / "predictions_sheets.jsonl"
JUDGMENTS = FILES / "judgments_sheets.jsonl"

pytestmark = pytest.mark.skipif(
    not FILES.exists(), reason="the benchmark's licence keeps it out of the repository"
)

#: metric -> value to 10 decimals, matches, distinct label pairs needed.
EXPECTED = {
    "psj": (0.7391885107, None, 948),
    "psj_same": (0.6580591640, None, 948),
    "semantic_f1@0.75": (0.3129584352, 192, 179),
    "semantic_f1@0.75,snap=outer": (0.3553382233, 218, 204),
    "semantic_f1_same@0.75": (0.3031784841, 186, 179),
    "semantic_f1_same@0.75,snap=outer": (0.3439282804, 211, 204),
    "segmentation_f1@0.75": (0.3325183374, 204, 0),
    "segmentation_f1@0.5": (0.5867970660, 360, 0),
}


@pytest.fixture(scope="module")
def report() -> segjudge.Report:
    return segjudge.score(
        GOLD, PREDICTIONS, judgments=JUDGMENTS, metrics=list(EXPECTED), by=["family"]
    )


@pytest.mark.parametrize("metric", EXPECTED)
def test_value(report, metric):
    value, matches, _ = EXPECTED[metric]
    got = report.metrics[metric]
    assert got["value"] == got["low"] == got["high"] == pytest.approx(value, rel=0, abs=5e-11)
    assert got["episodes"] + got["episodes_without_value"] == 100
    if matches is not None:
        assert (got["matches"], got["predictions"], got["references"]) == (matches, 484, 743)


def test_psj_components(report):
    psj = report.metrics["psj"]
    assert psj["numerator_s"] == pytest.approx(6116.062, rel=0, abs=1e-9)
    assert psj["denominator_s"] == pytest.approx(8274.022, rel=0, abs=1e-9)
    assert psj["mean_over_episodes"] == pytest.approx(0.7658175163, rel=0, abs=5e-11)
    assert psj["episodes"] == 100


@pytest.mark.parametrize("metric", EXPECTED)
def test_pairs_needed_for_a_metric_alone(metric):
    plan = segjudge.plan(GOLD, PREDICTIONS, judgments=JUDGMENTS, metrics=[metric])
    assert plan.needed == plan.by_metric[metric] == EXPECTED[metric][2]
    assert plan.to_ask == 0


def test_the_union_of_the_pairs_and_who_decided_them(report):
    pairs = report.judge.pairs
    assert (pairs.needed, pairs.unknown, pairs.model, pairs.human) == (948, 0, 0, 0)
    assert pairs.identity + pairs.rule + pairs.recorded == 948
    assert report.judge.id == "claude (read once by the rubric in README.md)"


def test_families_add_up(report):
    for metric, whole in report.metrics.items():
        parts = [groups[metric] for groups in report.by_group["family"].values()]
        assert len(parts) == 3
        for name in ("matches", "predictions", "references", "numerator_s", "episodes"):
            if name in whole:
                assert sum(part[name] for part in parts) == pytest.approx(whole[name], abs=1e-9)


def test_the_failed_episodes_are_scored_as_empty_and_listed(report):
    found = {item.code: item for item in report.findings}
    assert found["failed_episodes"].count == 2
    for place in found["failed_episodes"].places:
        episode = place.split("'")[1]
        assert report.by_episode[episode]["segmentation_f1@0.5"]["predictions"] == 0
        assert report.by_episode[episode]["psj"]["value"] == 0


THETAS = ("0.1", "0.25", "0.5", "0.75")
SNAPPED = "segmentation_f1@0.75,snap=outer"


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    path = FILES / "predictions_sheets.published_scores.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def ours() -> segjudge.Report:
    metrics = [*(f"segmentation_f1@{theta}" for theta in THETAS), SNAPPED]
    return segjudge.score(GOLD, PREDICTIONS, metrics=metrics, by=["family"], leave_out_failed=True)


def greedy_matches(theta: float) -> int:
    """Match by descending IoU; the failed episodes have no pairs anyway."""
    comparison = Comparison.of(segjudge.read(GOLD), segjudge.read(PREDICTIONS))
    pairs = comparison.pairs
    lengths = comparison.reference.length[pairs.left] + comparison.prediction.length[pairs.right]
    iou = pairs.inter / (lengths - pairs.inter)
    left, right = set(), set()
    for row in np.argsort(-iou, kind="stable").tolist():
        i, j = int(pairs.left[row]), int(pairs.right[row])
        if iou[row] >= theta and i not in left and j not in right:
            left.add(i)
            right.add(j)
    return len(left)


class TestPublishedScores:
    """What the authors of the predictions published: the failed episodes left out."""

    def scopes(self, published: Any, ours: Any) -> list[tuple[Any, Any]]:
        families = published["by_family"]
        assert families.keys() == ours.by_group["family"].keys()
        return [
            (published["overall"], ours.metrics),
            *((families[name], ours.by_group["family"][name]) for name in families),
        ]

    def test_f1_where_a_segment_passes_with_one_other_at_most(self, published, ours):
        for theirs, own in self.scopes(published, ours):
            for theta in ("0.5", "0.75"):
                got = own[f"segmentation_f1@{theta}"]
                assert round(got["value"], 4) == theirs["f1_at_iou"][theta]
            half = own["segmentation_f1@0.5"]
            assert half["matches"] == theirs["segments_matched"]
            assert half["predictions"] == theirs["segments_pred"]
            assert half["references"] == theirs["segments_gold"]
            assert round(half["precision"], 4) == theirs["segmentation_precision"]
            assert round(half["recall"], 4) == theirs["segmentation_recall"]
            assert half["episodes"] == theirs["episodes"]

    def test_f1_at_low_thresholds_is_no_less_than_what_greedy_matching_finds(self, published, ours):
        """Theirs takes pairs by descending IoU, which loses four matches at 0.1."""
        for theta, lost in (("0.1", 4), ("0.25", 0)):
            got = ours.metrics[f"segmentation_f1@{theta}"]
            greedy = greedy_matches(float(theta))
            total = got["predictions"] + got["references"]
            assert round(2 * greedy / total, 4) == published["overall"]["f1_at_iou"][theta]
            assert got["matches"] == greedy + lost

    def test_f1_after_moving_the_outer_ends(self, published, ours):
        for theirs, own in self.scopes(published, ours):
            assert round(own[SNAPPED]["value"], 4) == theirs["f1_wgo"]

    def test_the_two_figures_of_the_issue(self, ours):
        assert round(ours.metrics["segmentation_f1@0.5"]["value"], 4) == 0.5975
        assert round(ours.metrics["segmentation_f1@0.75"]["value"], 4) == 0.3386

    def test_the_report_says_loudly_that_episodes_are_left_out(self, ours):
        (loud,) = [item for item in ours.findings if item.code == "failed_left_out"]
        assert loud.level == "warning"
        assert loud.count == 2
        assert "LEFT OUT" in loud.message
        assert "98 of 100" in loud.message
        assert ours.options["leave_out_failed"] is True
        assert len(ours.by_episode) == 98


def test_without_judgments_there_are_bounds_and_both_hold_the_value(report):
    unjudged = segjudge.score(GOLD, PREDICTIONS, metrics=list(EXPECTED))
    assert unjudged.without_value() == [name for name in EXPECTED if "segmentation" not in name]
    for metric, whole in report.metrics.items():
        got = unjudged.metrics[metric]
        assert got["low"] <= whole["value"] <= got["high"]
        if "segmentation" not in metric:
            assert got["value"] is None
            assert got["low"] < got["high"]
    # Every label accepted: semantic F1 is segmentation F1.
    assert (
        unjudged.metrics["semantic_f1@0.75"]["high"]
        == report.metrics["segmentation_f1@0.75"]["value"]
    )
