"""Times on a frame grid: a pair whose frames give exactly 3/4 matches, one frame fewer does not."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import segjudge
from segjudge.annotations import Annotations

FPS = [
    Fraction(10), Fraction(24), Fraction(25), Fraction(30000, 1001), Fraction("29.97"),
    Fraction(30), Fraction(60),
]  # fmt: skip
PAIRS = 200_000
EPISODES = 1000


def frames(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return start and end frames of pairs, (n, 2) a side, with 3k frames in common of 4k."""
    k = rng.integers(1, 300, n)
    before = rng.integers(0, k + 1)
    # What sticks out before and after the common part belongs to either side.
    first, last = rng.integers(0, 2, (2, n))
    one = np.stack([before * first, before + 3 * k + (k - before) * last], 1)
    two = np.stack([before * (1 - first), before + 3 * k + (k - before) * (1 - last)], 1)
    return one, two


def seconds(frame: np.ndarray, fps: Fraction) -> np.ndarray:
    """Return times as a file with six decimals gives them, rounded from the exact fraction."""
    micro = Fraction(1_000_000) / fps
    exact = frame.astype(object) * micro.numerator
    whole = (2 * exact + micro.denominator) // (2 * micro.denominator)
    return whole.astype(np.float64) / 1e6


def as_episodes(n: int, gap: int, sides: list[np.ndarray]) -> list[np.ndarray]:
    """Lay pairs one after the other, 200 an episode, far enough apart not to meet."""
    offset = (np.arange(n) % (n // EPISODES) + 1) * gap
    return [side + offset[:, None] for side in sides]


def annotations(frame: np.ndarray, fps: Fraction, epoch: float) -> Annotations:
    times = (seconds(frame, fps) + epoch).tolist()
    per_episode = len(times) // EPISODES
    return Annotations.from_segments(
        (f"e{i // per_episode}", "", start, end, "x") for i, (start, end) in enumerate(times)
    )


def matches(reference: Annotations, prediction: Annotations) -> int:
    report = segjudge.score(reference, prediction, metrics=["segmentation_f1@0.75"])
    return report.metrics["segmentation_f1@0.75"]["matches"]


@pytest.mark.parametrize("fps", FPS, ids=str)
def test_exactly_three_quarters(fps):
    """200,000 in all."""
    n = -(-PAIRS // len(FPS) // EPISODES) * EPISODES
    rng = np.random.default_rng(20261130)
    one, two = as_episodes(n, 2000, list(frames(rng, n)))
    common = np.minimum(one, two)[:, 1] - np.maximum(one, two)[:, 0]
    whole = np.maximum(one, two)[:, 1] - np.minimum(one, two)[:, 0]
    assert np.all(4 * common == 3 * whole)
    for epoch in (0.0, 1_760_000_000.0):
        reference = annotations(one, fps, epoch)
        assert matches(reference, annotations(two, fps, epoch)) == n
    # One frame fewer in common, the outer ends as they were.
    shorter = two.copy()
    starts_inside = two[:, 0] >= one[:, 0]
    shorter[starts_inside, 0] += 1
    ends_inside = ~starts_inside & (two[:, 1] <= one[:, 1])
    shorter[ends_inside, 1] -= 1
    # Where the prediction sticks out on both sides, the reference is cut.
    cut = one.copy()
    cut[~starts_inside & ~ends_inside, 0] += 1
    common = np.minimum(cut, shorter)[:, 1] - np.maximum(cut, shorter)[:, 0]
    whole = np.maximum(cut, shorter)[:, 1] - np.minimum(cut, shorter)[:, 0]
    assert np.all(4 * common <= 3 * whole - 1)
    assert matches(annotations(cut, fps, 0.0), annotations(shorter, fps, 0.0)) == 0


def test_through_a_file(tmp_path: Path):
    """The same on the way that a user's files take."""
    fps, n = Fraction(30000, 1001), 2000
    one, two = frames(np.random.default_rng(1), n)
    for name, side in (("reference", one), ("prediction", two)):
        rows = "\n".join(f"e{i},{s:.6f},{e:.6f},x" for i, (s, e) in enumerate(seconds(side, fps)))
        (tmp_path / f"{name}.csv").write_text(f"episode,start,end,label\n{rows}\n")
    report = segjudge.score(
        tmp_path / "reference.csv", tmp_path / "prediction.csv", metrics=["segmentation_f1@0.75"]
    )
    assert report.metrics["segmentation_f1@0.75"]["matches"] == n
    near = [item for item in report.findings if item.code == "near_threshold"]
    assert [item.count for item in near] == [n]


def test_whole_milliseconds_need_the_wider_slack():
    fps, n = Fraction(30), 2000
    one, two = frames(np.random.default_rng(2), n)
    sides = [np.round(seconds(side, fps), 3).tolist() for side in (one, two)]
    reference, prediction = (
        Annotations.from_segments((f"e{i}", "", *times, "x") for i, times in enumerate(side))
        for side in sides
    )
    found = {}
    for resolution in ("us", "ms"):
        report = segjudge.score(
            reference, prediction, metrics=["segmentation_f1@0.75"], resolution=resolution
        )
        found[resolution] = report.metrics["segmentation_f1@0.75"]["matches"]
    assert found["ms"] == n
    assert found["us"] < n
