"""The timing study's intervals and p, to their digits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segjudge.statistics import (
    Contrast,
    Resampling,
    holm,
    interval,
    paired_differences,
    ratio_intervals,
    resample,
    sign_test,
    variance_components,
)

VECTORS = Path(__file__).resolve().parents[2] / ".." / "shared" / "vectors" / "timing_study.json"

needs_vectors = pytest.mark.skipif(not VECTORS.exists(), reason="the shared vectors aren't here")


def case(name: str) -> dict[str, Any]:
    cases = json.loads(VECTORS.read_text(encoding="utf-8"))
    found: dict[str, Any] = next(each for each in cases if each["id"] == name)
    return found


def columns(by: dict[str, list[float]]) -> tuple[list[float], list[float], list[int]]:
    """Return values, ones and clusters, clusters numbered in the order of their names."""
    rows = [(value, g) for g, name in enumerate(sorted(by)) for value in by[name]]
    return [value for value, _ in rows], [1.0] * len(rows), [g for _, g in rows]


def compared(by: dict[str, list[float]], resamples: int, seed: int, level: float) -> Contrast:
    values, ones, clusters = columns(by)
    how = Resampling(resamples, seed, 2, "cluster", "study")
    zeros = [0.0] * len(values)
    found = paired_differences(
        values, ones, zeros, ones, clusters, level=level, method="bc", how=how
    )
    return found[0]


@needs_vectors
@pytest.mark.parametrize("name", ["BST1", "BST2", "BST3", "BST4", "BST5"])
def test_intervals_of_the_study(name: str) -> None:
    given, expected = case(name)["input"], case(name)["expected"]
    values, ones, clusters = columns(given["by"])
    how = Resampling(given["n_boot"], given["seed"], 2, "cluster", "study")
    draws = resample(values, ones, clusters, how)
    single = interval(draws, method="bc")
    assert (single.value, single.low, single.high) == (
        expected["point"],
        expected["low"],
        expected["high"],
    )
    drawn, point = draws.values[:, 0, 0], expected["point"]
    below = ((drawn < point).sum() + (drawn == point).sum() / 2) / len(drawn)
    assert below == expected["fraction_below"]
    assert ratio_intervals(values, ones, clusters, method="bc", how=how) == [single]
    paired = compared(given["by"], given["n_boot"], given["seed"], 0.95)
    assert paired.difference == single
    assert paired.p == expected["p_paired"]
    assert paired.p_floor == 1 / given["n_boot"]


@needs_vectors
def test_sign_test_of_the_study() -> None:
    given = case("SGN")
    assert [sign_test(*each).p for each in given["input"]] == given["expected"]


@needs_vectors
def test_holm_of_the_study() -> None:
    given = case("HLM")
    for p, expected in zip(given["input"], given["expected"], strict=True):
        adjusted = dict(zip(p, holm(list(p.values())).tolist(), strict=True))
        assert adjusted == expected


@needs_vectors
def test_variance_components_of_the_study() -> None:
    given = case("VAR")
    values: list[float] = []
    clusters: list[int] = []
    families: list[int] = []
    for family, components in enumerate(given["input"].values()):
        for component in components.values():
            values += component
            clusters += [max(clusters, default=-1) + 1] * len(component)
            families += [family] * len(component)
    found = variance_components(values, clusters, families)
    expected = given["expected"]
    assert (found.family, found.cluster, found.episode, found.icc_family) == pytest.approx(
        (
            expected["var_family"],
            expected["var_component"],
            expected["var_episode"],
            expected["icc_family"],
        ),
        rel=1e-14,
    )
    assert (found.icc_cluster, found.kish, found.design_effect, found.effective_episodes) == (
        pytest.approx(
            (expected["icc_component"], expected["kish"], expected["deff"], expected["neff"]),
            rel=1e-14,
        )
    )


# What the study's own tests hold (`reference/timing_study.md`, section 8, rows 26 to 29).


def test_one_cluster_has_the_study_s_interval() -> None:
    found = compared({"d": [-1.0, 1.0]}, 4_000, 3, 0.6).difference
    assert (found.low, found.high) == (-1.0, 1.0)


def test_ties_need_compensated_sums() -> None:
    found = compared({"d": [-0.2] * 3 + [0.2] * 3}, 4_000, 13, 0.9).difference
    assert found.low == pytest.approx(-0.4 / 3, abs=1e-12)
    assert found.high == pytest.approx(0.4 / 3, abs=1e-12)


def test_zeros_have_p_1() -> None:
    found = compared({"a": [0.0, 0.0], "b": [0.0]}, 100, 23, 0.95)
    assert (found.difference.low, found.difference.high, found.p) == (0.0, 0.0, 1.0)


def test_four_clusters_that_agree_reach_the_floor_of_p_but_not_of_the_sign_test() -> None:
    by = {
        "t1": [0.05, 0.15, 0.10],
        "t2": [0.2, 0.3],
        "t3": [-0.02, 0.04, 0.01, 0.05],
        "t4": [0.1, 0.1],
    }
    found = compared(by, 10_000, 23, 0.95)
    assert found.difference.low == pytest.approx(0.0458333, abs=1e-6)
    assert found.difference.high == 0.21375
    assert found.p == found.p_floor == 0.0001
    assert found.sign.p == found.sign.p_floor == 0.125


def test_pooled_weight_and_missing_values() -> None:
    how = Resampling(300, 1, 2, "episode", "study")
    draws = resample([1.0, 0.0, 2.0], [2.0, 0.0, 3.0], [0, 1, 2], how)
    assert draws.value[0, 0] == 0.6
    missing = int(np.isnan(draws.values).sum())
    assert 0 < missing < 40
    assert interval(draws, method="bc").dropped == missing
    equal = Resampling(300, 1, 2, "cluster", "study")
    assert resample([1.0, 0.0, 2.0], [2.0, 0.0, 4.0], [0, 1, 2], equal).value[0, 0] == 0.5


def test_episodes_without_clusters_have_no_interval() -> None:
    how = Resampling(5, 1, 2, "cluster", "study")
    nothing = np.empty(0)
    found = paired_differences(nothing, nothing, nothing, nothing, np.empty(0, dtype=int), how=how)
    assert found[0].p is None
    assert found[0].difference.reason == "the denominator is 0"


def test_what_the_study_s_stream_refuses() -> None:
    how = Resampling(10, 1, 2, "cluster", "study")
    with pytest.raises(ValueError, match="no bca"):
        ratio_intervals([1.0, 2], [1.0, 1], [0, 1], method="bca", how=how)
    with pytest.raises(ValueError, match="same denominators"):
        paired_differences([1, 2], [1, 1], [1, 2], [2, 1], [0, 1], how=how)
