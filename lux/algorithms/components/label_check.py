# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Check of the labels of components: by one point task a partition, each with its own edges.

SciPy counts the components, to see that none could be split. Of graphs that are too large for it, marks spread along
edges from each vertex that is its own label, for as many rounds as the longest of the shortest paths: when all are
marked, each vertex has a path to its label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.components import label_check_kernels as kernels
from lux.errors import LuxError
from lux.graph.ordering import in_places

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph

MOST_FOR_SCIPY = 2**31 - 1
"""Vertices and edges of a graph that SciPy takes: its indices are signed and have 32 bits."""


def check(graph: Graph, labels: NDArray[Any]) -> None:
    """Check labels; raises `LuxError` where a check fails.

    Parameters
    ----------
    graph : Graph
    labels : np.ndarray of shape (n_vertices,)
        Dense ids, by dense id.

    Examples
    --------
    >>> import lux
    >>> path = lux.from_edges([0, 1], [1, 2])
    >>> check(path, np.array([0, 0, 0]))
    >>> check(path, np.array([0, 0, 2]))
    Traceback (most recent call last):
        ...
    lux.errors.LuxError: connected components: an edge joins vertices with different labels
    """
    layout, split = graph.layout(graph.default_parts()), runtime.new_scalar()
    _count_split_edges(layout.parts, labels=in_places(graph, runtime.from_array(labels)), found=split, **_edges(layout))
    if runtime.read_scalar(split):
        raise LuxError("connected components: an edge joins vertices with different labels")
    every = np.arange(len(labels), dtype=labels.dtype)
    if (labels < 0).any() or (labels > every).any() or (labels[labels] != labels).any():
        raise LuxError("connected components: a label is not the smallest vertex of its component")
    roots = labels == every
    if max(graph.n_vertices, graph.n_edges) > MOST_FOR_SCIPY:
        if apart := _unmarked(graph.symmetrized() if graph.directed else graph, roots):
            raise LuxError(f"connected components: {apart} vertices have no path to the vertex that is their label")
        return
    from scipy.sparse.csgraph import connected_components

    count, _ = connected_components(graph.to_scipy(weight=None), directed=False)
    if count != np.count_nonzero(roots):
        raise LuxError(f"connected components: {np.count_nonzero(roots)} labels, and SciPy finds {count} components")


def _unmarked(graph: Graph, roots: NDArray[np.bool_]) -> int:
    """Count the vertices that marks do not reach from ``roots`` (by dense id); each process has the marks of all."""
    layout = graph.layout(graph.default_parts())
    marks = runtime.to_array(in_places(graph, runtime.from_array(roots.astype(np.int32))))
    number, new = 1, True
    with runtime.registered(marks) as key:
        while new:
            found = runtime.new_scalar()
            _spread(layout.parts, found=found, number=number, key=key, **_edges(layout))
            number, new = number + 1, bool(runtime.read_scalar(found))
            if runtime.ranks() > 1:
                np.copyto(marks, runtime.allreduce_max(marks.astype(np.float64)), casting="unsafe")
    return int(np.count_nonzero(marks == 0))


def _edges(layout: PartitionedGraph) -> dict[str, Any]:
    graph = layout.graph
    stores = {"points_array": runtime.from_array(layout.points), "in_offsets": graph.offsets, "sources": graph.sources}
    return stores | {"offsets": layout.splits["offsets"], "edges": layout.splits["edges"]}


_INPUTS: dict[str, str | None] = {"points_array": None, "in_offsets": "offsets", "sources": "edges"}


@runtime.task(inputs=_INPUTS | {"labels": None}, sums={"found": None})
def _count_split_edges(point: int, points_array: Any, in_offsets: Any, sources: Any, labels: Any, found: Any) -> None:
    found[0] += kernels.count_split_edges(points_array[point], in_offsets, sources, labels)


@runtime.task(inputs=_INPUTS, sums={"found": None}, scalars={"number": int, "key": int})
def _spread(point: int, points_array: Any, in_offsets: Any, sources: Any, found: Any, number: int, key: int) -> None:
    found[0] += kernels.spread(points_array[point], number, in_offsets, sources, runtime.context(key))
