"""Bad values seen in real files, and what a user reads about each."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from segjudge.annotations import Annotations
from segjudge.errors import InputError
from segjudge.formats import read
from segjudge.formats.source import lines as source_lines
from segjudge.formats.source import open_raw, whole_text
from segjudge.inspection import inspect

WHERE = "line 1, episode 'a', segment 1"
ANY_TIME = "a time: seconds as a number, MM:SS or HH:MM:SS"


def told(reading: Any, content: Any, **options: Any) -> list[tuple[str, str, str, str]]:
    """Return place, field, value and expected of every problem."""
    with pytest.raises(InputError) as caught:
        reading(content, **options)
    return [(p.place, p.field, p.value, p.expected) for p in caught.value.problems]


def row(segment: Any, **more: Any) -> str:
    """Return a line with one episode of one segment, and one good line."""
    good = {"id": "z", "segments": [{"start": 0, "end": 1, "label": "x"}]}
    return json.dumps({"id": "a", **more, "segments": [segment]}) + "\n" + json.dumps(good) + "\n"


def seg(start: Any, end: Any, label: Any = "x") -> dict[str, Any]:
    return {"start": start, "end": end, "label": label}


@pytest.mark.parametrize(
    ("segment", "field", "value", "expected"),
    [
        (seg(0.4, 0.2), "end", "0.2", "an end that is not before the start, 0.4"),
        (seg("00:05", "00:04"), "end", "'00:04'", "an end that is not before the start, '00:05'"),
        (seg(0, -1), "end", "-1", "a time of at least 0"),
        (seg(-0.5, 1), "start", "-0.5", "a time of at least 0"),
        (seg(float("nan"), 1), "start", "nan", "a finite time"),
        (seg(0, float("inf")), "end", "inf", "a finite time"),
        (seg("NaN", 1), "start", "'NaN'", "a finite time"),
        (seg(0, None), "end", "null", ANY_TIME),
        (seg(None, 1), "start", "null", ANY_TIME),
        (seg(True, 2), "start", "True", ANY_TIME),
        (seg("soon", 2), "start", "'soon'", ANY_TIME),
        (seg([0], 2), "start", "[0]", ANY_TIME),
        (seg(0, 1e11), "end", "100000000000.0",
         "a time of at most 10000000000 s; is the unit right?"),
        (seg(0, 1, 7), "label", "7", "a label, which is text"),
        (seg(0, 1, None), "label", "null", "a label, which is text"),
        (seg(0, 1, ["x"]), "label", "['x']", "a label, which is text"),
        (seg(0, 1, "\ud800"), "label", "'\\ud800'", "text without lone surrogates"),
        ({**seg(0, 1), "track": 1}, "track", "1", "the name of a track, which is text"),
        (
            {"start": 0, "label": "x"}, "end", "missing",
            "a field end; the keys are 'start', 'label'",
        ),
        (
            {"start": 0, "end": 1}, "label", "missing",
            "a field label; the keys are 'start', 'end'",
        ),
        (
            {"start_frame": 0, "end_frame": 9, "label": "x"}, "start_frame", "0",
            "frames a second for times in frames: a field fps, or --fps",
        ),
        ({"segment": [0], "label": "x"}, "segment", "[0]", "two times, [start, end]"),
        ({"segment": [3, 1], "label": "x"}, "segment", "[3, 1]",
         "an end that is not before the start, [3, 1]"),
        (5, "", "5", "a segment: an object, or [start, end, label]"),
        ([0, 1], "", "[0, 1]", "a segment: an object, or [start, end, label]"),
        (None, "", "null", "a segment: an object, or [start, end, label]"),
    ],
)  # fmt: skip
def test_a_bad_segment(segment: Any, field: str, value: str, expected: str, reading: Any) -> None:
    problems = told(reading, row(segment), format="episodes")
    assert problems[0] == (WHERE, field, value, expected)


def test_the_message_of_a_reversed_segment_in_full(tmp_path: Path) -> None:
    path = tmp_path / "pred.jsonl"
    path.write_text(row(seg(0.4, 0.2)))
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: line 1, episode 'a', segment 1: end: 0.2 "
        "(expected an end that is not before the start, 0.4)"
    )


def test_everything_wrong_with_a_segment_is_told(reading: Any) -> None:
    problems = told(reading, row({"start": None, "end": -1, "label": 5}))
    assert [field for _, field, _, _ in problems] == ["start", "end", "label"]


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"id": "a", "segments": None}, (
            "segments", "null", 'a list of segments (an episode that failed says "ok": false)')),
        ({"id": "a", "segments": {"x": 1}}, (
            "segments", "{'x': 1}",
            'a list of segments (an episode that failed says "ok": false)')),
        ({"id": "a", "ok": "perhaps", "segments": []}, ("ok", "'perhaps'", "true or false")),
        ({"id": "a", "duration": -3, "segments": []}, ("duration", "-3", "a time of at least 0")),
        ({"id": "a", "duration": float("nan"), "segments": []}, (
            "duration", "nan", "a finite time")),
        ({"id": "a", "note": "\udc00", "segments": []}, (
            "'note'", "'\\udc00'", "text without lone surrogates")),
    ],
)  # fmt: skip
def test_a_bad_record(record: dict[str, Any], problem: tuple[str, str, str], reading: Any) -> None:
    text = json.dumps(record) + "\n" + row(seg(0, 1)).replace('"a"', '"y"')
    assert told(reading, text) == [("line 1, episode 'a'", *problem)]


@pytest.mark.parametrize("name", [None, "", "  ", 1.5, True, ["a"], 10**30])
def test_a_bad_id(name: Any, reading: Any) -> None:
    text = json.dumps({"id": name, "segments": []}) + "\n" + row(seg(0, 1))
    ((place, field, _, expected),) = told(reading, text)
    assert (place, field, expected) == ("line 1", "id", "an episode id: text or a whole number")


def test_a_record_without_id(reading: Any) -> None:
    text = json.dumps({"name": "a", "segments": []}) + "\n" + row(seg(0, 1))
    ((place, _, _, expected),) = told(reading, text, format="episodes")
    assert place == "line 1"
    assert expected.startswith("an episode id: id or episode or episode_id or video_id")
    assert expected.endswith("; the keys are 'name', 'segments'")


def test_every_repeated_id_is_named(reading: Any) -> None:
    text = "".join(json.dumps({"id": name, "segments": []}) + "\n" for name in "abaabc")
    said = "an id of its own; the episode is there already"
    assert told(reading, text) == [
        ("line 3", "episode id", "'a'", f"{said} (line 1)"),
        ("line 4", "episode id", "'a'", f"{said} (line 1)"),
        ("line 5", "episode id", "'b'", f"{said} (line 2)"),
    ]


def test_repeated_keys_of_a_mapping_are_repeated_ids(reading: Any) -> None:
    text = '{"a": [[0, 1, "x"]], "b": [], "a": [[0, 2, "y"]], "a": []}'
    assert told(reading, text) == [
        ("", "episode id", "'a'", "an id of its own; it is there more than once"),
        ("", "episode id", "'a'", "an id of its own; it is there more than once"),
    ]


@pytest.mark.parametrize("after", ["", row(seg(0, 1), id="c")])
def test_a_key_named_twice_is_a_fault(reading: Any, after: str) -> None:
    twice = '{"id": "a", "segments": [{"start": 0, "end": 1, "end": 2, "label": "x"}], "id": "b"}'
    problems = told(reading, f"{twice}\n{after}")
    assert [(field, value, expected) for _, field, value, expected in problems] == [
        ("'id'", "named twice", "each key once"),
        ("'end'", "named twice", "each key once"),
    ]
    emptied = '{"id":"a","segments":[{"start":0,"end":1,"label":"x"}],"segments":[]}'
    for text in (emptied, f"[{emptied}]", f'{{"records": [{emptied}]}}', f"{emptied}\n{after}"):
        assert [problem[1] for problem in told(reading, text)] == ["'segments'"]


def test_a_column_named_twice_is_a_fault(reading: Any) -> None:
    problems = told(reading, "episode,start,end,label,label\na,0,1,x,y\n")
    assert problems == [("line 1", "'label'", "named twice", "each column once")]


def test_records_under_two_keys_are_a_fault(reading: Any) -> None:
    record = '{"id": "a", "segments": [{"start": 0, "end": 1, "label": "x"}]}'
    problems = told(reading, f'{{"records": [{record}], "episodes": [{record}]}}')
    assert problems == [
        ("", "", "", "there are records under 'records' and under 'episodes'; keep one")
    ]
    one = reading(f'{{"records": [{record}], "episodes": []}}')
    assert one.episodes == ("a",)


DRAFT = '{"segments": [{"start": 0, "end": 1, "label": "x"}]}'


@pytest.mark.parametrize(
    "text",
    [
        f"Draft:\n```json\n{DRAFT}\n```\nFinal:\n```json\n{DRAFT}\n```\n",
        f"Draft {DRAFT}\n\n\n\nand the final one is {DRAFT}\n",
        f"Draft {DRAFT}\nFinal:\n\n\n```\n{DRAFT}\n```\n",
    ],
)
def test_of_two_blocks_none_is_chosen(reading: Any, text: str) -> None:
    (problem,) = told(reading, text)
    assert "there is JSON with segments on line " in problem[3]
    assert "keep the one that is meant" in problem[3]


@pytest.mark.parametrize("tag", ["think", "thinking", "reasoning", "Thinking"])
def test_thoughts_are_passed_over(reading: Any, tag: str) -> None:
    read = reading(f"<{tag}>Perhaps {DRAFT}?</{tag}>{DRAFT}")
    assert read.labels == ("x",)
    assert read.end.tolist() == [1_000_000]


def test_forty_bad_rows_among_many_give_forty_messages(reading: Any) -> None:
    rows = [f"e{i // 100},{i % 100},{i % 100 + 1},x" for i in range(100_000)]
    bad = list(range(1000, 100_000, 2475))
    assert len(bad) == 40
    for i in bad:
        rows[i] = f"e{i // 100},9,8,x"
    problems = told(reading, "episode,start,end,label\n" + "\n".join(rows))
    expected = "an end that is not before the start, '9'"
    assert problems == [(f"line {i + 2}", "end", "'8'", expected) for i in bad]


def test_bad_lines_do_not_hide_each_other(reading: Any) -> None:
    text = row(seg(0, 1)) + '{"id": "c", "segments": [}\n[1]\n"x"\n{"id": "d", "segm\n'
    assert told(reading, text) == [
        ("line 3, column 26", "", "'}'", "JSON (Expecting value)"),
        ("line 4", "", "[1]", "a JSON object"),
        ("line 5", "", "'x'", "a JSON object"),
        ("line 6, column 18", "", "", "a whole JSON value; the text is truncated"),
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": [[0, 1, "x"], [1, ', "line 1, column 24"),
        ('{"a": [[0, 1, "x"],\n [1, 2, "y', "line 2, column 11"),
        ('[{"id": "a", "segments": [{"start": 1.', "line 1, column 39"),
        ('{"id": "a", "ok": tru', "line 1, column 22"),
        ('```json\n{"segments": [[0, 1, "x"],\n', "line 2, column 27"),
        ('Here it is: {"segments": [[0, 1, "x"], [', "line 1, column 29"),
    ],
)
def test_truncated_json(text: str, place: str, reading: Any) -> None:
    ((where, _, _, expected),) = told(reading, text)
    assert expected == "a whole JSON value; the text is truncated"
    assert where == place


def test_a_list_of_one_record_a_line_that_is_broken_is_no_json_lines(reading: Any) -> None:
    text = '[\n{"id": "a", "segments": []},\n{"id": "b" "segments": []},\n{"id": "c"}\n]'
    expected = "JSON (Expecting ',' delimiter)"
    assert told(reading, text) == [
        ("line 3, column 12", "", '\'"segments": []},\\n{"id": "c"}\\n]\'', expected)
    ]


def test_a_good_file_may_begin_with_much_white_space(reading: Any) -> None:
    assert len(reading("\n" * 5000 + row(seg(0, 1)))) == 2
    assert len(reading("\n" * 5000 + "episode,start,end,label\na,0,1,x\n")) == 1


def test_gzip_that_breaks_off_late(reading: Any) -> None:
    rows = b"".join(b"a,%d,%d,do %d\n" % (i, i + 1, i * 7919 % 1000) for i in range(20_000))
    packed = gzip.compress(b"episode,start,end,label\n" + rows, mtime=0)
    ((place, _, _, expected),) = told(reading, packed[: len(packed) // 2], name="a.csv.gz")
    assert int(place.removeprefix("line ")) > 5000
    assert expected.startswith("the gzip data breaks off or is damaged: ")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[" * 100_000, "JSON that is nested less deeply"),
        ('[{"id": ' + "1" * 5000 + "}]", "numbers of at most 4300 digits"),
        ('{"id": "a",, "segments": []}',
         "JSON (Expecting property name enclosed in double quotes)"),
        ('{"id": "a", "segments": []} {"id"', "a whole JSON value; the text is truncated"),
        (b"", "the file is empty"),
        (b" \n\n", "the file holds nothing"),
        (b"\xff\xfeh\0i\0", "the text is UTF-16; save it as UTF-8"),
        (b"\x00\x00\x00\x18ftypmp42", "a binary file that is neither gzip nor parquet"),
        (b"PK\x03\x04\x00\x00", "a binary file that is neither gzip nor parquet"),
        ("[]", "expected a known format, but this is JSON without any record"),
        ("{}", "expected a known format, but this is JSON without any record"),
        ("null", "expected a known format, but this is text that is neither JSON nor a table"),
        ("hello", "expected a known format, but this is text that is neither JSON nor a table"),
        ('{"database": {}}',
         "expected a known format, but this is JSON under 'database' without any record"),
    ],
)  # fmt: skip
def test_files_that_cant_be(content: Any, expected: str, reading: Any) -> None:
    ((_, _, _, said),) = told(reading, content)
    assert said.split(";")[0] == expected.split(";")[0]


def test_deep_nesting_at_the_limit(reading: Any) -> None:
    for depth in range(900, 1000, 3):
        value = "[" * depth + "]" * depth
        with pytest.raises(InputError):
            reading(f'{{"id": "a", "f": {value}, "segments": [[0, 1, {value}]]}}\n')


def test_text_that_is_not_utf8(reading: Any) -> None:
    content = b"episode,start,end,label\na,0,1,caf\xe9\nb,0,1,x\nc,0,1,\xfc\n"
    assert told(reading, content) == [
        ("line 2", "", "byte 10 (0xe9)", "UTF-8 text"),
        ("line 4", "", "byte 7 (0xfc)", "UTF-8 text"),
    ]


def test_a_wholly_undecodable_file_stops_after_a_hundred_lines(reading: Any) -> None:
    assert len(told(reading, b"a,\xff\n" * 5000)) == 101


def test_gzip_that_breaks_off(reading: Any) -> None:
    packed = gzip.compress(b"episode,start,end,label\n" + b"a,0,1,x\n" * 10_000, mtime=0)
    ((place, _, _, expected),) = told(reading, packed[:60], name="a.csv.gz")
    assert place == "" or place.startswith("line ")
    assert expected.startswith("the gzip data ")
    assert "end-of-stream" in expected


@pytest.mark.parametrize("at", [3, 12, 20])
def test_gzip_that_is_damaged(at: int, reading: Any) -> None:
    packed = bytearray(gzip.compress(b"episode,start,end,label\n" + b"a,0,1,x\n" * 100, mtime=0))
    packed[at] ^= 0xFF
    for problem in told(reading, bytes(packed)):
        assert "gzip" in problem[3] or "UTF-8" in problem[3]


def test_limits_on_what_is_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.txt.gz"
    path.write_bytes(gzip.compress(b"x" * 1000 + b"\n" + b"y" * 90))
    raw = open_raw(path)
    with pytest.raises(InputError, match="line 1: a line of at most 999 bytes"):
        list(source_lines(raw, [], 999))
    with pytest.raises(InputError, match="a document of at most 1050 characters"):
        whole_text(raw, [], 1050)
    assert len(whole_text(raw, [], 1100)) == 1091


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "reference.jsonl").write_text("")
    with pytest.raises(InputError) as caught:
        read(tmp_path / "refrence.jsonl")
    near = tmp_path / "reference.jsonl"
    assert caught.value.problems[0].expected == f"no such file; did you mean {str(near)!r}?"
    with pytest.raises(InputError, match="its folder isn't there either"):
        read(tmp_path / "no" / "such.jsonl")
    with pytest.raises(InputError, match="this is a folder, not a file"):
        read(tmp_path)
    with pytest.raises(InputError, match="can't be read: "):
        read("a\0b")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,0,1\n", ("line 2", "", "3 cells", "4 cells, as in the header")),
        ("a,0,1,x,y\n", ("line 2", "", "5 cells", "4 cells, as in the header")),
        ('a,0,1,"x\n', ("line 2", "", "", "expected a well-formed row: unexpected end of data")),
        ('a,0,1,"x"y\n', ("line 2", "", "", "expected a well-formed row: ',' expected after '\"'")),
        ("a,0,,x\n", ("line 2", "end", "missing", ANY_TIME)),
        (",0,1,x\n", ("line 2", "episode", "''", "an episode id: text or a whole number")),
        ("\n\na,1,0,x\n", ("line 4", "end", "'0'", "an end that is not before the start, '1'")),
        ('b,0,1,"two\nlines"\na,1,0,x\n',
         ("line 4", "end", "'0'", "an end that is not before the start, '1'")),
        (f"b,0,1,x\na,0,1,{'y' * 200_000}\n",
         ("line 3", "", "", "expected a well-formed row: field larger than field limit (131072)")),
        ("b,0,1,\0x\n" + "b,0,1,x\n" * 200, ("line 2", "", "", "expected text without NUL bytes")),
    ],
)  # fmt: skip
def test_bad_rows_of_a_table(text: str, problem: Any, reading: Any) -> None:
    # The padding keeps a NUL out of the first bytes, by which a binary file is told.
    padding = "b,0,1,x\n" * 200 if "\0" in text else ""
    content = "episode,start,end,label\n" + padding + text
    place, *rest = problem
    if padding:
        place = "line 202"
    assert told(reading, content) == [(place, *rest)]


def test_our_own_columns_must_agree(reading: Any) -> None:
    text = (
        "episode,start,end,label,episode_duration,episode_failed,episode_fields\n"
        "a,0,1,x,9,no,[]\na,1,2,x,8,,\n"
    )
    assert told(reading, text) == [
        ("line 2", "episode_failed", "'no'", "true or false"),
        ("line 2", "episode_fields", "'[]'", "the JSON text of an object"),
        ("line 3", "episode_duration", "'8'", "one duration an episode; it was 9.0 s before"),
    ]


def test_json_text_in_a_column_that_is_broken(reading: Any) -> None:
    rows = [{"id": "a", "segments": '[{"start": 0,'}, {"id": "b", "segments": "[]"}]
    text = "".join(json.dumps(item) + "\n" for item in rows)
    ((place, field, _, expected),) = told(reading, text)
    assert (place, field) == ("line 1, episode 'a'", "segments")
    assert expected == (
        "the JSON text of a list of segments; at column 14: "
        "a whole JSON value; the text is truncated"
    )


def test_captions_whose_lists_differ_in_length(reading: Any) -> None:
    text = json.dumps({"v_a": {"duration": 9, "timestamps": [[0, 1]], "sentences": ["x", "y"]}})
    ((place, _, _, expected),) = told(reading, text)
    assert place == "episode 'v_a'"
    assert expected.startswith(
        "as many times as sentences, but there are 1 `timestamps` and 2 `sentences`"
    )


def codes(a: Annotations) -> dict[str, str]:
    """Return the message of each finding by its code."""
    return {item.code: item.message for item in inspect(a)}


@pytest.mark.parametrize(
    ("segments", "code", "message"),
    [
        ([seg(1, 1)], "zero_length",
         "1 segment of zero length, overlapping nothing but counted in one-to-one metrics"),
        ([seg(0, 2), seg(1.5, 3, "y")], "self_overlap",
         "1 segment overlapping an earlier one of the same episode and track, 0.5 s in all; "
         "psj counts such time more than once"),
        ([seg(11, 12)], "start_past_duration",
         "1 segment starting past the end of the episode; is the clock right (--offset)?"),
        ([seg(9, 10.5)], "end_past_duration",
         "1 segment ending past the end of the episode (--clip duration cuts there)"),
        ([seg(0, 1, "")], "blank_labels",
         "1 segment with a blank label, which never matches anything"),
        ([seg(0, 1, "segment 3")], "placeholder_labels",
         "1 segment with a placeholder for a label, which no judge can accept"),
        ([seg(0, 1, "new subtask")], "placeholder_labels",
         "1 segment with a placeholder for a label, which no judge can accept"),
        ([seg(0, 1), seg(1, 2)], "adjacent_duplicates",
         "1 segment beginning where one with the same label ends, not merged"),
        ([seg(0, 1, "fold it"), seg(1, 2, "fold it.")], "near_identical_labels",
         "1 label written in more than one way, by case, spaces, '_' or a final full stop; "
         "each is taken as one"),
        ([seg(0, 1, "pick_up_cup")], "snake_case_labels", "1 segment with a label in snake_case"),
        ([seg(0, 1, "pick up the cup@lift the cup")], "joined_labels",
         "1 segment with several labels joined by '@' in one"),
    ],
)  # fmt: skip
def test_what_is_kept_and_noticed(segments: Any, code: str, message: str, reading: Any) -> None:
    read = reading(json.dumps({"id": "a", "duration": 10, "segments": segments}))
    assert len(read) == len(segments)
    assert codes(read)[code] == message


def test_chinese_labels_stay_distinct(reading: Any) -> None:
    read = reading(
        json.dumps({"id": "a", "segments": [seg(0, 1, "拿起杯子"), seg(1, 2, "放下杯子")]})
    )
    assert read.labels == ("拿起杯子", "放下杯子")
    assert codes(read) == {}
