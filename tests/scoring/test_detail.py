"""What stands behind a report says the same as the report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from corpora import annotations, seconds

from segjudge.judgments import Judgment, Verdict
from segjudge.report.detail import largest
from segjudge.scoring import build_case, report
from segjudge.scoring.detail import detail, weigh

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"


def kitchen(prediction: str = "careful", **options):
    return build_case(
        KITCHEN / "reference.jsonl",
        KITCHEN / f"prediction_{prediction}.jsonl",
        judgments=KITCHEN / "judgments.jsonl",
        **options,
    )


@pytest.mark.parametrize("prediction", ["careful", "hasty"])
def test_credit_and_matches_add_up_to_the_figures(prediction):
    case = kitchen(prediction)
    found, figures = detail(case), report(case).metrics
    assert (found.credited_by, found.reads) == ("psj", "permissible")
    for side in ("reference", "prediction"):
        credit = getattr(found, side)
        assert credit.low.sum() / 1e6 == pytest.approx(figures["psj"][f"{side}_credit_s"])
        assert credit.high is credit.low
    assert set(found.matched) == {"semantic_f1@0.75", "segmentation_f1@0.75"}
    for name, matched in found.matched.items():
        assert len(matched.reference) == figures[name]["matches"]
        assert len(set(matched.prediction.tolist())) == len(matched.prediction)


def test_verdicts_are_said_of_reference_and_prediction():
    case = kitchen()
    found = detail(case)
    comparison = case.comparison
    labels = comparison.reference.labels
    recorded = {
        (judgment.label_a, judgment.label_b): judgment.verdict
        for judgment in map(
            Judgment.model_validate_json,
            (KITCHEN / "judgments.jsonl").read_text("utf-8").splitlines(),
        )
    }
    checked = 0
    for k, (i, j) in enumerate(zip(comparison.pairs.left, comparison.pairs.right, strict=True)):
        pair = (
            labels[comparison.reference.label[i]],
            labels[comparison.prediction.label[j]],
        )
        if pair in recorded:
            assert found.verdict_of(k) == recorded[pair]
            checked += recorded[pair] in (Verdict.A_IN_B, Verdict.B_IN_A)
    assert checked > 10


def test_without_psj_there_is_no_credit_and_pairs_not_needed_are_none():
    case = kitchen(metrics=["semantic_f1@0.75"])
    found = detail(case)
    assert (found.credited_by, found.reads) == ("", "")
    assert not found.reference.low.any()
    assert (found.row < 0).any()
    assert found.verdict_of(int(np.flatnonzero(found.row < 0)[0])) is None


def test_unknown_answers_leave_credit_open():
    sides = annotations(seconds((0, 4, "x"))), annotations(seconds((1, 3, "y")))
    found = detail(build_case(*sides))
    assert (found.reference.low.tolist(), found.reference.high.tolist()) == ([0], [2_000_000])


def test_weights_are_sorted_and_true():
    case = kitchen()
    weighed, value = weigh(case), report(case).metrics["psj"]["value"]
    assert (np.diff(largest(weighed)) <= 0).all()
    row = int(weighed.row[0])
    verdict = case.decided.verdict[row]
    case.decided.verdict[row] = Verdict.DIFFERENT if verdict.permissible else Verdict.SAME
    changed = report(case).metrics["psj"]["value"]
    assert changed - value == pytest.approx(weighed.low["psj"][0], abs=1e-12)
    assert weighed.low["psj"][0] == weighed.high["psj"][0]


def test_spellings_that_one_judgment_decides_are_one_row():
    rows = seconds((0, 4, "pour  water"), (4, 8, "pour water"))
    sides = annotations(rows), annotations(seconds((0, 8, "serve")))
    judged = [Judgment(label_a="pour water", label_b="serve", verdict="a_in_b", judge="j")]
    case = build_case(*sides, judgments=judged, metrics=["psj"])
    assert len(case.decided.by) == 2
    weighed = weigh(case)
    assert len(weighed) == 1
    assert (weighed.occurrences.tolist(), weighed.overlap_us.tolist()) == ([2], [8_000_000])
    assert weighed.low["psj"].tolist() == [-1.0]


def test_nothing_at_all():
    empty = annotations([])
    case = build_case(empty, empty)
    assert len(weigh(case)) == 0
    assert len(detail(case).row) == 0
