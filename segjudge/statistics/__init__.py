"""How sure is a score: intervals, paired comparisons, multiple tests.

Arrays in, numbers out. A headline metric is a ratio of sums, so everything here takes a numerator
and a denominator by episode and the cluster of each episode, and resamples whole clusters: the
episodes of a kitchen, a task or a recorder aren't independent of each other.

- `ratio_intervals`: a bootstrap interval for each metric of one system.
- `paired_differences`: two systems on the same episodes: interval, p, sign test by cluster.
- `resample`, `interval`, `contrast`: the same in two steps, where several systems share resamples.
- `sign_test`, `holm`: the exact sign test and Holm's correction.
- `variance_components`: how alike the episodes of a cluster are, and what that costs.
"""

from segjudge.statistics.bootstrap import Draws, Resampling, resample
from segjudge.statistics.contrasts import Contrast, contrast, paired_differences
from segjudge.statistics.intervals import Interval, interval, ratio_intervals
from segjudge.statistics.significance import SignTest, holm, sign_test
from segjudge.statistics.variance import VarianceComponents, variance_components

__all__ = [
    "Contrast",
    "Draws",
    "Interval",
    "Resampling",
    "SignTest",
    "VarianceComponents",
    "contrast",
    "holm",
    "interval",
    "paired_differences",
    "ratio_intervals",
    "resample",
    "sign_test",
    "variance_components",
]
