"""Annotators against each other, and a prediction against several of them: models and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Group, RenderableType

from segjudge.findings import Finding
from segjudge.report.floors import judge_text, table
from segjudge.report.model import Figures, Input, JudgeInfo, Run
from segjudge.report.tables import cell, findings_list, value_text


class Span(BaseModel):
    """A figure made of several: exact, or with bounds where answers are unknown.

    Attributes
    ----------
    value, low, high : float or None
    of : str or None
        Whose it is, of a best one.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    of: str | None = None

    @classmethod
    def mean(cls, figures: Sequence[Figures]) -> Span:
        """Return the mean of the figures that exist."""
        known = [own for own in figures if own["low"] is not None]
        return cls(
            value=_mean([own["value"] for own in known]),
            low=_mean([own["low"] for own in known]),
            high=_mean([own["high"] for own in known]),
        )

    @classmethod
    def best(cls, figures: Mapping[str, Figures]) -> Span:
        """Return the best of the figures that exist, and whose it is; of equals the first."""
        known = {name: own for name, own in figures.items() if own["low"] is not None}
        if not known:
            return cls()
        exact = all(own["value"] is not None for own in known.values())
        low, high = (max(_number(own[end]) for own in known.values()) for end in ("low", "high"))
        of = max(known, key=lambda name: _number(known[name]["low"]))
        return cls(value=low if exact else None, low=low, high=high, of=of if exact else None)

    @classmethod
    def mean_of(cls, spans: Sequence[Span]) -> Span:
        """Return the mean of spans that exist."""
        return cls.mean([{"value": s.value, "low": s.low, "high": s.high} for s in spans])

    def text(self) -> str:
        """Return it in four decimals, ``0.61 to 0.83`` for bounds, a dash for none."""
        return value_text({"value": self.value, "low": self.low, "high": self.high})


def _number(value: Any) -> float:
    return float(value)


def _mean(values: Sequence[Any]) -> float | None:
    """Return the mean; None where one is unknown, or there are none."""
    if not values or any(value is None for value in values):
        return None
    return sum(map(float, values)) / len(values)


class _Panel(BaseModel):
    """What both reports say of how they were made."""

    model_config = ConfigDict(populate_by_name=True)

    metric: str
    judge: JudgeInfo = JudgeInfo()
    inputs: list[Input] = []
    findings: list[Finding] = []
    options: dict[str, Any] = {}
    version: str
    run: Run

    def to_json(self) -> str:
        """Return the report as JSON, indented, with a final line feed."""
        return self.model_dump_json(by_alias=True, indent=2) + "\n"


class Annotator(BaseModel):
    """One annotator.

    Attributes
    ----------
    episodes, segments : int
    agreement : Span
        The mean over the other annotators.
    reference : dict or None
        The figures against the reference, where one is given.
    """

    episodes: int
    segments: int
    agreement: Span
    reference: Figures | None = None


class AnnotatorsReport(_Panel):
    """How well annotators agree.

    Attributes
    ----------
    annotators : dict of str to Annotator
        By file name.
    pairs : dict of str to dict
        Annotator -> another -> figures on the episodes that both have, and how many these are
        (``shared``).
    mean : Span
        The mean over all pairs.
    """

    schema_: Literal["segjudge.annotators/1"] = Field("segjudge.annotators/1", alias="schema")
    annotators: dict[str, Annotator]
    pairs: dict[str, dict[str, Figures]]
    mean: Span

    def without_value(self) -> bool:
        """Say whether a figure has no value because answers are unknown."""
        pairs = [own for others in self.pairs.values() for own in others.values()]
        pairs += [each.reference for each in self.annotators.values() if each.reference]
        return any(own.get("undecided_pairs") for own in pairs)


class AgainstSeveral(BaseModel):
    """Figures against each of several references, their mean, and the best of them.

    Attributes
    ----------
    references : dict of str to dict
    mean, best : Span
    """

    references: dict[str, Figures]
    mean: Span
    best: Span

    @classmethod
    def of(cls, figures: dict[str, Figures]) -> AgainstSeveral:
        """Summarise figures by reference."""
        return cls(references=figures, mean=Span.mean([*figures.values()]), best=Span.best(figures))


class ReferencesReport(_Panel):
    """A prediction against several references, beside annotators and floors.

    Attributes
    ----------
    prediction : AgainstSeveral
    best_by_episode : Span
        The mean over episodes of the best value that an episode has against any reference.
    annotators : dict of str to AgainstSeveral
        Each annotator against the others.
    ceiling_mean, ceiling_best : Span
        The mean over annotators of their mean, and of their best: what people reach.
    floors : dict of str to AgainstSeveral
        Trivial answers, each made from the reference that it is scored against.
    """

    schema_: Literal["segjudge.references/1"] = Field("segjudge.references/1", alias="schema")
    prediction: AgainstSeveral
    best_by_episode: Span
    annotators: dict[str, AgainstSeveral]
    ceiling_mean: Span
    ceiling_best: Span
    floors: dict[str, AgainstSeveral] = {}

    def without_value(self) -> bool:
        """Say whether the prediction or an annotator has no value as answers are unknown."""
        sides = [self.prediction, *self.annotators.values()]
        return any(f.get("undecided_pairs") for s in sides for f in s.references.values())


def annotators_table(report: AnnotatorsReport) -> RenderableType:
    """Return the matrix and each annotator's mean for people."""
    names = list(report.annotators)
    with_reference = any(each.reference for each in report.annotators.values())
    made = table(
        (report.metric,),
        (*names, "mean of others", *(["reference"] if with_reference else []), "episodes"),
    )
    for name, each in report.annotators.items():
        made.add_row(
            cell(name),
            *(value_text(report.pairs[name][o]) if o != name else "" for o in names),
            each.agreement.text(),
            *([value_text(each.reference) if each.reference else "-"] if with_reference else []),
            str(each.episodes),
        )
    mean = cell(f"mean over pairs of annotators: {report.mean.text()}")
    return Group(made, cell(""), mean, *_below(report))


def references_table(report: ReferencesReport) -> RenderableType:
    """Return the prediction, the annotators and the floors for people."""
    names = list(report.prediction.references)
    made = table((report.metric,), (*names, "mean", "best"))
    rows = {
        "prediction": report.prediction,
        **report.annotators,
        **{f"floor {name}": own for name, own in report.floors.items()},
    }
    for name, own in rows.items():
        figures = (own.references.get(reference) for reference in names)
        made.add_row(
            cell(name),
            *(value_text(each) if each else "" for each in figures),
            own.mean.text(),
            own.best.text(),
        )
    ceiling = (
        f"annotators against each other: mean {report.ceiling_mean.text()}, "
        f"best {report.ceiling_best.text()}"
    )
    best = f"prediction, best reference of each episode: {report.best_by_episode.text()}"
    return Group(made, cell(""), cell(ceiling), cell(best), *_below(report))


def _below(report: _Panel) -> list[RenderableType]:
    parts: list[RenderableType] = [cell(""), cell(judge_text(report.judge))]
    if report.findings:
        parts.append(cell(""))
    return [*parts, findings_list(report.findings)]
