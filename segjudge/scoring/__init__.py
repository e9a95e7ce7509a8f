"""The one room that wires formats, judge, metrics and report."""

from __future__ import annotations

from segjudge.scoring.case import Case, report
from segjudge.scoring.comparing import compare
from segjudge.scoring.doors import (
    Plan,
    ascore,
    build_case,
    extras,
    fill,
    plan,
    plan_of,
    run_anywhere,
    score,
)
from segjudge.scoring.options import AskOptions, CaseOptions
from segjudge.scoring.recorded import load_judgments
from segjudge.scoring.sides import Side
from segjudge.scoring.uncertainty import IntervalOptions

__all__ = [
    "AskOptions",
    "Case",
    "CaseOptions",
    "IntervalOptions",
    "Plan",
    "Side",
    "ascore",
    "build_case",
    "compare",
    "extras",
    "fill",
    "load_judgments",
    "plan",
    "plan_of",
    "report",
    "run_anywhere",
    "score",
]
