"""Centroid hit fraction: the share of frames in which the centroid of a box lies in the hand's.

CHF = hits / (|G| + |P_out|), over pairs of a frame and a hand (EgoHome release, equation 1). G
are those with a reference box, P_out those where the prediction has a box, given or
interpolated, and the reference has none. Between two boxes of the prediction its centroid moves
on a straight line over frame numbers; before its first and after its last box there is nothing.
A centroid on the edge is inside. All of it is exact: whole numbers, no division.

It has boxes for input and asks no judge; `Chf` lets reports and intervals treat it as any metric.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, NoReturn

import numpy as np

from segjudge.annotations import MICROSECONDS, Bool, Int64
from segjudge.boxes import HANDS, Clips, Framed
from segjudge.boxes.columns import Index
from segjudge.metrics.base import Asked, Comparison, Components, Outcome, Ratio, Reads

#: The ratios; ``value`` is the headline.
RATIOS: Mapping[str, Ratio] = {
    "value": (
        ("hits_direct", "hits_interpolated"),
        ("reference_boxes", "outside_direct", "outside_interpolated"),
    ),
    "precision": (
        ("hits_direct", "hits_interpolated"),
        (
            "covered_direct",
            "covered_interpolated",
            "outside_direct",
            "outside_interpolated",
        ),
    ),
    "recall": (("hits_direct", "hits_interpolated"), ("reference_boxes",)),
}

#: From here on, frames between two boxes are counted in Python's integers: int64 could wrap.
_LONG_GAP = 2**23


class Bridges(NamedTuple):
    """What may be interpolated across.

    Attributes
    ----------
    null_breaks : bool
        A moment at which the prediction says outright that a hand has no box ends the line.
    max_gap : int or None
        The longest gap in microseconds.
    """

    null_breaks: bool = False
    max_gap: int | None = None


#: Interpolate across every gap, as the release has it.
EVERYWHERE = Bridges()


@dataclass(frozen=True, slots=True)
class Chf:
    """CHF where a report wants a metric. Its outcomes come from boxes, never from segments."""

    bridges: Bridges = EVERYWHERE

    reads: ClassVar[Reads] = ""
    monotone: ClassVar[bool] = True
    ratios: ClassVar[Mapping[str, Ratio]] = RATIOS

    @property
    def key(self) -> str:
        """Its name, and what is not interpolated across: ``chf,null_breaks,max_gap_s=1.5``."""
        gap = self.bridges.max_gap
        return (
            "chf"
            + ",null_breaks" * self.bridges.null_breaks
            + ("" if gap is None else f",max_gap_s={gap / MICROSECONDS:g}")
        )

    def outcome(self, components: Components, hand: int | None = None) -> Outcome:
        """Return what `centroid_hits` counted, of one hand or of both together."""
        own = {
            name: column.sum(axis=1) if hand is None else column[:, hand]
            for name, column in components.items()
        }
        n_episodes = len(next(iter(own.values())))
        return Outcome(self, own, own, np.zeros(n_episodes, np.int64))

    def asked(self, comparison: Comparison) -> Asked:
        """Refuse: there is nothing to ask about boxes."""
        self._refuse()

    def count(self, comparison: Comparison, asked: Asked, accepted: Bool) -> Components:
        """Refuse: `centroid_hits` counts."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise TypeError("centroid hits are counted in boxes, not in segments")


def centroid_hits(
    reference: Framed, prediction: Framed, clips: Clips, bridges: Bridges = EVERYWHERE
) -> Components:
    """Count hits, reference boxes and boxes outside, by episode and hand.

    Parameters
    ----------
    reference, prediction : Framed
        Of the same episodes, in one space.
    clips : Clips
        The reference's.
    bridges : Bridges

    Returns
    -------
    dict of str to ndarray of int64, shape (n_episodes, n_hands)
        ``reference_boxes``: frames with a reference box. ``hits_*``, ``covered_*``: those of them
        in which the prediction's centroid is inside, and in which it has a box at all.
        ``outside_*``: frames in which only the prediction has a box. ``*_direct`` where the box
        is the prediction's own, ``*_interpolated`` where it lies between two.
    """
    span = 1 + int(max(side.frame.max(initial=0) for side in (reference, prediction)))
    span = max(span, 1 + int(prediction.absent_frame.max(initial=0)))
    wanted = reference.series * span + reference.frame
    given = prediction.series * span + prediction.frame
    bridged = _bridged(prediction, given, span, clips, bridges)
    after = np.searchsorted(given, wanted)
    place = np.minimum(after, max(len(given) - 1, 0))
    direct = np.zeros(len(wanted), np.bool_)
    between = np.zeros(len(wanted), np.bool_)
    if len(given):
        direct = given[place] == wanted
        between = ~direct & (after > 0) & (after < len(given)) & bridged[place - 1]
    doubled = prediction.corners[:, :2] + prediction.corners[:, 2:]
    hit_direct = _inside_directly(reference, doubled, np.flatnonzero(direct), after)
    hit_between = _inside_between(reference, prediction, doubled, np.flatnonzero(between), after)

    def count(series: Int64, weights: Int64 | None = None) -> Int64:
        sums = np.zeros(len(clips.duration) * len(HANDS), np.int64)
        np.add.at(sums, series, 1 if weights is None else weights)
        return sums.reshape(-1, len(HANDS))

    gap = np.flatnonzero(bridged)
    covered_direct = count(reference.series[direct])
    covered_between = count(reference.series[between])
    inside_gaps = prediction.frame[gap + 1] - prediction.frame[gap] - 1
    return {
        "reference_boxes": count(reference.series),
        "hits_direct": count(reference.series[hit_direct]),
        "hits_interpolated": count(reference.series[hit_between]),
        "covered_direct": covered_direct,
        "covered_interpolated": covered_between,
        "outside_direct": count(prediction.series) - covered_direct,
        "outside_interpolated": count(prediction.series[gap], inside_gaps) - covered_between,
    }


def _bridged(side: Framed, key: Int64, span: int, clips: Clips, bridges: Bridges) -> Bool:
    """Say of each box but the last whether there is a line from it to the next."""
    if len(side) < 2:
        return np.zeros(len(side), np.bool_)
    bridged = side.series[1:] == side.series[:-1]
    if bridges.null_breaks:
        absent = np.sort(side.absent_series * span + side.absent_frame)
        first = np.searchsorted(absent, key[:-1], "right")
        bridged &= first == np.searchsorted(absent, key[1:], "left")
    if bridges.max_gap is not None:
        episode = side.series[:-1] // len(HANDS)
        frames = (side.frame[1:] - side.frame[:-1]).astype(object)
        # Python's integers, as a rate may be a large fraction.
        times = frames * clips.rate_d[episode].astype(object) * MICROSECONDS
        bridged &= np.asarray(
            times <= bridges.max_gap * clips.rate_n[episode].astype(object), np.bool_
        )
    return np.append(bridged, False)


def _inside_directly(reference: Framed, doubled: Int64, rows: Index, at: Index) -> Index:
    """Return those of some reference boxes that hold the centroid of the box at their frame."""
    box, centre = 2 * reference.corners[rows], doubled[at[rows]]
    inside = np.all((box[:, :2] <= centre) & (centre <= box[:, 2:]), axis=1)
    return rows[inside]


def _inside_between(
    reference: Framed, prediction: Framed, doubled: Int64, rows: Index, after: Index
) -> Index:
    """Return those of some reference boxes that hold the interpolated centroid.

    With both sides times the length of the gap there is nothing to divide::

        2 * x1 * gap <= s0 * (gap - t) + s1 * t <= 2 * x2 * gap
    """
    one, two = after[rows] - 1, after[rows]
    gap = (prediction.frame[two] - prediction.frame[one])[:, None]
    done = (reference.frame[rows] - prediction.frame[one])[:, None]
    box, first, last = 2 * reference.corners[rows], doubled[one], doubled[two]
    if int(gap.max(initial=0)) >= _LONG_GAP:
        gap, done, box = gap.astype(object), done.astype(object), box.astype(object)
    centre = first * (gap - done) + last * done
    inside = (box[:, :2] * gap <= centre) & (centre <= box[:, 2:] * gap)
    return rows[np.all(np.asarray(inside, np.bool_), axis=1)]
