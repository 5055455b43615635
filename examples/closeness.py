# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Closeness from 128 breadth-first searches at once, a bit for each (Then et al. 2014; Eppstein and Wang 2004).

A vertex's closeness is one over its mean distance from the sources that reach it. Random sources give an estimate of
every vertex's closeness; all vertices as sources give the exact value.

``python examples/closeness.py`` measures a generated social network; ``python examples/closeness.py GRAPH`` a file.
"""

import sys

import numpy as np

import lux

WORDS = 2


class Searches(lux.Program):
    """Searches in step: breadth-first, with a bit for each search; a vertex passes newly seen bits on."""

    number = lux.field(np.int16, constant=True)  # number of the search that starts here, or -1
    seen = lux.field(np.uint64, shape=WORDS, reduce=lux.OR)  # bit i: search i has reached the vertex
    reached_by = lux.field(np.int32)
    distances = lux.field(np.int64)  # sum of the distances

    def start(v, params):
        for k in range(WORDS):
            if v.number // 64 == k:
                v.seen[k] = 1 << (v.number % 64)
        return v.number >= 0

    def compute(v, u, edge, params):
        return u.seen

    def update(v, old, params):
        fresh = 0
        for k in range(WORDS):
            bits = v.seen[k] & ~old.seen[k]
            while bits != 0:
                bits &= bits - np.uint64(1)
                fresh += 1
        v.reached_by += fresh
        v.distances += fresh * (params.iteration + 1)
        return fresh > 0


def searches(graph, sources, **options):
    """Run searches from up to 128 vertices."""
    number = np.full(graph.n_vertices, -1, np.int16)
    number[[graph.ids.dense(vertex) for vertex in sources]] = np.arange(len(sources))
    return lux.run(Searches, graph, constants={"number": number}, **options)


def closeness(found):
    """Return one over the mean distance from the sources, 0 if no other vertex reaches a vertex."""
    reached_by, distances = found["reached_by"].to_numpy(), found["distances"].to_numpy()
    return np.divide(reached_by, distances, out=np.zeros(len(distances)), where=distances > 0)


def reached(found, sources):
    """Count the vertices that each search has reached."""
    bits = np.unpackbits(found["seen"].to_numpy().view(np.uint8), axis=1, bitorder="little")
    return bits.sum(axis=0)[: len(sources)]


def main(path=None):
    """Print the vertices with the highest closeness."""
    graph = lux.read_graph(path) if path else lux.generate("kronecker:16")
    names = graph.ids.labels(0, graph.n_vertices)
    sources = names[np.random.default_rng(1).permutation(np.flatnonzero(graph.dense_out_degrees()))[:128]].tolist()
    found = searches(graph, sources)
    print(f"{len(sources)} searches over {graph.n_edges:,} edges took {1000 * found.seconds:.0f} ms;")
    print(f"they reach {np.median(reached(found, sources)):,.0f} of {graph.n_vertices:,} vertices (median).")
    close = closeness(found)
    for vertex in np.argsort(-close)[:5]:
        print(f"  vertex {names[vertex]} is {1 / close[vertex]:.2f} steps away on average")


if __name__ == "__main__":
    main(*sys.argv[1:])
