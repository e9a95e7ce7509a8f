"""The program as a user starts it: the console script, in a process and folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = Path(sys.executable).with_name("segjudge")
KITCHEN = "examples/kitchen"
REFERENCE = f"{KITCHEN}/reference.jsonl"
CAREFUL = f"{KITCHEN}/prediction_careful.jsonl"
HASTY = f"{KITCHEN}/prediction_hasty.jsonl"
JUDGED = ("--judgments", f"{KITCHEN}/judgments.jsonl")

Ran = subprocess.CompletedProcess[str]
Run = Callable[..., Ran]


def environment() -> dict[str, str]:
    """Return the variables that a command gets: the same wherever the tests run."""
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "COLUMNS": "100", "TERM": "dumb"}


@pytest.fixture(scope="session")
def program() -> str:
    return os.fspath(SCRIPT)


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the examples, for commands that write nothing."""
    folder = tmp_path_factory.mktemp("shared")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


@pytest.fixture
def here(examples: Path, tmp_path: Path) -> Path:
    """A folder of the test's own in which `examples/` can be read."""
    (tmp_path / "examples").symlink_to(examples / "examples")
    return tmp_path


@pytest.fixture(scope="session")
def segjudge(program: str) -> Run:
    """Run ``segjudge ARGUMENTS`` in a folder; no traceback may ever be seen."""

    def run(folder: Path, *arguments: str, text: str | None = None) -> Ran:
        ran = subprocess.run(
            [program, *arguments],
            cwd=folder,
            env=environment(),
            input=text,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        assert "Traceback" not in ran.stdout + ran.stderr, ran.stderr
        return ran

    return run
