"""What all tests of formats share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from segjudge.annotations import Annotations
from segjudge.formats import read

Segments = list[tuple[str, str, int, int, str]]


@pytest.fixture
def reading(tmp_path: Path) -> Callable[..., Annotations]:
    """Write a text (or bytes) to a file called `name` and read it."""

    def read_text(content: str | bytes, name: str = "file.jsonl", **options: Any) -> Annotations:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return read(path, **options)

    return read_text


@pytest.fixture
def segments() -> Callable[[Annotations], Segments]:
    """Turn annotations into rows of (episode, track, start, end, label), in microseconds."""

    def rows(a: Annotations) -> Segments:
        return [
            (
                a.episodes[a.episode[i]],
                a.tracks[a.track[i]],
                int(a.start[i]),
                int(a.end[i]),
                a.labels[a.label[i]],
            )
            for i in range(len(a))
        ]

    return rows
