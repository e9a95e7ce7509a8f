"""Small corpora for tests: builders, and strategies on grids so coarse that ties occur."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
from hypothesis import strategies as st
from oracle import Segment

from segjudge.annotations import Annotations, EpisodeTable, Vocabulary
from segjudge.jmatrix import JMatrix
from segjudge.judgments import Judgment, Verdict
from segjudge.metrics import Comparison

EPISODES = ("b", "a", "é")
TRACKS = ("", "left")
LABELS = ("pour", "stir", "wash", "拿起杯子")

#: Answers by unordered pair of labels: (permissible, same).
Answers = Mapping[frozenset[str], tuple[int, int]]


def annotations(
    segments: Sequence[Segment],
    episodes: Sequence[str] = EPISODES,
    **fields: Sequence[str],
) -> Annotations:
    """Build annotations row by row, in the order given; keywords become fields of the table."""
    ids, tracks, labels = Vocabulary(episodes), Vocabulary(), Vocabulary()
    rows = [(ids[s.episode], tracks[s.track], labels[s.label]) for s in segments]
    index = np.array(rows, np.int32).reshape(-1, 3)
    times = np.array([(s.start, s.end) for s in segments], np.int64).reshape(-1, 2)
    table = replace(
        EpisodeTable.empty(len(ids)), fields={name: tuple(v) for name, v in fields.items()}
    )
    return Annotations(
        index[:, 0].copy(),
        index[:, 1].copy(),
        times[:, 0].copy(),
        times[:, 1].copy(),
        index[:, 2].copy(),
        tuple(ids),
        tuple(tracks),
        tuple(labels),
        table,
    )


def seconds(*rows: tuple[float, float, str], episode: str = "a", track: str = "") -> list[Segment]:
    """Write segments of one track in seconds."""
    return [Segment(episode, track, round(s * 1e6), round(e * 1e6), name) for s, e, name in rows]


def segments_of(side: Annotations) -> list[Segment]:
    """Return annotations as tuples, row by row."""
    return [
        Segment(
            side.episodes[side.episode[i]],
            side.tracks[side.track[i]],
            int(side.start[i]),
            int(side.end[i]),
            side.labels[side.label[i]],
        )
        for i in range(len(side))
    ]


def compare(reference: Sequence[Segment], prediction: Sequence[Segment]) -> Comparison:
    return Comparison.of(annotations(reference), annotations(prediction))


def matrix(comparison: Comparison, answers: Answers) -> JMatrix:
    """Return answers by label as answers by index."""
    labels = comparison.reference.labels
    place = {label: i for i, label in enumerate(labels)}
    rows = [
        (*sorted(place[label] for label in (*pair, *pair)[:2]), *both)
        for pair, both in answers.items()
        if pair <= place.keys()
    ]
    columns = np.array(rows, np.int64).reshape(-1, 4)
    return JMatrix(len(labels), columns[:, 0], columns[:, 1], columns[:, 2], columns[:, 3])


def accepting(answers: Answers, which: str = "permissible") -> Callable[[str, str], bool]:
    """Return the oracle's reading of answers: unknown is not accepted."""
    column = 0 if which == "permissible" else 1
    return lambda a, b: answers.get(frozenset((a, b)), (-1, -1))[column] == 1


def label_pairs(labels: Sequence[str] = LABELS) -> list[frozenset[str]]:
    return [frozenset(pair) for pair in combinations_with_replacement(labels, 2)]


@st.composite
def _segment(
    draw: st.DrawFn, episodes: Sequence[str], tracks: Sequence[str], last: int, unit: int
) -> Segment:
    start = draw(st.integers(0, last))
    end = draw(st.integers(start, last))
    return Segment(
        draw(st.sampled_from(episodes)),
        draw(st.sampled_from(tracks)),
        start * unit,
        end * unit,
        draw(st.sampled_from(LABELS)),
    )


def sides(
    most: int = 8,
    episodes: Sequence[str] = EPISODES,
    tracks: Sequence[str] = TRACKS,
    last: int = 8,
    unit: int = 250_000,
) -> st.SearchStrategy[list[Segment]]:
    """Segments that overlap themselves, touch, repeat and collapse to nothing."""
    return st.lists(_segment(episodes, tracks, last, unit), max_size=most)


def answers(
    values: Sequence[tuple[int, int]] = ((1, 1), (1, 0), (0, 0)),
) -> st.SearchStrategy[dict[frozenset[str], tuple[int, int]]]:
    """An answer for every pair of labels."""
    return st.fixed_dictionaries({pair: st.sampled_from(values) for pair in label_pairs()})


#: Every metric there is with every option, and some of them at a low and at a high threshold.
EVERY_METRIC = (
    "psj",
    "psj_same",
    *(
        f"{name}@0.5,snap={snap},order={order}"
        for name in ("semantic_f1", "semantic_f1_same")
        for snap in ("none", "outer")
        for order in ("joint", "temporal_first")
    ),
    *(
        name
        for theta in ("0.1", "0.75")
        for name in (f"semantic_f1@{theta}", f"semantic_f1_same@{theta},snap=outer")
    ),
    *(f"segmentation_f1@{theta},snap=outer" for theta in ("0.1", "0.75")),
    "segmentation_f1@0.5",
)

_VERDICTS = {
    (1, 1): Verdict.SAME,
    (1, 0): Verdict.PART,
    (0, 0): Verdict.DIFFERENT,
    (1, -1): Verdict.PERMISSIBLE,
    (-1, 0): Verdict.NOT_SAME,
}


def judgments(given: Answers, judge: str = "authors") -> list[Judgment]:
    """Return answers as recorded judgments; pairs of which nothing is known have none."""
    return [
        Judgment(label_a=min(pair), label_b=max(pair), verdict=_VERDICTS[both], judge=judge)
        for pair, both in given.items()
        if both in _VERDICTS
    ]
