"""The floors that lay labels over timelines: which, where, and up to where."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from corpora import segments_of
from trivial import corpus

from segjudge.annotations import Annotations
from segjudge.baselines import GENERIC, baseline, constants
from segjudge.errors import InputError, UsageError

ROWS = [
    ("a", "", 1, 3, "cut"),
    ("a", "", 3, 9, "stir"),
    ("a", "", 9, 14, "cut"),
    ("b", "", 0, 4, "wash"),
]


def laid(side: Annotations) -> list[tuple[str, str, float, float, str]]:
    return sorted(
        (s.episode, s.track, s.start / 1e6, s.end / 1e6, s.label) for s in segments_of(side)
    )


def with_durations(side: Annotations, *seconds: float) -> Annotations:
    duration = np.array([round(s * 1e6) for s in seconds], np.int64)
    return replace(side, table=replace(side.table, duration=duration))


def test_a_timeline_ends_with_the_duration_or_else_with_the_last_segment() -> None:
    reference = with_durations(corpus(ROWS), 20, -1e-6)
    assert laid(constants.constant(reference)) == [
        ("a", "", 0, 20, GENERIC),
        ("b", "", 0, 4, GENERIC),
    ]


def test_a_duration_may_cut_the_reference_short() -> None:
    reference = with_durations(corpus(ROWS), 10, 0)
    assert laid(constants.constant(reference)) == [("a", "", 0, 10, GENERIC)]


def test_windows_cut_the_last_one() -> None:
    reference = corpus([("a", "", 0, 6, "cut")])
    assert laid(constants.windows(reference, label="x")) == [
        ("a", "", 0, 2.5, "x"),
        ("a", "", 2.5, 5, "x"),
        ("a", "", 5, 6, "x"),
    ]
    assert laid(baseline("windows,seconds=3,label=x").make(reference)) == [
        ("a", "", 0, 3, "x"),
        ("a", "", 3, 6, "x"),
    ]


def test_windows_over_an_epoch_clock_are_refused() -> None:
    reference = corpus([("a", "", 1.8e9, 1.8e9 + 5, "cut")])
    with pytest.raises(InputError, match="begin at 0"):
        constants.windows(reference)


def test_hands_get_a_constant_each() -> None:
    rows = [("a", "left", 0, 2, "cut"), ("a", "right", 0, 4, "cut"), ("b", "right", 0, 3, "cut")]
    assert [row[:4] for row in laid(constants.constant(corpus(rows)))] == [
        ("a", "left", 0, 4),
        ("a", "right", 0, 4),
        ("b", "left", 0, 3),
        ("b", "right", 0, 3),
    ]


def test_a_hand_that_the_corpus_never_uses_stays_empty() -> None:
    assert [row[1] for row in laid(constants.constant(corpus([("a", "left", 0, 2, "cut")])))] == [
        "left"
    ]


def test_single_timelines_and_hands_may_stand_in_one_file() -> None:
    rows = [("a", "", 0, 2, "cut"), ("b", "left", 0, 3, "cut"), ("c", "right", 0, 4, "cut")]
    assert [row[:2] for row in laid(constants.constant(corpus(rows)))] == [
        ("a", ""),
        ("b", "left"),
        ("b", "right"),
        ("c", "left"),
        ("c", "right"),
    ]


def test_an_episode_without_segments_gets_the_tracks_of_the_others() -> None:
    rows = [("b", "left", 0, 3, "cut"), ("c", "right", 0, 4, "cut")]
    side = Annotations.from_segments(rows, episodes=("a", "b", "c"))
    reference = with_durations(side, 5, 5, 5)
    assert [row[:4] for row in laid(constants.constant(reference))][:2] == [
        ("a", "left", 0, 5),
        ("a", "right", 0, 5),
    ]


def test_a_corpus_without_segments_has_timelines_all_the_same() -> None:
    reference = with_durations(Annotations.from_segments([], episodes=("a",)), 5)
    assert laid(constants.constant(reference)) == [("a", "", 0, 5, GENERIC)]
    for name in ("longest", "longest,by=corpus", "longest,by=segment", "shotgun", "borrowed"):
        assert laid(baseline(name).make(reference)) == []


def test_longest_by_label_by_segment_and_by_corpus() -> None:
    reference = corpus([*ROWS, ("b", "", 4, 7, "cut")])
    assert laid(constants.longest(reference)) == [("a", "", 0, 14, "cut"), ("b", "", 0, 7, "wash")]
    by_segment = [("a", "", 0, 14, "stir"), ("b", "", 0, 7, "wash")]
    assert laid(constants.longest(reference, "segment")) == by_segment
    by_corpus = [("a", "", 0, 14, "cut"), ("b", "", 0, 7, "cut")]
    assert laid(constants.longest(reference, "corpus")) == by_corpus


@pytest.mark.parametrize("by", ["label", "segment", "corpus"])
def test_longest_gives_a_tie_to_the_label_seen_first(by: str) -> None:
    rows = [("a", "", 4, 8, "cut"), ("a", "", 0, 4, "wash")]
    for order in (rows, rows[::-1]):
        assert laid(constants.longest(corpus(order), by)) == [("a", "", 0, 8, "wash")]


def test_longest_takes_each_track_for_itself() -> None:
    rows = [("a", "left", 0, 5, "hold"), ("a", "right", 0, 9, "cut"), ("b", "left", 0, 1, "wash")]
    assert laid(constants.longest(corpus(rows))) == [
        ("a", "left", 0, 9, "hold"),
        ("a", "right", 0, 9, "cut"),
        ("b", "left", 0, 1, "wash"),
    ]


def test_instruction_whole_and_in_windows() -> None:
    reference = corpus([("a", "", 0, 4, "cut")], instruction=" Make tea. ")
    assert laid(constants.instruction(reference)) == [("a", "", 0, 4, "Make tea.")]
    assert laid(baseline("instruction,windows=2.5").make(reference)) == [
        ("a", "", 0, 2.5, "Make tea."),
        ("a", "", 2.5, 4, "Make tea."),
    ]


def test_an_episode_without_instruction_stays_empty() -> None:
    side = corpus(ROWS)
    table = replace(side.table, fields={"instruction": (None, "wash up"), "n": (1, 2)})
    reference = replace(side, table=table)
    assert laid(constants.instruction(reference)) == [("b", "", 0, 4, "wash up")]
    assert laid(constants.instruction(reference, "n")) == []
    assert laid(constants.instruction(side)) == []


def test_shotgun_layers_the_labels_with_most_time() -> None:
    reference = corpus(ROWS)
    assert laid(constants.shotgun(reference, 2)) == [
        ("a", "", 0, 14, "cut"),
        ("a", "", 0, 14, "stir"),
        ("b", "", 0, 4, "cut"),
        ("b", "", 0, 4, "stir"),
    ]
    assert len(constants.shotgun(reference, 8)) == 6
    own = baseline("shotgun,labels=x; y, z").make(reference)
    assert own.labels == ("x", "y, z")


def test_a_baseline_keeps_the_durations_and_nothing_else_of_the_episodes() -> None:
    reference = with_durations(corpus(ROWS, instruction="cook"), 20, 30)
    for name in ("constant", "windows", "longest", "instruction", "borrowed", "shotgun", "empty"):
        made = baseline(name).make(reference)
        assert made.episodes == reference.episodes
        assert made.table.duration.tolist() == [20_000_000, 30_000_000]
        assert not made.table.fields
        assert made.source is None


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("constant", "constant"),
        ("constant,label=hold", "constant,label=hold"),
        ("constant,label=cut, stir and serve", "constant,label=cut, stir and serve"),
        ("windows,seconds=2.50", "windows"),
        ("windows,seconds=10.0,label=x", "windows,seconds=10,label=x"),
        ("windows,label=x,seconds=5", "windows,seconds=5,label=x"),
        ("longest,by=label", "longest"),
        ("longest,by=corpus", "longest,by=corpus"),
        ("instruction,windows=2.5", "instruction,windows=2.5"),
        ("shotgun,k=08", "shotgun"),
        ("shuffled,seed=3", "shuffled,seed=3"),
    ],
)
def test_a_key_names_what_differs_from_the_defaults(text: str, key: str) -> None:
    assert baseline(text).key == key


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nothing", "no baseline is called 'nothing'; there are constant, windows"),
        ("empty,k=3", "empty has no k=3"),
        ("windows,seconds=x", "no number"),
        ("windows,seconds=nan", "no number"),
        ("windows,seconds=0", "other than 0"),
        ("windows,seconds=-1", "above 0"),
        ("windows,seconds=0.0000001", "at most 6 decimals"),
        ("windows,seconds=1e99", "at most 6 decimals"),
        ("shotgun,k=0", "whole number from 1 on"),
        ("shotgun,k=³", "whole number"),
        ("longest,by=time", "expected label or segment or corpus"),
        ("constant,label=", "label is empty"),
        ("constant,label=a,label=b", "given twice"),
    ],
)
def test_what_cannot_be_made_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        baseline(text)
