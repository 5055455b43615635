# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Partitioned graphs: a graph cut at split points, and the indexes of its partitions, made when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lux import settings
from lux.graph.core.partitions import Partitions
from lux.graph.indexes import csr_by_source, edge_tiles, ins_index, ins_sets, node_borders
from lux.partition import split_points

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.graph.indexes.csr_by_source import CsrBySource
    from lux.graph.indexes.degree_bins_gpu import Rows
    from lux.graph.indexes.edge_tiles import EdgeTiles
    from lux.graph.indexes.ins_index import InsIndex
    from lux.graph.indexes.node_borders import NodeBorders

T = TypeVar("T")


@dataclass
class PartitionedGraph(Partitions):
    """A graph's partitions, with the indexes that runs derive from their edges, each made once.

    ``sweep_scratch`` is the memory of the last of Brandes' sweeps by P threads, whose type only betweenness knows:
    getting as much memory again from the system costs a tenth of a sweep.
    """

    graph: Graph
    sweep_scratch: Any = None
    _by_source: dict[tuple[tuple[str, ...], bool], CsrBySource] = field(default_factory=dict)
    _blocks: dict[tuple[str, ...], EdgeTiles] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)
    exclusive: dict[str, Any] = field(default_factory=dict)

    def moved(self, points: NDArray[np.int64]) -> PartitionedGraph:
        """Return the same graph at other split points; caches of partitions are made anew."""
        other = PartitionedGraph(self.graph, points)
        other.work = self.work
        if isinstance(self.work, np.ndarray):
            other.edge_points = self.work[points] - points
        return other

    @cached_property
    def gpu_rows(self) -> Rows:
        """The rows of a graph that one GPU holds, as work for its warps."""
        from lux.graph.indexes import degree_bins_gpu

        return degree_bins_gpu.rows_of(self.graph)

    def borders(self) -> NodeBorders:
        """Return this process's borders, as the setting ``exchange`` asks for them. All processes must call this."""
        return self.cached(f"borders: {settings.current().exchange}", node_borders.make)

    def cached(self, name: str, make: Callable[[PartitionedGraph], T]) -> T:
        """Return an object that an engine made of these partitions, or make it."""
        return self._made_once(self.kept, name, make)

    def cached_exclusive(self, name: str, make: Callable[[PartitionedGraph], T]) -> T:
        """Cache an object that only one strategy uses; its memory counts against all others."""
        return self._made_once(self.exclusive, name, make)

    def has_cached(self, name: str) -> bool:
        """Tell whether `cached` or `cached_exclusive` has made an object already."""
        return name in self.kept or name in self.exclusive

    def _made_once(self, among: dict[str, Any], name: str, make: Callable[[PartitionedGraph], T]) -> T:
        if name not in among:
            among[name] = make(self)
        made: T = among[name]
        return made

    def by_source(self, names: tuple[str, ...], *, listed: bool = False) -> CsrBySource:
        """Return each partition's edges by source, with the edge properties ``names``; made once.

        There is a row for each member of INS where there are several partitions or ``listed`` asks for it, else one
        for each vertex.
        """
        key = names, listed or self.parts > 1
        if key not in self._by_source:
            self._by_source[key] = csr_by_source.make(self, *key)
        return self._by_source[key]

    def has_by_source(self, names: tuple[str, ...], *, listed: bool = False) -> bool:
        """Tell whether `by_source` has made them already."""
        return (names, listed or self.parts > 1) in self._by_source

    @cached_property
    def members(self) -> InsIndex:
        """The members of each partition's INS in a list."""
        return ins_index.make(self)

    def blocks(self, names: tuple[str, ...]) -> EdgeTiles:
        """Return each partition's edges in tiles, with the edge properties ``names``; made once."""
        if names not in self._blocks:
            self._blocks[names] = edge_tiles.make(self, names)
        return self._blocks[names]

    def has_blocks(self, names: tuple[str, ...]) -> bool:
        """Tell whether `blocks` has made them already."""
        return names in self._blocks

    def vertex_sets(self, nodes: int) -> split_points.VertexSets:
        """Count INS and ONS of every partition, and UDS of every node."""
        return ins_sets.vertex_sets(self, nodes)
