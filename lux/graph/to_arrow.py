# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Values of vertices, and edges, as Arrow tables, which pandas, Polars, DuckDB and others read without a copy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from lux.errors import GraphError
from lux.graph.core.ids import Strings

if TYPE_CHECKING:
    from lux.graph.construction.edge_list import EdgeList
    from lux.graph.core.ids import VertexIds
    from lux.graph.values import Values


def arrow_array(array: NDArray[Any]) -> Any:
    """Return a pyarrow Array of numbers, strings, or vectors of one length (fixed-size lists).

    >>> import numpy as np
    >>> str(arrow_array(np.array([[1, 2], [3, 4]])).type)
    'fixed_size_list<item: int64>[2]'
    """
    import pyarrow as pa

    if array.ndim == 2:
        return pa.FixedSizeListArray.from_arrays(pa.array(array.reshape(-1)), array.shape[1])
    return pa.array(array.tolist(), pa.large_string()) if array.dtype.kind == "T" else pa.array(array)


def arrow_ids(ids: VertexIds) -> Any:
    """Return a pyarrow Array of the user's ids of all vertices, in ascending order; strings are not copied."""
    import pyarrow as pa

    if isinstance(ids, Strings):
        buffers = [pa.py_buffer(part) for part in (ids.offsets, ids.text)]
        return pa.LargeStringArray.from_buffers(len(ids), *buffers)
    return arrow_array(ids.labels(0, len(ids)))


def vertex_table(ids: VertexIds, columns: Mapping[str, Values]) -> Any:
    """Return a pyarrow Table: ``vertex``, then the columns, one row for each vertex in ascending order of the ids."""
    import pyarrow as pa

    arrays = {name: arrow_array(values.to_numpy()) for name, values in columns.items()}
    return pa.table({"vertex": arrow_ids(ids), **arrays})


def check_ends(properties: Iterable[str], *ends: str) -> None:
    """Refuse edge properties that have the name of a column of edges' ends: a table would lose one of them.

    Raises
    ------
    GraphError
    """
    for name in properties:
        if name in ends:
            raise GraphError(
                f"the edge property {name!r} would have the same column as an end of edges: make the graph with "
                "another name, or save it as .lux"
            )


def edge_table(edges: EdgeList) -> Any:
    """Return a pyarrow Table of edges: ``source``, ``target``, then the properties; an undirected edge once."""
    import pyarrow as pa

    check_ends(edges.properties, "source", "target")
    names = arrow_ids(edges.ids)
    ends = [names.take(pa.array(places)) for places in (edges.sources, edges.destinations)]
    return pa.table({"source": ends[0], "target": ends[1], **{n: pa.array(v) for n, v in edges.properties.items()}})
