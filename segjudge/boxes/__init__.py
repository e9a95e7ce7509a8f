"""Hand boxes as columns: what they are given in, and the frames they stand on."""

from __future__ import annotations

from segjudge.boxes.changes import rename_clips, restrict_boxes, shift_boxes
from segjudge.boxes.columns import HANDS, Absences, Boxes, Clips
from segjudge.boxes.common import align_boxes, in_one_space
from segjudge.boxes.floors import centre, usual
from segjudge.boxes.frames import SAME_FRAME, Framed, SameFrame, frame_numbers, on_frames
from segjudge.boxes.spaces import (
    COORDS,
    FRAME,
    LARGEST,
    ORDERS,
    PIXEL,
    Coords,
    Order,
    Space,
    on_grid,
    space_of,
)

__all__ = [
    "COORDS",
    "FRAME",
    "HANDS",
    "LARGEST",
    "ORDERS",
    "PIXEL",
    "SAME_FRAME",
    "Absences",
    "Boxes",
    "Clips",
    "Coords",
    "Framed",
    "Order",
    "SameFrame",
    "Space",
    "align_boxes",
    "centre",
    "frame_numbers",
    "in_one_space",
    "on_frames",
    "on_grid",
    "rename_clips",
    "restrict_boxes",
    "shift_boxes",
    "space_of",
    "usual",
]
