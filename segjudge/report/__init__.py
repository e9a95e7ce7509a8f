"""The report: its model, how it is built, and how it is shown."""

from __future__ import annotations

from segjudge.report.columns import EpisodeResults
from segjudge.report.model import Figures, Input, JudgeInfo, PairCounts, Report, Run

__all__ = ["EpisodeResults", "Figures", "Input", "JudgeInfo", "PairCounts", "Report", "Run"]
