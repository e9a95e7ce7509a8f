"""Runs what the documentation shows, and compares it with what happens.

A page is run from top to bottom in a folder of its own that holds a copy of ``examples/``, so a
block may use a file that an earlier one made.

- A block marked ``console`` holds lines ``$ command``, each followed by what it prints, standard
  output and standard error together. A command goes on after a final backslash, and on lines that
  begin with ``> ``. Spaces at the ends of lines don't count, and ``...`` on a line of its own
  stands for any lines, or none. A command that fails must be followed by ``$ echo $?`` and its
  exit status. The commands of one block share a shell.
- A block marked ``python`` is run as it is; the blocks of a page share their names.

Nothing else is run. ``python tests/docs/doc_runner.py docs/metrics.md`` writes what the commands
print now into a page; look at the difference before you commit it.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
NO_NETWORK = Path(__file__).parent / "no_network"
ANY = "..."

_FENCE = re.compile(r"(`{3,})(.*)")
_END = "\x1e"
_SECONDS = 120


@dataclass
class Block:
    """A fenced block: what it is marked as, its lines, and the line of the page it begins on."""

    marked: str
    first: int
    lines: list[str] = field(default_factory=list)


@dataclass
class Step:
    """A command, what the page says that it prints, and what it did print."""

    command: str
    line: int
    expected: list[str] = field(default_factory=list)
    printed: list[str] | None = None
    status: int = 0


def pages() -> list[Path]:
    """Return the pages that are run."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text: str) -> Iterator[Block]:
    """Give the fenced blocks of a page in order."""
    block, fence = None, ""
    for number, line in enumerate(text.split("\n"), 1):
        if block is None:
            found = _FENCE.fullmatch(line)
            if found:
                fence, block = found[1], Block(found[2].strip(), number + 1)
        elif line.startswith(fence) and not line.strip("`"):
            yield block
            block = None
        else:
            block.lines.append(line)
    if block is not None:
        raise ValueError(f"the block that begins on line {block.first} does not end")


def steps(block: Block) -> list[Step]:
    """Return the commands of a block marked ``console``."""
    found: list[Step] = []
    for number, line in enumerate(block.lines, block.first):
        last = found[-1] if found else None
        if line.startswith("$ "):
            found.append(Step(line[2:], number))
        elif last is None:
            raise ValueError(f"line {number}: a console block begins with `$ command`")
        elif not last.expected and (line.startswith("> ") or last.command.endswith("\\")):
            last.command += "\n" + line.removeprefix("> ")
        else:
            last.expected.append(line)
    return found


def agree(expected: list[str], printed: list[str]) -> bool:
    """Say whether lines are as expected, where ``...`` stands for any lines."""
    parts: list[list[str]] = [[]]
    for line in expected:
        if line == ANY:
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) == 1:
        return expected == printed
    first, *between, last = parts
    place, end = len(first), len(printed) - len(last)
    if place > end or printed[:place] != first or printed[end:] != last:
        return False
    for part in between:
        while printed[place : place + len(part)] != part and place + len(part) <= end:
            place += 1
        place += len(part)
        if place > end:
            return False
    return True


def lines_of(text: str) -> list[str]:
    """Return lines without the spaces at their ends, and without blank ones at the end."""
    return [line.rstrip() for line in text.rstrip().split("\n")] if text.strip() else []


def environment(folder: Path) -> dict[str, str]:
    """Return the variables that every command gets: the same on every machine, and no key."""
    return {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.defpath)),
        "PYTHONPATH": os.pathsep.join((str(NO_NETWORK), str(ROOT))),
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "100",
        "TERM": "dumb",
    }


def run_shell(found: list[Step], folder: Path, home: Path) -> None:
    """Run the commands of one block in one shell, and note what each prints."""
    script = home / "block.sh"
    after = f"__status=$?; printf '{_END}%d{_END}' $__status; (exit $__status)"
    script.write_text("".join(f"{step.command}\n{after}\n" for step in found), encoding="utf-8")
    ran = subprocess.run(
        ["bash", str(script)],
        cwd=folder,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=_SECONDS,
    )
    parts = ran.stdout.split(_END)
    for step, printed, status in zip(found, parts[::2], parts[1::2], strict=False):
        step.printed, step.status = lines_of(printed), int(status)


def faults(found: list[Step], page: str) -> list[str]:
    """Return what the page says wrongly of the commands of one block."""
    said = []
    for step, following in zip(found, [*found[1:], None], strict=True):
        where = f"{page}:{step.line}: $ {step.command}\n"
        if step.printed is None:
            said.append(f"{where}  was not run")
            continue
        expected = lines_of("\n".join(step.expected))
        if not agree(expected, step.printed):
            difference = difflib.unified_diff(
                expected, step.printed, "page", "printed", lineterm=""
            )
            said.append(where + "\n".join(f"  {line}" for line in difference))
        stated = following is not None and following.command == "echo $?"
        if step.status and not stated:
            said.append(f"{where}  exit status {step.status}, which the page does not state")
    return said


def run_python(block: Block, page: str, names: dict[str, object]) -> list[str]:
    """Run a block of Python, and return what went wrong."""
    source = "\n" * (block.first - 1) + "\n".join(block.lines) + "\n"
    try:
        exec(compile(source, page, "exec"), names)
    except Exception:
        return [f"{page}:{block.first}: python\n{traceback.format_exc()}"]
    return []


@contextlib.contextmanager
def fresh_folder() -> Iterator[tuple[Path, Path]]:
    """Give the folder that a page is run in, and one for what is none of its business."""
    with tempfile.TemporaryDirectory() as name:
        folder, home = Path(name, "work"), Path(name, "home")
        home.mkdir()
        shutil.copytree(ROOT / "examples", folder / "examples")
        yield folder, home


def run_page(text: str, page: str) -> tuple[list[Step], list[str]]:
    """Run a page.

    Parameters
    ----------
    text : str
        The page, Markdown.
    page : str
        Its name, for messages.

    Returns
    -------
    list of Step, list of str
        All commands with what they printed; what the page says wrongly.
    """
    every: list[Step] = []
    wrong: list[str] = []
    module = sys.modules["__page__"] = types.ModuleType("__page__")
    with fresh_folder() as (folder, home), contextlib.chdir(folder):
        for block in blocks(text):
            if block.marked == "console":
                found = steps(block)
                run_shell(found, folder, home)
                every += found
                wrong += faults(found, page)
            elif block.marked == "python":
                wrong += run_python(block, page, vars(module))
    return every, wrong


def rewritten(text: str, every: list[Step]) -> str:
    """Return the page with what the commands printed, where that differs from what it says."""
    lines = text.split("\n")
    for step in reversed(every):
        if step.printed is None or agree(lines_of("\n".join(step.expected)), step.printed):
            continue
        begin = step.line + step.command.count("\n")
        lines[begin : begin + len(step.expected)] = step.printed
    return "\n".join(lines)


def main() -> None:
    """Bring the pages named up to date."""
    for name in sys.argv[1:]:
        path = Path(name).resolve()
        text = path.read_text(encoding="utf-8")
        every, wrong = run_page(text, name)
        print("\n\n".join(wrong))
        path.write_text(rewritten(text, every), encoding="utf-8")


if __name__ == "__main__":
    main()
