"""Each finding on columns: its count, its places, and where it must stay silent."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segjudge.annotations import Annotations, EpisodeTable
from segjudge.findings import Finding
from segjudge.inspection import inspect

Row = tuple[str, str, float, float, str]


def sides(rows: Iterable[Row], duration: float = -1e-6, failed: bool = False) -> Annotations:
    rows = list(rows)
    names = sorted({row[0] for row in rows}) or ["a"]
    n = len(names)
    table = EpisodeTable(
        np.full(n, round(duration * 1e6), np.int64), np.full(n, failed, np.bool_), {}
    )
    return Annotations.from_segments(rows, names, table)


def found(annotations: Annotations) -> dict[str, Finding]:
    return {item.code: item for item in inspect(annotations)}


def only(annotations: Annotations, code: str) -> Finding:
    items = found(annotations)
    assert list(items) == [code]
    return items[code]


CLEAN: list[Row] = [("a", "", 0.2, 1.5, "open it"), ("a", "", 1.5, 3.1, "close it")]


def test_nothing_to_say() -> None:
    assert inspect(sides(CLEAN, 3.1)) == ()


def test_failed_and_empty_episodes() -> None:
    names = ("a", "b", "c", "d")
    table = EpisodeTable(np.full(4, -1), np.array([True, False, False, True]), {})
    items = found(Annotations.from_segments([("b", "", 0, 1, "x")], names, table))
    assert list(items) == ["failed_episodes", "empty_episodes"]
    failed = items["failed_episodes"]
    assert (failed.level, failed.count) == ("warning", 2)
    assert failed.message == "2 episodes failed by the file's own account; scored as empty"
    assert failed.places == ("episode 'a'", "episode 'd'")
    empty = items["empty_episodes"]
    assert (empty.level, empty.count, empty.places) == ("note", 1, ("episode 'c'",))


def test_zero_length() -> None:
    item = only(sides([*CLEAN, ("a", "left", 0.7, 0.7, "tap")]), "zero_length")
    assert (item.level, item.count) == ("warning", 1)
    assert item.places == ("episode 'a', track 'left', 0.7-0.7 s",)


@pytest.mark.parametrize(
    ("rows", "count", "seconds"),
    [
        ([(0, 2.3), (1.3, 3)], 1, "1"),
        ([(0, 9.5), (1, 2), (3, 4)], 2, "2"),
        ([(0, 9.5), (1, 2), (9, 11)], 2, "1.5"),
        ([(0, 2.5), (0, 2.5), (0, 2.5)], 2, "5"),
        ([(3, 4), (1, 3.000001)], 1, "0.000001"),
    ],
)
def test_self_overlap(rows: list[tuple[float, float]], count: int, seconds: str) -> None:
    side = sides([("a", "", s, e, f"do {i} things") for i, (s, e) in enumerate(rows)])
    item = only(side, "self_overlap")
    assert (item.level, item.count) == ("warning", count)
    assert f", {seconds} s in all;" in item.message


def test_touching_and_other_tracks_and_episodes_do_not_overlap() -> None:
    rows: list[Row] = [
        ("a", "", 0, 5.5, "one"), ("a", "", 5.5, 6, "two"), ("a", "left", 1, 2, "three"),
        ("b", "", 0, 9, "four"), ("a", "", 3, 3, "five"),
    ]  # fmt: skip
    assert "self_overlap" not in found(sides(rows))


def test_clocks_far_apart_do_not_wrap() -> None:
    rows: list[Row] = [(f"e{i}", "", 1.76e9, 1.76e9 + 1.5, "one thing") for i in range(2000)]
    rows.append(("e7", "", 1.76e9 + 1, 1.76e9 + 2.5, "another thing"))
    assert only(sides(rows), "self_overlap").count == 1


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"), st.sampled_from("lr"), st.integers(0, 9), st.integers(0, 9)
        ),
        max_size=12,
    )
)
def test_self_overlap_against_a_plain_loop(raw: list[tuple[str, str, int, int]]) -> None:
    rows = [(e, t, float(min(s, u)), float(max(s, u)), "do it now") for e, t, s, u in raw]
    ordered = sorted(row for row in rows if row[2] < row[3])
    expected = sum(
        any(a[:2] == b[:2] and b[2] < a[3] for a in ordered[:i]) for i, b in enumerate(ordered)
    )
    item = found(sides(rows)).get("self_overlap")
    assert (item.count if item else 0) == expected


def test_duplicates() -> None:
    row: Row = ("a", "", 0.2, 1.5, "open it")
    items = found(sides([row, row, row, ("a", "", 0.2, 1.5, "look at it"), ("a", "l", *row[2:])]))
    assert items["duplicate_segments"].count == 2
    assert items["duplicate_segments"].places == ("episode 'a', 0.2-1.5 s",) * 2


def test_adjacent_duplicates() -> None:
    rows: list[Row] = [
        ("a", "", 2, 3.1, "fold it"), ("a", "", 0.2, 1, "fold it"), ("a", "", 1, 2, "fold it"),
        ("a", "l", 3.1, 4, "fold it"), ("b", "", 3.1, 4, "fold it"),
    ]  # fmt: skip
    item = only(sides(rows), "adjacent_duplicates")
    assert (item.level, item.count) == ("note", 2)


def test_past_the_duration() -> None:
    rows: list[Row] = [
        ("a", "", 0, 10.2, "one"), ("a", "l", 10.2, 10.3, "two"), ("a", "m", 9, 10.3, "three"),
    ]  # fmt: skip
    items = found(sides(rows, 10.2))
    assert list(items) == ["start_past_duration", "end_past_duration"]
    assert items["start_past_duration"].places == ("episode 'a', track 'l', 10.2-10.3 s",)
    assert items["end_past_duration"].places == ("episode 'a', track 'm', 9-10.3 s",)
    assert items["end_past_duration"].level == "note"


def test_before_zero() -> None:
    assert only(sides([("a", "", -0.5, 1.1, "one")]), "before_zero").level == "warning"


@pytest.mark.parametrize(
    ("step", "name"), [(1.0, "whole seconds"), (2.0, "whole seconds"), (0.5, "half seconds")]
)
def test_coarse_grid(step: float, name: str) -> None:
    rows = [("a", "", i * step, (i + 1) * step, f"do {i} things") for i in range(12)]
    item = only(sides(rows), "coarse_grid")
    assert item.message == (
        f"all times are {name}: this grid alone keeps short segments from reaching an IoU of 0.75"
    )
    finer = [*rows, ("a", "l", 0.0, 0.25, "do it")]
    assert "coarse_grid" not in found(sides(finer))


def test_a_few_times_make_no_grid() -> None:
    assert inspect(sides([("a", "", i, i + 1, f"do {i} things") for i in range(9)])) == ()


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("", "blank_labels"),
        (" \t", "blank_labels"),
        ("segment 3", "placeholder_labels"),
        ("Segment3", "placeholder_labels"),
        ("new subtask", "placeholder_labels"),
        ("sub-task 12", "placeholder_labels"),
        ("unknown", "placeholder_labels"),
        ("N/A", "placeholder_labels"),
        ("no event", "placeholder_labels"),
        ("NO HAND", "placeholder_labels"),
        ("???", "placeholder_labels"),
        ("pick up the cup@lift the cup", "joined_labels"),
        ("pick_up_cup", "snake_case_labels"),
        ("x" * 201, "long_labels"),
    ],
)
def test_labels(label: str, code: str) -> None:
    item = only(sides([*CLEAN, ("a", "", 4, 5.1, label)]), code)
    assert item.count == 1
    assert item.places == ("episode 'a', 4-5.1 s",)


@pytest.mark.parametrize(
    "label",
    [
        "x" * 200, "segment the orange", "event planning", "put_(place,_leave,_drop) it",
        "mail a@", "@home", "hold", "unknown object", "拿起杯子", "no events today",
    ],
)  # fmt: skip
def test_usual_labels(label: str) -> None:
    assert inspect(sides([*CLEAN, ("a", "", 4, 5.1, label)])) == ()


def test_labels_that_no_segment_has_are_passed_over() -> None:
    side = sides([*CLEAN, ("a", "", 4, 5.1, "open it."), ("a", "", 6, 7.1, "")])
    assert inspect(side.rows(np.array([0, 1]))) == ()


def test_near_identical_labels() -> None:
    labels = ["Fold it.", "fold_it", "fold  it", "fold them", "open it"]
    side = sides([("a", "", i, i + 0.7, label) for i, label in enumerate(labels)])
    item = found(side)["near_identical_labels"]
    assert item.count == 1
    assert item.places == ("'Fold it.' = 'fold_it' = 'fold  it'",)


def test_no_segments_at_all() -> None:
    assert [item.code for item in inspect(sides([]))] == ["empty_episodes"]
    assert inspect(Annotations.from_segments([])) == ()
