"""CHF: the worked cases of the notes on EgoHome, exactness, and an oracle."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from boxes_corpora import FPS, Box, boxes, by_hand, chf, count
from hypothesis import given
from hypothesis import strategies as st

from segjudge.boxes import Clips, frame_numbers, on_frames
from segjudge.errors import InputError
from segjudge.metrics.centroid_hits import Bridges

HALF = 50


def around(x: float, y: float = 300, half: float = HALF) -> tuple[float, float, float, float]:
    return (x - half, y - half, x + half, y + half)


def path(frames: range, centre: Callable[[int], float], hand: int = 0) -> list[Box]:
    return [Box(f, hand, around(centre(f))) for f in frames]


STATIC = path(range(30), lambda f: 150)
STRAIGHT = path(range(30), lambda f: 150 + 10 * f)
OUT_AND_BACK = path(range(30), lambda f: 150 + 20 * min(f, 30 - f))


def ends(gold: list[Box]) -> list[Box]:
    return [gold[0], gold[-1]]


@pytest.mark.parametrize(
    ("gold", "model", "expected"),
    [
        pytest.param(STATIC, STATIC, Fraction(1), id="every frame"),
        pytest.param(STATIC, ends(STATIC), Fraction(1), id="static, ends only"),
        pytest.param(STATIC, STATIC[:1], Fraction(1, 30), id="one box at t=0 only"),
        pytest.param(STRAIGHT, ends(STRAIGHT), Fraction(1), id="straight motion, ends only"),
        pytest.param(
            OUT_AND_BACK,
            [Box(0, 0, around(150)), Box(29, 0, around(150))],
            Fraction(5, 30),
            id="out and back, ends only",
        ),
        pytest.param(STATIC[:15], ends(STATIC), Fraction(15, 30), id="gold on half of the frames"),
        pytest.param(STATIC, [], Fraction(0), id="no boxes"),
        pytest.param([], [], None, id="no gold and no boxes"),
        pytest.param([], STATIC[:4], Fraction(0), id="no gold but boxes"),
        pytest.param(
            STATIC, [Box(f, 0, around(150, half=0)) for f in (0, 29)], Fraction(1), id="points"
        ),
    ],
)
def test_worked_cases(gold: list[Box], model: list[Box], expected: Fraction | None) -> None:
    assert chf(gold, model) == expected


def test_half_of_the_frames_without_gold_are_out_frames() -> None:
    """15/30; left out of P_out, the interpolated frames would make it 15/16."""
    parts = count(boxes(STATIC[:15]), boxes(ends(STATIC)))
    sums = {name: int(column.sum()) for name, column in parts.items()}
    assert sums == {
        "reference_boxes": 15,
        "hits_direct": 1,
        "hits_interpolated": 14,
        "covered_direct": 1,
        "covered_interpolated": 14,
        "outside_direct": 1,
        "outside_interpolated": 14,
    }


def test_left_and_right_swapped_with_the_hands_apart_is_nothing() -> None:
    gold = STATIC + path(range(30), lambda f: 700, hand=1)
    swapped = [box._replace(hand=1 - box.hand) for box in gold]
    assert chf(gold, swapped) == Fraction(0, 60)
    assert count(boxes(gold), boxes(swapped))["reference_boxes"].tolist() == [[30, 30]]


def test_an_absence_is_bridged_unless_an_option_says_otherwise() -> None:
    seen = [*range(30), *range(120, 150)]
    gold = [Box(f, 0, around(150)) for f in seen]
    assert chf(gold, gold) == Fraction(60, 60 + 90)
    assert chf(gold, gold, Bridges(max_gap=1_000_000)) == 1
    assert chf(gold, [*gold, Box(60, 0, None)]) == Fraction(60, 150)
    assert chf(gold, [*gold, Box(60, 0, None)], Bridges(null_breaks=True)) == 1
    assert chf(gold, [*gold, Box(60, 1, None)], Bridges(null_breaks=True)) == Fraction(60, 150)


def test_a_null_at_a_box_breaks_nothing() -> None:
    gold = STATIC
    model = [*ends(STATIC), Box(0, 0, None), Box(29, 0, None)]
    assert chf(gold, model, Bridges(null_breaks=True)) == 1


def test_a_gap_of_exactly_the_longest_is_bridged() -> None:
    model = [Box(0, 0, around(150)), Box(15, 0, around(150))]
    assert chf(STATIC[:16], model, Bridges(max_gap=500_000)) == 1
    assert chf(STATIC[:16], model, Bridges(max_gap=499_999)) == Fraction(2, 16)


def test_nothing_is_extrapolated() -> None:
    assert chf(STATIC, STATIC[10:20]) == Fraction(10, 30)


def test_a_wrong_box_inside_costs_no_more_than_none_but_one_outside_does() -> None:
    wrong = [Box(f, 0, around(900)) for f in range(30)]
    assert chf(STATIC, wrong) == chf(STATIC, []) == 0
    assert chf(STATIC[:15], STATIC) == Fraction(15, 30)


def test_a_centroid_on_the_edge_is_inside() -> None:
    for x, y, hit in ((200, 300, 1), (100, 250, 1), (200.000001, 300, 0), (99.999999, 300, 0)):
        assert chf(STATIC[:1], [Box(0, 0, around(x, y))]) == hit


def test_decimals_are_exact() -> None:
    """In floats (0.1 + 0.2) / 2 is greater than 0.15."""
    gold = [Box(0, 0, (0.0, 0.0, 0.15, 0.15))]
    assert (0.1 + 0.2) / 2 > 0.15
    assert chf(gold, [Box(0, 0, (0.1, 0.1, 0.2, 0.2))]) == 1


def test_an_interpolated_centroid_on_the_edge_is_inside() -> None:
    """A third of the way from 0 to 0.1 is not a decimal; twice 0.3 on the way to 0.9 is."""
    model = [Box(0, 0, (0.0,) * 4), Box(3, 0, (0.9, 0.9, 0.9, 0.9))]
    gold = [Box(1, 0, (0.3, 0.3, 1.0, 1.0)), Box(2, 0, (0.0, 0.0, 0.6, 0.6))]
    assert chf(gold, model) == Fraction(2, 4)


def test_gaps_of_weeks_do_not_overflow() -> None:
    far = 2**30
    model = [Box(0, 0, (0.0, 0.0, 99_999.0, 0.0)), Box(far, 0, (99_999.0, 0.0, 99_999.0, 0.0))]
    quarter = 99_999 / 2 + 99_999 / 8
    gold = [Box(far // 4, 0, (quarter, 0.0, quarter, 0.0))]
    assert count(boxes(gold), boxes(model))["hits_interpolated"].sum() == 1


_coordinate = st.integers(0, 12).map(lambda n: n / 10)


@st.composite
def _corners(draw: st.DrawFn) -> tuple[float, float, float, float]:
    x1, y1 = draw(_coordinate), draw(_coordinate)
    return (x1, y1, x1 + draw(st.integers(0, 4)) / 10, y1 + draw(st.integers(0, 4)) / 10)


def _side(absent: bool) -> st.SearchStrategy[list[Box]]:
    place = st.tuples(st.integers(0, 12), st.integers(0, 1))
    corners = st.one_of(st.none(), _corners(), _corners()) if absent else _corners()
    return st.dictionaries(place, corners, max_size=12).map(
        lambda found: [
            Box(frame, hand, None if box is None else tuple(round(x, 1) for x in box))  # type: ignore[arg-type]
            for (frame, hand), box in found.items()
        ]
    )


_bridges = st.builds(
    Bridges, st.booleans(), st.one_of(st.none(), st.sampled_from([33_333, 100_000, 200_000]))
)


@given(_side(absent=False), _side(absent=True), _bridges)
def test_counts_agree_with_counting_by_hand(
    gold: list[Box], model: list[Box], bridges: Bridges
) -> None:
    parts = count(boxes(gold), boxes(model), bridges)
    assert {name: int(column.sum()) for name, column in parts.items()} == by_hand(
        gold, model, bridges
    )


@given(_side(absent=False), _side(absent=True))
def test_rows_may_stand_in_any_order(gold: list[Box], model: list[Box]) -> None:
    one, two = count(boxes(gold), boxes(model)), count(boxes(gold[::-1]), boxes(model[::-1]))
    assert all(np.array_equal(one[name], two[name]) for name in one)


@given(_side(absent=False), _side(absent=False))
def test_scaling_and_mirroring_both_sides_change_nothing(gold: list[Box], model: list[Box]) -> None:
    def mirrored(side: list[Box]) -> list[Box]:
        return [
            box._replace(corners=(9 - 7 * x2, 3 * y1, 9 - 7 * x1, 3 * y2))
            for box in side
            for x1, y1, x2, y2 in [box.corners or (0, 0, 0, 0)]
        ]

    one, two = (
        count(boxes(gold), boxes(model)),
        count(boxes(mirrored(gold)), boxes(mirrored(model))),
    )
    assert all(np.array_equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize(
    ("seconds", "rate", "frame"),
    [
        (0.0, (30, 1), 0),
        (0.033, (30, 1), 1),
        (0.05, (30, 1), 2),
        (0.049999, (30, 1), 1),
        (1.15, (30, 1), 35),
        (0.5, (25, 1), 13),
        (1.001, (30000, 1001), 30),
        (62.0, (30, 1), 1860),
    ],
)
def test_frames_are_rounded_half_away_from_zero(
    seconds: float, rate: tuple[int, int], frame: int
) -> None:
    time = np.array([round(seconds * 1e6)])
    assert frame_numbers(time, *(np.array([part]) for part in rate)).tolist() == [frame]


def test_three_decimals_of_a_second_give_back_every_frame() -> None:
    frames = np.arange(1860)
    times = np.rint(np.round(frames / FPS, 3) * 1e6).astype(np.int64)
    n, d = np.full(1860, FPS), np.ones(1860, np.int64)
    assert np.array_equal(frame_numbers(times, n, d), frames)


def two_on_a_frame(scores: list[float]) -> list[np.ndarray]:
    """Three boxes of one hand at 0, 10 and 40 ms: the first two fall on frame 0."""
    made = boxes([Box(0, 0, around(x)) for x in (150, 900, 150)])
    made.time[:] = [0, 10_000, 40_000]
    made.score[:] = scores
    return [made]  # type: ignore[list-item]


def test_two_boxes_of_a_hand_on_a_frame_are_an_error_or_a_choice() -> None:
    (made,) = two_on_a_frame([0.3, 0.9, 0.5])
    clips: Clips = made.clips  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="frame 0 has another"):
        on_frames(made, clips)  # type: ignore[arg-type]
    best = on_frames(made, clips, "score")  # type: ignore[arg-type]
    near = on_frames(made, clips, "nearest")  # type: ignore[arg-type]
    assert best.frame.tolist() == near.frame.tolist() == [0, 1]
    assert best.corners[0, 0] == 850 * 10**6
    assert near.corners[0, 0] == 100 * 10**6


def test_choosing_by_score_needs_scores() -> None:
    (made,) = two_on_a_frame([np.nan, np.nan, 0.5])
    with pytest.raises(InputError, match="no score"):
        on_frames(made, made.clips, "score")  # type: ignore[arg-type, attr-defined]


def test_a_clip_without_frame_rate_is_refused_by_name() -> None:
    made = boxes(STATIC)
    with pytest.raises(InputError, match="episode 'a': fps"):
        on_frames(made, Clips.unknown(1))
