"""Score free-form annotations of video in time, with a judge of label pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segjudge.annotations import Annotations, align
from segjudge.cache import read_judgments, write_judgments
from segjudge.errors import InputError, SegjudgeError, StoppedEarly, UsageError
from segjudge.findings import Finding
from segjudge.formats import read, write
from segjudge.jmatrix import JMatrix
from segjudge.judgments import Judgment, Verdict
from segjudge.report import Report
from segjudge.scoring import Plan, ascore, compare, plan, score
from segjudge.scoring.benchmark import score_egohome
from segjudge.scoring.boxes import score_boxes
from segjudge.version import version

if TYPE_CHECKING:
    from segjudge.client import Client

__version__ = version()

__all__ = [
    "Annotations",
    "Client",
    "Finding",
    "InputError",
    "JMatrix",
    "Judgment",
    "Plan",
    "Report",
    "SegjudgeError",
    "StoppedEarly",
    "UsageError",
    "Verdict",
    "__version__",
    "align",
    "ascore",
    "compare",
    "plan",
    "read",
    "read_judgments",
    "score",
    "score_boxes",
    "score_egohome",
    "write",
    "write_judgments",
]


def __getattr__(name: str) -> object:
    """Import the client when it is first used: httpx takes time, and needs an extra."""
    if name == "Client":
        from segjudge.client import Client

        return Client
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
