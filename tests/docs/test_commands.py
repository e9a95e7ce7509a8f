"""Every command and every block of Python in the documentation is run; see `doc_runner`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from doc_runner import ANY, ROOT, agree, blocks, environment, lines_of, pages, rewritten, run_page

PAGES = {str(path.relative_to(ROOT)): path for path in pages()}

#: What a block may be marked as. Only `console` and `python` are run.
MARKS = {"console", "python", "sh", "text", "json", "csv", "tsv", "toml", "markdown", "yaml"}


def read(name: str) -> str:
    return PAGES[name].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_shows_is_what_happens(name: str) -> None:
    _, wrong = run_page(read(name), name)
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("name", PAGES)
def test_blocks_are_marked_so_that_none_escapes(name: str) -> None:
    for block in blocks(read(name)):
        where = f"{name}:{block.first}"
        assert block.marked in MARKS, f"{where} is marked {block.marked!r}"
        if block.marked != "console":
            shown = [line for line in block.lines if line.startswith("$ ")]
            assert not shown, f"{where} shows commands but is not marked console"


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_files_and_headings(name: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", read(name)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, heading = target.partition("#")
        path = PAGES[name].parent / file if file else PAGES[name]
        assert path.exists(), f"{name} links to {target}"
        if heading and path.suffix == ".md":
            assert heading in anchors(path), f"{name} links to {target}"


def anchors(path: Path) -> set[str]:
    """Return the names by which the headings of a page are linked to."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_shows_what_the_demo_prints() -> None:
    recipe = re.search(r"^demo:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    command = recipe[1].replace("\\\n", " ").replace("@$(BIN)/", "").split()
    command[0] = str(Path(sys.executable).with_name(command[0]))
    ran = subprocess.run(
        command, cwd=ROOT, env=environment(ROOT), capture_output=True, encoding="utf-8", check=True
    )
    figures = lines_of(ran.stdout.partition("\n\n")[0])
    assert len(figures) == 4
    shown = [line.rstrip() for block in blocks(read("README.md")) for line in block.lines]
    assert set(figures) <= set(shown)


def console(*lines: str) -> str:
    return "\n".join(("Text.", "```console", *lines, "```", ""))


def wrong_in(*lines: str) -> list[str]:
    return run_page(console(*lines), "page.md")[1]


class TestTheRunner:
    """A runner that never fails would prove nothing."""

    def test_it_sees_another_output(self) -> None:
        (said,) = wrong_in("$ echo one", "two")
        assert said.startswith("page.md:3: $ echo one")
        assert "-two" in said
        assert "+one" in said

    @pytest.mark.parametrize("expected", [(), ("one",), ("one", "two", "three"), ("two", "one")])
    def test_it_sees_a_line_too_many_or_too_few(self, expected: tuple[str, ...]) -> None:
        assert wrong_in("$ printf 'one\\ntwo\\n'", *expected)
        assert not wrong_in("$ printf 'one\\ntwo\\n'", "one", "two")

    def test_it_sees_standard_error(self) -> None:
        assert wrong_in("$ echo oh >&2")
        assert not wrong_in("$ echo oh >&2", "oh")

    def test_a_failure_must_be_stated(self) -> None:
        assert "exit status 3" in wrong_in("$ (exit 3)")[0]
        assert wrong_in("$ (exit 3)", "$ echo $?", "2")
        assert not wrong_in("$ (exit 3)", "$ echo $?", "3")

    def test_it_sees_a_shell_that_ends_early(self) -> None:
        assert "was not run" in wrong_in("$ exit", "$ echo one", "one")[-1]

    def test_commands_go_on(self) -> None:
        assert not wrong_in("$ echo one \\", "    two", "one two")
        assert not wrong_in("$ cat <<'END'", "> a b", "> END", "a b")

    def test_blocks_share_a_folder_and_lines_a_shell(self) -> None:
        made = console("$ x=1", "$ echo $x > made")
        assert not run_page(made + console("$ cat made", "1"), "page.md")[1]
        assert wrong_in("$ cat made", "1")

    def test_python_is_run_and_shares_names(self) -> None:
        page = "```python\nx = 1\n```\n```python\nassert x == {}\n```\n"
        assert not run_page(page.format(1), "page.md")[1]
        (said,) = run_page(page.format(2), "page.md")[1]
        assert 'File "page.md", line 5' in said

    def test_there_is_no_network(self) -> None:
        code = "import urllib.request as u; u.urlopen('http://192.0.2.1')"
        step = run_page(console(f'$ python -c "{code}"'), "page.md")[0][0]
        assert step.printed is not None
        assert "no network here" in step.printed[-1]

    def test_a_page_can_be_brought_up_to_date(self) -> None:
        page = console("$ echo one", "two", "$ printf 'a\\nb\\n'", ANY, "b", "$ echo", "x", "y")
        every, _ = run_page(page, "page.md")
        new = console("$ echo one", "one", "$ printf 'a\\nb\\n'", ANY, "b", "$ echo")
        assert rewritten(page, every) == new

    @pytest.mark.parametrize(
        ("expected", "good"),
        [
            ([ANY], True),
            (["a", ANY], True),
            (["a", ANY, "d"], True),
            ([ANY, "b", ANY], True),
            (["a", ANY, "b", "c", ANY, "d"], True),
            (["b", ANY], False),
            (["a", ANY, "c"], False),
            (["a", "...", "e", "d"], False),
        ],
    )
    def test_dots_stand_for_any_lines(self, expected: list[str], good: bool) -> None:
        assert agree(expected, ["a", "b", "c", "d"]) is good
