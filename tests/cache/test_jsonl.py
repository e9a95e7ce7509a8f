"""Judgments as JSON lines: what is written reads back, and every bad line is named."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segjudge.cache.jsonl import read_judgments, write_judgments
from segjudge.errors import InputError
from segjudge.judgments import Judgment, Verdict

GOOD = '{"label_a": "a", "label_b": "b", "verdict": "same", "judge": "m"}'
VERDICTS = "same, a_in_b, b_in_a, part, different, permissible, not_same, undecided"

#: JSON as other tools write it; a lone surrogate is no text.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
JUDGMENTS = st.builds(
    lambda extra, **fields: Judgment(**{f"x_{k}": v for k, v in extra.items()}, **fields),
    extra=st.dictionaries(TEXT, VALUES, max_size=2),
    label_a=TEXT,
    label_b=TEXT,
    verdict=st.sampled_from(list(Verdict)),
    judge=TEXT.filter(bool),
    prompt=st.none() | TEXT,
    task=st.none() | TEXT,
    context=TEXT,
    params=st.none() | st.dictionaries(TEXT, VALUES, max_size=2),
    votes=st.none() | st.lists(TEXT, max_size=3),
    cost_usd=st.none() | st.floats(0, 1),
)


def written(path: Path, *lines: str | bytes) -> Path:
    path.write_bytes(b"".join((x.encode() if isinstance(x, str) else x) + b"\n" for x in lines))
    return path


def problems(path: Path) -> list[tuple[str, str, str, str]]:
    with pytest.raises(InputError) as caught:
        read_judgments(path)
    assert all(problem.file == str(path) for problem in caught.value.problems)
    return [(p.place, p.field, p.value, p.expected) for p in caught.value.problems]


class TestRoundTrip:
    @given(st.lists(JUDGMENTS, max_size=5), st.sampled_from(["a.jsonl", "a.jsonl.gz"]))
    def test_any_judgments(self, tmp_path_factory, judgments, name):
        path = tmp_path_factory.mktemp("judgments") / name
        assert write_judgments(judgments, path) == len(judgments)
        back = read_judgments(path)
        assert sorted(map(repr, back)) == sorted(map(repr, judgments))
        again = path.with_name("again" + name)
        write_judgments(reversed(back), again)
        assert again.read_bytes() == path.read_bytes()

    def test_sorted_by_pair_one_object_a_line(self, tmp_path):
        rows = [("stir", "pour"), ("b", "a"), ("a", "c"), ("拿起", "a")]
        path = tmp_path / "out.jsonl"
        write_judgments(
            [Judgment(label_a=a, label_b=b, verdict="a_in_b", judge="m") for a, b in rows], path
        )
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert [(x["label_a"], x["label_b"]) for x in lines] == [rows[i] for i in (1, 2, 3, 0)]
        assert "拿起" in path.read_text(encoding="utf-8")

    def test_line_breaks_of_all_kinds_stay_inside_a_line(self, tmp_path):
        """U+2028 and its like break lines for str.splitlines, not for JSON lines."""
        label = "a\nb\r\nc\u2028d\u0085e\x1cf"
        path = tmp_path / "out.jsonl"
        write_judgments([Judgment(label_a=label, label_b="x", verdict="same", judge="m")], path)
        assert path.read_bytes().count(b"\n") == 1
        assert read_judgments(path)[0].label_a == label

    def test_compressed_by_name_and_read_by_content(self, tmp_path):
        judgment = Judgment.model_validate_json(GOOD)
        packed, plain = tmp_path / "a.jsonl.gz", tmp_path / "a.jsonl"
        write_judgments([judgment], packed)
        assert packed.read_bytes()[:2] == b"\x1f\x8b"
        plain.write_bytes(packed.read_bytes())
        assert read_judgments(packed) == read_judgments(plain) == [judgment]
        assert gzip.decompress(packed.read_bytes()).count(b"\n") == 1

    def test_no_judgments(self, tmp_path):
        assert write_judgments([], tmp_path / "a.jsonl") == 0
        assert read_judgments(tmp_path / "a.jsonl") == []

    def test_a_file_as_other_programs_write_it(self, tmp_path):
        path = written(
            tmp_path / "a.jsonl", b"\xef\xbb\xbf" + GOOD.encode() + b"\r", "", "  \t", f"  {GOOD} "
        )
        path.write_bytes(path.read_bytes() + GOOD.encode())  # no line feed at the end
        assert len(read_judgments(path)) == 3

    def test_order_of_the_file_is_kept(self, tmp_path):
        lines = [GOOD.replace('"m"', f'"m{i}"') for i in (3, 1, 2)]
        path = written(tmp_path / "a.jsonl", *lines)
        assert [judgment.judge for judgment in read_judgments(path)] == ["m3", "m1", "m2"]


class TestBadLines:
    def test_each_is_named_and_the_good_ones_do_not_hide_them(self, tmp_path):
        path = written(
            tmp_path / "judgments.jsonl",
            GOOD,
            GOOD.replace('"same"', '"yes"'),
            "",
            '{"label_a": "a", "verdict": "same", "judge": "m"}',
            "label_a,label_b,verdict",
            GOOD.replace('"b"', "7"),
            GOOD.replace('"m"', '""'),
            GOOD[:-1] + ', "params": []}',
            GOOD[:-1] + ', "cost_usd": "much"}',
            "[" + GOOD + "]",
            b'{"label_a": "\xff"}',
            GOOD[:-1] + ', "votes": ["same", null]}',
        )
        found = problems(path)
        assert [problem[:3] for problem in found] == [
            ("line 2", "verdict", "'yes'"),
            ("line 4", "label_b", "missing"),
            ("line 5", "", "'label_a,label_b,verdict'"),
            ("line 6", "label_b", "7"),
            ("line 7", "judge", "''"),
            ("line 8", "params", "[]"),
            ("line 9", "cost_usd", "'much'"),
            ("line 10", "", found[7][2]),
            ("line 11", "", '\'{"label_a": "\ufffd"}\''),
            ("line 12", "votes.1", "None"),
        ]
        expected = {place: text for place, _, _, text in found}
        assert expected["line 2"] == f"one of {VERDICTS}"
        assert expected["line 4"] == "label_a, label_b, verdict and judge on every line"
        assert expected["line 5"] == expected["line 11"] == "one JSON object a line"
        assert expected["line 6"] == "a string"
        assert expected["line 7"] == "a name"

    def test_all_faults_of_one_line(self, tmp_path):
        path = written(tmp_path / "a.jsonl", '{"label_a": 1, "verdict": "no", "task": []}')
        assert [problem[1] for problem in problems(path)] == [
            "label_b, judge", "label_a", "verdict", "task",
        ]  # fmt: skip

    def test_forty_bad_ones_in_many(self, tmp_path):
        lines = [GOOD if i % 25 else "{}}" for i in range(1000)]
        found = problems(written(tmp_path / "a.jsonl", *lines))
        assert [problem[0] for problem in found] == [f"line {i + 1}" for i in range(0, 1000, 25)]

    @pytest.mark.parametrize("line", ["null", "7", '"same"', "[]", "{", "NaN", '{"a": 1} {}'])
    def test_other_json_and_none(self, tmp_path, line):
        ((place, field, _, expected),) = problems(written(tmp_path / "a.jsonl", line))
        assert (place, field, expected) == ("line 1", "", "one JSON object a line")

    def test_a_long_value_is_cut(self, tmp_path):
        found = problems(
            written(tmp_path / "a.jsonl", GOOD.replace('"same"', '"' + "x" * 9999 + '"'))
        )
        assert len(found[0][2]) == 80

    @pytest.mark.parametrize("cut", [12, -9])
    def test_gzip_that_breaks_off(self, tmp_path, cut):
        path = tmp_path / "a.jsonl.gz"
        path.write_bytes(gzip.compress((GOOD + "\n").encode() * 500)[:cut])
        assert "gzip" in problems(path)[0][3]

    def test_gzip_that_is_damaged(self, tmp_path):
        packed = bytearray(gzip.compress(os.urandom(5000)))
        packed[2000] ^= 0xFF
        (tmp_path / "a.jsonl").write_bytes(packed)
        problems(tmp_path / "a.jsonl")

    def test_no_such_file_and_a_folder(self, tmp_path):
        assert problems(tmp_path / "none.jsonl")[0][3] == "No such file or directory"
        assert problems(tmp_path)[0][3] == "Is a directory"


class TestWholeOrNotAtAll:
    class Torn(Judgment):
        """Fails while it is written, after others were."""

        def line(self) -> str:
            raise RuntimeError("torn")

    def test_a_failing_write_leaves_the_old_file_and_nothing_else(self, tmp_path):
        path = written(tmp_path / "a.jsonl", GOOD)
        good = Judgment.model_validate_json(GOOD)
        with pytest.raises(RuntimeError, match="torn"):
            write_judgments([good, self.Torn(**good.model_dump())], path)
        assert path.read_text() == GOOD + "\n"
        assert os.listdir(tmp_path) == ["a.jsonl"]

    def test_a_write_that_fails_half_way_through_the_file(self, tmp_path, monkeypatch):
        """As on a full disk: the file that was there is still whole."""
        path = written(tmp_path / "a.jsonl", GOOD)
        monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(InputError, match="full"):
            write_judgments([Judgment.model_validate_json(GOOD)] * 3, path)
        assert path.read_text() == GOOD + "\n"
        assert os.listdir(tmp_path) == ["a.jsonl"]

    def test_a_folder_that_is_not_there(self, tmp_path):
        with pytest.raises(InputError, match="can't write"):
            write_judgments([], tmp_path / "none" / "a.jsonl")
