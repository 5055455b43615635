# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Label propagation from seeds: a vertex joins the camp of most of its neighbours (Raghavan et al. 2007).

This is the synchronous variant with fixed seeds, which has one result. At most `CAMPS` camps have seeds; in each round
every other vertex takes the camp of most of its neighbours in the round before; among equals its own camp, else the
first. The run ends when no vertex moves, or after ``max_iter`` rounds, as a few vertices may swap camps for ever.

``python examples/label_propagation.py`` finds villages whose people know a few of their neighbours;
``python examples/label_propagation.py GRAPH VERTEX ...`` gives each named vertex of a file a camp of its own.
"""

import sys

import numpy as np

import lux

CAMPS = 8


class LabelPropagation(lux.Program):
    """Label propagation by votes, which are counted in a vector, an element for each camp."""

    edges = lux.BOTH
    seed = lux.field(np.int8, constant=True)  # -1: none
    camp = lux.field(np.int8)
    votes = lux.field(np.int32, shape=CAMPS, reduce=lux.ADD)  # one-hot vector of the vertex's camp

    def start(v, params):
        v.camp = v.seed
        for k in range(CAMPS):
            v.votes[k] = v.seed == k

    def compute(v, u, edge, params):
        return u.votes

    def update(v, old, params):
        most = 0
        for k in range(CAMPS):
            if v.votes[k] > most or (v.votes[k] == most and most > 0 and old.camp == k):
                most = v.votes[k]
                v.camp = k
        if v.seed >= 0:
            v.camp = v.seed
        for k in range(CAMPS):
            v.votes[k] = v.camp == k

    @lux.aggregate
    def moved(v, old, params):
        return v.camp != old.camp

    def converged(params):
        return params.moved == 0


def label_propagation(graph, seeds, max_iter=100, **options):
    """Return the camp of every vertex, -1 if no seed reaches it; ``seeds`` maps vertices to camps."""
    seed = np.full(graph.n_vertices, -1, np.int8)
    for vertex, camp in seeds.items():
        seed[graph.ids.dense(vertex)] = camp
    return lux.run(LabelPropagation, graph, constants={"seed": seed}, max_iter=max_iter, **options)


def main(path=None, *vertices):
    """Print the growth of the camps, or their sizes."""
    if path:
        result = label_propagation(lux.read_graph(path), {v: k for k, v in enumerate(vertices)})
        print(*zip(["nobody", *vertices], np.bincount(result["camp"].to_numpy() + 1).tolist(), strict=False), sep="\n")
        return
    random, people = np.random.default_rng(1), 8 * 500
    person = np.repeat(np.arange(people), 6)  # each names six friends, most of them at home
    anywhere, at_home = random.integers(people, size=len(person)), random.random(len(person)) < 0.75
    friend = np.where(at_home, person // 500 * 500 + anywhere % 500, anywhere)
    graph = lux.from_edges(person, friend, n_vertices=people, directed=False)
    for rounds in range(12):
        camp = label_propagation(graph, {500 * k: k for k in range(8)}, max_iter=rounds)["camp"].to_numpy()
        right = (camp == np.arange(people) // 500).mean()
        print(f"round {rounds:2}: {'#' * int(60 * right):60} {right:.1%} of {people:,} people are in their village")


if __name__ == "__main__":
    main(*sys.argv[1:])
