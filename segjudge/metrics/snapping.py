"""Moving a prediction's outer ends onto the reference's, as WGO-Bench's free mode does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from segjudge.annotations import Annotations, Int64


def snap_outer(reference: Annotations, prediction: Annotations) -> Annotations:
    """Move the first start and the last end of the prediction onto the reference's.

    By episode and track, among segments of positive length. The end moves after the start, so a
    lone segment becomes the reference's whole extent; none is ever turned around::

        reference        |-----|------|
        prediction     |-----|----|
        snapped          |---|--------|

    Parameters
    ----------
    reference, prediction : Annotations
        Aligned.

    Returns
    -------
    Annotations
        The prediction with the same rows in the same order; a side that is empty in a track
        changes nothing there.
    """
    extent = {}
    rows = np.flatnonzero(reference.end > reference.start)
    if len(rows):
        group, first = np.unique(reference.group[rows], return_index=True)
        order = np.lexsort((reference.start[rows], reference.group[rows]))
        first = np.flatnonzero(np.diff(reference.group[rows][order], prepend=-1))
        low = reference.start[rows][order][first]
        high = np.maximum.reduceat(reference.end[rows][order], first)
        extent = {"group": group, "low": low, "high": high}
    start, end = prediction.start.copy(), prediction.end.copy()
    rows = np.flatnonzero(end > start)
    if not extent or not len(rows):
        return prediction
    opening = _firsts(prediction.group[rows], start[rows], end[rows])
    closing = _firsts(prediction.group[rows], -end[rows], -start[rows])
    for picked, column in ((rows[opening], "start"), (rows[closing], "end")):
        place = np.searchsorted(extent["group"], prediction.group[picked])
        place = np.minimum(place, len(extent["group"]) - 1)
        known = extent["group"][place] == prediction.group[picked]
        picked, place = picked[known], place[known]
        if column == "start":
            start[picked] = np.minimum(extent["low"][place], end[picked])
        else:
            end[picked] = np.maximum(extent["high"][place], start[picked])
    return replace(prediction, start=start, end=end)


def _firsts(group: Int64, first_key: Int64, second_key: Int64) -> Int64:
    """Return, for each group, the position that is least by the two keys."""
    order = np.lexsort((second_key, first_key, group))
    return np.asarray(order[np.flatnonzero(np.diff(group[order], prepend=-1))], np.int64)
