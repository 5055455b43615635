# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Columns of tables of edges, with the user's ids: a whole table, several, or the share of one process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError
from lux.graph.core.ids import VertexIds
from lux.io.files.atomic import Pathname
from lux.io.formats.options import Options


@dataclass(frozen=True)
class Share:
    """Share of a file, from ``low / of`` to ``high / of`` of it.

    >>> Share(1, 2, 3).within(100)
    (33, 66)
    """

    low: int = 0
    high: int = 1
    of: int = 1

    def within(self, length: int) -> tuple[int, int]:
        """Return the first and the last place, exclusive, in a file of a length."""
        return self.low * length // self.of, self.high * length // self.of


@dataclass(frozen=True)
class Columns:
    """Columns of edges.

    Attributes
    ----------
    names : (str, str)
        Names of the columns of the ends.
    sources, destinations : np.ndarray of integers or pyarrow.LargeStringArray
    properties : mapping of name to np.ndarray
    options : Options
        The caller's, with what the file says itself.
    known : VertexIds or None
        All vertices, where the file lists them.
    least : int
        Least number of vertices that the edges must have.
    """

    path: Pathname
    names: tuple[str, str]
    sources: Any
    destinations: Any
    properties: Mapping[str, NDArray[Any]]
    options: Options
    known: VertexIds | None = None
    least: int = 0

    def __len__(self) -> int:
        return len(self.sources)


def shares(sizes: Sequence[int], rank: int, ranks: int) -> list[tuple[int, Share]]:
    """Share out files among processes by their bytes; return this process's files, by number, and its share of each.

    >>> shares([100, 50], 0, 2)
    [(0, Share(low=0, high=75, of=100))]
    >>> shares([100, 50], 1, 2)
    [(0, Share(low=75, high=100, of=100)), (1, Share(low=0, high=50, of=50))]
    """
    total, found, first = sum(sizes), [], 0
    low, high = total * rank // ranks, total * (rank + 1) // ranks
    for number, size in enumerate(sizes):
        inside = max(low - first, 0), min(high - first, size)
        if inside[0] < inside[1]:
            found.append((number, Share(*inside, size)))
        first += size
    return found or [(0, Share(0, 0, 1))]


def joined(path: Pathname, tables: Sequence[Columns]) -> Columns:
    """Join the columns of several files, in their order.

    Raises
    ------
    FormatError
        The files differ in their columns, their kind of ids or their direction.
    """
    if len(tables) == 1:
        return tables[0]
    having = [table for table in tables if len(table)] or list(tables[:1])
    first = having[0]
    for other in having[1:]:
        for what, one, two in (
            ("the columns", sorted(first.properties), sorted(other.properties)),
            ("ids that are", _kind(first.sources), _kind(other.sources)),
            ("directed=", first.options.directed, other.options.directed),
        ):
            if one != two:
                raise FormatError(f"{first.path} has {what} {one}, and {other.path} {two}: read files that are alike")
    return Columns(
        path,
        first.names,
        _concatenated(path, [table.sources for table in having]),
        _concatenated(path, [table.destinations for table in having]),
        {name: np.concatenate([table.properties[name] for table in having]) for name in first.properties},
        first.options,
    )


def _kind(ids: Any) -> str:
    return "integers" if isinstance(ids, np.ndarray) else "strings"


def _concatenated(path: Pathname, columns: list[Any]) -> Any:
    if not isinstance(columns[0], np.ndarray):
        import pyarrow as pa

        return pa.concat_arrays(columns)
    if np.result_type(*columns).kind == "f":  # int64 and uint64
        if any(column.min(initial=0) < 0 for column in columns):
            raise FormatError(f"{path} has columns of uint64, and negative ids in others: no one type holds both")
        columns = [column.astype(np.uint64) for column in columns]
    return np.concatenate(columns)
