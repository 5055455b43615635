# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""SciPy, on one thread.

PageRank is a power iteration of sparse matrix-vector products and does not compute the change of the ranks;
breadth-first search gives an order and predecessors, from which distances follow outside the timed call; Dijkstra's
algorithm gives distances only. There is no betweenness.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, dijkstra

from benchmarks.contender import ALPHA, ITERATIONS, Contender, fastest
from benchmarks.graphs import SharedGraph


def contenders(shared: SharedGraph, works: list[str]) -> list[Contender]:
    """Return PageRank in both precisions, both searches, and the faster of the two kinds of components."""
    if set(works) == {"betweenness"}:
        return []
    matrix = shared.setup("SciPy: csr_array, float64", lambda: _matrix(shared))
    row = functools.partial(Contender, "SciPy", threads=1)
    rows = []
    if "pagerank" in works:
        single = shared.setup("SciPy: csr_array, float32", lambda: matrix.astype(np.float32))
        for m in (single, matrix):
            call = functools.partial(power_iteration, m, shared.degrees())
            rows.append(row("pagerank", "", call=call, answer=np.asarray, precision=m.dtype.name))
    if "bfs" in works:
        call = functools.partial(breadth_first_order, matrix)
        rows.append(row("bfs", "order and predecessors", call=call, answer=depths))
    if "components" in works:
        kinds = [
            row(
                "components",
                f"connection={kind}",
                call=functools.partial(connected_components, matrix, connection=kind),
                answer=lambda outcome: outcome[1],
            )
            for kind in ("weak", "strong")
        ]
        rows.append(fastest(kinds))
    if "sssp" in works:
        weighted = shared.setup("SciPy: csr_array with weights", lambda: _weighted(matrix, shared))
        rows.append(row("sssp", "Dijkstra", call=_dijkstra(weighted), answer=np.asarray, precision="float64"))
    return rows


def _matrix(shared: SharedGraph) -> Any:
    offsets, neighbours = shared.csr
    ids = np.int32 if len(neighbours) < 2**31 else np.int64
    parts = (np.ones(len(neighbours)), neighbours.astype(ids), offsets.astype(ids))
    return csr_array(parts, shape=(shared.n, shared.n))


def _weighted(matrix: Any, shared: SharedGraph) -> Any:
    parts = (shared.weights.astype(np.float64), matrix.indices, matrix.indptr)
    return csr_array(parts, shape=matrix.shape)


def _dijkstra(matrix: Any) -> Callable[[int], NDArray[np.float64]]:
    return lambda root: dijkstra(matrix, indices=root)


def power_iteration(matrix: Any, degrees: NDArray[np.int64]) -> NDArray[Any]:
    """Run PageRank on a symmetric matrix of ones; the rank of vertices without neighbours is given to all."""
    n, dtype = len(degrees), matrix.dtype.type
    isolated = np.flatnonzero(degrees == 0)
    inverse = np.divide(ALPHA, degrees, out=np.zeros(n, dtype), where=degrees > 0, casting="same_kind")
    ranks = np.full(n, dtype(1 / n))
    for _ in range(ITERATIONS):
        given = (1 - ALPHA + ALPHA * float(ranks[isolated].sum())) / n
        ranks = matrix @ (ranks * inverse)
        ranks += dtype(given)
    return ranks


def depths(outcome: tuple[NDArray[np.int32], NDArray[np.int32]]) -> NDArray[np.int32]:
    """Return distances from an order and predecessors: in this order the parents' places never go back."""
    order, predecessors = outcome
    place = np.zeros(len(predecessors), np.int64)
    place[order] = np.arange(len(order))
    parents = place[predecessors[order[1:]]]
    distances = np.full(len(predecessors), -1, np.int32)
    level, lo, hi = 0, 0, 1
    while lo < hi:
        distances[order[lo:hi]] = level
        level, lo, hi = level + 1, hi, 1 + int(np.searchsorted(parents, hi))
    return distances
