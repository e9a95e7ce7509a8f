"""Help pages, the version, and the two ways to start the program."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from cli_kitchen import CAREFUL, REFERENCE, Ended

import segjudge as package
from segjudge.cli import app

Run = Callable[..., Ended]


def every(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give every command and group of commands with the words that call it."""
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        yield from every(command, (*path, name))


COMMANDS = dict(every(typer.main.get_command(app)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_names_everything_that_can_be_typed(segjudge: Run, path: tuple[str, ...]) -> None:
    ended = segjudge(*path, "--help")
    assert ended.status == 0
    assert not ended.err
    assert ended.out.startswith(f"Usage: segjudge {' '.join(path)}".rstrip())
    for parameter in COMMANDS[path].params:
        for name in (*parameter.opts, *parameter.secondary_opts):
            shown = name if name.startswith("-") else (parameter.metavar or name)
            assert shown.strip("[]{}.") in ended.out
        assert parameter.name == "help" or getattr(parameter, "help", "no help") != ""
    for name in getattr(COMMANDS[path], "commands", {}):
        assert f"\n  {name} " in ended.out


def test_h_is_help(segjudge: Run) -> None:
    assert segjudge("score", "-h") == segjudge("score", "--help")


@pytest.mark.parametrize("path", [(), ("judgments",), ("prompt",)])
def test_a_group_alone_shows_its_help(segjudge: Run, path: tuple[str, ...]) -> None:
    ended = segjudge(*path)
    assert ended.status == 2
    assert "Commands:" in ended.out + ended.err


def test_version(started: Run) -> None:
    assert started("--version") == Ended(0, f"segjudge {package.__version__}\n", "")


def test_python_m_is_the_same_program(started: Run, here: Path, variables: dict[str, str]) -> None:
    line = ("score", REFERENCE, CAREFUL, "--metric", "segmentation_f1", "--csv", "-")
    ran = subprocess.run(
        [sys.executable, "-m", "segjudge", *line],
        cwd=here,
        env=variables,
        capture_output=True,
        encoding="utf-8",
    )
    assert started(*line) == Ended(ran.returncode, ran.stdout, ran.stderr)
    assert ran.returncode == 0
