"""What a benchmark prescribes: metrics, judge, options and floors, as data."""

from __future__ import annotations

from segjudge.protocols.egohome import EGOHOME
from segjudge.protocols.interface import Part, Protocol

__all__ = ["EGOHOME", "Part", "Protocol"]
