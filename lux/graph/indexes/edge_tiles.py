# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge tiles, for iterations in which all vertices gather: when they are made, and making them.

With tiles an edge takes about the same time in all graphs; over rows it takes less where neighbouring vertices have
equally many edges, and two to three times as much on sparse graphs where they have not. The tiles are a second copy of
the edges that takes as long to make as four to five iterations, and the graph keeps it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import MemoryNeededError
from lux.graph.core.partitions import Partitions
from lux.partition import split_points
from lux.program.fields import Reduction
from lux.program.spec import Spec
from lux.runtime import Launcher, Store

ITERATIONS = 20
"""Iterations that a run must expect, so that tiles are worth their making."""
EDGES = 2**20
"""Edges that a graph must have, below which an iteration takes less than a launch."""
EDGES_OF_A_BLOCK = 8192
"""Edges that tiles must have on average: sparse ones read most cache lines for one value."""
IRREGULAR = 0.5
"""Share of the vertices that must have more or fewer edges than the vertex before: cores foresee others' rows."""
LARGE = 2**21
"""Vertices above which their values do not stay in the last cache."""
PLACE_BITS, LARGE_PLACE_BITS = 17, 20
"""log2 of a tile's destinations: so many that few tiles read a range of sources, while a tile's sums and values stay in
a core's caches (1 MiB each in float64); or above `LARGE` vertices its values alone, as reading values from memory again
costs more.
"""

_REDUCTIONS = (Reduction.ADD, Reduction.MIN, Reduction.MAX, Reduction.OR, Reduction.AND)


@dataclass(frozen=True)
class EdgeTiles:
    """Each partition's in-edges in tiles.

    Attributes
    ----------
    packed : Store of shape (n_edges,), uint32
        Edges, cut by partition; see `lux.graph.indexes.edge_tile_kernels`.
    properties : dict of str to Store
        Edge properties in the same order.
    values : dict of str to object
        Further arguments of kernels: ``place_bits``; ``block_starts``, the tiles' first positions counted from the
        partition's first edge, one partition's after the other's; ``blocks_at``, where each partition's begin.
    """

    packed: Store
    properties: dict[str, Store]
    values: dict[str, Any]


def why_not(spec: Spec, layout: Partitions, expected: int, needed: int, *, made: bool) -> str:
    """Say why a run that pulls gathers over rows; empty if it takes tiles.

    Parameters
    ----------
    expected : int
        Expected iterations.
    needed : int
        Bytes that the run needs besides the tiles.
    made : bool
        True if the tiles are there already.
    """
    graph = layout.graph
    plain = all(f.reduce in _REDUCTIONS for f in spec.reduced) and not spec.lengths
    if not plain or spec.frontier or "done" in spec.functions:
        return "the program is not all sums, minima and the like of scalars"
    if expected < ITERATIONS:
        return f"{expected} iterations are expected, under {ITERATIONS}"
    if unfit(layout):
        return unfit(layout)
    names = tuple(spec.edge_properties)
    per_edge = 4 + sum(graph.property_types[n].itemsize for n in names)
    try:
        runtime.check_memory(needed + (0 if made else per_edge * graph.n_edges), "")
    except MemoryNeededError:  # on all ranks
        return "memory for a second copy of the edges is short"
    return ""


def unfit(layout: Partitions) -> str:
    """Say why a graph's edges are better read over rows, however often; empty if tiles are better."""
    graph = layout.graph
    if graph.n_edges < EDGES:
        return f"there are under {EDGES:,} edges"
    if graph.n_edges < EDGES_OF_A_BLOCK * blocks_at(layout)[-1]:
        return f"blocks would have under {EDGES_OF_A_BLOCK:,} edges"
    if layout.irregular < IRREGULAR:
        return f"only {layout.irregular:.0%} of the vertices have more or fewer edges than the one before"
    return ""


def place_bits(n_vertices: int) -> int:
    """Return log2 of the destinations of a tile; its sources take the rest of 32 bits."""
    return PLACE_BITS if n_vertices <= LARGE else LARGE_PLACE_BITS


def blocks_at(layout: Partitions) -> NDArray[np.int64]:
    """Count the tiles in the partitions before each, and in all."""
    bits = place_bits(layout.graph.n_vertices)
    ranges = (np.diff(layout.points) + 2**bits - 1) >> bits
    of_sources = -(-layout.graph.n_vertices // 2 ** (32 - bits))
    return split_points.starts(ranges * of_sources)


@functools.cache
def _launcher(names: tuple[str, ...]) -> Launcher:
    from lux.graph.indexes.edge_tile_kernels import into_blocks

    n = len(names)

    def fill(_point: int, in_offsets: NDArray[np.int64], sources: NDArray[Any], *rest: Any) -> None:
        values, (starts, packed), outs, (bits, n_vertices) = rest[:n], rest[n : n + 2], rest[n + 2 : -2], rest[-2:]
        order = into_blocks(in_offsets, sources, bits, n_vertices, starts, packed, n > 0)
        for value, out in zip(values, outs, strict=True):
            np.take(value, order, out=out)

    fill.__name__ = "into_blocks"
    return Launcher(
        fill,
        inputs={"in_offsets": "offsets", "sources": "edges"} | {f"in_edge_{name}": "edges" for name in names},
        outputs={"starts": "start_rows", "packed": "edges"} | {f"blocked_{name}": "edges" for name in names},
        scalars={"place_bits": int, "n_vertices": int},
    )


def make(layout: Partitions, names: tuple[str, ...]) -> EdgeTiles:
    """Cut every partition's edges, with the edge properties ``names``, into tiles."""
    graph, parts = layout.graph, layout.parts
    at = blocks_at(layout) + np.arange(parts + 1)  # each partition has an end besides its tiles
    starts = runtime.new_store(np.int64, int(at[-1]), of_graph=True)
    packed = runtime.new_store(np.uint32, graph.n_edges, of_graph=True)
    properties = {n: runtime.new_store(graph.property_types[n], graph.n_edges, of_graph=True) for n in names}
    bits = place_bits(graph.n_vertices)
    _launcher(names)(
        parts,
        in_offsets=graph.offsets,
        sources=graph.sources,
        starts=starts,
        packed=packed,
        offsets=layout.splits["offsets"],
        edges=layout.splits["edges"],
        start_rows=runtime.ranges(at),
        place_bits=bits,
        n_vertices=graph.n_vertices,
        **{f"in_edge_{n}": graph.properties[n] for n in names},
        **{f"blocked_{n}": p for n, p in properties.items()},
    )
    return EdgeTiles(
        packed, properties, {"place_bits": bits, "block_starts": runtime.to_array(starts), "blocks_at": at}
    )
