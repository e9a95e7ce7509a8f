"""``segjudge score`` and ``plan``: figures, files, exit statuses and options."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_kitchen import CAREFUL, HASTY, JUDGED, JUDGMENTS, REFERENCE, Ended

Run = Callable[..., Ended]

#: The figures of the two predictions, computed by other means.
FIGURES = {
    CAREFUL: {"psj": (1047.432, 1266.797), "f1": (106, 146, 152), "pairs": 243},
    HASTY: {"psj": (804.497, 1252.764), "f1": (28, 82, 152), "pairs": 171},
}


@pytest.fixture
def report(segjudge: Run) -> Callable[..., dict[str, Any]]:
    """Score on the recorded judgments, and return the report."""

    def run(*arguments: object, status: int = 0) -> dict[str, Any]:
        ended = segjudge("score", *arguments, "--json", "-")
        assert ended.status == status, ended.err
        read: dict[str, Any] = json.loads(ended.out)
        return read

    return run


def psj(read: dict[str, Any]) -> tuple[float, float]:
    """Return the numerator and denominator of psj."""
    return read["metrics"]["psj"]["numerator_s"], read["metrics"]["psj"]["denominator_s"]


@pytest.mark.parametrize("prediction", FIGURES)
def test_the_figures_of_the_example(started: Run, here: Path, prediction: str) -> None:
    known = FIGURES[prediction]
    ended = started("score", REFERENCE, prediction, *JUDGED, "--json", "report.json")
    assert ended.status == 0
    assert not ended.err
    read = json.loads((here / "report.json").read_text())
    assert psj(read) == known["psj"]
    f1 = read["metrics"]["semantic_f1@0.75"]
    assert (f1["matches"], f1["predictions"], f1["references"]) == known["f1"]
    assert f1["value"] == pytest.approx(2 * f1["matches"] / sum(known["f1"][1:]), abs=1e-12)
    assert read["judge"]["pairs"]["needed"] == known["pairs"]
    above, below = known["psj"]
    assert f"{above:.3f} / {below:.3f} s" in ended.out
    assert "2 x {} / ({} + {})".format(*known["f1"]) in ended.out


def test_groups(report: Callable[..., dict[str, Any]]) -> None:
    read = report(REFERENCE, CAREFUL, *JUDGED, "--by", "family", "--by", "track")
    family = read["by_group"]["family"]
    assert {name: round(own["psj"]["value"], 6) for name, own in family.items()} == {
        "homecook": 0.836816,
        "workshop": 0.809698,
    }
    track = read["by_group"]["track"]
    assert set(track) == {"", "left", "right"}
    total = sum(own["psj"]["numerator_s"] for own in track.values())
    assert total == pytest.approx(1047.432, abs=1e-9)


def test_the_json_is_the_same_to_a_file_and_printed(segjudge: Run, here: Path) -> None:
    line = ("score", REFERENCE, CAREFUL, *JUDGED)
    printed = json.loads(segjudge(*line, "--json", "-").out)
    table = segjudge(*line, "--json", "report.json")
    written = json.loads((here / "report.json").read_text())
    assert table.out.startswith("metric ")
    del printed["run"], written["run"]
    assert printed == written
    assert printed["schema"] == "segjudge.report/1"


def test_the_csv_holds_the_figures_of_the_json(
    segjudge: Run, here: Path, report: Callable[..., dict[str, Any]]
) -> None:
    line = (REFERENCE, CAREFUL, *JUDGED, "--by", "family")
    read = report(*line)
    assert segjudge("score", *line, "--csv", "figures.csv").status == 0
    text = (here / "figures.csv").read_text()
    assert segjudge("score", *line, "--csv", "-").out == text
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == 3 * (1 + 2 + 11)
    for row in rows:
        place = {
            "corpus": read["metrics"],
            "group": read["by_group"].get(row["field"], {}).get(row["name"]),
            "episode": read["by_episode"].get(row["name"]),
        }[row["scope"]]
        figures = place[row["metric"]]
        for name, value in figures.items():
            assert row[name] == ("" if value is None else str(value))


class TestWithoutAllAnswers:
    """Exit status 3, bounds, and the pairs that are missing."""

    LINE = ("score", REFERENCE, CAREFUL, "--metric", "psj", "--metric", "segmentation_f1")

    def test_the_status_is_3_and_the_report_is_written(self, started: Run, here: Path) -> None:
        ended = started(*self.LINE, "--json", "report.json", "--missing", "todo.jsonl")
        assert ended.status == 3
        assert "No value for psj: 241 of 243 label pairs are undecided" in ended.err
        assert "0.0188 to 0.9358" in ended.out
        figures = json.loads((here / "report.json").read_text())["metrics"]["psj"]
        assert figures["value"] is None
        assert figures["numerator_s"] is None
        assert (figures["numerator_s_low"], figures["numerator_s_high"]) == (23.8, 1185.498)
        assert figures["undecided_pairs"] == 241
        assert len((here / "todo.jsonl").read_text().splitlines()) == 241

    def test_bounds_can_be_allowed(self, segjudge: Run) -> None:
        ended = segjudge(*self.LINE, "--allow-bounds")
        assert ended.status == 0
        assert not ended.err

    def test_a_metric_that_needs_no_answer_has_its_value(self, segjudge: Run) -> None:
        assert segjudge(*self.LINE[:3], "--metric", "segmentation_f1").status == 0

    def test_missing_pairs_as_json_lines(self, segjudge: Run) -> None:
        ended = segjudge(*self.LINE, "--missing", "-")
        assert ended.status == 3
        lines = [json.loads(line) for line in ended.out.splitlines()]
        assert len(lines) == 241
        assert lines == sorted(lines, key=lambda line: (line["label_a"], line["label_b"]))
        for line in lines:
            assert line["verdict"] is None
            assert line["task"] == "subtask"

    def test_missing_pairs_as_csv(self, segjudge: Run, here: Path) -> None:
        segjudge(*self.LINE, "--missing", "todo.csv")
        rows = list(csv.DictReader((here / "todo.csv").read_text().splitlines()))
        lines = segjudge(*self.LINE, "--missing", "-").out.splitlines()
        pairs = [(row["label_a"], row["label_b"]) for row in rows]
        assert pairs == [(r["label_a"], r["label_b"]) for r in map(json.loads, lines)]
        assert {row["verdict"] for row in rows} == {""}

    def test_an_answer_that_the_metric_does_not_read_is_missing_too(
        self, segjudge: Run, here: Path
    ) -> None:
        lines = [json.loads(line) for line in (here / JUDGMENTS).read_text().splitlines()]
        for line in lines:
            line["verdict"] = "different" if line["verdict"] == "different" else "permissible"
        known = "".join(json.dumps(line) + "\n" for line in lines)
        (here / "permissible.jsonl").write_text(known)
        line = ("score", REFERENCE, CAREFUL, "--judgments", "permissible.jsonl", "--metric")
        assert segjudge(*line, "psj").status == 0
        ended = segjudge(*line, "psj_same", "--missing", "todo.jsonl")
        assert ended.status == 3
        missing = (here / "todo.jsonl").read_text().splitlines()
        assert f"{len(missing)} of 243 label pairs are undecided" in ended.err
        assert 0 < len(missing) < 241

    def test_missing_pairs_carry_their_context(self, segjudge: Run) -> None:
        ended = segjudge(*self.LINE, "--context", "instruction", "--missing", "-")
        contexts = {json.loads(line)["context"] for line in ended.out.splitlines()}
        assert "Make a mug of black tea with a little milk." in contexts


class TestWhichJudgmentsCount:
    """Judge, prompt, mixture, identity and context."""

    @pytest.fixture
    def other(self, here: Path) -> str:
        text = (here / JUDGMENTS).read_text().replace('"authors"', '"others"')
        (here / "other.jsonl").write_text(text.replace('"same"', '"different"'))
        return "other.jsonl"

    def test_a_mixture_is_refused_and_listed(self, segjudge: Run, other: str) -> None:
        ended = segjudge("score", REFERENCE, CAREFUL, *JUDGED, "--judgments", other)
        assert ended.status == 2
        for who in ("authors", "others"):
            assert f"judge '{who}', prompt 'authors-rubric@1': 410 lines" in ended.err

    @pytest.mark.parametrize(
        ("options", "numerator"),
        [
            (("--judge", "authors"), 1047.432),
            (("--judge", "authors", "--prompt", "authors-rubric@1"), 1047.432),
            (("--judge", "authors", "--prompt", "authors-rubric"), 1047.432),
        ],
    )
    def test_one_can_be_chosen(
        self,
        report: Callable[..., dict[str, Any]],
        other: str,
        options: tuple[str, ...],
        numerator: float,
    ) -> None:
        read = report(REFERENCE, CAREFUL, *JUDGED, "--judgments", other, *options)
        assert psj(read)[0] == numerator
        assert read["judge"]["id"] == "authors"

    def test_a_mixture_can_be_allowed_and_the_later_wins(
        self, report: Callable[..., dict[str, Any]], other: str
    ) -> None:
        first = report(REFERENCE, CAREFUL, "--judgments", other, *JUDGED, "--mix")
        last = report(REFERENCE, CAREFUL, *JUDGED, "--judgments", other, "--mix")
        alone = report(REFERENCE, CAREFUL, "--judgments", other)
        assert psj(first)[0] == 1047.432
        assert psj(last) == psj(alone) != psj(first)

    def test_identity_can_be_left_to_the_judge(self, segjudge: Run) -> None:
        ended = segjudge("score", REFERENCE, CAREFUL, *JUDGED, "--no-identity")
        assert ended.status == 3
        assert "243 label pairs needed: 241 recorded, 2 unknown." in ended.out

    def test_judgments_without_context_answer_no_question_with_one(self, segjudge: Run) -> None:
        ended = segjudge("score", REFERENCE, CAREFUL, *JUDGED, "--context", "instruction")
        assert ended.status == 3
        assert "2 identity, 241 unknown" in ended.out

    def test_judgments_with_context_do(
        self, segjudge: Run, here: Path, report: Callable[..., dict[str, Any]]
    ) -> None:
        verdicts = {}
        for text in (here / JUDGMENTS).read_text().splitlines():
            line = json.loads(text)
            verdicts[line["label_a"], line["label_b"]] = line["verdict"]
            verdicts[line["label_b"], line["label_a"]] = {
                "a_in_b": "b_in_a",
                "b_in_a": "a_in_b",
            }.get(line["verdict"], line["verdict"])
        asked = segjudge("score", REFERENCE, CAREFUL, "--context", "instruction", "--missing", "-")
        answered = []
        for text in asked.out.splitlines():
            line = json.loads(text)
            line["verdict"] = verdicts[line["label_a"], line["label_b"]]
            answered.append(json.dumps({**line, "judge": "authors"}))
        (here / "with_context.jsonl").write_text("\n".join(answered))
        line = (REFERENCE, CAREFUL, "--judgments", "with_context.jsonl")
        assert psj(report(*line, "--context", "instruction"))[0] == 1047.432
        plain = segjudge("score", *line)
        assert plain.status == 3
        assert "--context instruction uses them" in plain.out


class TestEdits:
    """The options for messy files."""

    def test_episodes_by_pattern_and_from_a_file(
        self, report: Callable[..., dict[str, Any]], here: Path
    ) -> None:
        (here / "ids.txt").write_text("kitchen_001\n\nkitchen_003\n")
        line = (REFERENCE, CAREFUL, *JUDGED)
        by_file = report(*line, "--episodes", "ids.txt")
        by_pattern = report(*line, "--episodes", "kitchen_00[13]")
        assert list(by_file["by_episode"]) == ["kitchen_001", "kitchen_003"]
        assert by_file["metrics"] == by_pattern["metrics"]

    def test_an_offset_puts_an_episode_on_the_right_clock(
        self, report: Callable[..., dict[str, Any]]
    ) -> None:
        line = (REFERENCE, CAREFUL, *JUDGED, "--episodes", "kitchen_006")
        assert psj(report(*line)) == (74.0, 122.066)
        assert psj(report(*line, "--offset", "kitchen_006=-2")) == (118.0, 122.066)
        assert psj(report(*line, "--offset", "-2")) == (118.0, 122.066)

    def test_an_id_map_renames(
        self, report: Callable[..., dict[str, Any]], here: Path, segjudge: Run
    ) -> None:
        (here / "renamed.jsonl").write_text(
            (here / CAREFUL).read_text().replace('"id": "kitchen', '"id": "cucina')
        )
        rows = [f"cucina_{i:03},kitchen_{i:03}" for i in range(1, 8)]
        (here / "map.csv").write_text("\n".join(["prediction,reference", *rows]))
        refused = segjudge("score", REFERENCE, "renamed.jsonl", *JUDGED)
        assert refused.status == 2
        assert refused.err.count("cucina_00") == 7
        assert psj(report(REFERENCE, "renamed.jsonl", *JUDGED, "--id-map", "map.csv")) == (
            1047.432,
            1266.797,
        )

    def test_failed_episodes_are_left_out_loudly(self, segjudge: Run) -> None:
        line = ("score", REFERENCE, HASTY, *JUDGED)
        kept = segjudge(*line)
        assert "failed by the file's own account; scored as empty" in kept.out
        ended = segjudge(*line, "--leave-out-failed")
        assert "LEFT OUT" in ended.out
        assert "10 of 11 episodes" in ended.out
        assert "804.497 / 1200.898 s" in ended.out

    def test_labels_can_be_ignored_on_both_sides(
        self, report: Callable[..., dict[str, Any]]
    ) -> None:
        read = report(REFERENCE, CAREFUL, *JUDGED, "--ignore-label", "knife|Messer")
        f1 = read["metrics"]["semantic_f1@0.75"]
        assert (f1["predictions"], f1["references"]) == (139, 145)
        found = [item["side"] for item in read["findings"] if item["code"] == "ignored_labels"]
        assert found == ["reference", "prediction"]
        assert read["options"]["ignore_label"] == "knife|Messer"

    def test_columns_unit_and_rate_of_one_side(
        self, report: Callable[..., dict[str, Any]], here: Path
    ) -> None:
        (here / "gold.csv").write_text(
            "clip,from,to,what\nshed,0,3500,hang up the hose\nshed,3500,8000,sweep the floor\n"
        )
        (here / "model.tsv").write_text(
            "episode\tstart\tend\tlabel\nshed\t0\t105\tHang up the hose\nshed\t105\t240\tsweep\n"
        )
        read = report(
            "gold.csv",
            "model.tsv",
            *("--columns", "reference:episode=clip,start=from,end=to,label=what"),
            *("--unit", "reference:ms", "--unit", "prediction:frames", "--fps", "prediction:30"),
            *("--format", "prediction:tsv", "--metric", "segmentation_f1@1"),
        )
        assert read["metrics"]["segmentation_f1@1"]["value"] == 1
        assert [item["format"] for item in read["inputs"]] == ["csv", "tsv"]


class TestPlan:
    """Counting what a score needs."""

    def test_counts(self, started: Run) -> None:
        ended = started("plan", REFERENCE, CAREFUL, "--json", "-")
        assert ended.status == 0
        read = json.loads(ended.out)
        assert (read["needed"], read["identity"], read["to_ask"]) == (243, 2, 241)
        assert read["by_metric"]["semantic_f1@0.75"] == 112

    def test_it_lists_what_score_lists(self, segjudge: Run) -> None:
        planned = segjudge("plan", REFERENCE, HASTY, "--missing", "-")
        assert planned.status == 0
        assert planned.out == segjudge("score", REFERENCE, HASTY, "--missing", "-").out

    def test_the_table(self, segjudge: Run) -> None:
        ended = segjudge("plan", REFERENCE, HASTY, *JUDGED)
        assert ended.out.splitlines()[-1].split() == ["left", "to", "ask", "0"]
