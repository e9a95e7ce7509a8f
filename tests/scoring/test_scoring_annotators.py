"""Annotators among themselves, a prediction against several, and feedback without the answers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from corpora import annotations, seconds, sides
from hypothesis import given
from hypothesis import strategies as st

import segjudge
from segjudge.annotations import Annotations
from segjudge.errors import InputError, UsageError
from segjudge.scoring.annotators import (
    annotators,
    annotators_report,
    references,
    references_report,
)
from segjudge.scoring.feedback import Feedback, feedback, feedback_case

FOLDER = Path(__file__).parents[2] / "examples" / "egohome"
PEOPLE = [FOLDER / f"annotator_{name}.jsonl" for name in ("anna", "ben", "chloe")]
ROWS, PREDICTION = FOLDER / "rows.json", FOLDER / "prediction.json"
JUDGMENTS: Any = {"judgments": FOLDER / "judgments.jsonl"}


def timeline(*rows: tuple[float, float, str], episode: str = "a") -> Annotations:
    return annotations(seconds(*rows, episode=episode), episodes=(episode,))


def psj(reference: Any, prediction: Any, **options: Any) -> float | None:
    report = segjudge.score(reference, prediction, metrics=["psj"], **{**JUDGMENTS, **options})
    value = report.metrics["psj"]["value"]
    return None if value is None else float(value)


def test_each_cell_is_what_score_gives() -> None:
    report = annotators_report(annotators(PEOPLE, ROWS, **JUDGMENTS))
    names = [path.name for path in PEOPLE]
    assert list(report.annotators) == names
    for a, one in zip(names, PEOPLE, strict=True):
        others = []
        for b, two in zip(names, PEOPLE, strict=True):
            if a != b:
                assert report.pairs[a][b]["value"] == pytest.approx(psj(one, two))
                assert report.pairs[a][b] == report.pairs[b][a]
                others.append(report.pairs[a][b]["value"])
        each = report.annotators[a]
        assert each.agreement.value == pytest.approx(sum(others) / 2)  # type: ignore[arg-type]
        assert each.reference is not None
        assert each.reference["value"] == pytest.approx(psj(ROWS, one))
    assert report.mean.value == pytest.approx(
        sum(float(r["value"] or 0) for a in names for r in report.pairs[a].values()) / 6
    )
    assert not report.without_value()


def test_two_are_compared_on_the_episodes_that_both_have() -> None:
    one = annotations(
        [*seconds((0, 4, "cut"), episode="a"), *seconds((0, 9, "stir"), episode="b")],
        episodes=("a", "b"),
    )
    two = annotations(
        [*seconds((0, 2, "cut"), episode="a"), *seconds((0, 5, "stir"), episode="c")],
        episodes=("a", "c"),
    )
    three = timeline((0, 1, "wash"), episode="b")
    report = annotators_report(annotators([one, two, three]))
    first, second, third = report.annotators
    assert report.pairs[first][second]["value"] == pytest.approx(4 / 6)
    assert report.pairs[first][second]["shared"] == 1
    assert report.pairs[second][third]["value"] is None
    assert report.annotators[second].agreement.value == pytest.approx(4 / 6)
    assert "annotators_differ" in {item.code for item in report.findings}


def test_some_episodes_only() -> None:
    every = annotators_report(annotators(PEOPLE, ROWS, **JUDGMENTS))
    some = annotators_report(annotators(PEOPLE, ROWS, episodes=".*_001", **JUDGMENTS))
    assert {each.episodes for each in every.annotators.values()} == {3}
    assert {each.episodes for each in some.annotators.values()} == {1}


def test_undecided_pairs_bound_the_means() -> None:
    sides = [timeline((0, 2, label)) for label in ("cut", "slice", "cut")]
    report = annotators_report(annotators(sides))
    first = next(iter(report.annotators.values())).agreement
    assert (first.value, first.low, first.high) == (None, 0.5, 1)
    assert report.without_value()


def test_an_episode_that_the_reference_lacks_is_an_error() -> None:
    one = timeline((0, 1, "cut"), episode="b")
    with pytest.raises(InputError, match="an id that the reference has"):
        annotators([one, one], timeline((0, 1, "cut")))


@pytest.mark.parametrize("wrong", [{"metrics": ["psj", "psj_same"]}, {"context": "instruction"}])
def test_options_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        annotators(PEOPLE, **wrong)


def test_one_annotator_is_not_enough() -> None:
    with pytest.raises(UsageError, match="at least two"):
        annotators(PEOPLE[:1])
    with pytest.raises(UsageError, match="at least two"):
        references(PEOPLE[:1], PREDICTION)


def test_hand_actions_are_compared_by_verb() -> None:
    one, two = timeline((0, 2, "put")), timeline((0, 2, "placing"), (1, 2, "putting"))
    report = annotators_report(annotators([one, two], task="hand-action"))
    assert report.judge.id == "ego4d-verb@118"
    assert report.mean.value == pytest.approx((1 + 1) / (2 + 3))
    assert "unresolved_verbs" in {item.code for item in report.findings}


def test_a_prediction_against_several_references() -> None:
    report = references_report(references(PEOPLE, PREDICTION, **JUDGMENTS))
    values = {path.name: psj(path, PREDICTION) for path in PEOPLE}
    assert {name: f["value"] for name, f in report.prediction.references.items()} == {
        name: pytest.approx(value) for name, value in values.items()
    }
    assert report.prediction.mean.value == pytest.approx(sum(values.values()) / 3)  # type: ignore[arg-type]
    assert report.prediction.best.of == "annotator_chloe.jsonl"
    assert report.prediction.best.value == pytest.approx(max(values.values()))  # type: ignore[type-var]
    plain = annotators_report(annotators(PEOPLE, **JUDGMENTS))
    means = [each.agreement.value or 0 for each in plain.annotators.values()]
    assert report.ceiling_mean.value == pytest.approx(sum(means) / 3)
    assert list(report.floors) == ["constant", "windows", "longest"]
    assert report.floors["constant"].mean.value == 0
    assert report.floors["longest"].best.value == pytest.approx(2 / 3, abs=0.1)


def test_the_best_reference_of_each_episode() -> None:
    one = annotations(
        [*seconds((0, 2, "cut"), episode="a"), *seconds((0, 2, "stir"), episode="b")],
        episodes=("a", "b"),
    )
    two = annotations(
        [*seconds((0, 2, "stir"), episode="a"), *seconds((0, 2, "cut"), episode="b")],
        episodes=("a", "b"),
    )
    system = annotations(
        [*seconds((0, 2, "cut"), episode="a"), *seconds((0, 2, "cut"), episode="b")],
        episodes=("a", "b"),
    )
    judgments = [
        segjudge.Judgment(label_a="cut", label_b="stir", verdict="different", judge="human:me")
    ]
    report = references_report(references([one, two], system, judgments=judgments))
    assert report.prediction.mean.value == 0.5
    assert report.best_by_episode.value == 1


def test_a_reference_lacks_episodes_and_so_does_the_prediction() -> None:
    one = timeline((0, 2, "cut"), episode="a")
    two = annotations(
        [*seconds((0, 2, "cut"), episode="a"), *seconds((0, 4, "cut"), episode="b")],
        episodes=("a", "b"),
    )
    report = references_report(references([one, two], timeline((0, 2, "cut"))))
    values = [figures["value"] for figures in report.prediction.references.values()]
    assert values == [1, pytest.approx(4 / 8)]
    with pytest.raises(InputError, match="an id that the reference has"):
        references([one, one], timeline((0, 2, "cut"), episode="z"))


def told(reference: Any, annotation: Any, mark: float = 0.8, **options: Any) -> Feedback:
    case, episodes = feedback_case(reference, annotation, **{**JUDGMENTS, **options})
    return feedback(case, episodes, mark)


def test_feedback_says_what_each_own_segment_earned() -> None:
    found = told(ROWS, PEOPLE[1])
    assert (found.score, found.passed, found.metric) == (0.82, True, "psj")
    assert [own.earned for own in found.segments] == [1, 0.7, 0.8, 0.7, 1, 1]
    assert (found.episodes, found.episodes_in_all) == (3, 3)
    assert told(ROWS, PEOPLE[1], 0.9).passed is False


def test_a_mark_is_compared_with_the_exact_value() -> None:
    reference, own = timeline((0, 10, "cut")), timeline((0, 7.998, "cut"))
    exact = psj(reference, own)
    assert exact is not None
    assert told(reference, own, exact).passed is True
    assert told(reference, own, exact + 1e-6).passed is False
    # Rounded down, so that a score shown never seems to reach a mark that it doesn't.
    assert told(reference, own).score == 0.88


def test_only_the_episodes_annotated_count() -> None:
    one = annotations(
        [*seconds((0, 2, "cut"), episode="a"), *seconds((0, 2, "stir"), episode="b")],
        episodes=("a", "b"),
    )
    found = told(one, timeline((0, 2, "cut")))
    assert (found.score, found.episodes, found.episodes_in_all) == (1, 1, 2)


def test_undecided_pairs_leave_it_open() -> None:
    reference = timeline((0, 5, "cut"), (5, 10, "stir"))
    own = timeline((0, 5, "slice"), (5, 10, "stir"))
    found = told(reference, own)
    assert (found.score, found.passed, found.precision) == (None, None, None)
    assert [segment.earned for segment in found.segments] == [None, 1]
    assert told(reference, own, 0.5).passed is True


TIMES = re.compile(r"\d+(?:\.\d+)?")


def test_no_label_and_no_time_of_the_reference_leaks() -> None:
    """Labels and times that are the reference's alone must not be anywhere in what is told."""
    reference = timeline(
        (0, 3.217, "SECRET grating the zucchini"),
        (3.217, 7.391, "SECRET peeling the leek"),
        (8.113, 9.871, "cut"),
    )
    own = timeline((0, 3, "cut"), (3, 8, "stir"), (8, 10, "cut"))
    said = {"SECRET grating the zucchini": "same", "SECRET peeling the leek": "different"}
    judgments = [
        segjudge.Judgment(label_a=a, label_b=b, verdict=verdict, judge="human:me")  # type: ignore[arg-type]
        for a, verdict in said.items()
        for b in ("cut", "stir")
    ]
    text = told(reference, own, judgments=judgments).to_json()
    assert "SECRET" not in text
    mine = {0.0, 3.0, 8.0, 10.0}
    theirs = {3.217, 7.391, 8.113, 9.871, 4.174, 1.758, 0.217, 4.391}
    numbers = {float(number) for number in TIMES.findall(text)}
    assert not numbers & theirs
    allowed = mine | {n / 10 for n in range(11)} | {1, 2}
    score = json.loads(text)["score"]
    assert numbers - allowed <= {score, 0.8}


@given(sides(tracks=("",), episodes=("a",)), sides(tracks=("",), episodes=("a",)), st.data())
def test_shares_are_tenths_and_nothing_or_all_is_exact(
    truth: list[Any], own: list[Any], data: st.DataObject
) -> None:
    reference, mine = (annotations(side, episodes=("a",)) for side in (truth, own))
    case, episodes = feedback_case(reference, mine)
    case.decided.verdict[:] = [
        data.draw(st.sampled_from(list(segjudge.Verdict)[:5])) for _ in case.decided.verdict
    ]
    found = feedback(case, episodes)
    for segment in found.segments:
        if segment.start_s == segment.end_s:
            assert segment.earned is None
        else:
            assert segment.earned in [n / 10 for n in range(11)]
    if found.segments and all(segment.earned == 0 for segment in found.segments):
        assert found.precision == 0
        assert found.passed is False


def test_what_is_wrong_with_the_reference_is_not_told(tmp_path: Path) -> None:
    broken = tmp_path / "truth.csv"
    broken.write_text("episode,start,end,label\na,5,3.217,SECRET label\n")
    own = timeline((0, 1, "cut"))
    with pytest.raises(InputError) as caught:
        feedback_case(broken, own)
    assert "SECRET" not in str(caught.value)
    assert "3.217" not in str(caught.value)
    with pytest.raises(InputError) as caught:
        feedback_case(timeline((0, 1, "SECRET")), own, task="hand-action")
    assert "SECRET" not in str(caught.value)
    path = tmp_path / "own.csv"
    path.write_text("episode,start,end,label\na,5,3,cut\n")
    with pytest.raises(InputError, match=r"own\.csv"):
        feedback_case(own, path)


@pytest.mark.parametrize("mark", [-0.1, 1.1])
def test_a_mark_is_a_share(mark: float) -> None:
    with pytest.raises(UsageError, match="--pass"):
        told(ROWS, PEOPLE[0], mark)
