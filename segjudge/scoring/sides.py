"""Reading the two sides, and the edits a user asks for before anything is compared."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from segjudge import edits, formats
from segjudge.annotations import Annotations
from segjudge.errors import InputError, UsageError
from segjudge.findings import finding

#: A path, or annotations already in memory.
Side = Annotations | str | os.PathLike[str]

#: How the reader is told what a file does not say; see `formats.read`.
Reading = Mapping[str, Any]


def read_side(side: Side, task: str | None, reading: Reading) -> Annotations:
    """Return annotations, read from a file where a path is given.

    Raises
    ------
    InputError, UsageError
        As `formats.read`.
    """
    return side if isinstance(side, Annotations) else formats.read(side, task=task, **reading)


def edited(
    reference: Annotations,
    prediction: Annotations,
    *,
    episodes: str | Sequence[str] | None = None,
    id_map: Mapping[str, str] | str | os.PathLike[str] | None = None,
    offset: float | Mapping[str, float] = 0.0,
    clip: str = "none",
    ignore_label: str | None = None,
    leave_out_failed: bool = False,
) -> tuple[Annotations, Annotations]:
    """Apply the common options for messy files, in the order of the parameters.

    Parameters
    ----------
    reference, prediction : Annotations
    episodes : str or sequence of str, optional
        A file of ids, a regular expression, or the ids: both sides keep these episodes only.
    id_map : mapping or path, optional
        Episode ids of the prediction, and what the reference calls them.
    offset : float or dict of str to float
        Seconds added to the prediction's clock, everywhere or by episode.
    clip : {"none", "duration"}
        Cut segments at the episode's duration, both sides.
    ignore_label : str, optional
        A regular expression; segments whose label it matches are dropped on both sides.
    leave_out_failed : bool
        Leave out the episodes that the prediction says have failed, on both sides.

    Raises
    ------
    UsageError
        An option can't be used as given.
    InputError
        An episode named does not exist, or none is left.
    """
    if id_map is not None:
        mapping = id_map if isinstance(id_map, Mapping) else edits.read_id_map(id_map)
        edits.refuse_unknown("--id-map", id_map, mapping, prediction.episodes, "prediction")
        prediction = edits.rename_episodes(prediction, mapping)
    if episodes is not None:
        chosen = edits.episode_filter(episodes) if isinstance(episodes, str) else episodes
        if not isinstance(chosen, re.Pattern):
            edits.refuse_unknown("--episodes", episodes, chosen, reference.episodes, "reference")
        whole = len(reference.episodes)
        reference = edits.restricted(edits.restrict(reference, chosen), whole)
        prediction = edits.restrict(prediction, chosen)
        if not reference.episodes:
            raise InputError(f"--episodes {episodes!r} leaves no episode of the reference")
    for name, seconds in _offsets(offset).items():
        prediction = edits.shift(prediction, seconds, [name] if name else None)
    if clip == "duration":
        durations = edits.durations(reference, prediction)
        reference = edits.clip_to_duration(reference, durations)
        prediction = edits.clip_to_duration(prediction, durations)
    elif clip != "none":
        raise UsageError(f"clip is {clip!r}; expected none or duration")
    if ignore_label is not None:
        reference = edits.ignore_labels(reference, ignore_label)
        prediction = edits.ignore_labels(prediction, ignore_label)
    if leave_out_failed:
        reference, prediction = _without_failed(reference, prediction)
    return reference, prediction


def _offsets(offset: float | Mapping[str, float]) -> dict[str, float]:
    """Return seconds by episode id; "" stands for every episode."""
    if isinstance(offset, Mapping):
        return dict(offset)
    return {"": offset} if offset else {}


def _without_failed(
    reference: Annotations, prediction: Annotations
) -> tuple[Annotations, Annotations]:
    """Leave out the episodes that the prediction says have failed, and say so loudly."""
    failed = {prediction.episodes[i] for i in np.flatnonzero(prediction.table.failed).tolist()}
    kept = [name for name in reference.episodes if name not in failed]
    if not kept:
        raise InputError("--leave-out-failed leaves no episode: all have failed")
    loud = finding(
        "failed_left_out",
        f"{len(failed)} episodes that the prediction says have failed are LEFT OUT: these "
        f"figures are over {len(kept)} of {len(reference.episodes)} episodes and flatter it",
        level="warning",
        side="prediction",
        count=len(failed),
        places=(f"episode {name!r}" for name in sorted(failed)),
    )
    reference = edits.restrict(reference, kept)
    return reference, edits.noting(edits.restrict(prediction, kept), loud)
