"""Boxes from EgoHome rows, our JSON lines and tables; every fault named, nothing guessed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segjudge.boxes import Boxes
from segjudge.errors import InputError, UsageError
from segjudge.formats.boxes import read_boxes

ROW: dict[str, Any] = {
    "clip_id": "00c0ffee0001_000",
    "duration_sec": 0.1,
    "fps": 30,
    "width": 1920,
    "height": 1080,
    "hand_boxes": [
        {"t": 0.0, "left": [100, 200, 300, 400.5], "right": [500, 600, 700, 800]},
        {"t": 0.033, "left": None, "right": [501, 600, 701, 800]},
        {"t": 0.067, "right": [502, 600, 702, 800]},
    ],
}
OWN: dict[str, Any] = {
    "id": "a",
    "fps": 25,
    "coords": "px",
    "order": "xywh",
    "boxes": [
        {"t": 0, "hand": "left", "box": [1, 2, 3, 4], "score": 0.5},
        {"frame": 1, "hand": "Right_Hand", "box": [1, 2, 3, 4]},
        {"t": "0:01.5", "hand": "left", "box": None},
    ],
}


def written(tmp_path: Path, value: Any, name: str = "boxes.json") -> str:
    path = tmp_path / name
    text = value if isinstance(value, str) else json.dumps(value)
    path.write_text(text, "utf-8")
    return str(path)


def table(boxes: Boxes) -> list[tuple[Any, ...]]:
    return [
        (
            boxes.episodes[boxes.episode[i]],
            int(boxes.hand[i]),
            int(boxes.time[i]),
            [x / 1e6 for x in boxes.corners[i].tolist()],
        )
        for i in range(len(boxes))
    ]


def test_egohome_rows(tmp_path: Path) -> None:
    boxes = read_boxes(written(tmp_path, [ROW]), coords="thousand")
    assert table(boxes) == [
        ("00c0ffee0001_000", 0, 0, [100, 200, 300, 400.5]),
        ("00c0ffee0001_000", 1, 0, [500, 600, 700, 800]),
        ("00c0ffee0001_000", 1, 33_000, [501, 600, 701, 800]),
        ("00c0ffee0001_000", 1, 67_000, [502, 600, 702, 800]),
    ]
    # Only null says outright that there is no box; a missing key says nothing.
    assert boxes.absent.time.tolist() == [33_000]
    assert boxes.absent.hand.tolist() == [0]
    clips = boxes.clips
    assert [int(column[0]) for column in (clips.rate_n, clips.rate_d, clips.width)] == [30, 1, 1920]
    assert clips.duration.tolist() == [100_000]
    assert (boxes.space, np.isnan(boxes.score).all()) == ("frame", True)
    assert boxes.source is not None
    assert boxes.source.format == "egohome"


def test_our_lines(tmp_path: Path) -> None:
    other = {**OWN, "id": "b", "boxes": []}
    lines = "\n".join(map(json.dumps, (OWN, other)))
    boxes = read_boxes(written(tmp_path, lines, "boxes.jsonl"))
    assert table(boxes) == [("a", 0, 0, [1, 2, 4, 6]), ("a", 1, 40_000, [1, 2, 4, 6])]
    assert boxes.absent.time.tolist() == [1_500_000]
    assert boxes.score.tolist()[0] == 0.5
    assert (boxes.episodes, boxes.space) == (("a", "b"), "px")


@pytest.mark.parametrize(
    "columns",
    ["x1,y1,x2,y2", "xmin,ymin,xmax,ymax", "left,top,right,bottom"],
)
def test_tables_say_the_order_by_their_columns(tmp_path: Path, columns: str) -> None:
    text = (
        f"episode,t,hand,{columns},score,fps,width,height\n"
        "a,0,left,1,2,4,6,.5,30,1920,1080\na,0.5,right,1,2,4,6,,30,1920,1080\na,1,left,,,,,,30,,\n"
    )
    boxes = read_boxes(written(tmp_path, text, "boxes.csv"), coords="px")
    assert table(boxes) == [("a", 0, 0, [1, 2, 4, 6]), ("a", 1, 500_000, [1, 2, 4, 6])]
    assert boxes.absent.time.tolist() == [1_000_000]
    assert boxes.clips.height.tolist() == [1080]
    assert np.isnan(boxes.score[1])


def test_a_table_of_corner_and_size_in_frames(tmp_path: Path) -> None:
    text = "video_id,frame,side,x,y,width,height\na,30,left,1,2,3,4\n"
    path = written(tmp_path, text, "boxes.csv")
    assert table(read_boxes(path, coords="px", fps=30)) == [("a", 0, 1_000_000, [1, 2, 4, 6])]
    with pytest.raises(InputError, match="frames a second"):
        read_boxes(path, coords="px")
    with pytest.raises(UsageError, match="say xywh"):
        read_boxes(path, coords="px", order="xyxy", fps=30)


def test_coordinates_and_order_must_be_declared(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--coords px\|unit\|thousand\|percent"):
        read_boxes(written(tmp_path, [ROW]))
    own = {key: value for key, value in OWN.items() if key != "order"}
    path = written(tmp_path, own)
    with pytest.raises(UsageError, match=r"--order xyxy\|xywh\|yxyx\|xxyy"):
        read_boxes(path)
    assert len(read_boxes(path, order="xywh")) == 2
    with pytest.raises(UsageError, match="--coords metres"):
        read_boxes(path, coords="metres")


def test_an_option_must_not_contradict_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="px, as --coords says") as caught:
        read_boxes(written(tmp_path, {**OWN, "coords": "unit"}), coords="px")
    assert caught.value.problems[0].field == "coords"


def test_egohome_rows_of_another_order(tmp_path: Path) -> None:
    boxes = read_boxes(written(tmp_path, [ROW]), coords="thousand", order="yxyx")
    assert table(boxes)[0][3] == [200, 100, 400.5, 300]


def test_pixels_and_parts_of_the_frame_do_not_mix(tmp_path: Path) -> None:
    lines = [OWN, {**OWN, "id": "b", "coords": "unit"}]
    with pytest.raises(InputError, match="not both in one file"):
        read_boxes(written(tmp_path, lines))


def test_every_fault_is_named(tmp_path: Path) -> None:
    row = {
        **ROW,
        "hand_boxes": [
            {"t": -1, "left": [1, 2, 3, 4]},
            {"t": 0.1, "left": [3, 2, 1, 4]},
            {"t": 0.2, "left": [1, 2, 3]},
            {"t": 0.3, "right": [1, "2", 3, 4]},
            {"left": [1, 2, 3, 4]},
            {"t": 0.5, "left": [1, 2, 3, float("nan")]},
            [0.6, 1, 2, 3, 4],
            {"t": 0.7, "left": [1, 2, 3, 4]},
            {"t": 0.8, "left": [1, 2, 3, 1e9]},
        ],
    }
    with pytest.raises(InputError) as caught:
        read_boxes(written(tmp_path, [row]), coords="thousand")
    found = {
        (problem.place.rpartition("entry ")[2], problem.field) for problem in caught.value.problems
    }
    assert found == {
        ("1", "t"),
        ("2", "left"),
        ("3", "left"),
        ("4", "right"),
        ("5", "t"),
        ("6", "left"),
        ("7", ""),
        ("9", "left"),
    }
    assert all("00c0ffee0001_000" in problem.place for problem in caught.value.problems)


def test_faults_of_our_lines_and_of_tables(tmp_path: Path) -> None:
    entries = [
        {"t": 0, "hand": "both", "box": [1, 2, 3, 4]},
        {"t": 0, "hand": "left"},
        {"t": 0, "hand": "left", "box": [1, 2, 3, 4], "score": "high"},
    ]
    with pytest.raises(InputError) as caught:
        read_boxes(written(tmp_path, {**OWN, "boxes": entries}))
    assert [p.field for p in caught.value.problems] == ["hand", "box", "score"]
    text = "episode,t,hand,x1,y1,x2,y2\na,0,left,1,2,x,4\na,0,mid,1,2,3,4\n,0,left,1,2,3,4\n"
    with pytest.raises(InputError) as caught:
        read_boxes(written(tmp_path, text, "boxes.csv"), coords="px")
    assert sorted((p.place, p.field) for p in caught.value.problems) == [
        ("line 2", "x2"),
        ("line 3", "hand"),
        ("line 4", "episode"),
    ]
    with pytest.raises(InputError, match="a column for hand"):
        read_boxes(written(tmp_path, "episode,t,x1,y1,x2,y2\n", "boxes.csv"), coords="px")


def test_a_clip_is_there_once_and_has_boxes(tmp_path: Path) -> None:
    bare = {key: value for key, value in ROW.items() if key != "hand_boxes"} | {"clip_id": "b"}
    with pytest.raises(InputError) as caught:
        read_boxes(written(tmp_path, [ROW, ROW, bare]), coords="thousand")
    assert [p.expected.split(";")[0] for p in caught.value.problems] == [
        "an id of its own",
        "`hand_boxes` or `boxes`",
    ]


def test_a_clip_that_failed_has_no_boxes(tmp_path: Path) -> None:
    failed = {"clip_id": "b", "ok": False, "hand_boxes": None}
    boxes = read_boxes(written(tmp_path, [ROW, failed]), coords="thousand")
    assert (len(boxes), boxes.episodes[1]) == (4, "b")


def test_what_is_odd_is_a_finding(tmp_path: Path) -> None:
    entries = [
        {"t": 0, "left": [10, 10, 10, 20]},
        {"t": 0.033, "left": [990, 10, 1001, 20]},
        {"t": 9, "left": [10, 10, 20, 20]},
    ]
    boxes = read_boxes(written(tmp_path, [{**ROW, "hand_boxes": entries}]), coords="thousand")
    assert {item.code: item.count for item in boxes.findings} == {
        "flat_boxes": 1,
        "boxes_past_frame": 1,
        "boxes_past_duration": 1,
    }
    assert boxes.findings[1].places == ("episode '00c0ffee0001_000', left, 0.033 s",)


def test_a_wrong_declaration_cannot_hide(tmp_path: Path) -> None:
    path = written(tmp_path, [ROW])
    boxes = read_boxes(path, coords="percent")
    assert [item.code for item in boxes.findings] == ["boxes_past_frame"]
    with pytest.raises(InputError, match=r"are they unit\? \(2 more") as caught:
        read_boxes(path, coords="unit")
    assert len(caught.value.problems) == 2


def test_other_files_are_refused_with_what_was_seen(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'segments'"):
        read_boxes(written(tmp_path, {"id": "a", "segments": []}), coords="px")
    with pytest.raises(InputError, match="boxes: rows"):
        read_boxes(written(tmp_path, "episode,start,end,label\n", "a.csv"), coords="px")


def test_gzip_and_parquet(tmp_path: Path) -> None:
    path = tmp_path / "boxes.json.gz"
    path.write_bytes(gzip.compress(json.dumps([ROW]).encode()))
    expected = table(read_boxes(path, coords="thousand"))
    assert len(expected) == 4
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    floats = [
        {
            hand: None if entry.get(hand) is None else [float(x) for x in entry[hand]]
            for hand in ("left", "right")
        }
        | {"t": entry["t"]}
        for entry in ROW["hand_boxes"]
    ]
    pq.write_table(pa.Table.from_pylist([{**ROW, "hand_boxes": floats}]), tmp_path / "rows.parquet")
    assert table(read_boxes(tmp_path / "rows.parquet", coords="thousand")) == expected
