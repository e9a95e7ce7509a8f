"""What must hold of a whole report, not only of its figures."""

from __future__ import annotations

import json
from typing import Any

from corpora import annotations, answers, judgments, sides
from hypothesis import given
from hypothesis import strategies as st

import segjudge

METRICS = ["psj", "psj_same", "semantic_f1@0.5,snap=outer", "segmentation_f1@0.5"]
KNOWN = answers([(1, 1), (1, 0), (0, 0), (1, -1), (-1, 0), (-1, -1)])
FAMILY = {"b": "x", "a": "y", "é": "x"}


def report(reference: Any, prediction: Any, said: Any, **options: Any) -> segjudge.Report:
    return segjudge.score(
        reference, prediction, judgments=said, metrics=METRICS, by=["family"], **options
    )


def comparable(made: segjudge.Report) -> dict[str, Any]:
    """Return a report without what may differ: the run and the files."""
    whole = json.loads(made.to_json())
    del whole["run"], whole["inputs"]
    return whole


@given(sides(), sides(), KNOWN, st.randoms(use_true_random=False))
def test_order_changes_nothing(left, right, judged, rng):
    ids = list(FAMILY)
    said = judgments(judged)

    def made() -> dict[str, Any]:
        families = [FAMILY[name] for name in ids]
        reference = annotations(left, ids, family=families)
        return comparable(report(reference, annotations(right, ids[::-1]), said))

    before = made()
    for order in (left, right, ids, said):
        rng.shuffle(order)
    assert made() == before


@given(sides(), sides(), KNOWN)
def test_groups_and_episodes_add_up(left, right, judged):
    reference = annotations(left, list(FAMILY), family=list(FAMILY.values()))
    made = report(reference, annotations(right), judgments(judged))
    groups = made.by_group["family"]
    assert list(groups) == ["x", "y"]
    for metric, whole in made.metrics.items():
        parts = [groups[name][metric] for name in groups]
        episodes = [made.by_episode[name][metric] for name in made.by_episode]
        for name, amount in whole.items():
            if name in ("episodes", "episodes_without_value"):
                assert sum(part[name] for part in parts) == amount
            elif name.endswith("_s") or name in ("matches", "predictions", "references"):
                for rows in (parts, episodes):
                    shares = [row[name] for row in rows]
                    if amount is not None:
                        assert abs(sum(shares) - amount) < 1e-9
                    else:
                        assert None in shares
        having = [row["value"] for row in episodes if row["value"] is not None]
        if whole["mean_over_episodes"] is not None:
            assert abs(sum(having) / len(having) - whole["mean_over_episodes"]) < 1e-12
            assert whole["episodes"] == len(having)


@given(sides(), sides(), KNOWN)
def test_reads_back_and_says_nothing_that_json_does_not_know(left, right, judged):
    reference = annotations(left, list(FAMILY), family=list(FAMILY.values()))
    made = report(reference, annotations(right), judgments(judged))
    text = made.to_json()

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    json.loads(text, parse_constant=refuse)
    assert segjudge.Report.from_json(text).to_json() == text


@given(sides(), sides(), KNOWN)
def test_leaving_episodes_out_leaves_the_others_as_they_were(left, right, judged):
    reference = annotations(left, list(FAMILY), family=list(FAMILY.values()))
    said = judgments(judged)
    whole = report(reference, annotations(right), said)
    part = report(reference, annotations(right), said, episodes="[ab]")
    assert list(part.by_episode) == ["a", "b"]
    for name in part.by_episode:
        for metric, figures in part.by_episode[name].items():
            for figure, amount in figures.items():
                assert whole.by_episode[name][metric][figure] == amount
