# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Partitioned graphs: a graph cut at split points, rectangles for launches, and each partition's edges by source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.degrees import in_degrees
from lux.kernels import frontier
from lux.partition import split_points

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.graph.indexes.degree_bins import DegreeBins, Rows
    from lux.graph.indexes.edge_tiles import EdgeTiles
    from lux.graph.indexes.ins_index import InsIndex
    from lux.graph.indexes.warp_work import HostWarpWork, WarpWork
    from lux.runtime import Store

T = TypeVar("T")


def cut(points: NDArray[np.int64], extra: int = 0) -> NDArray[np.int64]:
    """Return points ``[p_0, ..., p_P]`` as first elements and ends: rows ``p_i, p_(i+1) + extra``.

    >>> cut(np.array([0, 2, 5])).tolist()
    [[0, 2], [2, 5]]
    """
    return np.column_stack([points[:-1], np.asarray(points[1:]) + extra])


def rectangles(cuts: dict[str, NDArray[np.int64]]) -> dict[str, Store]:
    """Make stores of rectangles from cuts."""
    return {name: runtime.rectangles(rows[:, 0], rows[:, 1] - 1) for name, rows in cuts.items()}


def rectangles_of(cuts: dict[str, NDArray[np.int64]], parts: slice) -> dict[str, Store]:
    """Make stores of rectangles from the cuts of some partitions, for launches over them alone.

    Legate does not split a launch of one point, so with one partition a second point gets nothing (`points_for`).
    """
    some = {name: rows[parts] for name, rows in cuts.items()}
    return rectangles({n: rows if len(rows) > 1 else np.vstack([rows, [[0, 0]]]) for n, rows in some.items()})


def points_for(parts: int) -> int:
    """Return the points of a launch over ``parts`` partitions out of more."""
    return max(parts, 2)


@dataclass(frozen=True)
class CsrBySource:
    """Each partition's in-edges grouped by source, for the push model.

    Attributes
    ----------
    ins : Store or None
        INS of each partition, in the form of `lux.kernels.frontier.local_id`; None where every vertex has a row.
    offsets, destinations, properties : Store
        A CSR over the members of INS.
    cuts : dict of str to np.ndarray of shape (parts, 2), int64
        ``ins_rows`` (with more than one partition) and ``by_offsets``: the part of each partition.
    """

    ins: Store | None
    offsets: Store
    destinations: Store
    properties: dict[str, Store]
    cuts: dict[str, NDArray[np.int64]]

    @cached_property
    def splits(self) -> dict[str, Store]:
        """``cuts`` as stores of rectangles."""
        return rectangles(self.cuts)


@dataclass
class PartitionedGraph:
    """A graph's partitions: ``points`` are the P + 1 split points.

    ``sweep_scratch`` is the memory of the last of Brandes' sweeps by P threads, whose type only betweenness knows:
    getting as much memory again from the system costs a tenth of a sweep.
    """

    graph: Graph
    points: NDArray[np.int64]
    sweep_scratch: Any = None
    _by_source: dict[tuple[tuple[str, ...], bool], CsrBySource] = field(default_factory=dict)
    _blocks: dict[tuple[str, ...], EdgeTiles] = field(default_factory=dict)
    _gpu_work: WarpWork | None = None
    _kept: dict[str, Any] = field(default_factory=dict)
    _exclusive: dict[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> int:
        """Number of partitions."""
        return len(self.points) - 1

    @cached_property
    def edge_points(self) -> NDArray[np.int64]:
        """Number of the first in-edge of each partition, and of all."""
        return self.graph.offsets_at(self.points)

    @cached_property
    def work(self) -> NDArray[np.int64]:
        """In-edges before each vertex, where a vertex counts as one edge besides."""
        return split_points.running_work(runtime.to_array(self.graph.offsets))

    def moved(self, points: NDArray[np.int64]) -> PartitionedGraph:
        """Return the same graph at other split points; caches of partitions are made anew."""
        other = PartitionedGraph(self.graph, points)
        other.work = self.work
        if "row_classes" in vars(self):
            other.row_classes = self.row_classes
        other.edge_points = self.work[points] - points
        return other

    @cached_property
    def word_at(self) -> NDArray[np.int64]:
        """Begin of each partition's words of a frontier."""
        return split_points.starts(np.array([frontier.words_for(int(n)) for n in np.diff(self.points)], np.int64))

    @cached_property
    def queue_at(self) -> NDArray[np.int64]:
        """Begin of each partition's words of a frontier, counted in ids."""
        return self.word_at * (8 // self.graph.id_dtype.itemsize)

    @cached_property
    def cuts(self) -> dict[str, NDArray[np.int64]]:
        """The part of the graph's and the run's stores that each partition sees: first element, and end."""
        return {
            "vertices": cut(self.points),
            "offsets": cut(self.points, extra=1),
            "edges": cut(self.edge_points),
            "words": cut(self.word_at),
            "rows": cut(np.arange(self.parts + 1, dtype=np.int64) * frontier.STATE_COLUMNS),
        }

    @cached_property
    def splits(self) -> dict[str, Store]:
        """``cuts`` as stores of rectangles."""
        return rectangles(self.cuts)

    @cached_property
    def gpu_rows(self) -> Rows:
        """The rows of a graph that one GPU holds, as work for its warps."""
        return self.row_classes.whole()

    @cached_property
    def row_classes(self) -> DegreeBins:
        """The graph's rows by class, from which kernels' work is cut."""
        from lux.graph.indexes.degree_bins import DegreeBins

        known = vars(self).get("work")
        if known is not None:
            return DegreeBins(known, 1)
        return DegreeBins(runtime.to_array(self.graph.offsets)[: self.graph.n_vertices + 1])

    @property
    def gpu_work(self) -> WarpWork:
        """Data that kernels on partitions read of their own; made once."""
        if self._gpu_work is None:
            from lux.graph.indexes.warp_work import HostWarpWork, WarpWork

            self._gpu_work = WarpWork(HostWarpWork(self.points, self.word_at, self.row_classes))
        return self._gpu_work

    def install_gpu_work(self, host_work: HostWarpWork) -> None:
        """Install work for warps that was made elsewhere."""
        from lux.graph.indexes.warp_work import WarpWork

        self._gpu_work = WarpWork(host_work)

    def cached(self, name: str, make: Callable[[PartitionedGraph], T]) -> T:
        """Return an object that an engine made of these partitions, or make it."""
        return self._made_once(self._kept, name, make)

    def cached_exclusive(self, name: str, make: Callable[[PartitionedGraph], T]) -> T:
        """Cache an object that only one strategy uses; its memory counts against all others."""
        return self._made_once(self._exclusive, name, make)

    def has_cached(self, name: str) -> bool:
        """Tell whether `cached` or `cached_exclusive` has made an object already."""
        return name in self._kept or name in self._exclusive

    def _made_once(self, among: dict[str, Any], name: str, make: Callable[[PartitionedGraph], T]) -> T:
        if name not in among:
            among[name] = make(self)
        made: T = among[name]
        return made

    def rows(self, width: int) -> Store:
        """Return rectangles of ``width`` elements a partition."""
        return runtime.ranges(np.arange(self.parts + 1, dtype=np.int64) * width)

    def by_source(self, names: tuple[str, ...], *, listed: bool = False) -> CsrBySource:
        """Return each partition's edges by source, with the edge properties ``names``; made once.

        There is a row for each member of INS where there are several partitions or ``listed`` asks for it, else one
        for each vertex.
        """
        key = names, listed or self.parts > 1
        if key not in self._by_source:
            from lux.graph.indexes.csr_by_source import make

            self._by_source[key] = make(self, *key)
        return self._by_source[key]

    def has_by_source(self, names: tuple[str, ...], *, listed: bool = False) -> bool:
        """Tell whether `by_source` has made them already."""
        return (names, listed or self.parts > 1) in self._by_source

    @cached_property
    def members(self) -> InsIndex:
        """The members of each partition's INS in a list."""
        from lux.graph.indexes.ins_index import make

        return make(self)

    @cached_property
    def irregular(self) -> float:
        """Share of the vertices that have another number of in-edges than the vertex before."""
        degrees = in_degrees(self.graph)
        return float(np.mean(degrees[1:] != degrees[:-1])) if len(degrees) > 1 else 0.0

    def blocks(self, names: tuple[str, ...]) -> EdgeTiles:
        """Return each partition's edges in tiles, with the edge properties ``names``; made once."""
        if names not in self._blocks:
            from lux.graph.indexes.edge_tiles import make

            self._blocks[names] = make(self, names)
        return self._blocks[names]

    def has_blocks(self, names: tuple[str, ...]) -> bool:
        """Tell whether `blocks` has made them already."""
        return names in self._blocks

    def vertex_sets(self, nodes: int) -> split_points.VertexSets:
        """Count INS and ONS of every partition, and UDS of every node."""
        from lux.graph.indexes.csr_by_source import ins_bits

        bits = ins_bits(self)
        sizes = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
        uds = split_points.update_set_sizes(bits, self.points, nodes)
        return split_points.VertexSets(sizes, np.diff(self.points), uds)

    def border_sizes(self) -> NDArray[np.int64]:
        """Count a partition's vertices that each other one reads; see `lux.partition.split_points.border_sizes`."""
        from lux.graph.indexes.csr_by_source import ins_bits

        return split_points.border_sizes(ins_bits(self), self.points)
