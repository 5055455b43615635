# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges in the columns of a caller: checked, converted to arrays, and their vertices numbered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lux import runtime
from lux.checks import checked_count, checked_flag
from lux.errors import GraphError, ParameterError
from lux.graph.construction import sharded as shares
from lux.graph.construction.device_arrays import DeviceArray, device_array
from lux.graph.construction.edge_list import EdgeList, storable
from lux.graph.construction.edge_stores import StoredEdges
from lux.graph.construction.sharded import ShardedEdges
from lux.graph.core.compact_ids import compact
from lux.graph.core.ids import Identity, VertexIds
from lux.graph.core.stored_graph import id_dtype


@dataclass(frozen=True)
class EdgeColumns:
    """The columns of an edge list as a caller passes them; `lux.from_edges` describes them."""

    sources: Any
    destinations: Any
    properties: Mapping[str, ArrayLike]
    directed: bool = True
    bipartite: bool = False
    n_vertices: int | None = None
    vertices: Any = None

    def edges(self, *, sharded: bool = False) -> EdgeList | StoredEdges | ShardedEdges:
        """Number the vertices; of all processes' edges, if each has edges of its own.

        Raises
        ------
        ParameterError, GraphError
            Raised as by `lux.from_edges`.
        """
        if checked_flag("sharded", sharded) and runtime.ranks() > 1:
            return self._of_all_processes()
        u, v, numbers = self._arrays()
        on_gpu = self._on_gpu(u, v, numbers)
        if on_gpu is not None:
            return on_gpu
        u, v = _on_host(u), _on_host(v)
        if self.n_vertices is not None:
            dense_u, dense_v, ids = self._counted(u, v)
        else:
            isolated = self._isolated()
            if not len(u) and not len(isolated):
                raise GraphError(
                    "there are no edges, so there are no vertices: lux.from_edges([], [], n_vertices=N) makes a graph "
                    "of N vertices without edges"
                )
            dense_u, dense_v, ids = compact(u, v, bipartite=self.bipartite, isolated=isolated)
        return EdgeList(dense_u, dense_v, len(ids), self.directed, ids, numbers)

    def _on_gpu(self, u: Any, v: Any, numbers: dict[str, NDArray[Any]]) -> StoredEdges | None:
        """Have a GPU number the vertices, if it can."""
        plain = all(isinstance(ends, np.ndarray | DeviceArray) for ends in (u, v))
        if not len(u) or self.bipartite or self.vertices is not None or not plain or not runtime.gpus():
            return None
        from lux.graph.construction.gpu.numbers import numbered

        number = None if self.n_vertices is None else checked_count("n_vertices", self.n_vertices)
        return numbered((u, v), numbers, directed=bool(checked_flag("directed", self.directed)), n_vertices=number)

    def _of_all_processes(self) -> ShardedEdges | EdgeList:
        """Join the edges of all processes, each of which passes its own."""

        def own() -> tuple[Any, Any, VertexIds | None, Any, dict[str, NDArray[Any]]]:
            checked_flag("directed", self.directed)
            u, v, numbers = self._arrays()
            u, v = _on_host(u), _on_host(v)
            if self.n_vertices is None:
                return u, v, None, self._isolated(), numbers
            return *self._counted(u, v), (), numbers

        u, v, ids, isolated, numbers = shares.on_all_ranks(own)
        facts = {"n_vertices": self.n_vertices, "directed": bool(self.directed), "bipartite": bool(self.bipartite)}
        told = shares.all_facts(facts)
        for name in told[0]:
            if any(each[name] != told[0][name] for each in told):
                values = " and ".join(str(each[name]) for each in told)
                raise ParameterError(f"{name} is {values} in the processes: pass the same in all")
        if ids is None:
            u, v, ids = shares.numbered(u, v, bipartite=self.bipartite, isolated=isolated)
        return shares.joined(u, v, ids, numbers, directed=self.directed)

    def _arrays(self) -> tuple[Any, Any, dict[str, NDArray[Any]]]:
        """Convert the columns to arrays of one length; ids may be PyArrow arrays of strings."""
        u, v = ids_array(self.sources), ids_array(self.destinations)
        shapes = [ends.shape if hasattr(ends, "shape") else (len(ends),) for ends in (u, v)]
        if len(shapes[0]) != 1 or shapes[0] != shapes[1]:
            raise ParameterError(
                f"sources have shape {shapes[0]}, destinations {shapes[1]}: pass two arrays of one length"
            )
        return u, v, {name: _numbers(name, values, len(u)) for name, values in self.properties.items()}

    def _isolated(self) -> Any:
        if self.vertices is None:
            return ()
        if self.bipartite:
            raise ParameterError("vertices= does not say on which side a vertex is: leave it or bipartite=True out")
        vertices = _on_host(ids_array(self.vertices))
        if getattr(vertices, "ndim", 1) != 1:
            raise ParameterError(f"vertices have shape {vertices.shape}: pass a list or an array of ids")
        return vertices

    def _counted(self, u: Any, v: Any) -> tuple[NDArray[Any], NDArray[Any], VertexIds]:
        """Take ids from 0 to ``n_vertices - 1`` as dense ids."""
        n_vertices = checked_count("n_vertices", self.n_vertices)
        for name, given in (("bipartite=True", self.bipartite), ("vertices", self.vertices is not None)):
            if given:
                raise ParameterError(f"n_vertices and {name} contradict each other: leave one out")
        for name, values in (("sources", u), ("destinations", v)):
            kind = getattr(values, "dtype", "strings")
            whole = isinstance(values, np.ndarray) and values.dtype.kind in "iu"
            if len(values) and (not whole or values.min() < 0 or values.max() >= n_vertices):
                has = f"integers from {values.min()} to {values.max()}" if whole else kind
                raise ParameterError(
                    f"{name} must be integers from 0 to n_vertices - 1 = {n_vertices - 1}, and are {has}"
                )
        dtype = id_dtype(n_vertices)
        if not len(u):
            u = v = np.zeros(0, dtype)
        return u.astype(dtype), v.astype(dtype), Identity(n_vertices)


def ids_array(ends: Any) -> Any:
    """Convert ids to a NumPy array, or a PyArrow array of strings; those on a GPU stay there.

    A list's numbers do not become strings.

    >>> import pyarrow as pa
    >>> ids_array(pa.chunked_array([[3], [5]])), ids_array([1, "a"])
    (array([3, 5]), array([1, 'a'], dtype=object))
    """
    if (on_gpu := device_array(ends)) is not None:
        return on_gpu
    # Arrays of NumPy have no Arrow stream; pandas converts its own better: it knows what is missing.
    if (hasattr(ends, "__arrow_c_stream__") or hasattr(ends, "__arrow_c_array__")) and not hasattr(ends, "iloc"):
        return arrow_ids(ends)
    array = _array(ends)
    return np.asarray(ends, object) if array.dtype.kind == "U" and isinstance(ends, list | tuple) else array


def arrow_ids(column: Any) -> Any:
    """Convert a column of Arrow: integers to a NumPy array, strings (also as dictionaries) to a large string array.

    Raises
    ------
    ParameterError
        Some ids are missing.
    """
    import pyarrow as pa

    chunks = column if isinstance(column, pa.ChunkedArray | pa.Array) else pa.chunked_array(column)
    if chunks.null_count:
        raise ParameterError(f"{chunks.null_count} ids are missing: leave such edges out, as by drop_null()")
    pieces = [_plain(piece) for piece in (chunks.chunks if isinstance(chunks, pa.ChunkedArray) else [chunks])]
    whole = pieces[0] if len(pieces) == 1 else pa.concat_arrays(pieces) if pieces else pa.array([], pa.int64())
    return whole if pa.types.is_large_string(whole.type) else whole.to_numpy(zero_copy_only=False)


def _plain(array: Any) -> Any:
    """Return an Arrow array without a dictionary, whose strings are large strings."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        names = _plain(array.dictionary)
        return pa.DictionaryArray.from_arrays(array.indices, names).dictionary_decode()
    text = pa.types.is_string(array.type) or pa.types.is_string_view(array.type)
    return array.cast(pa.large_string()) if text else array


def _array(values: Any) -> NDArray[Any]:
    """Return values as an array, without a copy where they offer NumPy's protocols, Python's buffers or DLPack."""
    if hasattr(values, "__dlpack__") and not (hasattr(values, "__array__") or hasattr(values, "__array_interface__")):
        return np.from_dlpack(values)
    if isinstance(values, np.ma.MaskedArray) and values.mask.any():
        raise ParameterError(f"{values.mask.sum()} of {len(values)} entries are masked: leave such edges out")
    return np.asarray(values)


def _on_host(column: Any) -> Any:
    return column.to_numpy() if isinstance(column, DeviceArray) else column


def _numbers(name: str, values: ArrayLike, n_edges: int) -> NDArray[Any]:
    numbers = _array(values)
    if numbers.shape != (n_edges,):
        raise ParameterError(f"{name} has shape {numbers.shape}: pass one value for each of the {n_edges} edges")
    return storable(name, numbers)
