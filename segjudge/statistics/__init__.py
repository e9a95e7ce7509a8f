"""How sure is a score: intervals, paired comparisons, multiple tests."""

from segjudge.statistics.bootstrap import Draws, Resampling, resample
from segjudge.statistics.significance import SignTest, holm, sign_test

__all__ = [
    "Draws",
    "Resampling",
    "SignTest",
    "holm",
    "resample",
    "sign_test",
]
