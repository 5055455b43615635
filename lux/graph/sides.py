# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The two sides of a bipartite graph, and partitions that balance the work on one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lux import runtime
from lux.errors import GraphError, ParameterError
from lux.graph.core.ids import Bipartite
from lux.graph.core.stored_graph import in_degrees
from lux.graph.layout import PartitionedGraph
from lux.graph.ordering import in_places
from lux.partition import split_points

if TYPE_CHECKING:
    from lux.graph.graph import Graph

LEFT, RIGHT = 0, 1
NAMES = ("left", "right")
_SOLVING = 3
"""Cost of solving a vertex's equations in least squares, in edges for each of its K unknowns."""


class Sides:
    """The two sides of a bipartite graph: left vertices (users) rate right vertices (items).

    Attributes
    ----------
    of : np.ndarray of shape (n_vertices,), uint8
        0 for left and 1 for right vertices. A lone vertex of a directed graph with one id space is a left one.

    Raises
    ------
    GraphError
        The graph does not say which side a vertex is on.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        if isinstance(graph.ids, Bipartite):
            self.of = (np.arange(graph.n_vertices) >= len(graph.ids.left)).astype(np.uint8)
            return
        if not graph.directed:
            raise GraphError(
                "this graph is undirected and has one id space, so nothing says which vertices are users and which "
                "are items: make it with bipartite=True, or with edges directed from users to items"
            )
        receives = graph.dense_in_degrees() > 0
        both = np.flatnonzero(receives & (graph.dense_out_degrees() > 0))
        if len(both):
            name = graph.ids.labels(int(both[0]), int(both[0]) + 1).tolist()[0]
            raise GraphError(
                f"this graph is not bipartite: vertex {name!r} ({len(both):,} in all) has both in- and out-edges; if "
                "users and items have the same ids, make the graph with bipartite=True"
            )
        self.of = receives.astype(np.uint8)

    def members(self, side: int) -> NDArray[np.int64]:
        """Dense ids of the vertices of a side, ascending."""
        return np.flatnonzero(self.of == side)

    def find(self, vertices: ArrayLike, side: int) -> NDArray[np.int64]:
        """Dense ids of vertices of a side, which the user names, in the shape of ``vertices``.

        A vertex is named as in the graph (``left:7``), or by its id in the side's own id space (7).
        """
        given, ids = np.asarray(vertices), self.graph.ids
        if isinstance(ids, Bipartite) and given.dtype.kind in "iu" and given.ndim:
            try:
                own = (ids.left, ids.right)[side].dense_array(given).astype(np.int64)
            except GraphError:
                pass  # one by one, the one that is not there gets its full name in the message
            else:
                return own + (len(ids.left) if side == RIGHT else 0)
        found = np.array([self._find(name, side) for name in given.ravel().tolist()], np.int64)
        return found.reshape(given.shape)

    def _find(self, vertex: Any, side: int) -> int:
        ids = self.graph.ids
        if isinstance(ids, Bipartite) and not (isinstance(vertex, str) and ids.find(vertex) is not None):
            vertex = f"{NAMES[side]}:{vertex}"
        dense = ids.dense(vertex)
        if self.of[dense] != side:
            raise ParameterError(
                f"{vertex!r} is a {NAMES[1 - side]} vertex, and a {NAMES[side]} one is wanted here: users are on the "
                "left side and items on the right"
            )
        return dense


def sides_in_places(graph: Graph, sides: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the side of every vertex, in the order in which the graph is stored."""
    return runtime.to_array(in_places(graph, runtime.from_array(sides)))


def side_layout(graph: Graph, sides: NDArray[np.uint8], side: int, k: int, parts: int) -> PartitionedGraph:
    """Divide a graph so that partitions balance the least squares of one side, which a sweep solves alone.

    A partition owns a range of the left vertices by one layout, and of the right ones by the other.

    Parameters
    ----------
    sides : np.ndarray of shape (n_vertices,), uint8
        The side of every vertex, in the order in which the graph is stored.
    side : {LEFT, RIGHT}
    k : int
        Length of the factors.
    """
    work = np.where(sides == side, in_degrees(graph) + _SOLVING * k, 0)
    return PartitionedGraph(graph, split_points.balanced_points(split_points.starts(work), parts))


def most_received(graph: Graph, sides: NDArray[np.uint8], parts: int, k: int) -> int:
    """Count the rows that a partition reads of others' in both sweeps, at most, by reading all edges.

    Parameters
    ----------
    graph : Graph
        The ratings in both directions.
    sides : np.ndarray of shape (n_vertices,), uint8
        The side of every vertex, by dense id.
    parts, k : int
        Partitions, and the length of the factors, on which their split points depend.

    Examples
    --------
    >>> import lux
    >>> g = lux.from_edges([0, 0, 1, 1], [0, 1, 0, 1], bipartite=True).symmetrized()
    >>> most_received(g, np.array([0, 0, 1, 1], np.uint8), 2, k=20)  # one row of each side
    2
    """
    stored, placed = graph.layout(parts).graph, sides_in_places(graph, sides)
    layouts = [side_layout(stored, placed, side, k, parts) for side in (LEFT, RIGHT)]
    received = np.zeros(parts, np.int64)
    for side in (LEFT, RIGHT):
        readers, counts = layouts[1 - side], runtime.new_store(np.int64, parts)
        with runtime.registered((placed == side, layouts[side].points)) as key:
            _count_received(
                parts,
                sources=stored.sources,
                edges=readers.splits["edges"],
                counts=counts,
                count_rows=readers.rows(1),
                key=key,
            )
            runtime.finish()
        received += runtime.to_array(counts)
    return int(received.max())


@runtime.task(inputs={"sources": "edges"}, outputs={"counts": "count_rows"}, scalars={"key": int})
def _count_received(point: int, sources: NDArray[Any], counts: NDArray[np.int64], key: int) -> None:
    """Count a side's vertices that a partition reads and does not own."""
    from lux.kernels import vertex_set

    sent, points = runtime.context(key)
    found = vertex_set.vertex_set(sources)
    read = np.empty(int(found[vertex_set.SIZE]), np.uint64)
    vertex_set.list_members(found, read)
    read = read[sent[read]]
    counts[0] = np.count_nonzero((read < points[point]) | (read >= points[point + 1]))
