# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Personalised PageRank: how often a random walk visits each vertex if it restarts at chosen ones.

``python examples/personalised_pagerank.py`` draws the heat of three fires in a town of square blocks;
``python examples/personalised_pagerank.py GRAPH VERTEX=WEIGHT ...`` ranks the vertices of a file.
"""

import sys

import numpy as np

import lux


class PersonalisedPageRank(lux.Program):
    """Personalised PageRank by power iteration; a vertex gathers its in-neighbours' shares."""

    restart = lux.field(np.float64, constant=True)
    rank = lux.field(np.float64)
    share = lux.field(np.float64, reduce=lux.ADD)  # the part of the rank that each out-neighbour gets

    def start(v, params):
        v.rank = v.restart
        v.share = v.rank / v.out_degree if v.out_degree > 0 else 0.0

    def compute(v, u, edge, params):
        return u.share

    def update(v, old, params):
        v.rank = params.alpha * v.share + (1.0 - params.alpha * (1.0 - params.stuck)) * v.restart
        v.share = v.rank / v.out_degree if v.out_degree > 0 else 0.0

    @lux.aggregate
    def stuck(v, old, params):  # walks that cannot go on restart
        return v.rank if v.out_degree == 0 else 0.0

    @lux.aggregate
    def change(v, old, params):
        return abs(v.rank - old.rank)

    def converged(params):
        return params.change < params.tol


def personalised_pagerank(graph, restarts, alpha=0.85, tol=1e-12, **options):
    """Return ranks that sum to one; ``restarts`` maps vertices to how often walks restart there."""
    restart = np.zeros(graph.n_vertices)
    restart[[graph.ids.dense(vertex) for vertex in restarts]] = list(restarts.values())
    given = {"restart": restart / restart.sum()}
    return lux.run(PersonalisedPageRank, graph, constants=given, alpha=alpha, tol=tol, **options)


def main(path=None, *restarts):
    """Draw the ranks on a grid, or print the highest."""
    if path:
        try:
            weights = {vertex: float(weight) for vertex, weight in (restart.split("=") for restart in restarts)}
        except ValueError:
            sys.exit("after the graph come vertices and how often walks restart there, as in 12=3 30=1")
        if not weights:
            sys.exit("name the vertices where walks restart, as in 12=3 30=1")
        ranks = personalised_pagerank(lux.read_graph(path), weights)
        print(*ranks.top(10), sep="\n")
        return
    town = lux.generate("grid:20x72")
    ranks = personalised_pagerank(town, {4 * 72 + 12: 3, 14 * 72 + 30: 1, 6 * 72 + 58: 2})["rank"].to_numpy()
    heat = np.clip(9.5 + np.log10(ranks) * 1.6, 0, 9).astype(int)
    print(*("".join(" .:-=+*#%@"[h] for h in row) for row in heat.reshape(20, 72)), sep="\n")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except lux.LuxError as error:
        sys.exit(str(error))
