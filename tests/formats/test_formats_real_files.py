"""The real files, where they are at hand: they never enter the repository."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from segjudge.formats import read, write
from segjudge.inspection import inspect

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real files are not at hand")


@needs_data
def test_gold() -> None:
    path = DATA / "wgo_bench" / "gold.jsonl"
    gold = read(path)
    assert (len(gold), len(gold.episodes), len(gold.labels)) == (743, 100, 596)
    assert gold.tracks == ("",)
    assert gold.source is not None
    assert gold.source.format == "wgo"
    assert gold.source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    families = gold.table.fields["family"]
    assert [families.count(name) for name in ("homer", "droid", "galaxea")] == [25, 50, 25]
    assert gold.table.fields["instruction"].count("") == 6
    assert int((gold.table.duration < 0).sum()) == 25
    assert int(gold.length.min()) == 193_000
    assert int(gold.length.max()) == 112_042_000
    found = {item.code: item.count for item in inspect(gold)}
    assert found["placeholder_labels"] == 1
    assert found["adjacent_duplicates"] == 3
    assert "self_overlap" not in found
    assert "zero_length" not in found


@needs_data
def test_predictions() -> None:
    pred = read(DATA / "wgo_bench" / "predictions_sheets.jsonl")
    assert (len(pred), len(pred.episodes)) == (484, 100)
    assert pred.source is not None
    assert pred.source.format == "triples"
    assert int(pred.table.failed.sum()) == 2
    found = {item.code: item.count for item in inspect(pred)}
    assert found["failed_episodes"] == 2
    assert found["empty_episodes"] == 1
    assert found["snake_case_labels"] == 484


@needs_data
@pytest.mark.parametrize("named", [False, True])
def test_narrations(named: bool) -> None:
    columns = {
        "start": "start_timestamp", "end": "stop_timestamp", "label": "narration",
        "episode": "video_id",
    }  # fmt: skip
    path = DATA / "epic_kitchens" / "validation_8_videos.csv"
    read_back = read(path, columns=columns if named else None)
    assert (len(read_back), len(read_back.episodes)) == (345, 8)
    assert read_back.source is not None
    assert read_back.source.format == "csv"
    assert read_back.start[:2].tolist() == [6_790_000, 11_800_000]
    assert read_back.end[:2].tolist() == [10_500_000, 13_440_000]
    assert set(read_back.table.fields) == {"participant_id"}
    frames = read(
        path,
        unit="frames",
        fps=60,
        columns={**columns, "start": "start_frame", "end": "stop_frame"},
    )
    assert frames.start[0] == 6_783_333


@needs_data
@pytest.mark.parametrize("format", ["segjudge", "csv"])
@pytest.mark.parametrize("name", ["gold.jsonl", "predictions_sheets.jsonl"])
def test_conversion_loses_nothing(name: str, format: str, tmp_path: Path) -> None:
    first = read(DATA / "wgo_bench" / name)
    write(first, tmp_path / "a", format)
    second = read(tmp_path / "a")
    for column in ("episode", "track", "start", "end", "label"):
        assert getattr(first, column).tolist() == getattr(second, column).tolist()
    assert (first.episodes, first.labels) == (second.episodes, second.labels)
    assert dict(first.table.fields) == dict(second.table.fields)
    assert first.table.duration.tolist() == second.table.duration.tolist()
    assert first.table.failed.tolist() == second.table.failed.tolist()
