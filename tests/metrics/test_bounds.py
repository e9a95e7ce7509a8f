"""Unknown answers: what a metric may still say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from corpora import EVERY_METRIC, LABELS, accepting, answers, compare, matrix, seconds, sides
from hypothesis import assume, given

from segjudge.annotations import Bool
from segjudge.jmatrix import JMatrix
from segjudge.metrics import Asked, Comparison, Components, evaluate, make, questions
from segjudge.report.build import by_episode, figures, grouped

UNSURE = answers([(1, 1), (1, 0), (0, 0), (1, -1), (-1, 0), (-1, -1), (-1, -1)])
DENSE = sides(most=6, episodes=("a", "b"), tracks=("",), last=6)

#: Families of the episodes a, b and é.
FAMILIES = ("x", "y", "x")

METRICS = [make(text) for text in EVERY_METRIC if "@0.1" not in text]
JUDGED = [metric for metric in METRICS if metric.reads and "@0.75" not in metric.key]


def completions(metric: Any, judged: Mapping[frozenset[str], tuple[int, int]]) -> list[Any]:
    """Every way to answer what is unknown to a metric, the one with all no first."""
    column = 0 if metric.reads == "permissible" else 1
    unknown = sorted((p for p, both in judged.items() if both[column] == -1), key=sorted)
    whole = []
    for filled in product((0, 1), repeat=len(unknown)):
        complete = dict(judged)
        for pair, answer in zip(unknown, filled, strict=True):
            complete[pair] = (answer, answer)
        whole.append(complete)
    return whole


def needed(comparison: Comparison, metric: Any) -> set[frozenset[str]]:
    asked = questions(comparison, metric.asked(comparison).pairs)
    labels = comparison.reference.labels
    return {frozenset((labels[a], labels[b])) for a, b in zip(asked.a, asked.b, strict=True)}


def everywhere(outcome: Any) -> dict[str, dict[str, Any]]:
    """A metric's figures over the corpus, by group and by episode."""
    episodes = by_episode(("a", "b", "é"), [outcome])
    return {
        "corpus": figures(outcome, 0),
        **{f"family {k}": v for k, v in grouped(outcome, FAMILIES).items()},
        **{f"episode {name}": episodes[name][outcome.metric.key] for name in episodes},
    }


@given(DENSE, DENSE, UNSURE)
@pytest.mark.parametrize("metric", JUDGED, ids=lambda metric: metric.key)
def test_bounds_hold_every_completion_and_both_are_reached(metric, left, right, judged):
    comparison = compare(left, right)
    judged = {p: both for p, both in judged.items() if p in needed(comparison, metric)}
    ways = completions(metric, judged)
    assume(len(ways) <= 64)
    bounds = everywhere(evaluate(metric, comparison, matrix(comparison, judged)))
    complete = [everywhere(evaluate(metric, comparison, matrix(comparison, w))) for w in ways]
    for scope, got in bounds.items():
        reached = [figures_of[scope]["value"] for figures_of in complete]
        if reached[0] is None:
            assert set(reached) == {None}
            assert got["value"] is got["low"] is got["high"] is None
            continue
        assert got["low"] == min(reached) == reached[0]
        assert got["high"] == max(reached) == reached[-1]
        if got["value"] is not None:
            assert set(reached) == {got["value"]}
        if scope.startswith(("corpus", "family")):
            means = [figures_of[scope]["mean_over_episodes"] for figures_of in complete]
            assert (got["mean_low"], got["mean_high"]) == (min(means), max(means))
        for name in ("matches", "numerator_s"):
            parts = [figures_of[scope].get(name) for figures_of in complete]
            if got.get(name) is not None:
                assert set(parts) == {got[name]}
            elif parts[0] is not None:
                assert (got[f"{name}_low"], got[f"{name}_high"]) == (min(parts), max(parts))


@given(DENSE, DENSE, UNSURE)
def test_a_value_exactly_where_nothing_needed_is_unknown(left, right, judged):
    comparison = compare(left, right)
    for metric in METRICS:
        outcome = evaluate(metric, comparison, matrix(comparison, judged))
        column = 0 if metric.reads == "permissible" else 1
        unknown = [
            p for p in needed(comparison, metric) if metric.reads and judged[p][column] == -1
        ]
        assert bool(outcome.unknown.any()) == bool(unknown)
        assert (outcome.low is outcome.high) == (not unknown)


def test_unknown_is_not_no():
    comparison = compare(seconds((0, 4, "pour")), seconds((0, 3, "stir"), (3, 4, "wash")))
    judged = {frozenset(("pour", "stir")): (-1, -1), frozenset(("pour", "wash")): (1, 0)}
    got = figures(evaluate(make("psj"), comparison, matrix(comparison, judged)), 1)
    assert (got["value"], got["low"], got["high"]) == (None, 0.25, 1.0)
    assert (got["numerator_s"], got["numerator_s_low"], got["numerator_s_high"]) == (None, 2, 8)
    assert got["denominator_s"] == 8
    assert got["undecided_pairs"] == 1
    assert "undecided" in got["reason"]
    f1 = figures(evaluate(make("semantic_f1@0.75"), comparison, matrix(comparison, judged)), 1)
    assert (f1["value"], f1["low"], f1["high"]) == (None, 0, pytest.approx(2 / 3))
    assert (f1["matches"], f1["matches_low"], f1["matches_high"]) == (None, 0, 1)
    assert (f1["predictions"], f1["references"]) == (2, 1)


def test_what_one_answer_leaves_open_the_other_may_know():
    """A no to "the same?" decides psj_same and leaves psj open, and a yes to "permissible?"."""
    comparison = compare(seconds((0, 4, "pour")), seconds((0, 4, "stir")))
    for both, psj, same in (((-1, 0), None, 0.0), ((1, -1), 1.0, None)):
        judged = matrix(comparison, {frozenset(("pour", "stir")): both})
        assert figures(evaluate(make("psj"), comparison, judged), 0)["value"] == psj
        assert figures(evaluate(make("psj_same"), comparison, judged), 0)["value"] == same


@dataclass(frozen=True)
class OddPairs:
    """Accepted pairs an episode, if there is an odd number of them: not monotone."""

    key: str = "odd"
    reads: str = "permissible"
    monotone: bool = False
    ratios: ClassVar[Mapping[str, Any]] = {
        "value": (("odd",), ("references",)),
        "share": (("accepted",), ("references",)),
    }

    def asked(self, comparison: Comparison) -> Asked:
        references = np.bincount(comparison.reference.episode, minlength=3).astype(np.int64)
        return Asked(comparison.pairs, noted={"references": references})

    def count(self, comparison: Comparison, asked: Asked, accepted: Bool) -> Components:
        found = comparison.by_episode(asked.pairs, accepted)
        return {"odd": found % 2 * found, "accepted": found, **asked.noted}


class TestNotMonotone:
    left = seconds((0, 4, "pour"), (4, 8, "stir"), (8, 9, "stir"))
    right = seconds((0, 4, "wash"), (4, 9, "pour"))
    pour_wash, pour_stir = frozenset(("pour", "wash")), frozenset(("pour", "stir"))

    def got(self, judged: Any) -> dict[str, dict[str, Any]]:
        comparison = compare(self.left, self.right)
        return everywhere(evaluate(OddPairs(), comparison, matrix(comparison, judged)))

    def test_with_all_answers_it_has_a_value(self):
        got = self.got({self.pour_wash: (1, 1), self.pour_stir: (1, 1)})
        assert got["corpus"]["value"] == got["corpus"]["low"] == got["corpus"]["high"] == 1
        assert got["corpus"]["share"] == 1

    def test_without_it_has_none_of_the_three_and_a_reason(self):
        got = self.got({self.pour_wash: (1, 1)})
        for scope in ("corpus", "family x", "episode a"):
            assert [got[scope][name] for name in ("value", "low", "high")] == [None] * 3
            assert got[scope]["share"] is None
            assert not {"odd_low", "odd_high", "accepted_low"} & got[scope].keys()
        assert "not monotone" in got["corpus"]["reason"]
        assert got["corpus"]["mean_low"] is got["corpus"]["mean_high"] is None
        assert got["corpus"]["references"] == 3

    def test_a_component_that_is_equal_at_both_ends_is_not_thereby_known(self):
        """All no gives 0 odd pairs and so does all yes (2 pairs), but one of each gives 1."""
        right = seconds((0, 4, "wash"), (4, 8, "拿起杯子"))
        comparison = compare(seconds((0, 4, "pour"), (4, 8, "stir")), right)
        outcome = evaluate(OddPairs(), comparison, matrix(comparison, {}))
        assert outcome.low["odd"].tolist() == outcome.high["odd"].tolist() == [0, 0, 0]
        for scope in ("corpus", "episode a"):
            assert everywhere(outcome)[scope]["odd"] is None


class TestJMatrix:
    def test_reading_unknown_as_yes_or_no_leaves_what_is_known(self):
        judged = JMatrix(3, [0, 0, 1], [1, 2, 2], [1, 0, -1], [-1, 0, -1])
        a, b = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 2])
        assert judged.permissible(a, b).tolist() == [1, 0, -1, -1]
        assert judged.with_unknown_as(1).permissible(a, b).tolist() == [1, 0, 1, 1]
        assert judged.with_unknown_as(0).permissible(a, b).tolist() == [1, 0, 0, 0]
        assert judged.with_unknown_as(1).same(a, b).tolist() == [1, 0, 1, 1]
        assert judged.permissible(a, b).tolist() == [1, 0, -1, -1]


def test_accepting_reads_unknown_as_no():
    accepts = accepting({frozenset(LABELS[:2]): (-1, 1)})
    assert not accepts(*LABELS[:2])
