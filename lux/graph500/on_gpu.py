# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Validation and edge counts on one GPU that holds the edge list beside the graph, in one launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.bfs import gpu as bfs_gpu
from lux.algorithms.bfs import published
from lux.algorithms.sssp import gpu as sssp_gpu
from lux.codegen.cuda_functions import C_TYPES
from lux.engine.gpu.placement import device_selection
from lux.graph500.validation import RULES, refuse
from lux.launch.call import NULL, KernelCall, kernel
from lux.launch.memory import Scratch, bitmap_bytes

if TYPE_CHECKING:
    from lux.graph.construction.edge_stores import StoredEdges
    from lux.graph.graph import Graph
    from lux.graph500.searches import Tree
    from lux.runtime import Store

THREADS = 1024
CONTROL = np.dtype(
    [
        ("broken", np.uint64, len(RULES)), ("inside", np.uint64), ("neighbours", np.uint64), ("left", np.uint64, 32),
        ("arrived", np.uint32), ("pad", np.uint32),
    ]
)  # fmt: skip
"""Layout of ``Control`` in `graph500.cu`."""


def fits(graph: Graph, tuples: StoredEdges, strategy: str) -> bool:
    """Return True if a GPU is used and holds the edge list beside the memory of a strategy's searches."""
    return device_selection.on_one_gpu(graph, None, lambda: memory_bytes(graph, tuples, strategy))


def memory_bytes(graph: Graph, tuples: StoredEdges, strategy: str) -> int:
    """Return the bytes on the GPU: a strategy's searches, trees, the edge list and scratch memory."""
    n, listed = graph.n_vertices, (8 + 4 * len(tuples.properties)) * tuples.n_edges
    searched = sssp_gpu.memory_bytes(graph) if "weight" in graph.property_types else 0
    searched = max(searched, bfs_gpu.memory_bytes(graph))
    if strategy in published.BY_NAME:  # its edges and its scratch memory stay there
        searched += 2 * device_selection.edges_bytes(graph, 0, both=True) + 64 * n
    return searched + listed + 24 * n + _scratch(n).nbytes


def _scratch(n: int) -> Scratch:
    marks = {"control": CONTROL.itemsize, "joined": bitmap_bytes(n), "tight": bitmap_bytes(n)}
    return Scratch(marks, {"near": 4 * n, "far": 4 * n})


def examine(
    tuples: StoredEdges, neighbours: Store, tree: Tree, *, weighted: bool, validated: bool = True
) -> tuple[int, int]:
    """Run `lux.graph500.validation.validate`, `input_edges` and `distinct_edges` (`lux.graph500.counting`) at once.

    Parameters
    ----------
    tuples : StoredEdges
    neighbours : Store of shape (n_vertices,)
        Result of `lux.graph500.counting.neighbour_counts`.
    tree : Tree
    weighted : bool
        Distances add up weights; they are levels otherwise.
    validated : bool
        Validate the tree; otherwise edges are only counted.

    Returns
    -------
    input_edges, distinct_edges : int

    Raises
    ------
    ValidationError
    """
    n = tuples.n_vertices
    inputs = {
        "sources": tuples.sources,
        "destinations": tuples.destinations,
        "parent": tree.parent,
        "distance": tree.distance,
        "neighbours": neighbours,
    }
    if weighted:
        inputs["weights"] = tuples.properties["weight"]
    arguments: list[str | np.generic] = [
        *("sources", "destinations", "weights" if weighted else NULL, "parent", "distance", "neighbours"),
        *(np.int64(x) for x in (n, tuples.n_edges, tree.root)),
        np.uint32(validated),
        *("control", "joined", "tight", "near", "far"),
    ]
    kinds = {"PARENT": tree.parent, "DISTANCE": tree.distance, "COUNT": neighbours}
    macros = {name: C_TYPES[np.dtype(store.dtype).name] for name, store in kinds.items()} | {"WEIGHTED": int(weighted)}
    function = kernel("graph500.cu", "lux_validate", THREADS, **macros)
    call = KernelCall(function, arguments, inputs, {}, _scratch(n), CONTROL.itemsize, 0, _read)
    found, _ = call.run("validate_on_gpu")
    refuse(tree, found["broken"].astype(np.int64))
    return int(found["inside"]), int(found["neighbours"]) // 2


def _read(control: NDArray[np.uint8], _statistics: NDArray[np.uint8]) -> np.void:
    found: np.void = control.copy().view(CONTROL)[0]
    return found
