"""Semantic F1 at an IoU threshold: a pair matches when time and labels both agree.

``semantic_f1`` reads `permissible`, so that one set of answers feeds it and psj;
``semantic_f1_same`` reads `same`, which is WGO-Bench's rubric, and with ``snap=outer`` its free
mode.
"""

from __future__ import annotations

from segjudge.metrics.one_to_one import OneToOne, one_to_one
from segjudge.metrics.options import Options


def semantic_f1(options: Options) -> OneToOne:
    """Make ``semantic_f1@theta[,snap=outer][,order=temporal_first]``, on `permissible`."""
    return one_to_one("semantic_f1", "permissible", options)


def semantic_f1_same(options: Options) -> OneToOne:
    """Make ``semantic_f1_same@theta[,snap=outer][,order=temporal_first]``, on `same`."""
    return one_to_one("semantic_f1_same", "same", options)
