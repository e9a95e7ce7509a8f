"""The page on files says what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from segjudge.formats import names, segments, spellings
from segjudge.formats.registry import formats

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")


def test_each_format_stands_there_in_order_with_its_example() -> None:
    sections = re.findall(r"^### `(\w+)`\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    assert tuple(name for name, _ in sections) == names()
    for format, (_, text) in zip(formats(), sections, strict=True):
        (example,) = re.findall(r"^```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert example == format.example


def test_the_first_example_is_read(reading: Any) -> None:
    (example,) = re.findall(r"## Our own format.*?```json\n(.*?)```", PAGE, re.DOTALL)
    read = reading(example)
    assert read.episodes == ("a", "b", "c")
    assert read.table.failed.tolist() == [False, False, True]


def test_every_finding_is_explained() -> None:
    sources = [ROOT / "segjudge" / name for name in ("edits.py", "inspection.py")]
    sources += (ROOT / "segjudge" / "formats").glob("*.py")
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    made = set(re.findall(r"finding\(\s*\"([a-z_]+)\"", text))
    made |= set(re.findall(r"(?<!def )_of_(?:segments|episodes)\([^\"()]*\"([a-z_]+)\"", text))
    made |= set(re.findall(r"\"([a-z_]+_labels)\"", text))
    (table,) = re.findall(r"## What is noticed\n(.*?)\n## ", PAGE, re.DOTALL)
    told = set(re.findall(r"`([a-z_]+)`", "".join(re.findall(r"^\|.*?\|", table, re.MULTILINE))))
    assert made == told


def test_every_usual_name_is_listed() -> None:
    (table,) = re.findall(r"\*\*Usual names\.\*\*(.*?)\n## ", PAGE, re.DOTALL)
    told = set(re.findall(r"`(\w+)`", table))
    times = [*segments._STARTS.values(), *segments._ENDS.values()]
    known = {name for group in times for name in group}
    known |= {*segments._PAIRS, *segments._LABELS, *segments._TRACKS}
    known |= {
        *spellings.ID_KEYS,
        *spellings.ROW_ID_KEYS,
        *spellings.DURATION_KEYS,
        *spellings.FRAME_COUNT_KEYS,
    }
    assert told == known
