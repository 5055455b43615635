# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Search with delegates: masks of high-degree vertices are reduced, low-degree ones are named point to point.

R. Pearce's idea of delegates as Y. Pan, R. Pearce and J. D. Owens use it: "Scalable breadth-first search on a GPU
cluster", 2018. Of the four kinds of edges (`lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph`)
only those between normal vertices lead to other processors; nd, dn and dd edges are visited in the direction that is
cheaper, each processor choosing for each kind. The strategy takes undirected graphs of fewer than 2^32 vertices.
Processors are CPU cores, or GPUs (`lux.algorithms.bfs.distributed.degree_separated.gpu`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import legate_config
from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated import gpu, gpu_memory
from lux.algorithms.bfs.distributed.degree_separated import state_kernels as st
from lux.algorithms.bfs.distributed.degree_separated.build import bytes_to_distribute, separate
from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import DegreeSeparatedGraph
from lux.algorithms.bfs.distributed.degree_separated.gpu import GpuSearch
from lux.algorithms.bfs.distributed.degree_separated.levels import search as search_by
from lux.algorithms.bfs.distributed.degree_separated.processors import DegreeSeparatedProcessors
from lux.algorithms.bfs.distributed.degree_separated.threshold import suggest_threshold
from lux.algorithms.bfs.distributed.processor_grid import check_size
from lux.algorithms.multi_gpu.id_order import host_bytes
from lux.engine.run.run import Run
from lux.errors import ParameterError

if TYPE_CHECKING:
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph

__all__ = ["Options", "prepare", "search", "separation", "suggest_threshold"]

NAME = "degree-separated"


@dataclass(frozen=True)
class Options:
    """Options of how processors send vertices to one another.

    `benchmarks/mechanisms.py` measures each option beside the defaults. Naming vertices once matters where many edges
    are nn; with the suggested threshold few are. The local all-to-all is one more exchange in each level, and on few
    processors too few vertices are named twice to make up for it. The paper found the same (section VI-B).

    Attributes
    ----------
    uniquify : bool
        A processor names a normal vertex to its owner once in a search, not once for each edge that leads to it.
    local_all_to_all : bool
        The processors of a process gather their messages to each receiver before these are sent: see
        `lux.algorithms.bfs.distributed.degree_separated.local_all_to_all`.
    group : int or None
        Processors that gather together; by default the processors of a process.
    direction_optimized : bool
        Edges of delegates are visited in the direction that is cheaper. Without it all edges are visited forwards, as
        by the paper's BFS beside its DOBFS; CPU cores only.
    blocking_reduction : bool
        Masks of the delegates that each process found cross at the end of a level, with messages (the paper's BR).
        Without it they travel as soon as all delegates are visited, while normal vertices are (IR), between processes
        that can put words into each other's memory (`lux.runtime.exchange.open_puts`). GPUs read masks where they lie.
    """

    uniquify: bool = True
    local_all_to_all: bool = False
    group: int | None = None
    direction_optimized: bool = True
    blocking_reduction: bool = False


DEFAULTS = Options()


def separation(graph: Graph, parts: int | None = None, threshold: int | None = None) -> DegreeSeparatedGraph:
    """Return the graph's edges as distributed to processors; made once for ``parts`` and ``threshold``.

    Parameters
    ----------
    graph : Graph
        Undirected.
    parts : int, optional
        Number of processors.
    threshold : int, optional
        Vertices with more edges are delegates; by default as `suggest_threshold` says.

    Examples
    --------
    >>> import lux
    >>> from lux.algorithms.bfs.distributed.degree_separated import degree_separated
    >>> separated = degree_separated.separation(lux.toy.kite(), parts=2, threshold=4)
    >>> separated.places.tolist(), separated.edges.sum(axis=0).tolist()  # nn, nd, dn, dd
    ([3, 5, 6], [10, 10, 10, 6])
    """
    _check(graph, threshold)
    layout = graph.layout(parts)
    chosen = _threshold(graph, layout) if threshold is None else int(threshold)

    def make(layout: PartitionedGraph) -> DegreeSeparatedGraph:
        runtime.check_memory(
            bytes_to_distribute(layout), f"distributing edges to {layout.parts} processors for strategy={NAME!r}"
        )
        return separate(layout, chosen)

    return layout.cached_exclusive(_cache_name(chosen), make)


def prepare(graph: Graph, parts: int | None, *, threshold: int | None = None) -> None:
    """Distribute the edges to the processors; the graph's layout keeps them.

    Raises
    ------
    ParameterError
        The graph is directed, or has 2^32 vertices or more; or ``parts`` or ``threshold`` are out of range.
    MemoryNeededError
        Legate's memory cannot hold the stores that are to be made.
    ConfigurationError
        ``device="gpu"`` was asked for, and GPUs cannot search.
    """
    if _on_gpus(graph, parts, threshold, DEFAULTS) is not None:
        return
    _processors(graph.layout(parts), separation(graph, parts, threshold), DEFAULTS)


def search(
    graph: Graph,
    source: int,
    limit: int,
    parts: int | None,
    progress: Progress | None,
    *,
    threshold: int | None = None,
    options: Options = DEFAULTS,
) -> Run:
    """Search from the place ``source``, at most ``limit`` levels.

    Parameters
    ----------
    graph : Graph
        Undirected, of fewer than 2^32 vertices.
    source : int
    limit : int
    parts : int, optional
        Number of processors.
    progress : callable, optional
        Called with the number of levels that are done.
    threshold : int, optional
        Vertices with more edges are delegates; by default as `suggest_threshold` says.
    options : Options

    Returns
    -------
    Run
        Its ``statistics`` have for each level in ``why`` the direction of each kind of edges, and in ``exchanged`` the
        bytes of messages and masks that processors read; the bytes of parents, at the end, are in the last level's.

    Raises
    ------
    ParameterError, MemoryNeededError, ConfigurationError
        As by `prepare`.

    Examples
    --------
    >>> import lux
    >>> from lux import runtime
    >>> from lux.algorithms.bfs.distributed.degree_separated import degree_separated
    >>> run = degree_separated.search(lux.toy.kite(), 0, 99, 2, None, threshold=4)
    >>> runtime.to_array(run.fields["distance"])
    array([0, 1, 1, 1, 2, 1, 2, 2, 3, 4], dtype=int32)
    >>> run.statistics[0].frontier, run.statistics[1].frontier, run.iterations
    (1, 4, 5)
    """
    _check_options(options)
    on_gpus = _on_gpus(graph, parts, threshold, options)
    if on_gpus is not None:
        return on_gpus.search(source, limit, progress)
    on = _processors(graph.layout(parts), separation(graph, parts, threshold), options)
    return search_by(on, source, limit, progress)


def bytes_on_host(graph: Graph, parts: int | None) -> int:
    """Count the bytes of the answers; the distribution, which depends on the threshold, has checks of its own."""
    return 0 if gpu.processors(graph, parts, DEFAULTS) else 8 * graph.n_vertices


def _check(graph: Graph, threshold: Any) -> None:
    check_size(graph.n_vertices, NAME)
    if graph.directed:
        raise ParameterError(
            f"strategy={NAME!r} was asked for on a directed graph; it takes undirected ones: pass graph.symmetrized() "
            "(--undirected) to search without regard to direction, or leave strategy out"
        )
    whole = isinstance(threshold, int | np.integer) and not isinstance(threshold, bool)
    if threshold is not None and (not whole or threshold < 0):
        raise ParameterError(
            f"threshold={threshold!r} was passed; allowed are whole numbers from 0 (vertices with more edges are "
            "delegates), and None for a suggestion"
        )


def _threshold(graph: Graph, layout: PartitionedGraph) -> int:
    return layout.cached("suggested threshold", lambda _: suggest_threshold(graph, layout.parts))


def _check_options(options: Options) -> None:
    group = options.group
    whole = isinstance(group, int | np.integer) and not isinstance(group, bool)
    if group is not None and (not whole or group < 1):
        raise ParameterError(
            f"Options(group={group!r}) was passed; allowed are whole numbers from 1 (processors that gather together), "
            "and None for those of a process"
        )


def _on_gpus(graph: Graph, parts: int | None, threshold: int | None, options: Options) -> GpuSearch | None:
    """Return the stores for searches on GPUs; None where CPU cores are to search."""
    _check(graph, threshold)
    count = gpu.processors(graph, parts, options)
    if count == 0:
        return None
    least = gpu.at_least(graph.n_vertices, graph.n_edges, count)
    given = legate_config.settings().fbmem_bytes
    if least > given and not gpu.check(graph, count, least, (), "at least "):
        return None
    layout = graph.layout(count)
    chosen = _threshold(graph, layout) if threshold is None else int(threshold)
    kept = f"searches by strategy={NAME!r} at threshold {chosen}{'' if options.uniquify else ' naming vertices often'}"
    mine = [kept, _cache_name(chosen)]
    if not layout.has_cached(_cache_name(chosen)) and not gpu.check(graph, count, least, mine, "at least "):
        return None
    separated = separation(graph, count, chosen)
    shapes = layout.cached(f"shapes at {chosen}", lambda _: gpu.shapes(separated))
    if not gpu.takes(shapes):
        return None
    unique = options.uniquify
    needed = layout.cached(
        f"bytes of {kept}", lambda _: gpu_memory.memory_bytes(graph, separated, shapes, unique=unique)
    )
    if not gpu.check(graph, count, needed, mine):
        return None

    def make(layout: PartitionedGraph) -> GpuSearch:
        runtime.check_memory(host_bytes(layout.graph, count), f"searching on {count} GPUs by strategy={NAME!r}")
        return GpuSearch(layout.graph, separated, shapes, unique=unique)

    return layout.cached_exclusive(kept, make)


def _cache_name(threshold: int) -> str:
    """Return the name under which a layout keeps the edges, and under which messages report its memory."""
    return f"edges of strategy={NAME!r} at threshold {threshold}"


def _processors(
    layout: PartitionedGraph, separated: DegreeSeparatedGraph, options: Options
) -> DegreeSeparatedProcessors:
    def make(layout: PartitionedGraph) -> DegreeSeparatedProcessors:
        gathered = options.local_all_to_all
        group = (options.group or -(-layout.parts // runtime.ranks())) if gathered else 0
        needed = DegreeSeparatedProcessors.bytes_needed(separated, gathered=gathered)
        runtime.check_memory(needed, f"searching on {layout.parts} processors by strategy={NAME!r}")
        factors = (st.TO_BACKWARD, st.TO_FORWARD) if options.direction_optimized else st.ALWAYS_FORWARD
        return DegreeSeparatedProcessors(separated, options.uniquify, group, options.blocking_reduction, factors)

    return layout.cached(f"processors at {separated.threshold} {options}", make)
