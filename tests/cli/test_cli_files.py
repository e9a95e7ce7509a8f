"""``segjudge validate``, ``convert``, ``formats`` and ``metrics``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_kitchen import CAREFUL, HASTY, JUDGED, REFERENCE, Ended

from segjudge import formats, metrics

Run = Callable[..., Ended]


class TestConvert:
    """What is written reads back the same."""

    @pytest.mark.parametrize("file", [REFERENCE, HASTY, "examples/messy/wgo_rows.jsonl"])
    @pytest.mark.parametrize("to", ["jsonl", "csv", "tsv", "csv.gz", "jsonl.gz"])
    def test_round_trip(self, segjudge: Run, here: Path, file: str, to: str) -> None:
        kind = to.removesuffix(".gz")
        first, second = f"first.{to}", f"second.{to}"
        assert segjudge("convert", file, "--to", kind, "--output", first).status == 0
        assert segjudge("convert", first, "--to", kind, "-o", second).status == 0
        assert (here / first).read_bytes() == (here / second).read_bytes()
        back = segjudge("convert", first, "--to", "jsonl")
        assert back.out == segjudge("convert", file, "--to", "jsonl").out

    def test_the_score_stays(self, segjudge: Run) -> None:
        segjudge("convert", REFERENCE, "--to", "csv", "-o", "reference.csv")
        segjudge("convert", CAREFUL, "--to", "tsv", "-o", "prediction.tsv.gz")
        line = (*JUDGED, "--by", "family", "--csv", "-")
        converted = segjudge("score", "reference.csv", "prediction.tsv.gz", *line)
        assert converted == segjudge("score", REFERENCE, CAREFUL, *line)

    def test_gz_is_gzip(self, segjudge: Run, here: Path) -> None:
        segjudge("convert", REFERENCE, "--to", "jsonl", "-o", "r.jsonl.gz")
        text = gzip.decompress((here / "r.jsonl.gz").read_bytes()).decode()
        assert text == segjudge("convert", REFERENCE, "--to", "jsonl").out

    def test_from_standard_input_to_standard_output(self, started: Run, here: Path) -> None:
        text = (here / "examples/messy/clock.jsonl").read_text()
        ended = started("convert", "-", "--to", "csv", text=text)
        assert ended.status == 0
        assert ended.out.splitlines()[1] == "shed_001,,0,3.4,hang up the hose,,,,subtask"


class TestValidate:
    """What is in files, and what is odd."""

    def test_findings(self, segjudge: Run) -> None:
        ended = segjudge("validate", HASTY, REFERENCE)
        assert ended.status == 0
        lines = ended.out.splitlines()
        assert lines[0] == f"{HASTY}: segjudge, 10 episodes, 82 segments, 78 distinct labels"
        assert "note: 71 segments with a label in snake_case" in lines
        assert lines[-1] == f"{REFERENCE}: segjudge, 11 episodes, 152 segments, 152 distinct labels"

    def test_json(self, segjudge: Run) -> None:
        ended = segjudge("validate", HASTY, REFERENCE, "--json")
        hasty, reference = map(json.loads, ended.out.splitlines())
        assert hasty["episodes"] == 10
        assert {item["code"] for item in hasty["findings"]} >= {"failed_episodes", "coarse_grid"}
        assert reference["findings"] == []

    @pytest.mark.parametrize(
        ("task", "segments"), [("subtask", 8), ("hand-action", 11), ("hand-caption", 8)]
    )
    def test_tasks(self, segjudge: Run, task: str, segments: int) -> None:
        file = "examples/messy/egohome_rows.json"
        assert f" {segments} segments" in segjudge("validate", file, "--task", task).out


def test_formats(segjudge: Run) -> None:
    listed = [line.split()[0] for line in segjudge("formats").out.splitlines()]
    assert listed == list(formats.names())


def test_metrics(segjudge: Run) -> None:
    lines = segjudge("metrics").out.splitlines()
    assert [line.split("@")[0].split(",")[0] for line in lines[::2]] == metrics.names()
    assert all(line.startswith("    ") for line in lines[1::2])
