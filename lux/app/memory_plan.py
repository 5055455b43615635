# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Memory plan: every array of a run on many nodes with GPUs, by the formulas with which a run is weighed here.

The graph is numbers alone. Its edges are spread evenly over the partitions, one for each GPU, and each node has a
process. Nothing is launched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from lux.engine.gpu.messages import FACTS
from lux.engine.gpu.part_memory import OWNERS, PartMemory
from lux.graph.core.stored_graph import graph_bytes, id_dtype

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from lux.program.program import Program

A_GPU, A_NODE = "GPU", "node"


class PlannedArray(NamedTuple):
    """An array of a plan.

    Attributes
    ----------
    name : str
    owner : {"GPU", "node"}
        Who has it, each a part of its own or a copy.
    nbytes : int
        Bytes of one owner.
    """

    name: str
    owner: str
    nbytes: int


@dataclass(frozen=True)
class PlannedPartitions:
    """Partitions of a graph that is not there: equally many vertices and edges each.

    >>> PlannedPartitions(10, 100, 4).points.tolist()
    [0, 2, 5, 7, 10]
    """

    n_vertices: int
    n_edges: int
    parts: int

    @cached_property
    def points(self) -> NDArray[np.int64]:
        """Split points, of shape (parts + 1,)."""
        return np.arange(self.parts + 1, dtype=np.int64) * self.n_vertices // self.parts

    @cached_property
    def edge_points(self) -> NDArray[np.int64]:
        """Begins of the partitions' edges, of shape (parts + 1,)."""
        return np.arange(self.parts + 1, dtype=np.int64) * self.n_edges // self.parts

    def has_cached(self, _name: str) -> bool:
        """Return False: nothing has been made."""
        return False

    def has_by_source(self, _names: tuple[str, ...], *, listed: bool = False) -> bool:  # noqa: ARG002  # a graph's
        """Return False: nothing has been made."""
        return False


@dataclass(frozen=True)
class PlannedGraph:
    """A graph that is not there, in the order of its ids."""

    n_vertices: int
    n_edges: int
    directed: bool = True
    property_types: Mapping[str, np.dtype[Any]] = field(default_factory=dict)
    order: None = None
    dealt_ranges: int = 0
    edges_on_gpus: bool = False

    @property
    def id_dtype(self) -> np.dtype[Any]:
        """Type of an id."""
        return id_dtype(self.n_vertices)

    @property
    def degree_dtype(self) -> np.dtype[Any]:
        """Type of an out-degree."""
        return np.dtype(np.int32 if self.n_edges < 2**31 else np.int64)

    def layout(self, parts: int) -> PlannedPartitions:
        """Return the graph cut into so many partitions."""
        return PlannedPartitions(self.n_vertices, self.n_edges, parts)


class PlannedRun(PartMemory):
    """The memory of a run on GPUs of several processes that are not there, which send each other messages."""

    def __init__(
        self, program: type[Program], graph: PlannedGraph, values: Mapping[str, Any], nodes: int, gpus_of_a_node: int
    ) -> None:
        self.nodes, self.parts = nodes, nodes * gpus_of_a_node
        super().__init__(program, cast("Any", graph), {}, values, "auto", 100, self.parts, placement="device")

    @property
    def ranks(self) -> int:
        """Processes: one on each node."""
        return self.nodes

    @property
    def gpus(self) -> int:
        """GPUs of all nodes."""
        return self.parts


def plan(
    program: type[Program],
    values: Mapping[str, Any],
    graph: PlannedGraph,
    nodes: int,
    gpus_of_a_node: int,
) -> list[PlannedArray]:
    """List every array of a run with its owner and bytes; the largest partition counts for all.

    Parameters
    ----------
    program : type
    values : mapping of str to number
        The program's parameters.
    graph : PlannedGraph
    nodes, gpus_of_a_node : int

    Examples
    --------
    >>> from lux.algorithms.pagerank.pagerank import PageRank
    >>> found = plan(PageRank, {"alpha": 0.85, "stop": 0.0}, PlannedGraph(1 << 20, 1 << 25), nodes=2, gpus_of_a_node=2)
    >>> [array for array in found if "sources" in array.name]
    [PlannedArray(name='sources of in-edges', owner='GPU', nbytes=33554432)]
    """
    run = PlannedRun(program, graph, values, nodes, gpus_of_a_node)
    of_edges, of_partition, of_gpu, zero_copy = OWNERS
    owners = {of_edges: A_GPU, of_partition: A_GPU, of_gpu: A_GPU, zero_copy: A_NODE}
    found = [PlannedArray(array.name, owners[array.owner], array.nbytes) for array in run.array_bytes]
    return found + [PlannedArray(name, A_NODE, nbytes) for name, nbytes in _on_node(run, graph, nodes).items()]


def _on_node(run: PlannedRun, graph: PlannedGraph, nodes: int) -> dict[str, int]:
    """Count the bytes in the memory of a node's process besides zero-copy memory."""
    n, parts = graph.n_vertices, run.parts
    return {
        "its part of the graph": graph_bytes(n, graph.n_edges, graph.property_types) // nodes,
        "its part of what is made of the edges": run.host_bytes() // nodes,
        "facts about messages between all partitions": 8 * FACTS * parts * (parts + 1) + 4 * 8 * parts * parts,
        "split points, for each partition": 2 * 8 * parts * (parts + 1),
    }
