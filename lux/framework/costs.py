# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""W, C, H and S of the paper's six primitives, counted in runs.

Everything is summed over the partitions. W and C count edges and vertices, H vertices and bytes. What is counted as
which is in ``docs/framework.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux import runtime
from lux.algorithms.bfs import UNREACHED
from lux.engine.edge_checks import without_parallel_edges
from lux.errors import GraphError, ParameterError
from lux.framework.borders import Borders
from lux.framework.observe import Observation, observe
from lux.partition import check_parts
from lux.result import Result
from lux.runtime import Launch

if TYPE_CHECKING:
    from lux.graph import Graph

Run = Callable[["Graph", Any, int], Result]

PRIMITIVES: dict[str, Run] = {
    "BFS": lambda graph, source, parts: lux.bfs(graph, source, model="push", parts=parts),
    "DOBFS": lambda graph, source, parts: lux.bfs(graph, source, parts=parts),
    "SSSP": lambda graph, source, parts: lux.sssp(graph, source, model="push", parts=parts),
    "BC": lambda graph, source, parts: lux.betweenness(graph, sources=[source], model="push", parts=parts),
    "CC": lambda graph, _, parts: lux.components(graph, parts=parts),
    "PageRank": lambda graph, _, parts: lux.pagerank(graph, weight=None, parts=parts),
}
"""From a graph, a source (the user's id) and a number of partitions to a result."""

READ_WHOLE = ("a_", "forests", "labels")
"""Beginnings of the names of stores that one launch writes and the next reads whole."""
FRONTIERS = ("words", "queue")
"""Ends of the names of stores that hold frontiers."""
SWEEP_ENTRY, SWEEP_VALUE = 8, 12
"""Bytes in `lux.engine.batched_sweeps`: of a queue's entry; of a number with its exponent."""


@dataclass(frozen=True)
class Costs:
    """What one run cost; arrays are int64.

    Attributes
    ----------
    primitive : str
        One of `PRIMITIVES`.
    computed : np.ndarray of shape (supersteps, parts)
        W: edges and vertices that each partition looked at.
    handled : int
        C: vertices looked up in an INS, published in a frontier, or combined.
    sent, broadcast : int
        H in vertices: active ones once for each partition that reads them, or once for each other partition.
    sent_bytes, broadcast_bytes : int
        H in bytes: ids, where these are not the same in every superstep, and the values that are read.
    whole_bytes : int
        What launches read of other partitions' parts of fields, all of which every partition may read.
    launches : int
    result : Result
        Of the fastest run that was not observed.
    inputs, edges, outputs : np.ndarray of shape (supersteps, parts)
        What a frontier-based advance and filter take and give: vertices, edges out of them, new vertices.
    frontier_bytes : int
        Stores of the run that hold frontiers.
    """

    primitive: str
    computed: NDArray[np.int64]
    handled: int
    sent: int
    broadcast: int
    sent_bytes: int
    broadcast_bytes: int
    whole_bytes: int
    launches: int
    result: Result
    inputs: NDArray[np.int64]
    edges: NDArray[np.int64]
    outputs: NDArray[np.int64]
    frontier_bytes: int

    @property
    def supersteps(self) -> int:
        """S."""
        return len(self.computed)

    def work(self, processors: int) -> int:
        """W of the slowest processor, over all supersteps: partitions share out ``processors`` as well as they can."""
        most, mean = self.computed.max(axis=1, initial=0), -(-self.computed.sum(axis=1) // processors)
        return int(np.maximum(most, mean).sum())


def measure(primitive: str, graph: Graph, source: Any, parts: int, *, trials: int = 1) -> Costs:
    """Run a primitive for its time, and once more to count.

    Parameters
    ----------
    primitive : str
        One of `PRIMITIVES`.
    graph : Graph
        Undirected; with weights for SSSP.
    source : object
        The user's id of a vertex (CC and PageRank have none).
    parts : int
        From 2: one partition has no border.
    trials : int
        Runs, of which the fastest counts.

    Raises
    ------
    ParameterError, GraphError

    Examples
    --------
    >>> import lux
    >>> from lux.framework import measure
    >>> costs = measure("BFS", lux.toy.path(4).symmetrized(), 0, parts=2)
    >>> costs.supersteps, int(costs.computed.sum()), costs.sent, costs.broadcast
    (4, 12, 2, 4)
    """
    if primitive not in PRIMITIVES:
        raise ParameterError(f"primitive={primitive!r} was passed; allowed are {', '.join(PRIMITIVES)}")
    if graph.directed:
        raise GraphError("the analysis is of undirected graphs, and this one is directed: pass graph.symmetrized()")
    if check_parts(parts, graph.n_vertices) < 2:
        raise ParameterError("parts=1 was passed; allowed are numbers from 2: one partition has no border")
    graph = without_parallel_edges(graph) if primitive == "BC" else graph
    with lux.using(repartition="off", device="cpu"):
        PRIMITIVES[primitive](graph, source, parts)  # what is kept with the graph, and compiled
        runs = [_recorded(primitive, graph, source, parts) for _ in range(trials)]
        result, launches = min(runs, key=lambda run: run[0].seconds)
        if primitive == "CC":
            return _linking(result, launches)
        search = {"BFS": "BFS", "DOBFS": "DOBFS", "BC": "BFS"}  # betweenness has the levels of a search
        waiting = ("distance", UNREACHED) if primitive in search else None
        seen = observe(lambda: PRIMITIVES[search.get(primitive, primitive)](graph, source, parts), waiting)
    if primitive == "BC":
        return _sweeps(result, launches, seen)
    return _program(primitive, result, launches, seen)


def _recorded(primitive: str, graph: Graph, source: Any, parts: int) -> tuple[Result, Sequence[Launch]]:
    with runtime.recorded() as launches:
        result = PRIMITIVES[primitive](graph, source, parts)
    return result, launches


def _program(primitive: str, result: Result, launches: Sequence[Launch], seen: Observation) -> Costs:
    """Of a vertex program."""
    graph, parts, active = result.graph, result.parts, seen.active.sum(axis=1)
    layout = graph.layout(parts)
    pulls = np.array([step.model == "pull" for step in result.statistics])[:, None]
    stops = bool(seen.waiting.any())  # a pull ends at a vertex's first parent
    edges = np.where(pulls, seen.scanned if stops else np.diff(layout.edge_points), seen.pushed)
    every = active == graph.n_vertices
    # Where every vertex is active all the time, which ones are sent is known before, and nothing is looked up.
    a_vertex = seen.value_bytes + (0 if every.all() else graph.id_dtype.itemsize)
    broadcast = active * (parts - 1)
    return Costs(
        primitive,
        computed=edges + np.where(pulls, np.diff(layout.points), seen.read.sum(axis=1)),
        handled=int(active[~every].sum()) * (parts + 1),
        sent=int(seen.sent.sum()),
        broadcast=int(broadcast.sum()),
        sent_bytes=int(seen.sent.sum()) * a_vertex,
        broadcast_bytes=int(broadcast.sum()) * a_vertex,
        whole_bytes=whole_bytes(launches, parts),
        launches=len(launches),
        result=result,
        inputs=np.where(pulls & stops, seen.waiting, seen.active),
        edges=np.where(pulls & stops, 0, edges),
        outputs=_next(seen.active),
        frontier_bytes=_frontier_bytes(launches),
    )


def _next(active: NDArray[np.int64]) -> NDArray[np.int64]:
    """What the frontier is after each superstep."""
    return np.concatenate([active[1:], np.zeros_like(active[:1])])


def _sweeps(result: Result, launches: Sequence[Launch], seen: Observation) -> Costs:
    """Of betweenness from one source: forward over the levels of a search, and back from the last to the first but one.

    Vertices of the last level have no edges to look at on the way back, and nobody reads those of the first two.
    """
    parts, active, back = result.parts, seen.active.sum(axis=1), slice(None, 0, -1)
    leading = np.concatenate([seen.leading[:-1], np.zeros_like(seen.leading[-1:])])[back]
    read = np.concatenate([seen.sent, seen.sent[:1:-1]])
    broadcast = np.concatenate([active, active[:1:-1]]) * (parts - 1)
    a_vertex = np.full(len(read), SWEEP_VALUE)
    a_vertex[: len(active)] += SWEEP_ENTRY
    backward = np.concatenate([seen.active, seen.active[back]])
    return Costs(
        "BC",
        computed=np.concatenate([seen.pushed + seen.read.sum(axis=1), leading + seen.active[back]]),
        handled=int(active.sum()) * (parts + 1),
        sent=int(read.sum()),
        broadcast=int(broadcast.sum()),
        sent_bytes=int((read * a_vertex).sum()),
        broadcast_bytes=int((broadcast * a_vertex).sum()),
        whole_bytes=whole_bytes(launches, parts),
        launches=len(launches),
        result=result,
        inputs=backward,
        edges=np.concatenate([seen.pushed, leading]),
        outputs=np.concatenate([_next(seen.active), 0 * seen.active[back]]),
        frontier_bytes=_frontier_bytes(launches),
    )


def _linking(result: Result, launches: Sequence[Launch]) -> Costs:
    """Of components: passes that link edges in a forest for each partition, each followed by joining the forests.

    A pass says how many edges it looked at in all; they are taken as shared out evenly. Nothing is selected: whole
    forests are read.
    """
    graph, parts = result.graph, result.parts
    own = np.diff(graph.layout(parts).points)
    passes = np.array([[step.frontier_edges] for step in result.statistics], np.int64)
    edges = np.repeat(-(-passes // parts), parts, axis=1)
    nbytes = whole_bytes(launches, parts)
    vertices = nbytes // graph.id_dtype.itemsize
    return Costs(
        "CC",
        computed=edges + own,
        handled=len(passes) * parts * graph.n_vertices,
        sent=vertices,
        broadcast=vertices,
        sent_bytes=nbytes,
        broadcast_bytes=nbytes,
        whole_bytes=nbytes,
        launches=len(launches),
        result=result,
        inputs=np.broadcast_to(own, edges.shape),
        edges=edges,
        outputs=np.zeros_like(edges),
        frontier_bytes=_frontier_bytes(launches),
    )


def whole_bytes(launches: Sequence[Launch], parts: int) -> int:
    """Bytes of fields that points of launches may read of what others wrote.

    A point that may read a whole field reads the shares of all others, and all of what one point wrote for all; one
    that joins what ``parts`` points wrote reads all shares but one. In each case that is so much:

    >>> read = Launch("lux_run", 4, (("reads", "a_rank", None, 100), ("reads", "sources", "edges", 900)))
    >>> whole_bytes([read], parts=4)
    300
    """
    return sum(
        launch.points * nbytes * (parts - 1) // parts
        for launch in launches
        for kind, name, split, nbytes in launch.stores
        if kind == "reads" and split is None and name.startswith(READ_WHOLE)
    )


def _frontier_bytes(launches: Sequence[Launch]) -> int:
    """Bytes of all stores that hold frontiers, of which each has a name of its own."""
    found = {name: nbytes for launch in launches for _, name, _, nbytes in launch.stores if name.endswith(FRONTIERS)}
    return sum(nbytes for name, nbytes in found.items() if name.startswith(("a_", "b_")))


@dataclass(frozen=True)
class Expected:
    """The expressions of Table I for one run, summed over the processors."""

    computed: float
    handled: float
    sent: float
    supersteps: float


def table_one(costs: Costs, borders: Borders, diameter: int) -> Expected:
    """Table I of the paper for the graph and partitions of a run.

    Its factors a (of DOBFS) and b (of SSSP) are the share of the edges that were looked at, and how often edges were,
    as counted in the run; S, where the table leaves it open, is the run's.

    Parameters
    ----------
    costs : Costs
    borders : Borders
    diameter : int
        D: of the graph, or a lower bound.
    """
    edges, vertices, present = float(borders.edges.sum()), float(borders.own.sum()), float(borders.present.sum())
    border, others, steps = float(borders.border.sum()), borders.parts - 1, float(costs.supersteps)
    seen = float(costs.computed.sum()) / max(edges, 1.0)
    half = diameter / 2
    rows = {
        "BFS": (edges, present, border, half),
        "DOBFS": (seen * edges, borders.parts * vertices, others * vertices, half),
        "SSSP": (seen * edges, seen * present, 2 * seen * border, seen * half),
        "BC": (2 * edges, 2 * present + borders.parts * vertices, 5 * border + 2 * others * vertices, half),
        "CC": (math.log2(max(half, 2)) * edges, steps * present, steps * 2 * present, steps),
        "PageRank": (steps * edges, steps * border, steps * border, steps),
    }
    return Expected(*rows[costs.primitive])
