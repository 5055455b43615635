# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sums over the distances from many nodes, by searches in step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import lux
from lux.networkx_backend import programs
from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import parts
from lux.networkx_backend.weighted import search


class Sums(NamedTuple):
    """Sums over the sources that reach each node (without itself): their number, distances, inverses; the farthest."""

    reached_by: NDArray[np.int64]
    distances: NDArray[Any]
    inverses: NDArray[np.float64]
    farthest: NDArray[Any]


def sums(graph: LuxGraph, sources: NDArray[np.int64], *, reverse: bool = False) -> Sums:
    """Search from all sources (``reverse``: against the edges' direction), hundreds at a time."""
    searched, n = graph.lux(), len(graph)
    if reverse and graph.is_directed():
        searched = searched.reverse()
    total = Sums(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n), np.zeros(n, np.int64))
    at_once = 64 * programs.WORDS
    for begin in range(0, len(sources), at_once):
        chosen = sources[begin : begin + at_once]
        number = np.full(n, -1, np.int16)
        number[chosen] = np.arange(len(chosen))
        found = lux.run(programs.ManySearches, searched, constants={"number": number}, parts=parts())
        for name in ("reached_by", "distances", "inverses"):
            values = getattr(total, name)
            values += found[name].dense()
        np.maximum(total.farthest, found["farthest"].dense(), out=total.farthest)
    return total


def weighted_sums(graph: LuxGraph, sources: NDArray[np.int64], weight: Any) -> Sums:
    """Search from all sources along an edge attribute, one after the other."""
    n = len(graph)
    total = Sums(np.zeros(n, np.int64), np.zeros(n), np.zeros(n), np.zeros(n))
    for source in sources.tolist():
        found = search(graph, np.array([source]), weight)
        distances = found.distances[found.reached]
        total.reached_by[found.reached] += found.reached != source
        total.distances[found.reached] += distances
        far = distances != 0
        total.inverses[found.reached[far]] += 1.0 / distances[far]
        total.farthest[found.reached] = np.maximum(total.farthest[found.reached], distances)
    return total
