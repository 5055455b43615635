# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Degrees of vertices, counted on one GPU: what `lux.graph.degrees` counts on CPU cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.gpu import edges as gpu_edges
from lux.launch.call import KernelCall, kernel
from lux.launch.memory import Scratch
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.core.stored_graph import StoredGraph

COUNTERS = {"int32": "u32", "int64": "u64"}
"""C++ types of counters, by the type of degrees."""


class RowFacts(NamedTuple):
    """Facts about a graph's rows.

    Attributes
    ----------
    longest : int
        The largest in-degree.
    filled : int
        The number of positions up to the last that has in-edges.
    """

    longest: int
    filled: int


def row_facts(graph: StoredGraph) -> RowFacts | None:
    """Look at the rows of a graph; None where cores are to do it."""
    if not _wanted(graph, 8 * graph.n_vertices):
        return None
    arguments: list[str | np.generic] = ["offsets", np.int64(graph.n_vertices), "control"]
    function = kernel("degrees.cu", "lux_look_at_rows", gpu_edges.THREADS)
    scratch = Scratch({"control": 16}, {})
    call = KernelCall(function, arguments, {"offsets": graph.offsets}, {}, scratch, 16, 0, _facts)
    found: RowFacts = call.run("look_at_rows")[0]
    return found


def _facts(control: NDArray[np.uint8], _statistics: Any) -> RowFacts:
    return RowFacts(*control.view(np.uint64).tolist())


def out_degrees(graph: StoredGraph, dtype: np.dtype[Any]) -> Store | None:
    """Count out-degrees by position into a store of shape (n_vertices,); None where cores are to do it."""
    n, m = graph.n_vertices, graph.n_edges
    if not _wanted(graph, (8 + dtype.itemsize) * n + (4 * m if graph.directed else 0)):
        return None
    degrees = runtime.new_store(dtype, n, touched=False)
    name, inputs, sizes = "lux_row_lengths", {"offsets": graph.offsets}, [np.int64(n)]
    if graph.directed:
        name, inputs, sizes = "lux_count_sources", {"sources": graph.sources}, [np.int64(n), np.int64(m)]
    arguments: list[str | np.generic] = [*inputs, *sizes, "degrees", "control"]
    gpu_edges.call("degrees.cu", name, arguments, inputs, {"degrees": degrees}, {}, DEGREE=COUNTERS[dtype.name])
    return degrees


def _wanted(graph: StoredGraph, nbytes: int) -> bool:
    is_small = graph.n_vertices < gpu_edges.MOST_VERTICES
    return is_small and gpu_edges.wanted(graph.n_edges) and gpu_edges.has_room(nbytes)
