# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Primitives of the paper, all six, and measurement of their costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import lux
from benchmarks.primitive_costs import counting
from benchmarks.primitive_costs.costs import Costs
from benchmarks.primitive_costs.observe import observe
from lux import runtime
from lux.algorithms.bfs.bfs import UNREACHED
from lux.engine.run import directions
from lux.errors import GraphError, ParameterError
from lux.graph.parallel_edges import without_parallel_edges
from lux.partition.split_points import check_parts
from lux.results.result import Result
from lux.runtime import Launch

if TYPE_CHECKING:
    from lux.graph.graph import Graph

Run = Callable[["Graph", Any, int], Result]

PRIMITIVES: dict[str, Run] = {
    "BFS": lambda graph, source, parts: lux.bfs(graph, source, model="push", parts=parts),
    "DOBFS": lambda graph, source, parts: lux.bfs(graph, source, parts=parts),
    "SSSP": lambda graph, source, parts: lux.sssp(graph, source, model="push", parts=parts),
    "BC": lambda graph, source, parts: lux.betweenness(graph, sources=[source], model="push", parts=parts),
    "CC": lambda graph, _, parts: lux.components(graph, parts=parts),
    "PageRank": lambda graph, _, parts: lux.pagerank(graph, weight=None, parts=parts),
}
"""Functions from a graph, a source (the user's id) and a number of partitions to a result."""


def measure(
    primitive: str, graph: Graph, source: Any, parts: int, *, trials: int = 1, direction: str = directions.AUTO
) -> Costs:
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
    direction : {"auto", "edges", "estimates"}
        Rule of DOBFS, as in `lux.bfs`; the paper's is ``estimates``.

    Raises
    ------
    ParameterError, GraphError

    Examples
    --------
    >>> import lux
    >>> from benchmarks.primitive_costs import measure
    >>> costs = measure("BFS", lux.toy.path(4).symmetrized(), 0, parts=2)
    >>> costs.supersteps, int(costs.computed.sum()), costs.sent, costs.broadcast
    (4, 12, 2, 4)
    """
    if primitive not in PRIMITIVES:
        raise ParameterError(f"primitive={primitive!r} was passed; allowed are {', '.join(PRIMITIVES)}")
    run = PRIMITIVES[primitive]
    if direction != directions.AUTO:
        run = _directed(primitive, direction)
    if graph.directed:
        raise GraphError("the analysis is of undirected graphs, and this one is directed: pass graph.symmetrized()")
    if check_parts(parts, graph.n_vertices) < 2:
        raise ParameterError("parts=1 was passed; allowed are numbers from 2: one partition has no border")
    graph = without_parallel_edges(graph) if primitive == "BC" else graph
    with lux.using(repartition="off", device="cpu"):
        run(graph, source, parts)  # compiles, and caches data with the graph
        runs = [_recorded(run, graph, source, parts) for _ in range(trials)]
        result, launches = min(runs, key=lambda each: each[0].seconds)
        if primitive == "CC":
            return counting.of_linking(result, launches)
        waiting = ("distance", UNREACHED) if primitive in ("BFS", "DOBFS", "BC") else None
        watched = PRIMITIVES["BFS"] if primitive == "BC" else run  # betweenness has the levels of a search
        seen = observe(lambda: watched(graph, source, parts), waiting)
    if primitive == "BC":
        return counting.of_sweeps(result, launches, seen)
    return counting.of_program(primitive, result, launches, seen)


def _directed(primitive: str, direction: str) -> Run:
    """Return a search with its own rule of directions."""
    if primitive != "DOBFS":
        raise ParameterError(f"direction={direction!r} was passed for {primitive}; only DOBFS has directions")
    directions.checked(direction, None, None)
    return lambda graph, source, parts: lux.bfs(graph, source, direction=direction, parts=parts)


def _recorded(run: Run, graph: Graph, source: Any, parts: int) -> tuple[Result, Sequence[Launch]]:
    with runtime.recorded() as launches:
        result = run(graph, source, parts)
    return result, launches
