# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Degrees of vertices, counted on one GPU, or on those that have the rows: what `lux.graph.degrees` counts on cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.gpu import choice
from lux.graph.construction.gpu import edges as gpu_edges
from lux.launch.call import KernelCall, kernel
from lux.launch.memory import Scratch
from lux.launch.peer_call import Argument, Parts, PeerCall, Placed, place
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
    points = _points(graph)
    if not _wanted(graph, 8 * graph.n_vertices, points):
        return None
    name, function = "look_at_rows", kernel("degrees.cu", "lux_look_at_rows", gpu_edges.THREADS)
    if points is None:
        arguments: list[str | np.generic] = ["offsets", np.int64(graph.n_vertices), np.int64(graph.n_edges), "control"]
        scratch = Scratch({"control": 16}, {})
        call = KernelCall(function, arguments, {"offsets": graph.offsets}, {}, scratch, 16, 0, _facts)
        alone: RowFacts = call.run(name)[0]
        return alone
    found = PeerCall(function, _placed(graph, points), _rows(graph, points, "control"), {"control": 16}, {}, "control")
    longest, filled = found.run(name).view(np.int64).T
    return RowFacts(int(longest.max()), int(np.where(filled, points[:-1] + filled, 0).max()))


def _facts(control: NDArray[np.uint8], _statistics: Any) -> RowFacts:
    return RowFacts(*control.view(np.uint64).tolist())


def out_degrees(graph: StoredGraph, dtype: np.dtype[Any]) -> Store | None:
    """Count out-degrees by position into a store of shape (n_vertices,); None where cores are to do it."""
    n, m, points = graph.n_vertices, graph.n_edges, None if graph.directed else _points(graph)
    if not _wanted(graph, (8 + dtype.itemsize) * n + (4 * m if graph.directed else 0), points):
        return None
    degrees, macros = runtime.new_store(dtype, n, touched=False), {"DEGREE": COUNTERS[dtype.name]}
    if points is not None:
        placed = _placed(graph, points, degrees=Parts(degrees, points))
        function = kernel("degrees.cu", "lux_row_lengths", gpu_edges.THREADS, **macros)
        PeerCall(function, placed, _rows(graph, points, "degrees", "control"), {"control": 8}).run("row_lengths")
        return degrees
    name, inputs = "lux_row_lengths", {"offsets": graph.offsets}
    if graph.directed:
        name, inputs = "lux_count_sources", {"sources": graph.sources}
    arguments: list[str | np.generic] = [*inputs, np.int64(n), np.int64(m), "degrees", "control"]
    gpu_edges.call("degrees.cu", name, arguments, inputs, {"degrees": degrees}, {}, **macros)
    return degrees


def _points(graph: StoredGraph) -> NDArray[np.int64] | None:
    """Return the split points of a graph whose rows lie on several GPUs; None if one looks at all."""
    gpus, points = choice.several(), graph.points
    there = points is not None and graph.edge_points is not None and len(points) == gpus + 1
    return points if there and gpus > 1 else None


def _placed(graph: StoredGraph, points: NDArray[np.int64], **outputs: Parts) -> Placed:
    """Place offsets where those that made the graph left them, and outputs."""
    rows = np.append(points[:-1], graph.n_vertices + 1)
    return place(len(points) - 1, {"offsets": Parts(graph.offsets, rows)}, outputs)


def _rows(graph: StoredGraph, points: NDArray[np.int64], *others: str) -> list[Argument]:
    """Return a kernel's arguments: the offsets of each GPU's rows, their number, the end of the last, and others."""
    assert graph.edge_points is not None
    return ["offsets", np.diff(points), graph.edge_points[1:], *others]


def _wanted(graph: StoredGraph, nbytes: int, points: NDArray[np.int64] | None) -> bool:
    is_small = graph.n_vertices < gpu_edges.MOST_VERTICES
    each = nbytes if points is None else nbytes * int(np.diff(points).max()) // graph.n_vertices
    return is_small and gpu_edges.wanted(graph.n_edges) and gpu_edges.has_room(each)
