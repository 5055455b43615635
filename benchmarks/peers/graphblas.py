# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""SuiteSparse:GraphBLAS through python-graphblas, with LAGraph's algorithms.

The matrix is one value and a pattern. PageRank does not compute the change of the ranks. Breadth-first search gives
distances and parents and chooses between push and pull by LAGraph's rules. Components are FastSV without LAGraph's
sampling; as in LAGraph its scatter is done outside GraphBLAS, here by NumPy. Types are those for which the wheels
have compiled kernels: int32, not uint32.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import graphblas as gb
import numpy as np
from graphblas import Matrix, Vector, binary, monoid, semiring
from numpy.typing import NDArray

from benchmarks.contender import ALPHA, ITERATIONS, Contender
from benchmarks.graphs import SharedGraph

PUSH_ALPHA, GROW, SHRINK = 8, 8, 512
"""LAGraph's alpha, beta1 and beta2: how much of the unexplored edges, and of the vertices, a frontier must be."""
ANY_SECONDI = semiring.ss.any_secondi["INT32"]


def contenders(shared: SharedGraph, works: list[str]) -> list[Contender]:
    """PageRank in both precisions, direction-optimising breadth-first search, FastSV."""
    gb.ss.config["nthreads"] = shared.threads
    matrix = shared.setup("GraphBLAS: Matrix", lambda: _matrix(shared))
    degrees, threads = shared.degrees(), shared.threads
    row = functools.partial(Contender, "GraphBLAS", threads=threads)
    rows = []
    if "pagerank" in works:
        for dtype in (np.float32, np.float64):
            call = functools.partial(pagerank, matrix, degrees, dtype)
            rows.append(row("pagerank", "", call=call, answer=lambda v: v.to_dense(), precision=np.dtype(dtype).name))
    if "bfs" in works:
        stored = Vector.from_dense(degrees.astype(np.int64))
        call = functools.partial(bfs, matrix, stored)
        rows.append(row("bfs", "push and pull", call=call, answer=_distances))
    if "components" in works:
        rows.append(row("components", "FastSV", call=functools.partial(fastsv, matrix), answer=np.asarray))
    return rows


def _matrix(shared: SharedGraph) -> Any:
    offsets, neighbours = shared.csr
    return Matrix.ss.import_csr(
        nrows=shared.n,
        ncols=shared.n,
        indptr=offsets.astype(np.uint64),
        col_indices=neighbours.astype(np.uint64),
        values=np.ones(1, np.bool_),
        is_iso=True,
        sorted_cols=True,
        take_ownership=True,
    )


def pagerank(matrix: Any, degrees: NDArray[np.int64], dtype: Any) -> Any:
    """Power iteration with plus_second; the rank of vertices without neighbours is given to all."""
    n = len(degrees)
    isolated = np.flatnonzero(degrees == 0)
    sinks = Vector.from_coo(isolated, dtype(1), size=n, dtype=dtype)
    weights = Vector.from_dense(
        np.divide(ALPHA, degrees, out=np.zeros(n, dtype), where=degrees > 0, casting="same_kind")
    )
    ranks = Vector.from_scalar(dtype(1 / n), n)
    shares, new = Vector(ranks.dtype, n), Vector(ranks.dtype, n)
    for _ in range(ITERATIONS):
        lost = binary.times(ranks & sinks).reduce(monoid.plus).new().value or 0.0
        shares << binary.times(ranks & weights)
        new << float((1 - ALPHA + ALPHA * lost) / n)
        new(binary.plus) << semiring.plus_second(matrix @ shares)
        ranks, new = new, ranks
    ranks.wait()
    return ranks


def bfs(matrix: Any, degrees: Any, root: int) -> tuple[Any, Any]:
    """Distances and parents, both int32, without entries where unreached."""
    n, root = matrix.nrows, int(root)
    parents, distances, frontier = (Vector("INT32", n) for _ in range(3))
    parents.ss.config["sparsity_control"] = distances.ss.config["sparsity_control"] = "bitmap"
    parents[root], distances[root], frontier[root] = root, 0, root
    unexplored, size, before = matrix.nvals, 1, 0
    push, pulled = True, False
    for level in itertools.count(1):
        growing = size > before
        if not push:
            push = size < before and size <= n / SHRINK
        elif pulled:
            push = not (growing and size > n / GROW and unexplored >= n)
        elif unexplored >= n:
            edges = binary.first(degrees & frontier).new().reduce(monoid.plus).new().value
            unexplored -= edges
            push = not (growing and edges > unexplored / PUSH_ALPHA)
        pulled |= not push
        frontier.ss.config["sparsity_control"] = "sparse" if push else "bitmap"
        frontier(~parents.S, replace=True) << ANY_SECONDI(frontier @ matrix if push else matrix @ frontier)
        before, size = size, frontier.nvals
        if not size:
            break
        parents(frontier.S) << frontier
        distances(frontier.S) << level
    return distances, parents


def _distances(outcome: tuple[Any, Any]) -> NDArray[np.int32]:
    dense: NDArray[np.int32] = outcome[0].to_dense(fill_value=-1)
    return dense


def fastsv(matrix: Any) -> NDArray[np.int32]:
    """A label for each component (Zhang, Azad and Hu, "FastSV", 2020)."""
    labels = np.arange(matrix.nrows, dtype=np.int32)
    grand = labels.copy()
    least = Vector.from_dense(labels)
    while True:
        least(binary.min) << semiring.min_second["INT32"](matrix @ Vector.from_dense(grand))
        smallest = least.to_dense()
        np.minimum.at(labels, labels.copy(), smallest)
        np.minimum(labels, np.minimum(smallest, grand), out=labels)
        previous, grand = grand, labels[labels]
        if np.array_equal(previous, grand):
            return grand
