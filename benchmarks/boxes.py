"""How long does CHF take on a corpus of EgoHome's size, against reading the same boxes?

137 clips of 1,860 frames, two hands: 509,640 boxes, and as many of a model. Prints seconds, and
their ratio to what orjson takes to parse the file.

Run: python benchmarks/boxes.py
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from segjudge.boxes import Boxes, align_boxes, on_frames
from segjudge.formats.boxes import read_boxes
from segjudge.metrics.centroid_hits import centroid_hits

CLIPS, FRAMES, FPS = 137, 1860, 30


def rows(every: int) -> list[dict[str, Any]]:
    """Return invented rows, a box a hand on every n-th frame: two slow walks over the frame."""
    stream = np.random.default_rng(0)
    found = []
    for clip in range(CLIPS):
        centre = 500 + np.cumsum(stream.normal(0, 4, (FRAMES, 2, 2)), axis=0)
        corners = np.concatenate((centre - 60, centre + 60), axis=2).round(1)
        left, right = corners[:, 0].tolist(), corners[:, 1].tolist()
        entries = [
            {"t": round(f / FPS, 3), "left": left[f], "right": right[f]}
            for f in range(0, FRAMES, every)
        ]
        about = {"clip_id": f"{clip:012x}_000", "duration_sec": FRAMES / FPS, "fps": FPS}
        found.append({**about, "hand_boxes": entries})
    return found


def score(reference: Boxes, prediction: Boxes) -> float:
    """Compute CHF of two sides as they were read."""
    reference, prediction = align_boxes(reference, prediction)
    clips = reference.clips
    parts = centroid_hits(on_frames(reference, clips), on_frames(prediction, clips), clips)
    total = {name: int(column.sum()) for name, column in parts.items()}
    outside = total["outside_direct"] + total["outside_interpolated"]
    hits = total["hits_direct"] + total["hits_interpolated"]
    return hits / (total["reference_boxes"] + outside)


def seconds(run: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest of a few runs, without Python's search for cycles."""
    gc.disable()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    gc.enable()
    return min(times)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.json"
        path.write_bytes(orjson.dumps(rows(1)))
        data = path.read_bytes()
        reading = seconds(lambda: orjson.loads(data))
        ours = seconds(lambda: read_boxes(path, coords="thousand"), 2)
        every = read_boxes(path, coords="thousand")
        path.write_bytes(orjson.dumps(rows(30)))
        sparse = read_boxes(path, coords="thousand")
    dense_time = seconds(lambda: score(every, every))
    sparse_time = seconds(lambda: score(every, sparse))
    print(f"{len(every):,} boxes, {len(data) / 1e6:.0f} MB of JSON")
    print(f"{'':34}seconds  to orjson")
    for name, took in (
        ("orjson parses the file", reading),
        ("we read it into columns", ours),
        ("CHF, a model box on every frame", dense_time),
        ("CHF, a model box a second", sparse_time),
        ("read one side and CHF", ours + dense_time),
    ):
        print(f"{name:34}{took:7.3f}  {took / reading:8.2f}")


if __name__ == "__main__":
    main()
