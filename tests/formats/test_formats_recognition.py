"""Every format is recognised, forced, and read to the exact segments."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from typing import Any

import pytest

from segjudge.errors import InputError, UsageError
from segjudge.formats import Format, describe, names
from segjudge.formats.registry import formats

S = 1_000_000

TWO = [("a", "", 0, 2 * S, "x"), ("a", "", 2 * S, 3 * S, "y"), ("b", "", 0, S, "x")]


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def seg(start: Any, end: Any, label: str, *keys: str) -> dict[str, Any]:
    return dict(zip(keys or ("start", "end", "label"), (start, end, label), strict=True))


A = [seg(0, 2, "x"), seg(2, 3, "y")]
B = [seg(0, 1, "x")]
WGO = ("start_sec", "end_sec", "subtask")
WGO_A = [seg(0.0, 2.0, "x", *WGO), seg(2.0, 3.0, "y", *WGO)]
WGO_B = [seg(0.0, 1.0, "x", *WGO)]

CASES: dict[str, tuple[str, str]] = {
    "our lines": ("segjudge", lines({"id": "a", "segments": A}, {"id": "b", "segments": B})),
    "our list": ("segjudge", json.dumps([{"id": "a", "segments": A}, {"id": "b", "segments": B}])),
    "WGO lines": ("wgo", lines({"id": "a", "segments": WGO_A}, {"id": "b", "segments": WGO_B})),
    "WGO with JSON in a column": (
        "wgo",
        lines(
            {"id": "a", "segments": json.dumps(WGO_A)}, {"id": "b", "segments": json.dumps(WGO_B)}
        ),
    ),
    "WGO as CSV with JSON in a column": (
        "wgo",
        "id,segments\n"
        + "".join(
            f'{name},"{json.dumps(rows).replace(chr(34), chr(34) * 2)}"\n'
            for name, rows in (("a", WGO_A), ("b", WGO_B))
        ),
    ),
    "rows of a rows service": (
        "wgo",
        json.dumps(
            {
                "features": [],
                "rows": [
                    {"row_idx": 0, "row": {"id": "a", "segments": WGO_A}},
                    {"row_idx": 1, "row": {"id": "b", "segments": WGO_B}},
                ],
            }
        ),
    ),
    "triples": (
        "triples",
        lines(
            {"id": "a", "ok": True, "pred": [[0, 2, "x"], [2, 3, "y"]]},
            {"id": "b", "ok": True, "pred": [[0, 1, "x"]]},
        ),
    ),
    "refiner, predicted": (
        "refiner",
        lines({"id": "a", "predicted_subtasks": WGO_A}, {"id": "b", "predicted_subtasks": WGO_B}),
    ),
    "refiner, labelled wins": (
        "refiner",
        lines(
            {"id": "a", "predicted_subtasks": [], "labeled_subtasks": WGO_A},
            {"id": "b", "predicted_subtasks": [], "labeled_subtasks": WGO_B},
        ),
    ),
    "refiner, sidecar": (
        "refiner",
        json.dumps(
            {
                "records": [
                    {"id": "a", "subtask_annotation_result": {"status": "ok", "segments": WGO_A}},
                    {
                        "id": "b",
                        "subtask_annotation_result": json.dumps(
                            {"status": "partial", "segments": WGO_B}
                        ),
                    },
                ]
            }
        ),
    ),
    "EgoHome": (
        "egohome",
        json.dumps([{"clip_id": "a", "subtasks": A}, {"clip_id": "b", "subtasks": B}]),
    ),
    "localization, reference": (
        "localization",
        lines(
            {"id": "a", "gold_segments": [seg(0, 2, "x"), seg(2, 3, "y")]},
            {"id": "b", "gold_segments": B},
        ),
    ),
    "localization, prediction": (
        "localization",
        lines(
            {
                "id": "a",
                "labels": [
                    {
                        "label": "x",
                        "intervals": [{"label_echo": "x", "start_sec": 0, "end_sec": 2}],
                    },
                    {
                        "label": "y",
                        "intervals": [{"label_echo": "y", "start_sec": 2, "end_sec": 3}],
                    },
                ],
            },
            {"id": "b", "labels": [{"label": "x", "intervals": [{"start_sec": 0, "end_sec": 1}]}]},
        ),
    ),
    "ActivityNet, database": (
        "activitynet",
        json.dumps(
            {
                "version": "1.3",
                "taxonomy": [],
                "database": {
                    "a": {
                        "duration": 9.5,
                        "annotations": [
                            {"segment": [0, 2], "label": "x"},
                            {"segment": [2, 3], "label": "y"},
                        ],
                    },
                    "b": {"annotations": [{"segment": [0, 1], "label": "x"}]},
                },
            }
        ),
    ),
    "ActivityNet, results": (
        "activitynet",
        json.dumps(
            {
                "results": {
                    "a": [
                        {"segment": [0, 2], "label": "x", "score": 0.5},
                        {"segment": [2, 3], "label": "y", "score": 0.5},
                    ],
                    "b": [{"timestamp": [0, 1], "sentence": "x"}],
                }
            }
        ),
    ),
    "ActivityNet Captions": (
        "activitynet",
        json.dumps(
            {
                "a": {"duration": 9.5, "timestamps": [[0, 2], [2, 3]], "sentences": ["x", "y"]},
                "b": {"duration": 9.5, "timestamps": [[0, 1]], "sentences": ["x"]},
            }
        ),
    ),
    "LeRobot, subtasks": (
        "lerobot",
        json.dumps({"episodes": {"a": {"subtasks": A}, "b": {"subtasks": B}}}),
    ),
    "LeRobot, atoms": (
        "lerobot",
        json.dumps(
            {
                "episodes": {
                    "a": {
                        "duration": 3,
                        "atoms": [
                            {"style": "subtask", "timestamp": 2, "content": "y"},
                            {"style": "plan", "timestamp": 0, "content": "first x, then y"},
                            {"style": "subtask", "timestamp": 0, "content": "x"},
                        ],
                    },
                    "b": {
                        "duration": 1,
                        "atoms": [{"style": "subtask", "timestamp": 0, "content": "x"}],
                    },
                }
            }
        ),
    ),
    "CSV": ("csv", "episode,start,end,label\na,0,2,x\na,2,3,y\nb,0,1,x\n"),
    "CSV with semicolons": ("csv", "episode;start;end;label\na;0;2;x\na;2;3;y\nb;0;1;x\n"),
    "CSV with a byte order mark": (
        "csv",
        "\ufeffepisode,start,end,label\na,0,2,x\na,2,3,y\nb,0,1,x",
    ),
    "CSV of narrations": (
        "csv",
        "video_id,narration_timestamp,start_timestamp,stop_timestamp,start_frame,stop_frame,"
        "narration\r\na,00:00:01,00:00:00.00,00:00:02.00,9,9,x\r\n"
        "a,00:00:01,00:00:02.00,00:00:03.00,9,9,y\r\nb,00:00:01,00:00:00,00:00:01,9,9,x\r\n",
    ),
    "TSV": ("tsv", "episode\tstart\tend\tlabel\na\t0\t2\tx\na\t2\t3\ty\nb\t0\t1\tx\n"),
    "flat lines in milliseconds": (
        "rows",
        lines(
            {"episode_id": "a", "start_ms": 0, "end_ms": 2000, "label": "x"},
            {"episode_id": "a", "start_ms": 2000, "end_ms": 3000, "label": "y"},
            {"episode_id": "b", "start_ms": 0, "end_ms": 1000, "label": "x"},
        ),
    ),
    "mapping of lists": ("episodes", json.dumps({"a": A, "b": B})),
    "mapping of triples": (
        "episodes",
        json.dumps({"a": [[0, 2, "x"], [2, 3, "y"]], "b": [[0, 1, "x"]]}),
    ),
    "mapping of episodes, in frames": (
        "episodes",
        json.dumps(
            {
                "a": {
                    "fps": 10,
                    "segments": [
                        {"seg_id": 0, "start_frame": 0, "end_frame": 20, "instruction": "x"},
                        {"seg_id": 1, "start_frame": 20, "end_frame": 30, "instruction": "y"},
                    ],
                },
                "b": {
                    "fps": 20,
                    "segments": [{"start_frame": 0, "end_frame": 20, "instruction": "x"}],
                },
            }
        ),
    ),
    "timestamps inside each segment": (
        "episodes",
        lines(
            {
                "episode_id": "a",
                "subtasks": [
                    {"timestamps": {"start": "00:00", "end": "00:02"}, "subtask": "x"},
                    {"timestamps": {"start": "00:02", "end": "00:03"}, "subtask": "y"},
                ],
            },
            {
                "episode_id": "b",
                "subtasks": [{"start_time": "0s", "end_time": "1.0s", "name": "x"}],
            },
        ),
    ),
    "action_config": (
        "episodes",
        lines(
            {
                "episode_index": "a",
                "fps": 10,
                "action_config": [
                    {"start_frame": 0, "end_frame": 20, "action_text": "x", "skill": "Pick"},
                    {"start_frame": 20, "end_frame": 30, "action_text": "y", "skill": "Place"},
                ],
            },
            {
                "episode_index": "b",
                "fps": 10,
                "action_config": [{"start_frame": 0, "end_frame": 10, "action_text": "x"}],
            },
        ),
    ),
    "values that follow each other on many lines": (
        "segjudge",
        json.dumps({"id": "a", "segments": A}, indent=1)
        + "\n"
        + json.dumps({"id": "b", "segments": B}, indent=1),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_recognised(case: str, reading: Any, segments: Any) -> None:
    name, text = CASES[case]
    read = reading(text, "file.txt")
    assert read.source.format == name
    assert segments(read) == TWO
    assert read.episodes == ("a", "b")


@pytest.mark.parametrize("case", CASES)
def test_forced_and_packed(case: str, reading: Any, segments: Any) -> None:
    name, text = CASES[case]
    packed = gzip.compress(text.encode("utf-8"))
    read = reading(packed, "file.txt.gz", format=name)
    assert segments(read) == TWO


def test_every_format_has_an_example_that_is_recognised(reading: Any) -> None:
    for format in formats():
        assert reading(format.example).source.format == format.name


def test_every_format_has_a_case_here() -> None:
    assert {name for name, _ in CASES.values()} == set(names())


def test_names_are_in_the_order_of_recognition() -> None:
    assert names() == (
        "segjudge", "csv", "tsv", "lerobot", "activitynet", "triples", "refiner", "localization",
        "egohome", "wgo", "rows", "episodes",
    )  # fmt: skip
    assert tuple(describe()) == names()
    assert all(isinstance(format, Format) and format.description for format in formats())


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (None, [("c", "", 0, S, "s")]),
        ("subtask", [("c", "", 0, S, "s")]),
        ("hand-action", [("c", "left", S, 2 * S, "carry"), ("c", "right", 0, S, "hold")]),
        ("hand-caption", [("c", "right", 2 * S, 3 * S, "lift a cup")]),
    ],
)
def test_the_task_picks_in_egohome_rows(
    task: str | None, expected: Any, reading: Any, segments: Any
) -> None:
    row = {
        "clip_id": "c",
        "duration_sec": 3,
        "fps": 30,
        "hand_boxes": [{"t": 0.0, "left": [1, 2, 3, 4], "right": None}],
        "subtasks": [seg(0, 1, "s")],
        "hand_actions": {"left": [seg(1, 2, "carry")], "right": [seg(0, 1, "hold")]},
        "hand_captions": json.dumps({"left": None, "right": [seg(2, 3, "lift a cup")]}),
    }
    read = reading(json.dumps([row]), task=task)
    assert segments(read) == expected
    assert read.table.duration.tolist() == [3 * S]
    assert dict(read.table.fields) == {"fps": (30,)}


def test_hands_that_no_format_knows(reading: Any) -> None:
    row = {"clip_id": "c", "hand_captions": {"both": []}}
    with pytest.raises(InputError) as caught:
        reading(lines(row), task="hand-caption")
    assert str(caught.value).endswith(
        "episode 'c': `hand_captions` with nothing but `left` and `right`; "
        "the keys are 'clip_id', 'hand_captions'"
    )


def test_a_task_that_the_row_lacks(reading: Any) -> None:
    with pytest.raises(InputError, match=r"`subtasks` \(--task picks one of subtask, hand-action"):
        reading(lines({"clip_id": "c", "hand_captions": {"left": []}}))


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"segments": [[0, 1.5, "x"]]}\n```',
        'Sure, here it is:\n\n```json\n{"segments": [[0, 1.5, "x"]]}\n```\nAnything else?',
        '<think>a {"segments": 5} b</think>\n{"segments": [[0, 1.5, "x"]]}',
        '<think>\n[{"no": 1}]\n</think>\nHere:\n```\n[[0, 1.5, "x"]]\n```',
        'The segments are [[0, 1.5, "x"]] as asked.',
        '{"segments": [[0, 1.5, "x"]]}\n\nI hope this helps.',
        '{\n "segments": [\n  [0, 1.5, "x"]\n ]\n}\nDone.',
    ],
)
def test_what_a_model_says_around_its_json(text: str, reading: Any, segments: Any) -> None:
    read = reading(text, "clip_7.txt")
    assert segments(read) == [("clip_7", "", 0, 1_500_000, "x")]
    assert [item.code for item in read.findings] == ["text_around_json", "id_from_file_name"]


def test_a_bare_list_is_one_episode_called_after_its_file(reading: Any, segments: Any) -> None:
    read = reading(json.dumps(WGO_B), "a.pred.json")
    assert segments(read) == [("a", "", 0, S, "x")]
    assert [item.message for item in read.findings] == [
        "The only episode has no id; it is called 'a' after the file."
    ]


def test_failed_and_empty_episodes(reading: Any) -> None:
    read = reading(
        lines(
            {"id": "a", "ok": False, "pred": None},
            {"id": "b", "ok": False},
            {"id": "c", "ok": True, "pred": []},
            {"id": "d", "ok": False, "pred": [[0, 1, "half an answer"]]},
        )
    )
    assert read.episodes == ("a", "b", "c", "d")
    assert read.table.failed.tolist() == [True, True, False, True]
    assert len(read) == 0
    assert [(item.code, item.level, item.count) for item in read.findings] == [
        ("failed_with_segments", "warning", 1)
    ]


def test_the_sidecar_says_what_failed(reading: Any) -> None:
    rows = [
        {"id": status, "subtask_annotation_result": {"status": status, "segments": value}}
        for status, value in (("invalid", None), ("blocked", None), ("empty", []), ("ok", WGO_B))
    ]
    read = reading(lines(*rows))
    assert read.table.failed.tolist() == [True, True, False, False]
    assert read.table.fields["status"] == ("invalid", "blocked", "empty", "ok")


def test_an_echo_that_differs_is_noticed(reading: Any, segments: Any) -> None:
    block = {"label": "x", "intervals": [{"label_echo": "X", "start_sec": 0, "end_sec": 1}]}
    read = reading(lines({"id": "a", "labels": [block]}))
    assert segments(read) == [("a", "", 0, S, "x")]
    (found,) = read.findings
    assert (found.code, found.level, found.count) == ("label_echo_differs", "warning", 1)
    assert found.places == ("the episode, label 1, interval 1: 'X'",)


def test_the_last_atom_needs_a_duration(reading: Any) -> None:
    atoms = [{"style": "subtask", "timestamp": 0, "content": "x"}]
    with pytest.raises(InputError) as caught:
        reading(json.dumps({"episodes": {"7": {"atoms": atoms}}}))
    assert "episode '7': `duration`: atoms have a start only" in str(caught.value)


def test_wgo_metadata_gives_duration_and_family(reading: Any) -> None:
    metadata = json.dumps({"duration_sec": 12.5, "source_family": "homer", "fps": 30})
    read = reading(
        lines({"id": "a", "segments": WGO_A, "metadata": metadata, "video": "x" * 10**5})
    )
    assert read.table.duration.tolist() == [12_500_000]
    assert read.table.fields["family"] == ("homer",)
    assert "video" not in read.table.fields


def test_hand_is_a_track_and_fields_are_kept(reading: Any, segments: Any) -> None:
    read = reading(
        lines({"id": 7, "family": "f", "nothing": None, "segments": [{**B[0], "hand": "left"}]})
    )
    assert segments(read) == [("7", "left", 0, S, "x")]
    assert dict(read.table.fields) == {"family": ("f",)}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [("a", "", S, 2 * S, "x")]),
        ({"unit": "s"}, [("a", "", S, 2 * S, "x")]),
        ({"unit": "ms"}, [("a", "", 1000, 2000, "x")]),
        ({"unit": "us"}, [("a", "", 1, 2, "x")]),
        ({"unit": "frames", "fps": 25}, [("a", "", 40_000, 80_000, "x")]),
        ({"unit": "frames", "fps": 29.97}, [("a", "", 33_367, 66_733, "x")]),
    ],
)
def test_the_unit_of_names_that_say_none(
    options: dict[str, Any], expected: Any, reading: Any, segments: Any
) -> None:
    assert segments(reading("episode,start,end,label\na,1,2,x\n", **options)) == expected
    row = lines({"id": "a", "segments": [seg(1, 2, "x")]})
    assert segments(reading(row, **options)) == expected


def test_seconds_stand_before_frames_unless_frames_are_asked_for(
    reading: Any, segments: Any
) -> None:
    text = "episode,start_frame,end_frame,start,end,label\na,30,60,1.5,2.5,x\n"
    assert segments(reading(text)) == [("a", "", 1_500_000, 2_500_000, "x")]
    asked = reading(text, unit="frames", fps=10)
    assert segments(asked) == [("a", "", 3 * S, 6 * S, "x")]


def test_columns_name_the_fields(reading: Any, segments: Any) -> None:
    columns = {
        "start": "from", "end": "to", "label": "what", "episode": "clip", "track": "hand",
        "duration": "length",
    }  # fmt: skip
    text = "clip,hand,from,to,what,length,site\na,left,1,2,x,9,s1\na,right,2,3,y,9,s1\n"
    read = reading(text, columns=columns)
    assert segments(read) == [("a", "left", S, 2 * S, "x"), ("a", "right", 2 * S, 3 * S, "y")]
    assert read.table.duration.tolist() == [9 * S]
    assert dict(read.table.fields) == {"site": ("s1",)}


def test_columns_name_the_fields_of_records(reading: Any, segments: Any) -> None:
    columns = {"start": "t0", "end": "t1", "label": "what", "episode": "clip"}
    text = lines({"clip": "a", "segments": [{"t0": 1, "t1": 2, "what": "x"}]})
    assert segments(reading(text, columns=columns)) == [("a", "", S, 2 * S, "x")]


def test_a_column_that_varies_within_an_episode_is_none_of_its_fields(reading: Any) -> None:
    text = "episode,start,end,label,site,verb\na,0,1,x,s1,put\nb,0,1,x,s2,put\na,1,2,y,s1,take\n"
    assert dict(reading(text).table.fields) == {"site": ("s1", "s2")}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "wgoo"}, "no format is called 'wgoo'; did you mean 'wgo'?"),
        ({"unit": "minutes"}, "--unit minutes: there are s, ms, us, frames"),
        ({"task": "hands"}, "--task hands: there are subtask, hand-caption, hand-action"),
        ({"fps": 0.0}, "--fps 0.0: frames a second, above 0"),
        ({"fps": float("nan")}, "--fps nan: frames a second, above 0"),
        (
            {"columns": {"begin": "x"}},
            "--columns begin=...: there are start, end, label, episode, track, duration",
        ),
    ],
)
def test_options_that_cant_be(options: dict[str, Any], message: str, reading: Any) -> None:
    with pytest.raises(UsageError) as caught:
        reading(CASES["our lines"][1], **options)
    assert str(caught.value).startswith(message)


def test_a_unit_that_contradicts_the_field(reading: Any) -> None:
    with pytest.raises(UsageError, match="--unit ms contradicts the field 'start_sec'"):
        reading(CASES["WGO lines"][1], unit="ms")
    named = {"start": "start_sec", "end": "end_sec"}
    read = reading(CASES["WGO lines"][1], unit="ms", columns=named)
    assert read.end.tolist() == [2000, 3000, 1000]


def test_a_file_of_no_format_says_what_was_seen(reading: Any) -> None:
    with pytest.raises(InputError) as caught:
        reading('{"video": "a", "score": 1}\n{"video": "b", "score": 2}\n', "scores.jsonl")
    (problem,) = caught.value.problems
    assert problem.expected == (
        "expected a known format, but this is JSON with the keys 'video', 'score'; "
        "name one with --format "
        "(segjudge, csv, tsv, lerobot, activitynet, triples, refiner, localization, egohome, wgo, "
        "rows, episodes), or the columns with --columns start=...,end=...,label=...,episode=..."
    )


def test_a_table_of_no_format_says_its_columns(reading: Any) -> None:
    with pytest.raises(InputError, match="this is a table with the columns 'clip', 'from', 'to'"):
        reading("clip,from,to\na,1,2\n")


def test_a_forced_table_says_which_columns_it_lacks(reading: Any) -> None:
    with pytest.raises(InputError) as caught:
        reading("clip,start,to\na,1,2\n", format="csv", columns={"label": "what"})
    seen = "(the columns are 'clip', 'start', 'to')"
    assert [problem.expected for problem in caught.value.problems] == [
        f"label: no column 'what' {seen}",
        f"end: no column of a usual name; give --columns end=NAME {seen}",
        f"episode: no column of a usual name; give --columns episode=NAME {seen}",
    ]


def test_a_forced_format_says_what_each_record_lacks(reading: Any) -> None:
    with pytest.raises(InputError) as caught:
        reading(lines({"id": "a", "x": 1}, {"id": "b", "y": 1}), "f.jsonl", format="triples")
    assert [(p.place, p.expected) for p in caught.value.problems] == [
        ("line 1, episode 'a'", "`pred`; the keys are 'id', 'x'"),
        ("line 2, episode 'b'", "`pred`; the keys are 'id', 'y'"),
    ]


def test_reading_loads_no_heavy_package() -> None:
    code = (
        "import sys, segjudge.formats.registry as r; r.formats();"
        "print(sorted({'pandas', 'pyarrow', 'scipy', 'litellm'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_standard_input() -> None:
    code = "from segjudge.formats import read; r = read('-'); print(len(r), r.source.file)"
    done = subprocess.run(
        [sys.executable, "-c", code], input=CASES["CSV"][1], capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout == "3 -\n"
