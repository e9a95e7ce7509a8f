"""From a case to what stands behind its report: credit, matches, verdicts and their weight."""

from __future__ import annotations

import numpy as np

from segjudge.annotations import Float
from segjudge.judgments import NO, UNKNOWN, YES, Judgment
from segjudge.metrics import Questions
from segjudge.metrics.base import answers, question_rows
from segjudge.metrics.influence import has_influence, influence
from segjudge.metrics.one_to_one import OneToOne, matches
from segjudge.metrics.psj import Psj, credit
from segjudge.report.detail import Credit, Detail, Matched, Verdicts, Weighed, largest
from segjudge.scoring.case import Case


def detail(case: Case) -> Detail:
    """Return every segment's credit, every pair's verdict and every judgment's weight.

    Parameters
    ----------
    case : Case
        With everything decided that will be.
    """
    comparison = case.comparison
    giving = next((m for m in case.metrics if isinstance(m, Psj)), None)
    reference, prediction = _credit(case, giving)
    return Detail(
        comparison,
        _verdicts(case),
        question_rows(comparison, comparison.pairs, Questions(*case.decided.pairs)),
        giving.reads if giving else "",
        giving.key if giving else "",
        reference,
        prediction,
        {m.key: _matched(case, m) for m in case.metrics if isinstance(m, OneToOne)},
        weigh(case),
    )


def weigh(case: Case) -> Weighed:
    """Return what each judgment is worth to each metric, those that matter most first."""
    comparison, decided = case.comparison, case.decided
    first: dict[object, int] = {}
    group = np.array(
        [first.setdefault(question.pair, len(first)) for question in decided.question], np.int64
    )
    n = len(first)
    _, row = np.unique(group, return_index=True)
    matrix = decided.matrix()
    low: dict[str, Float] = {}
    high: dict[str, Float] = {}
    for metric in case.metrics:
        if not has_influence(metric):
            continue
        own = group[case.needs[metric.key]]
        found = influence(metric, comparison, matrix, own)
        for side, changes in ((low, found.on_low), (high, found.on_high)):
            side[metric.key] = np.full(n, np.nan)
            side[metric.key][own] = changes
    occurrences, overlap = np.zeros((2, n), np.int64)
    place = question_rows(comparison, comparison.pairs, Questions(*decided.pairs))
    needed = place >= 0
    np.add.at(occurrences, group[place[needed]], 1)
    np.add.at(overlap, group[place[needed]], comparison.pairs.inter[needed])
    return _sorted(Weighed(row.astype(np.int64), low, high, occurrences, overlap), case)


def _sorted(weighed: Weighed, case: Case) -> Weighed:
    """Put the largest change first, then the longest overlap, then the order of the labels."""
    size, long = largest(weighed).tolist(), weighed.overlap_us.tolist()
    pairs = [case.decided.question[row].pair for row in weighed.row.tolist()]
    order = sorted(range(len(weighed)), key=lambda i: (-size[i], -long[i], pairs[i]))
    by = np.array(order, np.int64)
    return Weighed(
        weighed.row[by],
        {name: changes[by] for name, changes in weighed.low.items()},
        {name: changes[by] for name, changes in weighed.high.items()},
        weighed.occurrences[by],
        weighed.overlap_us[by],
    )


def _credit(case: Case, giving: Psj | None) -> tuple[Credit, Credit]:
    """Return the credit of each segment of both sides; none where no metric gives any."""
    comparison = case.comparison
    if giving is None:
        sides = comparison.reference, comparison.prediction
        none = [np.zeros(len(side), np.int64) for side in sides]
        return Credit(none[0], none[0]), Credit(none[1], none[1])
    asked = giving.asked(comparison)
    given = answers(giving, comparison, asked.pairs, case.decided.matrix())
    low = credit(comparison, asked, given == YES)
    high = credit(comparison, asked, given != NO) if np.any(given == UNKNOWN) else low
    return Credit(low[0], high[0]), Credit(low[1], high[1])


def _matched(case: Case, metric: OneToOne) -> Matched:
    asked = metric.asked(case.comparison)
    given = answers(metric, case.comparison, asked.pairs, case.decided.matrix())
    pairs = asked.pairs.take(matches(asked, given == YES))
    return Matched(pairs.left, pairs.right)


def _verdicts(case: Case) -> Verdicts:
    decided = case.decided
    records = decided.record
    return Verdicts(
        decided.pairs.a,
        decided.pairs.b,
        decided.pairs.context,
        decided.contexts,
        decided.verdict,
        [str(by) for by in decided.by],
        [
            record.judge if record else (decided.judge or "") if by == "verb" else ""
            for record, by in zip(records, decided.by, strict=True)
        ],
        [(record.prompt or "") if record else "" for record in records],
        [_rationale(record) for record in records],
    )


def _rationale(record: Judgment | None) -> str:
    return (record.rationale or "") if record else ""
