"""JMatrix: what metrics may ask of the answers, and nothing of where they came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from segjudge.judgments import NO, UNKNOWN, YES

Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
Labels = npt.NDArray[np.integer]

#: One for `permissible`, one for `same`.
Reader = Callable[[Labels, Labels, Labels | int], Int8]


class JMatrix:
    """Answers for pairs of label indices: 1 yes, 0 no, -1 unknown.

    Only the pairs given are held, as sorted keys: no dense table over the vocabulary. A pair is
    unordered. A pair not held is unknown, unless `with_unknown_as` says otherwise.

    Parameters
    ----------
    n_labels : int
        Size of the vocabulary that the indices refer to.
    a, b : array_like of int, shape (n,)
        Label indices of the pairs, in any order, each pair once for each context.
    permissible, same : array_like of int, shape (n,)
        1, 0 or -1.
    context : array_like of int, shape (n,), or int
        Context index, 0 for none.

    Raises
    ------
    ValueError
        A pair is given twice, an index is outside the vocabulary, or there are so many labels
        and contexts that a key would not fit 63 bits.
    """

    def __init__(
        self,
        n_labels: int,
        a: npt.ArrayLike = (),
        b: npt.ArrayLike = (),
        permissible: npt.ArrayLike = (),
        same: npt.ArrayLike = (),
        context: npt.ArrayLike = 0,
    ) -> None:
        self.n_labels = n_labels
        self._default = UNKNOWN
        keys = self._keys(np.asarray(a, np.int64), np.asarray(b, np.int64), context)
        order = np.argsort(keys, kind="stable")
        self._sorted = keys[order]
        self._permissible = np.asarray(permissible, np.int8)[order]
        self._same = np.asarray(same, np.int8)[order]
        if np.any(self._sorted[1:] == self._sorted[:-1]):
            raise ValueError("a label pair is given twice")

    def __len__(self) -> int:
        return len(self._sorted)

    def _keys(self, a: Labels, b: Labels, context: npt.ArrayLike) -> Int64:
        """Return one key a pair, the same for (a, b) and (b, a)."""
        n = self.n_labels
        context = np.asarray(context, np.int64)
        if len(a) and (min(a.min(), b.min()) < 0 or max(a.max(), b.max()) >= n):
            raise ValueError("a label index is outside the vocabulary")
        if float(n) ** 2 * (float(context.max(initial=0)) + 1) >= 2**62:
            raise ValueError("too many labels and contexts for one matrix")
        low = np.minimum(a, b).astype(np.int64)
        high = np.maximum(a, b).astype(np.int64)
        return np.asarray((context * n + low) * n + high, np.int64)

    def permissible(self, a: Labels, b: Labels, context: Labels | int = 0) -> Int8:
        """Whether the labels are the same activity or one a step of the other.

        Parameters
        ----------
        a, b : ndarray of int, shape (n,)
            Label indices.
        context : ndarray of int, shape (n,), or int
            Context indices.

        Returns
        -------
        ndarray of int8, shape (n,)
            1, 0 or -1.
        """
        return self._answer(self._permissible, a, b, context)

    def same(self, a: Labels, b: Labels, context: Labels | int = 0) -> Int8:
        """Whether the labels are the same activity; as `permissible`."""
        return self._answer(self._same, a, b, context)

    def _answer(self, answers: Int8, a: Labels, b: Labels, context: Labels | int) -> Int8:
        if not len(a):
            return np.zeros(0, np.int8)
        given = np.full(len(a), UNKNOWN, np.int8)
        if len(self):
            keys = self._keys(a, b, context)
            place = np.minimum(np.searchsorted(self._sorted, keys), len(self) - 1)
            held = self._sorted[place] == keys
            given[held] = answers[place[held]]
        given[given == UNKNOWN] = self._default
        return given

    def with_unknown_as(self, answer: int) -> JMatrix:
        """Return the same matrix with every unknown answer read as `answer`, for bounds."""
        if answer not in (YES, NO):
            raise ValueError("an unknown answer can be read as 1 or 0 only")
        other = object.__new__(JMatrix)
        other.n_labels, other._default = self.n_labels, answer
        other._sorted, other._permissible, other._same = (
            self._sorted,
            self._permissible,
            self._same,
        )
        return other

    def dense(
        self, rows: Sequence[int] | Labels, columns: Sequence[int] | Labels, context: int = 0
    ) -> Int8:
        """Return the small matrix of `permissible` for some labels, for eyes and other code.

        Parameters
        ----------
        rows, columns : sequence of int
            Label indices, such as those of one episode's two sides.

        Returns
        -------
        ndarray of int8, shape (len(rows), len(columns))
        """
        a = np.repeat(np.asarray(rows, np.int64), len(columns))
        b = np.tile(np.asarray(columns, np.int64), len(rows))
        return self.permissible(a, b, context).reshape(len(rows), len(columns))
