# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A graph whose edges lie in Legion stores, grouped by destination."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import partition, runtime
from lux.edges import id_dtype
from lux.errors import GraphError
from lux.ids import VertexIds
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.engine.layout import Layout

SMALL = 1 << 20
"""Graphs with fewer stored edges run as one partition unless the caller says otherwise: launches would cost more."""


@dataclass(eq=False)
class Graph:
    """A directed or undirected graph with optional edge properties; it never changes.

    Make one with `lux.read_graph`, `lux.generate` or `lux.from_edges` and the other ``from_`` functions.

    Attributes
    ----------
    n_vertices : int
    n_edges : int
        Stored in-edges: an undirected edge between two vertices counts twice, a self-loop once.
    directed : bool
    ids : VertexIds
        The user's id of every vertex; results come back in these.
    offsets : Store of shape (n_vertices + 1,), int64
        The in-edges of vertex v are ``offsets[v]`` to ``offsets[v + 1] - 1``.
    sources : Store of shape (n_edges,), uint32 (uint64 above 2^32 vertices)
        Their sources, ascending within a vertex.
    properties : dict of str to Store of shape (n_edges,)
        Edge properties, in the same order.

    Examples
    --------
    >>> import lux
    >>> g = lux.toy.path(3)
    >>> g.n_vertices, g.n_edges, g.directed
    (3, 2, True)
    """

    n_vertices: int
    n_edges: int
    directed: bool
    ids: VertexIds
    offsets: Store = field(repr=False)
    sources: Store = field(repr=False)
    properties: dict[str, Store] = field(repr=False)
    property_types: dict[str, np.dtype[Any]] = field(repr=False)
    _layouts: dict[int, Layout] = field(default_factory=dict, repr=False)

    @property
    def id_dtype(self) -> np.dtype[Any]:
        """Type of a dense vertex id."""
        return id_dtype(self.n_vertices)

    @property
    def degree_dtype(self) -> np.dtype[Any]:
        """Type of a degree: int32 where every degree fits."""
        return np.dtype(np.int32 if self.n_edges < 2**31 else np.int64)

    @cached_property
    def out_degree_store(self) -> Store:
        """Out-degree of every vertex: a sum over all partitions."""
        store = runtime.new_store(self.degree_dtype, self.n_vertices, 0)
        layout = self.layout(min(runtime.processors(), self.n_vertices, partition.MAX_PARTITIONS))
        _degree_launcher()(layout.parts, sources=self.sources, degrees=store, edges=layout.splits["edges"])
        return store

    def out_degrees(self) -> NDArray[Any]:
        """Out-degrees, of shape (n_vertices,), int32 or int64."""
        return runtime.to_array(self.out_degree_store)

    def in_degrees(self) -> NDArray[np.int64]:
        """In-degrees, of shape (n_vertices,), int64."""
        return np.diff(runtime.to_array(self.offsets))

    def offsets_at(self, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
        """``offsets`` at some vertices."""
        return np.asarray(runtime.to_array(self.offsets)[vertices])

    def default_parts(self) -> int:
        """One partition for each processor; one in all for a small graph."""
        if self.n_edges < SMALL and runtime.ranks() == 1:
            return 1
        return min(runtime.processors(), self.n_vertices, partition.MAX_PARTITIONS)

    def layout(self, parts: int | None = None) -> Layout:
        """The graph cut into ``parts`` ranges with about equally many in-edges."""
        from lux.engine.layout import Layout

        parts = self.default_parts() if parts is None else partition.check_parts(parts, self.n_vertices)
        if parts not in self._layouts:
            points = partition.balanced_points(runtime.to_array(self.offsets), parts)
            self._layouts[parts] = Layout(self, points)
        return self._layouts[parts]


@functools.cache
def _degree_launcher() -> Launcher:
    from lux.kernels import grouping

    def degrees(point: int, sources: NDArray[Any], out: NDArray[Any]) -> None:
        grouping.add_degrees(sources, out)

    return Launcher(degrees, inputs={"sources": "edges"}, sums={"degrees": None})
