"""Reading hand boxes, all behind `read_boxes`."""

from __future__ import annotations

from segjudge.formats.boxes.reading import read_boxes

__all__ = ["read_boxes"]
