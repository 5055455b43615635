# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness centrality of all nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux.algorithms.betweenness.betweenness import ShortestPathCounts, WeightedPathCounts, scales
from lux.networkx_backend import programs
from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import answer, by_networkx, is_small, parts
from lux.networkx_backend.paths import search


@answer
def betweenness_centrality(
    graph: LuxGraph,
    k: int | None = None,
    normalized: bool = True,
    weight: Any = None,
    endpoints: bool = False,
    seed: Any = None,
) -> Any:
    """Betweenness centrality, by `lux.betweenness`; a sample of ``k`` sources is drawn as NetworkX draws it."""
    n, sources = len(graph), None
    if k == 0:
        return by_networkx("betweenness_centrality", graph, k, normalized, weight, endpoints, seed)
    if k is not None and k != n:
        if seed is None or not hasattr(seed, "sample"):
            raise NotImplementedError("betweenness_centrality: a sample needs a generator of random numbers")
        sources = graph.places(seed.sample(list(graph), k))
    if weight is None and not endpoints and is_small(graph, n if sources is None else len(sources)):
        scores = _sums(graph, np.arange(n) if sources is None else sources, np.ones(n))
        unit = source_unit = 1.0
    else:
        name = None if weight is None else "weight"
        found = lux.betweenness(
            _searched(graph, weight), None, bool(normalized), name, bool(endpoints), sources=sources, parts=parts()
        )
        scores, unit, source_unit = found.scores.dense(), found.scale, found.source_scale
    sample = None if sources is None else len(sources)
    scale, of_sources = scales(n, sample, normalized=normalized, directed=graph.is_directed(), endpoints=endpoints)
    factor = np.full(n, scale / unit)
    if sources is not None:
        factor[sources] = of_sources / source_unit
    return graph.by_node(scores * factor)


def _searched(graph: LuxGraph, weight: Any) -> lux.Graph:
    if weight is None:
        return graph.lux()
    values = graph.edge_values(weight)
    if len(values) and not values.min() > 0:
        raise NotImplementedError(f"an edge has the {weight} {values.min()}, and lengths of edges must be positive")
    return graph.lux(weight)


@answer
def betweenness_centrality_subset(
    graph: LuxGraph, sources: Iterable[Any], targets: Iterable[Any], normalized: bool = False, weight: Any = None
) -> dict[Any, float]:
    """Betweenness centrality of the paths from some nodes to some nodes."""
    n, begin = len(graph), graph.places(sources)
    wanted = np.zeros(n)
    ends = [node for node in targets if node in graph]
    wanted[graph.places(ends)] = 1.0
    if wanted.all() and len(np.unique(begin)) == len(begin) > 0:
        name = None if weight is None else "weight"
        found = lux.betweenness(_searched(graph, weight), None, False, name, sources=begin, parts=parts())
        scores = found.scores.dense() / found.scale
    elif weight is not None and graph.is_multigraph():
        raise NotImplementedError("betweenness_centrality_subset: some targets only, weights and parallel edges")
    elif weight is None and is_small(graph, len(begin)):
        scores = _sums(graph, begin, wanted)
    else:
        scores = np.zeros(n)
        for source in begin.tolist():
            scores += _dependencies(graph, source, wanted, weight)
    if normalized:
        return graph.by_node(scores / ((n - 1) * (n - 2)) if n > 2 else scores)
    return graph.by_node(scores if graph.is_directed() else scores / 2)


def _sums(graph: LuxGraph, sources: NDArray[np.int64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the dependencies of all nodes on some sources, for the wanted targets, without a launch."""
    from lux.networkx_backend.order_kernels import add_dependencies

    scores = np.zeros(len(graph))
    add_dependencies(*graph.adjacency_arrays(), sources, wanted, scores)
    return scores


def _dependencies(graph: LuxGraph, source: int, wanted: NDArray[np.float64], weight: Any) -> NDArray[np.float64]:
    """Return the dependencies of all nodes on one source, for the wanted targets."""
    there: lux.Result
    far: dict[str, Any]
    program: type[lux.Program]
    if weight is None:
        searched = graph.lux(simple=True)
        there = lux.run(ShortestPathCounts, searched, source=source, parts=parts())
        program, far = programs.TargetDependencies, {"level": there["level"]}
    else:
        searched = _searched(graph, weight)
        far = {"distance": search(graph, np.array([source]), weight).distances.astype(np.float64)}
        there = lux.run(WeightedPathCounts, searched, constants=far, source=source, parts=parts())
        program = programs.WeightedTargetDependencies
    constants = far | {"paths": there["paths"], "target": wanted}
    return lux.run(program, searched, constants=constants, parts=parts())["dependency"].dense()
