# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""SuiteSparse:GraphBLAS through python-graphblas, with LAGraph's algorithms.

The matrix is one value and a pattern, and a second one has the weights. PageRank does not compute the change of the
ranks. Breadth-first search gives distances and parents; it and betweenness choose between push and pull by LAGraph's
rules. Components are FastSV without LAGraph's sampling; as in LAGraph its scatter is done outside GraphBLAS, here by
NumPy. Shortest paths are delta-stepping with the best of some deltas for each graph; parting light from heavy edges
counts as set-up, which LAGraph repeats in every call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import graphblas as gb
import numpy as np
from graphblas import Matrix, Vector
from numpy.typing import NDArray

from benchmarks import lagraph
from benchmarks.contender import DELTAS, Contender, fastest
from benchmarks.graphs import SharedGraph


def contenders(shared: SharedGraph, works: list[str]) -> list[Contender]:
    """Return PageRank in both precisions, both searches, FastSV, and Brandes' algorithm."""
    gb.ss.config["nthreads"] = shared.threads
    degrees, row = shared.degrees(), functools.partial(Contender, "GraphBLAS", threads=shared.threads)
    rows = []
    if set(works) - {"sssp"}:
        matrix = shared.setup("GraphBLAS: Matrix", lambda: _matrix(shared, np.ones(1, np.bool_)))
    if "pagerank" in works:
        for dtype in (np.float32, np.float64):
            call = functools.partial(lagraph.pagerank, matrix, degrees, dtype)
            rows.append(row("pagerank", "", call=call, answer=lambda v: v.to_dense(), precision=np.dtype(dtype).name))
    if "bfs" in works:
        call = functools.partial(lagraph.bfs, matrix, Vector.from_dense(degrees.astype(np.int64)))
        rows.append(row("bfs", "push and pull", call=call, answer=_distances))
    if "components" in works:
        rows.append(row("components", "FastSV", call=functools.partial(lagraph.fastsv, matrix), answer=np.asarray))
    if "sssp" in works:
        weighted = shared.setup("GraphBLAS: Matrix with weights", lambda: _matrix(shared, shared.weights))
        rows.append(_sssp(row, weighted, shared))
    if "betweenness" in works:
        call = functools.partial(lagraph.betweenness, matrix)
        rows.append(row("betweenness", "", call=call, answer=lambda v: v.to_dense(), precision="float64"))
    return rows


def _matrix(shared: SharedGraph, values: NDArray[Any]) -> Any:
    """Return a matrix with one value for all edges, or one for each."""
    offsets, neighbours = shared.csr
    return Matrix.ss.import_csr(
        nrows=shared.n,
        ncols=shared.n,
        indptr=offsets.astype(np.uint64),
        col_indices=neighbours.astype(np.uint64),
        values=values.copy(),
        is_iso=len(values) == 1 != len(neighbours),
        sorted_cols=True,
        take_ownership=True,
    )


def _distances(outcome: tuple[Any, Any]) -> NDArray[np.int32]:
    dense: NDArray[np.int32] = outcome[0].to_dense(fill_value=-1)
    return dense


def _sssp(row: Callable[..., Contender], weighted: Any, shared: SharedGraph) -> Contender:
    """Return the fastest delta; the matrices of no more than two are in memory at a time."""

    def stepping(delta: int) -> Contender:
        parted = lagraph.split(weighted, delta)
        call = functools.partial(lagraph.sssp, *parted, delta)
        return row("sssp", f"delta {delta}", call=call, answer=_lengths, precision="int32")

    return fastest(map(stepping, DELTAS), shared.first(), calls=2)


def _lengths(distances: Any) -> NDArray[np.float64]:
    dense = distances.to_dense()
    return np.where(dense < lagraph.UNREACHED, dense, np.inf)
