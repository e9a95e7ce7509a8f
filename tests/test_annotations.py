"""Columns, and the canonical order that everything after them relies on."""

from __future__ import annotations

import numpy as np
import pytest
from corpora import annotations, segments_of, sides
from hypothesis import given
from hypothesis import strategies as st
from oracle import Segment

from segjudge.annotations import Annotations, EpisodeTable, Source, Vocabulary, align
from segjudge.errors import InputError


class TestFromSegments:
    def test_seconds_become_whole_microseconds(self):
        side = Annotations.from_segments(
            [
                ("a", "", 0.1, 0.3, "x"),
                ("a", "", 2.675, 8.0000004, "x"),
                ("a", "", -0.5, 1e-6, "x"),
                ("a", "", 1_760_000_000.123457, 1_760_000_000.999999, "x"),
            ]
        )
        assert side.start.tolist() == [100_000, 2_675_000, -500_000, 1_760_000_000_123_457]
        assert side.end.tolist() == [300_000, 8_000_000, 1, 1_760_000_000_999_999]

    def test_ids_tracks_and_labels_in_the_order_first_seen(self):
        side = Annotations.from_segments(
            [("b", "right", 0, 1, "stir"), ("a", "left", 0, 1, "pour"), ("b", "left", 1, 2, "stir")]
        )
        assert (side.episodes, side.tracks, side.labels) == (
            ("b", "a"),
            ("right", "left"),
            ("stir", "pour"),
        )
        assert side.episode.tolist() == [0, 1, 0]
        assert side.track.tolist() == [0, 1, 1]
        assert side.label.tolist() == [0, 1, 0]

    def test_episodes_that_no_segment_names(self):
        side = Annotations.from_segments([("b", "", 0, 1, "x")], episodes=["z", "b"])
        assert side.episodes == ("z", "b")
        assert side.episode.tolist() == [1]

    def test_labels_stay_as_read(self):
        labels = [" pour  milk.", "Pour_Milk", "ｐｏｕｒ", "e\u0301", "\u00e9"]
        side = Annotations.from_segments([("a", "", 0, 1, label) for label in labels])
        assert list(side.labels) == labels

    def test_no_segments(self):
        side = Annotations.from_segments([])
        assert len(side) == 0
        assert side.episodes == ()
        assert side.group.shape == (0,)

    @pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
    def test_a_time_that_is_not_finite(self, bad):
        with pytest.raises(ValueError, match="not finite"):
            Annotations.from_segments([("a", "", 0, bad, "x")])

    def test_reversed(self):
        with pytest.raises(ValueError, match="ends before it starts"):
            Annotations.from_segments([("a", "", 2, 1, "x")])

    def test_times_beyond_int64(self):
        with pytest.raises(InputError, match="70,000 years"):
            Annotations.from_segments([("a", "", 0, 1e300, "x")])
        with pytest.raises(InputError, match="70,000 years"):
            Annotations.from_segments([("a", "", 1e300, 1e300, "x")])
        with pytest.raises(InputError, match="70,000 years"):
            annotations([Segment("a", "", -(2**63), 2**63 - 1, "x")])
        with pytest.raises(InputError, match="70,000 years"):
            annotations([Segment("a", "", -(2**62), -(2**62), "x")])


class TestColumns:
    def test_seventy_thousand_years_of_segments(self):
        with pytest.raises(InputError, match="70,000 years"):
            annotations([Segment("a", "", 0, 2**60, "x"), Segment("b", "", 0, 2**60, "x")])

    def test_columns_of_unlike_length(self):
        side = annotations([Segment("a", "", 0, 1, "x")])
        with pytest.raises(ValueError, match="differ in length"):
            Annotations(
                side.episode,
                side.track,
                side.start,
                side.end[:0],
                side.label,
                side.episodes,
                side.tracks,
                side.labels,
                side.table,
            )

    def test_a_table_of_another_length(self):
        side = annotations([Segment("a", "", 0, 1, "x")])
        with pytest.raises(ValueError, match="episode table"):
            Annotations(
                side.episode,
                side.track,
                side.start,
                side.end,
                side.label,
                side.episodes,
                side.tracks,
                side.labels,
                EpisodeTable.empty(1),
            )

    def test_groups_are_distinct_for_every_episode_and_track(self):
        side = annotations(
            [Segment(e, t, 0, 1, "x") for e in ("a", "b", "é") for t in ("", "left", "right")]
        )
        assert len(set(side.group.tolist())) == 9

    def test_rows_by_mask_and_by_index(self):
        side = annotations([Segment("a", "", i, i + 1, "xyz"[i]) for i in range(3)])
        mask = side.rows(np.array([True, False, True]))
        index = side.rows(np.array([2, 0]))
        assert [s.label for s in segments_of(mask)] == ["x", "z"]
        assert [s.start for s in segments_of(index)] == [2, 0]
        assert mask.episodes == side.episodes

    def test_sum_by_episode_adds_repeated_indices(self):
        side = annotations(
            [Segment(e, "", 0, 5, "x") for e in ("a", "b", "a", "a")], ["b", "a", "c"]
        )
        assert side.sum_by_episode(np.array([1, 10, 100, 2**60])).tolist() == [10, 2**60 + 101, 0]


class TestEpisodeTable:
    def test_take(self):
        table = EpisodeTable(
            np.array([5, 6, 7], np.int64),
            np.array([True, False, True]),
            {"family": ("x", None, "z")},
        )
        taken = table.take(np.array([2, -1, 0, 0], np.intp))
        assert taken.duration.tolist() == [7, -1, 5, 5]
        assert taken.failed.tolist() == [True, False, True, True]
        assert taken.fields == {"family": ("z", None, "x", "x")}


def test_vocabulary():
    words = Vocabulary(["b", "a", "b"])
    assert words["c"] == 2
    assert words["a"] == 1
    assert list(words) == ["b", "a", "c"]


class TestAlign:
    def test_canonical_order(self):
        rows = [
            Segment("b", "", 0, 1, "x"),
            Segment("a", "right", 0, 1, "x"),
            Segment("a", "left", 2, 3, "x"),
            Segment("a", "left", 0, 3, "x"),
            Segment("a", "left", 0, 1, "y"),
            Segment("a", "left", 0, 1, "x"),
        ]
        (side,) = align(annotations(rows, ["b", "a"]))
        assert segments_of(side) == [rows[5], rows[4], rows[3], rows[2], rows[1], rows[0]]
        assert side.episodes == ("a", "b")

    def test_the_order_of_ids_and_labels_is_that_of_strings(self):
        """By code point, so 10 comes before 9: the same everywhere, whatever the locale."""
        rows = [Segment(e, "", 0, 1, label) for e, label in (("9", "b"), ("10", "B"), ("é", "a"))]
        (side,) = align(annotations(rows, ["é", "9", "10"]))
        assert side.episodes == ("10", "9", "é")
        assert side.labels == ("B", "a", "b")

    @given(sides(), sides(), st.randoms(use_true_random=False))
    def test_no_order_of_rows_episodes_tracks_or_labels_is_left(self, left, right, rng):
        expected = align(annotations(left), annotations(right))
        for side in (left, right):
            rng.shuffle(side)
        ids = ["a", "b", "é"]
        rng.shuffle(ids)
        got = align(annotations(left, ids), annotations(right, ids[::-1]))
        for one, two in zip(expected, got, strict=True):
            for column in ("episode", "track", "start", "end", "label"):
                assert getattr(one, column).tolist() == getattr(two, column).tolist()
                assert getattr(one, column).dtype == getattr(two, column).dtype
            assert (one.episodes, one.tracks, one.labels) == (two.episodes, two.tracks, two.labels)

    @given(sides(), sides())
    def test_segments_survive(self, left, right):
        ours, theirs = align(annotations(left), annotations(right))
        assert segments_of(ours) == sorted(left)
        assert segments_of(theirs) == sorted(right)
        assert ours.labels == theirs.labels == tuple(sorted({s.label for s in (*left, *right)}))

    def test_an_episode_that_the_prediction_lacks_is_empty_there(self):
        reference = annotations([Segment("a", "", 0, 1, "x")], ["b", "a"], family=["F", "G"])
        prediction = annotations([Segment("b", "", 0, 1, "x")], ["b"], note=["n"])
        ours, theirs = align(reference, prediction)
        assert ours.episodes == theirs.episodes == ("a", "b")
        assert ours.table.fields["family"] == ("G", "F")
        assert theirs.table.fields["note"] == (None, "n")
        assert theirs.table.duration.tolist() == [-1, -1]
        assert theirs.table.failed.tolist() == [False, False]

    def test_every_unknown_id_is_named_with_its_file(self):
        reference = annotations([], ["a"])
        prediction = annotations([], ["x", "a", "y"])
        object.__setattr__(prediction, "source", Source("predictions.jsonl", "0" * 64, "rows"))
        with pytest.raises(InputError) as caught:
            align(reference, prediction)
        named = [(problem.file, problem.field, problem.value) for problem in caught.value.problems]
        assert named == [
            ("predictions.jsonl", "episode id", "'x'"),
            ("predictions.jsonl", "episode id", "'y'"),
        ]

    def test_three_sides(self):
        rows = [Segment("a", "", 0, 1, "x")], [Segment("a", "", 0, 1, "y")], []
        sides = align(*(annotations(row, ["a"]) for row in rows))
        assert [len(side) for side in sides] == [1, 1, 0]
        assert {side.labels for side in sides} == {("x", "y")}
