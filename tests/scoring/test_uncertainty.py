"""Intervals of a report's figures."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from corpora import annotations, answers, judgments, seconds, sides
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Segment

import segjudge
from segjudge.errors import UsageError
from segjudge.report import Report
from segjudge.statistics import Resampling, ratio_intervals

METRICS = ("psj", "semantic_f1@0.5", "segmentation_f1@0.5")
FEW = {"ci": True, "resamples": 200}
UNSURE = answers([(1, 1), (1, 0), (0, 0), (-1, -1)])

#: Seconds right of 10 a prediction covers: psj is right / 10 in each episode, pooled the mean.
RIGHT = {"a": 2, "b": 9, "c": 5, "d": 8}


def covered(right: dict[str, int] = RIGHT) -> tuple[list[Segment], list[Segment]]:
    """Episodes of 10 s in both files, of which some seconds have the right label."""
    reference, prediction = [], []
    for name, s in right.items():
        reference += seconds((0, 10, "pour"), episode=name)
        prediction += seconds((0, s, "pour"), (s, 10, "stir"), episode=name)
    return reference, prediction


def scored(left: Any, right: Any, said: Any = (), **options: Any) -> Report:
    ids = sorted({s.episode for s in left})
    fields = options.pop("fields", {})
    options = {"metrics": METRICS, "judgments": said, **options}
    return segjudge.score(annotations(left, ids, **fields), annotations(right, ids), **options)


def ends(figures: dict[str, Any]) -> tuple[Any, Any]:
    return figures["ci_low"], figures["ci_high"]


DIFFERENT = judgments({frozenset(("pour", "stir")): (0, 0)})


def test_a_resample_recomputes_the_ratio_of_sums() -> None:
    """Against all 4**4 index sets, each as likely as the next, at a level without long tails."""
    report = scored(
        *covered(), DIFFERENT, ci=True, level=0.5, resamples=40_000, metrics=["psj", "psj_same"]
    )
    parts = [figures["psj"] for figures in report.by_episode.values()]
    sums = np.array([(f["numerator_s"], f["denominator_s"]) for f in parts])
    drawn = [sums[list(rows)].sum(axis=0) for rows in product(range(4), repeat=4)]
    # 25 % to either side, widened for 4 clusters: t of 3 degrees, times sqrt(4 / 3).
    tail = 0.18856
    low, high = np.quantile([top / bottom for top, bottom in drawn], [tail, 1 - tail])
    assert ends(report.metrics["psj"]) == pytest.approx((low, high), abs=0.011)
    assert ends(report.metrics["psj"]) == ends(report.metrics["psj_same"])


def test_two_clusters_reach_from_one_to_the_other() -> None:
    """Of 2 clusters an interval of 95 % is all there is: each alone."""
    fields = {"family": ("x", "y", "y", "x")}
    report = scored(*covered(), DIFFERENT, ci=True, cluster="family", fields=fields)
    figures = report.metrics["psj"]
    assert ends(figures) == pytest.approx(((0.2 + 0.8) / 2, (0.9 + 0.5) / 2))
    assert (figures["ci_level"], figures["ci_clusters"]) == (0.95, 2)
    assert "ci_reason" not in figures


def test_a_long_episode_weighs_as_much_as_it_holds() -> None:
    """Not the mean of ratios: an episode of 1 s that is all wrong barely counts."""
    right = {f"e{i:02}": 9 for i in range(30)}
    left, found = covered(right)
    left += [s for i in range(5) for s in seconds((0, 0.001, "pour"), episode=f"z{i}")]
    low, high = ends(scored(left, found, DIFFERENT, ci=True).metrics["psj"])
    assert low == pytest.approx(0.9, abs=0.001)
    assert high == pytest.approx(0.9, abs=0.001)


@given(sides(most=10), sides(most=10), answers(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_neither_order_nor_company_changes_an_interval(left, right, judged, random):
    said = judgments(judged)
    left = [*left, *seconds((0, 1, "pour"), episode="a")]
    right = [s for s in right if s.episode in {t.episode for t in left}]
    whole = scored(left, right, said, **FEW)
    random.shuffle(left)
    random.shuffle(right)
    ids = sorted({s.episode for s in left}, reverse=True)
    turned = segjudge.score(
        annotations(left, ids), annotations(right, ids), judgments=said, metrics=METRICS, **FEW
    )
    for metric in METRICS:
        assert turned.metrics[metric] == whole.metrics[metric]
        alone = scored(left, right, said, **(FEW | {"metrics": [metric]}))
        assert alone.metrics[metric] == whole.metrics[metric]


@given(sides(most=10, tracks=("",)), sides(most=10, tracks=("",)), UNSURE)
@settings(max_examples=60)
def test_an_interval_of_bounds_holds_that_of_every_completion(left, right, judged):
    left = [*left, *(s for e in "bé" for s in seconds((0, 1, "pour"), episode=e))]
    right = [s for s in right if s.episode in {t.episode for t in left}]
    options = FEW | {"metrics": ["psj", "semantic_f1@0.5"]}
    hull = scored(left, right, judgments(judged), **options).metrics
    unknown = [pair for pair, both in judged.items() if both == (-1, -1)]
    reached: dict[str, list[Any]] = {name: [] for name in hull}
    for even, odd in ((0, 0), (1, 1), (1, 0), (0, 1)):
        complete = judged | dict.fromkeys(unknown[::2], (even, even))
        complete |= dict.fromkeys(unknown[1::2], (odd, odd))
        for name, figures in scored(left, right, judgments(complete), **options).metrics.items():
            reached[name].append(ends(figures))
    for name, figures in hull.items():
        low, high = ends(figures)
        assert low == min(one for one, _ in reached[name])
        assert high == max(other for _, other in reached[name])


def test_a_group_is_as_sure_as_it_would_be_alone() -> None:
    fields = {"family": ("x", "y", "x", "x")}
    together = scored(*covered(), DIFFERENT, by=["family"], fields=fields, **FEW)
    alone = scored(*covered({k: RIGHT[k] for k in "acd"}), DIFFERENT, **FEW)
    own = together.by_group["family"]["x"]
    for metric in METRICS:
        assert ends(own[metric]) == ends(alone.metrics[metric])
    single = together.by_group["family"]["y"]["psj"]
    assert ends(single) == (None, None)
    assert single["ci_reason"] == "fewer than 2 clusters with a value: 1"
    found = {f.code: f for f in together.findings}
    assert found["few_clusters"].message.startswith("there are only 4 episodes: an interval can't")
    assert "hold the truth 88 % of the time at best" in found["few_clusters"].message
    assert found["few_clusters_in_groups"].places == ("family 'x'", "family 'y'")


@pytest.mark.parametrize("options", [{"stages": 2}, {"stream": "study"}])
def test_two_stages_reach_beyond_the_clusters_so_nothing_else_is_said(options: Any) -> None:
    """Episodes of one family are drawn again: x is 0.1 to 0.9, though each family is 0.5."""
    left, right = covered({"a": 1, "b": 9, "c": 1, "d": 9})
    fields = {"family": ("x", "x", "y", "y")}
    report = scored(left, right, DIFFERENT, ci=True, cluster="family", fields=fields, **options)
    low, high = ends(report.metrics["psj"])
    assert low < 0.5 < high
    message = {f.code: f for f in report.findings}["few_clusters"].message
    assert message.startswith("there are only 2 clusters by 'family': an interval from fewer")
    assert "reach beyond" not in message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "1 episode"),
        ({"cluster": "family", "fields": {"family": "x"}}, "1 cluster by 'family'"),
    ],
)
def test_one_cluster_says_nothing_of_others(options: Any, words: str) -> None:
    report = scored(*covered({"a": 5}), DIFFERENT, ci=True, **options)
    message = {f.code: f for f in report.findings}["few_clusters"].message
    assert message == f"there is only {words}: one cluster says nothing about others"
    (found,) = (f for f in report.findings if f.code == "no_interval")
    assert found.count == len(METRICS)
    assert found.message == (
        f"no interval of {', '.join(METRICS)}: fewer than 2 clusters with a value: 1"
    )


@pytest.mark.parametrize("names", [{"by": ["tags"]}, {"cluster": "tags"}, None])
def test_values_that_are_no_text_are_named_as_json(names: Any) -> None:
    fields = {"tags": (["a", "é"], {"b": None}, True, 2)}
    options = {"by": ["tags"], "cluster": "tags"} if names is None else names
    report = scored(*covered(), DIFFERENT, ci=True, fields=fields, **options)
    (found,) = (f for f in report.findings if f.code == "nested_field")
    assert found.message == (
        "'tags' holds lists or objects in 2 episodes; each is taken whole, as its JSON"
    )
    if "by" in options:
        assert list(report.by_group["tags"]) == ["2", '["a", "é"]', "true", '{"b": null}']


def test_a_track_has_an_interval_of_its_own() -> None:
    left, right = covered()
    left += [s._replace(track="left") for s in left]
    right += [s._replace(track="left") for s in covered(dict.fromkeys(RIGHT, 10))[1]]
    report = scored(left, right, DIFFERENT, by=["track"], ci=True)
    tracks = report.by_group["track"]
    assert ends(tracks["left"]["psj"]) == (1.0, 1.0)
    assert ends(tracks[""]["psj"]) == ends(scored(*covered(), DIFFERENT, ci=True).metrics["psj"])


def test_episodes_without_a_cluster_are_each_their_own() -> None:
    fields = {"family": ("x", "", "x", None)}
    report = scored(*covered(), DIFFERENT, ci=True, cluster="family", fields=fields)
    assert report.metrics["psj"]["ci_clusters"] == 3
    found = {f.code: f for f in report.findings}["no_cluster"]
    assert (found.count, found.places) == (2, ("episode 'b'", "episode 'd'"))


def test_the_report_says_how() -> None:
    report = scored(*covered(), DIFFERENT, ci=True, resamples=177, ci_seed=5, level=0.8)
    assert report.options["ci"] == {
        "cluster": "episode",
        "level": 0.8,
        "method": "percentile",
        "widened_for_few_clusters": True,
        "resamples": 177,
        "seed": 5,
        "stages": 1,
        "stream": "pcg64",
    }
    assert Report.from_json(report.to_json()).metrics == report.metrics
    without = scored(*covered(), DIFFERENT)
    assert "ci" not in without.options
    assert "ci_low" not in without.metrics["psj"]


def test_the_study_s_stream_comes_through() -> None:
    report = scored(*covered(), DIFFERENT, ci=True, stream="study", ci_method="bc", ci_seed=17)
    how = Resampling(10_000, 17, 2, stream="study")
    rows = np.array([[2.0 * s, 20.0] for s in RIGHT.values()])
    (wanted,) = ratio_intervals(rows[:, 0], rows[:, 1], np.arange(4), method="bc", how=how)
    assert ends(report.metrics["psj"]) == (wanted.low, wanted.high)
    assert report.options["ci"]["stages"] == 2
    assert report.options["ci"]["widened_for_few_clusters"] is False


@pytest.mark.parametrize(
    ("level", "resamples", "words"),
    [
        (0.95, 200, ""),
        (0.95, 199, "5 are beyond each end of an interval of 95 %, .* needs 200 --resamples"),
        (0.9, 100, ""),
        (0.9999, 10_000, "0.5 are beyond each end of an interval of 99.99 %, .* needs 100000 "),
        (0.999, 10_000, ""),
    ],
)
def test_a_level_too_fine_for_the_resamples_is_said(level: float, resamples: int, words: str):
    report = scored(*covered(), DIFFERENT, ci=True, level=level, resamples=resamples)
    said = [f.message for f in report.findings if f.code == "coarse_interval"]
    assert len(said) == bool(words)
    assert all(re.search(words, text) for text in said)


def test_bins_have_intervals_and_say_what_is_outside() -> None:
    report = scored(*covered(), DIFFERENT, ci=True, bins="0,4,10", metrics=["psj"])
    recall = report.by_length["psj"]["reference"]
    assert [b["segments"] for b in recall] == [0, 0]
    assert [b["value"] for b in recall] == [None, None]
    assert [b["reason"] for b in recall] == ["the denominator is 0"] * 2
    short, long = report.by_length["psj"]["prediction"]
    # 2 s right of a, 1 s wrong of b, 2 s wrong of d; 8 s wrong of a, 9, 5 + 5, 8 s of the others.
    assert (short["segments"], short["numerator_s"], short["denominator_s"]) == (3, 2.0, 5.0)
    assert (long["segments"], long["numerator_s"], long["denominator_s"]) == (5, 22.0, 35.0)
    assert (short["from_s"], short["to_s"], short["value"]) == (0.0, 4.0, 0.4)
    rows = np.array([[2, 2], [0, 1], [0, 0], [0, 2]])
    (wanted,) = ratio_intervals(rows[:, 0], rows[:, 1], np.arange(4))
    assert ends(short) == (wanted.low, wanted.high)
    assert short["ci_clusters"] == 3
    found = {(f.code, f.side): f for f in report.findings}[("outside_bins", "reference")]
    assert found.message == "4 of 4 segments are in no bin of length"


def test_undecided_bins_have_bounds_only_where_bounds_hold() -> None:
    report = scored(
        *covered(), bins=[0, 4, float("inf")], metrics=["psj", "semantic_f1@0.5"], ci=True
    )
    recall = report.by_length["psj"]["reference"][1]
    assert (recall["value"], recall["low"], recall["high"]) == (None, 0.6, 1.0)
    assert recall["ci_low"] < 0.6
    assert recall["ci_high"] == 1.0
    assert recall["to_s"] is None
    matched = report.by_length["semantic_f1@0.5"]["reference"][1]
    assert (matched["value"], matched["low"], matched["ci_low"]) == (None, None, None)
    assert "no bounds" in matched["reason"]


def test_an_empty_reference_has_no_interval() -> None:
    report = segjudge.score(annotations([], ["a"]), annotations([], ["a"]), ci=True, bins="0,1")
    assert report.metrics["psj"]["ci_reason"] == "the denominator is 0"
    assert report.by_length["psj"]["reference"][0]["segments"] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cluster": "family"}, "ask for them with --ci"),
        ({"ci": True, "level": 1}, "level must be between 0 and 1"),
        ({"ci": True, "level": float("nan")}, "level"),
        ({"ci": True, "ci_method": "t"}, "percentile, bc or bca"),
        ({"ci": True, "resamples": 0}, "resamples must be at least 100, not 0"),
        ({"ci": True, "resamples": 99}, "resamples must be at least 100, not 99"),
        ({"ci": True, "ci_seed": -1}, "seed must be 0 or more"),
        ({"ci": True, "stages": 3}, "stages must be 1 or 2"),
        ({"ci": True, "stream": "mt"}, "stream must be"),
        ({"ci": True, "stream": "study", "stages": 1}, "stages must be 2"),
        ({"ci": True, "stream": "study", "ci_method": "bca"}, "no bca"),
        ({"ci": True, "cluster": "kitchen"}, "no field 'kitchen'.*they have family"),
        ({"bins": "1,0"}, "bins"),
    ],
)
def test_options_that_cant_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        scored(*covered(), DIFFERENT, fields={"family": "xyxy"}, **options)


def test_an_option_that_is_none() -> None:
    with pytest.raises(TypeError, match="no option 'cis'"):
        scored(*covered(), DIFFERENT, cis=True)
