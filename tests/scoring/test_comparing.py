"""Systems against each other: differences, intervals, tests and what must be said of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from corpora import annotations, answers, judgments, seconds, sides
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Segment
from test_uncertainty import DIFFERENT, RIGHT, UNSURE, covered, scored

import segjudge
from segjudge.annotations import Annotations
from segjudge.errors import UsageError
from segjudge.judgments import Judgment
from segjudge.report.comparison import ComparisonReport, Difference

METRICS = ("psj", "semantic_f1@0.5", "segmentation_f1@0.5")
#: Seconds right of 10 by another system: loses a and b, wins c, ties d.
OTHER = {"a": 0, "b": 8, "c": 6, "d": 8}


def system(right: dict[str, int]) -> list[Segment]:
    return covered(right)[1]


def compared(left: Any, *systems: Any, said: Any = DIFFERENT, **options: Any) -> ComparisonReport:
    ids = sorted({s.episode for s in left})
    fields = options.pop("fields", {})
    sides_ = [s if isinstance(s, Annotations) else annotations(s, ids) for s in systems]
    names = [chr(65 + i) for i in range(len(systems))]
    options = {"metrics": ["psj"], "judgments": said, "names": names, **options}
    return segjudge.compare(annotations(left, ids, **fields), *sides_, **options)


def only(report: ComparisonReport, form: str = "all") -> Difference:
    (found,) = report.forms[form].differences
    return found


def codes(report: ComparisonReport) -> dict[str, Any]:
    return {item.code: item for item in report.findings}


def test_a_difference_by_hand() -> None:
    report = compared(covered()[0], system(RIGHT), system(OTHER))
    found = only(report)
    assert found.value == pytest.approx(2.4 / 4 - 2.2 / 4)
    assert (found.metric, found.a, found.b) == ("psj", "A", "B")
    assert (found.wins, found.losses, found.ties) == (2, 1, 1)
    assert (found.sign_p, found.sign_p_floor) == (1.0, 0.25)
    # 95 % of 4 clusters is all that they can give: from -0.1, c alone, to 0.2, a alone.
    assert (found.ci_low, found.ci_high) == pytest.approx((-0.1, 0.2))
    assert found.ci_clusters == 4
    assert report.forms["all"].systems["A"]["psj"]["value"] == pytest.approx(0.6)
    assert report.forms["all"].title == "All 4 episodes of the reference, which every system has"
    assert list(report.forms) == ["all"]
    assert ComparisonReport.model_validate_json(report.to_json()) == report


def test_an_interval_and_p_against_every_index_set() -> None:
    """4**4 sets of clusters, each as likely as the next; p is counted, then widened for 4."""
    report = compared(covered()[0], system(RIGHT), system(OTHER), level=0.5, resamples=40_000)
    apart = np.array([(RIGHT[e] - OTHER[e]) / 10 for e in "abcd"])
    drawn = np.array([apart[list(rows)].mean() for rows in product(range(4), repeat=4)])
    tail = 0.18856
    found = only(report)
    assert (found.ci_low, found.ci_high) == pytest.approx(
        np.quantile(drawn, [tail, 1 - tail]), abs=0.011
    )
    from scipy import stats

    share = (drawn <= 1e-9).mean()
    widened = stats.t.cdf(stats.norm.ppf(share) * (3 / 4) ** 0.5, 3)
    assert found.p == pytest.approx(2 * widened, abs=0.02)


def test_clusters_are_what_wins_and_loses() -> None:
    fields = {"family": ("x", "y", "y", "x")}
    left = covered()[0]
    found = only(compared(left, system(RIGHT), system(OTHER), cluster="family", fields=fields))
    # x: (2 + 8) - (0 + 8) of 20 s; y: (9 + 5) - (8 + 6) of 20 s.
    assert (found.wins, found.losses, found.ties) == (1, 0, 1)
    assert (found.ci_low, found.ci_high) == pytest.approx((0.0, 0.1))


@given(sides(most=8), answers([(1, 1), (0, 0), (-1, -1)]))
@settings(max_examples=40)
def test_a_system_never_differs_from_itself(right, judged):
    left = [s for e in "abé" for s in seconds((0, 2, "pour"), episode=e)]
    report = compared(
        left, right, list(right), said=judgments(judged), metrics=METRICS, resamples=100
    )
    for form in report.forms.values():
        for each in form.differences:
            assert each.value == each.low == each.high == each.ci_low == each.ci_high == 0
            assert (each.p, each.sign_p, each.wins, each.losses) == (1, 1, 0, 0)
            assert each.p_holm == 1
    assert report.without_value() == []


@given(sides(), sides(), sides(), answers())
@settings(max_examples=40)
def test_changing_sides_negates(left, one, other, judged):
    left = [*left, *(s for e in "abé" for s in seconds((0, 2, "pour"), episode=e))]
    options = {"said": judgments(judged), "metrics": METRICS, "resamples": 200}
    forth = compared(left, one, other, **options).forms["all"].differences
    back = compared(left, other, one, **options).forms["all"].differences
    for ours, theirs in zip(forth, back, strict=True):
        assert ours.value == -theirs.value
        assert (ours.ci_low, ours.ci_high) == pytest.approx((-theirs.ci_high, -theirs.ci_low))
        assert (ours.wins, ours.losses, ours.ties) == (theirs.losses, theirs.wins, theirs.ties)
        assert (ours.p, ours.p_holm) == pytest.approx((theirs.p, theirs.p_holm))
        assert ours.sign_p == theirs.sign_p
        assert ours.ci_low <= ours.value <= ours.ci_high or ours.ci_clusters < 3


@given(sides(), sides(), sides(), answers(), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_the_order_of_episodes_changes_nothing(left, one, other, judged, random):
    left = [*left, *(s for e in "abé" for s in seconds((0, 2, "pour"), episode=e))]
    options = {"said": judgments(judged), "metrics": METRICS, "resamples": 100}
    whole = compared(left, one, other, **options)
    for each in (left, one, other):
        random.shuffle(each)
    turned = [annotations(each, ["é", "b", "a"]) for each in (one, other)]
    assert compared(left, *turned, **options).forms == whole.forms


@given(sides(most=8, tracks=("",)), sides(most=8, tracks=("",)), UNSURE)
@settings(max_examples=40)
def test_bounds_hold_the_difference_of_every_completion(one, other, judged):
    left = [s for e in "abé" for s in seconds((0, 1, "pour"), (1, 2, "stir"), episode=e)]
    options = {"metrics": ["psj", "semantic_f1@0.5"], "resamples": 100}
    hull = compared(left, one, other, said=judgments(judged), **options).forms["all"]
    unknown = sorted((p for p, both in judged.items() if both == (-1, -1)), key=sorted)
    for even, odd in product((0, 1), repeat=2):
        complete = judged | dict.fromkeys(unknown[::2], (even, even))
        complete |= dict.fromkeys(unknown[1::2], (odd, odd))
        whole = compared(left, one, other, said=judgments(complete), **options).forms["all"]
        for bounds, own in zip(hull.differences, whole.differences, strict=True):
            assert bounds.low <= own.value <= bounds.high
            assert bounds.ci_low <= own.ci_low
            assert own.ci_high <= bounds.ci_high
            assert (bounds.p is None) == (bounds.value is None) == (bounds.wins is None)
            if bounds.value is not None:
                assert (bounds.value, bounds.p) == (own.value, own.p)


def test_bounds_by_hand() -> None:
    """Nothing is known of "stir" for "pour": A is 0.6 to 1, B is 0.55 to 1."""
    report = compared(covered()[0], system(RIGHT), system(OTHER), said=())
    found = only(report)
    assert (found.value, found.p, found.p_holm, found.wins) == (None, None, None, None)
    assert (found.low, found.high) == pytest.approx((0.6 - 1, 1 - 0.55))
    assert found.reason == "undecided pairs"
    assert report.without_value() == ["psj"]


def test_holm_is_over_all_pairs_and_metrics() -> None:
    rng = np.random.default_rng(4)
    episodes = [f"e{i:02}" for i in range(20)]
    rights = [
        {e: int(min(10, max(1, rng.integers(1, 8) + shift))) for e in episodes}
        for shift in (0, 1, 3)
    ]
    metrics = ["psj", "semantic_f1@0.5"]
    report = compared(covered(rights[0])[0], *map(system, rights), metrics=metrics, resamples=2_000)
    found = report.forms["all"].differences
    assert [(d.metric, d.a + d.b) for d in found] == [
        (metric, pair) for metric in metrics for pair in ("AB", "AC", "BC")
    ]
    order = sorted(found, key=lambda each: each.p)
    largest = 0.0
    for i, each in enumerate(order):
        largest = max(largest, min(1.0, (6 - i) * each.p))
        assert each.p_holm == pytest.approx(largest)
    assert len({each.p for each in found}) > 3


def test_an_undecided_difference_counts_in_the_family() -> None:
    episodes = [f"{i:02}" for i in range(12)]
    left = [s for e in episodes for s in seconds((0, 10, "pour"), episode=e)]
    whole = [s for e in episodes for s in seconds((0, 10, "stir"), episode=e)]
    thirds = [s for e in episodes for s in seconds((0, 3, "stir"), (3, 6, "stir"), episode=e)]
    report = compared(left, whole, thirds, said=(), metrics=METRICS)
    by_metric = {d.metric: d for d in report.forms["all"].differences}
    assert by_metric["psj"].p is None
    sure = by_metric["segmentation_f1@0.5"]
    assert sure.p == pytest.approx(sure.p_floor)
    assert sure.p_holm == pytest.approx(3 * sure.p)
    assert sure.p_holm < 0.05


def failing(side: Annotations, *names: str) -> Annotations:
    failed = np.array([name in names for name in side.episodes])
    return replace(side, table=replace(side.table, failed=failed))


def test_a_missing_episode_is_scored_as_empty_and_left_out_of_the_common_form() -> None:
    left = covered()[0]
    without = {k: v for k, v in RIGHT.items() if k != "d"}
    lacking = annotations(system(without), sorted(without))
    report = compared(left, lacking, failing(annotations(system(OTHER), list("abcd")), "a"))
    everything, common = report.forms["all"], report.forms["common"]
    assert (everything.episodes, common.episodes) == (4, 2)
    assert common.title.startswith("The 2 of 4 episodes that every system has, as published")
    # d is missing from A: 10 s of reference, none of prediction.
    assert everything.systems["A"]["psj"]["value"] == pytest.approx(2 * 16 / 70)
    assert only(report, "common").value == pytest.approx((9 + 5 - 8 - 6) / 20)
    alone = compared(left, system(RIGHT), system(OTHER), episodes=["b", "c"])
    assert only(report, "common") == only(alone)
    a, b = (report.systems[name] for name in "AB")
    assert (a.episodes, a.missing, a.failed) == (3, 1, 0)
    assert (b.episodes, b.missing, b.failed) == (3, 0, 1)
    assert codes(report)["missing_episodes"].side == "A"


def test_no_common_episode_is_said() -> None:
    left = covered({"a": 5, "b": 5})[0]
    one, other = (annotations(system({name: 5}), [name]) for name in "ab")
    report = compared(left, one, other)
    assert list(report.forms) == ["all"]
    assert "nothing_common" in codes(report)


def test_a_single_cluster_gives_no_interval_and_no_p() -> None:
    report = compared(covered({"a": 5})[0], system({"a": 5}), system({"a": 2}))
    found = only(report)
    assert (found.ci_low, found.p, found.p_holm) == (None, None, None)
    assert found.value == pytest.approx(0.3)
    assert found.reason == "fewer than 2 clusters with a value: 1"
    assert [code for code in codes(report) if code.startswith("few")] == ["few_clusters"]
    assert report.forms["all"].title == "The only episode of the reference, which every system has"
    text = report.to_markdown()
    one = "fewer than 2 clusters with a value: 1."
    assert f"\nNo interval for psj of A, psj of B: {one}\n" in text
    assert f"\nNo interval and no p for psj of A - B: {one}\n" in text
    assert "resamples" not in text
    assert "- Wins, losses and ties count episodes.\n" in text
    open_pairs = compared(covered({"a": 5})[0], system({"a": 5}), system({"a": 2}), said=())
    assert only(open_pairs).reason == f"undecided pairs; {one[:-1]}"
    assert open_pairs.without_value() == ["psj"]


def test_a_missing_p_has_its_reason_in_the_tables() -> None:
    report = compared(covered()[0], *[system(RIGHT), system(OTHER)] * 2, said=())
    text = report.to_markdown()
    assert (
        "\nNo p for psj of A - B, psj of A - D, psj of B - C, psj of C - D: undecided pairs.\n"
        in text
    )
    assert "10000 resamples of 4 episodes" in text
    more = compared(covered()[0], *[system(RIGHT), system(OTHER)] * 3, said=()).to_markdown()
    assert " and 5 more: undecided pairs." in more


def test_the_only_episode_may_be_missing() -> None:
    lacking = annotations([], [])
    report = compared(covered({"a": 5})[0], system({"a": 5}), lacking)
    assert report.forms["all"].title.endswith("lacks it or calls it failed is scored as empty")


@pytest.mark.parametrize(
    ("episodes", "others", "words"),
    [
        (4, 1, "can't be below 0.12, so it can find no difference;"),
        (6, 1, "can't be below 0.031; a bootstrap p"),
        (6, 2, "can't be below 0.031, and 0.094 with Holm's correction, so it can find no"),
        (9, 2, "can't be below 0.0039; a bootstrap p"),
        (10, 1, ""),
    ],
)
def test_few_clusters_in_words(episodes: int, others: int, words: str) -> None:
    rights = [dict.fromkeys(map(str, range(episodes)), 3 + i) for i in range(others + 1)]
    report = compared(covered(rights[0])[0], *map(system, rights))
    found = codes(report).get("few_clusters_to_compare")
    assert (found is not None) == bool(words)
    assert found is None or words in found.message


def test_too_few_resamples_for_holm_are_said() -> None:
    rights = [{f"{i:02}": 3 + k for i in range(40)} for k in range(3)]
    report = compared(covered(rights[0])[0], *map(system, rights), resamples=100)
    assert "more --resamples are needed" in codes(report)["few_resamples"].message
    enough = compared(covered(rights[0])[0], *map(system, rights), resamples=2_000)
    assert "few_resamples" not in codes(enough)


def line(a: str, b: str, verdict: str, judge: str = "m", **extra: Any) -> Judgment:
    return Judgment(label_a=a, label_b=b, verdict=verdict, judge=judge, **extra)


def test_different_judges_are_said_and_who_decided_how_many() -> None:
    left = covered()[0]
    washed = [s._replace(label="wash") if s.label == "stir" else s for s in system(OTHER)]
    said = [
        line("pour", "stir", "different", "one", prompt="relation@1"),
        line("pour", "wash", "different", "two", prompt="relation@1"),
    ]
    report = compared(left, system(RIGHT), washed, said=said, mix=True)
    assert codes(report)["judged_apart"].places == (
        "A: 1 pair by one with relation@1",
        "B: 1 pair by two with relation@1",
    )
    assert report.systems["B"].judge.id == "two"
    assert report.systems["B"].judge.pairs.needed == 2
    same = compared(left, system(RIGHT), system(OTHER), said=said[:1])
    assert "judged_apart" not in codes(same)
    prompts = [said[0], line("pour", "wash", "different", "one", prompt="same-event@1")]
    assert "judged_apart" in codes(compared(left, system(RIGHT), washed, said=prompts, mix=True))


def test_a_difference_within_the_judge_s_noise() -> None:
    """Run 2 takes "stir" for "pour": A goes from 0.6 to 1, B has "wash" and stays."""
    left = covered()[0]
    washed = [s._replace(label="wash") if s.label == "stir" else s for s in system(OTHER)]
    said = [
        line("pour", "stir", "different"),
        line("pour", "wash", "different"),
        line("pour", "stir", "same", run=2),
        line("pour", "wash", "different", run=2),
    ]
    report = compared(left, system(RIGHT), washed, said=said, noise_runs=[1, 2])
    found = only(report)
    assert found.value == pytest.approx(0.05)
    assert found.judge_noise == pytest.approx(0.4)
    assert found.within_noise is True
    assert codes(report)["within_judge_noise"].places == (
        "psj, A - B: +0.0500, judge noise 0.4000",
    )
    assert report.options["noise_runs"] == [1, 2]
    quiet = [*said[:2], line("pour", "stir", "different", run=2), said[3]]
    report = compared(left, system(RIGHT), washed, said=quiet, noise_runs=[2, 1])
    assert (only(report).judge_noise, only(report).within_noise) == (0.0, False)
    assert "within_judge_noise" not in codes(report)


def test_noise_counts_a_change_of_both_that_cancels() -> None:
    """Both go up by 0.4 and 0.45: their difference changes by 0.05, the figures by more."""
    said = [line("pour", "stir", "different"), line("pour", "stir", "same", run=3)]
    report = compared(covered()[0], system(RIGHT), system(OTHER), said=said, noise_runs=[1, 3])
    assert only(report).judge_noise == pytest.approx(0.45)


def test_a_run_that_leaves_pairs_open_measures_nothing() -> None:
    left = covered()[0]
    washed = [s._replace(label="wash") if s.label == "stir" else s for s in system(OTHER)]
    said = [
        line("pour", "stir", "different"),
        line("pour", "wash", "different"),
        line("pour", "stir", "same", run=2),
    ]
    report = compared(left, system(RIGHT), washed, said=said, noise_runs=[1, 2])
    assert (only(report).judge_noise, only(report).within_noise) == (None, None)
    assert codes(report)["noise_undecided"].message.startswith("run 2 leaves 1 of 3 label pairs")
    assert codes(report)["noise_unknown"].message.endswith("unknown for psj")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"noise_runs": [1, 2]}, "no judgments of run 2; there are of 1"),
        ({"noise_runs": [1]}, "two runs or more"),
        ({"noise_runs": [1, 1]}, "two runs or more"),
        ({"leave_out_failed": True}, "already gives"),
        ({"stream": "study"}, "episode by episode"),
        ({"names": ["A"]}, "2 systems need as many different names, not 'A'$"),
        ({"names": ["A", "A"]}, "different names"),
        ({"names": ["A", ""]}, "different names"),
        ({"cluster": "kitchen"}, "no field 'kitchen'"),
    ],
)
def test_options_that_cant_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        compared(covered()[0], system(RIGHT), system(OTHER), **options)


def test_one_system_is_no_comparison() -> None:
    with pytest.raises(UsageError, match="two systems or more"):
        compared(covered()[0], system(RIGHT))


def test_figures_are_those_of_a_score() -> None:
    """The same value and interval as `score` gives each system alone."""
    report = compared(covered()[0], system(RIGHT), system(OTHER), metrics=METRICS)
    alone = scored(*covered(), DIFFERENT, ci=True)
    assert report.forms["all"].systems["A"] == alone.metrics


def test_markdown_keeps_names_in_their_cells() -> None:
    report = compared(
        covered()[0], system(RIGHT), system(OTHER), names=["a|b\n", "<i>*x*"], said=()
    )
    lines = report.to_markdown().splitlines()
    assert lines[2] == r"| metric | a\|b\\n | \<i\>\*x\* |"
    assert {line.count(" | ") for line in lines[2:5]} == {2}
    assert all(line.count("|") - line.count("\\|") == 11 for line in lines[6:9])
