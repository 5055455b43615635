# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of a result file: a vertex and its values, as text, as NumPy records and as Arrow tables."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.results.table import Table

Part = tuple[NDArray[Any], ...]
"""A partition's values of each column."""
ROWS = 1 << 17
"""Rows that are turned into text or Parquet at once."""


@dataclass(frozen=True)
class Rows:
    """The rows of a result, by ranges of dense ids; ``names`` has one name for each of ``stores``.

    ``lengths`` has the lengths of vectors, and None for columns of scalars.
    """

    names: tuple[str, ...]
    stores: tuple[Store, ...]
    vertices: tuple[bool, ...]
    lengths: tuple[int | None, ...]
    points: NDArray[np.int64]
    result: Table

    @classmethod
    def of(cls, result: Table) -> Rows:
        """Make all rows of a result, by its partitions."""
        columns = result.columns
        return cls(
            tuple(columns),
            tuple(c.store for c in columns.values()),
            tuple(c.vertices for c in columns.values()),
            tuple(c.length for c in columns.values()),
            result.graph.layout(result.pieces).points,
            result,
        )

    @property
    def parts(self) -> int:
        """Number of partitions."""
        return len(self.points) - 1

    def shaped(self, arrays: Part) -> Part:
        """Shape the elements of a range of every store; vectors as rows."""
        pairs = zip(arrays, self.lengths, strict=True)
        return tuple(array if length is None else array.reshape(-1, length) for array, length in pairs)

    @functools.cached_property
    def labels(self) -> NDArray[Any] | None:
        """The user's ids of all vertices, if values are vertices that need them."""
        ids = self.result.graph.ids
        return None if ids.is_identity or not any(self.vertices) else ids.labels(0, self.result.graph.n_vertices)

    def user(self, column: int, values: NDArray[Any]) -> NDArray[Any]:
        """Turn stored values of a column into what the user sees; "none" is -1 or an empty string."""
        if not self.vertices[column]:
            return values
        if self.labels is None:
            return values.astype(np.int64)
        none = values < 0 if values.dtype.kind == "i" else np.zeros(len(values), np.bool_)
        named: NDArray[Any] = self.labels[np.where(none, 0, values)]
        named[none] = "" if named.dtype.kind == "T" else np.array(-1).astype(named.dtype)
        return named

    @functools.cached_property
    def dtype(self) -> np.dtype[Any]:
        """Type of a vertex's element in the ``.npy`` file."""
        types: list[Any] = []
        for store, is_vertex, length in zip(self.stores, self.vertices, self.lengths, strict=True):
            assert store.dtype is not None
            kind: np.dtype[Any] = store.dtype
            if is_vertex:
                kind = np.dtype(np.int64) if self.labels is None else self.labels.dtype
            if kind.kind == "T":
                assert self.labels is not None
                kind = np.dtype(f"<U{max(1, max(map(len, self.labels.tolist()), default=1))}")
            types.append(kind if length is None else np.dtype((kind, (length,))))
        return types[0] if len(types) == 1 else np.dtype(list(zip(self.names, types, strict=True)))

    def records(self, arrays: Part) -> NDArray[Any]:
        """Return the values of a range as elements of the ``.npy`` file."""
        if len(arrays) == 1:
            return self.user(0, arrays[0]).astype(self.dtype.base)
        out = np.empty(len(arrays[0]), self.dtype)
        for column, (name, values) in enumerate(zip(self.names, arrays, strict=True)):
            out[name] = self.user(column, values)
        return out

    def table(self, lo: int, arrays: Part) -> Any:
        """Return a pyarrow Table of the rows from ``lo`` on."""
        import pyarrow as pa

        shown = {"vertex": self.result.graph.ids.labels(lo, lo + len(arrays[0]))}
        for column, (name, values) in enumerate(zip(self.names, arrays, strict=True)):
            user = self.user(column, values)
            shown |= {name: user} if user.ndim == 1 else {f"{name}_{k}": c for k, c in enumerate(user.T)}
        columns = [pa.array(c.tolist(), pa.string()) if c.dtype.kind == "T" else pa.array(c) for c in shown.values()]
        return pa.table(columns, names=list(shown))

    @functools.cached_property
    def schema(self) -> Any:
        """The pyarrow schema of `table`."""
        return self.table(0, self.shaped(tuple(np.empty(0, store.dtype) for store in self.stores))).schema

    def pieces(self, part: int, arrays: Part) -> Iterator[tuple[int, Part]]:
        """Iterate over a partition's rows in pieces: (number of the first row within it, values)."""
        for at in range(0, int(self.points[part + 1] - self.points[part]), ROWS):
            yield at, tuple(array[at : at + ROWS] for array in arrays)

    def text(self, part: int, arrays: Part, delimiter: str) -> Iterator[bytes]:
        """Iterate over a partition's lines of a text file; strings have quotes, except between tabs."""
        import pyarrow as pa
        from pyarrow import csv

        quotes = "none" if delimiter == "\t" else "needed"
        options = csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=quotes)
        for at, values in self.pieces(part, arrays):
            sink = pa.BufferOutputStream()
            try:
                csv.write_csv(self.table(int(self.points[part]) + at, values), sink, options)
            except pa.ArrowInvalid:
                raise FormatError(
                    "a .tsv file cannot hold an id with a tab, a quote or a line break: write a .csv or .parquet file"
                ) from None
            yield sink.getvalue().to_pybytes()
