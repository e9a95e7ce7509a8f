"""Systems read and ready to be compared, before a judge fills in what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from segjudge.annotations import Annotations, Bool
from segjudge.errors import UsageError
from segjudge.scoring.case import Case
from segjudge.scoring.options import AskOptions
from segjudge.scoring.settings import settings_of
from segjudge.scoring.several import Name, Several, inputs_of, noticed_of, read_several, several
from segjudge.scoring.sides import Side
from segjudge.scoring.uncertainty import IntervalOptions, Intervals, Sureness, intervals_of


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """Systems ready to be compared.

    Attributes
    ----------
    several : Several
        Its sides are ``(name,)``.
    sure : Sureness
    has : dict of str to ndarray of bool, shape (n_episodes,)
        The episodes that a system has and doesn't call failed.
    failed : dict of str to int
        Episodes that it calls failed.
    noise_runs : tuple of int
        Runs of the judge between which its noise is measured.
    """

    several: Several
    sure: Sureness
    has: dict[str, Bool]
    failed: dict[str, int]
    noise_runs: tuple[int, ...] = ()

    @property
    def case(self) -> Case:
        """What a judge may fill in."""
        return self.several.case

    def pairs_of(self, name: str) -> list[int]:
        """Return the rows of the label pairs that a system needs."""
        needs = self.several.needs.items()
        return sorted({row for (own, _), rows in needs if own == (name,) for row in rows.tolist()})


def contest(
    reference: Side,
    predictions: Sequence[Side],
    *,
    names: Sequence[str] | None = None,
    noise_runs: Sequence[int] = (),
    wanted: IntervalOptions | None = None,
    **options: Unpack[AskOptions],
) -> Contest:
    """Read systems and reference, and decide all pairs that need no model.

    Parameters
    ----------
    reference : path or Annotations
    predictions : sequence of path or Annotations
        At least two.
    names : sequence of str, optional
        What to call them; their file names if not given.
    noise_runs : sequence of int
        Runs of the recorded judgments between which the judge's noise is measured.
    wanted : IntervalOptions, optional
        How intervals are made; they always are.
    **options
        See `AskOptions`.

    Raises
    ------
    InputError, UsageError
        As `score`.
    UsageError
        There are fewer than two systems; names, runs or an option can't be used as given.
    """
    intervals = _checked(predictions, noise_runs, wanted, options)
    settings = settings_of(**options)
    if noise_runs and settings.verbs is not None:
        raise UsageError("--noise-runs: verbs decide, and they have no noise")
    truth, read = read_several(reference, predictions, **options)
    systems = _named(read, names)
    sides: dict[Name, Annotations] = {(name,): side for name, side in systems.items()}
    found = noticed_of(truth, systems, settings)
    built = several(truth, sides, settings, found, inputs_of(truth, systems))
    built.case.options["ci"] = intervals.said
    if noise_runs:
        built.case.options["noise_runs"] = list(noise_runs)
    aligned = built.case.comparison.reference
    return Contest(
        built,
        Sureness.over(aligned, intervals),
        {name: _has(side, aligned.episodes) for name, side in systems.items()},
        {name: int(side.table.failed.sum()) for name, side in systems.items()},
        tuple(noise_runs),
    )


def _checked(
    predictions: Sequence[Side],
    noise_runs: Sequence[int],
    wanted: IntervalOptions | None,
    options: AskOptions,
) -> Intervals:
    """Refuse what can't be compared; return how intervals are made."""
    intervals = intervals_of({**(wanted or {}), "ci": True})
    assert intervals is not None
    if intervals.how.stream == "study":
        raise UsageError(
            "the study's stream subtracts episode by episode, which a ratio of sums doesn't "
            "allow; statistics.paired_differences does it for means"
        )
    if len(predictions) < 2:
        raise UsageError("give two systems or more to compare")
    if options.get("leave_out_failed"):
        raise UsageError(
            "--leave-out-failed: compare already gives the episodes that every system has, "
            "beside all of them"
        )
    if noise_runs and len(set(noise_runs)) < 2:
        raise UsageError("--noise-runs: name two runs or more")
    return intervals


def _named(read: dict[str, Annotations], names: Sequence[str] | None) -> dict[str, Annotations]:
    """Return the systems by the names given."""
    if names is None:
        return read
    if len(names) != len(read) or len(set(names)) < len(names) or not all(names):
        given = ", ".join(map(repr, names))
        raise UsageError(f"{len(read)} systems need as many different names, not {given}")
    return dict(zip(names, read.values(), strict=True))


def _has(side: Annotations, episodes: tuple[str, ...]) -> Bool:
    """Say for each episode whether a system has it and doesn't call it failed."""
    failed = dict(zip(side.episodes, side.table.failed.tolist(), strict=True))
    return np.array([not failed.get(name, True) for name in episodes], np.bool_)
