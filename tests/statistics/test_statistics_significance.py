"""Sign test and Holm against enumeration."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segjudge.statistics import holm, sign_test


@pytest.mark.parametrize("count", range(1, 11))
def test_sign_test_against_every_outcome(count: int) -> None:
    outcomes = [sum(each) for each in product((0, 1), repeat=count)]
    for wins in range(count + 1):
        away = abs(wins - count / 2)
        as_lopsided = sum(abs(each - count / 2) >= away for each in outcomes)
        found = sign_test(wins, count - wins, ties=3)
        assert found.p == pytest.approx(as_lopsided / 2**count, rel=1e-13)
        assert found.p >= found.p_floor == 2 / 2**count


def test_sign_test_without_a_decision() -> None:
    found = sign_test(0, 0, 5)
    assert (found.p, found.p_floor, found.ties) == (1.0, 1.0, 5)
    with pytest.raises(ValueError, match="counts"):
        sign_test(-1, 2)


def closed_test(p: list[float]) -> list[float]:
    """Adjust by closed testing with Bonferroni in every subset, of which Holm is the shortcut."""
    tests = range(len(p))
    subsets = [s for size in range(1, len(p) + 1) for s in combinations(tests, size)]
    return [max(min(1.0, len(s) * min(p[j] for j in s)) for s in subsets if i in s) for i in tests]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_the_closed_test(p: list[float]) -> None:
    assert holm(p).tolist() == pytest.approx(closed_test(p), rel=1e-12, abs=1e-300)


@given(st.lists(st.floats(0, 1), max_size=8), st.integers(0, 5))
def test_holm_keeps_order_and_never_lowers(p: list[float], more: int) -> None:
    adjusted = holm(p, family=len(p) + more).tolist()
    assert all(a >= b for a, b in zip(adjusted, p, strict=True))
    by_p = [a for _, a in sorted(zip(p, adjusted, strict=True))]
    assert by_p == sorted(by_p)


def test_holm_counts_the_tests_that_have_no_p() -> None:
    assert holm([0.01, 0.02], family=24).tolist() == pytest.approx([0.24, 0.46])


def test_holm_refuses() -> None:
    for bad in ([-0.1], [1.1], [float("nan")], [[0.1]]):
        with pytest.raises(ValueError, match="between 0 and 1"):
            holm(bad)
    with pytest.raises(ValueError, match="family of 1"):
        holm([0.1, 0.2], family=1)
