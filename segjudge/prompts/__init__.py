"""What is asked: one Markdown file with a front matter a prompt."""

from __future__ import annotations

from segjudge.prompts.loader import load, names
from segjudge.prompts.prompt import LABEL_LIMIT, Item, Kind, Prompt, long_labels, shortened

__all__ = [
    "LABEL_LIMIT",
    "Item",
    "Kind",
    "Prompt",
    "load",
    "long_labels",
    "names",
    "shortened",
]
