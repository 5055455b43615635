# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rankings by power iteration: PageRank, HITS, Katz and eigenvector centrality."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import lux
from lux.errors import ConvergenceError
from lux.networkx_backend import programs
from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import answer, by_networkx, parts, precision


@answer
def pagerank(
    graph: LuxGraph,
    alpha: float = 0.85,
    personalization: Mapping[Any, float] | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Mapping[Any, float] | None = None,
    weight: Any = "weight",
    dangling: Mapping[Any, float] | None = None,
) -> dict[Any, float]:
    """PageRank of every node, by `lux.pagerank`; ``tol`` has NetworkX's meaning."""
    if max_iter < 1 or tol <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    weight = used_weight(graph, weight)
    try:
        found = lux.pagerank(
            graph.lux(weight),
            alpha,
            _shares(graph, personalization),
            max_iter,
            tol,
            _shares(graph, nstart),
            None if weight is None else "weight",
            _shares(graph, dangling),
            stop="networkx",
            dtype=precision(),
            parts=parts(),
        )
    except ConvergenceError:
        raise nx.PowerIterationFailedConvergence(max_iter) from None
    return graph.by_node(found.ranks.dense())


def used_weight(graph: LuxGraph, weight: Any) -> Any:
    """Return the name of an edge attribute, or None where every edge has 1."""
    return None if weight is None or (graph.edge_values(weight) == 1).all() else weight


def _shares(graph: LuxGraph, given: Mapping[Any, float] | None) -> dict[int, float] | None:
    """Return numbers by place; `ZeroDivisionError` where their sum is zero."""
    if given is None:
        return None
    found = {graph.place(node): float(value) for node, value in given.items() if node in graph}
    if not math.fsum(found.values()):
        raise ZeroDivisionError("the values sum to zero")
    return found


@answer
def hits(
    graph: LuxGraph,
    max_iter: int = 100,
    tol: float = 1.0e-8,
    nstart: Mapping[Any, float] | None = None,
    normalized: bool = True,
    *,
    method: str = "power_iteration",
) -> tuple[dict[Any, float], dict[Any, float]]:
    """Hubs and authorities, by power iteration from equal values, or from ``nstart``.

    NetworkX before 3.7 finds the same vectors by Lanczos iterations, each of which does more; so ten times ``max_iter``
    are allowed here. Other methods (from 3.7 on) are NetworkX's.
    """
    if method != "power_iteration":
        found: tuple[dict[Any, float], dict[Any, float]]
        found = by_networkx("hits", graph, max_iter, tol, nstart, normalized, method=method)
        return found
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    both: lux.Graph = graph.kept("both ways", lambda: _both_ways(graph))
    begin = _numbers(graph, nstart, 1.0)
    run = lux.run(
        programs.of(programs.Hits, precision()), both, constants={"begin": begin}, parts=parts(), tol=tol,
        max_iter=10 * max_iter + 100,
    )  # fmt: skip
    if not run.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    scores = [run[name].dense().astype(np.float64) for name in ("hub", "authority")]
    if normalized:
        hubs, authorities = (score / (score.sum() or 1.0) for score in scores)
    else:
        authorities = scores[1] / (np.linalg.norm(scores[1]) or 1.0)
        u, v, weights = _directed_edges(graph)
        hubs = np.bincount(u, weights * authorities[v], len(graph))
    return graph.by_node(hubs), graph.by_node(authorities)


def _directed_edges(graph: LuxGraph) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the ends and weights of all edges, undirected ones in both directions."""
    u, v, weights = graph.sources, graph.destinations, graph.edge_values("weight")
    if graph.is_directed():
        return u, v, weights
    other = u != v
    return np.append(u, v[other]), np.append(v, u[other]), np.append(weights, weights[other])


def _both_ways(graph: LuxGraph) -> lux.Graph:
    """Return every edge in both directions, marked by the property ``forward``."""
    u, v, weights = _directed_edges(graph)
    if (weights < 0).any():
        raise NotImplementedError("hits: an edge has a negative weight, and Lux iterates over positive ones")
    return lux.from_edges(
        np.append(u, v),
        np.append(v, u),
        np.tile(weights.astype(np.float64), 2),
        n_vertices=len(graph),
        forward=np.repeat(np.array([1, 0], np.int8), len(u)),
    )


@answer
def katz_centrality(
    graph: LuxGraph,
    alpha: float = 0.1,
    beta: Any = 1.0,
    max_iter: int = 1000,
    tol: float = 1.0e-6,
    nstart: Mapping[Any, float] | None = None,
    normalized: bool = True,
    weight: Any = None,
) -> dict[Any, float]:
    """Katz centrality: the sum of ``alpha`` times the scores of in-neighbours, and of ``beta``."""
    try:
        betas = np.full(len(graph), float(beta))
    except (TypeError, ValueError, AttributeError):
        if set(beta) != set(graph):
            raise nx.NetworkXError("beta dictionary must have a value for every node") from None
        betas = _numbers(graph, beta, 0.0)
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    weight = used_weight(graph, weight)
    program = programs.of(programs.Katz if weight is None else programs.WeightedKatz, precision())
    constants = {"beta": betas, "begin": _numbers(graph, nstart, 0.0)}
    found = lux.run(
        program, graph.lux(weight), constants=constants, parts=parts(), alpha=float(alpha), stop=len(graph) * tol,
        max_iter=max_iter + 1,
    )  # fmt: skip
    if not found.converged or found.iterations > max_iter:
        raise nx.PowerIterationFailedConvergence(max_iter)
    scores = found["score"].dense().astype(np.float64)
    return graph.by_node(scores / (np.linalg.norm(scores) or 1.0) if normalized else scores)


@answer
def eigenvector_centrality(
    graph: LuxGraph,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Mapping[Any, float] | None = None,
    weight: Any = None,
) -> dict[Any, float]:
    """Eigenvector centrality, by the power iteration of NetworkX (with one added to the diagonal)."""
    begin = _numbers(graph, nstart, 1.0)
    if not begin.any():
        raise nx.NetworkXError("initial vector cannot have all zero values")
    weight = used_weight(graph, weight)
    program = programs.of(programs.Eigenvector if weight is None else programs.WeightedEigenvector, precision())
    constants = {"begin": begin / begin.sum()}
    found = lux.run(
        program, graph.lux(weight), constants=constants, parts=parts(), stop=len(graph) * tol, max_iter=max_iter + 2
    )
    if not found.converged or found.iterations > max_iter + 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return graph.by_node(found["score"].dense().astype(np.float64))


def _numbers(graph: LuxGraph, given: Mapping[Any, float] | None, default: float) -> NDArray[np.float64]:
    """Return a number for every node; `NotImplementedError` where some have none."""
    if given is None:
        return np.full(len(graph), default)
    if len(given) != len(graph) or not all(node in given for node in graph):
        raise NotImplementedError("a mapping has no number for some nodes")
    return np.array([float(given[node]) for node in graph])
