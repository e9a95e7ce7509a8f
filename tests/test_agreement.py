"""Agreement of two sets of judgments, against values worked by hand and against scikit-learn."""

import json
import math
import random

import pytest

from segjudge.agreement import agreement
from segjudge.judgments import Judgment, Verdict


def said(verdicts, judge="j", **fields):
    """Give one judgment a pair, numbered; None leaves the pair out."""
    return [
        Judgment(label_a=f"a {n:05}", label_b=f"b {n:05}", verdict=verdict, judge=judge, **fields)
        for n, verdict in enumerate(verdicts)
        if verdict is not None
    ]


def table_of(counts):
    """Spell a table out: two lists of verdicts, one entry a pair."""
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    return said(a for a, _ in pairs), said(b for _, b in pairs)


# Cohen's textbook shape: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no.
TEXTBOOK = {
    ("permissible", "permissible"): 20,
    ("permissible", "different"): 5,
    ("different", "permissible"): 10,
    ("different", "different"): 15,
}


def test_a_table_worked_by_hand():
    view = agreement(*table_of(TEXTBOOK)).permissible
    assert view.classes == ["yes", "no"]
    assert view.table == [[20, 5], [10, 15]]
    assert (view.pairs, view.only_a, view.only_b) == (50, 0, 0)
    assert view.agreement.value == 35 / 50
    # By chance (25 * 30 + 25 * 20) / 50**2 = 0.5, so kappa is (0.7 - 0.5) / (1 - 0.5).
    assert view.kappa.value == pytest.approx(0.4, abs=1e-12)
    assert view.mcc.value == pytest.approx(
        (20 * 15 - 5 * 10) / math.sqrt(25 * 25 * 30 * 20), abs=1e-12
    )
    assert [view.recall_of_a[c].value for c in ("yes", "no")] == [20 / 25, 15 / 25]
    assert [view.recall_of_b[c].value for c in ("yes", "no")] == [20 / 30, 15 / 20]


def test_three_classes_worked_by_hand():
    counts = {
        ("same", "same"): 3,
        ("same", "a_in_b"): 1,
        ("a_in_b", "a_in_b"): 2,
        ("different", "same"): 1,
        ("different", "different"): 3,
    }
    result = agreement(*table_of(counts))
    view = result.verdict
    assert view.classes == ["same", "a_in_b", "different"]
    assert view.table == [[3, 1, 0], [0, 2, 0], [1, 0, 3]]
    # Sums by class: a 4, 2, 4; b 4, 3, 3. Chance: (16 + 6 + 12) / 100.
    assert view.kappa.value == pytest.approx((0.8 - 0.34) / (1 - 0.34), abs=1e-12)
    # Gorodkin's: (n c - sum ab) / sqrt((n n - sum aa)(n n - sum bb)).
    assert view.mcc.value == pytest.approx((80 - 34) / math.sqrt(64 * 66), abs=1e-12)
    # Permissible: a step or the same is a yes.
    assert result.permissible.table == [[6, 0], [1, 3]]
    assert result.same.table == [[3, 1], [1, 5]]


def test_the_figures_are_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    chance = random.Random(3)
    verdicts = ["same", "a_in_b", "b_in_a", "different"]
    a = [chance.choices(verdicts, [4, 2, 1, 8])[0] for _ in range(500)]
    b = [x if chance.random() < 0.6 else chance.choice(verdicts) for x in a]
    view = agreement(said(a), said(b), resamples=1).verdict
    assert view.table == metrics.confusion_matrix(a, b, labels=verdicts).tolist()
    assert view.agreement.value == pytest.approx(metrics.accuracy_score(a, b), abs=1e-12)
    assert view.kappa.value == pytest.approx(metrics.cohen_kappa_score(a, b), abs=1e-12)
    assert view.mcc.value == pytest.approx(metrics.matthews_corrcoef(a, b), abs=1e-12)
    recalls = metrics.recall_score(a, b, labels=verdicts, average=None)
    assert [view.recall_of_a[v].value for v in verdicts] == pytest.approx(recalls, abs=1e-12)
    precisions = metrics.precision_score(a, b, labels=verdicts, average=None)
    assert [view.recall_of_b[v].value for v in verdicts] == pytest.approx(precisions, abs=1e-12)


def test_an_interval_is_as_wide_as_theory_has_it():
    verdicts = {("same", "same"): 280, ("same", "different"): 120}
    estimate = agreement(*table_of(verdicts), resamples=20_000).same.agreement
    half = 1.96 * math.sqrt(0.7 * 0.3 / 400)
    assert estimate.low == pytest.approx(0.7 - half, abs=0.004)
    assert estimate.high == pytest.approx(0.7 + half, abs=0.004)
    narrower = agreement(*table_of(verdicts), resamples=20_000, level=0.5).same.agreement
    assert narrower.high - narrower.low == pytest.approx(
        2 * 0.6745 * math.sqrt(0.7 * 0.3 / 400), abs=0.004
    )


def test_the_seed_decides_the_interval_and_the_order_of_lines_does_not():
    a, b = table_of(TEXTBOOK)
    first = agreement(a, b)
    assert agreement(a[::-1], random.Random(0).sample(b, len(b))) == first
    assert agreement(a, b, seed=1).permissible.kappa != first.permissible.kappa


def test_direction_is_the_pairs_own():
    a = [Judgment(label_a="x", label_b="y", verdict="a_in_b", judge="j")]
    for verdict, table in (("b_in_a", [[1]]), ("a_in_b", [[0, 1], [0, 0]])):
        b = [Judgment(label_a=" y", label_b="x  ", verdict=verdict, judge="k")]
        assert agreement(a, b).verdict.table == table


def test_pairs_that_one_side_left_open_are_counted_apart():
    a = said(["same", "undecided", "same", "not_same", "permissible", None, "undecided"])
    b = said(["same", "same", None, "different", "not_same", "same", None])
    result = agreement(a, b)
    assert result.verdict.classes == ["same", "different", "permissible", "not_same"]
    assert (result.verdict.pairs, result.verdict.only_a, result.verdict.only_b) == (3, 1, 2)
    # `not_same` leaves permissible open, and `permissible` leaves same open.
    seen = result.permissible
    assert (seen.table, seen.only_a, seen.only_b) == ([[1, 0], [0, 0]], 2, 3)
    assert (result.same.table, result.same.only_a, result.same.only_b) == ([[1, 0], [0, 1]], 1, 3)


def test_only_the_same_question_is_compared():
    def line(verdict, **fields):
        return Judgment(label_a="x", label_b="y", verdict=verdict, judge="j", **fields)

    def pairs(a, b):
        seen = agreement(a, b).verdict
        return seen.pairs, seen.only_a, seen.only_b

    assert pairs([line("same", context="c")], [line("same")]) == (0, 1, 1)
    assert pairs([line("same", task="subtask")], [line("same", task="hand-caption")]) == (0, 1, 1)
    assert pairs([line("same", task="subtask")], [line("same")]) == (1, 0, 0)
    assert pairs([line("same")], [line("same")]) == (1, 0, 0)
    both = [line("same", task="subtask"), line("different", task="hand-caption")]
    assert pairs([line("same")], both) == (2, 0, 0)
    # A line of the task itself goes before one of no task.
    seen = agreement([line("different"), line("same", task="subtask")], both[:1])
    assert seen.verdict.table == [[1]]


def test_of_several_lines_on_a_pair_the_last_counts():
    a = said(["same", "same"]) + said(["different"])
    result = agreement(a, said(["different", "same"]))
    assert result.verdict.table == [[1, 0], [0, 1]]
    assert (result.superseded_a, result.superseded_b) == (1, 0)


def test_what_is_undefined_has_no_value_and_says_why():
    nothing = agreement(said(["same"]), said([None, "same"])).verdict
    assert nothing.pairs == 0
    assert (nothing.kappa.value, nothing.kappa.reason) == (None, "no pair that both decided")

    flat = agreement(said(["same"] * 9), said(["same"] * 9)).same
    assert flat.agreement.value == 1
    assert (flat.kappa.value, flat.mcc.value) == (None, None)
    assert flat.kappa.reason == "both sides give one and the same answer throughout"
    assert flat.mcc.reason == "one side gives a single answer throughout"
    assert flat.recall_of_a["yes"].value == 1
    assert (flat.recall_of_a["no"].value, flat.recall_of_a["no"].reason) == (
        None,
        "a never says no",
    )
    # That nothing was seen to differ doesn't say that nothing can.
    assert (flat.agreement.low, flat.agreement.high) == (None, None)
    assert flat.agreement.reason == "every resample gives the same: no interval"


def test_one_side_saying_one_thing_is_no_better_than_chance():
    view = agreement(said(["same"] * 6 + ["different"] * 4), said(["same"] * 10)).same
    assert view.agreement.value == 0.6
    assert view.kappa.value == 0
    assert view.mcc.value is None


def test_opposite_answers_are_worse_than_chance():
    a = ["same", "different"] * 10
    view = agreement(said(a), said(a[1:] + a[:1])).same
    assert (view.kappa.value, view.mcc.value) == (-1, -1)


def test_the_result_is_json_without_nan():
    a, b = said(["same", None]), said(["same", "different"])
    text = agreement(a, b).model_dump_json(by_alias=True)
    read = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert read["schema"] == "segjudge.agreement/1"
    assert read["same"]["kappa"]["value"] is None
    assert read["verdict"]["classes"] == [Verdict.SAME]


@pytest.mark.parametrize("bad", [{"level": 0}, {"level": 1}, {"resamples": 0}])
def test_options_that_make_no_sense(bad):
    with pytest.raises(ValueError, match=r"must be"):
        agreement([], [], **bad)


def test_nothing_against_nothing():
    result = agreement([], [])
    assert result.verdict.table == []
    assert result.permissible.table == [[0, 0], [0, 0]]
    assert result.verdict.agreement.value is None
