"""What trivial answers score, and which systems score more: the model, and its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Group, RenderableType
from rich.table import Table

from segjudge.findings import Finding
from segjudge.report.model import Figures, Input, JudgeInfo, Run
from segjudge.report.tables import cell, findings_list, pairs_text, value_text

#: Name and version of the JSON.
SCHEMA: Literal["segjudge.floors/1"] = "segjudge.floors/1"


class Margin(BaseModel):
    """By how much a system is above the best floor in one metric.

    Attributes
    ----------
    floor : str or None
        The best floor: the one that scores most, with every unknown answer read as yes.
    value, low, high : float or None
        System less the best floor; bounds where answers are unknown.
    interval_low, interval_high : float or None
        Bootstrap interval of the difference, both on the same resamples of episodes; where
        answers are unknown from the low end of that of `low` to the high end of that of `high`.
    level : float or None
    beats : bool or None
        Whether the system's low is above every floor's high; None where that depends on what is
        unknown, or where there is no value.
    reason : str
        Why there is no interval.
    """

    floor: str | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    interval_low: float | None = None
    interval_high: float | None = None
    level: float | None = None
    beats: bool | None = None
    reason: str = ""


class System(BaseModel):
    """A prediction's figures, its margins over the best floor, and its own controls."""

    metrics: dict[str, Figures]
    margins: dict[str, Margin]
    controls: dict[str, dict[str, Figures]] = Field(
        default={}, description="control -> metric -> figures: its own labels shuffled, ..."
    )


class FloorsReport(BaseModel):
    """Floors, systems and margins. Same files, same judgments: the same but for `run`.

    Attributes
    ----------
    floors : dict of str to dict
        Baseline -> metric -> figures, as in a score's report.
    systems : dict of str to System
        By file name.
    judge, inputs, findings, options, version, run
        As in a score's report.
    """

    model_config = ConfigDict(populate_by_name=True)

    schema_: Literal["segjudge.floors/1"] = Field(default=SCHEMA, alias="schema")
    floors: dict[str, dict[str, Figures]]
    systems: dict[str, System] = {}
    judge: JudgeInfo = JudgeInfo()
    inputs: list[Input] = []
    findings: list[Finding] = []
    options: dict[str, Any] = {}
    version: str
    run: Run

    def to_json(self) -> str:
        """Return the report as JSON, indented, with a final line feed."""
        return self.model_dump_json(by_alias=True, indent=2) + "\n"

    def without_value(self) -> list[str]:
        """Return the metrics that somewhere have no value because answers are unknown."""
        systems = self.systems.values()
        controls = (each for system in systems for each in system.controls.values())
        every = (*self.floors.values(), *(system.metrics for system in systems), *controls)
        return without_value(every)


def sides_table(pairs: Mapping[str, tuple[int, int]]) -> Table:
    """Return the label pairs that each side needs, and those of them left to ask."""
    made = table(("needed by",), ("label pairs", "left to ask"))
    for name, (needed, undecided) in pairs.items():
        made.add_row(cell(name), str(needed), str(undecided))
    return made


def without_value(several: Iterable[Mapping[str, Figures]]) -> list[str]:
    """Return the metrics that have no value somewhere because answers are unknown."""
    named = (
        name
        for metrics in several
        for name, figures in metrics.items()
        if figures.get("undecided_pairs")
    )
    return list(dict.fromkeys(named))


def floors_table(report: FloorsReport) -> RenderableType:
    """Return the floors, then each system with its margins, for people."""
    parts: list[RenderableType] = [_floors(report.floors)]
    if report.systems:
        parts += [cell(""), _systems(report.systems)]
    parts += [cell(""), cell(judge_text(report.judge))]
    if report.findings:
        parts.append(cell(""))
    return Group(*parts, findings_list(report.findings))


def judge_text(judge: JudgeInfo) -> str:
    """Return who judged, and how many pairs were decided by whom."""
    prompt = f", prompt {judge.prompt}" if judge.prompt else ""
    return f"Judge: {judge.id or 'none'}{prompt}. {pairs_text(judge.pairs)}"


def table(first: Iterable[str], numbers: Iterable[str], last: Iterable[str] = ()) -> Table:
    """Return an empty table: columns of text, of numbers, and of text."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in first:
        made.add_column(cell(name), no_wrap=True)
    for name in numbers:
        made.add_column(cell(name), justify="right", no_wrap=True)
    for name in last:
        made.add_column(cell(name), no_wrap=True)
    return made


def _floors(floors: Mapping[str, Mapping[str, Figures]]) -> Table:
    names = list(next(iter(floors.values()), {}))
    made = table(("floor",), names)
    for floor, metrics in floors.items():
        made.add_row(cell(floor), *(value_text(metrics[name]) for name in names))
    return made


def _systems(systems: Mapping[str, System]) -> Table:
    controls = list(dict.fromkeys(key for system in systems.values() for key in system.controls))
    margins = [each for system in systems.values() for each in system.margins.values()]
    level = next((each.level for each in margins if each.level is not None), 0.95)
    made = table(
        ("system", "metric"),
        ("value", *controls),
        ("best floor", "above it", f"{100 * level:g} % interval", ""),
    )
    for name, system in systems.items():
        for metric, figures in system.metrics.items():
            margin = system.margins[metric]
            own = (system.controls.get(key, {}).get(metric) for key in controls)
            made.add_row(
                cell(name),
                cell(metric),
                value_text(figures),
                *(value_text(each) if each else "-" for each in own),
                cell(margin.floor or "-"),
                span_text(margin.value, margin.low, margin.high),
                interval_text(margin),
                verdict_text(margin),
            )
    return made


def span_text(value: float | None, low: float | None, high: float | None) -> str:
    """Return a difference with its sign, ``-0.1000 to +0.2000`` for bounds, a dash for none."""
    if value is not None:
        return f"{value:+.4f}"
    return "-" if low is None or high is None else f"{low:+.4f} to {high:+.4f}"


def interval_text(margin: Margin) -> str:
    """Return a margin's interval, a dash for none."""
    if margin.interval_low is None or margin.interval_high is None:
        return "-"
    return f"[{margin.interval_low:+.4f}, {margin.interval_high:+.4f}]"


def verdict_text(margin: Margin) -> str:
    """Return in words whether a system beats the best floor."""
    if margin.beats is None:
        return "open" if margin.low is not None else "no value"
    if not margin.beats:
        return "DOES NOT BEAT IT"
    sure = margin.interval_low is not None and margin.interval_low > 0
    return "beats it" if sure else "beats it, but chance could have done so"
