"""A blind audit for those without a browser: a sheet out, verdicts in."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

import segjudge
from segjudge.cli import app

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"
SIDES = [str(KITCHEN / "reference.jsonl"), str(KITCHEN / "prediction_careful.jsonl")]
JUDGED = ["--judgments", str(KITCHEN / "judgments.jsonl")]


def audit(*options: str) -> str:
    result = CliRunner().invoke(app, ["audit", *SIDES, *JUDGED, *options], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_out_filled_in_and_back(tmp_path: Path) -> None:
    sheet, mine, lines = (tmp_path / name for name in ("sheet.csv", "mine.csv", "mine.jsonl"))
    audit("--export", str(sheet), "--size", "30")
    with sheet.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 30
    for row in rows[:25]:
        row["verdict"] = "4"
    with mine.open("w", newline="") as stream:
        table = csv.DictWriter(stream, rows[0])
        table.writeheader()
        table.writerows(rows)
    said = audit("--import", str(mine), "--size", "30", "--name", "anna", "--output", str(lines))
    assert "drawn at random:" in said
    assert "kappa" in said
    judged = segjudge.read_judgments(lines)
    assert len(judged) == 25
    assert {line.judge for line in judged} == {"human:anna"}
    report = segjudge.score(*SIDES, judgments=[JUDGED[1], lines], metrics=["psj"])
    assert report.judge.pairs.human == 25
    assert report.metrics["psj"]["value"] < report.without_human["psj"]["value"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "say where to write to"),
        (["--import", "nowhere.csv"], "--name"),
        (["--import", "nowhere.csv", "--name", "anna"], "No such file"),
    ],
)
def test_what_it_needs(options: list[str], says: str) -> None:
    with pytest.raises(segjudge.SegjudgeError, match=says):
        CliRunner().invoke(app, ["audit", *SIDES, *JUDGED, *options], catch_exceptions=False)


def test_nothing_to_audit(tmp_path: Path) -> None:
    command = ["audit", *SIDES, "--export", str(tmp_path / "sheet.csv")]
    with pytest.raises(segjudge.UsageError, match="no judge decided"):
        CliRunner().invoke(app, command, catch_exceptions=False)
    assert not (tmp_path / "sheet.csv").exists()
