"""What metrics do under attacks and honest variations: the model, and its table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from segjudge.findings import Finding
from segjudge.report.floors import judge_text, span_text, table, without_value
from segjudge.report.model import Figures, Input, JudgeInfo, Run
from segjudge.report.tables import cell, findings_list, value_text

#: Name and version of the JSON.
SCHEMA: Literal["segjudge.game/1"] = "segjudge.game/1"


class Effect(BaseModel):
    """What an attack does to one metric.

    Attributes
    ----------
    value, low, high : float or None
        The score under attack; bounds where answers are unknown.
    change, change_low, change_high : float or None
        That less the score of the prediction as it is.
    pays : bool or None
        Whether the score rises; None where that depends on what is unknown, or where there is
        no value.
    """

    value: float | None
    low: float | None
    high: float | None
    change: float | None
    change_low: float | None
    change_high: float | None
    pays: bool | None


class Attacked(BaseModel):
    """The prediction under one attack, or one honest variation of it."""

    name: str
    options: dict[str, str] = Field(default={}, description="those that differ from the default")
    kind: Literal["attack", "variation"]
    segments: int
    effects: dict[str, Effect]


class GameReport(BaseModel):
    """A prediction's scores, and what becomes of them. The same but for `run`, as a score's.

    Attributes
    ----------
    metrics : dict of str to dict
        The figures of the prediction as it is, as in a score's report.
    attacks : dict of str to Attacked
        By name and options, in the order asked for.
    judge, inputs, findings, options, version, run
        As in a score's report.
    """

    model_config = ConfigDict(populate_by_name=True)

    schema_: Literal["segjudge.game/1"] = Field(default=SCHEMA, alias="schema")
    metrics: dict[str, Figures]
    segments: int
    attacks: dict[str, Attacked]
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
        under_attack: list[dict[str, Figures]] = [
            {
                metric: {"undecided_pairs": effect.value is None and effect.low is not None}
                for metric, effect in attacked.effects.items()
            }
            for attacked in self.attacks.values()
        ]
        return without_value([self.metrics, *under_attack])


def game_table(report: GameReport) -> RenderableType:
    """Return a row an attack, with score and change by metric, for people."""
    parts: list[RenderableType] = [_attacks(report), cell("")]
    for kind, what in (("attack", "attacks"), ("variation", "honest variations")):
        parts.append(cell(_summary(report, kind, what)))
    parts += [cell(""), cell(judge_text(report.judge))]
    if report.findings:
        parts.append(cell(""))
    return Group(*parts, findings_list(report.findings))


def _attacks(report: GameReport) -> Table:
    numbers = [name for metric in report.metrics for name in (metric, "change")]
    made = table(("", "done to it"), ("segments", *numbers), ("pays in",))
    made.add_row("", "as it is", str(report.segments), *_row(report.metrics.values()))
    for key, attacked in report.attacks.items():
        effects = attacked.effects
        numbers = [
            text
            for effect in effects.values()
            for text in (
                value_text(effect.model_dump()),
                span_text(effect.change, effect.change_low, effect.change_high),
            )
        ]
        made.add_row(attacked.kind, cell(key), str(attacked.segments), *numbers, _paying(effects))
    return made


def _row(figures: Iterable[Figures]) -> list[str]:
    return [text for own in figures for text in (value_text(own), "")]


def _paying(effects: Mapping[str, Effect]) -> Text:
    """Return the metrics in which it pays, and those in which it may."""
    named = [name for name, effect in effects.items() if effect.pays]
    open_ones = [
        f"{name}?"
        for name, effect in effects.items()
        if effect.pays is None and effect.low is not None
    ]
    return cell(", ".join([*named, *open_ones]) or "-")


def _summary(report: GameReport, kind: str, what: str) -> str:
    """Say how many of a kind pay in which metric."""
    own = [attacked for attacked in report.attacks.values() if attacked.kind == kind]
    counts = []
    for metric in report.metrics:
        pays = sum(attacked.effects[metric].pays is True for attacked in own)
        unsure = sum(
            attacked.effects[metric].pays is None and attacked.effects[metric].low is not None
            for attacked in own
        )
        counts.append(f"{pays} in {metric}" + (f" (and perhaps {unsure} more)" if unsure else ""))
    return f"Of {len(own)} {what}, these pay: {', '.join(counts)}." if own else f"No {what}."
