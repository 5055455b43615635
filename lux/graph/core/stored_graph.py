# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Stores of a graph, by which edges are grouped, indexed and cut; `lux.graph.graph.Graph` adds all that users call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.core.ids import VertexIds
from lux.graph.core.lookup import values_at
from lux.partition import split_points
from lux.runtime import Store

if TYPE_CHECKING:
    from perfmodel import GraphSummary

MOST_ON_GPUS = (1 << 32) - (1 << 20)
"""Bound of vertices on GPUs, which number rows in 32 bits: kernels step beyond the last by a grid's threads."""
DEALT = 16
"""Ranges to which vertices are dealt out in turns. With one range all hubs would be in one partition, whose work is
then of another kind: a search has visited most of them after two levels. Ranges of equal mixture balance all
algorithms."""


def id_dtype(n_vertices: int) -> np.dtype[Any]:
    """Return the type that holds a dense vertex id: uint32 up to 2^32 vertices, uint64 above.

    >>> id_dtype(10), id_dtype(2**32), id_dtype(2**32 + 1)
    (dtype('uint32'), dtype('uint32'), dtype('uint64'))
    """
    return np.dtype(np.uint32 if n_vertices <= 2**32 else np.uint64)


@dataclass(frozen=True, eq=False)
class Order:
    """An order of vertices: the position where each is stored.

    Attributes
    ----------
    name : str
        ``degree``: in each of `DEALT` ranges vertices with more edges come first; or the name of a partitioner.
    vertices : Store of shape (n_vertices,), uint32 or uint64
        The dense id of the vertex at each position.
    places : Store of shape (n_vertices,), uint32 or uint64
        The position of each vertex.
    ranges : int
        Ranges of positions in each of which vertices with more edges come first.
    seconds : float
        Time of making the order and sorting the edges again.
    points : np.ndarray of shape (parts + 1,), int64, or None
        A partitioner's split points: layouts of as many partitions have them.
    """

    name: str
    vertices: Store = field(repr=False)
    places: Store = field(repr=False)
    ranges: int = DEALT
    seconds: float = 0.0
    points: NDArray[np.int64] | None = None

    @cached_property
    def places_array(self) -> NDArray[Any]:
        """Copy of ``places`` in the memory of this process; cached."""
        return runtime.to_array(self.places)


@dataclass(eq=False)
class StoredGraph:
    """The stores of a graph, and the facts that are needed to read them; `lux.graph.graph.Graph` names them all.

    ``points`` are the split points at which several processes or GPUs made the stores, if they did: as many partitions
    have them, so that their edges stay where they are. ``edge_points`` are the offsets there, where they are known.
    """

    n_vertices: int
    n_edges: int
    directed: bool
    ids: VertexIds
    offsets: Store = field(repr=False)
    sources: Store = field(repr=False)
    properties: dict[str, Store] = field(repr=False)
    property_types: dict[str, np.dtype[Any]] = field(repr=False)
    order: Order | None = None
    summary: GraphSummary | None = field(default=None, repr=False)
    points: NDArray[np.int64] | None = field(default=None, repr=False)
    edge_points: NDArray[np.int64] | None = field(default=None, repr=False)

    @property
    def id_dtype(self) -> np.dtype[Any]:
        """Type of a dense vertex id."""
        return id_dtype(self.n_vertices)

    @property
    def edges_on_gpus(self) -> bool:
        """True if GPUs made the edges, which lie in their memory."""
        return self.sources.lies_on_gpus

    @property
    def dealt_ranges(self) -> int:
        """Ranges of positions to which the order by degree has dealt vertices out in turns; 0 in other orders."""
        return self.order.ranges if self.order is not None and self.order.name == "degree" else 0

    def points_for(self, parts: int) -> NDArray[np.int64]:
        """Return split points of so many partitions: a partitioner's, those of the stores, or balanced ones."""
        if parts == 1:
            return np.array([0, self.n_vertices], np.int64)
        for points in (None if self.order is None else self.order.points, self.points):
            if points is not None and len(points) == parts + 1:
                return points
        if runtime.ranks() == 1 and not self.offsets.lies_on_gpus:
            return split_points.balanced_points(runtime.to_array(self.offsets), parts)
        targets = np.linspace(0.0, float(self.n_edges + self.n_vertices), parts + 1)
        points = split_points.nearest(lambda v: self.offsets_at(v) + v, self.n_vertices + 1, targets)
        points[0], points[-1] = 0, self.n_vertices
        return np.maximum.accumulate(points)

    def offsets_at(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return ``offsets`` at some positions in the stored order of vertices. All processes must call this alike."""
        if self.edge_points is not None and self.points is not None and np.array_equal(places, self.points):
            return self.edge_points
        return values_at(self.offsets, self.n_vertices + 1, places, self.points)


def in_degrees(graph: StoredGraph) -> NDArray[np.int64]:
    """Count in-degrees by position, of shape (n_vertices,), int64.

    Examples
    --------
    >>> import lux
    >>> in_degrees(lux.toy.path(3))
    array([0, 1, 1])
    """
    return np.diff(runtime.to_array(graph.offsets)[: graph.n_vertices + 1])


def graph_bytes(n_vertices: int, n_edges: int, property_types: Mapping[str, Any]) -> int:
    """Compute the bytes of a graph in Legate's memory.

    Parameters
    ----------
    n_vertices : int
    n_edges : int
        Stored in-edges: an undirected edge counts twice.
    property_types : mapping of name to dtype

    Examples
    --------
    >>> graph_bytes(10, 100, {})
    528
    """
    per_edge: int = id_dtype(n_vertices).itemsize + sum(np.dtype(t).itemsize for t in property_types.values())
    return 12 * n_vertices + 8 + per_edge * n_edges
