# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""python-igraph, on one thread.

PageRank is left out: it runs until a tolerance of its own, not for a number of iterations. Breadth-first search is
the faster of two calls, one of which gives an order and parents, the other distances only. igraph caches a graph's
connectedness, which is cleared before each call. Weights are Python objects, fetched by each call.
"""

from __future__ import annotations

import functools
from typing import Any

import igraph
import numpy as np
from numpy.typing import NDArray

from benchmarks.contender import Contender, fastest
from benchmarks.graphs import SharedGraph


def contenders(shared: SharedGraph, works: list[str]) -> list[Contender]:
    """Return breadth-first search, components, Dijkstra's algorithm, and betweenness of the paths from one source."""
    if set(works) == {"pagerank"}:
        return []
    graph = shared.setup("igraph: Graph", lambda: _graph(shared))
    row = functools.partial(Contender, "igraph", threads=1)
    rows = []
    if "bfs" in works:
        rows.append(
            fastest(
                [
                    row("bfs", "order and parents", call=graph.bfs, answer=_levels),
                    row("bfs", "distances only", call=lambda root: graph.distances([root]), answer=_hops),
                ],
                shared.first(),
            )
        )
    if "components" in works:
        rows.append(row("components", "", call=lambda: _components(graph), answer=lambda c: np.array(c.membership)))
    if "sssp" in works:
        call = functools.partial(_dijkstra, graph)
        rows.append(row("sssp", "Dijkstra", call=call, answer=lambda rows: np.array(rows[0]), precision="float64"))
    if "betweenness" in works:
        brandes = functools.partial(_betweenness, graph)
        rows.append(row("betweenness", "", call=brandes, answer=_dependencies, precision="float64"))
    return rows


def _graph(shared: SharedGraph) -> Any:
    low, high, weights = shared.once()
    graph = igraph.Graph(n=shared.n, edges=np.column_stack([low, high]), directed=False)
    graph.es["weight"] = weights.tolist()
    return graph


def _levels(outcome: tuple[list[int], list[int], list[int]]) -> NDArray[np.int32]:
    """Return distances from the visited vertices in order, and the start of each layer."""
    order, starts, parents = outcome
    distances = np.full(len(parents), -1, np.int32)
    distances[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return distances


def _hops(rows: list[list[float]]) -> NDArray[np.int32]:
    distances = np.array(rows[0])
    return np.where(np.isfinite(distances), distances, -1).astype(np.int32)


def _components(graph: Any) -> Any:
    getattr(graph, "__invalidate_cache")()
    return graph.connected_components(mode="weak")


def _dijkstra(graph: Any, root: int) -> list[list[float]]:
    distances: list[list[float]] = graph.distances([root], weights="weight", algorithm="dijkstra")
    return distances


def _betweenness(graph: Any, root: int) -> list[float]:
    scores: list[float] = graph.betweenness(sources=[root])
    return scores


def _dependencies(scores: list[float]) -> NDArray[np.float64]:
    """Convert an undirected graph's scores to Brandes' dependencies, which are twice as large."""
    return 2 * np.array(scores)
