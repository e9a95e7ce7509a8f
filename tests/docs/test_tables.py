"""The tables of the documentation are whole: nothing that the program has is left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
import typer
from doc_runner import ROOT

from segjudge import Judgment, Verdict, metrics
from segjudge.cli import app
from segjudge.findings import Finding
from segjudge.report import Input, JudgeInfo, PairCounts, Report, Run

ANSWERS = {1: "yes", 0: "no", -1: "unknown"}


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def rows(text: str) -> dict[str, list[str]]:
    """Return the rows of all tables of a page by what stands first, in code."""
    found: dict[str, list[str]] = {}
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0].startswith(("`", "[`")):
            for name in re.findall(r"`([^`]+)`", cells[0]):
                found[name] = cells[1:]
    return found


@pytest.mark.parametrize("verdict", Verdict)
def test_verdicts(verdict: Verdict) -> None:
    given = rows(page("judgments.md"))[verdict]
    assert given[:2] == [ANSWERS[verdict.permissible], ANSWERS[verdict.same]]


def test_fields_of_a_judgment() -> None:
    _, _, after = page("judgments.md").partition("| field | type |")
    table = rows(after.partition("\n\n")[0])
    assert list(table) == list(Judgment.model_fields)
    required = [name for name, cells in table.items() if "required" in cells[0]]
    assert required == [n for n, field in Judgment.model_fields.items() if field.is_required()]


def test_fields_of_the_report() -> None:
    told = set(rows(page("report.md")))
    for model in (Report, PairCounts, Run, Input, JudgeInfo):
        names = {field.alias or name for name, field in model.model_fields.items()}
        assert names <= told, model
    assert set(Finding.__slots__) <= told


def finding_codes() -> Iterator[str]:
    """Give the codes of all findings that the source makes."""
    makers = {"finding", "_of_segments", "_of_episodes"}
    for path in (ROOT / "segjudge").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in makers:
                continue
            texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
            yield from [text for text in texts if re.fullmatch("[a-z]+(_[a-z]+)*", str(text))][:1]


def test_findings() -> None:
    told = {name for path in (ROOT / "docs").glob("*.md") for name in rows(path.read_text("utf-8"))}
    codes = set(finding_codes())
    assert len(codes) > 20
    assert codes <= told


def commands(group: typer.core.TyperGroup, path: str = "") -> Iterator[tuple[str, set[str]]]:
    """Give every command with its options."""
    for name, command in group.commands.items():
        if isinstance(command, typer.core.TyperGroup):
            yield from commands(command, f"{path}{name} ")
        else:
            options = {o for parameter in command.params for o in parameter.opts if o[:2] == "--"}
            yield path + name, options


EVERY = dict(commands(typer.main.get_command(app)))  # type: ignore[arg-type]


#: Commands that run until they are stopped, so no page can show how they end.
ENDLESS = {"serve"}


@pytest.mark.parametrize("command", EVERY)
def test_commands_have_an_example(command: str) -> None:
    words = rf"segjudge {command}(?!\S)"
    mark = "" if command in ENDLESS else r"\$ "
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")]
    assert re.search(f"^{mark}{words}", "\n".join(pages), re.MULTILINE), "no page shows it"
    assert f"`{command.split()[0]}`" in page("commands.md")


def test_options_of_score_are_explained() -> None:
    asking = EVERY["judge"] - {"--help"}
    told = set(re.findall(r"--[a-z-]+", page("commands.md")))
    own = EVERY["score"] - {"--help"}
    assert own - told <= asking


def test_metrics_are_explained() -> None:
    text = page("metrics.md")
    for name in metrics.names():
        assert f"`{name}" in text
