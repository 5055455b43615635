# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs by name: of few and of many levels, with hubs, without, and of one vertex that all others meet."""

from functools import cache

import numpy as np

import lux

GRAPHS = ("kronecker:12", "uniform:11", "grid", "star", "path", "cycle", "bipartite")


@cache
def graph(name, order):
    """A graph of a few thousand vertices, with weights from 1 to 255; ``kronecker:SCALE`` may be larger."""
    rng = np.random.default_rng(7)
    if ":" in name:
        return lux.generate(name, seed=3, weights=(1, 255)).reordered(order)
    if name == "grid":
        at = np.arange(50 * 40).reshape(50, 40)
        pairs = [(at[:, :-1].ravel(), at[:, 1:].ravel()), (at[:-1].ravel(), at[1:].ravel())]
        u, v = (np.concatenate(x) for x in zip(*pairs, strict=True))
        directed = False
    elif name == "star":
        u, v, directed = np.zeros(9000, np.int64), np.arange(1, 9001), False
    elif name == "path":
        u, v, directed = np.arange(700), np.arange(1, 701), True
    elif name == "cycle":
        u, v, directed = np.arange(33), (np.arange(33) + 1) % 33, True
    else:  # directed, with hubs on one side, repeated edges and loops
        u, v, directed = rng.integers(0, 400, 20000), (rng.zipf(1.3, 20000) % 5000).astype(np.int64), True
    weights = rng.integers(1, 256, len(u)).astype(np.float32)
    return lux.from_edges(u, v, directed=directed, weight=weights).reordered(order)


def gpus_make_small_graphs():
    """Have GPUs of this process make graphs of any size, where cores would make small ones."""
    from lux.graph.construction.gpu import edges

    edges.WORTH_A_GPU = 1
