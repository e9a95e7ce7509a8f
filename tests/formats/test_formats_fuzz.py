"""Whatever the bytes, only our own errors leave `read`."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from segjudge.errors import InputError, UsageError
from segjudge.formats import names, read
from segjudge.inspection import inspect

EXAMPLES = 2000 if os.environ.get("CI") else 200
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

KEYS = st.sampled_from(
    ["id", "episode", "video_id", "clip_id", "segments", "start", "end", "label", "start_sec",
     "end_sec", "subtask", "pred", "gold", "ok", "failed", "duration", "duration_sec", "fps",
     "gold_segments", "labels", "intervals", "label_echo", "subtasks", "hand_actions",
     "hand_captions", "left", "right", "database", "results", "records", "episodes", "rows", "row",
     "annotations", "timestamps", "timestamp", "sentences", "atoms", "style", "content",
     "predicted_subtasks", "labeled_subtasks", "subtask_annotation_result", "status", "start_ms",
     "end_ms", "start_frame", "end_frame", "num_frames", "metadata", "segment", "track", "hand",
     "fields", "episode_duration", "episode_failed", "episode_fields"]
)  # fmt: skip
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(
        ["a", "", "00:01", "1:60", "1.5s", "nan", "1e999", "[1, 2", '[[0, 1, "a"]]', "{}", "\ud800",
         "subtask", "invalid", "true", 0, 1, 1.5, 2, -1, 10**30, 1e10, 1e11]
    )
)  # fmt: skip
SEGMENTS = st.fixed_dictionaries(
    {"start": st.just(0) | SCALARS, "end": st.just(1) | SCALARS, "label": st.just("x") | SCALARS}
) | st.tuples(st.just(0) | SCALARS, st.just(1) | SCALARS, st.just("x") | SCALARS).map(list)
VALUES = st.recursive(
    SCALARS | st.lists(SEGMENTS, max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
RECORDS = st.dictionaries(KEYS, VALUES, max_size=5)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "format": st.sampled_from(names()),
        "unit": st.sampled_from(["s", "ms", "us", "frames"]),
        "fps": st.sampled_from([10.0, 29.97]),
        "task": st.sampled_from(["subtask", "hand-caption", "hand-action"]),
        "columns": st.dictionaries(
            st.sampled_from(["start", "end", "label", "episode", "track", "duration"]),
            KEYS,
            max_size=3,
        ),
    },
)


def survives(content: bytes, options: dict[str, Any], path: Path) -> None:
    """Read the bytes; anything but a result or an error of ours fails the test."""
    path.write_bytes(content)
    try:
        inspect(read(path, **options))
    except (InputError, UsageError) as error:
        str(error).encode("utf-8")


@fuzz
@given(content=st.binary(max_size=200), options=OPTIONS)
def test_bytes(content: bytes, options: dict[str, Any], tmp_path: Path) -> None:
    survives(content, options, tmp_path / "f")


@fuzz
@given(content=st.binary(max_size=60), cut=st.integers(0, 80), options=OPTIONS)
def test_gzip(content: bytes, cut: int, options: dict[str, Any], tmp_path: Path) -> None:
    survives(gzip.compress(content)[:cut], options, tmp_path / "f")
    survives(b"\x1f\x8b" + content, options, tmp_path / "f")


@fuzz
@given(document=VALUES | RECORDS | st.lists(RECORDS, max_size=3), options=OPTIONS)
def test_documents(document: Any, options: dict[str, Any], tmp_path: Path) -> None:
    text = json.dumps(document)
    survives(text.encode(), options, tmp_path / "f")
    survives(f"Here:\n```json\n{text}\n```\nbye".encode(), options, tmp_path / "f")
    survives(text[: len(text) * 2 // 3].encode(), options, tmp_path / "f")


@fuzz
@given(records=st.lists(RECORDS, min_size=2, max_size=4), options=OPTIONS, cut=st.integers(0, 9))
def test_lines(records: Any, options: dict[str, Any], cut: int, tmp_path: Path) -> None:
    text = "\n".join(map(json.dumps, records))
    survives(text.encode(), options, tmp_path / "f")
    survives(text[: len(text) - cut].encode(), options, tmp_path / "f")


CELLS = st.sampled_from(
    ["", "0", "1", "1.5", "x", '"x', '"', '""', '"a\nb"', "nan", "00:01", "[]", "\0", "true", "-1",
     '"[[0, 1, ""x""]]"', "{}"]
)  # fmt: skip


@fuzz
@given(
    delimiter=st.sampled_from([",", ";", "\t"]),
    header=st.lists(KEYS, min_size=1, max_size=6) | st.just(["episode", "start", "end", "label"]),
    rows=st.lists(st.lists(CELLS, min_size=3, max_size=6), max_size=5),
    options=OPTIONS,
)
def test_tables(
    delimiter: str, header: list[str], rows: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    text = "\n".join(delimiter.join(cells) for cells in [header, *rows])
    survives(text.encode(), options, tmp_path / "f")


@fuzz
@given(text=st.text(max_size=300), options=OPTIONS)
def test_text(text: str, options: dict[str, Any], tmp_path: Path) -> None:
    survives(text.encode("utf-8", "replace"), options, tmp_path / "f")


@pytest.mark.parametrize("name", ["reply.txt", "wgo_rows.jsonl", "egohome_rows.json"])
def test_every_cut_of_a_good_file(name: str, tmp_path: Path) -> None:
    path = Path(__file__).resolve().parents[2] / "examples" / "messy" / name
    content = path.read_bytes()
    for cut in range(0, len(content), 17):
        survives(content[:cut], {}, tmp_path / "f")
