"""Options from Python, as people type them there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import segjudge
from segjudge.errors import UsageError

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"
SIDES = (KITCHEN / "reference.jsonl", KITCHEN / "prediction_careful.jsonl")


def test_one_metric_and_one_field_may_be_text() -> None:
    report = segjudge.score(*SIDES, metrics="psj", by="family")
    assert list(report.metrics) == ["psj"]
    assert list(report.by_group) == ["family"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"votes": 3}, "votes: for asking a model only"),
        ({"concurrency": 4}, "concurrency: for asking a model only"),
        ({"offset": "x"}, "--offset 'x' is no number"),
    ],
)
def test_options_that_would_do_nothing_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        segjudge.score(*SIDES, **options)
