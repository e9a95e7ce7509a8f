"""Cases worked out by hand, with the credit of each segment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora import Answers, annotations, label_pairs, matrix, seconds, segments_of
from oracle import Segment

from segjudge.metrics import Comparison, evaluate, make, ratio
from segjudge.metrics.psj import credit

VECTORS = Path(__file__).parents[3] / "shared" / "vectors" / "psj_and_f1.json"

Row = tuple[float, float, str]


def answers_of(accepted: Sequence[Sequence[str]], labels: Sequence[str]) -> Answers:
    """Return yes to the pairs listed and no to all others."""
    yes = {frozenset(pair) for pair in accepted}
    return {pair: (1, 1) if pair in yes else (0, 0) for pair in label_pairs(labels)}


def figures(
    reference: Sequence[Row], prediction: Sequence[Row], accepted: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Compute what a case states, with credit in the order in which it lists its segments."""
    left, right = seconds(*reference), seconds(*prediction)
    comparison = Comparison.of(annotations(left, ["a"]), annotations(right, ["a"]))
    labels = sorted({row[2] for row in (*reference, *prediction)})
    judged = matrix(comparison, answers_of(accepted, labels))
    psj, f1 = make("psj"), make("semantic_f1@0.75")
    asked = psj.asked(comparison)
    yes = judged.permissible(
        comparison.reference.label[asked.pairs.left],
        comparison.prediction.label[asked.pairs.right],
    )
    ours, theirs = credit(comparison, asked, yes == 1)
    time, found = evaluate(psj, comparison, judged).low, evaluate(f1, comparison, judged).low
    above, below = psj.ratios["value"]
    return {
        "numerator_s": sum(time[name][0] for name in above) / 1e6,
        "denominator_s": sum(time[name][0] for name in below) / 1e6,
        "psj": value(ratio(time, psj.ratios["value"])),
        "credit_reference_s": listed(left, segments_of(comparison.reference), ours),
        "credit_prediction_s": listed(right, segments_of(comparison.prediction), theirs),
        "f1": [int(found[name][0]) for name in ("matches", "predictions", "references")],
        "f1_value": value(ratio(found, f1.ratios["value"])),
    }


def value(quotient: np.ndarray) -> float | None:
    return None if np.isnan(quotient[0]) else float(quotient[0])


def listed(given: list[Segment], canonical: list[Segment], amount: np.ndarray) -> list[float]:
    """Put credit back into the order given; equal segments earn equal credit."""
    by_segment = dict(zip(canonical, amount.tolist(), strict=True))
    return [by_segment[segment] / 1e6 for segment in given]


def shared() -> list[dict[str, Any]]:
    return json.loads(VECTORS.read_text(encoding="utf-8")) if VECTORS.exists() else []


@pytest.mark.skipif(not VECTORS.exists(), reason="the worked cases are not in the repository")
@pytest.mark.parametrize("case", shared(), ids=lambda case: case["name"])
def test_shared_case(case):
    close = lambda expected: pytest.approx(expected, rel=0, abs=1e-9)  # noqa: E731
    got = figures(case["reference"], case["prediction"], case["accepted"])
    psj, f1 = case["psj"], case["f1_075"]
    assert got["numerator_s"] == close(psj["numerator_s"])
    assert got["denominator_s"] == close(psj["denominator_s"])
    assert got["psj"] == (None if psj["value"] is None else close(psj["value"]))
    assert got["credit_reference_s"] == close(case["credit_reference_s"])
    assert got["credit_prediction_s"] == close(case["credit_prediction_s"])
    assert got["f1"] == [f1["matches"], f1["predictions"], f1["references"]]
    assert got["f1_value"] == (None if f1["value"] is None else close(f1["value"]))


@pytest.mark.skipif(not VECTORS.exists(), reason="the worked cases are not in the repository")
def test_all_shared_cases_are_there():
    assert len(shared()) == 66


STAIRS = (0, 5, "sweeping the stairs")
OK, NOT = "sweep down the steps", "mop the floor"
YES = [("sweeping the stairs", OK)]

#: name, reference, prediction, credit of the reference, of the prediction, psj, F1 counts.
BY_HAND: list[tuple[str, list[Row], list[Row], list[float], list[float], Any, list[int]]] = [
    ("paraphrase", [STAIRS], [(0, 5, OK)], [5], [5], 1, [1, 1, 1]),
    ("finer split", [STAIRS], [(0, 2.5, OK), (2.5, 5, OK)], [5], [2.5, 2.5], 1, [0, 2, 1]),
    ("split at 4 s", [STAIRS], [(0, 4, OK), (4, 5, OK)], [5], [4, 1], 1, [1, 2, 1]),
    ("part is wrong", [STAIRS], [(0, 3, OK), (3, 5, NOT)], [3], [3, 0], 3 / 5, [0, 2, 1]),
    ("part is missing", [STAIRS], [(0, 3, OK)], [3], [3], 3 / 4, [0, 1, 1]),
    ("too long", [STAIRS], [(0, 8, OK)], [5], [5], 10 / 13, [0, 1, 1]),
    ("wrong", [STAIRS], [(0, 5, NOT)], [0], [0], 0, [0, 1, 1]),
    ("touches only", [STAIRS], [(5, 10, OK)], [0], [0], 0, [0, 1, 1]),
    ("said twice", [STAIRS], [(0, 5, OK), (0, 5, OK)], [5], [5, 5], 1, [1, 2, 1]),
    ("said, and denied", [STAIRS], [(0, 5, OK), (0, 5, NOT)], [5], [5, 0], 2 / 3, [1, 2, 1]),
    ("overlapping", [STAIRS], [(0, 4, OK), (1, 5, OK)], [5], [4, 4], 1, [1, 2, 1]),
    (
        "ninety copies",
        [(0, 10, "sweeping the stairs")],
        [(0, 1, OK)] * 90,
        [1],
        [1] * 90,
        91 / 100,
        [0, 90, 1],
    ),
    (
        "reference stacked",
        [STAIRS, (2, 4, "turn on the light")],
        [(0, 5, OK)],
        [5, 0],
        [5],
        5 / 6,
        [1, 1, 2],
    ),
    ("zero length", [STAIRS], [(0, 5, OK), (3, 3, NOT)], [5], [5, 0], 1, [1, 2, 1]),
    (
        "zero length alone",
        [(3, 3, "sweeping the stairs")],
        [(3, 3, OK)],
        [0],
        [0],
        None,
        [0, 1, 1],
    ),
    ("no prediction", [STAIRS], [], [0], [], 0, [0, 0, 1]),
    ("no reference", [], [(0, 5, OK)], [], [0], 0, [0, 1, 0]),
    ("nothing at all", [], [], [], [], None, [0, 0, 0]),
    (
        "gap in the reference",
        [(0, 4, "sweeping the stairs"), (6, 10, "sweeping the stairs")],
        [(0, 10, OK)],
        [4, 4],
        [8],
        8 / 9,
        [0, 1, 2],
    ),
    ("two seconds late", [STAIRS], [(2, 7, OK)], [3], [3], 3 / 5, [0, 1, 1]),
]  # fmt: skip


@pytest.mark.parametrize("case", BY_HAND, ids=lambda case: case[0])
def test_by_hand(case):
    _, reference, prediction, ours, theirs, psj, counts = case
    got = figures(reference, prediction, YES)
    assert got["credit_reference_s"] == ours
    assert got["credit_prediction_s"] == theirs
    assert got["psj"] == (None if psj is None else pytest.approx(psj, abs=1e-12))
    assert got["f1"] == counts
    matched, predictions, references = counts
    whole = predictions + references
    assert got["f1_value"] == (2 * matched / whole if whole else None)


THREE = [(0, 2, "a"), (2, 5, "b"), (5, 6, "c")]


@pytest.mark.parametrize(
    ("prediction", "psj", "matches"),
    [
        ([(0, 2, "a"), (2, 5, "b"), (5, 6, "c")], 1, 3),
        ([(0, 2.5, "a"), (2.5, 5.5, "b"), (5.5, 6, "c")], 5 / 6, 1),
        ([(0, 2, "b"), (2, 5, "a"), (5, 6, "c")], 1 / 6, 1),
    ],
    ids=["exact", "half a second late", "two labels swapped"],
)
def test_three_segments(prediction, psj, matches):
    got = figures(THREE, prediction, [("a",), ("b",), ("c",)])
    assert got["psj"] == pytest.approx(psj, abs=1e-12)
    assert got["f1_value"] == pytest.approx(2 * matches / 6)
