"""Values of episode fields as names of groups and clusters."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from segjudge.annotations import Annotations
from segjudge.findings import Finding, counted, finding


def named(value: Any) -> str:
    """Return a value as a name: text as it is, anything else as JSON, nothing for none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def nested(reference: Annotations, fields: Iterable[str]) -> list[Finding]:
    """Return a warning for each field that holds lists or objects, which are taken whole."""
    found = []
    for name in fields:
        values = reference.table.fields.get(name, ())
        count = sum(isinstance(value, list | tuple | dict) for value in values)
        if count:
            text = (
                f"{name!r} holds lists or objects in {counted(count, 'episode')}; each is taken "
                "whole, as its JSON"
            )
            item = finding("nested_field", text, level="warning", side="reference", count=count)
            found.append(item)
    return found
