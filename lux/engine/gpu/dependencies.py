# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Dependencies on sources, for betweenness, on one GPU that holds the whole graph (`betweenness.cu`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.gpu import place, search
from lux.engine.gpu.call import STATISTICS, Call, kernel
from lux.engine.gpu.memory import Scratch
from lux.engine.statistics import Iteration

if TYPE_CHECKING:
    from lux.engine.loop import Progress, Run
    from lux.engine.sweeps import Sweeps
    from lux.graph import Graph


def fits(asked: Sweeps, parts: int | None, model: str) -> bool:
    """Whether the GPU is to be used: for paths that count edges, where no model is asked for."""
    plain = asked.weight is None and model == "auto"
    return plain and place.on_one_gpu(asked.graph, parts, lambda: needed(asked.graph), "betweenness", only=True)


def needed(graph: Graph) -> int:
    """Bytes on the GPU: edges, scores, and scratch memory."""
    return place.edges_bytes(graph, 0, both=True) + 8 * graph.n_vertices + _scratch(graph).nbytes


def _scratch(graph: Graph) -> Scratch:
    """``PathScratch`` of `betweenness.cu`: the search's, then numbers of paths, factors, bounds, depths and marks."""
    n, m = graph.n_vertices, graph.n_edges
    paths = {
        "sigma": 8 * n,
        "factor": 8 * n,
        "bounds": 8 * (n + 1),
        "depth": 4 * n,
        "near": n,
        "waiting": 8 * (m // 128 + 1),
    }
    return Scratch({"control": 8 * search.CONTROL_WORDS}, search.scratch_parts(graph) | paths)


def run(asked: Sweeps, progress: Progress | None) -> Run | None:
    """See `lux.engine.sweeps.dependencies`; None where numbers of paths overflow float64."""
    from lux.engine.loop import Run

    graph, n = asked.graph, asked.graph.n_vertices
    scores = runtime.new_store(np.float64, n, 0.0, gpu=True)
    levels = min(n, search.LEVELS_NOTED)
    arguments: list[str | np.generic] = [
        *search.arguments_of(graph),
        np.uint32(n),
        np.int64(graph.n_edges),
        "source",
        np.float64(1.0),
        np.uint32(asked.one > 0),
        *("score", "control", "scratch", STATISTICS),
        np.uint32(levels),
    ]
    call = Call(
        kernel("betweenness.cu", "lux_betweenness", search.THREADS),
        arguments,
        search.edges_of(graph),
        {},
        _scratch(graph),
        24,
        32 * levels,
        _visited,
        {"score": scores},
    )
    statistics, elapsed = [], 0.0
    sources = asked.chosen.astype(np.int64)
    for visited, seconds in call.run_each("dependencies_on_gpu", "source", sources):
        elapsed += seconds
        statistics.append(Iteration("sweep", 1, visited, np.array([seconds]), why="one source in a launch"))
        if progress is not None:
            progress(len(statistics))
    if not np.isfinite(runtime.to_array(scores)).all():
        return None
    return Run({"score": scores}, len(statistics), True, elapsed, 1, statistics, device="gpu")


def _visited(control: NDArray[np.uint8], _statistics: NDArray[np.uint8]) -> int:
    """Vertices that the source reaches."""
    return int(control.view(np.int64)[1])
