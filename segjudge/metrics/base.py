"""What a metric is: components by episode first, ratios last.

A metric never sees where an answer comes from. It names the overlapping pairs whose labels it
must know (`Metric.asked`), and counts, given which of them are accepted (`Metric.count`).
`evaluate` puts the two together and adds bounds where answers are unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from segjudge.annotations import Annotations, Bool, Float, Int32, Int64, align
from segjudge.jmatrix import JMatrix
from segjudge.judgments import NO, UNKNOWN, YES
from segjudge.overlaps import Pairs, join

#: Sums by episode, shape (n_episodes,) each; durations in microseconds.
Components = dict[str, Int64]

#: A ratio: the components summed above the line and those below it.
Ratio = tuple[tuple[str, ...], tuple[str, ...]]

#: Which of the two answers a metric reads; "" for a metric that takes every label.
Reads = Literal["permissible", "same", ""]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two aligned sides and the pairs of their segments that overlap.

    Attributes
    ----------
    reference, prediction : Annotations
        As `align` returns them.
    pairs : Pairs
        ``left`` is the reference's row, ``right`` the prediction's.
    context : ndarray of int32, shape (n_episodes,)
        The context that questions of an episode carry; 0 for none.
    """

    reference: Annotations
    prediction: Annotations
    pairs: Pairs
    context: Int32

    @classmethod
    def of(
        cls, reference: Annotations, prediction: Annotations, context: Int32 | None = None
    ) -> Comparison:
        """Align two sides and join them.

        Parameters
        ----------
        reference, prediction : Annotations
        context : ndarray of int32, shape (n_episodes,), optional
            By episode, in the sorted order of the reference's episode ids.

        Raises
        ------
        InputError
            The prediction has an episode that the reference lacks.
        """
        reference, prediction = align(reference, prediction)
        if context is None:
            context = np.zeros(len(reference.episodes), np.int32)
        return cls(reference, prediction, join(reference, prediction), context)

    @property
    def n_episodes(self) -> int:
        """Number of episodes of the reference, which both sides share."""
        return len(self.reference.episodes)

    def on_track(self, track: int) -> Comparison:
        """Return the comparison of one track alone; sums over all tracks give the whole."""
        reference, prediction = self.reference, self.prediction
        reference = reference.rows(reference.track == track)
        prediction = prediction.rows(prediction.track == track)
        return Comparison(reference, prediction, join(reference, prediction), self.context)

    def by_episode(self, pairs: Pairs, values: npt.NDArray[np.generic]) -> Int64:
        """Sum a value a pair over each episode, shape (n_episodes,)."""
        sums = np.zeros(self.n_episodes, np.int64)
        np.add.at(sums, self.reference.episode[pairs.left], values.astype(np.int64))
        return sums


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The overlapping pairs whose labels a metric must know.

    Attributes
    ----------
    pairs : Pairs
        Rows refer to the comparison's two sides.
    union : ndarray of int64, shape (n_pairs,), or None
        Length of the union of each pair in microseconds, where the metric uses it.
    noted : dict of str to ndarray of int64
        Components that don't depend on the answers, by episode.
    """

    pairs: Pairs
    union: Int64 | None = None
    noted: Components = field(default_factory=dict)


class Metric(Protocol):
    """What a metric declares. A frozen dataclass with these members is one."""

    @property
    def key(self) -> str:
        """Name and options: the metric's name in the report, ``semantic_f1@0.75,snap=outer``."""

    @property
    def reads(self) -> Reads:
        """Which answer it reads."""

    @property
    def monotone(self) -> bool:
        """Whether one more yes can never lower it; only then bounds exist."""

    @property
    def ratios(self) -> Mapping[str, Ratio]:
        """Its ratios; ``value`` is the headline."""

    def asked(self, comparison: Comparison) -> Asked:
        """Return the pairs whose labels must be known: these and no more are ever judged."""

    def count(self, comparison: Comparison, asked: Asked, accepted: Bool) -> Components:
        """Return the components by episode, given which of the pairs asked are accepted."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A metric's components by episode, with bounds.

    Attributes
    ----------
    metric : Metric
    low, high : dict of str to ndarray of int64, shape (n_episodes,)
        Components with every unknown answer read as no, and as yes. The same object where
        nothing is unknown.
    unknown : ndarray of int64, shape (n_episodes,)
        Pairs of segments whose answer is unknown.
    noted : frozenset of str
        Components that don't depend on the answers (`Asked.noted`).
    """

    metric: Metric
    low: Components
    high: Components
    unknown: Int64
    noted: frozenset[str] = frozenset()


class Questions(NamedTuple):
    """Distinct label pairs, as indices; a pair is unordered and given with ``a <= b``."""

    a: Int64
    b: Int64
    context: Int64


def questions(comparison: Comparison, pairs: Pairs) -> Questions:
    """Return the distinct label pairs, each with its context, of some pairs of segments.

    Parameters
    ----------
    comparison : Comparison
    pairs : Pairs
        Such as ``metric.asked(comparison).pairs``.

    Returns
    -------
    Questions
        Sorted by (context, a, b); indices into the comparison's labels.
    """
    n = max(len(comparison.reference.labels), 1)
    keys = np.unique(_question_keys(comparison, pairs))
    return Questions((keys // n) % n, keys % n, keys // (n * n))


def question_rows(comparison: Comparison, pairs: Pairs, among: Questions) -> Int64:
    """Return the row of `among` that each pair of segments belongs to, -1 for none.

    Parameters
    ----------
    comparison : Comparison
    pairs : Pairs
        n of them.
    among : Questions
        Sorted, as `questions` gives them.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    n = max(len(comparison.reference.labels), 1)
    held = (among.context * n + among.a) * n + among.b
    if not len(held):
        return np.full(len(pairs), -1, np.int64)
    keys = _question_keys(comparison, pairs)
    place = np.minimum(np.searchsorted(held, keys), len(held) - 1)
    return np.where(held[place] == keys, place, -1).astype(np.int64)


def _question_keys(comparison: Comparison, pairs: Pairs) -> Int64:
    """Return one number a pair of segments, the same for the same label pair and context."""
    one = comparison.reference.label[pairs.left].astype(np.int64)
    two = comparison.prediction.label[pairs.right].astype(np.int64)
    context = comparison.context[comparison.reference.episode[pairs.left]].astype(np.int64)
    n = max(len(comparison.reference.labels), 1)
    keys: Int64 = (context * n + np.minimum(one, two)) * n + np.maximum(one, two)
    return keys


def evaluate(metric: Metric, comparison: Comparison, judgments: JMatrix) -> Outcome:
    """Compute a metric, with bounds where answers are unknown.

    Parameters
    ----------
    metric : Metric
    comparison : Comparison
    judgments : JMatrix
        Over the comparison's labels and contexts.

    Returns
    -------
    Outcome
    """
    asked = metric.asked(comparison)
    given = answers(metric, comparison, asked.pairs, judgments)
    low = metric.count(comparison, asked, given == YES)
    high = low
    unknown = given == UNKNOWN
    if np.any(unknown):
        high = metric.count(comparison, asked, given != NO)
    by_episode = comparison.by_episode(asked.pairs, unknown)
    return Outcome(metric, low, high, by_episode, frozenset(asked.noted))


def answers(
    metric: Metric, comparison: Comparison, pairs: Pairs, judgments: JMatrix
) -> npt.NDArray[np.int8]:
    """Return the answer to each pair: 1, 0 or -1."""
    if not metric.reads:
        return np.full(len(pairs), YES, np.int8)
    read = judgments.permissible if metric.reads == "permissible" else judgments.same
    context: Int32 | int = 0
    if np.any(comparison.context):
        context = comparison.context[comparison.reference.episode[pairs.left]]
    return read(
        comparison.reference.label[pairs.left], comparison.prediction.label[pairs.right], context
    )


def ratio(components: Mapping[str, Int64], parts: Ratio) -> Float:
    """Divide the sums of two lists of components.

    Parameters
    ----------
    components : dict of str to ndarray of int64, shape (n,)
    parts : tuple
        Names above and below the line.

    Returns
    -------
    ndarray of float64, shape (n,)
        NaN where the denominator is 0: there is no value.
    """
    above, below = (sum((components[name] for name in names), np.int64(0)) for names in parts)
    above, below = np.asarray(above, np.float64), np.asarray(below, np.float64)
    quotient: Float = np.full(below.shape, np.nan)
    np.divide(above, below, out=quotient, where=below != 0)
    return quotient
