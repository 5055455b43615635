# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Dependencies on one source after the other where edges have positive weights, by one thread.

The forward sweep is Dijkstra's algorithm with a heap of four children a node; the backward sweep goes through the
vertices in the opposite order. Of parallel edges the lightest counts, once.
"""

# Used by the tasks: keep the signatures and constants of this file.
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.algorithms.betweenness.path_kernels import INVERSE, add, normal
from lux.kernels.inlined import inlined

FINE, ROUNDED_AWAY = 0, 1
"""Return values of `sweep`: scores are complete, or a distance and an edge's weight added up to that distance."""


class WeightedRows(NamedTuple):
    """A graph's edges by source."""

    out_offsets: Any
    destinations: Any
    weights: Any


class WeightedScratch(NamedTuple):
    """Scratch memory of the sweeps of one thread; between sources ``distances`` are infinite.

    ``keys`` and ``items`` are the heap, ``place`` where each queued vertex is in it. ``paths`` is as in
    `lux.algorithms.betweenness.brandes_state_kernels.Scratch`.
    """

    distances: Any
    paths: Any
    exponents: Any
    order: Any
    keys: Any
    items: Any
    place: Any


def weighted_scratch(n_vertices: int, id_dtype: Any) -> WeightedScratch:
    """Memory of one thread."""
    return WeightedScratch(
        distances=np.full(n_vertices, np.inf),
        paths=np.empty(n_vertices),
        exponents=np.empty(n_vertices, np.int32),
        order=np.empty(n_vertices, id_dtype),
        keys=np.empty(n_vertices),
        items=np.empty(n_vertices, id_dtype),
        place=np.empty(n_vertices, id_dtype),
    )


@inlined
def _rise(keys, items, place, at, key, item):
    """Put an item into the heap at ``at`` or above, where its key belongs."""
    while at > 0:
        above = (at - 1) >> 2
        if keys[above] <= key:
            break
        keys[at], items[at] = keys[above], items[above]
        place[items[at]] = at
        at = above
    keys[at], items[at] = key, item
    place[item] = at


@inlined
def _drop_first(keys, items, place, size):
    """Take the first of ``size`` items out of the heap."""
    size -= 1
    key, item = keys[size], items[size]
    at = 0
    while True:
        child = 4 * at + 1
        if child >= size:
            break
        least = child
        for other in range(child + 1, min(child + 4, size)):
            if keys[other] < keys[least]:
                least = other
        if keys[least] >= key:
            break
        keys[at], items[at] = keys[least], items[least]
        place[items[at]] = at
        at = least
    keys[at], items[at] = key, item
    place[item] = at


@inlined(forceinline=False)
def _search(source, offsets, neighbours, weights, distances, paths, exponents, order, keys, items, place):
    """Distances, numbers of paths, and the vertices by ascending distance; return how many, or -1 (ROUNDED_AWAY)."""
    distances[source], paths[source], exponents[source] = 0.0, 1.0, 0
    keys[0], items[0], place[source] = 0.0, source, 0
    size, n = 1, 0
    while size > 0:
        u = items[0]
        _drop_first(keys, items, place, size)
        size -= 1
        order[n] = u
        n += 1
        distance, m, e = distances[u], paths[u], exponents[u]
        counted = u  # the neighbour to which this vertex's paths have been added last: parallel edges are adjacent
        for j in range(np.uint64(offsets[u]), np.uint64(offsets[u + 1])):
            v = neighbours[j]
            new = distance + weights[j]
            if new > distances[v] or v == u:
                continue
            if new == distance:
                return -1
            if new < distances[v]:
                at = size if distances[v] == np.inf else np.int64(place[v])
                size += distances[v] == np.inf
                _rise(keys, items, place, at, new, v)
                distances[v], paths[v], exponents[v] = new, m, e
            elif v != counted:
                total, total_e = add(paths[v], exponents[v], m, e)
                paths[v], exponents[v] = normal(total, total_e)
            counted = v
    return n


@inlined(forceinline=False)
def _accumulate(order, n, offsets, neighbours, weights, distances, paths, exponents, one, scores):
    """Dependencies of all vertices but the first, from the last to the second."""
    for k in range(n - 1, -1, -1):
        u = order[k]
        distance, m, e = distances[u], paths[u], exponents[u]
        near, far = 0.0, 0.0
        counted = u
        for j in range(np.uint64(offsets[u]), np.uint64(offsets[u + 1])):
            v = neighbours[j]
            if distance + weights[j] == distances[v] and v not in (counted, u):
                counted = v
                if exponents[v] == e:
                    near += paths[v]
                elif exponents[v] == e + 1:
                    far += paths[v]
        delta = m * near + (m * INVERSE) * far
        if k > 0:
            scores[u] += delta + one
        paths[u] = (1.0 + delta) / m


@inlined(forceinline=False, cache=True)
def sweep(rows, work, chosen, one, scores):
    """Add to ``scores`` the dependencies on each of ``chosen``; ``one`` is as in `sweep`."""
    for source in chosen:
        n = _search(
            source, rows.out_offsets, rows.destinations, rows.weights, work.distances, work.paths, work.exponents,
            work.order, work.keys, work.items, work.place,
        )  # fmt: skip
        if n < 0:
            return ROUNDED_AWAY
        scores[source] += one * (n - 1)
        _accumulate(
            work.order, n, rows.out_offsets, rows.destinations, rows.weights, work.distances, work.paths,
            work.exponents, one, scores,
        )  # fmt: skip
        for k in range(n):
            work.distances[work.order[k]] = np.inf
    return FINE
