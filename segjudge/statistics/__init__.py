"""How sure is a score: intervals, paired comparisons, multiple tests."""

from segjudge.statistics.bootstrap import Draws, Resampling, resample
from segjudge.statistics.contrasts import Contrast, contrast, paired_differences
from segjudge.statistics.intervals import Interval, interval, ratio_intervals
from segjudge.statistics.significance import SignTest, holm, sign_test

__all__ = [
    "Contrast",
    "Draws",
    "Interval",
    "Resampling",
    "SignTest",
    "contrast",
    "holm",
    "interval",
    "paired_differences",
    "ratio_intervals",
    "resample",
    "sign_test",
]
