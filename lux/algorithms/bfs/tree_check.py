# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Check of a breadth-first search's tree: by one point task a partition, each with its own edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs import tree_check_kernels as kernels
from lux.errors import LuxError
from lux.graph.ordering import in_places

if TYPE_CHECKING:
    from lux.graph.graph import Graph

BREACHES = {
    kernels.PARENT: "a parent is one level above its child",
    kernels.TREE_EDGE: "every tree edge is an edge of the graph",
    kernels.SPAN: "a reached vertex's out-neighbours are reached",
    kernels.LEVEL: "no edge skips a level",
}


def check(graph: Graph, distance: NDArray[Any], parent: NDArray[Any], sources: NDArray[np.bool_], last: int) -> None:
    """Check a tree; raises `LuxError` where a check fails.

    Parameters
    ----------
    graph : Graph
    distance, parent : np.ndarray of shape (n_vertices,)
        By dense id; -1 where a vertex was not reached.
    sources : np.ndarray of shape (n_vertices,), bool
        The vertices from which the search started.
    last : int
        The level whose vertices' out-neighbours need not be in the tree, and all levels below.

    Examples
    --------
    >>> import lux
    >>> path, start = lux.from_edges([0, 1], [1, 2]), np.array([True, False, False])
    >>> check(path, np.array([0, 1, 2]), np.array([0, 0, 1]), start, last=3)
    >>> check(path, np.array([0, 1, 1]), np.array([0, 0, 0]), start, last=3)
    Traceback (most recent call last):
        ...
    lux.errors.LuxError: breadth-first search: it does not hold that every tree edge is an edge of the graph
    """
    own = (distance[sources] == 0) & (parent[sources] == np.flatnonzero(sources))
    _require(bool(own.all()), "the source has distance 0 and is its own parent")
    _require(bool(((distance == 0) == sources).all()), "only the source has distance 0")
    _require(bool(((distance >= 0) == (parent >= 0)).all()), "exactly the reached vertices have a parent")
    _require(bool((parent < len(parent)).all()), "parents are vertices")
    placed = parent
    if graph.order is not None:
        inside = parent >= 0
        placed = parent.copy()
        placed[inside] = graph.order.places_array[parent[inside]]
    layout = graph.layout(graph.default_parts())
    broken = runtime.new_store(np.int64, layout.parts * kernels.RULES)
    _check_rows(
        layout.parts,
        points_array=runtime.from_array(layout.points),
        in_offsets=graph.offsets,
        sources=graph.sources,
        distance=in_places(graph, runtime.from_array(distance)),
        parent=in_places(graph, runtime.from_array(placed)),
        broken=broken,
        offsets=layout.splits["offsets"],
        edges=layout.splits["edges"],
        rows=layout.rows(kernels.RULES),
        last=last,
    )
    counts = runtime.to_array(broken).reshape(-1, kernels.RULES).sum(axis=0)
    for rule, holds in BREACHES.items():
        _require(not counts[rule], holds)


@runtime.task(
    inputs={"points_array": None, "in_offsets": "offsets", "sources": "edges", "distance": None, "parent": None},
    outputs={"broken": "rows"},
    scalars={"last": int},
)
def _check_rows(
    point: int, points_array: Any, in_offsets: Any, sources: Any, distance: Any, parent: Any, broken: Any, last: int
) -> None:
    kernels.check_rows(points_array[point], last, in_offsets, sources, distance, parent, broken)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise LuxError(f"breadth-first search: it does not hold that {what}")
