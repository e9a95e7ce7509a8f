"""What nothing is worth: degenerate predictions, timing controls and attacks.

Each is a pure function from annotations to annotations. `baseline` and `attack` make one from its
name and options, as they are written on the command line.
"""

from __future__ import annotations

from segjudge.baselines.attacks import ATTACKS, Attack, attack
from segjudge.baselines.constants import GENERIC
from segjudge.baselines.registry import BASELINES, Baseline, baseline
from segjudge.baselines.timelines import ends
from segjudge.baselines.umbrellas import UMBRELLAS

__all__ = [
    "ATTACKS",
    "BASELINES",
    "GENERIC",
    "UMBRELLAS",
    "Attack",
    "Baseline",
    "attack",
    "baseline",
    "ends",
]
