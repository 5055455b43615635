# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths along weights, components and core numbers of small graphs (`lux.networkx_backend.calls.is_small`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.networkx_backend.backend_graph import LuxGraph


def shortest_paths(
    graph: LuxGraph, sources: NDArray[np.int64], values: NDArray[Any] | None, weight: Any
) -> tuple[NDArray[np.float64], Callable[[], NDArray[np.int64]]]:
    """Return the distance from the nearest source, and parents on such paths; infinity and -1 where unreached.

    Parameters
    ----------
    values : array of shape (n_edges,), or None
        Lengths of edges, which are `can_be_lengths`; None: all are one.
    weight : object
        Name of the lengths.
    """
    from lux.networkx_backend.one_thread_kernels import shortest_paths

    def rows() -> tuple[NDArray[Any], ...]:
        lengths = np.ones(len(graph.sources)) if values is None else values.astype(np.float64)
        return _rows(graph, lengths, both=not graph.is_directed())

    distances, parents = np.full(len(graph), np.inf), np.full(len(graph), -1)
    shortest_paths(*graph.kept(("lengths", None if values is None else weight), rows), sources, distances, parents)
    return distances, lambda: parents


def can_be_lengths(values: NDArray[Any] | None) -> bool:
    """Tell whether `shortest_paths` takes lengths of edges: it takes no negative, infinite or undefined ones."""
    return values is None or not len(values) or bool(values.min() >= 0 and values.max() < np.inf)


def components(graph: LuxGraph) -> NDArray[np.int64]:
    """Return the smallest place in the component of each node; directions do not count."""
    from lux.networkx_backend.one_thread_kernels import components

    labels = np.empty(len(graph), np.int64)
    components(*graph.adjacency_arrays(), not graph.is_directed(), labels)
    return labels


def core_numbers(graph: LuxGraph) -> NDArray[np.int64]:
    """Return the largest k of each node, so that it is in the k-core; edges of both directions count."""
    from lux.networkx_backend.one_thread_kernels import core_numbers

    core = np.empty(len(graph), np.int64)
    core_numbers(*_rows_both_ways(graph)[:2], core)
    return core


def _rows_both_ways(graph: LuxGraph) -> tuple[NDArray[Any], ...]:
    found: tuple[NDArray[Any], ...]
    found = graph.kept("rows both ways", lambda: _rows(graph, np.ones(len(graph.sources)), both=True))
    return found


def _rows(graph: LuxGraph, lengths: NDArray[np.float64], *, both: bool) -> tuple[NDArray[Any], ...]:
    """Return offsets, neighbours and lengths of each node's edges; each edge also backward if ``both``."""
    u, v = graph.sources, graph.destinations
    if both:
        other = u != v
        u, v, lengths = np.append(u, v[other]), np.append(v, u[other]), np.append(lengths, lengths[other])
    order = np.argsort(u, kind="stable")
    offsets = np.append(0, np.cumsum(np.bincount(u, minlength=len(graph))))
    return offsets, v[order].astype(np.int64), lengths[order]
