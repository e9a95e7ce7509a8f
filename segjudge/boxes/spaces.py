"""Coordinates: what they are given in, in which order, and the grid they are kept on.

Coordinates are whole numbers on a decimal grid, so that a centroid on an edge is exactly there:
millionths of a pixel for ``px``; thousand-millionths of the frame for ``unit``, ``percent`` and
``thousand``, which are therefore one space. Decimals beyond the grid are rounded.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from segjudge.annotations import Float, Int64

Coords = Literal["px", "unit", "thousand", "percent"]
Order = Literal["xyxy", "xywh", "yxyx", "xxyy"]
Space = Literal["px", "frame"]

COORDS: tuple[Coords, ...] = get_args(Coords)
ORDERS: tuple[Order, ...] = get_args(Order)

#: Space of what is given, and steps of its grid to one of what is given.
_GRID: dict[Coords, tuple[Space, int]] = {
    "px": ("px", 10**6),
    "unit": ("frame", 10**9),
    "percent": ("frame", 10**7),
    "thousand": ("frame", 10**6),
}

#: Steps of the grid to the whole frame, and to a pixel.
FRAME, PIXEL = 10**9, 10**6

#: No coordinate lies further from 0: 100,000 pixels, or 100 frames.
LARGEST = 10**11

#: Where x1, y1, x2, y2 stand in each order; in xywh the last two are width and height.
_PLACES: dict[Order, list[int]] = {
    "xyxy": [0, 1, 2, 3],
    "xywh": [0, 1, 2, 3],
    "yxyx": [1, 0, 3, 2],
    "xxyy": [0, 2, 1, 3],
}


def space_of(coords: Coords) -> Space:
    """Return the space that coordinates are kept in."""
    return _GRID[coords][0]


def on_grid(values: Float, coords: Coords, order: Order) -> Int64:
    """Return boxes as x1, y1, x2, y2 on the grid of their space.

    Parameters
    ----------
    values : ndarray of float64, shape (n, 4)
        Finite.
    coords : {"px", "unit", "thousand", "percent"}
    order : {"xyxy", "xywh", "yxyx", "xxyy"}

    Returns
    -------
    ndarray of int64, shape (n, 4)
        A coordinate beyond `LARGEST` becomes one just beyond it.
    """
    grid = np.clip(np.rint(values * _GRID[coords][1]), -LARGEST - 1, LARGEST + 1)
    corners = grid.astype(np.int64)[:, _PLACES[order]]
    if order == "xywh":
        corners[:, 2:] += corners[:, :2]
    return corners


def scaled(corners: Int64, times: npt.ArrayLike, by: npt.ArrayLike) -> Int64:
    """Return ``corners * times / by``, rounded to whole numbers, half of one upwards.

    Parameters
    ----------
    corners : ndarray of int64, shape (n, 4)
    times, by : array_like of int64, broadcast to (n, 4)
        At most 1,000,000 and 2**61.
    """
    times, by = np.asarray(times, np.int64), np.asarray(by, np.int64)
    return np.asarray((2 * corners * times + by) // (2 * by), np.int64)
