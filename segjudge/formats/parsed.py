"""A file of EgoHome rows parsed once, for the several timelines and the boxes that it holds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from segjudge.annotations import Annotations, Source
from segjudge.boxes import Boxes
from segjudge.formats.boxes.collect import Collector
from segjudge.formats.boxes.declared import Declared
from segjudge.formats.boxes.reading import rate_option, uncollected
from segjudge.formats.boxes.rows import EGOHOME, OWN, read_rows
from segjudge.formats.build import Builder
from segjudge.formats.egohome import FIELDS
from segjudge.formats.interface import Format, Options, Record, Task, View
from segjudge.formats.registry import choose
from segjudge.formats.source import Raw, open_raw


@dataclass(frozen=True, slots=True)
class Parsed:
    """The records of a file, which several readings can share.

    Attributes
    ----------
    raw : Raw
    format : Format
    view : View
        Its records are consumed; `records` has them all.
    records : tuple of Record
    """

    raw: Raw
    format: Format
    view: View
    records: tuple[Record, ...]

    def holds(self, task: str) -> bool:
        """Say whether any record has the field of a task, or of ``boxes``."""
        keys = (EGOHOME, OWN) if task == "boxes" else (FIELDS[task],)
        return any(key in record.row for record in self.records for key in keys)

    def annotations(self, task: Task) -> Annotations:
        """Read the timelines of one task.

        Raises
        ------
        InputError
            With every problem of the file.
        """
        view = self._again()
        builder = Builder(self.raw.file, view.problems, view.findings)
        self.format.read(view, builder, Options(task))
        return builder.build(Source(self.raw.file, self.raw.sha256, self.format.name))

    def boxes(self, coords: str | None, order: str | None, fps: float | None) -> Boxes:
        """Read the boxes; see `read_boxes`.

        Raises
        ------
        InputError
            With every problem of the file.
        UsageError
            An option can't be used, or one is needed.
        """
        view, declared = self._again(), Declared.of(coords, order)
        collector = Collector(self.raw.file, view.problems)
        with uncollected():
            read_rows(view, collector, Options(fps=rate_option(fps)), declared)
            return collector.build(Source(self.raw.file, self.raw.sha256, self.format.name))

    def _again(self) -> View:
        """Return the view with its records not yet consumed."""
        return replace(
            self.view,
            records=iter(self.records),
            problems=list(self.view.problems),
            findings=list(self.view.findings),
        )


def parse_rows(path: str | os.PathLike[str], columns: Mapping[str, str] | None = None) -> Parsed:
    """Parse a file of EgoHome rows.

    Raises
    ------
    InputError
        The file can't be read, or is in no way records.
    """
    raw = open_raw(path)
    options = Options(columns=dict(columns or {}))
    with uncollected():
        format, view = choose(raw, options, "egohome", frozenset((EGOHOME,)))
        return Parsed(raw, format, view, tuple(view.records))
