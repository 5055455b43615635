# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategy ``hybrid``: top-down and bottom-up levels on a grid of processors, as on the K computer.

Edges lie as in the strategy ``two-dimensional`` (`lux.algorithms.bfs.distributed.processor_grid`), in bitmap-based form
(`lux.algorithms.bfs.distributed.grid.bitmap_rows`), with vertices numbered by degree inside of blocks
(`lux.algorithms.bfs.distributed.grid.by_degree`) and the places of sources and destinations beside them, so that
parents need no translation. Top-down levels cut long lists of edges by destination
(`lux.algorithms.bfs.distributed.grid.hybrid_kernels.LONG`). Levels that look for parents are in
`lux.algorithms.bfs.distributed.grid.bottom_up`. Parents of both kinds of levels are sent in one exchange at the end of
the search, where the paper has one at the end of each level.

Bottom-up levels look for parents along out-edges, which only an undirected graph has in both directions: on directed
graphs all levels are top-down, and edges by destination are not made.

Source: Ueno et al., "Efficient breadth-first search on massively parallel and distributed-memory machines", 2017;
the choice of directions: Beamer, Asanovic and Patterson, "Direction-optimizing breadth-first search", 2012.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lux import runtime
from lux.algorithms.bfs.distributed.edge_distribution import by_row, distribute
from lux.algorithms.bfs.distributed.grid import bottom_up, by_degree, gpu, gpu_edges
from lux.algorithms.bfs.distributed.grid import hybrid_kernels as kernels
from lux.algorithms.bfs.distributed.grid.bitmap_rows import (
    INPUTS,
    BitmapRows,
    Sizes,
    compressed,
    open_index,
    transposed,
)
from lux.algorithms.bfs.distributed.grid.gpu_search import GridSearch, searching
from lux.algorithms.bfs.distributed.grid.processors import ANSWER_BYTES, Processors
from lux.algorithms.bfs.distributed.grid.processors import search as search_by
from lux.algorithms.bfs.distributed.grid.two_dimensional import rule
from lux.algorithms.bfs.distributed.processor_grid import Grid, check_size
from lux.codegen.compile import compile_like
from lux.runtime import Store
from perfmodel import direction as rules

if TYPE_CHECKING:
    from lux.engine.run.run import Progress, Run
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph

NAME = "hybrid"


@dataclass(frozen=True)
class Edges:
    """Each processor's edges.

    Attributes
    ----------
    by_source : BitmapRows
        By local column.
    parents : Parents or None
        Edges and bitmaps of bottom-up levels; None on directed graphs.
    """

    by_source: BitmapRows
    parents: bottom_up.Parents | None
    processors: Processors


def prepare(graph: Graph, parts: int | None) -> None:
    """Distribute the edges to ``parts`` processors; the graph's layout keeps them.

    Raises
    ------
    ParameterError
        The graph has 2^32 vertices or more.
    MemoryNeededError
        Legate's memory cannot hold the stores that are to be made.
    """
    check_size(graph.n_vertices, NAME)
    if _on_gpus(graph, parts) is None:
        graph.layout(parts).cached(NAME, _make)


def _on_gpus(graph: Graph, parts: int | None) -> GridSearch | None:
    """Return the search on GPUs; None where CPU cores search."""
    if not (gpus := processors(graph, parts)):
        return None
    return searching(graph, gpus, NAME, lambda: gpu_edges.hybrid(graph, gpus, rule))


def processors(graph: Graph, parts: int | None) -> int:
    """Count the GPUs that a search takes; 0 where it takes CPU cores."""
    return gpu.processors(graph, parts, NAME, gpu_edges.hybrid_bytes)


def memory(graph: Graph, parts: int | None = None) -> Sizes:
    """Count bytes of processors' edges by source in this strategy's form, and in CSR and DCSR (table 3 of the paper).

    Examples
    --------
    >>> import lux
    >>> sizes = memory(lux.generate("rmat:10,2"), parts=16)
    >>> bool(sizes.csr.sum() > sizes.dcsr.sum() > sizes.bitmap.sum())
    True
    """
    return edges_by_source(graph, parts).sizes()


def edges_by_source(graph: Graph, parts: int | None = None) -> BitmapRows:
    """Return the processors' edges by local column, as searches on CPU cores read them."""
    check_size(graph.n_vertices, NAME)
    return graph.layout(parts).cached(NAME, _make).by_source


def search(graph: Graph, source: int, limit: int, parts: int | None, progress: Progress | None) -> Run:
    """Search from the place ``source``, at most ``limit`` levels; see `SearchModule`.

    Examples
    --------
    >>> import lux
    >>> found = lux.bfs(lux.toy.kite(), 0, strategy="hybrid", parts=4)
    >>> found.distances.to_numpy()
    array([0, 1, 1, 1, 2, 1, 2, 2, 3, 4], dtype=int32)
    >>> [(i.model, i.frontier) for i in found.statistics]
    [('pull', 1), ('pull', 4), ('pull', 3), ('pull', 1), ('pull', 1)]
    """
    check_size(graph.n_vertices, NAME)
    if (grid := _on_gpus(graph, parts)) is not None:
        return grid.run(source, limit, progress, Direction(graph).choose)
    kept = graph.layout(parts).cached(NAME, _make)
    on, edges = kept.processors, kept.by_source
    _compile()
    stores = {
        "fold_messages": on.fold_messages.store,
        "outbox": on.fold_messages.outbox,
        "frontier_messages": on.frontier_messages.store,
    } | on.private
    direction = Direction(graph)
    with runtime.registered((on, kept.parents)) as key:

        def explore(_level: int, frontier: int, edges_from: int, longest: int) -> tuple[str, str]:
            model, why = direction.choose(frontier, edges_from)
            inbox, inbox_of = on.frontier_messages.inbox(longest)
            frontier_read = {"inbox": inbox, "inbox_of": inbox_of}
            if model == "pull" and kept.parents is not None:
                kept.parents.explore(stores | frontier_read, key)
            else:
                _top_down(on.grid.parts, **stores, **edges.arguments, **frontier_read, key=key)
            return model, why

        return search_by(graph, on, source, limit, progress, explore)


class Direction:
    """Beamer's choice of each level's direction, from counts that all ranks read.

    Examples
    --------
    >>> import lux
    >>> direction = Direction(lux.toy.complete(100))
    >>> direction.choose(1, 99), direction.choose(99, 9801)[0]
    (('push', 'its edges, 99, are within 1/14 of 9,801 that lead from unreached vertices'), 'pull')
    """

    def __init__(self, graph: Graph) -> None:
        self.n_vertices, self.directed, self.unreached = graph.n_vertices, graph.directed, graph.n_edges
        self.model, self.before = "push", 0

    def choose(self, frontier: int, edges: int) -> tuple[str, str]:
        """Choose the model of a level from its frontier and the frontier's edges; returns the reason, too."""
        self.unreached -= edges
        before, self.before = self.before, frontier
        if self.directed:
            return "push", "the graph is directed: all levels are top-down"
        rule, pulled = rules.BEAMER, self.model == "pull"
        pulls = rules.by_unreached(pulled, frontier, edges, before, self.unreached, self.n_vertices, *rule)
        self.model = "pull" if pulls else "push"
        if not pulled:
            how = f"{'exceed' if pulls else 'are within'} 1/{rule.pull_above}"
            return self.model, f"its edges, {edges:,}, {how} of {self.unreached:,} that lead from unreached vertices"
        if not pulls:
            return "push", f"the frontier shrinks, to {frontier:,}, less than 1/{rule.push_below} of all vertices"
        return "pull", f"pull before, and the frontier, {frontier:,}, grows or has 1/{rule.push_below} of all vertices"


def bytes_on_host(graph: Graph, parts: int | None) -> int:
    """Estimate the bytes of the answers, and of the distribution of the edges to CPU cores if it is to be made."""
    if processors(graph, parts):
        return 0
    layout = graph.layout(parts)
    if layout.has_cached(NAME):
        return ANSWER_BYTES * graph.n_vertices
    grid = Grid.over(graph.n_vertices, layout.parts)
    ids = grid.parts * (grid.local_columns + grid.local_rows)
    shuffled = 36 * graph.n_edges  # rows and columns, staged and sent; by source, destination, source again, names
    return Processors.bytes_needed(grid) + 20 * ids + shuffled + (4 + ANSWER_BYTES) * graph.n_vertices


def _make(layout: PartitionedGraph) -> Edges:
    graph = layout.graph
    grid = Grid.over(graph.n_vertices, layout.parts)
    grid, local, names = by_degree.order(graph, grid)
    distributed = by_row(distribute(graph, grid.parts, rule(grid, local)), np.full(grid.parts, grid.local_columns))
    by_destination = transposed(distributed, grid.local_rows)
    column_names = {"names": names, "name_rows": _column_names(grid)}
    by_source = compressed(transposed(by_destination, grid.local_columns), column_names)
    if graph.directed:
        return Edges(by_source, None, Processors(graph, grid, names))
    parents = bottom_up.Parents(compressed(by_destination), grid, column_names)
    runtime.finish()
    return Edges(by_source, parents, Processors(graph, grid, names))


def _column_names(grid: Grid) -> Store:
    """Make rectangles: the names of each processor's local columns."""
    first = np.arange(grid.parts) // grid.rows * grid.local_columns
    return runtime.rectangles(first, first + grid.local_columns - 1)


@functools.cache
def _compile() -> None:
    at, bits, ids = np.empty(0, np.int64), np.empty(0, np.uint64), np.empty(0, np.uint32)
    compile_like(kernels.top_down, (ids, 0, 0, 0, bits, at, at, ids, ids, bits, ids, ids, at))
    bottom_up.compile_kernels()


@runtime.task(
    inputs={"frontier_messages": "inbox", **INPUTS},
    outputs={"fold_messages": "outbox"},
    updates={"private_arrays": "private_rows"},
    scalars={"key": int},
    grouped={"inbox": "inbox_of"},
)
def _top_down(point: int, frontier_messages: Any, index: Any, columns: Any, slots: Any, private: Any, key: int) -> None:
    on: Processors = runtime.context(key)[0]
    row, _, views = on.open(point, private)
    rows = open_index(index, on.grid.local_columns // 64)
    given = (frontier_messages, on.words, row, on.grid.stride, *rows, columns, views.visited, views.preds, slots)
    kernels.top_down(*given, views.state)
