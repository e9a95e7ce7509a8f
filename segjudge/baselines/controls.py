"""What timing alone earns, and what any timeline of the kind earns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from segjudge.annotations import Annotations, Bool, Int64
from segjudge.baselines.chance import noise
from segjudge.baselines.timelines import Timelines, canonical, ends, laid, spread, timelines
from segjudge.overlaps import Index


def shuffled(prediction: Annotations, seed: int = 0) -> Annotations:
    """Permute the prediction's labels within each episode's track; its times stay.

    Parameters
    ----------
    prediction : Annotations
    seed : int
    """
    order = canonical(prediction)
    group = prediction.group[order]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    number = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    at = np.empty(len(order), np.int64)
    at[order] = number
    chance = noise(prediction, seed, at)[order]
    label = prediction.label.copy()
    # Groups stay where they are, for `order` is by group too: within each, a random order.
    rank = np.repeat(np.arange(len(first)), np.diff(first, append=len(order)))
    label[order] = prediction.label[order[np.lexsort((chance, rank))]]
    return replace(prediction, label=label, findings=())


def borrowed(reference: Annotations) -> Annotations:
    """Take another episode's timeline, stretched to this one's length.

    An episode's track borrows from the next episode, by id, that has segments on that track;
    the last one from the first. Where no other has any, it stays empty.
    """
    lines = timelines(reference)
    donor = _donors(reference, lines)
    lines, donor = lines.take(donor >= 0), donor[donor >= 0]
    order = np.lexsort((canonical_rank(reference), reference.group))
    own = reference.group[order]
    group = donor * max(len(reference.tracks), 1) + lines.track
    low, high = np.searchsorted(own, group), np.searchsorted(own, group, "right")
    owner, number = spread(high - low)
    row = order[low[owner] + number]
    end = ends(reference)
    factor = lines.end[owner] / end[donor[owner]]
    start, stop = (
        np.clip(np.rint(time * factor).astype(np.int64), 0, lines.end[owner])
        for time in (reference.start[row], reference.end[row])
    )
    column = lines.episode[owner], lines.track[owner], start, stop, reference.label[row]
    return laid(reference, *column, reference.labels)


def canonical_rank(annotations: Annotations) -> Index:
    """Return each row's place in canonical order."""
    rank = np.empty(len(annotations), np.intp)
    rank[canonical(annotations)] = np.arange(len(annotations))
    return rank


def _donors(reference: Annotations, lines: Timelines) -> Int64:
    """Return the episode that each timeline borrows from, -1 for none."""
    by_id = np.array(sorted(range(len(reference.episodes)), key=reference.episodes.__getitem__))
    place = np.empty(len(by_id), np.int64)
    place[by_id] = np.arange(len(by_id))
    donor = np.full(len(lines), -1, np.int64)
    lasting: Bool = ends(reference)[reference.episode] > 0
    for track in np.unique(lines.track).tolist():
        giving = np.unique(place[reference.episode[(reference.track == track) & lasting]])
        mine = np.flatnonzero(lines.track == track)
        if not len(giving):
            continue
        own = place[lines.episode[mine]]
        following = giving[np.searchsorted(giving, own, "right") % len(giving)]
        donor[mine] = np.where(following == own, -1, by_id[following])
    return donor
