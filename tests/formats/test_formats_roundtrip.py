"""What is written reads back the same."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from segjudge.annotations import Annotations, EpisodeTable
from segjudge.errors import InputError, UsageError
from segjudge.formats import read, write

EXAMPLES = 1000 if os.environ.get("CI") else 100
S = 1_000_000

# A lone surrogate is no text, and a table can't hold NUL.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
LABELS = TEXT | st.sampled_from(
    [
        'say "hi"',
        "two\nlines",
        "a\r\nb",
        "\r",
        "tab\there",
        "=1+1",
        "拿起杯子",
        "a,b;c",
        "",
        " x ",
        "'",
    ]
)
IDS = TEXT.filter(lambda text: text.strip() != "")
TIMES = st.integers(0, 10**16) | st.integers(0, 10**7)
VALUES = st.recursive(
    st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
NAMES = TEXT | st.sampled_from(
    ["id", "episode", "duration", "duration_sec", "segments", "fields", "metadata", "ok", "fps",
     "label", "start", "hand", "num_frames", "episode_failed", "video_id", "subtask", "records"]
)  # fmt: skip


@st.composite
def annotations(draw: st.DrawFn) -> Annotations:
    episodes = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
    failed = np.array(draw(st.lists(st.booleans(), min_size=4, max_size=4))[: len(episodes)])
    alive = [i for i in range(len(episodes)) if not failed[i]]
    rows = []
    for _ in range(draw(st.integers(0, 6)) if alive else 0):
        start, end = sorted((draw(TIMES), draw(TIMES)))
        rows.append((draw(st.sampled_from(alive)), draw(TEXT), start, end, draw(LABELS)))
    rows.sort(key=lambda row: row[0])
    tracks, labels = sorted({row[1] for row in rows}), sorted({row[4] for row in rows})
    n = len(episodes)
    fields = {
        name: tuple(draw(st.none() | VALUES) for _ in range(n))
        for name in draw(st.lists(NAMES, max_size=3, unique=True))
    }
    durations = [draw(st.just(-1) | TIMES) for _ in range(n)]
    return Annotations(
        np.array([row[0] for row in rows], np.int32),
        np.array([tracks.index(row[1]) for row in rows], np.int32),
        np.array([row[2] for row in rows], np.int64),
        np.array([row[3] for row in rows], np.int64),
        np.array([labels.index(row[4]) for row in rows], np.int32),
        tuple(episodes),
        tuple(tracks),
        tuple(labels),
        EpisodeTable(np.array(durations, np.int64), failed.astype(np.bool_), fields),
    )


def content(a: Annotations) -> Any:
    """Return all that must survive; a field without a value anywhere says nothing."""
    rows = [
        (int(a.episode[i]), a.tracks[a.track[i]], int(a.start[i]), int(a.end[i]),
         a.labels[a.label[i]])
        for i in range(len(a))
    ]  # fmt: skip
    fields = {k: v for k, v in a.table.fields.items() if any(x is not None for x in v)}
    return a.episodes, rows, a.table.duration.tolist(), a.table.failed.tolist(), fields


def typed(value: Any) -> Any:
    """Tell 1 from True and 1.0."""
    if isinstance(value, (list, tuple)):
        return [typed(item) for item in value]
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    return type(value).__name__, value


@pytest.mark.parametrize(
    ("format", "name"),
    [("segjudge", "a.jsonl"), ("segjudge", "a.jsonl.gz"), ("csv", "a.csv"), ("tsv", "a.tsv.gz")],
)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(a=annotations())
def test_round_trip(a: Annotations, format: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    write(a, path, format)
    back = read(path)
    assert back.source is not None
    assert back.source.format == format
    assert typed(content(back)) == typed(content(a))


def one(**changes: Any) -> Annotations:
    a = Annotations.from_segments([("a", "", 0.0, 1.5, "x"), ("a", "left", 1.5, 2.0, "y")])
    return a if not changes else Annotations(**{**{k: getattr(a, k) for k in FIELDS}, **changes})


FIELDS = (
    "episode", "track", "start", "end", "label", "episodes", "tracks", "labels", "table",
)  # fmt: skip


def test_the_bytes_of_each_format(tmp_path: Path) -> None:
    table = EpisodeTable(
        np.array([2_500_000, -1, -1]),
        np.array([False, True, False]),
        {"family": ("k", None, None), "n": (None, None, 3), "id": ("7", None, None)},
    )
    a = one(episodes=("a", "b", "c"), table=table)
    write(a, tmp_path / "a.jsonl", "segjudge")
    assert (tmp_path / "a.jsonl").read_text() == (
        '{"id": "a", "duration": 2.5, "family": "k", "fields": {"id": "7"}, "segments": '
        '[{"start": 0, "end": 1.5, "label": "x"}, '
        '{"start": 1.5, "end": 2, "label": "y", "track": "left"}]}\n'
        '{"id": "b", "failed": true, "segments": []}\n'
        '{"id": "c", "n": 3, "segments": []}\n'
    )
    write(a, tmp_path / "a.csv", "csv")
    assert (tmp_path / "a.csv").read_bytes().decode() == (
        "episode,track,start,end,label,episode_duration,episode_failed,episode_fields,family,id\r\n"
        "a,,0,1.5,x,2.5,,,k,7\r\n"
        "a,left,1.5,2,y,2.5,,,k,7\r\n"
        "b,,,,,,true,,,\r\n"
        'c,,,,,,,"{""n"": 3}",,\r\n'
    )


def test_packed_bytes_are_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.csv.gz", "b.csv.gz"):
        write(one(), tmp_path / name, "csv")
    first, second = ((tmp_path / name).read_bytes() for name in ("a.csv.gz", "b.csv.gz"))
    assert first == second
    write(one(), tmp_path / "a.csv", "csv")
    assert gzip.decompress(first) == (tmp_path / "a.csv").read_bytes()


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write(one(), path, "csv")
    before = path.read_bytes()
    with pytest.raises(InputError, match="a table can't hold NUL bytes"):
        write(one(labels=("x", "y\0")), path, "csv")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.csv"]


def test_a_link_stays_a_link_and_gets_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    write(one(), tmp_path / "link.csv", "csv")
    assert (tmp_path / "link.csv").is_symlink()
    (tmp_path / "touched").touch()
    assert (tmp_path / "real.csv").stat().st_mode == (tmp_path / "touched").stat().st_mode


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"start": np.array([-1, 1])}, "1 segments start before 0, the first in episode 'a'"),
        ({"labels": ("x", "\ud800")}, r"a lone surrogate can't be written: '\\ud800'"),
        ({"episodes": (" ",)}, "an episode id must not be blank: ' '"),
        (
            {"table": EpisodeTable(np.array([-1]), np.array([False]), {"f": (float("nan"),)})},
            "can't be written as JSON",
        ),
    ],
)
@pytest.mark.parametrize("format", ["segjudge", "csv"])
def test_what_cant_be_written(changes: Any, message: str, format: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        write(one(**changes), tmp_path / "a", format)
    assert os.listdir(tmp_path) == []


def test_nothing_to_write(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no episode to write"):
        write(Annotations.from_segments([]), tmp_path / "a", "csv")


def test_formats_and_folders_that_cant_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'wgo' can be read only; there are segjudge, csv, tsv"):
        write(one(), tmp_path / "a", "wgo")
    with pytest.raises(UsageError, match="can't be written: No such file or directory"):
        write(one(), tmp_path / "no" / "a", "csv")
    with pytest.raises(UsageError, match="can't be written: "):
        write(one(), tmp_path, "csv")


def test_standard_output() -> None:
    code = (
        "from segjudge.annotations import Annotations; from segjudge.formats import write;"
        "write(Annotations.from_segments([('a', '', 0, 1, 'x')]), '-', 'segjudge')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == '{"id": "a", "segments": [{"start": 0, "end": 1, "label": "x"}]}\n'
