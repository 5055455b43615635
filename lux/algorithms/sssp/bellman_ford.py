# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths by propagating distances, as in section 3.4 of the Lux paper (VLDB 2017): any weights, any model."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import lux
from lux import runtime
from lux.algorithms.sssp import path_edges
from lux.algorithms.sssp.answers import finish
from lux.algorithms.sssp.weights import may_overflow, too_long, weight_range
from lux.algorithms.strategy import VertexProgram
from lux.engine.executor import execute
from lux.errors import NegativeCycleError, WeightError

if TYPE_CHECKING:
    from lux.algorithms.sssp.query import PathQuery
    from lux.engine.run.run import Progress, Run
    from lux.graph.graph import Graph
    from lux.runtime import Store

UNREACHED = 2**63 - 1
"""Integer distance of an unreached vertex; the float distance is infinity."""
FIRST_LOOK, MORE = 64, 16
"""With negative weights: iterations before the first search for a negative cycle, and the factor to the next one."""
SHOWN = 12
"""Vertices of a negative cycle that a message names."""


class ShortestPaths(lux.Program):
    """Bellman-Ford: after k iterations, distances along paths of at most k edges, up to ``cutoff``."""

    distance = lux.field(np.int64, reduce=lux.MIN)

    def start(v, params):
        if v.id == params.source:
            v.distance = 0
        return v.id == params.source

    def compute(v, u, edge, params):
        distance = u.distance + np.int64(edge.weight)
        return distance if distance <= params.cutoff else UNREACHED

    def update(v, old, params):
        return v.distance < old.distance


class ShortestPathsFloat64(ShortestPaths):
    """Bellman-Ford along floats."""

    distance = lux.field(np.float64, reduce=lux.MIN)

    def compute(v, u, edge, params):
        distance = u.distance + edge.weight
        return distance if distance <= params.cutoff else math.inf


ShortestPathsFloat32 = ShortestPathsFloat64.typed("ShortestPathsFloat32", distance=np.float32)


PROGRAMS: dict[str, type[lux.Program]] = {
    "int64": ShortestPaths,
    "float64": ShortestPathsFloat64,
    "float32": ShortestPathsFloat32,
}


class BellmanFord(VertexProgram["PathQuery"]):
    """The vertex program `ShortestPaths`, for any weights, on any processors, partitions and model."""

    def __init__(self) -> None:
        super().__init__(_program_of, ("weight",))

    def run(self, query: PathQuery, progress: Progress | None) -> Run:
        """Propagate distances until they no longer change; then find parents along the edges.

        Raises
        ------
        NegativeCycleError
            The run has not ended, and its distances show a negative cycle.
        """
        done = _distances(query, progress)
        parent, orphans = path_edges.parents(
            query.graph, done.fields["distance"], query.place, nearer=not query.negative
        )
        return finish(query, done, parent, orphans)


def _program_of(query: PathQuery) -> type[lux.Program]:
    kind = query.graph.property_types["weight"]
    return PROGRAMS[kind.name if kind.kind == "f" else "int64"]


def _distances(query: PathQuery, progress: Progress | None) -> Run:
    graph, source = query.graph, query.source
    kind, weights = graph.property_types["weight"], weight_range(graph)
    floats = kind.kind == "f"
    if not floats and max(abs(weights.least), abs(weights.most)) * graph.n_vertices >= 2**62:
        raise WeightError("sssp: paths could be longer than 2^62: divide the weights, or make them float64")
    program = _program_of(query)
    most = math.inf if floats else UNREACHED
    end: float = (
        most if query.cutoff is None or query.cutoff >= most else float(query.cutoff) if floats else int(query.cutoff)
    )
    params = {**query.params, "cutoff": end}

    def run(limit: int | None) -> Run:
        return execute(
            program, graph, params, parts=query.parts, model=query.model, max_iterations=limit, progress=progress
        )

    done = _search(graph, source, run, query.max_iter)
    # Beyond a cutoff, the length of a path makes no difference.
    if end == math.inf and may_overflow(graph) and path_edges.overflows(graph, done.fields["distance"]):
        if weights.least < 0:
            _look_for_negative_cycle(graph, source, done.fields["distance"], sure=False)
        raise too_long(graph)
    return done


def _search(graph: Graph, source: Any, run: Callable[[int | None], Run], max_iter: int | None) -> Run:
    """Run until no distance changes or, where weights are negative, a negative cycle is found."""
    if weight_range(graph).least >= 0:
        return run(max_iter)
    if max_iter is not None:
        done = run(max_iter)
        if not done.converged:
            _look_for_negative_cycle(graph, source, done.fields["distance"], sure=False)
        return done
    limit = FIRST_LOOK
    while True:
        # Without negative cycles no distance changes after as many iterations as there are vertices.
        limit = min(limit, graph.n_vertices)
        done = run(limit)
        if done.converged:
            return done
        _look_for_negative_cycle(graph, source, done.fields["distance"], sure=limit == graph.n_vertices)
        limit *= MORE


def _look_for_negative_cycle(graph: Graph, source: Any, distance: Store, *, sure: bool) -> None:
    cycle = path_edges.negative_cycle(graph, distance)
    if not len(cycle) and not sure:
        return
    reached = f"sssp: a cycle of negative length can be reached from {source!r}"
    if len(cycle):
        dense = cycle if graph.order is None else runtime.to_array(graph.order.vertices)[cycle]
        names = [str(graph.ids.labels(int(v), int(v) + 1).tolist()[0]) for v in [*dense[:SHOWN], dense[0]]]
        names[-1:] = ["...", names[-1]] if len(dense) > SHOWN else [names[-1]]
        reached += f" ({' -> '.join(names)})"
    direction = "" if graph.directed else "; in an undirected graph each edge of negative weight is one"
    raise NegativeCycleError(
        f"{reached}, so no path is the shortest{direction}: change its weights, or leave out an edge"
    )
