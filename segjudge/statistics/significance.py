"""The exact sign test, and Holm's correction for many tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from segjudge.statistics.sums import Floats


@dataclass(frozen=True, slots=True)
class SignTest:
    """Wins against losses.

    Attributes
    ----------
    wins, losses : int
        Clusters (or episodes) on which the first is larger, and on which it is smaller.
    ties : int
        On which both are equal; they don't count.
    p : float
        Exact two-sided p of as lopsided a split of wins and losses, or a more lopsided one, when
        either is equally likely; 1 without any.
    p_floor : float
        The smallest p that as many wins and losses could give: all on one side.
    """

    wins: int
    losses: int
    ties: int
    p: float
    p_floor: float


def sign_test(wins: int, losses: int, ties: int = 0) -> SignTest:
    """Return the exact two-sided sign test, ties dropped.

    Parameters
    ----------
    wins, losses, ties : int
        Counts, 0 or more.

    Returns
    -------
    SignTest

    Raises
    ------
    ValueError
        When a count is negative.

    Notes
    -----
    `reference/timing_study.md`, section 5.2. With n wins and losses p can't fall below 2/2**n:
    four clusters can't give less than 0.125, whatever the difference.
    """
    from scipy.stats import binomtest

    if min(wins, losses, ties) < 0:
        raise ValueError(f"counts must be 0 or more, not {wins}, {losses}, {ties}")
    count = wins + losses
    if not count:
        return SignTest(wins, losses, ties, 1.0, 1.0)
    p = float(binomtest(min(wins, losses), count, 0.5).pvalue)
    return SignTest(wins, losses, ties, min(1.0, p), 2.0 ** (1 - count))


def holm(p: ArrayLike, family: int | None = None) -> Floats:
    """Return p adjusted by Holm's step-down correction, in the order given.

    Parameters
    ----------
    p : array_like, shape (tests,)
        Values between 0 and 1.
    family : int, optional
        Number of tests planned, where some of them have no p; by default those given.

    Returns
    -------
    ndarray of float64, shape (tests,)
        The running largest of min(1, (family - i) p_i) over ascending p, i from 0. At a level of
        alpha, rejecting what is at most alpha keeps the chance of any false rejection within
        alpha, however the tests depend on each other.

    Raises
    ------
    ValueError
        When p isn't flat or not between 0 and 1, or `family` is less than their number.

    Notes
    -----
    `reference/timing_study.md`, section 5.2; Holm, A Simple Sequentially Rejective Multiple Test
    Procedure, Scandinavian Journal of Statistics 6, 1979.
    """
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("p must be a flat sequence of values between 0 and 1")
    tests = len(values) if family is None else family
    if tests < len(values):
        raise ValueError(f"a family of {tests} can't hold {len(values)} tests")
    order = np.argsort(values, kind="stable")
    steps = np.minimum(1.0, (tests - np.arange(len(values))) * values[order])
    adjusted = np.empty_like(values)
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted
