"""A benchmark's scores in one report: the model, and its tables."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Group, RenderableType
from rich.table import Table

from segjudge.report.floors import (
    Margin,
    interval_text,
    judge_text,
    span_text,
    table,
    verdict_text,
)
from segjudge.report.model import Figures, Input, Report, Run
from segjudge.report.tables import cell, findings_list, value_text

#: Name and version of the JSON.
SCHEMA: Literal["segjudge.benchmark/1"] = "segjudge.benchmark/1"


class Coverage(BaseModel):
    """How much of the reference a prediction speaks of at all."""

    episodes: int
    in_prediction: int = Field(description="episodes that the prediction names")
    share: float | None = Field(
        description="of the reference's time, or of its boxes, that the prediction covers"
    )


class Score(BaseModel):
    """One score of a benchmark.

    Attributes
    ----------
    metric : str
        The metric whose figures count.
    report : Report
        As `segjudge score` writes it, with groups and lengths.
    coverage : Coverage
    floors : dict of str to dict
        Trivial answers -> figures.
    margin : Margin
        By how much the prediction is above the best floor.
    """

    metric: str
    report: Report
    coverage: Coverage
    floors: dict[str, Figures] = {}
    margin: Margin = Margin()

    @property
    def figures(self) -> Figures:
        """The figures that count."""
        return self.report.metrics[self.metric]


class BenchmarkReport(BaseModel):
    """All scores of a benchmark. Same files, same judgments: the same but for `run`.

    Attributes
    ----------
    protocol : str
        The benchmark's name.
    scores : dict of str to Score
    not_scored : dict of str to str
        Scores that there are none of, and why.
    inputs : list of Input
    options : dict
        Those that all scores share; each report has its own.
    version : str
    run : Run
        Of all scores together.
    """

    model_config = ConfigDict(populate_by_name=True)

    schema_: Literal["segjudge.benchmark/1"] = Field(default=SCHEMA, alias="schema")
    protocol: str
    scores: dict[str, Score]
    not_scored: dict[str, str] = {}
    inputs: list[Input] = []
    options: dict[str, Any] = {}
    version: str
    run: Run

    def to_json(self) -> str:
        """Return the report as JSON, indented, with a final line feed."""
        return self.model_dump_json(by_alias=True, indent=2) + "\n"

    def without_value(self) -> list[str]:
        """Return the scores that have no value because answers are unknown."""
        return [name for name, each in self.scores.items() if each.report.without_value()]


def benchmark_table(report: BenchmarkReport) -> RenderableType:
    """Return all scores for people, then floors, lengths, coverage, judges and findings."""
    parts: list[RenderableType] = [_scores(report)]
    beside = {name: each for name, each in report.scores.items() if each.floors}
    if beside:
        parts += [cell(""), _margins(beside), cell(""), _floors(beside)]
    if any(each.report.by_length for each in report.scores.values()):
        parts += [cell(""), _lengths(report.scores)]
    parts += [cell(""), _coverage(report.scores), cell("")]
    for name, each in report.scores.items():
        if each.report.judge.pairs.needed:
            parts.append(cell(f"{name}: {judge_text(each.report.judge)}"))
    for name, reason in report.not_scored.items():
        parts.append(cell(f"{name}: not scored, {reason}"))
    return Group(*parts, *_findings(report.scores))


def _findings(scores: dict[str, Score]) -> list[RenderableType]:
    """Return what was noticed: first what holds for several scores, then of each its own."""
    said = Counter((str(f), f.places) for each in scores.values() for f in each.report.findings)
    shared = {(str(f), f.places): f for s in scores.values() for f in s.report.findings}
    groups = {"several scores": [f for key, f in shared.items() if said[key] > 1]}
    for name, each in scores.items():
        groups[name] = [f for f in each.report.findings if said[str(f), f.places] == 1]
    parts: list[RenderableType] = []
    for name, found in groups.items():
        if found:
            parts += [cell(""), cell(name), findings_list(found)]
    return parts


def _scores(report: BenchmarkReport) -> Table:
    made = table(
        ("score", "metric"),
        ("value", "mean", "precision", "recall", "left", "right"),
    )
    for name, each in report.scores.items():
        hands = next(iter(each.report.by_group.values()), {})
        made.add_row(
            cell(name),
            cell(each.metric),
            value_text(each.figures),
            *(_number(each.figures.get(f)) for f in ("mean_over_episodes", "precision", "recall")),
            *(value_text(hands[h][each.metric]) if h in hands else "-" for h in ("left", "right")),
        )
    for name in report.not_scored:
        made.add_row(cell(name), *["-"] * 7)
    return made


def _margins(scores: dict[str, Score]) -> Table:
    level = next((s.margin.level for s in scores.values() if s.margin.level), 0.95)
    made = table(
        ("against trivial answers",),
        (),
        ("best of them", "above it", f"{100 * level:g} % interval", ""),
    )
    for name, each in scores.items():
        margin = each.margin
        made.add_row(
            cell(name),
            cell(margin.floor or "-"),
            span_text(margin.value, margin.low, margin.high),
            interval_text(margin),
            verdict_text(margin),
        )
    return made


def _floors(scores: dict[str, Score]) -> Table:
    made = table(("trivial answer", "to"), ("value",))
    for name, each in scores.items():
        for floor, figures in each.floors.items():
            made.add_row(cell(floor), cell(name), value_text(figures))
    return made


def _lengths(scores: dict[str, Score]) -> Table:
    """Return a column a bin: recall by the reference's lengths, precision by the prediction's."""
    sides = {
        f"{name}, {ratio}": each.report.by_length[each.metric][side]
        for name, each in scores.items()
        if each.metric in each.report.by_length
        for side, ratio in (("reference", "recall"), ("prediction", "precision"))
    }
    made = table(("by length",), [_span(own) for own in next(iter(sides.values()))])
    for name, bins in sides.items():
        made.add_row(cell(name), *(value_text(own) for own in bins))
        made.add_row(cell("  segments"), *(str(own["segments"]) for own in bins))
    return made


def _span(figures: Figures) -> str:
    start, end = figures["from_s"], figures["to_s"]
    return f"{start:g} s and more" if end is None else f"{start:g} to {end:g} s"


def _coverage(scores: dict[str, Score]) -> Table:
    made = table(("coverage",), ("episodes", "predicted", "covered", "label pairs", "undecided"))
    for name, each in scores.items():
        pairs = each.report.judge.pairs
        made.add_row(
            cell(name),
            str(each.coverage.episodes),
            str(each.coverage.in_prediction),
            _number(each.coverage.share),
            str(pairs.needed or "-"),
            str(each.figures.get("undecided_pairs") or 0) if pairs.needed else "-",
        )
    return made


def _number(value: Any) -> str:
    return "-" if value is None else f"{value:.4f}"
