"""The one room that wires formats, judge, metrics and report."""

from __future__ import annotations

from segjudge.scoring.case import Case, report
from segjudge.scoring.doors import (
    CaseOptions,
    Plan,
    build_case,
    load_judgments,
    plan,
    plan_of,
    score,
)
from segjudge.scoring.sides import Side

__all__ = [
    "Case",
    "CaseOptions",
    "Plan",
    "Side",
    "build_case",
    "load_judgments",
    "plan",
    "plan_of",
    "report",
    "score",
]
