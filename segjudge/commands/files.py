"""``segjudge validate``, ``convert``, ``formats`` and ``metrics``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from segjudge import formats, inspection, metrics
from segjudge.annotations import Annotations
from segjudge.commands.options import reading
from segjudge.errors import InputError, Problem
from segjudge.report.tables import findings_list, show, visible
from segjudge.scoring.verbs import verbs_for
from segjudge.verbs import about_prediction

Task = Annotated[str | None, typer.Option(help="subtask, hand-caption or hand-action.")]
Format = Annotated[str | None, typer.Option(metavar="NAME", help="Force a format.")]
Unit = Annotated[str | None, typer.Option(help="Unit of times: s, ms, us, frames.")]
Fps = Annotated[str | None, typer.Option(metavar="N", help="Frames a second, for frames.")]
Columns = Annotated[
    str | None,
    typer.Option(metavar="start=A,end=B,...", help="Columns of a table."),
]

#: Our own format by the name that its files end in.
_OURS = {"jsonl": "segjudge"}


def _read(
    path: str,
    task: str | None,
    format: str | None,
    unit: str | None,
    fps: str | None,
    columns: str | None,
) -> Annotations:
    given = [[value] if value is not None else [] for value in (format, unit, fps, columns)]
    return formats.read(path, task=task, **reading("", *given))


def validate(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Annotations.")],
    task: Task = None,
    format: Format = None,
    unit: Unit = None,
    fps: Fps = None,
    columns: Columns = None,
    verbs: Annotated[
        str | None,
        typer.Option(
            metavar="LIST|CSV",
            help="With --task hand-action: the verbs that labels must mean; ego4d-118 if not "
            "given, or none.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, a line a file.")] = False,
) -> None:
    """Read files, and say what is in them and what is wrong or odd.

    Exit status 2 if any file has an error; every error of every file is listed.
    """
    problems: list[Problem] = []
    taxonomy, _ = verbs_for(task or "subtask", verbs)
    for path in files:
        try:
            annotations = _read(path, task, format, unit, fps, columns)
        except InputError as error:
            problems.extend(error.problems)
            continue
        found = [*annotations.findings, *inspection.inspect(annotations)]
        if taxonomy is not None:
            found += [item.on("") for item in about_prediction(annotations, taxonomy)]
        if as_json:
            described = {
                "file": path,
                "format": annotations.source.format if annotations.source else None,
                "episodes": len(annotations.episodes),
                "segments": len(annotations),
                "tracks": list(annotations.tracks),
                "labels": len(annotations.labels),
                "findings": [asdict(item) for item in found],
            }
            typer.echo(json.dumps(described, ensure_ascii=False))
            continue
        name = annotations.source.format if annotations.source else ""
        typer.echo(
            f"{visible(path)}: {name}, {len(annotations.episodes)} episodes, "
            f"{len(annotations)} segments, {len(annotations.labels)} distinct labels"
        )
        show(findings_list(found))
    if problems:
        raise InputError(problems)


def convert(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Annotations.")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="jsonl, csv or tsv.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; standard output if not given."),
    ] = None,
    task: Task = None,
    format: Format = None,
    unit: Unit = None,
    fps: Fps = None,
    columns: Columns = None,
) -> None:
    """Read annotations of any format and write them as our JSONL, CSV or TSV."""
    annotations = _read(file, task, format, unit, fps, columns)
    formats.write(annotations, output if output is not None else "-", _OURS.get(to, to))
    if output is not None:
        typer.echo(
            f"{output}: {len(annotations.episodes)} episodes, {len(annotations)} segments", err=True
        )


def list_formats() -> None:
    """List the formats that can be read, and those that can be written."""
    for name, description in formats.describe().items():
        typer.echo(f"{name:<20} {description}")


def list_metrics() -> None:
    """List the metrics and their options."""
    for name in metrics.names():
        usage, what = metrics.describe(name)
        typer.echo(f"{usage}\n    {what}")
