# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Afforest on one GPU that holds the whole graph, in one launch (`components.cu`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.components.refusals import has_iterations
from lux.algorithms.strategy import Memory, Query, needs_program
from lux.engine.gpu.placement import device_selection
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import Iteration
from lux.launch.call import NULL, KernelCall, kernel
from lux.launch.memory import Scratch

if TYPE_CHECKING:
    from lux.graph.graph import Graph

THREADS = 1024


class AfforestGpu:
    """Afforest on one GPU."""

    name = "gpu"

    def refusal(self, query: Query) -> str:
        """Say why one GPU is not taken, or why the program is needed."""
        return (
            needs_program(query) or has_iterations(query) or device_selection.why_not_one_gpu(query.graph, query.parts)
        )

    def memory(self, query: Query) -> Memory:
        """Edges, labels and scratch memory on the GPU."""
        return Memory(gpu=memory_bytes(query.graph))

    def prepare(self, query: Query) -> None:
        """Make nothing: the kernel reads the graph as it is stored."""

    def run(self, query: Query, progress: Progress | None) -> Run:  # noqa: ARG002  # one launch does it all
        """Link all edges in one forest."""
        return link(query.graph)


def memory_bytes(graph: Graph) -> int:
    """Count the bytes on the GPU: edges, labels, the order, and scratch memory."""
    return device_selection.edges_bytes(graph, 0, both=False) + 8 * graph.n_vertices + _scratch(graph).nbytes


def _scratch(graph: Graph) -> Scratch:
    others = {"rows": 4 * (graph.n_edges // 1024 + 2)}
    if graph.order is not None:
        others |= {"forest": 4 * graph.n_vertices, "smallest": 4 * graph.n_vertices}
    return Scratch({"control": 32}, others)


def link(graph: Graph) -> Run:
    """Label every vertex with the smallest vertex of its component; the field ``label`` is in the order of ids."""
    ordered = graph.order is not None
    inputs = {"offsets": graph.offsets, "neighbours": graph.sources}
    if graph.order is not None:
        inputs["vertices"] = graph.order.vertices
    labels = runtime.new_store(np.uint32, graph.n_vertices, touched=False)
    arguments: list[str | np.generic] = [
        "offsets",
        "neighbours",
        np.uint32(graph.n_vertices),
        np.uint32(not graph.directed),
        "vertices" if ordered else NULL,
        "label",
        "forest" if ordered else NULL,
        "smallest" if ordered else NULL,
        "rows",
        "control",
    ]
    function = kernel("components.cu", "lux_components", THREADS)
    call = KernelCall(function, arguments, inputs, {"label": labels}, _scratch(graph), 32, 0, _seen)
    seen, seconds = call.run("link_on_gpu")
    why = f"{seen:,} rows outside the largest tree were read in full"
    statistics = [Iteration("link", graph.n_vertices, seen, np.array([seconds]), why=why)]
    return Run({"label": labels}, 1, True, seconds, 1, statistics, device="gpu", finished=True)


def _seen(control: NDArray[np.uint8], _statistics: NDArray[np.uint8]) -> int:
    """Rows that were read in full."""
    return int(control.view(np.uint32)[5])
