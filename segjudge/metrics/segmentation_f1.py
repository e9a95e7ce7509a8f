"""Segmentation F1 at an IoU threshold: every label is taken, only time counts."""

from __future__ import annotations

from segjudge.metrics.one_to_one import OneToOne, one_to_one
from segjudge.metrics.options import Options


def segmentation_f1(options: Options) -> OneToOne:
    """Make ``segmentation_f1@theta[,snap=outer]``."""
    return one_to_one("segmentation_f1", "", options)
