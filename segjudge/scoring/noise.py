"""How far a judge's own noise moves the figures: the same score by each of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from segjudge.cache import Store, default_store_path
from segjudge.errors import UsageError
from segjudge.findings import Finding, finding
from segjudge.judge import By, Decided, Records
from segjudge.judgments import Judgment
from segjudge.report.comparison import Difference
from segjudge.scoring.case import decide
from segjudge.scoring.options import AskOptions
from segjudge.scoring.recorded import load_judgments
from segjudge.scoring.settings import chosen, recorded_lines
from segjudge.scoring.several import Several
from segjudge.scoring.uncertainty import sums_of


@dataclass(frozen=True, slots=True)
class Noise:
    """Each system's figures by each run.

    Attributes
    ----------
    values : mapping of (str, str) to list of float
        System and metric -> its value by run; absent where a run leaves pairs undecided.
    """

    values: Mapping[tuple[str, str], list[float]]

    def note(self, difference: Difference) -> None:
        """Write into a difference how far judging again moves it, if that was measured.

        That is the largest change, between any two runs, of either system's figure or of their
        difference: a change of both that happens to cancel is still a change.
        """
        both = [self.values.get((name, difference.metric)) for name in (difference.a, difference.b)]
        if both[0] is None or both[1] is None:
            return
        one, other = np.array(both[0]), np.array(both[1])
        noise = max(float(np.ptp(each)) for each in (one, other, one - other))
        difference.judge_noise = noise
        if difference.value is not None and noise > 0:
            difference.within_noise = abs(difference.value) <= noise
        elif difference.value is not None:
            difference.within_noise = False


def noise_of(
    several: Several, runs: Sequence[int], options: AskOptions
) -> tuple[Noise, list[Finding]]:
    """Score every system by each run's answers.

    Parameters
    ----------
    several : Several
        Its sides are ``(system,)``.
    runs : sequence of int
        None: nothing is measured.
    options : AskOptions
        Where the recorded judgments are, and of which judge and prompt.

    Raises
    ------
    InputError
        The judgments of a run are of more than one judge or prompt.
    UsageError
        There are no judgments of a run.
    """
    values: dict[tuple[str, str], list[float]] = {}
    found: list[Finding] = []
    if not runs:
        return Noise(values), found
    lines = _lines(options)
    have = sorted({line.run for line in lines if not line.is_human})
    lacking = sorted(set(runs) - set(have))
    if lacking:
        raise UsageError(
            f"--noise-runs: there are no judgments of run {', '.join(map(str, lacking))}; there "
            f"are of {', '.join(map(str, have)) or 'none'}"
        )
    open_metrics: set[str] = set()
    for run in runs:
        decided = _decided(several, Records(chosen(lines, options, run)), options)
        left = decided.by.count(By.UNKNOWN)
        if left:
            text = f"run {run} leaves {left} of {len(decided.by)} label pairs undecided"
            found.append(finding("noise_undecided", text, level="warning", count=left))
        case = replace(several.case, decided=decided)
        outcomes = replace(several, case=case).outcomes()
        for (name,), own in outcomes.items():
            for key, outcome in own.items():
                if outcome.unknown.any():
                    open_metrics.add(key)
                above, below = (line[:, 0, 0].sum() for line in sums_of([outcome]))
                values.setdefault((name, key), []).append(above / below if below else np.nan)
    if open_metrics:
        text = f"so the judge's noise is unknown for {', '.join(sorted(open_metrics))}"
        found.append(finding("noise_unknown", text, level="warning", count=len(open_metrics)))
    return Noise(
        {
            key: own
            for key, own in values.items()
            if key[1] not in open_metrics and not np.isnan(own).any()
        }
    ), found


def _lines(options: AskOptions) -> list[Judgment]:
    """Return all recorded judgments; those that a model has just given are in the store."""
    lines, _ = recorded_lines(options)
    if options.get("model"):
        store = options.get("store")
        if isinstance(store, Store):
            return [*lines, *store.judgments()]
        lines = [*lines, *load_judgments(store or default_store_path())[0]]
    return lines


def _decided(several: Several, records: Records, options: AskOptions) -> Decided:
    """Decide all pairs from one run's answers alone."""
    known = several.case.decided
    task, identity = options.get("task", "subtask"), options.get("identity", True)
    return decide(
        known.pairs, known.labels, known.contexts, task, records, identity, None, known.reads
    )
