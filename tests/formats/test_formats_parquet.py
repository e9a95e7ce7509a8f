"""Parquet: nested, JSON text in a column, flat; video is never loaded."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from segjudge.errors import InputError, UsageError
from segjudge.formats import read

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

S = 1_000_000
WGO = [
    {
        "id": "a",
        "instruction": "tidy",
        "segments": [
            {"start_sec": 0.0, "end_sec": 2.0, "subtask": "x"},
            {"start_sec": 2.0, "end_sec": 3.0, "subtask": "y"},
        ],
        "metadata": json.dumps({"duration_sec": 3.5, "source_family": "droid"}),
        "video": {"bytes": b"\0" * 100_000, "path": "a.mp4"},
    },
    {
        "id": "b",
        "instruction": "",
        "segments": [{"start_sec": 0.0, "end_sec": 1.0, "subtask": "x"}],
        "metadata": "{}",
        "video": {"bytes": b"\1" * 100_000, "path": "b.mp4"},
    },
]
TWO = [("a", "", 0, 2 * S, "x"), ("a", "", 2 * S, 3 * S, "y"), ("b", "", 0, S, "x")]


def save(rows: list[dict[str, Any]], path: Path) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_nested_rows_without_their_video(tmp_path: Path, segments: Any) -> None:
    path = save(WGO, tmp_path / "wgo.parquet")
    back = read(path)
    assert back.source is not None
    assert back.source.format == "wgo"
    assert segments(back) == TWO
    assert back.table.duration.tolist() == [3_500_000, -1]
    assert back.table.fields["family"] == ("droid", None)
    assert back.table.fields["instruction"] == ("tidy", "")
    assert "video" not in back.table.fields


def test_the_bytes_of_a_video_are_not_even_read(tmp_path: Path, segments: Any) -> None:
    path = save(WGO, tmp_path / "wgo.parquet")
    # Breaking the pages of the video column must go unnoticed.
    group = pq.ParquetFile(path).metadata.row_group(0)
    columns = [group.column(i) for i in range(group.num_columns)]
    (video,) = [c for c in columns if c.path_in_schema == "video.bytes"]
    start = video.dictionary_page_offset or video.data_page_offset
    data = bytearray(path.read_bytes())
    data[start : start + video.total_compressed_size] = b"\xff" * video.total_compressed_size
    path.write_bytes(bytes(data))
    assert segments(read(path)) == TWO


def test_json_text_in_a_column(tmp_path: Path, segments: Any) -> None:
    rows = [{"id": row["id"], "segments": json.dumps(row["segments"])} for row in WGO]
    assert segments(read(save(rows, tmp_path / "a.parquet"))) == TWO


def test_flat_rows(tmp_path: Path, segments: Any) -> None:
    rows = [
        {"episode_index": 0, "start_frame": 0, "end_frame": 20, "label": "x", "site": "s"},
        {"episode_index": 1, "start_frame": 10, "end_frame": 20, "label": "y", "site": "t"},
    ]
    back = read(save(rows, tmp_path / "a.parquet"), fps=10)
    assert segments(back) == [("0", "", 0, 2 * S, "x"), ("1", "", S, 2 * S, "y")]
    assert dict(back.table.fields) == {"site": ("s", "t")}


def test_egohome_rows(tmp_path: Path, segments: Any) -> None:
    row = {
        "clip_id": "c",
        "hand_boxes": [{"t": 0.0, "left": [1.0, 2.0, 3.0, 4.0]}],
        "subtasks": [{"start": 0.0, "end": 1.0, "label": "s"}],
        "hand_actions": {"left": [], "right": [{"start": 0.5, "end": 1.0, "label": "hold"}]},
    }
    path = save([row], tmp_path / "a.parquet")
    assert segments(read(path)) == [("c", "", 0, S, "s")]
    assert segments(read(path, task="hand-action")) == [("c", "right", S // 2, S, "hold")]


def test_packed(tmp_path: Path, segments: Any) -> None:
    path = save(WGO, tmp_path / "a.parquet")
    packed = tmp_path / "a.parquet.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert segments(read(packed)) == TWO


def test_bad_values_name_their_row(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "segments": [{"start_sec": 1.0, "end_sec": 0.5, "subtask": "x"}]},
        {"id": "b", "segments": [{"start_sec": 1.0, "end_sec": None, "subtask": None}]},
        {"id": "c", "segments": None},
    ]
    with pytest.raises(InputError) as caught:
        read(save(rows, tmp_path / "a.parquet"))
    assert [(p.place, p.field, p.value) for p in caught.value.problems] == [
        ("row 1, episode 'a', segment 1", "end_sec", "0.5"),
        ("row 2, episode 'b', segment 1", "end_sec", "null"),
        ("row 2, episode 'b', segment 1", "subtask", "null"),
        ("row 3, episode 'c'", "segments", "null"),
    ]


def test_flat_columns_that_are_missing(tmp_path: Path) -> None:
    path = save([{"clip": "a", "start": 0.0, "end": 1.0, "label": "x"}], tmp_path / "a.parquet")
    with pytest.raises(InputError, match="this is parquet with the columns 'clip', 'start'"):
        read(path)
    assert len(read(path, columns={"episode": "clip"})) == 1


def test_damaged_files(tmp_path: Path) -> None:
    whole = save(WGO, tmp_path / "a.parquet").read_bytes()
    path = tmp_path / "b.parquet"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="expected parquet that can be read: "):
        read(path)
    path.write_bytes(b"PAR1")
    with pytest.raises(InputError, match="expected parquet that can be read: "):
        read(path)
    small = save([{**row, "video": None} for row in WGO], path).read_bytes()
    chance = random.Random(0)
    for _ in range(100):
        data = bytearray(small)
        data[chance.randrange(4, len(data))] = chance.randrange(256)
        path.write_bytes(bytes(data))
        try:
            read(path)
        except (InputError, UsageError):
            continue


def test_without_pyarrow_the_install_command_is_named(tmp_path: Path) -> None:
    path = save(WGO, tmp_path / "a.parquet")
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from segjudge.formats import read\n"
        "from segjudge.errors import UsageError\n"
        "try:\n    read(sys.argv[1])\nexcept UsageError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        f"{path} is parquet, which needs pyarrow: pip install 'segjudge[parquet]'\n"
    )
