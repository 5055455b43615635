# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measures of distance: closeness, harmonic centrality, eccentricity and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import answer, by_networkx
from lux.networkx_backend.connectivity import hops
from lux.networkx_backend.paths import search
from lux.networkx_backend.searches import Sums, sums, weighted_sums
from lux.networkx_backend.shortest_paths import reversed_graph


@answer
def closeness_centrality(
    graph: LuxGraph, u: Any = None, distance: Any = None, wf_improved: bool = True, *, sp: Any = None
) -> Any:
    """One over the mean distance from the nodes that reach a node."""
    n = len(graph)
    if sp is not None:  # NetworkX 3.7: lengths that are known
        return by_networkx("closeness_centrality", graph, u, distance, wf_improved, sp=sp)
    if u is not None:
        place = graph.place(u)
        if distance is None:
            found = hops(graph, place, reverse=True)
            reached, total = int(np.count_nonzero(found >= 0)) - 1, found[found >= 0].sum()
        else:
            way = search(reversed_graph(graph), np.array([place]), distance)
            reached, total = len(way.reached) - 1, way.distances[way.reached].sum()
        score = reached / float(total) if total > 0 else 0.0
        return float(score * reached / (n - 1) if wf_improved and n > 1 else score)
    everyone = np.arange(n)
    totals = (
        sums(graph, everyone, "reached_by", "distances")
        if distance is None
        else weighted_sums(graph, everyone, distance)
    )
    scores = np.divide(totals.reached_by, totals.distances, out=np.zeros(n), where=totals.distances > 0)
    if wf_improved and n > 1:
        scores *= totals.reached_by / (n - 1)
    return graph.by_node(scores)


@answer
def harmonic_centrality(
    graph: LuxGraph, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> dict[Any, float]:
    """Sum of one over the distances from the nodes that reach a node."""
    wanted, begin = _bunch(graph, nbunch), _bunch(graph, sources)
    if len(wanted) < len(begin):  # search from those that are wanted, the other way
        turned = weighted_from(graph, wanted, begin, distance)
        return {node: turned[node] for node in wanted}
    places = graph.places(begin)
    found = sums(graph, places, "inverses") if distance is None else weighted_sums(graph, places, distance)
    scores = found.inverses.tolist()
    return {node: scores[graph.place(node)] for node in wanted}


def weighted_from(graph: LuxGraph, wanted: list[Any], sources: list[Any], distance: Any) -> dict[Any, float]:
    """Sum one over the distances from ``sources`` for few nodes, each of which searches for itself."""
    counted = graph.places(sources)
    turned = graph if distance is None else reversed_graph(graph)
    answer: dict[Any, float] = {}
    for node in wanted:
        place = graph.place(node)
        if distance is None:
            lengths = hops(graph, place, reverse=True)[counted].astype(np.float64)
            lengths = lengths[lengths > 0]
        else:
            way = search(turned, np.array([place]), distance)
            lengths = way.distances[np.intersect1d(counted, way.reached)].astype(np.float64)
            lengths = lengths[lengths != 0]
        answer[node] = float((1 / lengths).sum())
    return answer


def _bunch(graph: LuxGraph, nodes: Any) -> list[Any]:
    """List the nodes of the graph among some, as NetworkX does."""
    if nodes is None:
        return list(graph)
    if nodes in graph:
        return [nodes]
    return list(dict.fromkeys(node for node in nodes if node in graph))


def _eccentricities(graph: LuxGraph, weight: Any) -> dict[Any, Any]:
    """Return the largest distance from every node; NetworkXError where one is infinite."""
    everyone = np.arange(len(graph))
    found: Sums
    if weight is None:
        found = sums(graph, everyone, "reached_by", "farthest", reverse=True)
    else:
        found = weighted_sums(reversed_graph(graph), everyone, weight)
    if (found.reached_by < len(graph) - 1).any():
        if graph.is_directed():
            raise nx.NetworkXError("Found infinite path length because the digraph is not strongly connected")
        raise nx.NetworkXError("Found infinite path length because the graph is not connected")
    farthest = found.farthest
    if weight is not None and graph.edge_values(weight).dtype.kind in "iu":
        farthest = farthest.astype(np.int64)
    return graph.by_node(farthest)


@answer
def eccentricity(graph: LuxGraph, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    """Largest distance from each node, or from one."""
    if sp is not None or (v is not None and v not in graph):
        return by_networkx("eccentricity", graph, v, sp, weight)
    if v is None:
        return _eccentricities(graph, weight)
    place = graph.place(v)
    if weight is None:
        found = hops(graph, place)
        reached, farthest = int(np.count_nonzero(found >= 0)), found.max()
    else:
        way = search(graph, np.array([place]), weight)
        reached, farthest = len(way.reached), way.distances[way.reached].max()
    if reached < len(graph):
        kind = "digraph is not strongly" if graph.is_directed() else "graph is not"
        raise nx.NetworkXError(f"Found infinite path length because the {kind} connected")
    return farthest.item()


def _given(graph: LuxGraph, e: Mapping[Any, Any] | None, weight: Any) -> Mapping[Any, Any]:
    return _eccentricities(graph, weight) if e is None else e


@answer
def diameter(graph: LuxGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Largest distance of all (``usebounds`` is a way of NetworkX to get there, with the same answer)."""
    if usebounds and e is None:
        return by_networkx("diameter", graph, e, usebounds, weight)
    return max(_given(graph, e, weight).values())


@answer
def radius(graph: LuxGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Smallest eccentricity."""
    if usebounds and e is None:
        return by_networkx("radius", graph, e, usebounds, weight)
    return min(_given(graph, e, weight).values())


def _where(found: Mapping[Any, Any], wanted: Any) -> list[Any]:
    return [node for node, value in found.items() if value == wanted]


@answer
def center(graph: LuxGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Nodes of the smallest eccentricity."""
    if usebounds and e is None:
        return by_networkx("center", graph, e, usebounds, weight)
    found = _given(graph, e, weight)
    return _where(found, min(found.values()))


@answer
def periphery(graph: LuxGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Nodes of the largest eccentricity."""
    if usebounds and e is None:
        return by_networkx("periphery", graph, e, usebounds, weight)
    found = _given(graph, e, weight)
    return _where(found, max(found.values()))


@answer
def global_efficiency(graph: LuxGraph) -> float:
    """Mean of one over the distance of all pairs."""
    n = len(graph)
    if n < 2:
        return 0
    return float(sums(graph, np.arange(n), "inverses").inverses.sum() / (n * (n - 1)))
