"""The options for messy files: exact, and each leaves a finding."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from segjudge import edits
from segjudge.annotations import Annotations, EpisodeTable
from segjudge.errors import InputError, UsageError
from segjudge.scoring.sides import edited

S = 1_000_000


@pytest.fixture
def side() -> Annotations:
    table = EpisodeTable(
        np.array([10 * S, -1, 4 * S]), np.zeros(3, np.bool_), {"site": ("s", "t", "u")}
    )
    return Annotations.from_segments(
        [
            ("home_1", "", 0.0, 2.0, "open it"),
            ("lab_1", "", 1.0, 3.0, "idle"),
            ("lab_2", "left", 2.0, 5.0, "close it"),
            ("lab_2", "left", 5.0, 6.0, "idle"),
        ],
        ("home_1", "lab_1", "lab_2"),
        table,
    )


def codes(annotations: Annotations) -> list[tuple[str, str, int]]:
    return [(item.code, item.level, item.count) for item in annotations.findings]


def test_restrict_by_ids_and_by_pattern(side: Annotations) -> None:
    for chosen in (["lab_2", "nowhere", "lab_1"], re.compile(r"lab_\d")):
        kept = edits.restrict(side, chosen)
        assert kept.episodes == ("lab_1", "lab_2")
        assert kept.episode.tolist() == [0, 1, 1]
        assert kept.start.tolist() == [S, 2 * S, 5 * S]
        assert kept.table.fields == {"site": ("t", "u")}
        assert kept.table.duration.tolist() == [-1, 4 * S]
    assert edits.restrict(side, re.compile("lab")).episodes == ()


def test_episode_filter(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_text("a\n\n b \r\n")
    assert edits.episode_filter(str(path)) == frozenset({"a", "b"})
    assert edits.episode_filter("lab_.*") == re.compile("lab_.*")
    # Too long to be the name of a file.
    assert edits.episode_filter("a|" * 5000) == re.compile("a|" * 5000)
    path.write_text("\n")
    with pytest.raises(InputError, match="at least one episode id"):
        edits.episode_filter(str(path))
    path.write_bytes(b"\xff\n")
    with pytest.raises(InputError, match="a UTF-8 file of ids"):
        edits.episode_filter(str(path))


@pytest.mark.parametrize("bad", ["(", "a{99999999999999999999}", "(?P<x"])
def test_bad_patterns(bad: str, side: Annotations) -> None:
    with pytest.raises(UsageError, match=r"^--episodes .* is no regular expression"):
        edits.episode_filter(bad)
    with pytest.raises(UsageError, match=r"^--ignore-label .* is no regular expression"):
        edits.ignore_labels(side, bad)


def test_rename(side: Annotations, tmp_path: Path) -> None:
    path = tmp_path / "ids.csv"
    path.write_text("\ufeffprediction,reference\nlab_1,x\nnowhere,y\n\n")
    mapping = edits.read_id_map(path)
    assert mapping == {"lab_1": "x", "nowhere": "y"}
    renamed = edits.rename_episodes(side, mapping)
    assert renamed.episodes == ("home_1", "x", "lab_2")
    assert codes(renamed) == [("renamed", "note", 1)]
    assert codes(edits.rename_episodes(side, {})) == []
    swapped = edits.rename_episodes(side, {"lab_1": "lab_2", "lab_2": "lab_1"})
    assert swapped.episodes == ("home_1", "lab_2", "lab_1")


def test_ids_that_collide(side: Annotations) -> None:
    with pytest.raises(InputError) as caught:
        edits.rename_episodes(side, {"lab_1": "lab_2", "home_1": "lab_2"})
    assert [problem.value for problem in caught.value.problems] == [
        "'lab_1' and 'home_1' both become 'lab_2'",
        "'lab_2' and 'lab_1' both become 'lab_2'",
    ]


def test_every_bad_row_of_an_id_map(tmp_path: Path) -> None:
    path = tmp_path / "ids.csv"
    path.write_text("a,b\na,c\nd\ne,\nf,g,h\n")
    with pytest.raises(InputError) as caught:
        edits.read_id_map(path)
    assert [problem.place for problem in caught.value.problems] == [
        "row 2", "row 3", "row 4", "row 5",
    ]  # fmt: skip
    with pytest.raises(InputError, match="a readable CSV"):
        edits.read_id_map(tmp_path / "none.csv")


def test_shift_is_exact(side: Annotations) -> None:
    moved = edits.shift(side, 0.1)
    assert moved.start.tolist() == [100_000, 1_100_000, 2_100_000, 5_100_000]
    assert moved.end.tolist() == [2_100_000, 3_100_000, 5_100_000, 6_100_000]
    assert codes(moved) == [("shifted", "note", 3)]
    back = edits.shift(moved, -0.1)
    assert back.start.tolist() == side.start.tolist()
    assert edits.shift(side, 1.0000005).start[0] == 1_000_000
    assert edits.shift(side, 1_760_000_000.123457).start[0] == 1_760_000_000_123_457


def test_shift_some(side: Annotations) -> None:
    moved = edits.shift(side, -3, ["lab_2"])
    assert moved.start.tolist() == [0, S, -S, 2 * S]
    assert codes(moved) == [("shifted", "note", 1)]


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 1e11])
def test_offsets_that_cant_be(seconds: float, side: Annotations) -> None:
    with pytest.raises(UsageError, match="--offset"):
        edits.shift(side, seconds)


def test_shift_of_an_unknown_episode(side: Annotations) -> None:
    with pytest.raises(UsageError, match="there is no episode 'nowhere'"):
        edits.shift(side, 1, ["nowhere"])


def test_clip(side: Annotations) -> None:
    early = edits.shift(side, -1, ["home_1"])
    clipped = edits.clip_to_duration(early, edits.durations(side))
    assert clipped.start.tolist() == [0, S, 2 * S, 4 * S]
    assert clipped.end.tolist() == [S, 3 * S, 4 * S, 4 * S]
    assert len(clipped) == len(side)
    assert codes(clipped)[1:] == [("clipped", "note", 3), ("no_duration", "warning", 1)]
    assert clipped.findings[1].message == (
        "3 segments were cut at their episode's ends, 1 of them to nothing"
    )


def test_clip_that_changes_nothing(side: Annotations) -> None:
    all_long = dict.fromkeys(side.episodes, 100 * S)
    assert codes(edits.clip_to_duration(side, all_long)) == []


def test_the_first_side_that_knows_a_duration_says_it(side: Annotations) -> None:
    other = Annotations.from_segments(
        [], ("lab_1", "lab_2"), EpisodeTable(np.array([7, 8]), np.zeros(2, np.bool_), {})
    )
    assert edits.durations(side, other) == {"home_1": 10 * S, "lab_1": 7, "lab_2": 4 * S}


def test_ignore_labels(side: Annotations) -> None:
    left = edits.ignore_labels(side, "^idle$")
    assert left.start.tolist() == [0, 2 * S]
    assert left.episodes == side.episodes
    assert codes(left) == [("ignored_labels", "note", 2)]
    assert left.findings[0].places == ("'idle'",)
    assert len(edits.ignore_labels(side, "it")) == 2


def test_ignoring_nothing_is_a_warning(side: Annotations) -> None:
    same = edits.ignore_labels(side, "background")
    assert len(same) == len(side)
    assert codes(same) == [("ignored_labels", "warning", 0)]


def test_edits_of_nothing() -> None:
    nothing = Annotations.from_segments([])
    assert len(edits.ignore_labels(nothing, "x")) == 0
    assert len(edits.shift(nothing, 1)) == 0
    assert len(edits.clip_to_duration(nothing, {})) == 0
    assert len(edits.restrict(nothing, [])) == 0


def test_a_byte_order_mark_hides_no_id(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_bytes(b"\xef\xbb\xbfa\nb\n")
    assert edits.episode_filter(str(path)) == frozenset({"a", "b"})


def test_ids_that_no_side_has_are_named(side: Annotations) -> None:
    with pytest.raises(InputError) as caught:
        edited(side, side, episodes=["lab_1", "lab_3", "attic"])
    assert str(caught.value).splitlines() == [
        "--episodes: 'attic' (expected an episode of the reference)",
        "--episodes: 'lab_3' (expected an episode of the reference; did you mean 'lab_2'?)",
    ]
    with pytest.raises(InputError, match=r"--id-map: 'lab_9' \(expected an episode of the pred"):
        edited(side, side, id_map={"lab_9": "lab_1"})


def test_a_restriction_is_said(side: Annotations) -> None:
    for chosen in (["lab_1", "lab_2"], "lab_."):
        reference, prediction = edited(side, side, episodes=chosen)
        assert [item.message for item in reference.findings] == [
            "2 of 3 episodes of the reference are scored (--episodes)"
        ]
        assert codes(prediction) == []
    assert codes(edited(side, side, episodes=".*")[0]) == []


def test_an_empty_pattern_is_refused(side: Annotations) -> None:
    with pytest.raises(UsageError, match="--ignore-label is empty"):
        edits.ignore_labels(side, "")
    with pytest.raises(UsageError, match="--episodes is empty"):
        edits.episode_filter("")
