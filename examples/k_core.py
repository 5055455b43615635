# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""k-core: remove vertices with fewer than k remaining neighbours, again and again (Seidman 1983).

``python examples/k_core.py`` peels a generated social network; ``python examples/k_core.py GRAPH`` a file, whose edges
go both ways.
"""

import sys

import numpy as np

import lux


class KCore(lux.Program):
    """K-core peeling; the frontier is the vertices that leave, and the ones that lost a neighbour."""

    left = lux.field(np.int32)  # neighbours that remain
    lost = lux.field(np.int32, reduce=lux.ADD)
    gone = lux.field(bool)
    leaves = lux.field(bool)  # the vertex leaves in this iteration

    def start(v, params):
        v.left = v.in_degree
        v.gone = v.in_degree < params.k
        v.leaves = v.gone
        return v.leaves

    def init(v, old, params):
        v.lost = 0

    def compute(v, u, edge, params):
        return u.leaves

    def update(v, old, params):
        v.left = old.left - v.lost
        v.leaves = not old.gone and v.left < params.k
        v.gone = old.gone or v.leaves
        return v.lost > 0 or v.leaves


def k_core(graph, k, **options):
    """Return a boolean for each vertex: in the k-core of an undirected graph without loops."""
    return ~lux.run(KCore, graph, k=k, **options)["gone"].to_numpy()


def core_numbers(graph, **options):
    """Return for each vertex the largest k whose k-core has it."""
    core, k, gone = np.zeros(graph.n_vertices, int), 0, np.zeros(graph.n_vertices, bool)
    left = graph.in_degrees().to_numpy()
    while not gone.all():
        k += 1
        leaves = ~gone & (left < k)
        start = {"left": left, "gone": gone | leaves, "leaves": leaves}  # goes on from what is left
        found = lux.run(KCore, graph, k=k, start=start, **options)
        core[~gone & found["gone"].to_numpy()] = k - 1
        left, gone = found["left"].to_numpy(), found["gone"].to_numpy()
    return core


def main(path=None):
    """Print the sizes of some cores."""
    if path:
        graph = lux.read_graph(path, directed=False, drop_loops=True, drop_repeats=True)
    else:
        graph = lux.generate("kronecker:12")
    core = core_numbers(graph)
    for k in np.unique(np.geomspace(1, max(core.max(), 1), 16).astype(int)):
        size = (core >= k).sum()
        print(f"{k:4}-core {'#' * int(60 * size / len(core)):60} {size:,}")


if __name__ == "__main__":
    main(*sys.argv[1:])
