# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux with its defaults: on the graph as it is, and on the graph stored in the order that Lux found best for it.

Reordering counts as set-up; where Lux finds that the order is good there is no second row. So do cutting edges into
blocks, which the first PageRank of a graph does for all later ones, and what the first search keeps for others (on
graphs of many edges the first neighbours of every vertex in columns). PageRank ignores weights and computes the change
of the ranks in every iteration; it also has a row with one partition for each processor, where every iteration is a
launch. Breadth-first search and shortest paths (delta-stepping) give distances and parents.
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
from lux.algorithms.bfs import prepare
from lux.algorithms.pagerank import PageRank
from lux.engine.blocks import why_not
from lux.engine.loop import run_layout

DTYPES = (np.float32, np.float64)


def contenders(shared: SharedGraph, works: list[str]) -> list[Contender]:
    """Every work on both graphs, and PageRank on one partition for each processor."""
    if "pagerank" in works:
        _make_blocks(shared)
    rows = _rows(shared.graph, shared, works, PLAIN)
    if "pagerank" in works and shared.threads > 1:
        rows += [_pagerank(shared.graph, shared.threads, dtype, parts=shared.threads) for dtype in DTYPES]
    reordered = shared.setup("Lux: reorder, or find the order good", lambda: _finished(shared.graph.reordered))
    if reordered is not shared.graph:
        rows += _rows(reordered, shared, works, REORDERED)
    return rows


def _make_blocks(shared: SharedGraph) -> None:
    """Cut the edges into blocks if PageRank will have them so, which its first call would do otherwise."""
    layout = run_layout(shared.graph, None)
    if not why_not(PageRank.spec, layout, ITERATIONS, 0):
        shared.setup("Lux: edges in blocks", lambda: (layout.blocks(()), runtime.finish()))


def _rows(graph: lux.Graph, shared: SharedGraph, works: list[str], baseline: str) -> list[Contender]:
    variant = "" if graph.order is None else f"vertices by {graph.order.name}"
    row = functools.partial(_row, shared.threads, variant=variant, baseline=baseline)
    rows = []
    if "pagerank" in works:
        rows += [_pagerank(graph, shared.threads, dtype, variant=variant, baseline=baseline) for dtype in DTYPES]
    if "bfs" in works:
        what = ", ".join(["Lux: what searches keep", *([variant] if variant else [])])
        shared.setup(what, lambda: (prepare(graph, parts=None, model="auto"), runtime.finish()))
        rows.append(row("bfs", lambda root: lux.bfs(graph, root)))
    if "components" in works:
        rows.append(row("components", lambda: lux.components(graph)))
    if "sssp" in works:
        precision = lux.sssp(graph, *shared.first()).distances.dense().dtype.name
        rows.append(row("sssp", lambda root: lux.sssp(graph, root), answer=_lengths, precision=precision))
    if "betweenness" in works:
        call = functools.partial(lux.betweenness, graph, normalized=False)
        rows.append(row("betweenness", lambda root: call(sources=[root]), answer=_dependencies, precision="float64"))
    return rows


def _pagerank(graph: lux.Graph, threads: int, dtype: Any, parts: int | None = None, **named: Any) -> Contender:
    call = functools.partial(
        lux.pagerank, graph, alpha=ALPHA, max_iter=ITERATIONS, tol=0, weight=None, dtype=dtype, parts=parts
    )
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
    """An undirected graph's scores count each pair of ends once, and so half of what Brandes' dependency is."""
    scores: NDArray[np.float64] = result.scores.to_numpy().astype(np.float64)
    return 2 * scores
