# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps of sources that one thread has for itself, and what all sweeps over whole graphs need."""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import MemoryNeededError, WeightError
from lux.graph.indexes import edge_tiles
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.algorithms.betweenness.brandes import BrandesQuery
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph


class ThreadAccumulator:
    """A thread's scores, and the memory that it sweeps in: made by the thread, so that it is near."""

    def __init__(self, asked: BrandesQuery, model: int) -> None:
        self.asked, self.model = asked, model
        self.work: Any = None
        self.scores = np.zeros(asked.graph.n_vertices)
        self.seconds, self.fine = 0.0, True

    def sweep(self, rows: tuple[Any, ...], chosen: NDArray[np.int64]) -> None:
        """Add the dependencies on ``chosen`` to the scores."""
        from lux.algorithms.betweenness import brandes_kernels, brandes_state_kernels, weighted_brandes_kernels

        n, ids = self.asked.graph.n_vertices, self.asked.graph.id_dtype
        began = time.perf_counter()
        if self.asked.weight is not None:
            self.work = self.work or weighted_brandes_kernels.weighted_scratch(n, ids)
            given = weighted_brandes_kernels.WeightedRows(*rows), self.work, chosen, self.asked.one, self.scores
            self.fine = weighted_brandes_kernels.sweep(*given) == weighted_brandes_kernels.FINE
        else:
            plain = plain_rows(self.asked, rows)
            if self.work is None:
                self.work = brandes_state_kernels.scratch(n, ids, np.array([0, n]))
                brandes_state_kernels.prepare(0, 1, plain, self.work)
            brandes_kernels.sweep(0, 1, plain, self.work, chosen, self.model, self.asked.one, self.scores)
        self.seconds = time.perf_counter() - began


def own_bytes(asked: BrandesQuery) -> int:
    """Count the bytes of a `ThreadAccumulator`, without memory that only graphs with many levels need."""
    ids = asked.graph.id_dtype.itemsize
    return asked.graph.n_vertices * (32 + 2 * ids if asked.weight is None else 36 + 3 * ids)


def rows_of(graph: Graph, weight: str | None) -> dict[str, Store]:
    """Return the stores of `Rows` or `WeightedRows`, by name."""
    edges = graph.layout(1).by_source(() if weight is None else (weight,))
    by_source = {"out_offsets": edges.offsets, "destinations": edges.destinations}
    if weight is None:
        return {"in_offsets": graph.offsets, "sources": graph.sources} | by_source
    return by_source | {"weights": edges.properties[weight]}


SOURCES = 8
"""Sources that are worth blocks of the edges, where the graph has none yet: making them takes as long as they save."""


def blocks_layout(asked: BrandesQuery) -> PartitionedGraph | None:
    """Return the layout whose blocks sweeps read in both directions; None where the graph is directed or too small."""
    graph, layout = asked.graph, asked.graph.layout(asked.graph.default_threads())
    if graph.directed or asked.weight is not None or edge_tiles.unfit(layout):
        return None
    if not layout.has_blocks(()):
        if len(asked.chosen) < SOURCES:
            return None
        try:
            runtime.check_memory(stores_bytes(asked) + 4 * graph.n_edges, "")
        except MemoryNeededError:  # on all ranks
            return None
    return layout


def plain_rows(asked: BrandesQuery, values: tuple[Any, ...]) -> Any:
    """Return a task's stores as `Rows`; the fifth, if there is one, has the edges in blocks."""
    from lux.algorithms.betweenness import brandes_state_kernels, neighbour_sum_kernels

    in_offsets, sources, out_offsets, destinations, *packed = values
    if not packed:
        return brandes_state_kernels.Rows(
            in_offsets, sources, out_offsets, destinations, neighbour_sum_kernels.no_blocks()
        )
    layout = asked.graph.layout(asked.graph.default_threads())
    of = layout.blocks(()).values
    where = of["block_starts"], of["blocks_at"], layout.points, layout.edge_points, of["place_bits"]
    return brandes_state_kernels.Rows(
        in_offsets, sources, out_offsets, destinations, neighbour_sum_kernels.Blocks(packed[0], *where)
    )


def stores_bytes(asked: BrandesQuery) -> int:
    """Count the bytes of the scores' store, and of the edges by source where they have to be made."""
    graph = asked.graph
    names = () if asked.weight is None else (asked.weight,)
    made = not graph.directed or graph.layout(1).has_by_source(names)
    return 8 * graph.n_vertices + (0 if made else graph.memory_needed())


def rounded_away(weight: str) -> WeightError:
    """Return the error where a weight vanishes beside a distance."""
    return WeightError(
        f"betweenness: the edge property {weight!r} has values so small beside others that adding them to a distance "
        "does not change it: round the weights to multiples of one number, or pass weight=None"
    )


def compile_kernels(asked: BrandesQuery) -> None:
    """Compile (or load) the kernels for this graph's types."""
    weight, graph = asked.weight, asked.graph
    _compile(graph.id_dtype, None if weight is None else graph.property_types[weight])


@functools.cache
def _compile(id_dtype: np.dtype[Any], weight: np.dtype[Any] | None) -> None:
    """Call the kernels for no sources."""
    from lux.algorithms.betweenness import (
        brandes_kernels,
        brandes_state_kernels,
        neighbour_sum_kernels,
        weighted_brandes_kernels,
    )

    offsets, edges, scores, nobody = np.zeros(2, np.int64), np.zeros(1, id_dtype), np.zeros(1), np.zeros(0, np.int64)
    if weight is not None:
        rows = weighted_brandes_kernels.WeightedRows(offsets, edges, np.zeros(1, weight))
        weighted_brandes_kernels.sweep(
            rows, weighted_brandes_kernels.weighted_scratch(1, id_dtype), nobody, 0.0, scores
        )
        return
    plain = brandes_state_kernels.Rows(offsets, edges, offsets, edges, neighbour_sum_kernels.no_blocks())
    work = brandes_state_kernels.scratch(1, id_dtype, np.array([0, 1]))
    brandes_state_kernels.prepare(0, 1, plain, work)
    brandes_kernels.sweep(0, 1, plain, work, nobody, brandes_state_kernels.AUTO, 0.0, scores)
