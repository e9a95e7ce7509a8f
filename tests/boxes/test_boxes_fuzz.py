"""Whatever a file of boxes holds, it is read or refused with a message: never a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from segjudge.boxes import Boxes
from segjudge.errors import InputError, UsageError
from segjudge.formats.boxes import read_boxes
from segjudge.scoring.boxes import score_boxes

_odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([10**400, -1, 1e308, float("nan"), float("inf"), "x", "0:01", "", [], {}]),
)
_number = st.one_of(st.integers(0, 1000), st.floats(0, 1000), _odd)
_box = st.one_of(st.lists(_number, min_size=4, max_size=4), st.lists(_number, max_size=5), _odd)
_time = st.one_of(st.integers(0, 5), st.floats(0, 5), _odd)
_hand = st.sampled_from(["left", "right", "Left_hand", "both", "", None, 1])
_entry = st.one_of(
    st.fixed_dictionaries({"t": _time}, optional={"left": _box, "right": _box}),
    st.fixed_dictionaries({"hand": _hand, "box": _box}, optional={"t": _time, "frame": _time}),
    _odd,
)
_entries = st.one_of(st.lists(_entry, max_size=4), _odd)
_row = st.fixed_dictionaries(
    {"clip_id": st.sampled_from(["a", "b", "", 3, None])},
    optional={
        "hand_boxes": _entries,
        "boxes": _entries,
        "fps": st.sampled_from([30, 29.97, 0, -1, "30", "x", None, 10**400]),
        "width": _odd,
        "height": st.sampled_from([1080, None, "x", 0]),
        "coords": st.sampled_from(["px", "unit", "inches", 3]),
        "order": st.sampled_from(["xyxy", "zigzag", None]),
        "ok": _odd,
        "duration_sec": _odd,
    },
)


def _said(read: Any) -> Boxes | None:
    message = "silence"
    try:
        return read()  # type: ignore[no-any-return]
    except (InputError, UsageError) as error:
        message = str(error)
    assert message.strip()
    return None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_row, min_size=1, max_size=3), st.sampled_from(["px", "unit", None]))
def test_any_rows(tmp_path: Path, rows: list[Any], coords: str | None) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows), "utf-8")
    boxes = _said(lambda: read_boxes(path, coords=coords, order=None))
    if boxes is not None:
        assert (boxes.corners[:, :2] <= boxes.corners[:, 2:]).all()
        _said(lambda: score_boxes(boxes, boxes, same_frame="nearest"))


_cell = st.sampled_from(["0", "1.5", "30", "", "x", "nan", "1e999", "left", "a", "-1", '"', "é"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(_cell, min_size=8, max_size=8), max_size=4), st.booleans())
def test_any_table(tmp_path: Path, rows: list[list[str]], frames: bool) -> None:
    header = f"episode,hand,{'frame' if frames else 't'},x1,y1,x2,y2,score"
    path = tmp_path / "boxes.csv"
    path.write_text("\n".join([header, *map(",".join, rows)]) + "\n", "utf-8")
    boxes = _said(lambda: read_boxes(path, coords="px", fps=30))
    if boxes is not None:
        _said(lambda: score_boxes(boxes, boxes, same_frame="nearest"))


@pytest.mark.parametrize("text", ["[]", "{}", "[[]]", '{"hand_boxes": []}', "null", "0", '"x"'])
def test_any_small_document(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rows.json"
    path.write_text(text, "utf-8")
    _said(lambda: read_boxes(path, coords="px"))
