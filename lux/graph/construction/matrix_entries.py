# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge lists from sparse matrices: entries of one position are summed, and no sum overflows without a word."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError, GraphError, ParameterError
from lux.graph.construction.edge_list import EdgeList, is_number
from lux.graph.core.ids import Bipartite, VertexIds, offset
from lux.graph.core.stored_graph import id_dtype

MOST = 1 << 62  # vertices: leaves headroom in int64

Entries = tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]


def summed(name: str, rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any] | None) -> Entries:
    """Sum the entries of one position, as SciPy does; entries without values are kept once.

    Parameters
    ----------
    name : str
        Name of the matrix, for messages.
    rows, columns, values : np.ndarray of shape (entries,)

    Returns
    -------
    rows, columns, values
        The given order is kept if no position has two entries, else entries are sorted by rows. Sums of integers have
        their type where all fit, else int64.

    Raises
    ------
    FormatError
        A sum of integers does not fit 64 bits.

    Examples
    --------
    >>> summed("A", np.array([1, 0, 1]), np.array([2, 0, 2]), np.array([100, 1, 100], np.int8))
    (array([0, 1]), array([0, 2]), array([  1, 200]))
    """
    if _ascending(rows, columns) or _ascending(columns, rows):
        return rows, columns, values
    order = np.lexsort((columns, rows))
    u, v = rows[order], columns[order]
    first = np.ones(len(u), np.bool_)
    first[1:] = (u[1:] != u[:-1]) | (v[1:] != v[:-1])
    if first.all():
        return rows, columns, values
    starts = np.flatnonzero(first)
    sums = None if values is None else _sums(name, values[order], starts)
    return u[starts], v[starts], sums


def _ascending(major: NDArray[Any], minor: NDArray[Any]) -> bool:
    """Tell whether entries ascend by two keys, and none is there twice."""
    later = (major[1:] == major[:-1]) & (minor[1:] > minor[:-1])
    later |= major[1:] > major[:-1]
    return bool(later.all())


def _sums(name: str, values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    if values.dtype.kind not in "iu":
        return np.add.reduceat(values, starts)
    wide = np.dtype(np.uint64 if values.dtype == np.uint64 else np.int64)
    sums: NDArray[Any] = np.add.reduceat(values, starts, dtype=wide)
    # A sum that overflows is off by 2^64 or more, rounding by far less.
    about = np.add.reduceat(values, starts, dtype=np.float64)
    if np.any(np.abs(sums.astype(np.float64) - about) > 2.0**62):
        raise FormatError(f"{name} has several entries at one place whose sum does not fit 64 bits: leave one of each")
    narrow = np.iinfo(values.dtype)
    fit = sums.min() >= narrow.min and sums.max() <= narrow.max
    return sums.astype(values.dtype, copy=False) if fit else sums


def of_matrix(
    matrix: Any,
    name: str,
    *,
    directed: bool | None = None,
    bipartite: bool = False,
) -> EdgeList:
    """Build an edge list like `lux.from_scipy`, of a matrix of checked indices; messages show the name."""
    if matrix.ndim != 2:
        raise ParameterError(f"{name} has shape {matrix.shape}: pass a matrix, which has two dimensions")
    if not is_number(matrix.dtype):
        raise ParameterError(f"{name} holds {matrix.dtype}: pass booleans, integers or reals of at most 64 bits")
    entries = matrix.tocoo()
    values = None if entries.data.dtype.kind == "b" else entries.data
    found = entries.row, entries.col, values
    return of_entries(found, matrix.shape, name, directed=directed, bipartite=bipartite)


def check_indices(matrix: Any) -> None:
    """Raise ValueError if indices of a matrix are out of bounds: SciPy's conversions would write where they say."""
    starts = getattr(matrix, "indptr", None)
    # SciPy looks at the order of the pointers only where the last is not 0.
    if starts is not None and (not len(starts) or starts[0] != 0 or (starts[1:] < starts[:-1]).any()):
        raise ValueError("its index pointers do not grow from 0")
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)


def of_entries(
    entries: Entries,
    shape: tuple[int, int],
    name: str,
    *,
    directed: bool | None = None,
    bipartite: bool = False,
    base: int = 0,
    listed_once: bool = False,
) -> EdgeList:
    """Build the edges of a matrix from rows, columns and values, or None for no weights.

    Parameters
    ----------
    name : str
        Name of the matrix, for messages.
    base : int
        The user's id of row 0.
    listed_once : bool
        The matrix has one triangle of an undirected graph.
    """
    rows, columns = shape
    if rows != columns and not bipartite:
        raise ParameterError(f"{name} has shape {rows} x {columns}: pass a square one, or bipartite=True")
    if rows + columns > MOST:
        raise ParameterError(f"{name} has shape {rows} x {columns}: Lux takes at most {MOST} rows and columns together")
    u, v, values = summed(name, *entries)
    weights = {} if values is None else {"weight": values}
    side = [offset(n, base) for n in (rows, columns)]
    n_vertices = rows + columns if bipartite else rows
    dtype = id_dtype(n_vertices)
    ids: VertexIds = Bipartite(*side) if bipartite else side[0]
    if directed is None:
        directed = not bipartite
    if not directed and not bipartite and not listed_once:
        u, v, weights = _once(u, v, weights, name)
    dense = v.astype(dtype) + dtype.type(rows if bipartite else 0)
    return EdgeList(u.astype(dtype), dense, n_vertices, directed, ids, weights)


def _once(
    u: NDArray[Any], v: NDArray[Any], weights: dict[str, NDArray[Any]], name: str
) -> tuple[NDArray[Any], NDArray[Any], dict[str, NDArray[Any]]]:
    """Keep each unordered pair once."""
    low, high = np.minimum(u, v), np.maximum(u, v)
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    first = np.ones(len(low), np.bool_)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    kept = {key: values[order][first] for key, values in weights.items()}
    for values in weights.values():
        differ = np.flatnonzero(~first & (values[order] != np.roll(values[order], 1)))
        if len(differ):
            i, j = int(low[differ[0]]), int(high[differ[0]])
            raise GraphError(f"{name} is to be undirected, but its values at ({i}, {j}) and ({j}, {i}) differ")
    return low[first], high[first], kept
