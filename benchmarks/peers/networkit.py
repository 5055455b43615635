# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""NetworKit.

PageRank runs on a directed graph with both directions of every edge, because it distributes the rank of vertices
without neighbours only there, and takes the faster of its two norms. Breadth-first search is sequential and gives
distances, no parents: keeping paths makes it slower; so does Dijkstra's algorithm. Of its two algorithms for components
the faster is taken. Betweenness is left out: the caller cannot choose the sources.
"""

from __future__ import annotations

import functools
from typing import Any

import networkit as nk
import numpy as np
from numpy.typing import NDArray

from benchmarks.contender import ALPHA, ITERATIONS, Contender, fastest
from benchmarks.graphs import SharedGraph

NORMS = {"L1 norm": nk.centrality.Norm.L1_NORM, "L2 norm": nk.centrality.Norm.L2_NORM}
COMPONENTS = (nk.components.ConnectedComponents, nk.components.ParallelConnectedComponents)


def contenders(shared: SharedGraph, works: list[str]) -> list[Contender]:
    """Return PageRank in float64, breadth-first search and Dijkstra's algorithm with distances only, and components."""
    nk.setNumberOfThreads(shared.threads)
    rows = []
    if "pagerank" in works:
        rows.append(_pagerank(shared))
    if {"bfs", "components"} & set(works):
        graph = shared.setup("NetworKit: undirected Graph", lambda: _graph(shared))
        rows += [_bfs(graph)] if "bfs" in works else []
        rows += [_components(graph, shared.threads)] if "components" in works else []
    if "sssp" in works:
        rows.append(_dijkstra(shared.setup("NetworKit: weighted Graph", lambda: _graph(shared, weighted=True))))
    return rows


def _graph(shared: SharedGraph, *, directed: bool = False, weighted: bool = False) -> Any:
    """Return the graph; the directed one has every edge in both directions."""
    low, high, weights = shared.once()
    ends = low.astype(np.uint64), high.astype(np.uint64)
    if directed:
        ends = np.concatenate(ends), np.concatenate(ends[::-1])
    edges = (weights.astype(np.float64), ends) if weighted else ends
    graph = nk.GraphFromCoo(edges, n=shared.n, weighted=weighted, directed=directed)
    graph.sortEdges()
    return graph


def _pagerank(shared: SharedGraph) -> Contender:
    graph = shared.setup("NetworKit: directed Graph", lambda: _graph(shared, directed=True))

    def run(norm: Any) -> Any:
        ranks = nk.centrality.PageRank(
            graph, ALPHA, tol=0.0, distributeSinks=nk.centrality.SinkHandling.DistributeSinks
        )
        ranks.maxIterations, ranks.norm = ITERATIONS, norm
        return ranks.run()

    rows = [
        Contender(
            "NetworKit",
            "pagerank",
            name,
            shared.threads,
            functools.partial(run, norm),
            answer=lambda done: np.array(done.scores()),
            precision="float64",
            iterations=lambda done: int(done.numberOfIterations()),
        )
        for name, norm in NORMS.items()
    ]
    return fastest(rows)


def _bfs(graph: Any) -> Contender:
    def run(root: int) -> Any:
        return nk.distance.BFS(graph, root, storePaths=False).run()

    return Contender("NetworKit", "bfs", "distances only", 1, run, _distances)


def _distances(done: Any) -> NDArray[np.int32]:
    distances = np.asarray(done.getDistances(asarray=True))
    return np.where(distances < len(distances), distances, -1).astype(np.int32)


def _dijkstra(graph: Any) -> Contender:
    def run(root: int) -> Any:
        return nk.distance.Dijkstra(graph, root, storePaths=False).run()

    return Contender("NetworKit", "sssp", "Dijkstra, distances only", 1, run, _lengths, precision="float64")


def _lengths(done: Any) -> NDArray[np.float64]:
    """Return lengths; NetworKit's largest float64 means unreached."""
    distances = np.asarray(done.getDistances(asarray=True), np.float64)
    return np.where(distances < np.finfo(np.float64).max, distances, np.inf)


def _components(graph: Any, threads: int) -> Contender:
    rows = [
        Contender(
            "NetworKit",
            "components",
            kind.__name__,
            threads if "Parallel" in kind.__name__ else 1,
            lambda kind=kind: kind(graph).run(),
            answer=lambda done: np.array(done.getPartition().getVector()),
        )
        for kind in COMPONENTS
    ]
    return fastest(rows)
