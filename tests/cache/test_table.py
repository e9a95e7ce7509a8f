"""Verdicts that a person filled in."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from segjudge.cache.jsonl import read_judgments
from segjudge.cache.table import read_table
from segjudge.errors import InputError
from segjudge.judgments import Verdict


def table(tmp_path: Path, text: str | bytes, name: str = "filled.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def problems(path: Path, judge: str | None = None) -> list[tuple[str, str, str, str]]:
    with pytest.raises(InputError) as caught:
        read_table(path, judge)
    assert all(problem.file == str(path) for problem in caught.value.problems)
    return [(p.place, p.field, p.value, p.expected) for p in caught.value.problems]


HEAD = "label_a,label_b,verdict,judge\n"


class TestRead:
    def test_rows_in_order_with_what_else_is_known(self, tmp_path):
        path = table(
            tmp_path,
            "episode,judge,verdict,label_b,label_a,task,context,rationale,judged_on,prompt\n"
            "e1,human:ana,a_in_b,make tea,pour water,subtask,make tea,a step,2026-11-30,mine@1\n"
            "e2,human:bo, Same ,stir,mix,,,,,\n",
        )
        first, second = read_table(path).judgments
        assert first.model_dump(exclude_none=True) == {
            "label_a": "pour water", "label_b": "make tea", "verdict": Verdict.A_IN_B,
            "judge": "human:ana", "task": "subtask", "context": "make tea",
            "rationale": "a step", "judged_on": "2026-11-30", "prompt": "mine@1", "run": 1,
        }  # fmt: skip
        assert second.model_dump(exclude_none=True) == {
            "label_a": "mix", "label_b": "stir", "verdict": Verdict.SAME,
            "judge": "human:bo", "context": "", "run": 1,
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("name", "delimiter"), [("a.csv", ","), ("a.tsv", "\t"), ("a.txt", ";"), ("a.csv", "\t")]
    )
    def test_delimiters(self, tmp_path, name, delimiter):
        text = HEAD + '"pour, slowly; now",stir,same,human\n'
        text = text.replace(",", delimiter).replace(f"pour{delimiter}", "pour,")
        (judgment,) = read_table(table(tmp_path, text, name)).judgments
        assert judgment.label_a == "pour, slowly; now"

    def test_as_a_spreadsheet_saves_it(self, tmp_path):
        text = b"\xef\xbb\xbf" + HEAD.replace("\n", "\r\n").encode()
        text += '"a ""b""\r\nc",拿起杯子,same,human\r\n'.encode()
        (judgment,) = read_table(table(tmp_path, text)).judgments
        assert judgment.label_a == 'a "b"\r\nc'
        assert judgment.label_b == "拿起杯子"

    def test_rows_still_open_are_counted(self, tmp_path):
        text = HEAD + "a,b,same,human\na,c,,human\na,d,  ,human\na,e,,\n"
        read = read_table(table(tmp_path, text))
        assert (len(read.judgments), read.left_open) == (1, 3)

    def test_who_judged_where_the_row_does_not_say(self, tmp_path):
        path = table(tmp_path, HEAD + "a,b,same,\na,c,same,human:ana\n")
        assert [j.judge for j in read_table(path, "human:bo").judgments] == [
            "human:bo",
            "human:ana",
        ]
        no_column = table(tmp_path, "label_a,label_b,verdict\na,b,same\n")
        assert [j.judge for j in read_table(no_column, "human:bo").judgments] == ["human:bo"]

    def test_json_lines(self, tmp_path):
        text = (
            '{"label_a": "a", "label_b": "b", "verdict": "a_in_b", "judge": null, "x": [1]}\n\n'
            '{"label_a": "a", "label_b": "c", "verdict": null, "judge": null}\n'
        )
        read = read_table(table(tmp_path, text, "missing.jsonl"), "human:ana")
        assert read.left_open == 1
        (judgment,) = read.judgments
        assert (judgment.verdict, judgment.judge) == (Verdict.A_IN_B, "human:ana")
        assert judgment.model_extra == {"x": [1]}


class TestRefused:
    def test_each_bad_row_is_named(self, tmp_path):
        text = HEAD + "a,b,same,human\na,b,yes,human\n,b,same,human\na,b\na,b,same,human\na,,no,h\n"
        found = problems(table(tmp_path, text))
        assert [problem[:3] for problem in found] == [
            ("line 3", "verdict", "'yes'"),
            ("line 4", "label_a", "missing"),
            ("line 5", "", ""),
            ("line 7", "label_b", "missing"),
            ("line 7", "verdict", "'no'"),
        ]
        assert "a_in_b" in found[0][3]

    def test_a_row_over_several_lines_is_named_by_its_last(self, tmp_path):
        found = problems(table(tmp_path, HEAD + '"a\nb",c,same,human\nd,"e\nf",maybe,human\n'))
        assert [problem[0] for problem in found] == ["line 5"]

    def test_every_column_that_lacks(self, tmp_path):
        found = problems(table(tmp_path, "a,label_b,judge\nx,y,z\n"))
        assert [(place, expected) for place, _, _, expected in found[:2]] == [
            ("header", "expected a column label_a"),
            ("header", "expected a column verdict"),
        ]

    def test_nobody_judged(self, tmp_path):
        found = problems(table(tmp_path, "label_a,label_b,verdict\na,b,same\na,c,same\nd,e,\n"))
        assert found == [
            ("line 2", "judge", "", "who judged, here and in 1 more rows; or give --judge NAME")
        ]

    @pytest.mark.parametrize("text", ["", HEAD, HEAD + "a,b,,human\n"])
    def test_no_verdict_at_all(self, tmp_path, text):
        assert problems(table(tmp_path, text), "human")

    @pytest.mark.parametrize(
        "text", [HEAD.encode() + b"\xff,b,same,human\n", HEAD.encode("utf-16"), b"\x00\x01"]
    )
    def test_no_text(self, tmp_path, text):
        assert problems(table(tmp_path, text))

    def test_bad_json_lines(self, tmp_path):
        text = (
            '{"label_a": "a", "label_b": "b", "verdict": "same", "judge": "h"}\n{"label_a"\n[1]\n'
        )
        found = problems(table(tmp_path, text, "a.jsonl"))
        assert [(place, expected) for place, _, _, expected in found] == [
            ("line 2", "one JSON object a line"),
            ("line 3", "one JSON object a line"),
        ]

    def test_no_such_file(self, tmp_path):
        assert problems(tmp_path / "none.csv")[0][3] == "No such file or directory"


HEADER = "label_a,label_b,verdict,judge\n"


def test_a_gzipped_table_is_read(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress((HEADER + "a,b,same,human\n").encode()))
    assert len(read_table(tmp_path / "a.csv.gz").judgments) == 1


@pytest.mark.parametrize("row", ["a,b,same", "a,b,same,human,more"])
def test_a_ragged_row_is_refused(tmp_path, row):
    (tmp_path / "a.csv").write_text(HEADER + row + "\n")
    with pytest.raises(InputError, match="4 cells"):
        read_table(tmp_path / "a.csv")


def test_what_is_no_file_of_judgments_is_told_what_to_do(tmp_path):
    (tmp_path / "a.csv").write_text(HEADER + "a,b,same,human\n")
    with pytest.raises(InputError, match="judgments import") as caught:
        read_judgments(tmp_path / "a.csv")
    assert len(caught.value.problems) == 1
    (tmp_path / "b.csv").write_text(HEADER + "a,b,same,human\n", encoding="utf-16")
    for read in (read_table, read_judgments):
        with pytest.raises(InputError, match="save it as UTF-8"):
            read(tmp_path / "b.csv")
