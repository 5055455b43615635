# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Dependencies on sources where edges have lengths (`weighted_betweenness.cu`); see `gpu`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lux.algorithms.sssp import gpu
from lux.algorithms.sssp.weights import by_weight
from lux.codegen.cuda_functions import C_TYPES
from lux.engine.gpu.placement import device_selection
from lux.launch.memory import Scratch
from perfmodel.direction import DENSE_DEGREE

if TYPE_CHECKING:
    from lux.algorithms.betweenness.brandes import BrandesQuery
    from lux.algorithms.betweenness.gpu import KernelVariant
    from lux.graph.graph import Graph
    from lux.runtime import Store

WALK_BYTES = 128
"""Room for ``Walk`` of `path_edges.cuh`."""
PUSHED = ("out_offsets", "destinations", "out_weights")
PULLED = ("in_offsets", "in_neighbours", "in_weights", "least")
ROWS = ("row_offsets", "row_neighbours", "row_weights")
ARGUMENTS = (
    *PUSHED, *PULLED, *ROWS, "n_vertices", "n_linked", "sources", "n_sources", "delta", "budget", "pull_above",
    "push_below", "one", "score", "state", "stamp", "small_0", "small_1", "large_0", "large_1", "pile_0", "pile_1",
    "hubs", "control", "children", "length", "waiting", "paths", "factor", "rows", "pieces", "bounds", "walk", "done",
    "report", "noted",
)  # fmt: skip
"""Arguments of the kernel, in order."""


def knows(asked: BrandesQuery) -> bool:
    """Return True if lengths are of a type that the kernel adds up."""
    assert asked.weight is not None
    return _adds_up(asked.graph.property_types[asked.weight])


def _adds_up(kind: np.dtype[Any]) -> bool:
    return kind.kind in "iuf" and kind != np.float16


def memory_bytes(graph: Graph, n_sources: int = 1) -> int:
    """Count the bytes on a GPU: edges (of dense graphs also by weight), scores, and scratch memory with its sources."""
    each = graph.property_types["weight"].itemsize
    edges = device_selection.edges_bytes(graph, each, both=True)
    if graph.n_edges >= DENSE_DEGREE * graph.n_vertices:
        edges += device_selection.edges_bytes(graph, each, both=False) + each * graph.n_vertices
    return edges + 8 * graph.n_vertices + _scratch(graph, n_sources).nbytes


def _scratch(graph: Graph, n_sources: int) -> Scratch:
    """Lay out the scratch memory: that of `search_distances`, ``PathEdges``, and a GPU's sources."""
    n, m = graph.n_vertices, graph.n_edges
    others = {
        "children": 4 * m,
        "length": 4 * n,
        "waiting": 4 * n,
        "paths": 8 * n,
        "factor": 8 * n,
        "rows": 4 * n,
        "pieces": 8 * (m // 64 + 1),
        "bounds": 8 * (n + 1),
        "sources": 4 * n_sources,
    }
    zeroed = {"control": gpu.CONTROL_BYTES, "walk": WALK_BYTES, "done": 4}
    return Scratch(zeroed, gpu.scratch_parts(graph) | others)


def prepare(graph: Graph, weight: str) -> None:
    """Make what a sweep needs of the edges, where their lengths can be added up, and keep it with the graph."""
    if _adds_up(graph.property_types[weight]):
        _edges(graph.with_weight(weight))


def by_length(asked: BrandesQuery, n_sources: int) -> KernelVariant:
    """Choose the kernel and its arguments, for so many sources on a GPU at most."""
    from lux.algorithms.betweenness.gpu import KernelVariant

    assert asked.weight is not None
    graph = asked.graph.with_weight(asked.weight)
    edges, named = _edges(graph)
    buckets = gpu.bucket_schedule(graph, pulls="least" in named)
    numbers: dict[str, np.generic] = {
        "n_vertices": np.uint32(graph.n_vertices),
        "n_linked": np.uint32(gpu.linked(graph)),
        "delta": np.float64(buckets.width),
        "budget": np.uint64(buckets.budget),
        "pull_above": np.uint64(buckets.pull_above),
        "push_below": np.uint64(buckets.push_below),
        "one": np.float64(asked.one),
    }
    scratch = _scratch(graph, n_sources)
    return KernelVariant(
        file="weighted_betweenness.cu",
        name="lux_weighted_betweenness",
        threads=gpu.THREADS,
        macros={"WEIGHT": C_TYPES[graph.property_types["weight"].name], "DISTANCE": "double"},
        arguments=ARGUMENTS,
        edges=edges,
        named=named,
        numbers=numbers,
        scratch=scratch,
        zeroed_always=scratch.at["done"],
    )


def _edges(graph: Graph) -> tuple[dict[str, Store], dict[str, str]]:
    """Return the edges by source, by destination and (of dense graphs) by weight; and which arguments they are."""
    pushed = graph.layout(1).by_source(("weight",))
    edges = {"out_offsets": pushed.offsets, "destinations": pushed.destinations}
    edges["out_weights"] = pushed.properties["weight"]
    rows = PUSHED  # of an undirected graph they are the same
    if graph.directed:
        rows = ROWS
        edges |= {"row_offsets": graph.offsets, "row_neighbours": graph.sources}
        edges["row_weights"] = graph.properties["weight"]
    named = dict(zip((*PUSHED, *ROWS), (*PUSHED, *rows), strict=True))
    ascending = by_weight(graph) if graph.n_edges >= DENSE_DEGREE * graph.n_vertices else None
    if ascending is not None:
        edges |= {"in_neighbours": ascending.sources, "in_weights": ascending.weights, "least": ascending.least}
        named |= dict(zip(PULLED, (rows[0], *PULLED[1:]), strict=True))
    return edges, named
