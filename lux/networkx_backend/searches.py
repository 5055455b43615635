# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Searches from many nodes at once, of which only sums are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux.networkx_backend import programs
from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import is_small, parts
from lux.networkx_backend.paths import many


@dataclass
class Sums:
    """Sums over the sources that reach each node (without itself): their number, distances, inverses; the farthest."""

    reached_by: NDArray[np.int64]
    distances: NDArray[Any]
    inverses: NDArray[np.float64]
    farthest: NDArray[Any]


def sums(graph: LuxGraph, sources: NDArray[np.int64], *wanted: str, reverse: bool = False) -> Sums:
    """Search from all sources (``reverse``: against the edges' direction), hundreds at a time.

    Fields of `Sums` that are not ``wanted`` may be zero, as only the others are copied.
    """
    n = len(graph)
    total = Sums(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n), np.zeros(n, np.int64))
    if is_small(graph, len(sources)):
        from lux.networkx_backend.order_kernels import sum_distances

        adjacency = graph.adjacency_arrays(reverse=reverse)
        sum_distances(*adjacency, sources, total.reached_by, total.distances, total.inverses, total.farthest)
        return total
    searched = graph.lux().reverse() if reverse and graph.is_directed() else graph.lux()
    at_once = 64 * programs.WORDS
    for begin in range(0, len(sources), at_once):
        chosen = sources[begin : begin + at_once]
        found = lux.run(programs.ManySearches, searched, constants={"number": _numbers(n, chosen)}, parts=parts())
        for name in wanted:
            values, more = getattr(total, name), found[name].dense()
            (np.maximum if name == "farthest" else np.add)(values, more, out=values)
    return total


def _numbers(n: int, chosen: NDArray[np.int64]) -> NDArray[np.int16]:
    """Number the chosen places, of shape (n,); the others have -1."""
    number = np.full(n, -1, np.int16)
    number[chosen] = np.arange(len(chosen))
    return number


def weighted_sums(graph: LuxGraph, sources: NDArray[np.int64], weight: Any) -> Sums:
    """Search from all sources along an edge attribute."""
    n = len(graph)
    total = Sums(np.zeros(n, np.int64), np.zeros(n), np.zeros(n), np.zeros(n))
    for source, found in zip(sources.tolist(), many(graph, sources, weight), strict=True):
        distances = found.distances[found.reached]
        total.reached_by[found.reached] += found.reached != source
        total.distances[found.reached] += distances
        far = distances != 0
        total.inverses[found.reached[far]] += 1.0 / distances[far]
        total.farthest[found.reached] = np.maximum(total.farthest[found.reached], distances)
    return total
