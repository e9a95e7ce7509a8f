"""Time values: exact, whole microseconds, or an error that says what was expected."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segjudge.formats.clock import BadTime, frame_rate, microseconds, seconds_text

S = 1_000_000


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0),
        (3, 3 * S),
        (3.25, 3_250_000),
        (0.1, 100_000),
        (1.1, 1_100_000),
        (67.987, 67_987_000),
        (-0.0, 0),
        # Ties go to the even microsecond, by the decimal that is written and not by the float.
        (0.0000005, 0),
        (0.0000015, 2),
        (1.0000005, 1_000_000),
        (1.0000015, 1_000_002),
        (2.0000025, 2_000_002),
        ("1.0000005", 1_000_000),
        ("1.0000005000000001", 1_000_001),
        (1_764_540_000.123456, 1_764_540_000_123_456),
        (10**10, 10**16),
        ("12.5", 12_500_000),
        (" 12.5 ", 12_500_000),
        ("5.", 5 * S),
        (".5", S // 2),
        ("+1", S),
        ("1e1", 10 * S),
        ("38.038s", 38_038_000),
        ("38.038 s", 38_038_000),
        ("0", 0),
        (Decimal("2.5"), 2_500_000),
    ],
)
def test_plain_seconds(value: Any, expected: int) -> None:
    assert microseconds(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("00:05", 5 * S),
        ("0:05", 5 * S),
        ("01:02", 62 * S),
        ("01:02.5", 62_500_000),
        ("01:02.50 s", 62_500_000),
        ("01:02:03.5", 3_723_500_000),
        ("1:00:00", 3600 * S),
        ("00:00:06.79", 6_790_000),
        ("00:00:10.5000005", 10_500_000),
        ("75:30", 4530 * S),
        ("100:00:00", 360_000 * S),
        ("1:2", 62 * S),
        ("0:59.9999999", 60 * S),
    ],
)
@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_a_clock_string_says_its_own_unit(value: str, expected: int, unit: Any) -> None:
    assert microseconds(value, unit) == expected


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (1500, "ms", 1_500_000),
        ("1500", "ms", 1_500_000),
        (0.5, "ms", 500),
        (0.0005, "ms", 0),
        (0.0015, "ms", 2),
        (7, "us", 7),
        (2.5, "us", 2),
        (3.5, "us", 4),
        ("2s", "ms", 2 * S),
    ],
)
def test_other_units(value: Any, unit: Any, expected: int) -> None:
    assert microseconds(value, unit) == expected


@pytest.mark.parametrize(
    ("frame", "fps", "expected"),
    [
        (0, Fraction(30), 0),
        (1, Fraction(30), 33_333),
        (2, Fraction(30), 66_667),
        (30, Fraction(30), S),
        (98, Fraction(30), 3_266_667),
        ("98", Fraction(30), 3_266_667),
        (98.0, Fraction(30), 3_266_667),
        (2997, Fraction("29.97"), 100 * S),
        (1, Fraction(400_000), 2),
    ],
)
def test_frames(frame: Any, fps: Fraction, expected: int) -> None:
    assert microseconds(frame, "frames", fps) == expected


ANY_TIME = "a time: seconds as a number, MM:SS or HH:MM:SS"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ANY_TIME),
        (True, ANY_TIME),
        (False, ANY_TIME),
        ("", ANY_TIME),
        ("  ", ANY_TIME),
        ("abc", ANY_TIME),
        ("1,5", ANY_TIME),
        ("1_000", ANY_TIME),
        ("0x10", ANY_TIME),
        ("\u0661", ANY_TIME),
        ("1" * 200, ANY_TIME),
        ("1:2:3:4", ANY_TIME),
        ("12m", ANY_TIME),
        ("s", ANY_TIME),
        ([1], ANY_TIME),
        ({}, ANY_TIME),
        (-1, "a time of at least 0"),
        (-0.0000001, "a time of at least 0"),
        ("-1", "a time of at least 0"),
        ("-00:05", "a time of at least 0"),
        (float("nan"), "a finite time"),
        (float("inf"), "a finite time"),
        (float("-inf"), "a finite time"),
        ("NaN", "a finite time"),
        ("-Infinity", "a finite time"),
        ("00:60", "a clock time with minutes and seconds below 60"),
        ("1:60:00", "a clock time with minutes and seconds below 60"),
        ("1:00:61.5", "a clock time with minutes and seconds below 60"),
        (10**10 + 1, "a time of at most 10000000000 s; is the unit right?"),
        (1e300, "a time of at most 10000000000 s; is the unit right?"),
        (10**4000, "a time of at most 10000000000 s; is the unit right?"),
        ("1e999", "a time of at most 10000000000 s; is the unit right?"),
        ("9999999:59:59", "a time of at most 10000000000 s; is the unit right?"),
    ],
)
def test_no_time(value: Any, expected: str) -> None:
    with pytest.raises(BadTime) as caught:
        microseconds(value)
    assert caught.value.expected == expected


@pytest.mark.parametrize(
    ("value", "fps", "expected"),
    [
        (1, None, "frames a second for times in frames: a field fps, or --fps"),
        (1.5, Fraction(30), "a whole frame number"),
        ("00:05", Fraction(30), "a whole frame number"),
        (True, Fraction(30), "a whole frame number"),
        (float("nan"), Fraction(30), "a whole frame number"),
        (-1, Fraction(30), "a frame number of at least 0"),
        (
            10**12,
            Fraction(30),
            "a time of at most 10000000000 s; are the frames and fps right?",
        ),
    ],
)
def test_no_frame(value: Any, fps: Fraction | None, expected: str) -> None:
    with pytest.raises(BadTime) as caught:
        microseconds(value, "frames", fps)
    assert caught.value.expected == expected


@given(st.floats(0, 1e10))
def test_a_float_is_rounded_as_the_decimal_it_prints_as(value: float) -> None:
    exact = Fraction(Decimal(repr(value))) * S
    assert microseconds(value) == round(exact)


@given(st.integers(0, 10**16))
def test_written_times_read_back(time: int) -> None:
    assert microseconds(seconds_text(time)) == time


@pytest.mark.parametrize(
    ("time", "text"),
    [(0, "0"), (1, "0.000001"), (1_500_000, "1.5"), (10 * S, "10"), (-1_500_000, "-1.5")],
)
def test_shortest_decimal(time: int, text: str) -> None:
    assert seconds_text(time) == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (30, Fraction(30)),
        (29.97, Fraction("29.97")),
        ("29.97", Fraction("29.97")),
        (0, None),
        (-1, None),
        (True, None),
        (float("nan"), None),
        (1e300, None),
        ("fast", None),
        (None, None),
    ],
)
def test_frame_rate(value: Any, expected: Fraction | None) -> None:
    assert frame_rate(value) == expected
