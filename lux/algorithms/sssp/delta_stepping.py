# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths by delta-stepping, a strategy that beats Bellman-Ford where no weight is negative.

Vertices wait in buckets by tentative distance, ``delta`` wide, and relax their out-edges bucket by bucket (Meyer and
Sanders, "Delta-stepping: a parallelizable shortest path algorithm", 2003). Where one task holds the whole graph, its
threads do all rounds (`lux.algorithms.sssp.threads`); otherwise partitions publish vertices to one another
(`lux.algorithms.sssp.partitions`). Distances and parents are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lux.algorithms.sssp.answers import finish
from lux.algorithms.sssp.weights import may_overflow, too_long, weight_range
from perfmodel.direction import DENSE_DEGREE

if TYPE_CHECKING:
    from lux.algorithms.sssp.query import PathQuery
    from lux.engine.run.run import Run
    from lux.graph.graph import Graph

UNREACHED = 2**62
"""More than any distance along 64-bit integers; the sum of two is less than 2^63."""


@dataclass(frozen=True)
class SsspQuery:
    """The query of a delta-stepping search, in places.

    Attributes
    ----------
    graph : Graph
        Its edge property ``weight`` has no negative numbers.
    source, target : int
        Places; the target is -1 if there is none.
    delta : float
        Width of a bucket.
    kind : np.dtype
        Type of distances: the weights' type if they are floats, else int32 or int64.
    unreached : scalar
        The least distance that is too large.
    check : bool
        Paths may be longer than the type can hold: the search checks it.
    """

    graph: Graph
    source: int
    target: int
    delta: float
    kind: np.dtype[Any]
    unreached: Any
    check: bool


@dataclass(frozen=True)
class SsspRun:
    """A finished search.

    Attributes
    ----------
    run : Run
        Its fields are ``distance`` (the largest number, or inf, where unreached) and ``parent`` (the place of the first
        vertex before each on a shortest path among those that are nearer; the largest number where there is none).
    orphans : int
        Reached vertices without a parent: they are as far away as all vertices before them. -1 where ``check`` was
        asked for and has found that paths are missing.
    """

    run: Run
    orphans: int


def default_delta(graph: Graph) -> float:
    """Return the mean weight over the mean degree, as Meyer and Sanders have it for random weights.

    Returns four times this quotient where degrees are small: to relax such a vertex again costs little, and wider
    buckets let threads work longer before they meet.
    """
    degree = graph.n_edges / graph.n_vertices
    return weight_range(graph).mean * (1 if degree >= DENSE_DEGREE else 4) / max(degree, 1.0) or 1.0


class DeltaStepping:
    """The part of delta-stepping on CPU cores that does not depend on how the rounds are launched."""

    def delta(self, query: PathQuery) -> float:
        """Return the width of the buckets."""
        return default_delta(query.graph) if query.delta is None else float(query.delta)

    def search(self, query: PathQuery, rounds: Callable[[SsspQuery], SsspRun]) -> Run:
        """Find distances up to the cutoff, and parents, by all ``rounds``; no weight is negative."""
        found = _search(query, self.delta(query), rounds)
        return finish(query, found.run, found.run.fields["parent"], found.orphans)


def _search(query: PathQuery, delta: float, rounds: Callable[[SsspQuery], SsspRun]) -> SsspRun:
    graph, cutoff, ends = query.graph, query.cutoff, (query.place, query.target_place)
    kind, most = graph.property_types["weight"], weight_range(graph).most
    if kind.kind == "f":
        above = _above(kind, cutoff)
        check = bool(np.isinf(above)) and may_overflow(graph)
        found = rounds(SsspQuery(graph, *ends, delta, kind, above, check))
        if found.orphans < 0:
            raise too_long(graph)
        return found
    # No path is longer than this. Most are much shorter, so 32 bits are tried, and the search checks if they suffice.
    longest = int(most) * (graph.n_vertices - 1)
    for integer, limit in ((np.dtype(np.int32), 2**31 - 1), (np.dtype(np.int64), UNREACHED)):
        if most < limit:
            above = limit if cutoff is None or cutoff >= limit - 1 else int(cutoff) + 1
            check = longest >= limit == above
            found = rounds(SsspQuery(graph, *ends, delta, integer, integer.type(above), check))
            if found.orphans >= 0:
                return found
    raise too_long(graph)


def _above(kind: np.dtype[Any], cutoff: float | None) -> Any:
    """Return the first float of a type that is larger than ``cutoff``."""
    if cutoff is None or cutoff >= np.finfo(kind).max:
        return kind.type(np.inf)
    near = kind.type(cutoff)
    return near if float(near) > cutoff else np.nextafter(near, kind.type(np.inf))
