# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Prediction of what each process holds in memory: while a graph is made, with it, and in runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lux import runtime
from lux.graph import build
from lux.graph.indexes.edge_tiles import why_not
from lux.runtime.process_memory import resident_bytes, started_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from lux.algorithms.strategy import Query, Strategy
    from lux.graph.graph import Graph

MAKING, HOLDING = "making the graph", "holding it"
COMPILING, COMPILING_PROGRAM = 60 << 20, 260 << 20
"""Bytes that a run on GPUs takes besides where kernels may have to be compiled: those in CUDA C++, and a program's."""


class Listed(NamedTuple):
    """Facts about edges of which a graph is made."""

    n_vertices: int
    n_edges: int
    directed: bool
    property_types: Mapping[str, np.dtype[Any]]


def process_memory(graph: Graph) -> list[dict[str, Any]]:
    """Return rows of what each process holds at most, if edges are spread evenly: what it does, and bytes in all.

    Algorithms are those by which `lux.pagerank`, `lux.bfs` and `lux.components` run by default on these processes'
    CPU cores and GPUs, each alone, beside all that this process holds now. Reading a text file takes its columns
    besides; moved partitions leave copies of edges behind, as long as Legate has memory to spare. Zero-copy memory is
    part of the process from its start.

    >>> import lux
    >>> [row["process"] for row in process_memory(lux.toy.kite())]
    ['making the graph', 'holding it', 'pagerank', 'bfs', 'components']
    """
    ranks = runtime.ranks()
    listed = graph.n_edges if graph.directed else graph.n_edges // 2
    source = Listed(graph.n_vertices, listed, graph.directed, graph.property_types)
    making = started_bytes()
    if not graph.edges_on_gpus:  # else GPUs made it in their memory
        making += graph.memory_needed() // ranks + build.process_bytes(source)
        making -= build.listed_bytes(source) // 2  # some are freed while the graph is written, and some before
    runs = _runs(graph)  # whose launches have Legate give back what making the graph took
    held = resident_bytes()
    found = {MAKING: making, HOLDING: held}
    found |= {name: max(held, started_bytes() + compiling) + size for name, (size, compiling) in runs.items()}
    return [{"process": name, "MiB": size >> 20, "bytes": size} for name, size in found.items()]


def _runs(graph: Graph) -> dict[str, tuple[int, int]]:
    """Return the bytes of a process in runs, besides the graph, and in the compilers of their kernels."""
    from lux.algorithms.bfs.query import BfsQuery
    from lux.algorithms.bfs.strategies import STRATEGIES as SEARCHES
    from lux.algorithms.components.strategies import STRATEGIES as LINKINGS
    from lux.algorithms.pagerank.pagerank import PageRank
    from lux.algorithms.pagerank.stopping import ITERATIONS
    from lux.algorithms.pagerank.strategies import STRATEGIES as RANKINGS
    from lux.algorithms.pagerank.strategies import PageRankQuery
    from lux.algorithms.strategy import Choice, Query, select
    from lux.engine import executor
    from lux.engine.gpu.placement import device_selection

    first = graph.ids.labels(0, 1).tolist()[0]
    asked: dict[str, tuple[Sequence[Strategy[Any]], Query]] = {
        "pagerank": (RANKINGS, PageRankQuery(graph=graph, program=PageRank, params={"alpha": 0.85, "stop": 0.0})),
        "bfs": (SEARCHES, BfsQuery(graph=graph, source=first, params={"source": 0})),
        "components": (LINKINGS, Query(graph=graph, algorithm="components")),
    }
    chosen: dict[str, Choice[Any]] = {name: select(strategies, query) for name, (strategies, query) in asked.items()}
    found = {name: each.memory.host // runtime.ranks() + each.memory.process for name, each in chosen.items()}
    if device_selection.partitions(graph, None):
        return {name: (size, _compiling(chosen[name].strategy, asked[name][1])) for name, size in found.items()}
    layout = executor.run_layout(graph, None)
    if not why_not(PageRank.spec, layout, ITERATIONS, chosen["pagerank"].memory.host, made=False):
        found["pagerank"] += 4 * graph.n_edges // runtime.ranks()
    return {name: (size, 0) for name, size in found.items()}


def _compiling(strategy: Strategy[Any], query: Query) -> int:
    """Return the bytes of the compilers that a run on GPUs may need.

    A program's kernel is looked for on one GPU, and on GPUs that read each other's memory; of others it is not known
    whether they are compiled.
    """
    from lux.algorithms.strategy import VertexProgram
    from lux.codegen import cuda_build
    from lux.engine.gpu.parts import PartitionedGpuRun
    from lux.engine.gpu.placement import device_selection
    from lux.engine.gpu.single import writer_of

    if not isinstance(strategy, VertexProgram):
        return COMPILING
    parts = device_selection.partitions(query.graph, None)
    how: dict[str, Any] = {}
    if parts > 1:
        if "peer" not in PartitionedGpuRun.placements(parts):
            return COMPILING_PROGRAM
        how = {"part": True, "local": True, "peers": parts}
    writer = writer_of(strategy.of(query), query.graph, query.params, **how)
    return (
        COMPILING if cuda_build.is_built(writer.text(), runtime.capability(), writer.devices()) else COMPILING_PROGRAM
    )
