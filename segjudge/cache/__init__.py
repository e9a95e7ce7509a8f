"""What was answered: judgments as JSON lines, single answers, and the store."""

from __future__ import annotations

from segjudge.cache.answers import Answer, AnswerKey, FailedAttempt, derive
from segjudge.cache.jsonl import read_judgments, write_judgments
from segjudge.cache.store import Counts, Store, default_store_path
from segjudge.cache.table import Filled, read_table

__all__ = [
    "Answer",
    "AnswerKey",
    "Counts",
    "FailedAttempt",
    "Filled",
    "Store",
    "default_store_path",
    "derive",
    "read_judgments",
    "read_table",
    "write_judgments",
]
