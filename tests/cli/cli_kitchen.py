"""The files of the kitchen example, as a test in its own folder names them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

#: The console script of this environment.
PROGRAM = Path(sys.executable).with_name("segjudge")

KITCHEN = "examples/kitchen"
REFERENCE = f"{KITCHEN}/reference.jsonl"
CAREFUL = f"{KITCHEN}/prediction_careful.jsonl"
HASTY = f"{KITCHEN}/prediction_hasty.jsonl"
JUDGMENTS = f"{KITCHEN}/judgments.jsonl"
JUDGED = ("--judgments", JUDGMENTS)

BAD_ROWS = "examples/messy/bad_rows.csv"


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def returncode(self) -> int:
        """The status, as `subprocess` calls it."""
        return self.status

    @property
    def stdout(self) -> str:
        """What was printed, as `subprocess` calls it."""
        return self.out

    @property
    def stderr(self) -> str:
        """What was said on standard error, as `subprocess` calls it."""
        return self.err
