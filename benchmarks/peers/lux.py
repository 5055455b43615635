# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux with its defaults, and on one partition.

PageRank ignores the weights of grids and computes the change of the ranks in every iteration; breadth-first search
writes distances and parents.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import lux
from benchmarks.contender import ALPHA, ITERATIONS, Contender
from benchmarks.graphs import SharedGraph
from lux import runtime


def contenders(shared: SharedGraph, works: list[str]) -> list[Contender]:
    """Every work with the default number of partitions and with one."""
    default = shared.graph.default_parts()
    rows = [_rows(shared, parts, works) for parts in dict.fromkeys((default, 1))]
    return [row for some in rows for row in some]


def _rows(shared: SharedGraph, parts: int, works: list[str]) -> list[Contender]:
    graph, default = shared.graph, shared.graph.default_parts()
    variant = f"{parts} partition{'s' * (parts > 1)}{' (default)' * (parts == default)}"
    row = functools.partial(
        Contender,
        "Lux",
        variant=variant,
        threads=parts,
        answer=lambda result: result.main.dense(),
        run_seconds=lambda result: result.seconds,
        iterations=lambda result: result.iterations,
        baseline=parts == default,
    )
    rows = []
    if "pagerank" in works:
        for dtype in (np.float32, np.float64):
            call = functools.partial(
                _finished,
                lux.pagerank,
                graph,
                alpha=ALPHA,
                max_iter=ITERATIONS,
                tol=0,
                weight=None,
                dtype=dtype,
                parts=parts,
            )
            rows.append(row("pagerank", call=call, precision=np.dtype(dtype).name))
    if "bfs" in works:
        rows.append(row("bfs", call=lambda root: _finished(lux.bfs, graph, int(root), parts=parts)))
    if "components" in works:
        rows.append(row("components", call=functools.partial(_finished, lux.components, graph, parts=parts)))
    return rows


def _finished(algorithm: Any, *arguments: Any, **named: Any) -> Any:
    """Call an algorithm and wait until its last launch has run."""
    result = algorithm(*arguments, **named)
    runtime.finish()
    return result
