"""Prompts by name or from a file: Markdown with a front matter of ``key: value`` lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from segjudge.errors import InputError, Problem, UsageError, shown
from segjudge.prompts.prompt import VERDICTS, Prompt

#: A distribution adds prompts by naming, in this group, a package that holds Markdown files.
GROUP = "segjudge.prompts"

_WORD = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]*")
_REQUIRED = ("name", "version", "task", "kind")
_CHOICES = {"kind": tuple(VERDICTS), "wording": ("own", "published")}
_KEYS = (*_REQUIRED, "benchmark", "wording")


def load(name_or_path: str | os.PathLike[str]) -> Prompt:
    """Return a prompt.

    Parameters
    ----------
    name_or_path : str or path
        NAME (its latest version), NAME@VERSION, or the path of a Markdown file.

    Raises
    ------
    UsageError
        There is no such prompt or file.
    InputError
        The file is no prompt; every problem in its front matter is named.
    """
    given = os.fspath(name_or_path)
    known = _known()
    if isinstance(name_or_path, str):
        if given in known:
            return known[given]
        versions = [prompt for prompt in known.values() if prompt.name == given]
        if versions:
            return versions[-1]
    path = Path(given)
    if path.is_file():
        try:
            return parse(path.read_bytes(), given, path)
        except OSError as error:
            raise InputError(Problem(given, "", "", "", error.strerror or str(error))) from error
    raise UsageError(f"no prompt {given!r} and no such file; prompts are: {', '.join(known)}")


def names() -> tuple[str, ...]:
    """Return the prompts there are, as ``name@version``, sorted, versions ascending."""
    return tuple(_known())


@cache
def _known() -> dict[str, Prompt]:
    """Read the prompts of segjudge and of every plug-in."""
    found: dict[str, Prompt] = {}
    packages = ["segjudge.prompts", *(point.value for point in entry_points(group=GROUP))]
    for package in packages:
        for prompt in _in_package(package):
            if prompt.id in found:
                raise InputError(f"{package}: there already is a prompt {prompt.id}")
            found[prompt.id] = prompt
    return {each.id: each for each in sorted(found.values(), key=_by_version)}


def _in_package(package: str) -> Iterator[Prompt]:
    for file in resources.files(package).iterdir():
        if file.name.endswith(".md"):
            yield parse(file.read_bytes(), f"{package}/{file.name}")


def _by_version(prompt: Prompt) -> tuple[str, list[tuple[int, str]]]:
    """Sort by name, then version with numbers as numbers: 2 before 10."""
    parts = re.findall(r"\d+|\D+", prompt.version)
    return prompt.name, [(int(part) if part.isdecimal() else -1, part) for part in parts]


def parse(data: bytes, source: str, path: Path | None = None) -> Prompt:
    """Read a prompt from the bytes of its file.

    Line ends, and blank lines around the text, don't count, so a checkout on another system gives
    the same key.

    Parameters
    ----------
    data : bytes
        UTF-8.
    source : str
        What to call it in messages.
    path : Path, optional
        Where it was read.

    Raises
    ------
    InputError
        Every problem found.
    """
    try:
        lines = re.split("\r\n|\r|\n", data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(
            Problem(source, f"byte {error.start}", "", "", "expected UTF-8")
        ) from error
    if lines[0].rstrip() != "---":
        raise InputError(Problem(source, "line 1", "", shown(lines[0]), "--- and a front matter"))
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    if not end:
        raise InputError(
            Problem(source, "line 1", "", "", "expected a front matter that ends with ---")
        )
    problems: list[Problem] = []
    fields = _front_matter(lines[1:end], source, problems)
    text = "\n".join(line.rstrip() for line in lines[end + 1 :]).strip("\n")
    if not text:
        problems.append(
            Problem(source, f"line {end + 1}", "", "", "expected the prompt's text after ---")
        )
    if problems:
        raise InputError(problems)
    chosen: dict[str, Any] = dict(fields)
    return Prompt(**chosen, text=text, path=path)


def _front_matter(lines: list[str], source: str, problems: list[Problem]) -> dict[str, str]:
    """Read ``key: value`` lines; what is wrong with them goes to `problems`."""
    fields: dict[str, str] = {}
    for number, line in enumerate(lines, 2):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        expected = _expected(key, colon, value, fields)
        if expected:
            problems.append(Problem(source, f"line {number}", "", shown(line), expected))
        fields[key] = value
    problems += [
        Problem(source, "front matter", key, "", f"a line `{key}: ...`")
        for key in _REQUIRED
        if key not in fields
    ]
    return fields


def _expected(key: str, colon: str, value: str, before: dict[str, str]) -> str:
    """Return what should stand in a line of the front matter instead; empty if it is right."""
    if not colon:
        return "key: value"
    if key not in _KEYS:
        return f"one of the keys {', '.join(_KEYS)}"
    if key in before:
        return f"{key} only once"
    if key in _CHOICES and value not in _CHOICES[key]:
        return f"one of {', '.join(_CHOICES[key])}"
    if key in _REQUIRED and not _WORD.fullmatch(value):
        return "a word of ASCII letters, digits, '.', '_' and '-'"
    return ""
