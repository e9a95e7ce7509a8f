"""Floors, systems, and by how much a system beats the best floor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import segjudge
from segjudge.annotations import Annotations
from segjudge.baselines import baseline
from segjudge.errors import InputError, UsageError
from segjudge.judgments import Judgment, Verdict
from segjudge.report.floors import FloorsReport, Margin
from segjudge.scoring import plan_of
from segjudge.scoring.floors import default_baselines, floors, floors_report, write_floors

WGO = Path(__file__).parents[3] / "shared/data/wgo_bench"
NAMES = [f"e{i:02}" for i in range(12)]
ROWS = [(n, "", 3.0 * i, 3.0 * i + 3, f"step {i}") for n in NAMES for i in range(4)]
#: The first of four steps is named otherwise, and a quarter of a second late.
SYSTEM = [
    (n, "", s + 0.25, e, "other" if label == "step 0" else label) for n, _, s, e, label in ROWS
]


def corpus(rows: list, instruction: str | None = "do it") -> Annotations:
    side = Annotations.from_segments(rows, episodes=NAMES)
    fields = {"instruction": (instruction,) * len(NAMES), "kitchen": ("x", "y", "z") * 4}
    return replace(side, table=replace(side.table, fields=fields))


def said(verdict: Verdict, *pairs: tuple[str, str]) -> list[Judgment]:
    return [Judgment(label_a=a, label_b=b, verdict=verdict, judge="authors") for a, b in pairs]


STEPS = [f"step {i}" for i in range(4)]
ALL_DIFFERENT = said(
    Verdict.DIFFERENT,
    *((a, b) for i, a in enumerate(STEPS) for b in STEPS[i + 1 :]),
    *((a, "other") for a in STEPS),
    *((a, "doing household chores") for a in STEPS),
)
INSTRUCTION_ACCEPTED = said(Verdict.A_IN_B, *((a, "do it") for a in STEPS))


def made(*systems: Annotations, judgments: list[Judgment] = ALL_DIFFERENT, **more) -> FloorsReport:
    return floors_report(floors(corpus(ROWS), systems, judgments=judgments, **more))


def test_floors_are_scored_as_any_prediction() -> None:
    report = made(baselines=["constant", "longest", "windows,seconds=3"])
    assert list(report.floors) == ["constant", "longest", "windows,seconds=3"]
    for name, figures in report.floors.items():
        side = baseline(name).make(corpus(ROWS))
        score = segjudge.score(corpus(ROWS), side, judgments=ALL_DIFFERENT)
        assert figures == score.metrics
    assert report.floors["longest"]["psj"]["value"] == 0.25
    assert not report.without_value()


def test_the_default_floors_fit_the_task() -> None:
    assert default_baselines("subtask")[:2] == ("constant", "windows")
    assert default_baselines("hand-action")[:3] == (
        "constant,label=hold",
        "windows,label=hold",
        "windows,seconds=5,label=hold",
    )
    for task in ("subtask", "hand-caption", "hand-action", "something else"):
        for text in default_baselines(task):
            assert baseline(text).key == text


def test_a_system_beats_the_best_floor_by_a_margin_with_an_interval() -> None:
    report = made(corpus(SYSTEM), baselines=["constant", "longest"])
    (system,) = report.systems.values()
    score = segjudge.score(corpus(ROWS), corpus(SYSTEM), judgments=ALL_DIFFERENT)
    assert system.metrics == score.metrics
    margin = system.margins["psj"]
    value = 3 * 2 * 2.75 / (4 * (3 + 2.75))
    assert margin.floor == "longest"
    assert margin.value == margin.low == margin.high == pytest.approx(value - 0.25, abs=1e-15)
    # All episodes are alike, so every resample is the corpus.
    assert margin.interval_low == pytest.approx(value - 0.25, abs=1e-12)
    assert margin.interval_high == pytest.approx(value - 0.25, abs=1e-12)
    assert margin.beats is True


def test_a_floor_that_is_better_is_not_beaten() -> None:
    judgments = ALL_DIFFERENT + INSTRUCTION_ACCEPTED
    report = made(corpus(SYSTEM), judgments=judgments, baselines=["constant", "instruction"])
    margin = report.systems["prediction"].margins["psj"]
    assert report.floors["instruction"]["psj"]["value"] == 1
    assert (margin.floor, margin.beats) == ("instruction", False)
    assert margin.value is not None
    assert margin.value < 0


def test_a_tie_is_not_beating() -> None:
    report = made(baseline("longest").make(corpus(ROWS)), baselines=["longest", "empty"])
    margin = report.systems["prediction"].margins["psj"]
    assert (margin.value, margin.beats) == (0, False)


def test_with_bounds_beating_is_the_systems_low_above_every_floors_high() -> None:
    unknown = made(corpus(SYSTEM), baselines=["constant", "instruction"])
    margin = unknown.systems["prediction"].margins["psj"]
    assert margin.beats is None
    assert margin.value is None
    assert margin.floor == "instruction"
    assert margin.low is not None
    assert margin.high is not None
    assert margin.low < 0 < margin.high
    assert unknown.without_value() == ["psj"]
    half = [line for line in INSTRUCTION_ACCEPTED if line.label_a in ("step 0",)]
    denied = said(Verdict.DIFFERENT, ("step 1", "do it"), ("step 2", "do it"))
    report = made(
        corpus(SYSTEM), judgments=ALL_DIFFERENT + half + denied, baselines=["instruction"]
    )
    margin = report.systems["prediction"].margins["psj"]
    assert report.floors["instruction"]["psj"]["value"] is None
    assert report.floors["instruction"]["psj"]["high"] == 0.5
    assert margin.beats is True
    assert margin.value is None
    assert margin.interval_low == pytest.approx(margin.low, abs=1e-12)
    assert margin.interval_high == pytest.approx(margin.high, abs=1e-12)


def test_a_system_whose_high_is_below_a_floors_low_does_not_beat_it() -> None:
    lines = said(Verdict.SAME, *((a, "do it") for a in STEPS))
    report = made(baseline("constant").make(corpus(ROWS)), judgments=lines,
                  baselines=["instruction"])  # fmt: skip
    margin = report.systems["prediction"].margins["psj"]
    assert (margin.high, margin.beats) == (0, False)


def test_the_shuffled_control_is_the_systems_own_and_no_floor() -> None:
    report = made(corpus(SYSTEM), baselines=["constant", "shuffled", "shuffled,seed=1"])
    assert list(report.floors) == ["constant"]
    controls = report.systems["prediction"].controls
    assert list(controls) == ["shuffled", "shuffled,seed=1"]
    system = report.systems["prediction"].metrics
    assert controls["shuffled"]["segmentation_f1@0.75"] == system["segmentation_f1@0.75"]
    assert controls["shuffled"]["psj"]["value"] < system["psj"]["value"]


def test_the_pairs_are_the_union_and_no_more() -> None:
    built = floors(corpus(ROWS), [corpus(SYSTEM)], baselines=["constant", "instruction"])
    plan = plan_of(built.case)
    # Identity decides step i against itself; both other labels meet what they overlap.
    assert (plan.needed, plan.to_ask) == (3 + 1 + 4 + 4, 1 + 4 + 4)
    assert built.several.pairs(("floor", "constant")) == (4, 4)
    assert built.several.pairs(("system", "prediction")) == (4, 1)
    assert plan.by_metric == {"psj": 12, "semantic_f1@0.75": 4, "segmentation_f1@0.75": 0}


def test_clusters_are_drawn_together() -> None:
    alone = made(corpus(SYSTEM[:20]), baselines=["longest"])
    together = made(
        corpus(SYSTEM[:20]), baselines=["longest"], wanted={"cluster": "kitchen", "level": 0.9}
    )
    one, other = (r.systems["prediction"].margins["psj"] for r in (alone, together))
    assert one.value == other.value
    assert (one.interval_low, other.level) != (other.interval_low, one.level)
    assert together.options["intervals"]["cluster"] == "kitchen"
    assert any(item.code == "few_clusters" for item in together.findings)


def test_no_interval_of_a_single_episode() -> None:
    reference = Annotations.from_segments(ROWS[:4])
    built = floors(reference, [reference], baselines=["longest"], judgments=ALL_DIFFERENT)
    margin = floors_report(built).systems["prediction"].margins["psj"]
    assert margin == Margin(
        floor="longest", value=0.75, low=0.75, high=0.75, level=0.95, beats=True,
        reason=margin.reason,
    )  # fmt: skip
    assert margin.reason


def test_nothing_to_compare_where_nothing_is_annotated() -> None:
    reference = Annotations.from_segments([], episodes=NAMES)
    built = floors(reference, [reference], baselines=["constant"])
    margin = floors_report(built).systems["prediction"].margins["psj"]
    assert (margin.floor, margin.beats) == (None, None)
    assert margin.reason == "no value to compare"


def test_a_floor_that_can_lay_nothing_is_told() -> None:
    built = floors(corpus(ROWS, None), baselines=["instruction", "empty", "constant"])
    (found,) = [item for item in built.case.findings if item.code == "empty_floors"]
    assert found.message == "nothing to lay for instruction: scored as empty"


def test_systems_are_named_by_their_files(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        segjudge.write(corpus(SYSTEM), tmp_path / folder / "p.jsonl", "segjudge")
    paths = [tmp_path / "one/p.jsonl", tmp_path / "two/p.jsonl"]
    report = floors_report(floors(corpus(ROWS), paths, baselines=["constant"]))
    assert list(report.systems) == ["p.jsonl", "p.jsonl (2)"]
    assert [item.file for item in report.inputs] == ["p.jsonl", "p.jsonl"]


def test_options_that_change_the_reference_by_prediction_are_refused() -> None:
    one = corpus(SYSTEM)
    failed = np.zeros(len(NAMES), np.bool_)
    failed[3] = True
    other = replace(one, table=replace(one.table, failed=failed))
    with pytest.raises(UsageError, match="one prediction at a time"):
        floors(corpus(ROWS), [one, other], leave_out_failed=True)
    built = floors(corpus(ROWS), [other], leave_out_failed=True, baselines=["constant"])
    assert len(built.case.comparison.reference.episodes) == len(NAMES) - 1


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(UsageError, match="made from a prediction"):
        floors(corpus(ROWS), baselines=["shuffled"])
    with pytest.raises(UsageError, match="no field 'town'"):
        floors(corpus(ROWS), baselines=["constant"], wanted={"cluster": "town"})
    with pytest.raises(UsageError, match="study's stream"):
        floors(corpus(ROWS), baselines=["constant"], wanted={"stream": "study"})
    with pytest.raises(UsageError, match="no baseline is called"):
        floors(corpus(ROWS), baselines=["nothing"])
    with pytest.raises(InputError, match="an id that the reference has"):
        floors(corpus(ROWS), [Annotations.from_segments([("zz", "", 0, 1, "x")])])


def test_the_report_is_the_same_from_json() -> None:
    report = made(corpus(SYSTEM), baselines=["constant", "instruction", "shuffled"])
    assert FloorsReport.model_validate_json(report.to_json()) == report
    assert '"schema": "segjudge.floors/1"' in report.to_json()


def test_written_baselines_read_back_the_same(tmp_path: Path) -> None:
    texts = ["constant,label=a/b", "constant,label=a b", "windows,seconds=5", "empty", "shuffled"]
    built = floors(corpus(ROWS), [corpus(SYSTEM)], baselines=texts)
    paths = write_floors(built, tmp_path / "new/folder")
    assert [path.name for path in paths] == [
        "constant,label=a_b.jsonl",
        "constant,label=a_b-2.jsonl",
        "windows,seconds=5.jsonl",
        "empty.jsonl",
        "prediction-shuffled.jsonl",
    ]
    for path, side in zip(paths, built.made.values(), strict=True):
        back = segjudge.read(path)
        assert back.episodes == side.episodes
        one, other = segjudge.align(side, back)
        for name in ("start", "end", "track", "episode"):
            assert np.array_equal(getattr(one, name), getattr(other, name))
        assert [one.labels[i] for i in one.label] == [other.labels[i] for i in other.label]
    with pytest.raises(InputError):
        write_floors(built, paths[0])


@pytest.mark.skipif(not WGO.exists(), reason="the benchmark's annotations are not at hand")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("windows", 0.0469),
        ("windows,seconds=5", 0.0681),
        ("windows,seconds=10", 0.1102),
        ("constant", 0.0047),
        ("longest", 0.0047),
        ("empty", 0.0),
    ],
)
def test_wgo_bench(name: str, value: float) -> None:
    metric = "segmentation_f1@0.75"
    built = floors(WGO / "gold.jsonl", baselines=[name], metrics=[metric])
    found = floors_report(built).floors[name][metric]["value"]
    assert round(float(found or 0), 4) == value


def test_a_constant_named_without_a_label_says_what_fits_the_task() -> None:
    # Two fifths of 100 s are not annotated and 14 s are held: 2 x 0.14 / (1 + 0.6).
    truth = Annotations.from_segments(
        [("a", "left", 0, 14, "hold"), ("a", "left", 20, 66, "cut")],
        ["a"],
        replace(Annotations.from_segments([], ["a"]).table, duration=np.array([100_000_000])),
    )
    report = floors_report(
        floors(truth, (), baselines=["constant"], metrics=["psj"], task="hand-action")
    )
    assert report.floors["constant,label=hold"]["psj"]["value"] == 0.175
