"""``segjudge judgments``: stats, diff, merge, export, import and matrix."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_kitchen import CAREFUL, JUDGED, JUDGMENTS, REFERENCE, Ended

Run = Callable[..., Ended]
Make = Callable[..., str]


@pytest.fixture
def make(here: Path) -> Make:
    """Write judgments of (label_a, label_b, verdict), and return the name of the file."""

    def write(name: str, *lines: tuple[str, str, str], **more: Any) -> str:
        rows = [
            {"label_a": a, "label_b": b, "verdict": verdict, "judge": "human:anna", **more}
            for a, b, verdict in lines
        ]
        (here / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        return name

    return write


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_stats(started: Run, make: Make) -> None:
    other = make("j.jsonl", ("cut", "chop", "same"), ("chop", "cut", "different"), task="subtask")
    ended = started("judgments", "stats", JUDGMENTS, other)
    assert ended.status == 0
    rows = [line.split() for line in ended.out.splitlines()]
    assert ["authors", "authors-rubric@1", "-", "same", "172"] in rows
    assert ["human:anna", "-", "subtask", "different", "1"] in rows
    assert rows[-1] == ["412", "lines,", "411", "pairs,", "1", "conflicts"]


class TestDiff:
    """The pairs on which lines disagree, counted in the last line."""

    def test_none(self, segjudge: Run, make: Make) -> None:
        # The same said of the pair turned round is no disagreement.
        one = make("a.jsonl", ("crack an egg", "make an omelette", "a_in_b"))
        two = make("b.jsonl", ("make an omelette", "crack  an egg", "b_in_a"))
        assert segjudge("judgments", "diff", one, two) == Ended(0, "0 of 1 pairs differ\n", "")

    def test_between_judges(self, segjudge: Run, make: Make) -> None:
        one = make("a.jsonl", ("cut", "chop", "same"), ("stir", "mix", "same"))
        two = make("b.jsonl", ("cut", "chop", "different"), judge="human:bob")
        ended = segjudge("judgments", "diff", one, two)
        assert ended.status == 0
        assert ended.out.splitlines() == [
            "'chop' / 'cut'",
            "  same         human:anna (a.jsonl, judgment 1)",
            "  different    human:bob (b.jsonl, judgment 1)",
            "1 of 2 pairs differ",
        ]

    def test_within_one_judge(self, segjudge: Run, make: Make) -> None:
        twice = make("a.jsonl", ("cut", "chop", "same"), ("chop", "cut", "different"))
        ended = segjudge("judgments", "diff", twice)
        assert ended.status == 0
        assert "(a.jsonl, judgment 2)" in ended.out


def test_a_conflict_is_a_finding_and_the_later_line_counts(segjudge: Run, make: Make) -> None:
    (label_a, label_b) = "take a tea bag out of the box", "grab a teabag from the box"
    twice = make(
        "twice.jsonl", (label_a, label_b, "different"), (label_b, label_a, "same"), judge="authors"
    )
    ended = segjudge("score", REFERENCE, CAREFUL, "--judgments", twice, "--allow-bounds")
    assert "1 judgments contradict an earlier one" in ended.out
    assert "different then same" in ended.out


def test_merge_keeps_the_last_line_of_each_judge(segjudge: Run, here: Path, make: Make) -> None:
    one = make("a.jsonl", ("cut", "chop", "same"), ("stir", "mix", "same"))
    two = make("b.jsonl", ("chop", "cut", "different"))
    three = make("c.jsonl", ("cut", "chop", "part"), judge="human:bob")
    ended = segjudge("judgments", "merge", one, two, three, "-o", "merged.jsonl")
    assert ended.status == 0
    assert "3 judgments from 4 lines" in ended.err
    lines = read(here / "merged.jsonl")
    assert [(line["judge"], line["verdict"]) for line in lines] == [
        ("human:anna", "different"),
        ("human:bob", "part"),
        ("human:anna", "same"),
    ]


def test_export_keeps_every_line_and_every_field(segjudge: Run, here: Path) -> None:
    assert segjudge("judgments", "export", JUDGMENTS, "-o", "all.jsonl.gz").status == 0
    assert segjudge("judgments", "export", "all.jsonl.gz", "-o", "again.jsonl").status == 0
    lines = {json.dumps(line, sort_keys=True) for line in read(here / JUDGMENTS)}
    assert {json.dumps(line, sort_keys=True) for line in read(here / "again.jsonl")} == lines
    first = segjudge("score", REFERENCE, CAREFUL, "--judgments", "all.jsonl.gz", "--csv", "-")
    assert first == segjudge("score", REFERENCE, CAREFUL, *JUDGED, "--csv", "-")


class TestFillingInByHand:
    """From the missing pairs to a score, by way of a person."""

    @pytest.fixture
    def known(self, here: Path) -> str:
        lines = (here / JUDGMENTS).read_text().splitlines(keepends=True)
        (here / "known.jsonl").write_text("".join(li for li in lines if "kettle" not in li))
        return "known.jsonl"

    @pytest.fixture
    def verdicts(self, here: Path) -> dict[frozenset[str], str]:
        """Return what the authors say, for the pairs in which direction does not matter."""
        lines = read(here / JUDGMENTS)
        return {frozenset((x["label_a"], x["label_b"])): x["verdict"] for x in lines}

    @pytest.mark.parametrize("name", ["todo.csv", "todo.jsonl"])
    def test_the_whole_way(
        self,
        segjudge: Run,
        here: Path,
        known: str,
        verdicts: dict[frozenset[str], str],
        name: str,
    ) -> None:
        line = ("score", REFERENCE, CAREFUL, "--judgments", known, "--metric", "psj")
        assert segjudge(*line, "--missing", name).status == 3
        text = (here / name).read_text()
        rows = (
            list(csv.DictReader(text.splitlines()))
            if name.endswith("csv")
            else [json.loads(each) for each in text.splitlines()]
        )
        assert len(rows) == 10
        for row in rows[:-1]:
            row["verdict"] = verdicts[frozenset((row["label_a"], row["label_b"]))]
        with (here / name).open("w", newline="") as stream:
            if name.endswith("csv"):
                table = csv.DictWriter(stream, rows[0])
                table.writeheader()
                table.writerows(rows)
            else:
                stream.writelines(json.dumps(row) + "\n" for row in rows)
        took = segjudge("judgments", "import", name, "--judge", "human:anna", "-o", "anna.jsonl")
        assert took == Ended(0, "", "anna.jsonl: 9 judgments; 1 rows have no verdict yet\n")
        again = segjudge(*line, "--judgments", "anna.jsonl", "--missing", "rest.jsonl")
        assert again.status == 3
        (left,) = read(here / "rest.jsonl")
        assert left["label_a"] == rows[-1]["label_a"]

    def test_another_name_than_human_is_a_second_judge(
        self, segjudge: Run, here: Path, known: str
    ) -> None:
        (here / "todo.csv").write_text("label_a,label_b,verdict\ncut,chop,same\n")
        segjudge("judgments", "import", "todo.csv", "--judge", "anna", "-o", "anna.jsonl")
        line = ("score", REFERENCE, CAREFUL, "--judgments", known, "--judgments", "anna.jsonl")
        assert segjudge(*line).status == 2
        assert segjudge(*line, "--mix").status == 3

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("label_a,label_b,verdict\na,b,maybe\n", "line 2: verdict: 'maybe' (expected one of"),
            ("label_a,label_b,verdict\na,b,\n", "at least one row with a verdict"),
            ("label_a,label_b,verdict\na,b,same\na,c,same\n", "line 2: judge: who judged"),
            ("label_a,verdict\na,same\n", "header: expected a column label_b"),
            ('{"label_a": "a", "verdict": "same", "judge": "x"}\n', "label_b"),
            ('{"label_a": "a",\n', 'line 1: \'{"label_a": "a",\' (expected one JSON object'),
        ],
    )
    def test_mistakes(self, segjudge: Run, here: Path, text: str, said: str) -> None:
        (here / "todo").write_text(text)
        ended = segjudge("judgments", "import", "todo", "-o", "out.jsonl")
        assert ended.status == 2
        assert said in ended.err
        assert not (here / "out.jsonl").exists()

    @pytest.mark.parametrize("delimiter", [",", ";", "\t"])
    def test_what_spreadsheets_write(self, segjudge: Run, here: Path, delimiter: str) -> None:
        row = ('"lift, then tilt"', "tilt", " Same ", "human:anna")
        head = ("label_a", "label_b", "verdict", "judge")
        text = "".join(delimiter.join(cells) + "\r\n" for cells in (head, row))
        (here / "sheet.csv").write_text(text, encoding="utf-8-sig", newline="")
        assert segjudge("judgments", "import", "sheet.csv", "-o", "out.jsonl").status == 0
        (line,) = read(here / "out.jsonl")
        assert (line["label_a"], line["verdict"]) == ("lift, then tilt", "same")


class TestMatrix:
    """One episode's answers, as CSV."""

    def rows(self, text: str) -> list[list[str]]:
        return list(csv.reader(text.splitlines()))

    def test_an_episode(self, segjudge: Run, here: Path) -> None:
        line = ("judgments", "matrix", REFERENCE, CAREFUL, *JUDGED, "--episode", "kitchen_002")
        ended = segjudge(*line)
        head, *rows = self.rows(ended.out)
        assert (len(rows), len(head)) == (11, 15)
        assert head[1] == "0-3.5 load the bread into the toaster"
        coffee = next(row for row in rows if "filter coffee" in row[0])
        assert coffee == ["5-24.633 make filter coffee in the dripper", "", "0", *"1111", *[""] * 8]
        assert segjudge(*line, "-o", "m.csv").out == ""
        assert (here / "m.csv").read_text() == ended.out

    def test_a_hand(self, segjudge: Run) -> None:
        line = ("judgments", "matrix", REFERENCE, CAREFUL, *JUDGED, "--episode", "kitchen_005")
        assert len(self.rows(segjudge(*line, "--track", "left").out)) == 9

    def test_unknown_pairs(self, segjudge: Run) -> None:
        line = ("judgments", "matrix", REFERENCE, CAREFUL, "--episode", "kitchen_001")
        cells = {cell for row in self.rows(segjudge(*line).out)[1:] for cell in row[1:]}
        assert cells == {"", "-1", "1"}  # identity decides one pair


def lines_of(path: Path, *lines: dict[str, object]) -> Path:
    pair = {"label_a": "aa", "label_b": "bb", "verdict": "same", "judge": "m", "prompt": "p@1"}
    path.write_text("".join(json.dumps(pair | line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_merging_keeps_every_run(segjudge, here):
    lines_of(here / "two.jsonl", {}, {"run": 2, "verdict": "different"})
    assert segjudge("judgments", "merge", "two.jsonl", "-o", "one.jsonl").status == 0
    assert len((here / "one.jsonl").read_text().splitlines()) == 2
    assert "0 conflicts" in segjudge("judgments", "stats", "two.jsonl").out


def test_a_task_can_write_nothing_but_text_into_a_terminal(segjudge, here):
    lines_of(here / "a.jsonl", {"task": "\x1b[2J"}, {"task": "\x1b[2J", "verdict": "different"})
    lines_of(here / "b.jsonl", {"task": "\x1b[2J", "judge": "n"})
    told = segjudge("judgments", "diff", "a.jsonl", "b.jsonl").out
    assert "1 of 1 pairs differ" in told
    assert "\x1b" not in told


def test_agreement_is_of_one_judge_and_one_run_a_side(segjudge, here):
    lines_of(here / "a.jsonl", {}, {"judge": "n"}, {"judge": "human:x"}, {"judge": "human:y"})
    lines_of(here / "b.jsonl", {}, {"run": 3})
    told = segjudge("agreement", "a.jsonl", "b.jsonl")
    assert (told.status, "choose with --judge-a or --prompt-a" in told.err) == (2, True)
    told = segjudge("agreement", "a.jsonl", "b.jsonl", "--judge-a", "zz")
    assert (told.status, "has none of that judge and prompt" in told.err) == (2, True)
    told = segjudge("agreement", "b.jsonl", "b.jsonl", "--run-b", 9)
    assert (told.status, "no judgments of run 9; --run-b may be 1, 3" in told.err) == (2, True)
    for judge in ("n", "human", "human:x"):
        assert segjudge("agreement", "a.jsonl", "b.jsonl", "--judge-a", judge).status == 0
    assert segjudge("agreement", "b.jsonl", "b.jsonl", "--run-b", 3).status == 0


def test_what_does_not_count_is_said(segjudge, here):
    pair = {"label_a": "aa", "label_b": "bb"}
    for side, label in (("reference", "aa"), ("prediction", "bb")):
        segment = {"start": 0, "end": 1, "label": label}
        (here / f"{side}.jsonl").write_text(json.dumps({"id": "e", "segments": [segment]}) + "\n")
    people = ({"judge": "human:x"}, {"judge": "human:y", "verdict": "different"})
    lines_of(here / "people.jsonl", *(line | pair for line in people))
    lines_of(here / "other.jsonl", pair | {"task": "hand-caption"})
    sides = ("score", "reference.jsonl", "prediction.jsonl", "--json", "-", "--judgments")
    findings = json.loads(segjudge(*sides, "people.jsonl").out)["findings"]
    (told,) = [item for item in findings if item["code"] == "conflicting_people"]
    assert told["places"] == ["'aa' / 'bb': human:x same, human:y different"]
    findings = json.loads(segjudge(*sides, "other.jsonl").out)["findings"]
    (told,) = [item for item in findings if item["code"] == "judgments_of_another_task"]
    assert "1 recorded judgments are for another task (hand-caption)" in told["message"]


def test_people_are_named_and_judgments_come_from_no_pipe(segjudge: Run, make: Make) -> None:
    anna = make("anna.jsonl", ("butter the toast", "spread jam on the toast", "different"))
    ended = segjudge("score", REFERENCE, CAREFUL, "--judgments", anna, "--allow-bounds")
    assert ended.status == 0
    assert "Judge: none, people human:anna." in ended.out
    ended = segjudge("score", REFERENCE, CAREFUL, "--judgments", "-")
    assert (ended.status, ended.out) == (2, "")
    assert "can't be read from standard input" in ended.err
