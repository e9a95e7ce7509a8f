"""How fast and how lean is a score, against the bare join and what people write by hand?

Prints a table: seconds, and their ratio to a bare searchsorted join of the same segments, which
finds the overlapping pairs and nothing else. All times are the best of a few runs in turns.

Run: python benchmarks/scoring.py
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from segjudge.annotations import Annotations, EpisodeTable, align
from segjudge.jmatrix import JMatrix
from segjudge.metrics import Comparison, Metric, evaluate, make, ratio
from segjudge.overlaps import join

EPISODES, PER_SIDE = 15_000, 20
REFERENCE_LABELS, PREDICTION_LABELS = 200, 100
ROUNDS = 5

Array = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Data:
    """Two sides, and answers: the same in columns and as plain Python."""

    reference: Annotations
    prediction: Annotations
    judgments: JMatrix
    accepted: npt.NDArray[np.bool_]

    @property
    def segments(self) -> int:
        return len(self.reference) + len(self.prediction)

    def context(self) -> npt.NDArray[np.int32]:
        return np.zeros(len(self.reference.episodes), np.int32)


def data(episodes: int, per_side: int, jitter: int = 0, seed: int = 0) -> Data:
    """Random partitions of episodes of up to 200 s; half of all label pairs are permissible.

    With `jitter`, the prediction's cuts are the reference's, moved by up to so many microseconds,
    and a tenth of its segments reach over the next one.
    """
    rng = np.random.default_rng(seed)
    duration = rng.integers(20_000_000, 200_000_000, episodes)
    cuts = np.sort((rng.random((episodes, per_side - 1)) * duration[:, None]).astype(np.int64))
    other = np.sort((rng.random((episodes, per_side - 1)) * duration[:, None]).astype(np.int64))
    over = np.zeros((episodes, per_side), np.int64)
    if jitter:
        other = np.sort(np.clip(cuts + rng.integers(-jitter, jitter, cuts.shape), 0, None))
        over = (rng.random(over.shape) < 0.1) * rng.integers(0, 5_000_000, over.shape)
    labels = [f"reference {i:03d}" for i in range(REFERENCE_LABELS)]
    labels += [f"zprediction {i:03d}" for i in range(PREDICTION_LABELS)]
    words = [
        rng.integers(0, REFERENCE_LABELS, (episodes, per_side)),
        REFERENCE_LABELS + rng.integers(0, PREDICTION_LABELS, (episodes, per_side)),
    ]
    none = np.zeros_like(over)
    accepted = rng.random((REFERENCE_LABELS, PREDICTION_LABELS)) < 0.5
    a, b = np.indices(accepted.shape).reshape(2, -1)
    yes = accepted.ravel().astype(np.int8)
    return Data(
        side(duration, cuts, none, words[0], labels),
        side(duration, other, over, words[1], labels),
        JMatrix(len(labels), a, b + REFERENCE_LABELS, yes, yes),
        accepted,
    )


def side(duration: Array, cuts: Array, over: Array, words: Array, labels: list[str]) -> Annotations:
    """Return the columns of one side, in canonical order as `align` leaves them."""
    episodes, per_side = words.shape
    start = np.concatenate((np.zeros((episodes, 1), np.int64), cuts), axis=1)
    end = np.concatenate((cuts, duration[:, None]), axis=1) + over
    return Annotations(
        np.repeat(np.arange(episodes, dtype=np.int32), per_side),
        np.zeros(words.size, np.int32),
        start.ravel(),
        np.maximum(start, end).ravel(),
        words.ravel().astype(np.int32),
        tuple(f"e{i:07d}" for i in range(episodes)),
        ("",),
        tuple(labels),
        EpisodeTable.empty(episodes),
    )


def bare_join(these: Data) -> tuple[Array, Array, Array]:
    """Find the overlapping pairs with the usual offset of each episode; for partitions only."""
    left, right = these.reference, these.prediction
    stride = max(int(left.end.max()), int(right.end.max())) + 1
    lshift, rshift = (side.episode.astype(np.int64) * stride for side in (left, right))
    lstart, lend = left.start + lshift, left.end + lshift
    rstart, rend = right.start + rshift, right.end + rshift
    low = np.searchsorted(rend, lstart, "right")
    high = np.searchsorted(rstart, lend, "left")
    count = np.maximum(high - low, 0)
    i = np.repeat(np.arange(len(lstart)), count)
    j = np.arange(len(i)) + np.repeat(low - (np.cumsum(count) - count), count)
    return i, j, np.minimum(lend[i], rend[j]) - np.maximum(lstart[i], rstart[j])


METRICS: tuple[Metric, ...] = (make("psj"), make("semantic_f1@0.75"))


def ours(these: Data) -> tuple[float, float]:
    """Join, psj and semantic F1 of aligned columns in memory."""
    return values(
        Comparison(
            these.reference,
            these.prediction,
            join(these.reference, these.prediction),
            these.context(),
        ),
        these,
    )


def ours_aligning(these: Data) -> tuple[float, float]:
    """The same from two sides that nothing is known of."""
    return values(Comparison.of(these.reference, these.prediction), these)


def values(comparison: Comparison, these: Data) -> tuple[float, float]:
    """Evaluate both metrics over the corpus."""
    found = []
    for metric in METRICS:
        sums = evaluate(metric, comparison, these.judgments).low
        whole = {name: column.sum(keepdims=True) for name, column in sums.items()}
        found.append(float(ratio(whole, metric.ratios["value"])[0]))
    return found[0], found[1]


Episode = list[tuple[int, int, int]]


def by_episode(annotations: Annotations) -> list[Episode]:
    """Return each episode as a list of (start, end, label), as files hold it."""
    rows = zip(
        annotations.start.tolist(), annotations.end.tolist(), annotations.label.tolist(),
        strict=True,
    )  # fmt: skip
    whole = list(rows)
    cuts = np.searchsorted(annotations.episode, np.arange(len(annotations.episodes) + 1)).tolist()
    return [whole[a:b] for a, b in pairwise(cuts)]


def plain_python(
    references: list[Episode], predictions: list[Episode], accepted: set[tuple[int, int]]
) -> tuple[float, float]:
    """Score one episode after the other: sweep, union of intervals, augmenting paths."""
    credit = length = matches = segments = 0
    for reference, prediction in zip(references, predictions, strict=True):
        covers_r: list[list[tuple[int, int]]] = [[] for _ in reference]
        covers_p: list[list[tuple[int, int]]] = [[] for _ in prediction]
        edges: list[list[int]] = [[] for _ in reference]
        first = 0
        for i, (start, end, label) in enumerate(reference):
            while first < len(prediction) and prediction[first][1] <= start:
                first += 1
            for j in range(first, len(prediction)):
                s, e, other = prediction[j]
                if s >= end:
                    break
                low, high = max(s, start), min(e, end)
                if high > low and (label, other) in accepted:
                    covers_r[i].append((low, high))
                    covers_p[j].append((low, high))
                    inter = high - low
                    if 4 * inter + 7 >= 3 * (end - start + e - s - inter):
                        edges[i].append(j)
        credit += sum(map(union, covers_r)) + sum(map(union, covers_p))
        length += sum(e - s for s, e, _ in reference) + sum(e - s for s, e, _ in prediction)
        owner: dict[int, int] = {}
        matches += sum(augment(i, edges, owner, set()) for i in range(len(edges)) if edges[i])
        segments += len(reference) + len(prediction)
    return credit / length, 2 * matches / segments


def union(pieces: list[tuple[int, int]]) -> int:
    """Return the length of the union of pieces."""
    total, reached = 0, -1
    for start, end in sorted(pieces):
        if end > reached:
            total += end - max(start, reached)
            reached = end
    return total


def augment(i: int, edges: list[list[int]], owner: dict[int, int], seen: set[int]) -> bool:
    """Find a free partner for a row, moving others if need be."""
    for j in edges[i]:
        if j not in seen:
            seen.add(j)
            if j not in owner or augment(owner[j], edges, owner, seen):
                owner[j] = i
                return True
    return False


def numpy_by_episode(these: Data) -> tuple[float, float]:
    """Score one episode after the other with a small matrix each, and scipy's assignment."""
    from scipy.optimize import linear_sum_assignment

    left, right = these.reference, these.prediction
    episodes = np.arange(len(left.episodes) + 1)
    lcut, rcut = np.searchsorted(left.episode, episodes), np.searchsorted(right.episode, episodes)
    credit = length = matches = 0
    for row in range(len(left.episodes)):
        a, b = slice(lcut[row], lcut[row + 1]), slice(rcut[row], rcut[row + 1])
        s, e, t, f = left.start[a], left.end[a], right.start[b], right.end[b]
        inter = np.minimum(e[:, None], f) - np.maximum(s[:, None], t)
        inter = np.maximum(inter, 0)
        yes = these.accepted[left.label[a][:, None], right.label[b] - REFERENCE_LABELS]
        # No side overlaps itself here, so the union is the sum.
        credit += 2 * int((inter * yes).sum())
        length += int((e - s).sum() + (f - t).sum())
        union = (e - s)[:, None] + (f - t) - inter
        edge = (inter > 0) & yes & (4 * inter + 7 >= 3 * union)
        if edge.any():
            i, j = linear_sum_assignment(edge, maximize=True)
            matches += int(edge[i, j].sum())
    return credit / length, 2 * matches / (len(left) + len(right))


def best(runs: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the shortest time of each, run in turns so that a busy machine is fair to all."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            gc.collect()
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: min(own) for name, own in times.items()}


def line(name: str, took: float, against: float, note: str = "") -> None:
    """Print a row of the table."""
    print(f"{name:58}{took:10.3f}{took / against:10.2f}  {note}".rstrip())


def speed() -> None:
    """Time a corpus, what people write, ten times as much, and long episodes."""
    whole = data(EPISODES, PER_SIDE)
    runs: dict[str, Callable[[], object]] = {
        "bare join": lambda: bare_join(whole),
        "join": lambda: join(whole.reference, whole.prediction),
        "ours": lambda: ours(whole),
        "aligning": lambda: ours_aligning(whole),
        "align": lambda: align(whole.reference, whole.prediction),
    }
    took = best(runs)
    pairs = len(bare_join(whole)[0])
    bare = took["bare join"]
    print(f"{EPISODES:,} episodes of {PER_SIDE} + {PER_SIDE} segments, {pairs:,} pairs overlap,")
    print(f"{whole.accepted.size:,} distinct label pairs, half of them permissible\n")
    print(f"{'':58}{'seconds':>10}{'ratio':>10}")
    line("bare searchsorted join", bare, bare)
    line("our join, right where sides overlap themselves", took["join"], bare)
    line("join + psj + semantic_f1", took["ours"], bare, "aim: at most 6")
    line("the same, aligning first", took["aligning"], bare)
    line("  of which align", took["align"], bare)
    near = data(EPISODES, PER_SIDE, jitter=1_500_000)
    line("join + psj + semantic_f1, prediction near and overlapping",
         best({"": lambda: ours(near)}, 3)[""], bare)  # fmt: skip

    lists = by_episode(whole.reference), by_episode(whole.prediction)
    i, j = np.nonzero(whole.accepted)
    accepted = set(zip(i.tolist(), (j + REFERENCE_LABELS).tolist(), strict=True))
    by_hand = best(
        {
            "python": lambda: plain_python(*lists, accepted),
            "numpy": lambda: numpy_by_episode(whole),
        },
        2,
    )
    figures = ours(whole), plain_python(*lists, accepted), numpy_by_episode(whole)
    agree = (
        "same figures" if np.allclose(figures[0], figures[1:], rtol=0, atol=1e-12) else str(figures)
    )
    line("one episode after the other, plain Python", by_hand["python"], bare,
         f"{by_hand['python'] / took['ours']:.1f} times ours; {agree}")  # fmt: skip
    line("one episode after the other, numpy", by_hand["numpy"], bare,
         f"{by_hand['numpy'] / took['ours']:.1f} times ours")  # fmt: skip

    print("\ngrowth from a tenth of it, and to ten times as much")
    print(f"{'':58}{'bare':>10}{'ours':>10}")
    for name, factor in (("a tenth", 0.1), ("ten times", 10)):
        other = data(int(EPISODES * factor), PER_SIDE, seed=1)
        grown = best({"bare": lambda d=other: bare_join(d), "ours": lambda d=other: ours(d)}, 3)
        bare_growth, our_growth = grown["bare"] / bare, grown["ours"] / took["ours"]
        if factor < 1:
            bare_growth, our_growth = 1 / bare_growth, 1 / our_growth
        print(f"{name:58}{bare_growth:10.2f}{our_growth:10.2f}  "
              f"ours / bare {our_growth / bare_growth:.2f} (aim: at most 1.3)")  # fmt: skip
        del other

    print("\nlong episodes: time in proportion to segments and pairs, not to their square")
    print(f"{'':58}{'seconds':>10}{'segments':>10}{'pairs':>10}")
    episodes = EPISODES * PER_SIDE // 2000
    for name, these in (
        (f"{EPISODES:,} episodes of {PER_SIDE} + {PER_SIDE}", whole),
        (f"{episodes} episodes of 2,000 + 2,000", data(episodes, 2000)),
        ("the same, prediction near and overlapping", data(episodes, 2000, jitter=15_000)),
        (f"{episodes} episodes of 2,000 + 2,000, the first over all others",
         covered(data(episodes, 2000))),
    ):  # fmt: skip
        once = best({"": lambda d=these: ours(d)}, 3)[""]
        pairs = len(join(these.reference, these.prediction))
        print(f"{name:58}{once:10.3f}{these.segments:10,}{pairs:10,}")


def covered(these: Data) -> Data:
    """Let the first segment of each episode, on either side, span all others."""
    for one in (these.reference, these.prediction):
        first = np.flatnonzero(np.diff(one.episode, prepend=-1))
        one.end[first] = np.maximum.reduceat(one.end, first)
    return these


CHILD = """
import sys
import segjudge.cli
if len(sys.argv) > 1:
    try:
        segjudge.cli.main()
    except SystemExit as done:
        if done.code:
            raise
try:
    with open("/proc/self/status") as status:
        peak = int(next(line.split()[1] for line in status if line.startswith("VmHWM")))
except OSError:  # not Linux; there it would count what the parent held when it forked
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak //= 1024 if sys.platform == "darwin" else 1
print(peak, file=sys.stderr)
"""


def peak_kib(*arguments: str) -> int:
    """Return the peak resident size of a command in KiB; of a bare import without arguments."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return int(done.stderr.splitlines()[-1])


def memory() -> None:
    """Measure the whole command on files of 300,000 + 300,000 segments."""
    whole = data(EPISODES, PER_SIDE)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("reference.jsonl", "prediction.jsonl")]
        for path, annotations in zip(files, (whole.reference, whole.prediction), strict=True):
            write(path, annotations)
        said = Path(folder) / "judgments.jsonl"
        labels = whole.reference.labels
        with said.open("w") as stream:
            for (i, j), yes in np.ndenumerate(whole.accepted):
                judgment = {
                    "label_a": labels[i],
                    "label_b": labels[REFERENCE_LABELS + j],
                    "verdict": "same" if yes else "different",
                    "judge": "benchmark",
                }
                stream.write(json.dumps(judgment) + "\n")
        command = ["score", *map(str, files), "--judgments", str(said)]
        start = time.perf_counter()
        peak = peak_kib(*command)
        took = time.perf_counter() - start
        written = peak_kib(*command, "--json", str(Path(folder) / "report.json"))
    least = peak_kib()
    print(f"\npeak memory of `segjudge score` on {whole.segments:,} segments, {took:.1f} s")
    for name, kib in (("score", peak), ("score --json", written)):
        a_segment = (kib - least) * 1024 / whole.segments
        print(f"{name:58}{kib / 1024:9.0f}M{a_segment:10.0f} bytes a segment beyond the import "
              f"({least / 1024:.0f}M; aim: at most 600)")  # fmt: skip


def write(path: Path, annotations: Annotations) -> None:
    """Write annotations in our own format."""
    with path.open("w") as stream:
        for name, rows in zip(annotations.episodes, by_episode(annotations), strict=True):
            segments = [
                {"start": s / 1e6, "end": e / 1e6, "label": annotations.labels[label]}
                for s, e, label in rows
            ]
            stream.write(json.dumps({"id": name, "segments": segments}) + "\n")


if __name__ == "__main__":
    memory()
    speed()
