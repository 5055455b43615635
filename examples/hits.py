# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""HITS: a good hub points to good authorities, a good authority is pointed to by good hubs (Kleinberg 1999).

``python examples/hits.py`` ranks programming languages by how well they borrow, and by how much others borrow from
them; ``python examples/hits.py GRAPH`` ranks the vertices of a file.
"""

import sys

import numpy as np

import lux

BORROWS = {
    "C#": "C++ Java Delphi", "C++": "C Simula", "Clojure": "Lisp Java Haskell ML", "Elixir": "Erlang Ruby Clojure",
    "Go": "C Pascal Oberon", "Haskell": "ML Miranda Lisp", "Java": "C++ Smalltalk Oberon", "Julia": "Lisp Fortran R C",
    "Kotlin": "Java Scala C# Groovy", "Python": "ABC C Lisp Haskell Perl", "Ruby": "Perl Smalltalk Lisp Eiffel",
    "Rust": "C++ ML Haskell Erlang Ruby", "Scala": "Java Haskell ML Lisp", "Swift": "Rust Haskell Ruby Python C#",
}  # fmt: skip


class Hits(lux.Program):
    """HITS power iteration in turns, hubs over out-edges: at once, scores of bipartite graphs would swap for ever."""

    hub = lux.field(np.float64, reduce=lux.ADD)
    authority = lux.field(np.float64, reduce=lux.ADD)

    def start(v, params):
        v.hub = 1.0
        v.authority = 0.0

    def compute(v, u, edge, params):
        if edge.forward:
            return 0.0, u.hub
        return u.authority, 0.0

    def update(v, old, params):  # normalise by the sum of the scores that were gathered
        if params.iteration % 2 == 0:
            v.hub = old.hub
            v.authority /= params.hubs
        else:
            v.authority = old.authority
            v.hub /= params.authorities

    @lux.aggregate
    def hubs(v, old, params):
        return v.hub

    @lux.aggregate
    def authorities(v, old, params):
        return v.authority

    @lux.aggregate
    def change(v, old, params):
        return abs(v.hub - old.hub) + abs(v.authority - old.authority)

    def converged(params):
        return params.change < params.tol * (params.hubs + params.authorities)


def both_ways(graph):
    """Return every edge in both directions, marked by the property ``forward``."""
    u, v = graph.dense_edge_arrays()
    forward = np.repeat(np.array([1, 0], np.int8), len(u))
    return lux.from_edges(np.append(u, v), np.append(v, u), n_vertices=graph.n_vertices, forward=forward)


def hits(graph, tol=1e-12, max_iter=2000, **options):
    """Return hub and authority scores, which each sum to one, in the order of the graph's ids."""
    result = lux.run(Hits, both_ways(graph), tol=tol, max_iter=max_iter, **options)
    return [scores / scores.sum() for scores in (result["hub"].to_numpy(), result["authority"].to_numpy())]


def main(path=None):
    """Print the best hubs and authorities."""
    pairs = [(name, source) for name, sources in BORROWS.items() for source in sources.split()]
    graph = lux.read_graph(path) if path else lux.from_edges(*zip(*pairs, strict=True))
    names = graph.ids.labels(0, graph.n_vertices)
    for title, scores in zip(("hubs", "authorities"), hits(graph), strict=True):
        best = np.argsort(-scores)[:6]
        print(f"{title:12}", ", ".join(f"{names[k]} {scores[k]:.3f}" for k in best))


if __name__ == "__main__":
    main(*sys.argv[1:])
