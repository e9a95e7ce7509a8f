"""Chance that is the same everywhere: a number for each segment, by seed, episode and track.

Nothing is drawn from a stream, so leaving an episode out, or another order of rows, changes no
other number.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import numpy.typing as npt

from segjudge.annotations import Annotations, Int64

UInt64 = npt.NDArray[np.uint64]


def noise(annotations: Annotations, seed: int, of: Int64) -> UInt64:
    """Return 64 random bits a segment, the same for equal (seed, episode id, track, value).

    Parameters
    ----------
    annotations : Annotations
    seed : int
    of : ndarray of int64, shape (n,)
        What tells the segments of one episode and track apart.

    Returns
    -------
    ndarray of uint64, shape (n,)
    """
    groups, place = np.unique(annotations.group, return_inverse=True)
    n = max(len(annotations.tracks), 1)
    names = [(annotations.episodes[g // n], annotations.tracks[g % n]) for g in groups.tolist()]
    text = (f"{seed}\0{episode}\0{track}" for episode, track in names)
    base = [int.from_bytes(sha256(t.encode("utf-8", "surrogatepass")).digest()[:8]) for t in text]
    return _mixed(np.array(base, np.uint64)[place] ^ _mixed(of.astype(np.uint64)))


def _mixed(bits: UInt64) -> UInt64:
    """Return splitmix64 of each number."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
