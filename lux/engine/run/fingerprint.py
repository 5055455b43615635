# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Fingerprints of stores and graphs, alike whatever the number of processes, from the checksums of all their bytes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.partition.split_points import MAX_PARTITIONS

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph
    from lux.runtime import Store

PIECE = 1 << 16
"""Values of a store that have one checksum."""
ODD = 0x9E3779B97F4A7C15
"""Factor by which the checksums of two pieces differ in weight."""


def store_fingerprint(store: Store) -> int:
    """Return a number of 64 bits for the values of a store. All processes call this at the same place.

    >>> from lux import runtime
    >>> a, b, c = (runtime.from_array(np.array(values)) for values in ([1, 2, 3], [1, 2, 3], [1, 3, 2]))
    >>> store_fingerprint(a) == store_fingerprint(b), store_fingerprint(a) == store_fingerprint(c)
    (True, False)
    """
    length = runtime.length_of(store)
    pieces = -(-length // PIECE)
    points = max(min(runtime.processors(), pieces, MAX_PARTITIONS), 1)
    cuts = np.minimum(np.linspace(0, pieces, points + 1).astype(np.int64) * PIECE, length)
    sums = runtime.new_store(np.uint64, points)
    with runtime.registered(cuts.tolist()) as key:
        rows = runtime.even_ranges(points, points)
        _sum_checksums(points, column=store, slices=runtime.ranges(cuts), sums=sums, rows=rows, key=key)
        found = runtime.to_array(sums)[:points]
    return int(found.sum(dtype=np.uint64)) ^ length


def graph_fingerprint(graph: Graph) -> tuple[Any, ...]:
    """Return what tells a graph from others: its size, its edges, and the order in which it is stored."""
    return graph.whole_layout().cached("fingerprint", _of_graph)


def _of_graph(layout: PartitionedGraph) -> tuple[Any, ...]:
    graph = layout.graph
    order = None if graph.order is None else store_fingerprint(graph.order.vertices)
    edges = store_fingerprint(graph.offsets), store_fingerprint(graph.sources)
    return graph.n_vertices, graph.n_edges, graph.directed, edges, order


@runtime.task(inputs={"column": "slices"}, outputs={"sums": "rows"}, scalars={"key": int})
def _sum_checksums(point: int, column: NDArray[Any], sums: NDArray[np.uint64], key: int) -> None:
    cuts = runtime.context(key)
    first, length = cuts[point], cuts[point + 1] - cuts[point]
    total = 0
    for at in range(0, length, PIECE):
        values = np.ascontiguousarray(column[at : min(at + PIECE, length)])
        total += (zlib.crc32(values.view(np.uint8).data) + 1) * (2 * ((first + at) // PIECE) + 1) * ODD
    sums[:] = total % 2**64
