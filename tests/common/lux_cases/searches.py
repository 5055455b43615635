# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs to search, by name: of few and of many levels, with hubs, and with vertices that no path leads to.

And a check of searches by strategies that are asked for with options.
"""

from functools import cache

import numpy as np

import lux
from lux import runtime
from lux_cases.stores import to_array

UNREACHED = 2**31 - 1

MADE = {
    "kronecker": lambda: lux.generate("kronecker:14", seed=2),
    "directed": lambda: lux.generate("rmat:13,4", seed=3),
    "uniform": lambda: lux.generate("uniform:12,4", seed=4),
    "grid": lambda: lux.toy.grid(41, 37),
    "star": lambda: lux.toy.star(9000, directed=False),
    "star away": lambda: lux.toy.star(3000),
    "path": lambda: lux.toy.path(3000, directed=False),
    "loops and isolated": lambda: lux.from_edges(
        [0, 0, 5, 70, 70, 199, 3], [0, 5, 70, 70, 199, 5, 3], n_vertices=260, directed=False
    ),
    "five vertices": lambda: lux.toy.path(5, directed=False),
}


@cache
def made(name, order="given"):
    """A graph of `MADE`, stored in some order."""
    return MADE[name]() if order == "given" else made(name).reordered(order)


def weighted(name, order, kind):
    """A graph of `MADE` with weights from 0 on, of that type."""
    graph = made(name, order)
    u, v = graph.dense_edge_arrays()
    if not graph.directed:
        u, v = u[u <= v], v[u <= v]
    weight = np.random.default_rng(3).integers(0, 90, len(u)).astype(kind)
    if np.dtype(kind).kind == "f":
        weight /= kind(7)
    made_again = lux.from_edges(u, v, weight, n_vertices=graph.n_vertices, directed=graph.directed)
    return made_again.reordered(order)


def counts(*wanted):
    """Those numbers of partitions of which each can have a GPU."""
    return [parts for parts in wanted if parts <= runtime.gpus()]


def check_search(run, graph, source, limit=10**6):
    """Distances of a breadth-first search are the default strategy's, and parents are of the level before."""
    expected = lux.bfs(graph, source, max_iter=limit)
    order = slice(None) if graph.order is None else to_array(graph.order.places)
    distance = to_array(run.fields["distance"]).astype(np.int64)
    parent = to_array(run.fields["parent"]).astype(np.int64)
    wanted = expected.distances.dense()
    assert np.where(distance == UNREACHED, -1, distance)[order].tolist() == wanted.tolist()
    assert (run.iterations, run.converged) == (expected.iterations, expected.converged)
    u, v = graph.dense_edge_arrays()
    if graph.order is not None:
        u, v = order[u], order[v]
    edges = np.unique(u.astype(np.int64) * graph.n_vertices + v)
    children = np.flatnonzero((distance > 0) & (distance < UNREACHED))
    assert (distance[parent[children]] == distance[children] - 1).all()
    assert np.isin(parent[children] * graph.n_vertices + children, edges).all()
    assert (parent[distance == UNREACHED] == 2**32 - 1).all()
