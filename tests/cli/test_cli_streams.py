"""Standard streams that are full, closed, or of few characters: a message, never a traceback."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from cli_kitchen import CAREFUL, JUDGED, PROGRAM, REFERENCE

SCORE = f"{PROGRAM} score {REFERENCE} {CAREFUL} {' '.join(JUDGED)}"


def shell(line: str, here: Path, variables: dict[str, str]) -> tuple[int, str, str]:
    ran = subprocess.run(
        ["sh", "-c", line], cwd=here, env=variables, capture_output=True, text=True, timeout=60
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    "line",
    [
        f"{SCORE} > /dev/full",
        f"{SCORE} --json - > /dev/full",
        f"{PROGRAM} convert {REFERENCE} --to csv > /dev/full",
        f"{PROGRAM} validate {REFERENCE} > /dev/full",
        f"{PROGRAM} formats > /dev/full",
    ],
)
def test_a_full_disk(line: str, here: Path, variables: dict[str, str]) -> None:
    status, out, err = shell(line, here, variables)
    assert (status, out) == (2, "")
    assert "No space left on device" in err
    assert len(err.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_errors_that_nobody_can_read(here: Path, variables: dict[str, str]) -> None:
    line = f"{PROGRAM} validate nowhere.csv 2> /dev/full"
    assert shell(line, here, variables) == (2, "", "")


def test_closed_streams(here: Path, variables: dict[str, str]) -> None:
    assert shell(f"{SCORE} >&-", here, variables) == (0, "", "")
    assert shell(f"{SCORE} --json report.json 2>&- >&-", here, variables) == (0, "", "")
    assert json.loads((here / "report.json").read_text())["metrics"]
    status, out, err = shell(f"{PROGRAM} validate - <&-", here, variables)
    assert (status, out, err) == (2, "", "error: -: the file is empty\n")


def test_a_terminal_of_few_characters(here: Path, variables: dict[str, str]) -> None:
    episode = {"id": "caf\xe9", "instruction": "\u6ce1\u8336", "segments": []}
    (here / "a.jsonl").write_text(json.dumps(episode))
    ascii = {**variables, "PYTHONIOENCODING": "ascii"}
    line = f"{PROGRAM} score a.jsonl a.jsonl --metric segmentation_f1 --by instruction"
    status, out, err = shell(line, here, ascii)
    assert status == 0, err
    assert "\\u6ce1\\u8336" in out
    ran = subprocess.run(
        [PROGRAM, *line.split()[1:], "--json", "-"], cwd=here, env=ascii, capture_output=True
    )
    assert "caf\xe9" in json.loads(ran.stdout)["by_episode"]
