"""What metrics may ask of the answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segjudge.jmatrix import JMatrix

PAIRS = st.dictionaries(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)).map(
        lambda key: (min(key[:2]), max(key[:2]), key[2])
    ),
    st.tuples(st.sampled_from([1, 0, -1]), st.sampled_from([1, 0, -1])),
)


@given(PAIRS, st.randoms(use_true_random=False))
def test_every_pair_either_way_round_and_in_any_order(held, rng):
    rows = [(*((a, b) if rng.random() < 0.5 else (b, a)), c, *held[a, b, c]) for a, b, c in held]
    rng.shuffle(rows)
    columns = np.array(rows, np.int64).reshape(-1, 5)
    matrix = JMatrix(6, *(columns[:, k] for k in (0, 1, 3, 4)), columns[:, 2])
    assert len(matrix) == len(held)
    a, b, c = (axis.ravel() for axis in np.meshgrid(range(6), range(6), range(3)))
    expected = [
        held.get((min(x, y), max(x, y), z), (-1, -1))
        for x, y, z in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    ]
    assert list(zip(matrix.permissible(a, b, c), matrix.same(a, b, c), strict=True)) == expected


def test_a_pair_not_held_is_unknown():
    for matrix in (JMatrix(3), JMatrix(3, [0], [1], [1], [1])):
        assert matrix.permissible(np.array([2]), np.array([1])).tolist() == [-1]
        assert matrix.same(np.array([2]), np.array([2])).tolist() == [-1]
        assert matrix.permissible(np.array([0]), np.array([1]), 1).tolist() == [-1]


def test_nothing_asked():
    none = np.zeros(0, np.int64)
    for matrix in (JMatrix(0), JMatrix(3, [0], [1], [1], [1])):
        answer = matrix.permissible(none, none)
        assert (answer.shape, answer.dtype) == ((0,), np.int8)


@pytest.mark.parametrize(
    ("a", "b", "context"),
    [([0, 1], [1, 0], 0), ([2, 2], [2, 2], 0), ([0, 0], [1, 1], [7, 7])],
)
def test_a_pair_given_twice(a, b, context):
    with pytest.raises(ValueError, match="given twice"):
        JMatrix(3, a, b, [1, 1], [1, 1], context)


def test_a_pair_once_for_each_context():
    matrix = JMatrix(2, [0, 0], [1, 1], [1, 0], [0, 0], [1, 2])
    a, b = np.zeros(3, np.int64), np.ones(3, np.int64)
    assert matrix.permissible(a, b, np.array([0, 1, 2])).tolist() == [-1, 1, 0]


@pytest.mark.parametrize(("a", "b"), [([0], [3]), ([-1], [0]), ([0, 3], [1, 0])])
def test_labels_outside_the_vocabulary(a, b):
    with pytest.raises(ValueError, match="outside the vocabulary"):
        JMatrix(3, a, b, [1] * len(a), [1] * len(a))
    with pytest.raises(ValueError, match="outside the vocabulary"):
        JMatrix(3, [0], [1], [1], [1]).same(np.array(a), np.array(b))


def test_more_labels_and_contexts_than_a_key_can_hold():
    n = 2**31
    assert len(JMatrix(n - 1, [n - 2], [0], [1], [1])) == 1
    with pytest.raises(ValueError, match="too many"):
        JMatrix(n, [0], [1], [1], [1])
    with pytest.raises(ValueError, match="too many"):
        JMatrix(2**20, [0], [1], [1], [1], [2**22])


def test_keys_near_the_limit_do_not_collide():
    n = 2**30 - 1
    a, b = np.array([0, 1, n - 1, n - 2]), np.array([n - 1, n - 1, n - 1, n - 1])
    matrix = JMatrix(n, a, b, [1, 0, 1, 0], [1, 0, 0, 0], [3, 3, 3, 2])
    assert matrix.permissible(b, a, np.array([3, 3, 3, 2])).tolist() == [1, 0, 1, 0]
    assert matrix.permissible(b, a, np.array([2, 2, 2, 3])).tolist() == [-1, -1, -1, -1]


class TestDense:
    matrix = JMatrix(4, [0, 1, 3], [2, 2, 3], [1, 0, 1], [0, 0, 1])

    def test_rows_by_columns(self):
        assert self.matrix.dense([0, 1, 3], [2, 3]).tolist() == [[1, -1], [0, -1], [-1, 1]]

    def test_a_label_named_twice(self):
        assert self.matrix.dense(np.array([2, 2]), [0, 1, 2]).tolist() == [[1, 0, -1], [1, 0, -1]]

    def test_a_context(self):
        matrix = JMatrix(2, [0, 0], [1, 1], [1, 0], [1, 0], [0, 1])
        assert matrix.dense([0], [1], 1).tolist() == [[0]]

    @pytest.mark.parametrize(("rows", "columns"), [([], []), ([], [1, 2]), ([1, 2], [])])
    def test_an_empty_side(self, rows, columns):
        assert self.matrix.dense(rows, columns).shape == (len(rows), len(columns))


@pytest.mark.parametrize("answer", [-1, 2])
def test_unknown_can_be_read_as_yes_or_no_only(answer):
    with pytest.raises(ValueError, match="1 or 0"):
        JMatrix(2).with_unknown_as(answer)
