"""What is credited or matched by the length of a segment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora import EVERY_METRIC, accepting, annotations, answers, compare, matrix, seconds, sides
from hypothesis import assume, given
from oracle import psj
from test_bounds import DENSE, UNSURE, completions, needed

from segjudge import formats
from segjudge.errors import UsageError
from segjudge.jmatrix import JMatrix
from segjudge.metrics import Comparison, evaluate, make
from segjudge.metrics.bins import ENDLESS, Binned, Bins, Segmental, binned
from segjudge.scoring.sides import edited

BINS = Bins.parse("0,0.5,1,inf")
WGO = Path(__file__).parents[3] / "shared" / "data" / "wgo_bench"


def by_side(
    metric: Any, comparison: Comparison, judged: Any, bins: Bins = BINS
) -> dict[str, Binned]:
    found = binned(metric, comparison, matrix(comparison, judged), bins)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("0,0.5,1,2", (0, 500_000, 1_000_000, 2_000_000)),
        (" 0.1 , inf", (100_000, ENDLESS)),
        ("0,1e400", (0, ENDLESS)),
        ([0, 0.1, float("inf")], (0, 100_000, ENDLESS)),
    ],
)
def test_edges_in_seconds(text: Any, edges: tuple[int, ...]) -> None:
    assert Bins.parse(text).edges == edges


@pytest.mark.parametrize(
    "text",
    ["", "1", "0,1,1", "0,2,1", "-1,1", "a,b", "nan,1", "0,nan", "inf,inf", "0,1e-7", "-inf,0",
     "0,1e9999999", "sNaN,1", "0,,1"],
)  # fmt: skip
def test_edges_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="bins"):
        Bins.parse(text)


def test_the_lower_edge_is_inside_and_the_upper_one_outside() -> None:
    lengths = np.array([0, 499_999, 500_000, 999_999, 1_000_000, 10**15])
    assert Bins.parse("0,0.5,1,inf").index(lengths).tolist() == [0, 0, 1, 1, 2, 2]
    assert Bins.parse("0.5,1").index(lengths).tolist() == [-1, -1, 0, 0, -1, -1]


def test_a_small_case_by_hand() -> None:
    """Of 4 s in the reference 2 s are found, 1 s is missed; in the prediction 0.5 s is alone."""
    comparison = compare(
        seconds((0, 4, "pour"), (10, 11, "stir")), seconds((1, 3, "pour"), (20, 20.5, "stir"))
    )
    bins = Bins.parse("0,1,2,4,inf")
    found = by_side(make("psj"), comparison, {frozenset(("pour",)): (1, 1)}, bins)
    assert found["reference"].segments.tolist() == [0, 1, 0, 1]
    assert found["reference"].low.sum(axis=0).tolist() == [0, 0, 0, 2_000_000]
    assert found["reference"].below.sum(axis=0).tolist() == [0, 1_000_000, 0, 4_000_000]
    assert found["prediction"].segments.tolist() == [1, 0, 1, 0]
    assert found["prediction"].low.sum(axis=0).tolist() == [0, 0, 2_000_000, 0]
    assert found["prediction"].below.sum(axis=0).tolist() == [500_000, 0, 2_000_000, 0]
    found = by_side(make("segmentation_f1@0.5"), comparison, {}, bins)
    assert found["reference"].low.sum(axis=0).tolist() == [0, 0, 0, 1]
    assert found["reference"].below.sum(axis=0).tolist() == [0, 1, 0, 1]
    assert found["prediction"].low.sum(axis=0).tolist() == [0, 0, 1, 0]


def test_a_snapped_segment_keeps_its_own_length() -> None:
    comparison = compare(seconds((0, 4, "pour")), seconds((1, 1.5, "pour")))
    found = by_side(make("segmentation_f1@0.75,snap=outer"), comparison, {}, BINS)
    assert found["prediction"].segments.tolist() == [0, 1, 0]
    assert found["prediction"].low.sum(axis=0).tolist() == [0, 1, 0]


@given(sides(), sides(), answers())
def test_psj_by_length_against_the_oracle(left, right, judged):
    comparison = compare(left, right)
    found = by_side(make("psj"), comparison, judged)
    truth = psj(left, right, accepting(judged))
    for side, segments, credit in (
        ("reference", left, truth.reference_credit),
        ("prediction", right, truth.prediction_credit),
    ):
        for n, (low, high) in enumerate(((0, 500_000), (500_000, 10**6), (10**6, 10**15))):
            own = [i for i, s in enumerate(segments) if low <= s.end - s.start < high]
            assert found[side].segments[n] == len(own)
            assert found[side].low[:, n].sum() == sum(credit[i] for i in own)
            assert found[side].below[:, n].sum() == sum(
                segments[i].end - segments[i].start for i in own
            )


@given(sides(), sides(), answers())
@pytest.mark.parametrize("name", [name for name in EVERY_METRIC if "@0.75" not in name])
def test_bins_from_0_to_infinity_add_up_to_precision_and_recall(name, left, right, judged):
    metric, comparison = make(name), compare(left, right)
    components = evaluate(metric, comparison, matrix(comparison, judged)).low
    found = by_side(metric, comparison, judged)
    for side, ratio in (("reference", "recall"), ("prediction", "precision")):
        above, below = metric.ratios[ratio]
        assert found[side].exact.all()
        assert np.array_equal(found[side].low, found[side].high)
        for column, names in ((found[side].low, above), (found[side].below, below)):
            assert np.array_equal(column.sum(axis=1), sum(components[name] for name in names))


@given(DENSE, DENSE, UNSURE)
@pytest.mark.parametrize("name", ["psj", "psj_same", "semantic_f1@0.5", "semantic_f1_same@0.1"])
def test_bounds_and_values_hold_for_every_completion(name, left, right, judged):
    metric, comparison = make(name), compare(left, right)
    judged = {p: both for p, both in judged.items() if p in needed(comparison, metric)}
    ways = completions(metric, judged)
    assume(len(ways) <= 32)
    found = by_side(metric, comparison, judged)
    complete = [by_side(metric, comparison, way) for way in ways]
    for side, own in found.items():
        reached = np.array([each[side].low.sum(axis=0) for each in complete])
        assert (reached[:, own.exact] == own.low.sum(axis=0)[own.exact]).all()
        assert own.bounded == (metric.key.startswith("psj"))
        if own.bounded:
            assert np.array_equal(own.low.sum(axis=0), reached.min(axis=0))
            assert np.array_equal(own.high.sum(axis=0), reached.max(axis=0))


def test_a_yes_can_take_a_match_from_another_length() -> None:
    """Why shares by length of a matching have no bounds: with the yes, 3 s loses what 4 s gains."""
    left, right = seconds((0, 3, "pour"), (0, 4, "stir")), seconds((0, 4, "wash"))
    comparison = compare(left, right)
    known = {frozenset(("pour", "wash")): (1, 1)}
    bins = Bins.parse("0,4,inf")
    for also, matched in (((0, 0), [1, 0]), ((1, 1), [0, 1])):
        judged = known | {frozenset(("stir", "wash")): also}
        found = by_side(make("semantic_f1@0.5"), comparison, judged, bins)["reference"]
        assert found.low.sum(axis=0).tolist() == matched
    found = by_side(make("semantic_f1@0.5"), comparison, known, bins)["reference"]
    assert not found.bounded
    assert not found.exact.any()


def test_a_metric_that_says_nothing_of_segments_has_no_bins() -> None:
    class Plain:
        key, reads, monotone, ratios = "plain", "", True, {}

    assert not isinstance(Plain(), Segmental)
    comparison = Comparison.of(annotations([]), annotations([]))
    assert binned(Plain(), comparison, JMatrix(0), BINS) is None  # type: ignore[arg-type]


@pytest.mark.skipif(not WGO.is_dir(), reason="the benchmark's files aren't here")
def test_recall_by_length_as_published() -> None:
    """98 episodes, failed ones left out; greedy and optimal matching agree at this threshold."""
    files = (formats.read(WGO / f"{name}.jsonl") for name in ("gold", "predictions_sheets"))
    comparison = Comparison.of(*edited(*files, leave_out_failed=True))
    bins = Bins.parse("0,1,2,4,8,inf")
    found = by_side(make("segmentation_f1@0.5"), comparison, {}, bins)["reference"]
    text = (WGO / "predictions_sheets.published_scores.json").read_text()
    published = json.loads(text)["overall"]["recall_by_duration"]
    assert found.segments.tolist() == [each["n"] for each in published.values()]
    recall = found.low.sum(axis=0) / found.segments
    assert recall.round(4).tolist() == [each["recall"] for each in published.values()]
