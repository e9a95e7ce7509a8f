"""Options that several commands share, written down once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import typer

from segjudge.errors import UsageError
from segjudge.scoring import CaseOptions

R = TypeVar("R")

_SIDES = ("reference", "prediction")

Reference = Annotated[str, typer.Argument(metavar="REFERENCE", help="The truth: annotations.")]
Prediction = Annotated[str, typer.Argument(metavar="PREDICTION", help="What is scored.")]

#: A value for both sides, or ``reference:VALUE`` / ``prediction:VALUE``; may be given twice.
BySide = list[str]


def case_options(
    task: Annotated[
        str,
        typer.Option(
            metavar="TASK",
            help="subtask, hand-caption or hand-action: what EgoHome rows give.",
        ),
    ] = "subtask",
    metric: Annotated[
        list[str],
        typer.Option(
            metavar="NAME[@THETA][,OPTION=VALUE]",
            help="Metric, such as psj or semantic_f1@0.75,snap=outer; may be repeated. "
            "`segjudge metrics` lists them.",
        ),
    ] = [],  # noqa: B006 - typer reads the default, nothing changes it
    judgments: Annotated[
        list[Path],
        typer.Option(
            metavar="FILE|DIR",
            help="Recorded judgments: JSON lines or a store; may be repeated.",
        ),
    ] = [],  # noqa: B006
    judge: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Use the recorded judgments of this judge."),
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Use the recorded judgments of this prompt; ask with it.",
        ),
    ] = None,
    run: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Use the recorded judgments of this run; ask for it. Another number repeats "
            "every question, for a noise floor.",
        ),
    ] = 1,
    mix: Annotated[
        bool,
        typer.Option("--mix", help="Allow judgments of several judges or prompts."),
    ] = False,
    no_identity: Annotated[
        bool,
        typer.Option(
            "--no-identity",
            help="Let the judge decide equal labels too.",
        ),
    ] = False,
    verbs: Annotated[
        str | None,
        typer.Option(
            metavar="LIST|CSV",
            help="What decides hand actions: ego4d-118 (the default), ego4d-117, ego4d-115, a CSV "
            "of labels and groups, or none.",
        ),
    ] = None,
    context: Annotated[
        str,
        typer.Option(
            metavar="FIELD",
            help="none, or the field of the reference's episodes that a question carries, "
            "such as instruction.",
        ),
    ] = "none",
    format: Annotated[
        BySide,
        typer.Option(
            metavar="[SIDE:]NAME",
            help="Force a format; `segjudge formats` lists them. With `prediction:` or "
            "`reference:` in front it is for that side; so are --unit, --fps and --columns.",
        ),
    ] = [],  # noqa: B006
    unit: Annotated[
        BySide,
        typer.Option(
            metavar="[SIDE:]UNIT",
            help="Unit of times: s, ms, us, frames.",
        ),
    ] = [],  # noqa: B006
    fps: Annotated[
        BySide,
        typer.Option(metavar="[SIDE:]N", help="Frames a second, for frames."),
    ] = [],  # noqa: B006
    columns: Annotated[
        BySide,
        typer.Option(
            metavar="[SIDE:]start=A,end=B,...",
            help="Columns of a table: start=, end=, label=, episode=, track=.",
        ),
    ] = [],  # noqa: B006
    episodes: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|REGEX",
            help="Score these episodes only: a file of ids, or a pattern for the whole id.",
        ),
    ] = None,
    id_map: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="Two columns: the prediction's episode id, the reference's.",
        ),
    ] = None,
    offset: Annotated[
        list[str],
        typer.Option(
            metavar="[EPISODE=]SECONDS",
            help="Add to the prediction's clock; may be repeated for single episodes.",
        ),
    ] = [],  # noqa: B006
    clip: Annotated[
        str,
        typer.Option(
            metavar="none|duration",
            help="Cut segments at the episode's duration, both sides.",
        ),
    ] = "none",
    ignore_label: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="Drop segments whose label matches, both sides.",
        ),
    ] = None,
    leave_out_failed: Annotated[
        bool,
        typer.Option(
            "--leave-out-failed",
            help="Leave out episodes that the prediction says have failed. The default scores "
            "them as empty.",
        ),
    ] = False,
    resolution: Annotated[
        str,
        typer.Option(
            metavar="us|ms",
            help="What the files' times are rounded to; ms widens the slack of IoU thresholds.",
        ),
    ] = "us",
) -> CaseOptions:
    """Turn what was typed into the keyword options of `segjudge.score`."""
    readings = [reading(side, format, unit, fps, columns) for side in _SIDES]
    options: dict[str, Any] = {
        "task": task,
        "metrics": metric,
        "judgments": judgments,
        "judge": judge,
        "prompt": prompt,
        "run": run,
        "mix": mix,
        "identity": not no_identity,
        "verbs": verbs,
        "context": context,
        "reading": readings[0],
        "prediction_reading": readings[1] if readings[1] != readings[0] else None,
        "episodes": episodes,
        "id_map": id_map,
        "offset": _offset(offset),
        "clip": clip,
        "ignore_label": ignore_label,
        "leave_out_failed": leave_out_failed,
        "resolution": resolution,
    }
    return cast(CaseOptions, options)


def reading(
    side: str, format: BySide, unit: BySide, fps: BySide, columns: BySide
) -> dict[str, Any]:
    """Return the keyword options of `segjudge.read` for one side."""
    found = {
        "format": for_side(format, side, "--format"),
        "unit": for_side(unit, side, "--unit"),
        "fps": number("--fps", for_side(fps, side, "--fps")),
        "columns": _columns(for_side(columns, side, "--columns")),
    }
    return {name: value for name, value in found.items() if value is not None}


def for_side(values: BySide, side: str, option: str = "an option") -> str | None:
    """Return the value that is for this side or for both; one for the side wins.

    Raises
    ------
    UsageError
        There are two for the side, or two for both.
    """
    found: dict[str, str] = {}
    for value in values:
        head, colon, rest = value.partition(":")
        scope, rest = (head, rest) if colon and head in _SIDES else ("", value)
        if scope in found:
            whose = f" for the {scope}" if scope else ""
            raise UsageError(f"{option} is given twice{whose}: {found[scope]!r} and {rest!r}")
        found[scope] = rest
    return found.get(side, found.get(""))


def number(option: str, text: str | None) -> float | None:
    """Return the number that an option gave, if it gave one.

    Raises
    ------
    UsageError
        It is none.
    """
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{option} {text!r} is no number") from None


def _columns(text: str | None) -> dict[str, str] | None:
    if text is None:
        return None
    columns: dict[str, str] = {}
    for part in text.split(","):
        name, equals, column = part.partition("=")
        if not equals or not name.strip() or not column.strip():
            raise UsageError(f"--columns: {part!r} is not NAME=COLUMN, such as start=begin_time")
        if name.strip() in columns:
            raise UsageError(f"--columns: {name.strip()}= is given twice")
        columns[name.strip()] = column.strip()
    return columns


def _offset(texts: list[str]) -> float | dict[str, float]:
    """Return seconds for all, or seconds by episode."""
    moves: dict[str | None, float] = {}
    for text in texts:
        name, equals, seconds = text.rpartition("=")
        value = number("--offset", seconds)
        assert value is not None
        episode = name if equals else None
        if episode in moves:
            whose = "" if episode is None else f" for {episode!r}"
            raise UsageError(f"--offset is given twice{whose}")
        moves[episode] = value
    every = moves.pop(None, None)
    if every is not None and moves:
        raise UsageError("--offset: give one for all episodes, or single ones, not both")
    single = {name: value for name, value in moves.items() if name is not None}
    return single or every or 0.0


def takes(
    shared: Callable[..., Any],
    name: str,
    *,
    without: Collection[str] = (),
    only: Collection[str] | None = None,
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a command the options of `shared` as well; what that returns is passed as `name`.

    Typer reads a command's options off its signature, so the two signatures are joined. Options
    in `without`, or not in `only`, can't be typed and have their defaults.
    """
    extra = {
        key: parameter
        for key, parameter in _parameters(shared).items()
        if key not in without and (only is None or key in only)
    }

    def joined(command: Callable[..., R]) -> Callable[..., R]:
        def run(**values: Any) -> R:
            options = shared(**{key: values.pop(key) for key in extra})
            return command(**values, **{name: options})

        own = {key: value for key, value in _parameters(command).items() if key != name}
        run.__name__, run.__doc__ = command.__name__, command.__doc__
        parameters = [*own.values(), *extra.values()]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return joined


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return a function's parameters, keyword only, their annotations evaluated."""
    hints = get_type_hints(function, include_extras=True)
    return {
        name: parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(function).parameters.items()
    }
