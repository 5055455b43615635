# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategy ``hybrid``: top-down and bottom-up levels on a grid of processors, as on the K computer.

Edges lie as in the strategy ``two-dimensional`` (`lux.algorithms.bfs.distributed.processor_grid`), in bitmap-based form
(`lux.algorithms.bfs.distributed.grid.bitmap_rows`), with vertices numbered by degree inside of blocks
(`lux.algorithms.bfs.distributed.grid.by_degree`) and the places of sources and destinations beside them, so that
parents need no translation. Top-down levels cut long lists of edges by destination
(`lux.algorithms.bfs.distributed.grid.hybrid_kernels.LONG`). A search is one launch
(`lux.algorithms.bfs.distributed.grid.search_kernels`). Parents of both kinds of levels are sent in one exchange at its
end, where the paper has one at the end of each level.

Bottom-up levels look for parents along out-edges, which only an undirected graph has in both directions: on directed
graphs all levels are top-down, and edges by destination are not made.

Source: Ueno et al., "Efficient breadth-first search on massively parallel and distributed-memory machines", 2017;
the choice of directions: Beamer, Asanovic and Patterson, "Direction-optimizing breadth-first search", 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.edge_distribution import by_row, distribute
from lux.algorithms.bfs.distributed.grid import bitmap_row_kernels as naming
from lux.algorithms.bfs.distributed.grid import by_degree, gpu, gpu_edges
from lux.algorithms.bfs.distributed.grid.bitmap_rows import (
    BitmapRows,
    Sizes,
    compressed,
    open_index,
    transposed,
)
from lux.algorithms.bfs.distributed.grid.gpu_search import GridSearch, searching
from lux.algorithms.bfs.distributed.grid.processors import ANSWER_BYTES, Processors, Search
from lux.algorithms.bfs.distributed.grid.processors import Edges as GivenEdges
from lux.algorithms.bfs.distributed.grid.processors import search as search_by
from lux.algorithms.bfs.distributed.grid.search_kernels import BY_UNREACHED, NEVER
from lux.algorithms.bfs.distributed.grid.two_dimensional import rule
from lux.algorithms.bfs.distributed.processor_grid import Grid, check_size
from lux.engine.cpu.exchange_body import locate
from lux.errors import ParameterError
from lux.runtime import Store
from lux.runtime.exchange import on_several_nodes
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
    by_destination : BitmapRows or None
        By local row, for bottom-up levels; None on directed graphs.
    names : Store of shape (n_edges,), uint32, or None
        The place of every edge's source, by local row: the paper's DST(Orig).
    """

    by_source: BitmapRows
    by_destination: BitmapRows | None
    names: Store | None
    processors: Processors

    def located(self) -> dict[int, GivenEdges]:
        """Find the edges of this process's processors."""
        grid, rows = self.processors.grid, self.by_destination
        stores = {"index": self.by_source.index, "ends": self.by_source.columns}
        split_of: dict[str, str | None] = {"index": "by_source_index", "ends": "by_source_columns"}
        splits = {f"by_source_{name}": each for name, each in self.by_source.splits.items()}
        if rows is not None and self.names is not None:
            stores |= {"parent_index": rows.index, "parent_columns": rows.columns, "parent_names": self.names}
            split_of |= {"parent_index": "parents_index", "parent_columns": "parents_columns"}
            split_of |= {"parent_names": "parents_columns"}
            splits |= {f"parents_{name}": each for name, each in rows.splits.items()}
        found = locate(grid.parts, stores, split_of, splits)
        for edges in found.values():
            opened = open_index(edges.pop("index"), grid.local_columns // 64)
            edges.update(zip(("bits", "before", "begins", "edge_names"), opened, strict=True))
            if rows is not None:
                opened = open_index(edges.pop("parent_index"), grid.local_rows // 64)
                edges.update(zip(("parent_bits", "parent_before", "parent_begins"), opened[:3], strict=True))
        return found


@dataclass(frozen=True)
class Options:
    """Options of how bitmaps of vertices go round in bottom-up levels, on CPU cores; GPUs read them where they lie.

    Distances are the same, and so are bitmaps' bytes. Both ways, another processor may come to a vertex first, and find
    another of its parents. Processes that cannot put words into each other's memory
    (`lux.runtime.exchange.open_puts`) take one piece.

    Attributes
    ----------
    pieces : int or None
        1, 2 or 4 pieces of each block, the K computer's substeps C, 2C and 4C. In one, all processors wait until blocks
        have moved on. Of several, a piece is put to the next processor when it is done, and travels while others are
        worked on. By default 2 between nodes, where 4 gained no more, and 1 within one, where nothing travels for long
        (`benchmarks/overlap_nodes.py` measures them).
    both_ways : bool
        Odd pieces go to the left, and even ones to the right, as all do otherwise.
    """

    pieces: int | None = None
    both_ways: bool = False


DEFAULTS = Options()
PIECES = (1, 2, 4)
BETWEEN_NODES = 2
"""Pieces where processors are on several nodes."""


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


def search(
    graph: Graph,
    source: int,
    limit: int,
    parts: int | None,
    progress: Progress | None,
    *,
    options: Options = DEFAULTS,
) -> Run:
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
    _check_options(options)
    if (grid := _on_gpus(graph, parts)) is not None:
        return grid.run(source, limit, progress, Direction(graph).choose)
    kept = graph.layout(parts).cached(NAME, _make)
    direction = Direction(graph)
    bottom_up = NEVER if graph.directed else BY_UNREACHED
    wanted = Search(source, limit, bottom_up, direction.choose, _pieces(options), options.both_ways)
    return search_by(kept.processors, kept.located(), wanted, progress)


def _check_options(options: Options) -> None:
    whole = isinstance(options.pieces, int | np.integer) and not isinstance(options.pieces, bool)
    if options.pieces is not None and (not whole or options.pieces not in PIECES):
        raise ParameterError(
            f"Options(pieces={options.pieces!r}) was passed; allowed are 1 (processors wait until blocks have moved "
            f"on), 2 and 4 (pieces travel while others are worked on), and None for {BETWEEN_NODES} between nodes and "
            "1 within one"
        )
    if options.both_ways and options.pieces == 1:
        raise ParameterError(
            "Options(both_ways=True) was passed with pieces=1; one piece goes one way: pass pieces=2 or 4, or leave "
            "both_ways out"
        )


def _pieces(options: Options) -> int:
    if options.pieces is None:
        return BETWEEN_NODES if options.both_ways or on_several_nodes() else 1
    return int(options.pieces)


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
        return Edges(by_source, None, None, Processors(graph, grid, names))
    rows = compressed(by_destination)
    edge_names = runtime.new_store(np.uint32, int(rows.cuts["columns"][-1, 1]))
    given = {"columns": rows.columns, "column_rows": rows.splits["columns"]}
    _name_columns(grid.parts, **column_names, **given, out=edge_names)
    runtime.finish()
    return Edges(by_source, rows, edge_names, Processors(graph, grid, names))


def _column_names(grid: Grid) -> Store:
    """Make rectangles: the names of each processor's local columns."""
    first = np.arange(grid.parts) // grid.rows * grid.local_columns
    return runtime.rectangles(first, first + grid.local_columns - 1)


@runtime.task(inputs={"names": "name_rows", "columns": "column_rows"}, outputs={"out": "column_rows"})
def _name_columns(_point: int, names: NDArray[np.uint32], columns: NDArray[np.uint32], out: Any) -> None:
    naming.name_columns(columns, names, out)
