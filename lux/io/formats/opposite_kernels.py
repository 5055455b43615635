# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Order-independent sums over edges, by which two lists of the same edges are compared.

Each edge has a hash of 64 bits of its source, destination and weight. Different lists have different sums modulo 2^64,
except with probability 2^-64.
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit


@njit(nogil=True, cache=True, inline="always")
def edge_number(source, destination, weight):
    """Hash an edge."""
    x = source * np.uint64(0x9E3779B97F4A7C15) + destination * np.uint64(0xC2B2AE3D27D4EB4F)
    x += weight * np.uint64(0x165667B19E3779F9)
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return x ^ (x >> np.uint64(32))


@njit(nogil=True, cache=True)
def edge_sum(vertex, offsets, first, neighbours, weights, outward):
    """Sum the hashes of consecutive edges.

    Parameters
    ----------
    vertex : int
        Vertex that ``offsets`` start with: its edges are offsets[0] to offsets[1] - 1.
    first : int
        Number of the first of these edges.
    neighbours, weights : np.ndarray of shape (edges,)
        The other ends; no weights: an empty array.
    outward : bool
        Edges lead from the vertices to their neighbours.
    """
    total = np.uint64(0)
    row = np.searchsorted(offsets, first, side="right") - 1
    for e in range(len(neighbours)):
        while offsets[row + 1] <= first + e:
            row += 1
        here, there = np.uint64(vertex + row), np.uint64(neighbours[e])
        weight = np.uint64(weights[e]) if len(weights) else np.uint64(0)
        total += edge_number(here, there, weight) if outward else edge_number(there, here, weight)
    return total


@njit(nogil=True, cache=True)
def edge_balance(vertex, offsets, first, neighbours, weights):
    """Sum the hashes of consecutive edges to lower vertices, less those to higher ones, each from lower to higher.

    Parameters
    ----------
    vertex, first, neighbours, weights
        As in `edge_sum`.
    """
    total = np.uint64(0)
    row = np.searchsorted(offsets, first, side="right") - 1
    e = 0
    while e < len(neighbours):
        while offsets[row + 1] <= first + e:
            row += 1
        end = min(offsets[row + 1] - first, len(neighbours))
        here = np.uint64(vertex + row)
        for k in range(np.uint64(e), np.uint64(end)):
            there = np.uint64(neighbours[k])
            weight = np.uint64(weights[k]) if len(weights) else np.uint64(0)
            number = edge_number(min(here, there), max(here, there), weight)
            total += number * (np.uint64(there < here) - np.uint64(here < there))
        e = end
    return total
