# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rankings by power iteration: PageRank, HITS, Katz and eigenvector centrality.

NumPy iterates on small graphs, as launches would take longer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import lux
from lux.errors import ConvergenceError, WeightError
from lux.networkx_backend import programs
from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import answer, by_networkx, is_small, parts, precision
from lux.networkx_backend.one_thread import can_be_lengths

PASSES = 16
"""Searches that take one thread as long as the iterations of a ranking take NumPy, by the order of magnitude."""


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
    shares = [_shares(graph, given) for given in (personalization, nstart, dangling)]
    if _by_numpy(graph, weight) and 0 <= alpha <= 1:
        return graph.by_node(_pagerank(graph, alpha, shares, max_iter, tol, weight))
    restart, begin, idle = shares
    try:
        found = lux.pagerank(
            graph.lux(weight),
            alpha,
            restart,
            max_iter,
            tol,
            begin,
            None if weight is None else "weight",
            idle,
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


def _by_numpy(graph: LuxGraph, weight: Any = None) -> bool:
    """Tell whether a graph is small, and its weights are numbers that need no refusal."""
    if precision() != np.float64 or not is_small(graph, PASSES):
        return False
    return weight is None or can_be_lengths(graph.edge_values(weight))


def _pagerank(
    graph: LuxGraph, alpha: float, shares: list[dict[int, float] | None], max_iter: int, tol: float, weight: Any
) -> NDArray[np.float64]:
    """Return ranks by NumPy; ``shares`` are those of restarts, of the start, and of what nodes without edges have."""
    n = len(graph)
    restart = np.full(n, 1 / n) if shares[0] is None else _normed(n, shares[0])
    begin = np.full(n, 1 / n) if shares[1] is None else _normed(n, shares[1])
    dangling = restart if shares[2] is None else _normed(n, shares[2])
    u, v, weights = _directed_edges(graph, weight)
    leaving = np.bincount(u, weights, n)
    idle = leaving == 0
    factors = alpha * weights / np.where(idle, 1.0, leaving)[u]

    def step(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
        kept = alpha * ranks[idle].sum()
        found: NDArray[np.float64] = np.bincount(v, factors * ranks[u], n) + kept * dangling + (1 - alpha) * restart
        return found

    return _iterate(step, begin, max_iter, n * tol)


def _normed(n: int, given: dict[int, float]) -> NDArray[np.float64]:
    """Return numbers of all nodes that sum to one; those that are not given are zero."""
    found = np.zeros(n)
    found[list(given)] = list(given.values())
    found /= found.sum()
    return found


def _iterate(
    step: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    scores: NDArray[np.float64],
    max_iter: int,
    stop: float,
) -> NDArray[np.float64]:
    """Repeat a step until scores change by less than ``stop`` in sum."""
    for _ in range(max_iter):
        former, scores = scores, step(scores)
        if np.abs(scores - former).sum() < stop:
            return scores
    raise nx.PowerIterationFailedConvergence(max_iter)


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
    with np.errstate(invalid="ignore"):
        scores = _hubs_and_authorities(graph, 5 * max_iter + 50, tol, _numbers(graph, nstart, 1.0))
    if not np.isfinite(scores).all():
        raise WeightError("hits: the weights, or the numbers to start from, are not finite")
    if normalized:
        hubs, authorities = (score / (score.sum() or 1.0) for score in scores)
    else:
        authorities = scores[1] / (np.linalg.norm(scores[1]) or 1.0)
        u, v, weights = _directed_edges(graph, "weight")
        hubs = np.bincount(u, weights * authorities[v], len(graph))
    return graph.by_node(hubs), graph.by_node(authorities)


def _hubs_and_authorities(
    graph: LuxGraph, max_iter: int, tol: float, begin: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Return both scores, of which those that were found last sum to one."""
    n = len(graph)
    if _by_numpy(graph, "weight"):
        u, v, weights = _directed_edges(graph, "weight")

        def authorities(hubs: NDArray[np.float64]) -> NDArray[np.float64]:
            found = np.bincount(v, weights * hubs[u], n)
            return found / (found.sum() or 1.0)

        def step(hubs: NDArray[np.float64]) -> NDArray[np.float64]:
            found = np.bincount(u, weights * authorities(hubs)[v], n)
            return found / (found.sum() or 1.0)

        hubs = _iterate(step, begin, max_iter, tol)
        return [hubs, authorities(hubs)]
    both: lux.Graph = graph.kept("both ways", lambda: _both_ways(graph))
    run = lux.run(
        programs.of(programs.Hits, precision()), both, constants={"begin": begin}, parts=parts(), tol=tol,
        max_iter=2 * max_iter,
    )  # fmt: skip
    if not run.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return [run[name].dense().astype(np.float64) for name in ("hub", "authority")]


def _directed_edges(graph: LuxGraph, weight: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the ends and weights of all edges, undirected ones in both directions."""
    u, v = graph.sources, graph.destinations
    weights = np.ones(len(u)) if weight is None else graph.edge_values(weight)
    if graph.is_directed():
        return u, v, weights
    other = u != v
    return np.append(u, v[other]), np.append(v, u[other]), np.append(weights, weights[other])


def _both_ways(graph: LuxGraph) -> lux.Graph:
    """Return every edge in both directions, marked by the property ``forward``."""
    u, v, weights = _directed_edges(graph, "weight")
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
    weight, begin, stop = used_weight(graph, weight), _numbers(graph, nstart, 0.0), len(graph) * tol
    if _by_numpy(graph, weight):
        u, v, weights = _directed_edges(graph, weight)
        factors = float(alpha) * weights
        scores = _iterate(lambda s: np.bincount(v, factors * s[u], len(graph)) + betas, begin, max_iter, stop)
    else:
        program = programs.of(programs.Katz if weight is None else programs.WeightedKatz, precision())
        found = lux.run(
            program, graph.lux(weight), constants={"beta": betas, "begin": begin}, parts=parts(), alpha=float(alpha),
            stop=stop, max_iter=max_iter + 1,
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
    weight, stop = used_weight(graph, weight), len(graph) * tol
    begin /= begin.sum()
    if _by_numpy(graph, weight):
        u, v, weights = _directed_edges(graph, weight)

        def step(scores: NDArray[np.float64]) -> NDArray[np.float64]:
            found = scores + np.bincount(v, weights * scores[u], len(graph))
            return found / (np.linalg.norm(found) or 1.0)

        return graph.by_node(_iterate(step, begin, max_iter, stop))
    program = programs.of(programs.Eigenvector if weight is None else programs.WeightedEigenvector, precision())
    constants = {"begin": begin}
    found = lux.run(program, graph.lux(weight), constants=constants, parts=parts(), stop=stop, max_iter=max_iter + 2)
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
