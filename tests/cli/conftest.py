"""The program as a user starts it, in a folder of its own that has the examples."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_kitchen import PROGRAM, Ended

from segjudge import cli

ROOT = Path(__file__).parents[2]

Run = Callable[..., Ended]


@pytest.fixture(scope="session")
def _examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shared")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder / "examples"


@pytest.fixture(scope="session")
def program() -> str:
    """Return the path of the console script."""
    return os.fspath(PROGRAM)


@pytest.fixture
def here(_examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder in which ``examples/`` can be read."""
    (tmp_path / "examples").symlink_to(_examples)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def variables() -> dict[str, str]:
    """Return the environment of a command: the same wherever the tests run."""
    return {
        "PATH": os.pathsep.join((str(PROGRAM.parent), os.defpath)),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "100",
        "TERM": "dumb",
    }


@pytest.fixture
def started(here: Path, variables: dict[str, str]) -> Run:
    """Run the console script in a process of its own."""

    def run(*arguments: object, text: str = "") -> Ended:
        ran = subprocess.run(
            [PROGRAM, *map(str, arguments)],
            cwd=here,
            env=variables,
            input=text,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        return Ended(ran.returncode, ran.stdout, ran.stderr)

    return run


@pytest.fixture
def segjudge(here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run what the console script runs, in this process: where a process adds nothing."""

    def run(*arguments: object) -> Ended:
        # The folder may stand first; it is the one that the test works in anyway.
        words = [str(word) for word in arguments if word != here]
        monkeypatch.setattr(sys, "argv", ["segjudge", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return Ended(int(ended.value.code or 0), *capfd.readouterr())

    return run


@pytest.fixture
def command(segjudge: Run) -> Run:
    """Run the program in this process, by another name."""
    return segjudge
