"""What `segjudge score` writes besides its report: the page, tables, Markdown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypedDict, TypeVar

import typer
from pydantic import BaseModel, ValidationError

from segjudge.errors import InputError, Problem
from segjudge.report import Report
from segjudge.report.exports import markdown_text, write_csv_folder
from segjudge.report.floors import FloorsReport
from segjudge.report.gaming import GameReport
from segjudge.report.page import page
from segjudge.report.tables import csv_text
from segjudge.scoring import Case
from segjudge.scoring.detail import detail
from segjudge.writing import write_text

Model = TypeVar("Model", bound=BaseModel)


class Exports(TypedDict):
    """Files to write; None for those not wanted."""

    csv: str | None
    html: str | None
    markdown: str | None
    floors: Path | None
    game: Path | None


def export_options(
    csv_file: Annotated[
        str | None,
        typer.Option(
            "--csv",
            metavar="FILE|DIR/",
            help="Write a row an episode, group and corpus; into a folder, or where the name ends "
            "in /: episodes.csv, segments.csv and pairs.csv.",
        ),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a page that shows where the score comes from."),
    ] = None,
    markdown: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the figures as a Markdown table; - prints it."),
    ] = None,
    floors: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Show these on the page: `baselines --json FILE`."),
    ] = None,
    game: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Show these on the page: `game --json FILE`."),
    ] = None,
) -> Exports:
    """Turn what was typed into the files to write."""
    return {"csv": csv_file, "html": html, "markdown": markdown, "floors": floors, "game": game}


def write_exports(case: Case, result: Report, wanted: Exports) -> None:
    """Write what is wanted of a report.

    Raises
    ------
    InputError, UsageError
        A file can't be read or written, or was computed on other files.
    """
    floors = _read(wanted["floors"], FloorsReport)
    game = _read(wanted["game"], GameReport)
    if wanted["markdown"]:
        write_text(wanted["markdown"], markdown_text(result))
    folder = wanted["csv"] is not None and _is_folder(wanted["csv"])
    if wanted["csv"] and not folder:
        write_text(wanted["csv"], csv_text(result))
    if not folder and not wanted["html"]:
        return
    behind = detail(case)
    if wanted["csv"] and folder:
        write_csv_folder(wanted["csv"], result, behind)
    if wanted["html"]:
        write_text(wanted["html"], page(result, behind, floors=floors, game=game))


def _is_folder(path: str) -> bool:
    return path.endswith(("/", os.sep)) or Path(path).is_dir()


def _read(path: Path | None, model: type[Model]) -> Model | None:
    """Return a report of another command, as it wrote it."""
    if path is None:
        return None
    expected = f"JSON of the schema {model.model_fields['schema_'].default}"
    try:
        return model.model_validate_json(path.read_bytes())
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(Problem(str(path), "", "", "", f"can't read: {reason}")) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(Problem(str(path), place, "", first["msg"], expected)) from error
