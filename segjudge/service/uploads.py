"""Receiving files: kept under names of our own, called by the client's in messages."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from fastapi import HTTPException, Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from segjudge.errors import InputError, Problem, UsageError
from segjudge.service.guard import Bounded, announced
from segjudge.service.schema import RunOptions, RunRequest
from segjudge.service.settings import Settings
from segjudge.service.work import FILES

#: Parts of a form beside its files.
_OPTIONS = "options"
_MOST_PARTS = 8


async def receive_run(
    request: Request, settings: Settings, folder: Path
) -> tuple[RunOptions, dict[str, str]]:
    """Take the files and options of a run.

    Parameters
    ----------
    request : Request
        A form with the parts reference, prediction, judgments and options, or one JSON document.
    settings : Settings
    folder : Path
        Where to put the files. It is made.

    Returns
    -------
    options : RunOptions
    names : dict of str to str
        Role -> what the client calls the file.

    Raises
    ------
    HTTPException
        413, 415: too large, or neither a form nor JSON.
    InputError, ValidationError
        The request isn't what it should be.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        if refused := announced(request.headers, settings.max_json):
            raise HTTPException(refused.status_code, f"JSON of at most {settings.max_json} bytes")
        body = await Request(
            request.scope, Bounded(request.receive, settings.max_json, settings.upload_seconds)
        ).body()
        return await asyncio.to_thread(_from_json, body, folder)
    if kind != "multipart/form-data":
        raise HTTPException(415, "a form (multipart/form-data) or one document (application/json)")
    try:
        form = await request.form(max_files=_MOST_PARTS, max_fields=_MOST_PARTS)
    except (LookupError, UnicodeError) as error:
        raise HTTPException(400, f"the form can't be read: {error}") from None
    try:
        return await asyncio.to_thread(_from_form, form, folder)
    finally:
        await form.close()


def _from_json(body: bytes, folder: Path) -> tuple[RunOptions, dict[str, str]]:
    asked = RunRequest.model_validate_json(body)
    texts = {"reference": _text("reference", asked.reference)}
    texts["prediction"] = _text("prediction", asked.prediction)
    if asked.judgments is not None:
        lines = (json.dumps(line, ensure_ascii=False) for line in asked.judgments)
        texts["judgments"] = "".join(f"{line}\n" for line in lines)
    for role, text in texts.items():
        _place(folder, role).write_text(text, encoding="utf-8")
    return asked.options, {role: role for role in texts}


def _text(role: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    raise InputError(Problem("", role, "", "", "annotations: an object, an array or a file's text"))


def _from_form(form: FormData, folder: Path) -> tuple[RunOptions, dict[str, str]]:
    problems: list[Problem] = []
    names: dict[str, str] = {}
    options = RunOptions()
    for part, value in form.multi_items():
        if part == _OPTIONS and isinstance(value, str):
            try:
                options = RunOptions.model_validate_json(value or "{}")
            except ValidationError as error:
                problems += [replace(each, place=_OPTIONS) for each in explained(error)]
        elif part not in FILES:
            known = ", ".join((*FILES, _OPTIONS))
            problems.append(Problem("", f"part {part[:80]!r}", "", "", f"one of {known}"))
        elif part in names:
            problems.append(Problem("", f"part {part!r}", "", "", "each part once"))
        elif isinstance(value, UploadFile):
            names[part] = shown_name(value.filename or part)
            with _place(folder, part).open("wb") as stream:
                shutil.copyfileobj(value.file, stream, 2**20)
        else:
            names[part] = part
            _place(folder, part).write_text(value, encoding="utf-8")
    problems += [
        Problem("", f"part {role!r}", "", "", "a file of annotations")
        for role in ("reference", "prediction")
        if role not in names
    ]
    if problems:
        raise InputError(problems)
    return options, names


def _place(folder: Path, role: str) -> Path:
    path = folder / FILES[role]
    path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    return path


def shown_name(name: str) -> str:
    """Return what to call a client's file: its name without folders, for people to read only."""
    name = PurePosixPath(PureWindowsPath(name).name).name
    return "".join(letter for letter in name if letter.isprintable())[:200] or "file"


def check_model(options: RunOptions | Any, settings: Settings) -> None:
    """Refuse a model that the service was not started with.

    Raises
    ------
    UsageError
        It is none of them.
    """
    if options.model is not None and options.model not in settings.models:
        offered = ", ".join(settings.models) or "none"
        raise UsageError(f"no model {options.model!r} is offered here; there are: {offered}")


def plain(message: str) -> str:
    """Return what pydantic says without the name of the exception that it caught."""
    return message.removeprefix("Value error, ")


def explained(error: ValidationError) -> list[Problem]:
    """Turn what pydantic says of a request into problems."""
    return [
        Problem("", "", ".".join(map(str, fault["loc"])), "", plain(fault["msg"]))
        for fault in error.errors(include_url=False, include_input=False, include_context=False)
    ]
