"""The page as a file: what it holds, what it may do, and how large it is."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from page_cases import EVIL, kitchen_case, page_of, said, segments, sides

from segjudge.annotations import Annotations, EpisodeTable
from segjudge.errors import UsageError
from segjudge.report import page as package
from segjudge.report.floors import FloorsReport
from segjudge.report.model import Input, Run
from segjudge.report.page.data import embedded, page_data
from segjudge.scoring import build_case, report
from segjudge.scoring.detail import detail

FOLDER = Path(package.__file__).parent


class Parts(HTMLParser):
    """Collect the tags, attributes and texts of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = tag if tag in self.texts else ""

    def handle_data(self, data):
        if self._inside:
            self.texts[self._inside].append(data)
            self._inside = ""


@pytest.fixture(scope="module")
def kitchen() -> Parts:
    return Parts(page_of(kitchen_case()))


def test_the_policy_names_the_very_scripts_and_styles(kitchen):
    (policy,) = [a["content"] for t, a in kitchen.tags if a.get("http-equiv")]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["base-uri"] == rules["form-action"] == "'none'"
    data, *scripts = kitchen.texts["script"]
    assert json.loads(data)["report"]["schema"] == "segjudge.report/1"
    for name, texts in (("script-src", scripts), ("style-src", kitchen.texts["style"])):
        hashes = [base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in texts]
        assert rules[name].split() == [f"'sha256-{each}'" for each in hashes]
    assert not re.search(r"unsafe|http|\*", policy)


def test_nothing_comes_from_elsewhere(kitchen):
    for _, attributes in kitchen.tags:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        for name in ("src", "href", "action", "data"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,"))


def test_scripts_write_no_markup_and_run_no_text():
    for file in FOLDER.glob("*/*.js"):
        code = file.read_text("utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", code), file
        assert not re.search(r"\beval\(|new Function|javascript:|</script", code), file
        if file.parent.name == "static":
            assert len(code.splitlines()) <= 300, file


def test_what_is_from_others_is_as_the_table_says():
    table = (FOLDER / "vendor" / "README.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", table, re.MULTILINE))
    files = {file.name for file in (FOLDER / "vendor").iterdir()} - {"README.md", "uPlot.LICENSE"}
    assert listed.keys() == files
    for name, expected in listed.items():
        assert hashlib.sha256((FOLDER / "vendor" / name).read_bytes()).hexdigest() == expected
    assert "MIT" in (FOLDER / "vendor" / "uPlot.LICENSE").read_text("utf-8")


@pytest.mark.parametrize("text", [*EVIL, "\ud800 half a character", "\u2029", "拿起杯子", "]]>"])
def test_embedded_data_is_safe_and_whole(text):
    found = embedded({"label": text})
    assert not re.search(r"[<>&\u2028\u2029]", found)
    found.encode()
    assert json.loads(found) == {"label": text}


def test_no_label_becomes_a_tag():
    rows = segments(*((i, i + 1, text) for i, text in enumerate(EVIL)))
    plain = Parts(page_of(build_case(*sides(segments((0, 1, "x")), []))))
    evil = Parts(page_of(build_case(*sides(rows, []))))
    assert [tag for tag, _ in evil.tags] == [tag for tag, _ in plain.tags]


def test_data_is_columns_that_say_what_the_case_says():
    case = kitchen_case("hasty")
    said_of = detail(case)
    data = json.loads(embedded(page_data(report(case), said_of)))
    comparison = case.comparison
    assert data["episodes"]["id"] == list(comparison.reference.episodes)
    assert data["sides"]["reference"]["first"][-1] == len(comparison.reference)
    assert len(data["pairs"]["left"]) == len(comparison.pairs)
    lengths = comparison.reference.length.sum() + comparison.prediction.length.sum()
    assert sum(data["episodes"]["length"]) == lengths
    value = report(case).metrics["psj"]["value"]
    assert sum(data["episodes"]["credit"][0]) / lengths == pytest.approx(value)
    for k in (0, 7, len(comparison.pairs) - 1):
        episode = int(comparison.reference.episode[comparison.pairs.left[k]])
        row = data["sides"]["prediction"]["first"][episode] + data["pairs"]["right"][k]
        assert row == comparison.pairs.right[k]


def test_long_rationales_are_cut_to_one_length(monkeypatch):
    monkeypatch.setattr("segjudge.report.page.data.RATIONALE_BUDGET", 150)
    rows = segments((0, 1, "a"), (1, 2, "b"))
    judged = [said(x, x + "!", "same", rationale=x * 500) for x in "ab"]
    case = build_case(*sides(rows, segments((0, 1, "a!"), (1, 2, "b!"))), judgments=judged)
    data = page_data(report(case), detail(case))
    assert sorted(len(data["strings"][i]) for i in data["verdicts"]["rationale"]) == [75, 75]


def test_floors_of_another_reference_are_refused():
    case = kitchen_case()
    floors = FloorsReport(
        floors={},
        inputs=[Input(role="reference", file="x", sha256="0" * 64, format="segjudge")],
        version="0",
        run=Run(created="now"),
    )
    with pytest.raises(UsageError, match="another reference"):
        page_of(case, floors=floors)


def test_without_jinja2_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(UsageError, match=r"segjudge\[report\]"):
        page_of(kitchen_case())


def large(episodes: int, of_each: int, seed: int) -> Annotations:
    """Segments one after the other with labels of a usual length, most of them distinct."""
    rng = np.random.default_rng(seed)
    n = episodes * of_each
    length = rng.integers(500_000, 9_000_000, (episodes, of_each))
    end = np.cumsum(length, axis=1)
    labels = tuple(f"pick up object {i} from the table with the {seed} hand" for i in range(n))
    return Annotations(
        np.repeat(np.arange(episodes, dtype=np.int32), of_each),
        np.zeros(n, np.int32),
        (end - length).ravel(),
        end.ravel(),
        np.arange(n, dtype=np.int32),
        tuple(f"episode_{i:05d}" for i in range(episodes)),
        ("",),
        labels,
        EpisodeTable.empty(episodes),
    )


def test_a_thousand_episodes_fit_15_megabytes():
    both = large(1000, 20, 1), large(1000, 20, 2)
    case = build_case(*both)
    judged = [
        said(q.label_a, q.label_b, "same", rationale="both are about the same object, " * 4)
        for q in case.decided.question
    ]
    text = page_of(build_case(*both, judgments=judged))
    assert len(text.encode()) < 15_000_000
