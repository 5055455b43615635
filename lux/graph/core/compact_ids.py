# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Compact ids: an edge list in the user's ids becomes one in dense ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.checks import described, shown
from lux.errors import GraphError, ParameterError
from lux.graph.core.ids import Bipartite, Identity, Integers, Offset, Strings, VertexIds, offset
from lux.graph.core.stored_graph import id_dtype

KERNEL_TYPES = tuple(np.dtype(t) for t in (np.int32, np.int64, np.uint32, np.uint64))
"""Types of integers that kernels are compiled for."""
PIECE = 1 << 20
"""Values that a thread numbers at a time."""


def compact(
    source_ids: Any, destination_ids: Any, *, bipartite: bool = False, in_place: bool = False, isolated: Any = ()
) -> tuple[NDArray[Any], NDArray[Any], VertexIds]:
    """Number the vertices of an edge list: exactly the ids that occur, in ascending order.

    Parameters
    ----------
    source_ids, destination_ids : array of shape (n_edges,)
        Integers or strings, as NumPy or PyArrow arrays.
    bipartite : bool
        Sources and destinations are two id spaces.
    in_place : bool
        The arrays may be overwritten, and returned.
    isolated : array of shape (k,)
        Further ids, of vertices that may have no edges; not with ``bipartite``.

    Returns
    -------
    sources, destinations : np.ndarray of shape (n_edges,), uint32 (uint64 above 2^32 vertices)
    ids : VertexIds
        `Identity` where the ids are 0 to n - 1, `Offset` where they are consecutive.

    Raises
    ------
    ParameterError
        Ids that are neither integers nor strings, or one column of each.

    Examples
    --------
    >>> compact(np.array([30, 3]), np.array([3, 5]))[:2]
    (array([2, 0], dtype=uint32), array([0, 1], dtype=uint32))
    """
    columns = [_column(source_ids), _column(destination_ids)]
    if bipartite:
        (sources, left), (destinations, right) = _number(columns[:1], in_place), _number(columns[1:], in_place)
        n_left, ids = len(left), Bipartite(left, right)
        dtype = id_dtype(len(ids))
        return sources[0].astype(dtype, copy=False), destinations[0].astype(dtype) + dtype.type(n_left), ids
    columns += [_column(isolated)] if len(isolated) else []
    texts = {not isinstance(column, np.ndarray) for column in columns if len(column)}
    if len(texts) > 1:
        raise ParameterError(
            "some of sources, destinations and vertices are integers and some strings: pass one kind of id"
        )
    if texts == {True}:
        columns = [columns[-1][:0] if isinstance(column, np.ndarray) else column for column in columns]
    dense, found = _number(columns, in_place)
    return dense[0], dense[1], found


def placed(source_ids: Any, destination_ids: Any, ids: VertexIds) -> tuple[NDArray[Any], NDArray[Any]]:
    """Translate an edge list whose vertices are known to dense ids.

    Parameters
    ----------
    source_ids, destination_ids : array of shape (n_edges,)
        Ids as for `compact`.
    ids : VertexIds
        All vertices, isolated ones too.

    Raises
    ------
    GraphError
        An id is that of no vertex.

    Examples
    --------
    >>> placed(np.array([30, 3]), np.array([3, 5]), Integers(np.array([1, 3, 5, 30])))
    (array([3, 1], dtype=uint32), array([1, 2], dtype=uint32))
    """
    columns = [_column(source_ids), _column(destination_ids)]
    integers = isinstance(ids, Offset)  # there may be more integers than fit an array
    columns += [np.zeros(1, np.int64) if integers else _column(ids.labels(0, len(ids)))]
    if len({isinstance(column, np.ndarray) for column in columns if len(column)}) > 1:
        raise GraphError(f"some ids of edges are not in the graph: {ids.describe()}")
    if integers:
        dtype = id_dtype(len(ids))
        return ids.dense_array(columns[0]).astype(dtype), ids.dense_array(columns[1]).astype(dtype)
    if not len(columns[0]):
        return np.zeros(0, id_dtype(len(ids))), np.zeros(0, id_dtype(len(ids)))
    (sources, destinations, known), found = _number(columns)
    if len(found) != len(ids):
        raise GraphError(f"the edges name {len(found) - len(ids)} vertices that are not in the graph: {ids.describe()}")
    place = np.empty(len(ids), id_dtype(len(ids)))
    place[known] = np.arange(len(ids))
    return place[sources], place[destinations]


def _column(values: Any) -> Any:
    """Return integers as a NumPy array of one of `KERNEL_TYPES`, strings as a PyArrow array."""
    if hasattr(values, "__arrow_c_array__") and not hasattr(values, "__array_interface__"):
        return values
    given = np.asarray(values)
    if given.ndim != 1:
        raise ParameterError(f"an edge list's ids are one-dimensional arrays, not of shape {given.shape}")
    if not len(given):
        return np.zeros(0, np.int64)
    if given.dtype.kind in "iu":
        return np.ascontiguousarray(given, None if given.dtype in KERNEL_TYPES else np.int64)
    if given.dtype.kind == "f":
        raise ParameterError(
            f"vertex ids are all integers or all strings, and these are {given.dtype}: convert them, as by astype(int) "
            "(pandas makes floats of integers where some are missing: dropna() first)"
        )
    names = given.tolist() if given.dtype.kind in "UTO" else []
    if names and all(isinstance(name, str) for name in names):
        import pyarrow as pa

        try:
            return pa.array(names, pa.large_string())
        except UnicodeEncodeError as error:
            raise ParameterError(
                f"{shown(error.object)} is among the ids, half of a character that Unicode writes as two, which no "
                "file can have: decode names with errors='replace'"
            ) from None
    if names and all(isinstance(name, (int, np.integer)) and not isinstance(name, bool) for name in names):
        numbers = [int(name) for name in names]
        least, most = min(numbers), max(numbers)
        if least < -(2**63) or most >= (2**63 if least < 0 else 2**64):
            raise ParameterError(
                f"vertex ids are integers from {shown(least)} to {shown(most)}, and no type of 64 bits has all of "
                "these: pass strings"
            )
        return np.array(numbers)
    kinds = (str,) if names and isinstance(names[0], str) else (int, np.integer)
    odd = next((x for x in names if isinstance(x, bool) or not isinstance(x, kinds)), given[0])
    missing = not isinstance(odd, str) and str(odd) in ("None", "nan", "<NA>", "NaT")
    hint = ": an id is missing there; leave such edges out, in pandas by dropna()" if missing else ""
    raise ParameterError(f"vertex ids are all integers or all strings, and {described(odd)} is among them{hint}")


def widest_span(count: int) -> int:
    """Return the widest range in which ``count`` ids are found by a table of the range, instead of by hashing.

    >>> widest_span(10), widest_span(10**6)
    (1048576, 8000000)
    """
    return max(8 * count, 2**20)


def _number(columns: list[Any], in_place: bool = False) -> tuple[list[NDArray[Any]], VertexIds]:
    if not isinstance(columns[0], np.ndarray):
        return _number_by_hashing(columns)
    if not any(map(len, columns)):
        return [np.zeros(0, np.uint32) for _ in columns], Identity(0)
    from lux.graph.core import number_kernels as kernels

    pieces = [(k, slice(lo, lo + PIECE)) for k, column in enumerate(columns) for lo in range(0, len(column), PIECE)]

    def each(work: Callable[[int, slice], object]) -> list[Any]:
        results: list[Any] = [None] * len(pieces)

        def one(i: int) -> None:
            results[i] = work(*pieces[i])

        runtime.run_pool(len(pieces), one)
        return results

    found = each(lambda k, piece: kernels.bounds(columns[k][piece]))
    low, high = min(int(low) for low, _ in found), max(int(high) for _, high in found)
    if low < 0 and high >= 2**63:
        raise ParameterError("some ids are negative and some above 2^63 - 1: no one integer type holds both")
    wide, span = np.dtype(np.int64 if high < 2**63 else np.uint64), high - low + 1
    if span > widest_span(sum(map(len, columns))):
        return _number_by_hashing([column.astype(wide, copy=False) for column in columns])
    present, first = np.zeros(span, np.bool_), np.uint64(low % 2**64)
    each(lambda k, piece: kernels.mark(columns[k][piece], first, present))
    n = int(np.count_nonzero(present))
    dtype = id_dtype(n)
    numbered = [c if in_place and c.dtype == dtype else np.empty(len(c), dtype) for c in columns]
    if n == span:
        if low or numbered[0] is not columns[0]:
            each(lambda k, piece: kernels.differences(columns[k][piece], first, numbered[k][piece]))
        return numbered, offset(n, low)
    table = np.cumsum(present, dtype=dtype) - dtype.type(1)
    each(lambda k, piece: kernels.places(columns[k][piece], first, table, numbered[k][piece]))
    return numbered, Integers(np.flatnonzero(present).astype(wide) + wide.type(low))


def _number_by_hashing(columns: list[Any]) -> tuple[list[NDArray[Any]], VertexIds]:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = not isinstance(columns[0], np.ndarray)
    arrays = [column.cast(pa.large_string()) if text else pa.array(column) for column in columns]
    coded = pa.chunked_array([array for array in arrays if len(array)]).dictionary_encode().unify_dictionaries()
    names = coded.chunk(0).dictionary
    order = pc.sort_indices(names)
    rank = np.empty(len(names), np.uint32)
    rank[order.to_numpy()] = np.arange(len(names), dtype=np.uint32)
    codes = iter(coded.chunks)
    dense = [rank[next(codes).indices.to_numpy()] if len(array) else rank[:0] for array in arrays]
    ordered = names.take(order)
    if not text:
        values = ordered.to_numpy()
        n, low = len(values), int(values[0])
        if int(values[-1]) - low + 1 == n:
            return dense, offset(n, low)
        return dense, Integers(values)
    _, offsets, data = ordered.buffers()
    cuts = np.frombuffer(offsets, np.int64)[ordered.offset : ordered.offset + len(ordered) + 1]
    return dense, Strings(np.frombuffer(data or b"", np.uint8)[cuts[0] : cuts[-1]], cuts - cuts[0])
