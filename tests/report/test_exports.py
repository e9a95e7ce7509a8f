"""Tables of CSV, Markdown, and HTML for notebooks."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas
import pytest
from corpora import annotations, seconds

import segjudge
from segjudge.findings import finding
from segjudge.report import Report
from segjudge.report.exports import code, html_text, markdown, markdown_text, write_csv_folder
from segjudge.report.tables import csv_cell
from segjudge.scoring import build_case, report
from segjudge.scoring.detail import detail

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"


@pytest.fixture(scope="module")
def case():
    return build_case(
        KITCHEN / "reference.jsonl",
        KITCHEN / "prediction_careful.jsonl",
        judgments=KITCHEN / "judgments.jsonl",
    )


@pytest.fixture(scope="module")
def folder(case, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "made" / "here"
    write_csv_folder(path, report(case), detail(case))
    return path


def test_episodes_are_the_report_by_episode(case, folder):
    table = pandas.read_csv(folder / "episodes.csv", index_col="episode")
    result = report(case)
    assert list(table.index) == list(result.by_episode)
    assert table["family"]["kitchen_001"] == "homecook"
    for name in result.by_episode:
        assert table["psj.value"][name] == result.by_episode[name]["psj"]["value"]


def test_segments_add_up_to_the_score(case, folder):
    table = pandas.read_csv(folder / "segments.csv", keep_default_na=False)
    assert len(table) == 152 + 146
    lengths = table.end_s.astype(float) - table.start_s.astype(float)
    value = table.credit_s.sum() / lengths.sum()
    assert value == pytest.approx(report(case).metrics["psj"]["value"])
    partners = table[(table.side == "reference") & (table["partner.semantic_f1@0.75"] != "")]
    assert len(partners) == 106


def test_pairs_have_verdicts_and_reasons(case, folder):
    table = pandas.read_csv(folder / "pairs.csv", keep_default_na=False)
    assert len(table) == len(case.comparison.pairs)
    assert table["matched.semantic_f1@0.75"].sum() == 106
    row = table[table.label_b == "close the jam jar"].iloc[0]
    assert (row.verdict, row.by, row.judge) == ("same", "recorded", "authors")
    assert row.iou == pytest.approx(0.808, abs=1e-3)


def test_a_formula_is_shown_and_not_run(tmp_path):
    bad = ("=cmd|'/c calc'!A1", "+1", "-2", "@sum", "'=x", "plain", "a=b")
    rows = seconds(*((i, i + 1, text) for i, text in enumerate(bad)))
    case = build_case(annotations(rows), annotations([]))
    write_csv_folder(tmp_path, report(case), detail(case))
    with (tmp_path / "segments.csv").open(encoding="utf-8", newline="") as file:
        cells = [row["label"] for row in csv.DictReader(file)]
    assert cells == [f"'{text}" for text in bad[:5]] + list(bad[5:])


@pytest.mark.parametrize("text", ["=x", "'=x", "''-", "\tx", "\r=", "'quoted'", "", "x", "'"])
def test_taking_one_apostrophe_away_gives_the_text_back(text):
    cell = csv_cell(text)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    guarded = cell.startswith("'") and csv_cell(cell[1:]) == cell
    assert (cell[1:] if guarded else cell) == text


def with_names(name: str) -> Report:
    case = build_case(annotations(seconds((0, 1, "x")), ["a"], kind=[name]), annotations([], ["a"]))
    case.findings.append(finding("odd", f"odd {name}", level="warning"))
    result = report(case, ["kind"])
    result.judge.id = name
    return result


NAMES = ("a|b", "<b>x</b>", "`code`", "*[l](http://x)*", "two\nlines", "@someone", "\u202ex")


@pytest.mark.parametrize("name", NAMES)
def test_markdown_shows_names_as_they_are(name):
    text = markdown_text(with_names(name))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [line.replace("\\|", "").count("|") for line in rows]
    assert cells == [6] * 5 + [5] * 3
    assert "\u202e" not in text
    assert code(name) in text
    assert "<b>" not in text.replace(code(name), "")
    assert f"odd {markdown(name)}" in text


def test_markdown_of_the_example(case):
    lines = markdown_text(report(case)).splitlines()
    assert lines[0] == "| metric | value | mean | precision | recall |"
    assert lines[2] == "| `psj` | 0.8268 | 0.7787 | 0.8501 | 0.8048 |"
    assert "243 label pairs needed" in "\n".join(lines)


def test_markdown_keeps_intervals_groups_bins_and_what_must_be_known():
    files = (KITCHEN / "reference.jsonl", KITCHEN / "prediction_careful.jsonl")
    more = {"ci": True, "level": 0.999, "resamples": 200, "bins": "0,2,inf", "by": ["family"]}
    result = segjudge.score(*files, judgments=KITCHEN / "judgments.jsonl", **more)
    text = markdown_text(result)
    lines = text.splitlines()
    assert lines[0] == "| metric | value | 99.9 % interval | mean | precision | recall |"
    assert "In parentheses: 99.9 % intervals." in lines
    own = result.by_group["family"]["workshop"]["psj"]
    shown = "{value:.4f} ({ci_low:.4f} to {ci_high:.4f})"
    assert f"| `workshop` | {shown.format(**own)} |" in text
    recall = result.by_length["psj"]["reference"][1]
    assert f"| 2 s and more | {recall['segments']} | {shown.format(**recall)} |" in text
    assert any("not the published ones" in line for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_shows_names_as_they_are(name):
    shown = with_names(name)._repr_html_()
    assert "<b>" not in shown
    assert "\u202e" not in shown
    assert shown == html_text(with_names(name))
    assert shown.count("<tr>") == 4
