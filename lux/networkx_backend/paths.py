# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Searches for shortest paths along an edge attribute: from a place, the nearest of some, or each of many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import lux
from lux.errors import NegativeCycleError
from lux.networkx_backend import breadth_first, one_thread, programs
from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import is_small, parts


@dataclass
class Paths:
    """Distances and parents by place; ``reached`` has the places within the cutoff."""

    distances: NDArray[Any]
    find_parents: Callable[[], NDArray[Any]]
    reached: NDArray[np.int64]

    @cached_property
    def parents(self) -> NDArray[Any]:
        """Parents, which are only copied for those who want paths."""
        return self.find_parents()


def search(
    graph: LuxGraph,
    sources: NDArray[np.int64],
    weight: Any,
    cutoff: Any = None,
    *,
    negative: bool = False,
    target: int | None = None,
) -> Paths:
    """Find shortest paths from some places; with a ``target``, paths to farther places may be left out.

    Raises
    ------
    networkx.NetworkXUnbounded
        There is a cycle of negative length.
    NotImplementedError
        A weight is negative, and ``negative`` is False; or some are too large for exact sums.
    """
    values = _values(graph, weight, negative=negative)
    if len(sources) > 1:
        distances, parents = _several(graph, sources, values, weight)
    elif values is None or ((values == 1).all() and values.dtype.kind in "iu"):
        distances, parents = _of_hops(graph, int(sources[0]), target)
    elif _by_one_thread(graph, values):
        distances, parents = one_thread.shortest_paths(graph, sources, values, weight)
    else:
        try:
            last = None if len(values) and values.min() < 0 else target  # paths may go beyond the target and back
            best = lux.sssp(graph.lux(weight), int(sources[0]), target=last, parts=parts())
        except NegativeCycleError:
            raise nx.NetworkXUnbounded("Negative cycle detected.") from None
        distances, parents = best.distances.dense(), best.parents.dense
        if distances.dtype.kind in "iu":
            within = np.flatnonzero(distances != best.unreached)
            return Paths(distances, parents, within if cutoff is None else within[distances[within] <= cutoff])
    return _within(distances, parents, values, cutoff)


def _of_hops(
    graph: LuxGraph, source: int, target: int | None
) -> tuple[NDArray[np.float64], Callable[[], NDArray[Any]]]:
    """Search along edges of length one."""
    if is_small(graph):
        order = breadth_first.search(graph, np.array([source]))
        order.parent[source] = source
        return _as_lengths(order.level), lambda: order.parent
    found = lux.bfs(graph.lux(), source, target=target, parts=parts())
    return _as_lengths(found.distances.dense()), found.parents.dense


def _as_lengths(hops: NDArray[Any]) -> NDArray[np.float64]:
    return np.where(hops < 0, np.inf, hops).astype(np.float64)


def _values(graph: LuxGraph, weight: Any, *, negative: bool) -> NDArray[Any] | None:
    """Return the lengths of edges, None where each has one; `NotImplementedError` if one is negative and may not be."""
    values = graph.edge_values(weight) if weight is not None else None
    if values is not None and not negative and len(values) and values.min() < 0:
        raise NotImplementedError(f"an edge has the {weight} {values.min()}, and Dijkstra's algorithm may then err")
    return values


def _within(
    distances: NDArray[np.float64], parents: Callable[[], NDArray[Any]], values: NDArray[Any] | None, cutoff: Any
) -> Paths:
    """Return the paths within the cutoff, with whole distances where all lengths are whole."""
    within = np.isfinite(distances) if cutoff is None else distances <= cutoff
    if values is None or values.dtype.kind in "iu":
        distances = np.where(np.isfinite(distances), distances, -1).astype(np.int64)
    return Paths(distances, parents, np.flatnonzero(within))


def _by_one_thread(graph: LuxGraph, values: NDArray[Any] | None, searches: int = 1) -> bool:
    """Tell whether so many searches are for `lux.networkx_backend.one_thread`."""
    return is_small(graph, searches) and one_thread.can_be_lengths(values) and _exact(graph, values)


def _exact(graph: LuxGraph, values: NDArray[Any] | None) -> bool:
    """Tell whether float64 holds the sums of whole lengths exactly."""
    return values is None or not len(values) or float(np.abs(values).max()) * len(graph) < 2**53


def _several(
    graph: LuxGraph, sources: NDArray[np.int64], values: NDArray[Any] | None, weight: Any
) -> tuple[NDArray[np.float64], Callable[[], NDArray[Any]]]:
    """Search from several places at once."""
    if _by_one_thread(graph, values):
        return one_thread.shortest_paths(graph, sources, values, weight)
    if not _exact(graph, values):
        raise NotImplementedError("weights are too large for exact sums in float64")
    begin = np.full(len(graph), np.inf)
    begin[sources] = 0.0
    searched = graph.lux(_ONE if values is None else weight)
    found = lux.run(programs.Routes, searched, constants={"begin": begin}, parts=parts())

    def parents() -> NDArray[Any]:
        before = found["previous"].dense().astype(np.int64)
        before[sources] = sources
        return before

    return found["distance"].dense(), parents


_ONE = "edges of length one"
"""Name of an attribute that no edge has, so that all have the default."""


def many(
    graph: LuxGraph, sources: NDArray[np.int64], weight: Any, cutoff: Any = None, *, negative: bool = False
) -> Iterator[Paths]:
    """Find shortest paths from each of some places, dozens at a time; errors are those of `search`.

    The first searches are done at once, so that what is refused is refused before an iterator is returned.
    """
    values = _values(graph, weight, negative=negative)
    exact = _exact(graph, values)
    if _by_one_thread(graph, values, len(sources)):
        return (search(graph, sources[k : k + 1], weight, cutoff, negative=negative) for k in range(len(sources)))
    step = programs.ROUTES if exact else 1

    def batch(some: NDArray[np.int64]) -> list[Paths]:
        if exact:
            return _batch(graph, some, values, weight, cutoff)
        return [search(graph, some, weight, cutoff, negative=negative)]

    first = batch(sources[:step])
    rest = (batch(sources[k : k + step]) for k in range(step, len(sources), step))
    return chain(first, chain.from_iterable(rest))


def _batch(
    graph: LuxGraph, sources: NDArray[np.int64], values: NDArray[Any] | None, weight: Any, cutoff: Any
) -> list[Paths]:
    """Search from each of a few places in one run."""
    number = np.full(len(graph), -1, np.int16)
    number[sources] = np.arange(len(sources))
    searched = graph.lux(_ONE if values is None else weight)
    most = len(graph) + 1  # each iteration but the last finds paths of one edge more
    found = lux.run(programs.ManyRoutes, searched, constants={"number": number}, parts=parts(), max_iter=most)
    if not found.converged:
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    distances = np.ascontiguousarray(found["distance"].dense().T)

    def parents(k: int) -> NDArray[Any]:
        return _parents(graph, int(sources[k]), distances[k], values, weight)

    return [_within(distances[k], partial(parents, k), values, cutoff) for k in range(len(sources))]


def _parents(
    graph: LuxGraph, source: int, distances: NDArray[np.float64], values: NDArray[Any] | None, weight: Any
) -> NDArray[Any]:
    """Return a node before each on a shortest path, from the distances; -1 where unreached."""
    if values is not None and len(values) and values.min() <= 0:  # nodes of equal distance might precede one another
        return search(graph, np.array([source]), weight, negative=True).parents
    lengths = np.ones(len(graph.sources)) if values is None else values
    parents = np.full(len(graph), -1)
    ends = (graph.sources, graph.destinations)
    for u, v in (ends,) if graph.is_directed() else (ends, ends[::-1]):
        tight = np.isfinite(distances[u]) & (distances[u] + lengths == distances[v])
        parents[v[tight]] = u[tight]
    parents[source] = source
    return parents
