# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux with its defaults: on the graph as given, and on the graph stored in the order that Lux found best for it.

Reordering counts as set-up; if Lux finds the given order good there is no second row. The first call of each kind on a
graph also counts as set-up, as it prepares data for later ones: PageRank of 20 iterations cuts edges into tiles,
searches keep their memory and the first neighbours of every vertex in columns, shortest paths sort rows by weight. The
whole first call is timed; kernels are loaded before, by the same call on a small graph of the same kind. PageRank
ignores weights and computes the change of the ranks in every iteration; it also has a row with one partition for each
processor, in which every iteration is a launch, and one as users call it, with its own tolerance and in float64: whole
calls, without tiles if few iterations are expected. Breadth-first search and shortest paths (delta-stepping) give
distances and parents.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lux
from benchmarks.contender import ALPHA, ITERATIONS, PLAIN, REORDERED, Contender
from benchmarks.graphs import SharedGraph
from lux import runtime

DTYPES = (np.float32, np.float64)
FIXED = {"alpha": ALPHA, "max_iter": ITERATIONS, "tol": 0, "weight": None}
DEFAULT_CALL = "pagerank, default call"
"""Work that only Lux has."""


def contenders(shared: SharedGraph, works: list[str]) -> list[Contender]:
    """Return every work on both graphs, and PageRank on one partition for each processor."""
    small = shared.small()
    rows = _rows(shared, shared.graph, small, works, PLAIN)
    if "pagerank" in works and shared.threads > 1:
        rows += [_pagerank(shared.graph, shared.threads, dtype, parts=shared.threads) for dtype in DTYPES]
    reordered = shared.setup("Lux: reorder, or find the order good", lambda: _finished(shared.graph.reordered))
    if reordered is not shared.graph:
        rows += _rows(shared, reordered, small.reordered(reordered.order.name), works, REORDERED)
    return rows


def by_default(shared: SharedGraph) -> Contender:
    """Run PageRank as users call it, without data that longer runs leave for later ones."""
    call = functools.partial(lux.pagerank, weight=None)
    done = _first(shared, call, shared.graph, shared.small(), "pagerank with its defaults")
    variant = f"{done.iterations} iteration" + "s" * (done.iterations > 1)
    return _row(
        shared.threads, DEFAULT_CALL, functools.partial(call, shared.graph), variant=variant, precision="float64"
    )


def _rows(shared: SharedGraph, graph: lux.Graph, small: lux.Graph, works: list[str], baseline: str) -> list[Contender]:
    variant = "" if graph.order is None else f"vertices by {graph.order.name}"
    row = functools.partial(_row, shared.threads, variant=variant, baseline=baseline)

    def first(work: str, call: Callable[..., Any], *root: int) -> Any:
        return _first(shared, call, graph, small, ", ".join([work, *([variant] if variant else [])]), *root)

    rows = []
    if "pagerank" in works:
        for dtype in DTYPES:
            rows.append(_pagerank(graph, shared.threads, dtype, variant=variant, baseline=baseline))
            first(f"pagerank, {np.dtype(dtype).name}", functools.partial(lux.pagerank, **FIXED, dtype=dtype))
    if "bfs" in works:
        first("bfs", lux.bfs, *shared.first())
        rows.append(row("bfs", lambda root: lux.bfs(graph, root)))
    if "components" in works:
        first("components", lux.components)
        rows.append(row("components", lambda: lux.components(graph)))
    if "sssp" in works:
        precision = first("sssp", lux.sssp, *shared.first()).distances.dense().dtype.name
        rows.append(row("sssp", lambda root: lux.sssp(graph, root), answer=_lengths, precision=precision))
    if "betweenness" in works:
        first("betweenness", lambda graph, root: lux.betweenness(graph, sources=[root]), *shared.first())
        call = functools.partial(lux.betweenness, graph, normalized=False)
        rows.append(row("betweenness", lambda root: call(sources=[root]), answer=_dependencies, precision="float64"))
    return rows


def _first(
    shared: SharedGraph, call: Callable[..., Any], graph: lux.Graph, small: lux.Graph, what: str, *root: int
) -> Any:
    """Call for the first time on a graph, with kernels loaded by the same call on a small one."""
    _finished(call, small, *([small.ids.labels(0, 1)[0]] if root else []))
    return shared.setup(f"Lux: first call of {what}", lambda: _finished(call, graph, *root))


def _pagerank(graph: lux.Graph, threads: int, dtype: Any, parts: int | None = None, **named: Any) -> Contender:
    call = functools.partial(lux.pagerank, graph, **FIXED, dtype=dtype, parts=parts)
    if parts:
        named["variant"] = f"{parts} partitions, a launch each iteration"
    return _row(threads, "pagerank", call, precision=np.dtype(dtype).name, **named)


def _row(threads: int, work: str, call: Callable[..., Any], **named: Any) -> Contender:
    return Contender(
        "Lux",
        work,
        threads=threads,
        call=functools.partial(_finished, call),
        run_seconds=lambda result: result.seconds,
        iterations=lambda result: result.iterations,
        **({"answer": lambda result: result.main.to_numpy()} | named),
    )


def _finished(call: Callable[..., Any], *arguments: Any) -> Any:
    """Call something of Lux and wait until its last launch has run."""
    result = call(*arguments)
    runtime.finish()
    return result


def _lengths(result: Any) -> NDArray[np.float64]:
    distances: NDArray[np.float64] = result.distances.to_numpy().astype(np.float64)
    return np.where(distances < 0, np.inf, distances)


def _dependencies(result: Any) -> NDArray[np.float64]:
    """Convert an undirected graph's scores to Brandes' dependencies, which are twice as large."""
    scores: NDArray[np.float64] = result.scores.to_numpy().astype(np.float64)
    return 2 * scores
