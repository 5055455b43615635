# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategy ``two-dimensional``: blocks of the adjacency matrix on a grid of processors.

In each level processors gather the frontier of their grid column (expand), visit the ends of its edges, and name the
ends that they had not seen before to the owners in their grid row (fold): vertices only, in lists or bitmaps, whichever
is shorter. Every level goes from the frontier along its edges. Processors keep the parents they found until the end.

Source: Bisson, Bernaschi and Mastrostefano, "Parallel distributed breadth first search on the Kepler architecture",
2014 (sections 2.2 to 3.5 and 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.bfs.distributed.edge_distribution import Rows, by_row, distribute
from lux.algorithms.bfs.distributed.grid import gpu, gpu_edges, grid_kernels
from lux.algorithms.bfs.distributed.grid.gpu_search import GridSearch, searching
from lux.algorithms.bfs.distributed.grid.processors import ANSWER_BYTES, Processors, Search
from lux.algorithms.bfs.distributed.grid.processors import search as search_by
from lux.algorithms.bfs.distributed.grid.search_kernels import NEVER
from lux.algorithms.bfs.distributed.processor_grid import Grid, check_size
from lux.engine.cpu.exchange_body import locate

if TYPE_CHECKING:
    from lux.engine.run.run import Progress, Run
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph

NAME = "two-dimensional"
WHY = "this strategy has only top-down levels"


@dataclass(frozen=True)
class Edges:
    """Each processor's edges by local column, and the stores that searches work in."""

    edges: Rows
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

    def distribute_edges() -> gpu_edges.GridEdges:
        return gpu_edges.two_dimensional(graph, gpus, rule(Grid.over(graph.n_vertices, gpus)))

    return searching(graph, gpus, NAME, distribute_edges)


def processors(graph: Graph, parts: int | None) -> int:
    """Count the GPUs that a search takes; 0 where it takes CPU cores."""
    return gpu.processors(graph, parts, NAME, gpu_edges.two_dimensional_bytes)


def search(graph: Graph, source: int, limit: int, parts: int | None, progress: Progress | None) -> Run:
    """Search from the place ``source``, at most ``limit`` levels; see `SearchModule`.

    The paper's grid has a processor for each of ``parts``, as square as that number allows; a prime number is 1 x P.

    Examples
    --------
    >>> import lux
    >>> found = lux.bfs(lux.toy.kite(), 0, strategy="two-dimensional", parts=4)
    >>> found.distances.to_numpy()
    array([0, 1, 1, 1, 2, 1, 2, 2, 3, 4], dtype=int32)
    >>> [(i.model, i.frontier, i.exchanged) for i in found.statistics[:2]]
    [('push', 1, 36), ('push', 4, 56)]
    """
    check_size(graph.n_vertices, NAME)
    if (grid := _on_gpus(graph, parts)) is not None:
        return grid.run(source, limit, progress, lambda *_: ("push", WHY))
    kept = graph.layout(parts).cached(NAME, _make)
    on, edges = kept.processors, kept.edges
    stores = {"begins": edges.offsets, "ends": edges.columns}
    splits = {"begins": "offsets", "ends": "columns"}
    located = locate(on.grid.parts, stores, splits, edges.splits)
    wanted = Search(source, limit, NEVER, lambda *_: ("push", WHY))
    return search_by(on, dict(located), wanted, progress)


def bytes_on_host(graph: Graph, parts: int | None) -> int:
    """Estimate the bytes of the answers, and of the distribution of the edges to CPU cores if it is to be made."""
    if processors(graph, parts):
        return 0
    layout = graph.layout(parts)
    if layout.has_cached(NAME):
        return ANSWER_BYTES * graph.n_vertices
    grid = Grid.over(graph.n_vertices, layout.parts)
    offsets = grid.parts * (grid.local_columns + 1)
    shuffled = 20 * graph.n_edges  # rows and columns, staged and distributed, and the columns that are kept
    return Processors.bytes_needed(grid) + 8 * offsets + shuffled + ANSWER_BYTES * graph.n_vertices


def _make(layout: PartitionedGraph) -> Edges:
    graph = layout.graph
    grid = Grid.over(graph.n_vertices, layout.parts)
    edges = by_row(distribute(graph, grid.parts, rule(grid)), np.full(grid.parts, grid.local_columns))
    return Edges(edges, Processors(graph, grid, None))


def rule(grid: Grid, local: NDArray[np.uint32] | None = None) -> Any:
    """Return the rule of each edge's processor, its source's local column (row) and destination's local row (column).

    ``local`` has the id of every place within its block; None where local ids follow the places.
    """
    ids = np.empty(0, np.uint32) if local is None else local

    def bins(sources: NDArray[Any], destinations: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        out = np.empty(len(sources), np.int32), *(np.empty(len(sources), np.uint32) for _ in range(2))
        grid_kernels.locate_edges(sources, destinations, grid.rows, grid.block, grid.stride, ids, *out)
        return out

    return bins
