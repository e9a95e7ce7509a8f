"""Annotators against each other, against a reference, and a prediction against all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Unpack, cast

import numpy as np

from segjudge import edits
from segjudge.annotations import Annotations, align
from segjudge.baselines import GENERIC, baseline
from segjudge.errors import UsageError
from segjudge.findings import Finding, finding
from segjudge.metrics import Outcome, ratio
from segjudge.report import Figures
from segjudge.report.annotators import (
    AgainstSeveral,
    Annotator,
    AnnotatorsReport,
    ReferencesReport,
    Span,
)
from segjudge.scoring import noticed
from segjudge.scoring.answered import answered
from segjudge.scoring.case import Case, judge_info
from segjudge.scoring.floors import GENERIC_LABELS
from segjudge.scoring.options import AskOptions
from segjudge.scoring.settings import Settings, settings_of
from segjudge.scoring.several import Name, Several, fresh_name, input_of, judged, run_of
from segjudge.scoring.sides import Side, edited, read_side
from segjudge.scoring.together import Together, manifest
from segjudge.verbs import about_prediction, check_reference
from segjudge.version import version

_BOTH_SIDES = ("clip", "ignore_label")
_TRUTH, _PREDICTION = ("reference",), ("prediction",)


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Annotators, and whatever is compared with them, ready to be judged.

    Attributes
    ----------
    several : Several
        Its sides are ``("pair", a, b)``, ``("reference", a)``, ``("prediction", a)`` and
        ``("floor", key, a)``.
    annotators : dict of str to Annotations
        By file name.
    shared : dict of tuple to int
        Side -> episodes that it is over.
    """

    several: Several
    annotators: dict[str, Annotations]
    shared: dict[Name, int]

    @property
    def case(self) -> Case:
        """What a judge may fill in."""
        return self.several.case

    def figures(self) -> tuple[str, dict[Name, Outcome], dict[Name, Figures]]:
        """Return the metric's key, and its outcome and figures for each side."""
        key = self.case.metrics[0].key
        outcomes = {name: own[key] for name, own in self.several.outcomes().items()}
        figures = {
            name: self.several.figures(name, {key: own})[key] for name, own in outcomes.items()
        }
        return key, outcomes, figures


def annotators(
    files: Sequence[Side], reference: Side | None = None, **options: Unpack[AskOptions]
) -> Panel:
    """Compare annotators with each other, two by two, and with a reference if there is one.

    Any two are compared on the episodes that both have.

    Parameters
    ----------
    files : sequence of path or Annotations
        At least two.
    reference : path or Annotations, optional
        Has every episode that an annotator has.
    **options
        See `AskOptions`; one metric, psj if none is given.

    Raises
    ------
    InputError, UsageError
        As `score`.
    """
    settings, named = _read(files, options)
    sides: dict[Name, Annotations] = {("annotator", name): side for name, side in named.items()}
    others: dict[str, Annotations] = {}
    if reference is not None:
        truth = _read_one(reference, options)
        if settings.verbs is not None:
            check_reference(truth, settings.verbs)
        align(truth, *named.values())
        sides[_TRUTH], others["reference"] = truth, truth
    together = Together(sides, settings.context_field)
    for a, b in combinations(named, 2):
        together.compare(("pair", a, b), ("annotator", a), ("annotator", b))
    for name in named if reference is not None else ():
        together.compare(("reference", name), _TRUTH, ("annotator", name))
    return _panel(together, named, others, settings)


def references(files: Sequence[Side], prediction: Side, **options: Unpack[AskOptions]) -> Panel:
    """Compare a prediction with several references, and these with each other and with floors.

    An episode of a reference that the prediction lacks is scored as empty; references are
    compared on the episodes that both have. Floors are made from the reference that they are
    compared with.

    Parameters
    ----------
    files : sequence of path or Annotations
        The references: at least two.
    prediction : path or Annotations
    **options
        See `AskOptions`; one metric, psj if none is given.

    Raises
    ------
    InputError, UsageError
        As `score`.
    """
    settings, named = _read(files, options)
    system = _read_one(prediction, options)
    align(manifest(named.values()), system)
    sides: dict[Name, Annotations] = {("annotator", name): side for name, side in named.items()}
    floors = _floors(settings.task, named)
    together = Together({**sides, _PREDICTION: system, **floors}, settings.context_field)
    for name in named:
        together.compare((*_PREDICTION, name), ("annotator", name), _PREDICTION, shared=False)
    for a, b in combinations(named, 2):
        together.compare(("pair", a, b), ("annotator", a), ("annotator", b))
    for key in floors:
        together.compare(key, ("annotator", key[-1]), key, shared=False)
    if settings.verbs is not None:
        for side in named.values():
            check_reference(side, settings.verbs)
    return _panel(together, named, {"prediction": system}, settings)


def _floors(task: str, named: Mapping[str, Annotations]) -> dict[Name, Annotations]:
    """Make the floors of EgoHome from each reference."""
    generic = GENERIC_LABELS.get(task, GENERIC)
    keys = (f"constant,label={generic}", f"windows,label={generic}", "longest")
    chosen = {text.partition(",")[0]: baseline(text) for text in keys}
    return {
        ("floor", key, name): each.make(side)
        for key, each in chosen.items()
        for name, side in named.items()
    }


def _read(files: Sequence[Side], options: AskOptions) -> tuple[Settings, dict[str, Annotations]]:
    """Return what the options settle, and the annotators by file name."""
    if len(files) < 2:
        raise UsageError("annotators are compared two by two; give at least two files")
    settings = settings_of(**cast(AskOptions, {"metrics": ["psj"]} | _given(options)))
    if len(settings.metrics) > 1:
        raise UsageError("annotators are compared in one metric at a time")
    named: dict[str, Annotations] = {}
    for file in files:
        side = _read_one(file, options)
        named[fresh_name(side, named)] = side
    return settings, named


def _given(options: AskOptions) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value not in ((), [], None)}


def _read_one(file: Side, options: AskOptions) -> Annotations:
    """Read a side, and change it as the options ask that change both sides of a score."""
    side = read_side(file, options.get("task", "subtask"), options.get("reading") or {})
    episodes = options.get("episodes")
    if episodes is not None:
        # One annotator may lack an episode that another has, so none is refused here.
        chosen = edits.episode_filter(episodes) if isinstance(episodes, str) else episodes
        side = edits.restrict(side, chosen)
    changes = {name: value for name, value in options.items() if name in _BOTH_SIDES}
    return edited(side, side, **changes)[0]  # type: ignore[arg-type]


def _panel(
    together: Together,
    named: dict[str, Annotations],
    others: Mapping[str, Annotations],
    settings: Settings,
) -> Panel:
    """Decide all pairs that need no model, and say what was noticed."""
    every = {**named, **others}
    found = [item for name, side in every.items() for item in noticed.said_of(name, side)]
    if settings.verbs is not None:
        for name, side in every.items():
            found += [item.on(name) for item in about_prediction(side, settings.verbs)]
    else:
        found += noticed.recorded(settings.records, bool(settings.context_field))
    found += _differing(named)
    inputs = [
        *(input_of("annotator", side) for side in named.values()),
        *(input_of(role, side) for role, side in others.items()),
    ]
    built = judged(
        together.comparisons,
        together.contexts,
        settings,
        found,
        [item for item in inputs if item is not None],
    )
    return Panel(built, named, together.shared)


def _differing(named: Mapping[str, Annotations]) -> list[Finding]:
    """Say that annotators don't have the same episodes."""
    every = {name for side in named.values() for name in side.episodes}
    fewer = {name: len(side.episodes) for name, side in named.items()}
    lacking = [name for name, n in fewer.items() if n < len(every)]
    if not lacking:
        return []
    return [
        finding(
            "annotators_differ",
            f"{len(lacking)} annotators lack some of the {len(every)} episodes; two are compared "
            "on those that both have",
            level="warning",
            count=len(lacking),
            places=(f"{name}: {fewer[name]} episodes" for name in lacking),
        )
    ]


def _said(panel: Panel, key: str) -> dict[str, Any]:
    """Return what both reports say of how they were made."""
    case = panel.case
    return {
        "metric": key,
        "judge": judge_info(case.decided),
        "inputs": case.inputs,
        "findings": [
            *case.findings,
            *noticed.about([], case.decided),
            *answered(case.decided, case.findings),
        ],
        "options": case.options,
        "version": version(),
        "run": run_of(case),
    }


def _pair(figures: Mapping[Name, Figures], a: str, b: str) -> Figures:
    """Return the figures of two annotators, in whichever order they were compared."""
    return figures.get(("pair", a, b)) or figures["pair", b, a]


def annotators_report(panel: Panel) -> AnnotatorsReport:
    """Compute the matrix from what is known by now."""
    key, _, figures = panel.figures()
    names = list(panel.annotators)
    for name, own in figures.items():
        own["shared"] = panel.shared[name]
    pairs = {a: {b: _pair(figures, a, b) for b in names if b != a} for a in names}
    return AnnotatorsReport(
        annotators={
            name: Annotator(
                episodes=len(side.episodes),
                segments=len(side),
                agreement=Span.mean([*pairs[name].values()]),
                reference=figures.get(("reference", name)),
            )
            for name, side in panel.annotators.items()
        },
        pairs=pairs,
        mean=Span.mean([own for name, own in figures.items() if name[0] == "pair"]),
        **_said(panel, key),
    )


def references_report(panel: Panel) -> ReferencesReport:
    """Compute the prediction, the annotators and the floors from what is known by now."""
    key, outcomes, figures = panel.figures()
    names = list(panel.annotators)
    people = {
        a: AgainstSeveral.of({b: _pair(figures, a, b) for b in names if b != a}) for a in names
    }
    floors = dict.fromkeys(name[1] for name in figures if name[0] == "floor")
    return ReferencesReport(
        prediction=AgainstSeveral.of({name: figures["prediction", name] for name in names}),
        best_by_episode=_best_by_episode([outcomes["prediction", name] for name in names]),
        annotators=people,
        ceiling_mean=Span.mean_of([own.mean for own in people.values()]),
        ceiling_best=Span.mean_of([own.best for own in people.values()]),
        floors={
            floor: AgainstSeveral.of({name: figures["floor", floor, name] for name in names})
            for floor in floors
        },
        **_said(panel, key),
    )


def _best_by_episode(outcomes: Sequence[Outcome]) -> Span:
    """Return the mean over episodes of the best value that each has against any reference."""
    metric = outcomes[0].metric
    unknown = any(outcome.unknown.any() for outcome in outcomes)
    if unknown and not metric.monotone:
        return Span()
    ends = []
    for side in ("low", "high"):
        values = np.array([ratio(getattr(o, side), metric.ratios["value"]) for o in outcomes])
        having = values[:, ~np.isnan(values).all(axis=0)]
        ends.append(float(np.nanmax(having, axis=0).mean()) if having.size else None)
    return Span(value=None if unknown else ends[0], low=ends[0], high=ends[1])
