"""``segjudge score --html``, ``--csv DIR`` and ``--markdown``; ``segjudge audit``."""

from __future__ import annotations

import json

import pytest
from cli_kitchen import CAREFUL, HASTY, JUDGED, JUDGMENTS, REFERENCE

SIDES = (REFERENCE, CAREFUL)
SCORE = ("score", *SIDES, *JUDGED)


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_page_is_one_file_and_the_same_but_for_the_run(here, segjudge):
    for name in ("one.html", "two.html"):
        ended = segjudge(*SCORE, "--html", name)
        assert ended.status == 0
        assert "psj" in ended.out
    first, second = (
        (here / name).read_text("utf-8").split('"run":{')[0] for name in ("one.html", "two.html")
    )
    assert first == second
    assert first.startswith("<!DOCTYPE html>")
    assert [path.name for path in here.iterdir() if path.suffix == ".html"].count("one.html") == 1


def test_floors_and_attacks_are_shown_where_they_were_computed(here, segjudge):
    some = ("--metric", "segmentation_f1")
    assert segjudge("baselines", *SIDES, *some, "--json", "floors.json").status == 0
    assert segjudge("game", *SIDES, *some, "--attack", "cut", "--json", "game.json").status == 0
    more = ("--floors", "floors.json", "--game", "game.json")
    assert segjudge("score", *SIDES, *some, "--html", "page.html", *more).status == 0
    data = (here / "page.html").read_text("utf-8").split('id="data">')[1].split("</script>")[0]
    found = json.loads(data)
    assert "windows" in found["floors"]
    assert list(found["attacks"]) == ["cut"]
    ended = segjudge("score", REFERENCE, HASTY, *some, "--html", "page.html", *more)
    assert ended.status == 2
    assert "these attacks are of another prediction" in ended.err


@pytest.mark.parametrize("text", ["", "{}", '{"schema": "segjudge.report/1"}', "nowhere"])
def test_what_is_no_report_of_floors_is_named(here, segjudge, text):
    if text != "nowhere":
        (here / "floors.json").write_text(text)
    ended = segjudge(*SCORE, "--html", "page.html", "--floors", "floors.json")
    assert ended.status == 2
    assert ended.err.startswith("error: floors.json: ")
    assert not (here / "page.html").exists()


def test_csv_into_a_folder(here, segjudge):
    assert segjudge(*SCORE, "--csv", "new/").status == 0
    (here / "old").mkdir()
    assert segjudge(*SCORE, "--csv", "old").status == 0
    assert sorted(path.name for path in (here / "new").iterdir()) == [
        "episodes.csv",
        "pairs.csv",
        "segments.csv",
    ]
    assert (here / "old" / "pairs.csv").read_bytes() == (here / "new" / "pairs.csv").read_bytes()


def test_a_folder_that_cannot_be(here, segjudge):
    (here / "file").write_text("")
    ended = segjudge(*SCORE, "--csv", "file/")
    assert ended.status == 2
    assert "error: file: can't make this folder" in ended.err


def test_markdown_instead_of_the_table(segjudge):
    ended = segjudge(*SCORE, "--markdown", "-")
    assert ended.out.startswith("| metric | value |")
    assert "metric " not in ended.out.replace("| metric |", "")


def test_audit_writes_what_matters_most_first(here, segjudge):
    ended = segjudge("audit", *SIDES, *JUDGED, "--output", "audit.jsonl")
    assert ended.status == 0
    found = lines(here / "audit.jsonl")
    assert len(found) == 243
    assert "243 of 243 label pairs" in ended.err
    sizes = [max(map(abs, line["influence"].values())) for line in found]
    assert sizes == sorted(sizes, reverse=True)
    assert found[0]["seconds"] == pytest.approx(17.533)
    segjudge("audit", *SIDES, *JUDGED, "--output", "few.jsonl", "--top", "5")
    assert lines(here / "few.jsonl") == found[:5]


def test_a_corrected_line_changes_the_score_by_its_influence(here, segjudge):
    segjudge("audit", *SIDES, *JUDGED, "--output", "audit.jsonl", "--top", "1")
    (line,) = lines(here / "audit.jsonl")
    corrected = {**line, "verdict": "different", "judge": "human:anna"}
    (here / "mine.jsonl").write_text(json.dumps(corrected) + "\n", "utf-8")
    values = []
    for more in ((), ("--judgments", "mine.jsonl")):
        segjudge("score", *SIDES, "--judgments", JUDGMENTS, *more, "--json", "r.json")
        values.append(json.loads((here / "r.json").read_text())["metrics"]["psj"]["value"])
    assert values[1] - values[0] == pytest.approx(line["influence"]["psj"], abs=1e-12)


def test_audit_of_unknown_pairs_gives_both_bounds(here, segjudge):
    ended = segjudge("audit", *SIDES, "--metric", "psj", "--output", "-", "--top", "1")
    line = json.loads(ended.out)
    assert (line["verdict"], line["judge"], line["by"]) == (None, None, "unknown")
    assert line["influence"]["psj"]["low"] > 0 > line["influence"]["psj"]["high"]
