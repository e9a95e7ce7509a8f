"""Results by episode as columns that read like a nested mapping: id -> metric -> figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

Figure = float | int | str | None
Column = npt.NDArray[np.float64] | npt.NDArray[np.int64]


def plain(value: Any) -> Figure:
    """Return a number as JSON knows it; a value that does not exist is None, never NaN."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value


class EpisodeResults(Mapping[str, dict[str, dict[str, Figure]]]):
    """A mapping from episode id to metric to figures, held as one array a figure.

    Parameters
    ----------
    ids : sequence of str
        Episode ids, in canonical order.
    columns : dict of str to dict of str to ndarray, shape (n_episodes,)
        Metric -> figure -> values; NaN where an episode has no such value.
    """

    def __init__(self, ids: tuple[str, ...], columns: Mapping[str, Mapping[str, Column]]) -> None:
        self.ids = ids
        self.columns = columns
        self._row = {name: row for row, name in enumerate(ids)}

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __getitem__(self, episode: str) -> dict[str, dict[str, Figure]]:
        row = self._row[episode]
        return {
            metric: {name: plain(column[row]) for name, column in figures.items()}
            for metric, figures in self.columns.items()
        }

    def __repr__(self) -> str:
        return f"EpisodeResults({len(self)} episodes, {', '.join(self.columns)})"

    @classmethod
    def _parse(cls, value: Any) -> EpisodeResults:
        """Take what JSON gives back."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, Mapping):
            raise ValueError("expected a mapping from episode id to metric to figures")
        ids = tuple(value)
        metrics: dict[str, dict[str, Column]] = {}
        for metric in value[ids[0]] if ids else ():
            rows = [value[episode][metric] for episode in ids]
            metrics[metric] = {name: _column([row.get(name) for row in rows]) for name in rows[0]}
        return cls(ids, metrics)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._parse,
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )


def _column(values: list[Figure]) -> Column:
    if all(isinstance(value, int) for value in values):
        return np.array(values, np.int64)
    return np.array([np.nan if value is None else value for value in values], np.float64)
