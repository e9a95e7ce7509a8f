"""The program and its surroundings: hostile text, pipes that close, Ctrl-C, event loops."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_kitchen import (
    CAREFUL,
    HASTY,
    JUDGED,
    JUDGMENTS,
    KITCHEN,
    PROGRAM,
    REFERENCE,
    Ended,
)

import segjudge as package

Run = Callable[..., Ended]

#: Labels that would colour, move or turn a terminal, or be read as markup.
HOSTILE = (
    "[red]x[/red]",
    "[/]",
    "[link=file:///]here",
    ":smile:",
    "esc \x1b[31mred\x1b]0;title\x07",
    "two\nlines\rand back\t.",
    "c1 \x9b31m",
    "turned \u202eround\u2069",
    "line\u2028separator",
)


def unsafe(text: str) -> set[str]:
    """Return the characters of an output that a terminal acts upon, line feeds aside."""
    steering = {chr(code) for code in (*range(32), *range(127, 160)) if chr(code) != "\n"}
    return set(text) & (
        steering | set("\u2028\u2029\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069")
    )


class TestHostileText:
    """Text of files and models is shown as text."""

    @pytest.fixture
    def files(self, here: Path) -> tuple[str, str]:
        """Two files and judgments in which every name is hostile."""
        rows: list[dict[str, Any]] = []
        for name in HOSTILE:
            segments = [{"start": 0, "end": 9, "label": name}]
            segments += [{"start": 1, "end": 3, "label": f"{name} again", "track": name}]
            rows.append({"id": name, "family": name, "segments": segments})
        for file, missing in (("reference.jsonl", 0), ("prediction.jsonl", 2)):
            text = "".join(json.dumps(row) + "\n" for row in rows[missing:])
            (here / file).write_text(text)
            for row in rows:
                row["segments"][0]["label"] += "!"
        judgments = [
            {"label_a": name, "label_b": f"{name}!", "verdict": verdict, "judge": name}
            for name in HOSTILE
            for verdict in ("same", "different")
        ]
        (here / "judgments.jsonl").write_text("".join(json.dumps(j) + "\n" for j in judgments))
        return "reference.jsonl", "prediction.jsonl"

    def test_tables(self, segjudge: Run, files: tuple[str, str]) -> None:
        line = ("--judgments", "judgments.jsonl", "--mix", "--by", "family", "--by", "track")
        ended = segjudge("score", *files, *line, "--ignore-label", "lines")
        assert ended.status == 0
        assert not unsafe(ended.out + ended.err)
        shown = ("[red]x[/red]", "[link=file:///]here", ":smile:", r"\x1b[31mred", r"\u202eround")
        for text in shown:
            assert text in ended.out

    @pytest.mark.parametrize(
        "arguments",
        [
            ("validate", "reference.jsonl"),
            ("score", "reference.jsonl", REFERENCE),
            ("score", "reference.jsonl", "prediction.jsonl", "--by", HOSTILE[4]),
            ("score", "reference.jsonl", "prediction.jsonl", "--metric", HOSTILE[4]),
            ("score", "reference.jsonl", "prediction.jsonl", "--judgments", "judgments.jsonl"),
            ("plan", "reference.jsonl", "prediction.jsonl"),
            ("judgments", "stats", "judgments.jsonl"),
            ("judgments", "diff", "judgments.jsonl"),
            ("validate", HOSTILE[4]),
            ("validate", "reference.jsonl", "--format", HOSTILE[4]),
            (HOSTILE[4],),
            ("score", "--" + HOSTILE[4]),
            ("prompt", "show", HOSTILE[4]),
        ],
        ids=str,
    )
    def test_messages(
        self, segjudge: Run, files: tuple[str, str], arguments: tuple[str, ...]
    ) -> None:
        ended = segjudge(*arguments)
        assert ended.status in (0, 1, 2, 3)
        assert "Traceback" not in ended.err
        assert not unsafe(ended.out + ended.err)


class TestPipes:
    """A reader that goes, as ``head`` does, is no fault."""

    @pytest.mark.parametrize(
        "arguments",
        [
            ("--help",),
            ("score", REFERENCE, CAREFUL, *JUDGED),
            ("score", REFERENCE, CAREFUL, *JUDGED, "--json", "-"),
            ("convert", REFERENCE, "--to", "csv"),
        ],
        ids=" ".join,
    )
    def test_nobody_reads(
        self, here: Path, variables: dict[str, str], arguments: tuple[str, ...]
    ) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        ran = subprocess.run(
            [PROGRAM, *arguments], stdout=writing, stderr=subprocess.PIPE, env=variables
        )
        os.close(writing)
        assert (ran.returncode, ran.stderr) == (0, b"")

    def test_nobody_reads_errors(self, here: Path, variables: dict[str, str]) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        ran = subprocess.run([PROGRAM, "validate", "nowhere"], stderr=writing, env=variables)
        os.close(writing)
        assert ran.returncode == 2

    def test_head(self, here: Path, variables: dict[str, str]) -> None:
        line = f"segjudge convert {REFERENCE} --to csv | head -1; echo ${{PIPESTATUS[0]}}"
        ran = subprocess.run(["bash", "-c", line], env=variables, capture_output=True, text=True)
        assert ran.stderr == ""
        assert ran.stdout.startswith("episode,track,start,end,label")
        assert ran.stdout.endswith("\n0\n")


def test_ctrl_c(here: Path, variables: dict[str, str]) -> None:
    """A large file comes down a pipe, and in the middle of it somebody presses Ctrl-C."""
    running = subprocess.Popen(
        [PROGRAM, "validate", "-"],
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdin is not None
    running.stdin.write(b"episode,start,end,label\n")
    # More than a pipe holds: when this returns, the program is reading.
    running.stdin.write(b"a,0,1,cut the bread\n" * 50_000)
    running.stdin.flush()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert out == b""
    assert b"Traceback" not in err


def test_score_inside_a_running_event_loop(here: Path) -> None:
    async def notebook() -> list[package.Report]:
        plain = package.score(REFERENCE, CAREFUL, judgments=JUDGMENTS)
        return [plain, await package.ascore(REFERENCE, CAREFUL, judgments=JUDGMENTS)]

    plain, waited = asyncio.run(notebook())
    assert plain.metrics == waited.metrics
    assert plain.metrics["psj"]["value"] == pytest.approx(1047.432 / 1266.797, abs=1e-12)


def test_names_with_spaces_and_other_scripts(segjudge: Run, here: Path) -> None:
    folder = here / "mit Leerzeichen"
    folder.mkdir()
    (folder / "预测.jsonl").write_bytes((here / HASTY).read_bytes())
    ended = segjudge("score", f"{KITCHEN}/reference.jsonl", "mit Leerzeichen/预测.jsonl", *JUDGED)
    assert "804.497 / 1252.764 s" in ended.out
