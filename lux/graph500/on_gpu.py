# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Validation and edge counts on GPUs that hold the edge list beside the graph (``graph500.cu``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs import gpu as bfs_gpu
from lux.algorithms.bfs import published
from lux.algorithms.sssp import gpu as sssp_gpu
from lux.codegen.cuda_functions import C_TYPES
from lux.engine.gpu.placement import device_selection
from lux.graph.construction.gpu import choice
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.construction.gpu.spread import even_points
from lux.graph500.validation import RULES, refuse
from lux.launch.call import NULL, KernelCall, kernel
from lux.launch.memory import Scratch, bitmap_bytes
from lux.launch.peer_call import Argument, Parts, PeerCall, Table, place

if TYPE_CHECKING:
    from lux.graph.construction.edge_stores import StoredEdges
    from lux.graph.graph import Graph
    from lux.graph500.searches import Tree
    from lux.runtime import Kernel, Store

THREADS = 1024
CONTROL = np.dtype(
    [
        ("broken", np.uint64, len(RULES)), ("inside", np.uint64), ("neighbours", np.uint64), ("left", np.uint64, 32),
        ("arrived", np.uint32), ("pad", np.uint32),
    ]
)  # fmt: skip
"""Layout of ``Control`` in `graph500.cu`."""


def gpus_for(graph: Graph, tuples: StoredEdges, strategy: str) -> int:
    """Count the GPUs that validate, which hold the edge list beside what a strategy's searches need; 0: cores do."""
    n, count = graph.n_vertices, choice.several()
    if not device_selection.why_not_one_gpu(graph, None) and 2 * tuples.n_edges >= choice.WORTH_SEVERAL and count > 1:
        return count if gpu_edges.has_room(24 * n + _scratch(n).nbytes) else 0
    return int(device_selection.on_one_gpu(graph, None, lambda: memory_bytes(graph, tuples, strategy)))


def memory_bytes(graph: Graph, tuples: StoredEdges, strategy: str) -> int:
    """Return the bytes on the GPU: a strategy's searches, trees, the edge list and scratch memory."""
    n, listed = graph.n_vertices, (8 + 4 * len(tuples.properties)) * tuples.n_edges
    searched = sssp_gpu.memory_bytes(graph) if "weight" in graph.property_types else 0
    searched = max(searched, bfs_gpu.memory_bytes(graph))
    if strategy in published.BY_NAME:  # its edges and its scratch memory stay there
        searched += 2 * device_selection.edges_bytes(graph, 0, both=True) + 64 * n
    return searched + listed + 24 * n + _scratch(n).nbytes


def _scratch(n: int) -> Scratch:
    marks = {"joined": bitmap_bytes(n), "tight": bitmap_bytes(n)}
    return Scratch({"control": CONTROL.itemsize}, marks | {"near": 4 * n, "far": 4 * n})


def examine(
    tuples: StoredEdges, neighbours: Store, tree: Tree, *, weighted: bool, validated: bool = True, gpus: int = 1
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
    gpus : int
        GPUs, each of which takes an equal share of the edges.

    Returns
    -------
    input_edges, distinct_edges : int

    Raises
    ------
    ValidationError
    """
    make = _by_one if gpus == 1 else _by_several
    found = make(_Question(tuples, neighbours, tree, weighted, validated, gpus))
    refuse(tree, found["broken"].astype(np.int64))
    return int(found["inside"]), int(found["neighbours"]) // 2


class _Question(NamedTuple):
    """Arguments of `examine`."""

    tuples: StoredEdges
    neighbours: Store
    tree: Tree
    weighted: bool
    validated: bool
    gpus: int

    def kernel(self, name: str) -> Kernel:
        """Return a kernel for the types of the tree."""
        kinds = {"PARENT": self.tree.parent, "DISTANCE": self.tree.distance, "COUNT": self.neighbours}
        macros = {name: C_TYPES[np.dtype(store.dtype).name] for name, store in kinds.items()}
        return kernel("graph500.cu", name, THREADS, **macros, WEIGHTED=int(self.weighted))

    def edges(self) -> dict[str, Store]:
        """Return the columns of the edge list."""
        found = {"sources": self.tuples.sources, "destinations": self.tuples.destinations}
        return found | ({"weights": self.tuples.properties["weight"]} if self.weighted else {})


def _by_one(asked: _Question) -> np.void:
    tuples, tree, n = asked.tuples, asked.tree, asked.tuples.n_vertices
    inputs = asked.edges() | {
        "parent": tree.parent,
        "distance": tree.distance,
        "neighbours": asked.neighbours,
    }
    arguments: list[str | np.generic] = [
        *("sources", "destinations", "weights" if asked.weighted else NULL, "parent", "distance", "neighbours"),
        *(np.int64(x) for x in (0, n, n, tuples.n_edges, tree.root)),
        *(np.uint32(asked.validated), np.uint32(1), "control", "joined", "tight", "near", "far"),
    ]
    call = KernelCall(asked.kernel("lux_validate"), arguments, inputs, {}, _scratch(n), CONTROL.itemsize, 0, _read)
    found: np.void = call.run("validate_on_gpu")[0]
    return found


def _by_several(asked: _Question) -> np.void:
    """Have every GPU look at an equal share of the edges and of the vertices, with all of the tree."""
    gpus, tree, n = asked.gpus, asked.tree, asked.tuples.n_vertices
    edges, vertices = even_points(asked.tuples.n_edges, gpus), even_points(n, gpus)
    words = bitmap_bytes(n) // 4
    marks = {name: runtime.new_store(np.uint32, gpus * words, touched=False) for name in ("joined", "tight")}
    each = np.arange(gpus + 1, dtype=np.int64) * words
    inputs = {name: Parts(store, edges) for name, store in asked.edges().items()}
    inputs |= {"parent": Parts(tree.parent), "distance": Parts(tree.distance)}
    inputs["neighbours"] = Parts(asked.neighbours, vertices)
    placed = place(gpus, inputs, {name: Parts(store, each) for name, store in marks.items()})
    own: list[Argument] = [vertices[:-1], vertices[1:]]
    arguments: list[Argument] = [
        *("sources", "destinations", "weights" if asked.weighted else NULL, "parent", "distance"),
        *(placed.from_start("neighbours"), *own, np.int64(n), np.diff(edges), np.int64(tree.root)),
        *(np.uint32(asked.validated), np.uint32(0), "control", "joined", "tight", "near", "far"),
    ]
    control, others = {"control": CONTROL.itemsize}, {"near": 4 * n, "far": 4 * n}
    call = PeerCall(asked.kernel("lux_validate"), placed, arguments, control, others, "control")
    found = call.run("validate_on_gpus").view(CONTROL)[:, 0]
    total: np.void = found[0].copy()
    for name in ("inside", "neighbours"):
        total[name] = found[name].sum()
    total["broken"][2:] = found["broken"][:, 2:].sum(axis=0)  # each GPU has looked at the first two of all vertices
    if not asked.validated or found["broken"][0, 0]:
        return total
    arguments = ["parent", *(Table(np.tile(placed.addresses[name], (gpus, 1))) for name in marks)]
    arguments += [np.uint32(gpus), *own, np.int64(tree.root), "control"]
    call = PeerCall(asked.kernel("lux_check_marks"), placed, arguments, control, reported="control")
    total["broken"] += call.run("check_marks").view(CONTROL)[:, 0]["broken"].sum(axis=0)
    return total


def _read(control: NDArray[np.uint8], _statistics: NDArray[np.uint8]) -> np.void:
    found: np.void = control.copy().view(CONTROL)[0]
    return found
