"""Hand actions: the verb judge alone decides, and the report says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpora import annotations, seconds

import segjudge
from segjudge.annotations import Annotations
from segjudge.errors import InputError, UsageError


def hands(*rows: tuple[str, float, float, str]) -> Annotations:
    return annotations(
        [s for track, *row in rows for s in seconds(tuple(row), track=track)],  # type: ignore[arg-type]
        episodes=("a",),
    )


REFERENCE = hands(
    ("left", 0, 10, "hold_(support,_grip,_grasp)"),
    ("right", 0, 4, "cut_(trim,_slice,_chop)"),
    ("right", 4, 10, "put_(place,_leave,_drop)"),
)


def actions(prediction: Annotations, **options: object) -> segjudge.Report:
    return segjudge.score(
        REFERENCE,
        prediction,
        task="hand-action",
        metrics=["psj"],
        **options,  # type: ignore[arg-type]
    )


def test_labels_of_one_verb_match_however_they_are_spelt() -> None:
    report = actions(hands(("left", 0, 10, "holding the cup"), ("right", 0, 10, "slice bread")))
    assert report.metrics["psj"]["value"] == pytest.approx((20 + 8) / 40)
    assert report.judge.id == "ego4d-verb@118"
    assert report.judge.prompt is None
    assert report.judge.pairs.verb == report.judge.pairs.needed == 3
    assert report.options["verbs"] == "ego4d-118"
    assert not [f for f in report.findings if f.code == "unresolved_verbs"]


def test_left_never_meets_right() -> None:
    swapped = hands(
        ("right", 0, 10, "hold_(support,_grip,_grasp)"),
        ("left", 0, 4, "cut_(trim,_slice,_chop)"),
        ("left", 4, 10, "put_(place,_leave,_drop)"),
    )
    assert actions(swapped).metrics["psj"]["value"] == 0


def test_equal_labels_that_are_no_verb_do_not_match() -> None:
    """The verb judge is alone: no identity behind it."""
    reference = hands(("left", 0, 10, "hold"))
    prediction = hands(("left", 0, 4, "gripping"), ("left", 4, 10, "grip"))
    report = segjudge.score(reference, prediction, task="hand-action", metrics=["psj"])
    assert report.metrics["psj"]["value"] == pytest.approx(12 / 20)
    (found,) = [f for f in report.findings if f.code == "unresolved_verbs"]
    assert (found.count, found.side, found.level) == (1, "prediction", "warning")
    assert "4.000 s" in found.message
    assert found.places == ("'gripping': 1 segment, 4.000 s",)


def test_a_reference_label_that_is_no_verb_is_an_error_that_names_all() -> None:
    reference = hands(
        ("left", 0, 1, "hold"), ("left", 1, 2, "idle"), ("left", 3, 4, "idle"), ("right", 0, 1, "")
    )
    with pytest.raises(InputError) as caught:
        segjudge.score(reference, REFERENCE, task="hand-action")
    assert [p.value for p in caught.value.problems] == ["'idle'", "''"]
    assert "and 1 more" in caught.value.problems[0].place
    report = segjudge.score(
        reference, REFERENCE, task="hand-action", metrics=["psj"], ignore_label="^(idle)?$"
    )
    assert report.metrics["psj"]["value"] is not None


def test_another_list_is_used_and_named(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text(
        'label,group\n"hold_(support,_grip,_grasp)","[\'clutch\']"\n'
        '"cut_(trim,_slice,_chop)",\n"put_(place,_leave,_drop)",\n'
    )
    report = actions(hands(("left", 0, 10, "clutch")), verbs=str(own))
    assert report.metrics["psj"]["recall"] == pytest.approx(10 / 20)
    assert (report.judge.id, report.options["verbs"]) == ("verb@own.csv", "own.csv")
    assert [item.file for item in report.inputs] == ["own.csv"]
    report = actions(hands(("left", 0, 10, "hold")), verbs="ego4d-115")
    assert report.judge.id == "ego4d-verb@115"


def test_without_verbs_the_usual_chain_decides() -> None:
    report = actions(REFERENCE, verbs="none")
    assert report.metrics["psj"]["value"] == 1
    assert report.judge.pairs.identity == report.judge.pairs.needed
    assert report.options["verbs"] == "none"


def test_verbs_are_for_hand_actions_only() -> None:
    with pytest.raises(UsageError, match="hand-action"):
        segjudge.score(REFERENCE, REFERENCE, verbs="ego4d-118")


def test_plan_counts_what_the_verbs_decide() -> None:
    plan = segjudge.plan(REFERENCE, REFERENCE, task="hand-action")
    assert (plan.needed, plan.verb, plan.to_ask) == (3, 3, 0)


def test_a_constant_hold_earns_the_time_that_hands_hold() -> None:
    """EgoHome's one published floor, 0.175, on a set built to have c = 1, h = 0.175."""
    tiled = hands(
        *(
            (hand, *part)
            for hand in ("left", "right")
            for part in (
                (0, 35, "hold_(support,_grip,_grasp)"),
                (35, 200, "take_(pick,_grab,_get)"),
            )
        )
    )
    constant = hands(("left", 0, 200, "hold"), ("right", 0, 200, "hold"))
    report = segjudge.score(tiled, constant, task="hand-action", metrics=["psj"])
    assert report.metrics["psj"]["value"] == 0.175


def test_tracks_alone_add_up_to_the_whole() -> None:
    prediction = hands(("left", 2, 12, "hold"), ("right", 0, 3, "cut"), ("right", 4, 9, "put"))
    metrics = ["psj", "semantic_f1@0.5", "segmentation_f1@0.75,snap=outer"]
    report = segjudge.score(
        REFERENCE, prediction, task="hand-action", metrics=metrics, by=["track"]
    )
    tracks = report.by_group["track"]
    assert list(tracks) == ["left", "right"]
    for name, parts in {
        "psj": ("numerator_s", "denominator_s"),
        "semantic_f1@0.5": ("matches", "predictions", "references"),
        "segmentation_f1@0.75,snap=outer": ("matches", "predictions", "references"),
    }.items():
        for part in parts:
            together = sum(tracks[track][name][part] for track in tracks)  # type: ignore[misc]
            assert together == pytest.approx(report.metrics[name][part])
    assert tracks["left"]["psj"]["value"] == pytest.approx(16 / 20)
    assert tracks["right"]["psj"]["value"] == pytest.approx(16 / 18)


def test_undecided_pairs_bound_each_track_by_itself() -> None:
    reference = hands(("left", 0, 10, "hold the cup"), ("right", 0, 10, "stir"))
    prediction = hands(("left", 0, 10, "keep the cup"), ("right", 0, 10, "stir"))
    report = segjudge.score(
        reference, prediction, task="hand-caption", metrics=["psj"], by=["track"]
    )
    left, right = (report.by_group["track"][hand]["psj"] for hand in ("left", "right"))
    assert (left["value"], left["low"], left["high"]) == (None, 0, 1)
    assert (right["value"], report.metrics["psj"]["low"]) == (1, 0.5)
