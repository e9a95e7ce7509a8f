"""Influence against scoring again with the one verdict turned over."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from corpora import EVERY_METRIC, Segment, compare, matrix, seconds
from oracle import Segment as OracleSegment

from segjudge.jmatrix import JMatrix
from segjudge.metrics import Comparison, evaluate, make, questions
from segjudge.metrics.influence import has_influence, influence
from segjudge.scoring import build_case

assert Segment is OracleSegment

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"
METRICS = [make(name) for name in EVERY_METRIC if has_influence(make(name))]


def above(metric, comparison, judgments) -> tuple[int, int]:
    """The upper line with every unknown answer read as no, and as yes."""
    outcome = evaluate(metric, comparison, judgments)
    names = metric.ratios["value"][0]
    return tuple(sum(int(side[n].sum()) for n in names) for side in (outcome.low, outcome.high))


def turned(comparison, asked, answers, rows, to: int) -> JMatrix:
    both = answers.copy()
    both[rows] = to
    n = len(comparison.reference.labels)
    return JMatrix(n, asked.a, asked.b, both, both, asked.context)


def check(metric, comparison, asked, answers, together=None) -> None:
    """Score again for each label pair and compare to the last microsecond."""
    judgments = turned(comparison, asked, answers, slice(0), 0)
    found = influence(metric, comparison, judgments, together)
    low, high = above(metric, comparison, judgments)
    group = np.arange(len(asked.a)) if together is None else together
    place = {key: i for i, key in enumerate(zip(*(c.tolist() for c in asked), strict=True))}
    for row, key in enumerate(zip(*(c.tolist() for c in found.questions), strict=True)):
        own = place[key]
        answer, rows = answers[own], np.flatnonzero(group == group[own])
        assert found.answer[row] == answer
        if answer >= 0:
            again = above(metric, comparison, turned(comparison, asked, answers, rows, 1 - answer))
            assert (found.low[row], found.high[row]) == (again[0] - low, again[1] - high)
        else:
            yes, no = (
                above(metric, comparison, turned(comparison, asked, answers, rows, to))
                for to in (1, 0)
            )
            assert (found.low[row], found.high[row]) == (yes[0] - low, no[1] - high)


def random_case(seed: int) -> tuple[Comparison, np.ndarray]:
    """Two sides that overlap themselves, few labels over several episodes, some answers unknown."""
    rng = np.random.default_rng(seed)
    labels = [f"label {i}" for i in range(rng.integers(2, 7))]
    episodes = [f"e{i}" for i in range(rng.integers(1, 4))]

    def side() -> list[Segment]:
        rows = []
        for _ in range(rng.integers(1, 16)):
            start, end = np.sort(rng.integers(0, 12, 2))
            label, episode = rng.choice(labels), rng.choice(episodes)
            track = rng.choice(["", "left"])
            rows.append(Segment(episode, track, int(start) * 250_000, int(end) * 250_000, label))
        return rows

    anchor = [Segment(e, "", 0, 0, labels[0]) for e in episodes]
    comparison = compare([*anchor, *side()], side())
    asked = questions(comparison, comparison.pairs)
    return comparison, rng.choice([1, 0, -1] if seed % 2 else [1, 0], len(asked.a)).astype(np.int8)


@pytest.mark.parametrize("seed", range(200))
def test_random_cases_equal_scoring_again(seed):
    comparison, answers = random_case(seed)
    asked = questions(comparison, comparison.pairs)
    for metric in (METRICS[0], *METRICS[1 + seed % 5 :: 5]):
        check(metric, comparison, *needed(metric, comparison, asked, answers))


def needed(metric, comparison, asked, answers):
    """Answers to all that may be asked: snapping can make pairs meet that otherwise don't."""
    own = questions(comparison, metric.asked(comparison).pairs)
    known = dict(zip(zip(*(c.tolist() for c in asked), strict=True), answers, strict=True))
    keys = list(zip(*(c.tolist() for c in own), strict=True))
    return own, np.array([known.get(key, 1) for key in keys], np.int8)


@pytest.mark.parametrize("prediction", ["careful", "hasty"])
@pytest.mark.parametrize("name", ["psj", "psj_same", "semantic_f1@0.75", "semantic_f1@0.1"])
def test_the_example_equals_scoring_again(prediction, name):
    case = build_case(
        KITCHEN / "reference.jsonl",
        KITCHEN / f"prediction_{prediction}.jsonl",
        judgments=KITCHEN / "judgments.jsonl",
        metrics=[name],
    )
    (metric,) = case.metrics
    asked = questions(case.comparison, metric.asked(case.comparison).pairs)
    known = case.decided.matrix()
    read = known.permissible if metric.reads == "permissible" else known.same
    check(metric, case.comparison, asked, read(asked.a, asked.b, asked.context))


@pytest.mark.parametrize("seed", range(20))
def test_pairs_that_one_judgment_decides_flip_together(seed):
    comparison, answers = random_case(seed)
    metric = METRICS[0]
    asked = questions(comparison, metric.asked(comparison).pairs)
    together = np.arange(len(asked.a)) // 2
    answers = answers[: len(asked.a)][np.minimum(together * 2, len(asked.a) - 1)]
    check(metric, comparison, asked, answers, together)


def test_only_time_that_nothing_else_covers_counts():
    comparison = compare(
        seconds((0, 10, "make tea")),
        seconds((0, 6, "boil water"), (4, 9, "pour water"), (8, 10, "sing")),
    )
    answers = {
        frozenset(("make tea", "boil water")): (1, 0),
        frozenset(("make tea", "pour water")): (1, 0),
        frozenset(("make tea", "sing")): (0, 0),
    }
    found = influence(make("psj"), comparison, matrix(comparison, answers))
    labels = comparison.reference.labels
    names = {frozenset((labels[a], labels[b])) for a, b, _ in zip(*found.questions, strict=True)}
    assert names == set(answers)
    by_label = {
        next(iter({labels[a], labels[b]} - {"make tea"})): int(change)
        for a, b, change in zip(found.questions.a, found.questions.b, found.low, strict=True)
    }
    # The prediction's own segment counts whole; of the reference only what is covered by it alone.
    assert by_label == {
        "boil water": -(6 + 4) * 10**6,
        "pour water": -(5 + 3) * 10**6,
        "sing": (2 + 1) * 10**6,
    }
    assert found.denominator == 23 * 10**6
    assert np.allclose(found.on_low, found.low / (23 * 10**6))
    assert Fraction(int(found.overlap_us.sum()), 10**6) == 13


def test_nothing_to_flip_and_nothing_to_divide():
    comparison = compare([Segment("a", "", 0, 0, "x")], [])
    found = influence(make("psj"), comparison, JMatrix(1))
    assert len(found.low) == 0
    assert found.denominator == 0


def test_a_metric_that_reads_no_answer_has_none():
    metric = make("segmentation_f1@0.5")
    assert not has_influence(metric)
    comparison = compare(seconds((0, 1, "x")), seconds((0, 1, "x")))
    with pytest.raises(ValueError, match=r"segmentation_f1@0\.5"):
        influence(metric, comparison, JMatrix(1))


def test_a_large_component_is_repaired_not_solved_again():
    # 60 copies of one segment on each side: every edge shares both its ends with others.
    side = [Segment("a", "", i, 1_000_000 + i, f"l{i % 7}") for i in range(60)]
    other = [Segment("a", "", i, 1_000_000 + i, f"m{i % 5}") for i in range(40)]
    comparison = compare(side, other)
    metric = make("semantic_f1@0.5")
    asked = questions(comparison, metric.asked(comparison).pairs)
    answers = (np.arange(len(asked.a)) % 3 == 0).astype(np.int8)
    check(metric, comparison, asked, answers)
