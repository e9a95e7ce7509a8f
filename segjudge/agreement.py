"""How far two sets of judgments agree: judge against person, judge against judge, run against run.

Three views of the pairs that both decided: the verdicts as they stand, and the two answers that
metrics use, permissible and same. Each view says for how many pairs only one side has an answer.
Intervals are percentiles over resampled pairs. Pairs share labels and recordings, which a
judgment doesn't name, so the true uncertainty is rather larger than that.

Kappa is Cohen's. MCC is Matthews' correlation coefficient, for more than two classes as Gorodkin
generalised it (Comparing two K-category assignments by a K-category correlation coefficient, 2004).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from segjudge.judgments import NO, UNKNOWN, YES, Judgment, Pair, Verdict

_Floats = npt.NDArray[np.float64]
_Statistic = Callable[[_Floats], _Floats]
#: What each side says of one pair; None where it says nothing.
_Both = tuple[Verdict | None, Verdict | None]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Estimate(_Frozen):
    """A figure with its interval; None where there is none, and why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = Field(default="", description="why the value or the interval is absent")


class View(_Frozen):
    """Agreement in one answer: the verdict, permissible or same."""

    pairs: int = Field(description="decided by both")
    only_a: int = Field(description="pairs that a decided and b didn't")
    only_b: int
    classes: list[str]
    table: list[list[int]] = Field(description="pairs; a row a class of a, a column a class of b")
    agreement: Estimate = Field(description="share of pairs with equal answers")
    kappa: Estimate
    mcc: Estimate
    recall_of_a: dict[str, Estimate] = Field(
        description="by class: of the pairs to which a gave it, the share to which b gave it too"
    )
    recall_of_b: dict[str, Estimate]


class Agreement(_Frozen):
    """How far two sets of judgments agree."""

    schema_: str = Field(default="segjudge.agreement/1", alias="schema")
    verdict: View
    permissible: View
    same: View
    superseded_a: int = Field(description="lines of a that a later one on the same pair replaced")
    superseded_b: int
    level: float
    resamples: int
    seed: int


def agreement(
    a: Sequence[Judgment],
    b: Sequence[Judgment],
    *,
    level: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> Agreement:
    """Compare two sets of judgments on the pairs that both decided.

    A judgment that names no task meets those of any task. Direction is turned to the pair's own
    order, so (b, a) meets (a, b). Of several lines of one side on one pair and task, the last
    counts. `undecided` is no decision.

    Parameters
    ----------
    a, b : sequence of Judgment
        Where one is the truth, give it as `a`: `recall_of_a` is the recall of `b` then.
    level : float
        Nominal coverage of the intervals, between 0 and 1.
    resamples : int
        At least 1.
    seed : int

    Returns
    -------
    Agreement
        Independent of the order of pairs.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}")
    of_a, of_b = _latest(a), _latest(b)
    both = [*_met(of_a, of_b)]
    draw = _Draw(level, resamples, seed)
    said = {verdict for pair in both if all(map(_decided, pair)) for verdict in pair}
    return Agreement(
        verdict=_view(both, [each for each in Verdict if each in said], _verdict, draw),
        permissible=_view(both, ["yes", "no"], _permissible, draw),
        same=_view(both, ["yes", "no"], _same, draw),
        superseded_a=len(a) - sum(map(len, of_a.values())),
        superseded_b=len(b) - sum(map(len, of_b.values())),
        level=level,
        resamples=resamples,
        seed=seed,
    )


_Latest = dict[Pair, dict[str | None, Verdict]]


def _latest(judgments: Sequence[Judgment]) -> _Latest:
    """Return the last verdict on each pair and task, said of the pair in its own order."""
    found: _Latest = defaultdict(dict)
    for judgment in judgments:
        found[judgment.pair][judgment.task] = judgment.verdict_on_pair
    return found


def _met(of_a: _Latest, of_b: _Latest) -> Iterator[_Both]:
    """Yield what both sides say, once for each pair and task that either decided."""
    for pair in of_a.keys() | of_b.keys():
        by_a, by_b = of_a.get(pair, {}), of_b.get(pair, {})
        tasks = by_a.keys() | by_b.keys()
        # A line without a task has a meeting of its own only where nothing else meets it.
        named = tasks - {None} or tasks
        for task in named:
            yield by_a.get(task, by_a.get(None)), by_b.get(task, by_b.get(None))


def _decided(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict is not Verdict.UNDECIDED


def _verdict(verdict: Verdict) -> str | None:
    return verdict if _decided(verdict) else None


def _permissible(verdict: Verdict) -> str | None:
    return _YES_NO[verdict.permissible]


def _same(verdict: Verdict) -> str | None:
    return _YES_NO[verdict.same]


_YES_NO = {YES: "yes", NO: "no", UNKNOWN: None}


def _view(
    both: Sequence[_Both],
    classes: Sequence[str],
    answer: Callable[[Verdict], str | None],
    draw: _Draw,
) -> View:
    """Count one answer into a table, and say what follows from the table."""
    index = {name: n for n, name in enumerate(classes)}
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    only_a = only_b = 0
    for verdict_a, verdict_b in both:
        of_a = answer(verdict_a) if verdict_a is not None else None
        of_b = answer(verdict_b) if verdict_b is not None else None
        if of_a is not None and of_b is not None:
            counts[index[of_a], index[of_b]] += 1
        only_a += of_a is not None and of_b is None
        only_b += of_b is not None and of_a is None
    resampled = draw.tables(counts)

    def estimate(statistic: _Statistic, undefined: str) -> Estimate:
        return draw.estimate(statistic, counts, resampled, undefined)

    return View(
        pairs=int(counts.sum()),
        only_a=only_a,
        only_b=only_b,
        classes=[str(name) for name in classes],
        table=counts.tolist(),
        agreement=estimate(_raw_agreement, ""),
        kappa=estimate(_kappa, "both sides give one and the same answer throughout"),
        mcc=estimate(_mcc, "one side gives a single answer throughout"),
        recall_of_a={
            str(name): estimate(_recall(n, 1), f"a never says {name}") for name, n in index.items()
        },
        recall_of_b={
            str(name): estimate(_recall(n, 0), f"b never says {name}") for name, n in index.items()
        },
    )


def _over(top: _Floats, bottom: _Floats) -> _Floats:
    """Divide; NaN where there is nothing to divide by."""
    return np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 0)


# Each statistic takes tables, shape (..., classes, classes), and gives one figure a table. Counts
# are whole numbers in float64, so what should be 0 is exactly 0.


def _raw_agreement(tables: _Floats) -> _Floats:
    return _over(np.trace(tables, axis1=-2, axis2=-1), tables.sum((-2, -1)))


def _parts(tables: _Floats) -> tuple[_Floats, _Floats, _Floats, _Floats]:
    """Return pairs, equal answers, and the sums of answers of a and of b by class."""
    equal = np.trace(tables, axis1=-2, axis2=-1)
    return tables.sum((-2, -1)), equal, tables.sum(-1), tables.sum(-2)


def _kappa(tables: _Floats) -> _Floats:
    pairs, equal, of_a, of_b = _parts(tables)
    by_chance = (of_a * of_b).sum(-1)
    return _over(pairs * equal - by_chance, pairs**2 - by_chance)


def _mcc(tables: _Floats) -> _Floats:
    pairs, equal, of_a, of_b = _parts(tables)
    spread_a, spread_b = (pairs**2 - (side**2).sum(-1) for side in (of_a, of_b))
    return _over(pairs * equal - (of_a * of_b).sum(-1), np.sqrt(spread_a * spread_b))


def _recall(n: int, axis: int) -> _Statistic:
    """Return the share of one side's class `n`, in rows (axis 1) or columns (axis 0)."""

    def recall(tables: _Floats) -> _Floats:
        whole = tables[..., n, :] if axis else tables[..., :, n]
        return _over(tables[..., n, n], whole.sum(-1))

    return recall


class _Draw:
    """How to resample, and to turn a table and its resamples into a figure."""

    def __init__(self, level: float, resamples: int, seed: int) -> None:
        self.level, self.resamples, self.seed = level, resamples, seed

    def tables(self, counts: npt.NDArray[np.int64]) -> _Floats:
        """Draw as many pairs again as there are, with replacement, so often."""
        pairs = int(counts.sum())
        if not pairs:
            return np.zeros((0, *counts.shape))
        stream = np.random.default_rng(self.seed)
        drawn = stream.multinomial(pairs, counts.ravel() / pairs, size=self.resamples)
        return drawn.reshape(-1, *counts.shape).astype(np.float64)

    def estimate(
        self,
        statistic: _Statistic,
        counts: npt.NDArray[np.int64],
        resampled: _Floats,
        undefined: str,
    ) -> Estimate:
        if not counts.sum():
            return Estimate(value=None, reason="no pair that both decided")
        value = float(statistic(counts.astype(np.float64)[None])[0])
        if np.isnan(value):
            return Estimate(value=None, reason=undefined)
        values = statistic(resampled)
        known = values[~np.isnan(values)]
        if not len(known) or known.min() == known.max():
            return Estimate(value=value, reason="every resample gives the same: no interval")
        low, high = np.quantile(known, [(1 - self.level) / 2, (1 + self.level) / 2]).tolist()
        return Estimate(value=value, low=low, high=high)
