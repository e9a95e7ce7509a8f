"""Coordinates in several spaces and orders, and two sides brought into one space."""

from __future__ import annotations

import numpy as np
import pytest
from boxes_corpora import Box, boxes, count

from segjudge.boxes import align_boxes, on_grid
from segjudge.errors import InputError

GOLD = [Box(0, 0, (480.0, 270.0, 960.0, 540.0))]
#: The same box of a frame of 1920 x 1080, in each space.
SAME = {
    "px": (480.0, 270.0, 960.0, 540.0),
    "unit": (0.25, 0.25, 0.5, 0.5),
    "thousand": (250, 250, 500, 500),
    "percent": (25.0, 25.0, 50.0, 50.0),
}


@pytest.mark.parametrize(
    ("order", "values"),
    [
        ("xyxy", (1.0, 2.0, 4.0, 8.0)),
        ("xywh", (1.0, 2.0, 3.0, 6.0)),
        ("yxyx", (2.0, 1.0, 8.0, 4.0)),
        ("xxyy", (1.0, 4.0, 2.0, 8.0)),
    ],
)
def test_orders(order: str, values: tuple[float, ...]) -> None:
    grid = on_grid(np.array([values]), "px", order)  # type: ignore[arg-type]
    assert grid.tolist() == [[1_000_000, 2_000_000, 4_000_000, 8_000_000]]


@pytest.mark.parametrize("reference", SAME)
@pytest.mark.parametrize("prediction", SAME)
def test_a_box_is_the_same_in_every_space(reference: str, prediction: str) -> None:
    """Both edges of the gold box pass through the centroid: only exact conversion hits."""
    x1, y1, x2, y2 = SAME[reference]
    point = ((x1 + x2) / 2, (y1 + y2) / 2)
    gold = boxes([Box(0, 0, (*point, x2, y2))], coords=reference, size=(1920, 1080))
    model = boxes([Box(0, 0, SAME[prediction])], coords=prediction)
    assert count(gold, model)["hits_direct"].sum() == 1


def test_the_size_may_come_from_either_side() -> None:
    gold = boxes(GOLD, coords="px")
    model = boxes([Box(0, 0, SAME["unit"])], coords="unit", size=(1920, 1080))
    assert count(gold, model)["hits_direct"].sum() == 1
    assert count(model, gold)["hits_direct"].sum() == 1


def test_without_a_size_two_spaces_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="width and height"):
        align_boxes(boxes(GOLD), boxes(GOLD, coords="thousand"))


def test_pixels_of_a_resized_video_are_resized_back() -> None:
    gold = boxes(GOLD, size=(1920, 1080))
    half = boxes([Box(0, 0, (240.0, 135.0, 480.0, 270.0))], size=(960, 540))
    assert count(gold, half)["hits_direct"].sum() == 1
    unsized = boxes([Box(0, 0, (240.0, 135.0, 480.0, 270.0))])
    assert count(gold, unsized)["hits_direct"].sum() == 0
