# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges that lie in Legion already, as the source of a graph: in any order, or another graph's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.graph.core.ids import Identity, VertexIds
from lux.graph.core.stored_graph import StoredGraph
from lux.runtime import Store


@dataclass(frozen=True)
class StoredEdges:
    """Edges in Legion, in any order, as the source of a graph.

    Attributes
    ----------
    n_vertices, n_edges : int
    sources, destinations : Store of shape (n_edges,), uint32 or uint64
    properties : mapping of name to Store of shape (n_edges,)
    directed : bool
        False: each edge is listed once and stands for both directions.
    names : VertexIds, optional
        The user's id of every vertex; by default the dense ids.
    """

    n_vertices: int
    n_edges: int
    sources: Store
    destinations: Store
    properties: Mapping[str, Store]
    directed: bool
    names: VertexIds | None = None

    @property
    def ids(self) -> VertexIds:
        """The user's id of every vertex."""
        return Identity(self.n_vertices) if self.names is None else self.names

    @property
    def property_types(self) -> Mapping[str, np.dtype[Any]]:
        """The edge properties and their types."""
        return {name: np.dtype(store.dtype) for name, store in self.properties.items()}


@dataclass(frozen=True)
class GraphEdges:
    """The edges of a graph as the source of another: reversed, in both directions, or with its vertices moved.

    ``places`` has the new position of the vertex that is stored at each position, and ``vertices`` the present position
    of the vertex at each new one. ``names`` are the properties to take, by default all.
    """

    graph: StoredGraph
    reverse: bool = False
    mirror: bool = False
    places: Store | None = None
    vertices: Store | None = None
    names: tuple[str, ...] | None = None

    @property
    def n_vertices(self) -> int:
        """Number of vertices of the graph."""
        return self.graph.n_vertices

    @property
    def n_edges(self) -> int:
        """Number of stored edges of the graph."""
        return self.graph.n_edges

    @property
    def ids(self) -> VertexIds:
        """The graph's ids."""
        return self.graph.ids

    @property
    def directed(self) -> bool:
        """True if the new graph is directed; an undirected graph's edges are all there in both directions."""
        return not self.mirror and self.graph.directed

    @property
    def property_types(self) -> Mapping[str, np.dtype[Any]]:
        """The edge properties that are taken, and their types."""
        types = self.graph.property_types
        return types if self.names is None else {name: types[name] for name in self.names}


@dataclass(frozen=True)
class SortedEdges:
    """Stores of a graph's edges, sorted by destination, then source; see `lux.graph.graph.Graph`.

    ``points`` and ``edge_points`` are as of `lux.graph.core.stored_graph.StoredGraph`.
    """

    n_edges: int
    offsets: Store
    sources: Store
    properties: dict[str, Store]
    points: NDArray[np.int64] | None = None
    edge_points: NDArray[np.int64] | None = None
