"""Systems against each other: the model, and its tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Group, RenderableType

from segjudge.findings import Finding
from segjudge.report.floors import judge_text, span_text, table
from segjudge.report.model import Figures, Input, JudgeInfo, Run
from segjudge.report.tables import cell, findings_list, sure_text, visible

#: Name and version of the JSON.
SCHEMA: Literal["segjudge.comparison/1"] = "segjudge.comparison/1"


class Difference(BaseModel):
    """How far system `a` is above system `b` in one metric.

    Attributes
    ----------
    value : float or None
        A minus B. None where answers are unknown; then `low` is A's low minus B's high, and `high`
        is A's high minus B's low.
    ci_low, ci_high : float or None
        Interval over the same resamples of both; of bounds, from the low end of that of `low` to
        the high end of that of `high`.
    ci_clusters : int or None
        Clusters that inform it.
    p, p_floor : float or None
        Two-sided p of no difference, and the smallest that so many resamples could give.
    p_holm : float or None
        Adjusted by Holm's correction for all differences of the form.
    wins, losses, ties : int or None
        Clusters on which A's figure is larger, smaller, the same.
    sign_p, sign_p_floor : float or None
        Exact two-sided sign test, and the smallest p that so many wins and losses could give.
    judge_noise : float or None
        By how much judging again moved either figure, or the difference, at most.
    within_noise : bool or None
        Whether the difference is no larger than that.
    reason : str
        Why something is absent.
    """

    metric: str
    a: str
    b: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_clusters: int | None = None
    p: float | None = None
    p_floor: float | None = None
    p_holm: float | None = None
    wins: int | None = None
    losses: int | None = None
    ties: int | None = None
    sign_p: float | None = None
    sign_p_floor: float | None = None
    judge_noise: float | None = None
    within_noise: bool | None = None
    reason: str = ""


class Form(BaseModel):
    """All systems on the same episodes: figures by system and metric, and all differences."""

    title: str
    episodes: int
    clusters: int
    systems: dict[str, dict[str, Figures]]
    differences: list[Difference]


class Contestant(BaseModel):
    """What a system came with."""

    episodes: int = Field(description="of the reference's, those it has and doesn't call failed")
    missing: int
    failed: int
    judge: JudgeInfo = Field(description="who decided the pairs that this system needs")


class ComparisonReport(BaseModel):
    """Systems against each other. Same files, same judgments: the same but for `run`.

    Attributes
    ----------
    systems : dict of str to Contestant
    forms : dict of str to Form
        ``all``: every episode of the reference, a missing or failed one scored as empty.
        ``common``: the episodes that every system has, as published comparisons count them;
        absent where these are all, or none.
    judge, inputs, findings, options, version, run
        As in a score's report.
    """

    model_config = ConfigDict(populate_by_name=True)

    schema_: Literal["segjudge.comparison/1"] = Field(default=SCHEMA, alias="schema")
    systems: dict[str, Contestant]
    forms: dict[str, Form]
    judge: JudgeInfo = JudgeInfo()
    inputs: list[Input] = []
    findings: list[Finding] = []
    options: dict[str, Any] = {}
    version: str
    run: Run

    def to_json(self) -> str:
        """Return the comparison as JSON, indented, with a final line feed."""
        return self.model_dump_json(by_alias=True, indent=2) + "\n"

    def to_markdown(self) -> str:
        """Return the comparison as tables of Markdown."""
        parts = [
            "\n\n".join(
                (
                    form.title,
                    *(_markdown(*rows) for rows in _tables(form)),
                    *map(_escaped, _absent(form)),
                )
            )
            for form in self.forms.values()
        ]
        notes = [*_how(self), *(str(item) for item in self.findings)]
        parts.append("\n".join(f"- {_escaped(note)}" for note in notes))
        return "\n\n".join(parts) + "\n"

    def without_value(self) -> list[str]:
        """Return the metrics in which a difference has no value because answers are unknown."""
        every = (each for form in self.forms.values() for each in form.differences)
        return list(dict.fromkeys(d.metric for d in every if d.reason.startswith("undecided")))


#: A line names at most so many figures or differences.
NAMED = 4

_HEAD = (
    *("metric", "difference of"),
    *("difference", "interval", "p", "p, Holm", "wins", "losses", "ties", "p, sign test"),
)

#: Number of columns that are text, which come first; head; rows.
_Rows = tuple[int, Sequence[str], list[Sequence[str]]]


def comparison_table(report: ComparisonReport) -> RenderableType:
    """Return the comparison for people: figures, differences, how, judge, findings."""
    parts: list[RenderableType] = []
    for form in report.forms.values():
        parts += [cell(form.title), cell("")]
        for text, head, rows in _tables(form):
            made = table(head[:text], head[text:])
            for row in rows:
                made.add_row(*map(cell, row))
            parts += [made, cell("")]
        absent = _absent(form)
        parts += [*map(cell, absent), *([cell("")] if absent else [])]
    parts += [*map(cell, _how(report)), cell(judge_text(report.judge))]
    if report.findings:
        parts.append(cell(""))
    return Group(*parts, findings_list(report.findings))


def _tables(form: Form) -> tuple[_Rows, _Rows]:
    """Return the figures of the systems, and their differences."""
    names = list(form.systems)
    metrics = list(next(iter(form.systems.values()), {}))
    figures = [(key, *(sure_text(form.systems[name][key]) for name in names)) for key in metrics]
    noisy = any(each.judge_noise is not None for each in form.differences)
    head = [*_HEAD, *(["judge noise"] if noisy else [])]
    rows = [_row(each, noisy) for each in form.differences]
    return (1, ("metric", *names), [*figures]), (2, head, rows)


def _row(each: Difference, noisy: bool) -> Sequence[str]:
    interval = "-"
    if each.ci_low is not None and each.ci_high is not None:
        interval = f"[{each.ci_low:+.4f}, {each.ci_high:+.4f}]"
    counts = ("-" if n is None else str(n) for n in (each.wins, each.losses, each.ties))
    return (
        each.metric,
        f"{each.a} - {each.b}",
        span_text(each.value, each.low, each.high),
        interval,
        _p(each.p, each.p_floor),
        _p(each.p_holm),
        *counts,
        _p(each.sign_p),
        *(["-" if each.judge_noise is None else f"{each.judge_noise:.4f}"] if noisy else []),
    )


def _p(p: float | None, floor: float | None = None) -> str:
    """Return a p in 4 decimals, ``<= 0.0002`` where it is as small as it could be."""
    if p is None:
        return "-"
    return f"<= {p:.4f}" if floor is not None and p <= floor * (1 + 1e-9) else f"{p:.4f}"


def _absent(form: Form) -> list[str]:
    """Return why figures and differences have no interval or no p, once a reason."""
    lines: dict[tuple[str, str], list[str]] = {}
    for system, metrics in form.systems.items():
        for metric, figures in metrics.items():
            if figures.get("ci_reason"):
                own = lines.setdefault(("interval", str(figures["ci_reason"])), [])
                own.append(f"{metric} of {system}")
    for each in form.differences:
        lacks = [*(["interval"] if each.ci_low is None else []), *(["p"] if each.p is None else [])]
        if lacks and each.reason:
            own = lines.setdefault((" and no ".join(lacks), each.reason), [])
            own.append(f"{each.metric} of {each.a} - {each.b}")
    return [
        f"No {what} for {', '.join(of[:NAMED])}"
        f"{f' and {len(of) - NAMED} more' if len(of) > NAMED else ''}: {reason}."
        for (what, reason), of in lines.items()
    ]


def _any_interval(form: Form) -> bool:
    figures = (own for metrics in form.systems.values() for own in metrics.values())
    return any(each.ci_low is not None for each in form.differences) or any(
        own.get("ci_low") is not None for own in figures
    )


def _how(report: ComparisonReport) -> list[str]:
    """Return what intervals and p rest on, in words."""
    how = report.options["ci"]
    form = report.forms["all"]
    drawn = "episodes" if how["cluster"] == "episode" else f"clusters of one {how['cluster']!r}"
    floors = [each.p_floor for each in form.differences if each.p_floor is not None]
    said = (
        f"Intervals: {100 * how['level']:g} %, {how['method']}, {how['resamples']} resamples of "
        f"{form.clusters} {drawn}, the same for all systems and metrics."
    )
    if not _any_interval(form):
        return [f"Wins, losses and ties count {drawn}."]
    count = len(form.differences)
    holm = f"Holm's correction is for {count} difference{'s' if count != 1 else ''}"
    smallest = f"p can't be below {max(floors):.2g}. " if floors else ""
    return [said, f"{smallest}{holm}; wins, losses and ties count {drawn}."]


def _markdown(text: int, head: Sequence[str], rows: list[Sequence[str]]) -> str:
    rule = [*(["---"] * text), *(["---:"] * (len(head) - text))]
    lines = [[*map(_escaped, head)], rule]
    lines += [[*map(_escaped, row[:text]), *row[text:]] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    """Return text that stays within its cell of Markdown, and is no markup."""
    shown = visible(text)
    return "".join(f"\\{c}" if c in "\\|`*<>[]" else c for c in shown)
