"""How sure is a score: intervals, paired comparisons, multiple tests."""

from segjudge.statistics.bootstrap import Draws, Resampling, resample

__all__ = [
    "Draws",
    "Resampling",
    "resample",
]
