"""What was answered: judgments as JSON lines, and the store."""

from __future__ import annotations

from segjudge.cache.jsonl import read_judgments, write_judgments

__all__ = ["read_judgments", "write_judgments"]
