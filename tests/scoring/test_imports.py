"""What starting up costs: nothing that a score does not need is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"

#: Slow to import, and needed at the edges only.
SLOW = ("litellm", "pandas", "scipy.optimize", "pyarrow", "jinja2", "fastapi", "openai", "httpx")

SCRIPT = """
import json, sys
{code}
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""

COMMAND = """
sys.argv = ["segjudge", *{arguments!r}]
from segjudge.cli import main
try:
    main()
except SystemExit as done:
    assert not done.code, done.code
"""


def imported(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(code=code)],
        capture_output=True,
        check=True,
        text=True,
        env={"PATH": "", "COLUMNS": "200", "HOME": "/nonexistent"},
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def score(*more: str) -> str:
    files = [str(KITCHEN / name) for name in ("reference.jsonl", "prediction_careful.jsonl")]
    judgments = ["--judgments", str(KITCHEN / "judgments.jsonl")]
    return COMMAND.format(arguments=["score", *files, *judgments, *more])


@pytest.mark.parametrize(
    "code",
    [
        "import segjudge",
        COMMAND.format(arguments=["--help"]),
        COMMAND.format(arguments=["score", "--help"]),
        score(),
        score("--metric", "psj_same", "--metric", "semantic_f1@0.5,snap=outer", "--json", "-"),
    ],
    ids=["import", "help", "help of score", "score", "score with metrics"],
)
def test_no_slow_module(code):
    modules = imported(code)
    assert "segjudge" in modules
    assert not set(SLOW) & modules


def test_the_check_itself_sees_them():
    assert {"pandas"} <= imported("import segjudge, pandas")
