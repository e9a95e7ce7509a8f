"""What the options settle before anything is compared: metrics, records, verbs, the two sides."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from segjudge.annotations import Annotations
from segjudge.cache import Store, default_store_path
from segjudge.errors import UsageError
from segjudge.judge import Records, asker, select
from segjudge.judge.verb import TASK
from segjudge.judgments import Judgment
from segjudge.metrics import DEFAULT_METRICS, Metric, make_all
from segjudge.report import Input
from segjudge.scoring.asking import prompt_for, prompt_names, refuse_mixture
from segjudge.scoring.options import AskOptions, said
from segjudge.scoring.recorded import file_input, load_judgments, read_imported
from segjudge.scoring.sides import Side, edited, read_side
from segjudge.scoring.verbs import NONE, verbs_for
from segjudge.verbs import Taxonomy

RESOLUTIONS = {"us": 1, "ms": 1000}

_EDITS = ("episodes", "id_map", "offset", "clip", "ignore_label", "leave_out_failed")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the options say, whatever the sides.

    Attributes
    ----------
    metrics : list of Metric
    task : str
    context_field : str or None
    identity : bool
    verbs : Taxonomy or None
    records : Records
        Recorded judgments of one judge, prompt and run.
    inputs : list of Input
        What records and verbs came from, and the files that name the episodes.
    said : dict
        What the report repeats of the options.
    """

    metrics: list[Metric]
    task: str
    context_field: str | None
    identity: bool
    verbs: Taxonomy | None
    records: Records
    inputs: list[Input]
    said: dict[str, Any]


def settings_of(**options: Unpack[AskOptions]) -> Settings:
    """Return what the options settle.

    Raises
    ------
    InputError
        Recorded judgments or verbs aren't what they should be.
    UsageError
        An option can't be used as given.
    """
    resolution = options.get("resolution", "us")
    if resolution not in RESOLUTIONS:
        raise UsageError(f"resolution is {resolution!r}; expected us or ms")
    metrics = make_all(options.get("metrics") or DEFAULT_METRICS, RESOLUTIONS[resolution])
    task = options.get("task", "subtask")
    lines, inputs = recorded_lines(options)
    records = Records(chosen(lines, options, options.get("run", 1)))
    if options.get("model"):
        refuse_mixture_with_model(records, options)
    verbs, verb_inputs = verbs_for(task, options.get("verbs"))
    context = options.get("context", "none")
    said_verbs = {"verbs": verbs.name if verbs else NONE} if task == TASK else {}
    return Settings(
        metrics,
        task,
        None if context == "none" else context,
        options.get("identity", True),
        verbs,
        records,
        [*inputs, *verb_inputs, *_edit_inputs(options)],
        said(options, [metric.key for metric in metrics]) | said_verbs,
    )


def _edit_inputs(options: AskOptions) -> list[Input]:
    """Return the files that say which episodes there are and what they are called."""
    files = {"episodes": options.get("episodes"), "id_map": options.get("id_map")}
    return [
        file_input(role, Path(file), "ids" if role == "episodes" else "csv")
        for role, file in files.items()
        if isinstance(file, (str, os.PathLike)) and Path(file).is_file()
    ]


def read_sides(
    reference: Side, prediction: Side, **options: Unpack[AskOptions]
) -> tuple[Annotations, Annotations]:
    """Read two sides, and change them as the options ask.

    Raises
    ------
    InputError, UsageError
        As `read_side` and `edited`.
    """
    task = options.get("task", "subtask")
    reading = options.get("reading") or {}
    theirs = options.get("prediction_reading")
    sides = (
        read_side(reference, task, reading),
        read_side(prediction, task, reading if theirs is None else theirs),
    )
    changes = {name: value for name, value in options.items() if name in _EDITS}
    return edited(*sides, **changes)  # type: ignore[arg-type]


def recorded_lines(options: AskOptions) -> tuple[list[Judgment], list[Input]]:
    """Return all recorded judgments given, and those of the store.

    With a model its own answers are left to it: of the store only what was imported counts, and of
    that only what people and this very judge have said, unless another judge is chosen.
    """
    lines, inputs = load_judgments(options.get("judgments", ()))
    model, store = options.get("model"), options.get("store")
    if model:
        place = store if isinstance(store, Store) else Path(store or default_store_path())
        kept, sources = read_imported(place)
        if not options.get("mix") and not options.get("judge"):
            name = options.get("judge_name") or model
            prompt = prompt_for(options.get("task", "subtask"), options.get("prompt"))
            own = [(name, asked) for asked in prompt_names(prompt)]
            kept = [line for line in kept if line.is_human or asker(line) in own]
        lines, inputs = [*lines, *kept], [*inputs, *(sources if kept else ())]
    elif store is not None and not isinstance(store, Store):
        kept, sources = load_judgments(store)
        lines, inputs = [*lines, *kept], [*inputs, *sources]
    return lines, inputs


def chosen(lines: list[Judgment], options: AskOptions, run: int) -> list[Judgment]:
    """Choose the lines of the judge and prompt named, and of one run; see `select`."""
    prompt = options.get("prompt")
    if prompt and Path(prompt).is_file():
        prompt = prompt_for(options.get("task", "subtask"), prompt).id
    return select(lines, options.get("judge"), prompt, mix=options.get("mix", False), run=run)


def refuse_mixture_with_model(records: Records, options: AskOptions) -> None:
    """Refuse to ask a model beside another judge's records, unless the options allow it."""
    asked = prompt_for(options.get("task", "subtask"), options.get("prompt"))
    name = options.get("judge_name") or options.get("model") or ""
    refuse_mixture(records, name, asked, options.get("mix", False))
