"""CSV and TSV: one segment a row."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np

from segjudge.annotations import Annotations
from segjudge.errors import InputError, shown
from segjudge.formats.clock import seconds_text
from segjudge.formats.flat import EPISODE_COLUMNS, is_flat, read_flat
from segjudge.formats.interface import Format, Options, View
from segjudge.formats.spellings import BLOBS

_OWN = ("episode", "track", "start", "end", "label", *EPISODE_COLUMNS)


def _recognises(*delimiters: str) -> Callable[[View, Options], bool]:
    """Ask for a header with columns for episode, start, end and label."""

    def recognises(view: View, options: Options) -> bool:
        return view.delimiter in delimiters and is_flat(view.header, options)

    return recognises


def _writer(delimiter: str) -> Callable[[Annotations, IO[str]], None]:
    """Make the writer for one delimiter."""

    def write(annotations: Annotations, stream: IO[str]) -> None:
        fields = annotations.table.fields
        plain = [name for name, values in fields.items() if _is_plain(name, values)]
        other = [name for name in fields if name not in plain]
        # A carriage return in a label is only quoted by the csv module if it ends lines, too.
        table = csv.writer(stream, delimiter=delimiter, lineterminator="\r\n")
        table.writerow([*_OWN, *plain])
        for cells in _rows(annotations, plain, other):
            if any("\0" in cell for cell in cells):
                raise InputError(f"a table can't hold NUL bytes: {shown(cells)}")
            table.writerow(cells)

    return write


def _is_plain(name: str, values: tuple[Any, ...]) -> bool:
    """Say whether a field can be a column of text that reads back the same."""
    usual = name and name == name.strip() and "\t" not in name
    usual = usual and name not in _OWN and name not in _TAKEN
    return bool(usual) and all(v is None or (isinstance(v, str) and v != "") for v in values)


def _rows(annotations: Annotations, plain: list[str], other: list[str]) -> Iterator[list[str]]:
    """Give the rows of all episodes; one without segments has a row with no times."""
    order = np.argsort(annotations.episode, kind="stable").tolist()
    counts = np.bincount(annotations.episode, minlength=len(annotations.episodes)).tolist()
    done = 0
    for episode, count in enumerate(counts):
        about, own = _about(annotations, episode, plain, other)
        name = annotations.episodes[episode]
        if not count:
            yield [name, "", "", "", "", *about, *own]
        for i in order[done : done + count]:
            yield [
                name,
                annotations.tracks[annotations.track[i]],
                seconds_text(int(annotations.start[i])),
                seconds_text(int(annotations.end[i])),
                annotations.labels[annotations.label[i]],
                *about,
                *own,
            ]
        done += count


def _about(
    annotations: Annotations, episode: int, plain: list[str], other: list[str]
) -> tuple[list[str], list[str]]:
    """Return the cells that say something of the episode."""
    table = annotations.table
    duration = int(table.duration[episode])
    rest = {
        name: table.fields[name][episode]
        for name in other
        if table.fields[name][episode] is not None
    }
    try:
        text = json.dumps(rest, ensure_ascii=False, allow_nan=False) if rest else ""
    except (TypeError, ValueError):
        raise InputError(f"can't be written as JSON: {shown(rest)}") from None
    about = [
        seconds_text(duration) if duration >= 0 else "",
        "true" if table.failed[episode] else "",
        text,
    ]
    return about, [table.fields[name][episode] or "" for name in plain]


#: Names that would be taken for something else when read back.
_TAKEN = BLOBS | {"fps"}

_EXAMPLE = ("episode", "track", "start", "end", "label"), ("a", "", "0", "3.25", "open the drawer")

CSV = Format(
    name="csv",
    description="a table with a header, one segment a row, separated by commas or semicolons",
    recognises=_recognises(",", ";"),
    read=read_flat,
    write=_writer(","),
    rank=20,
    example="".join(",".join(cells) + "\n" for cells in _EXAMPLE),
)
TSV = Format(
    name="tsv",
    description="a table with a header, one segment a row, separated by tabs",
    recognises=_recognises("\t"),
    read=read_flat,
    write=_writer("\t"),
    rank=20,
    example="".join("\t".join(cells) + "\n" for cells in _EXAMPLE),
)
