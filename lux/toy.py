# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Small named graphs for documentation and tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import lux.io  # noqa: F401  # lets graphs write themselves
from lux import runtime
from lux.checks import checked_count
from lux.graph.build import build
from lux.graph.construction.edge_list import EdgeList
from lux.graph.graph import Graph
from lux.names import checked_call


@runtime.on_driver
def _graph(pairs: Sequence[tuple[int, int]], n: int, directed: bool, weights: Sequence[float] | None = None) -> Graph:
    ends = np.array(pairs, np.uint32).reshape(-1, 2)
    properties = {} if weights is None else {"weight": np.asarray(weights)}
    return build(EdgeList(ends[:, 0].copy(), ends[:, 1].copy(), n, directed, properties=properties))


@checked_call
def path(n: int = 5, *, directed: bool = True) -> Graph:
    """Return the path 0, 1, ..., n - 1.

    >>> path(4).in_degrees().to_numpy()
    array([0, 1, 1, 1])
    """
    return _graph([(i, i + 1) for i in range(checked_count("n", n, 1) - 1)], n, directed)


@checked_call
def cycle(n: int = 5, *, directed: bool = True) -> Graph:
    """Return the cycle 0, 1, ..., n - 1, 0."""
    return _graph([(i, (i + 1) % n) for i in range(checked_count("n", n, 1))], n, directed)


@checked_call
def star(n: int = 5, *, directed: bool = True) -> Graph:
    """Return a star: edges from vertices 1, ..., n - 1 to vertex 0."""
    return _graph([(i, 0) for i in range(1, checked_count("n", n, 1))], n, directed)


@checked_call
def complete(n: int = 5) -> Graph:
    """Return the complete graph: every two of n vertices joined by an undirected edge."""
    return _graph([(i, j) for i in range(checked_count("n", n, 1)) for j in range(i)], n, directed=False)


@checked_call
def grid(rows: int = 3, columns: int = 3) -> Graph:
    """Return an undirected lattice; vertex ``row * columns + column``."""
    rows, columns = checked_count("rows", rows, 1), checked_count("columns", columns, 1)
    right = [(r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)]
    down = [(r * columns + c, (r + 1) * columns + c) for r in range(rows - 1) for c in range(columns)]
    return _graph(right + down, rows * columns, directed=False)


@checked_call
def kite() -> Graph:
    """Return Krackhardt's kite: 10 vertices, 18 undirected edges."""
    pairs = [(0, 1), (0, 2), (0, 3), (0, 5), (1, 3), (1, 4), (1, 6), (2, 3), (2, 5), (3, 4), (3, 5), (3, 6), (4, 6)]
    return _graph([*pairs, (5, 6), (5, 7), (6, 7), (7, 8), (8, 9)], 10, directed=False)


@checked_call
def two_triangles() -> Graph:
    """Return two triangles, 0-1-2 and 3-4-5, and the isolated vertex 6; undirected, with weights 1 to 6."""
    return _graph([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], 7, directed=False, weights=[1, 2, 3, 4, 5, 6])
