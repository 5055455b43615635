# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Label spreading: classify everything from a few labelled examples (Zhou, Bousquet, Lal, Weston, Schölkopf 2004).

Every vertex has a score for each class. Scores F spread over the edges and come back to the labels Y that are known:
F <- alpha S F + (1 - alpha) Y, where S is the matrix of weights divided by the roots of both ends' weighted degrees.

``python examples/label_spreading.py`` classifies the points of two moons, each with one labelled point.
"""

import functools

import numpy as np
from scipy.spatial import cKDTree

import lux


@functools.cache
def label_spreading_program(classes):
    """Return the program for so many classes, the length of its vectors."""

    class LabelSpreading(lux.Program):
        """Label spreading by Jacobi iteration for F = alpha S F + (1 - alpha) Y."""

        known = lux.field(np.float64, shape=classes, constant=True)
        root = lux.field(np.float64, constant=True)  # one over the root of the weighted degree
        scores = lux.field(np.float64, shape=classes, reduce=lux.ADD)

        def start(v, params):
            v.scores = v.known

        def compute(v, u, edge, params):
            return edge.weight * u.root * u.scores

        def update(v, old, params):
            v.scores = params.alpha * v.root * v.scores + (1.0 - params.alpha) * v.known

        @lux.aggregate
        def change(v, old, params):
            away = 0.0
            for k in range(classes):
                away += abs(v.scores[k] - old.scores[k])
            return away

        def converged(params):
            return params.change < params.tol

    return LabelSpreading


def label_spreading(graph, labels, alpha=0.99, tol=1e-6, max_iter=5000, **options):
    """Return scores of shape (n_vertices, classes); ``labels`` maps vertices to their class, 0 and up."""
    classes = 1 + max(labels.values())
    known = np.zeros((graph.n_vertices, classes))
    for vertex, label in labels.items():
        known[graph.ids.dense(vertex), label] = 1
    degrees = graph.dense_out_weights()
    root = np.divide(1, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
    program, given = label_spreading_program(classes), {"known": known, "root": root}
    return lux.run(program, graph, constants=given, alpha=alpha, tol=tol, max_iter=max_iter, **options)


def main():
    """Draw the moons, and the class of each point."""
    random, angle, n = np.random.default_rng(1), np.linspace(0, np.pi, 1500), 3000
    upper, lower = [np.cos(angle), np.sin(angle)], [1 - np.cos(angle), 0.4 - np.sin(angle)]
    points = np.hstack([upper, lower]).T + random.normal(0, 0.08, (n, 2))
    distance, near = cKDTree(points).query(points, 8)
    weight = np.exp(-((np.ravel(distance) / 0.1) ** 2))
    graph = lux.from_edges(
        np.repeat(np.arange(n), 8), np.ravel(near), weight, n_vertices=n, directed=False, drop_loops=True
    )
    labels = {750: 0, 2250: 1}
    found = label_spreading(graph, labels)["scores"].to_numpy().argmax(axis=1)
    low, high = points.min(axis=0), points.max(axis=0)
    column, row = ((points - low) / (high - low) * [77, 19]).astype(int).T
    picture = np.full((20, 78), " ")
    picture[19 - row, column] = np.array([".", "o"])[found]
    for vertex, label in labels.items():
        picture[19 - row[vertex], column[vertex]] = "AB"[label]
    print(*("".join(line) for line in picture), sep="\n")
    right = (found == np.arange(n) // 1500).mean()
    print(f"From the labels of A and B, {right:.1%} of {n:,} points are found to be in the right moon.")


if __name__ == "__main__":
    main()
