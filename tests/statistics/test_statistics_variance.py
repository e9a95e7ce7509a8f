"""Variance components by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from segjudge.statistics import variance_components


def test_one_way_by_hand() -> None:
    # within: (2 + 2)/2 = 2; between: 2*(4 + 4)/1 = 16, so (16 - 2)/2 = 7; 7/9
    found = variance_components([1, 3, 5, 7], [0, 0, 1, 1])
    assert (found.episode, found.cluster, found.family) == (2.0, 7.0, None)
    assert found.icc_cluster == pytest.approx(7 / 9, rel=1e-15)
    assert found.icc_family is None
    assert (found.kish, found.design_effect, found.effective_episodes) == pytest.approx(
        (2.0, 16 / 9, 2.25), rel=1e-15
    )
    assert (found.episodes, found.clusters, found.families, found.reason) == (4, 2, 0, "")


def test_nested_by_hand() -> None:
    # within: 8/4 = 2. Cluster means 1, 5 and 9, 21 about 3 and 15: 160/2 = 80, (80 - 2)/2 = 39.
    # Family means 3 and 15 about 9: 288/1, (288 - 80)/4 = 52.
    found = variance_components(
        [0, 2, 4, 6, 8, 10, 20, 22], [5, 5, 6, 6, 7, 7, 8, 8], [1, 1, 1, 1, 2, 2, 2, 2]
    )
    assert (found.episode, found.cluster, found.family) == (2.0, 39.0, 52.0)
    assert found.icc_cluster == pytest.approx(91 / 93, rel=1e-15)
    assert found.icc_family == pytest.approx(52 / 93, rel=1e-15)
    assert found.kish == 4.0
    assert found.design_effect == pytest.approx(1 + 3 * 52 / 93, rel=1e-15)


def test_recovers_what_it_was_made_of() -> None:
    rng = np.random.default_rng(2)
    family = np.repeat(np.arange(300), 20)
    cluster = np.repeat(np.arange(1_500), 4)
    values = rng.normal(size=6_000) + 2 * rng.normal(size=1_500)[cluster]
    values += 3 * rng.normal(size=300)[family]
    found = variance_components(values, cluster, family)
    assert (found.episode, found.cluster, found.family) == pytest.approx((1, 4, 9), rel=0.15)


def test_no_more_alike_than_chance_is_0() -> None:
    found = variance_components([1, 9, 2, 8], [0, 0, 1, 1])
    assert (found.cluster, found.icc_cluster, found.design_effect) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("values", "clusters", "families", "reason"),
    [
        ([1, 2], [0, 0], None, "fewer than 2 clusters"),
        ([1, 2], [0, 1], None, "every cluster has a single episode"),
        ([1, 2, 3], [0, 0, 1], [0, 0, 0], "fewer than 2 families"),
        ([1, 2, 3], [0, 0, 1], [0, 0, 1], "every family has a single cluster"),
        ([1, 1, 1], [0, 0, 1], None, "the values don't vary"),
    ],
)
def test_what_can_t_be_told(values: Any, clusters: Any, families: Any, reason: str) -> None:
    found = variance_components(values, clusters, families)
    assert found.reason == reason
    assert found.icc_cluster is found.design_effect is None


@pytest.mark.parametrize(
    ("values", "clusters", "families", "message"),
    [
        ([], [], None, "at least one"),
        ([1, float("nan")], [0, 1], None, "finite"),
        ([1, 2], [0], None, "an integer for each"),
        ([1, 2], [0.5, 1], None, "an integer for each"),
        ([1, 2, 3, 4], [0, 0, 1, 2], [0, 1, 1, 1], "two families"),
    ],
)
def test_refused(values: Any, clusters: Any, families: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        variance_components(values, clusters, families)
