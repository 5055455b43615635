# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge partitioning by split points, and the vertex sets that a partition reads and writes.

A partition is a contiguous range of vertices with all edges that point into it, so P partitions are P + 1
split points, found from the offsets alone (section 4.2 of the Lux paper, VLDB 2017).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import ParameterError

MAX_PARTITIONS = 65_536


def starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each piece begins, and where the last ends.

    >>> starts(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def check_parts(parts: object, n_vertices: int) -> int:
    """Return ``parts``, or raise `ParameterError` where the engine cannot run that many partitions."""
    if isinstance(parts, bool) or not isinstance(parts, int | np.integer):
        raise ParameterError(f"parts must be a whole number, and {parts!r} was passed")
    limit = min(n_vertices, MAX_PARTITIONS)
    if not 1 <= parts <= limit:
        why = "the engine's limit" if limit == MAX_PARTITIONS else "one partition for each vertex"
        raise ParameterError(f"parts={parts} was passed; allowed are 1 to {limit} ({why})")
    return int(parts)


def balanced_points(offsets: NDArray[np.int64], parts: int) -> NDArray[np.int64]:
    """Split points that balance in-edges.

    Parameters
    ----------
    offsets : np.ndarray of shape (n_vertices + 1,), int64
        In-edges of vertex v are ``offsets[v]`` to ``offsets[v + 1] - 1``.
    parts : int
        Number of partitions, from 1 to n_vertices.

    Returns
    -------
    np.ndarray of shape (parts + 1,), int64
        Non-decreasing, from 0 to n_vertices. A partition may be empty: one vertex is never divided.

    Examples
    --------
    >>> balanced_points(np.array([0, 4, 8, 12, 16]), 2)
    array([0, 2, 4])
    >>> balanced_points(np.array([0, 0, 9, 9, 9]), 3)  # a star: one vertex has all in-edges
    array([0, 1, 2, 4])
    """
    work = running_work(offsets)
    return _points_at(work, np.linspace(0.0, float(work[-1]), parts + 1))


def shared_points(work: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Split points that give each partition its share of the work.

    Parameters
    ----------
    work : np.ndarray of shape (n_vertices + 1,), int64
        Running work, as `running_work` returns.
    shares : np.ndarray of shape (parts,), float64
        Shares that add up to 1.

    Examples
    --------
    >>> shared_points(running_work(np.arange(0, 101, 10)), np.array([0.8, 0.1, 0.1]))
    array([ 0,  8,  9, 10])
    """
    return _points_at(work, np.concatenate([[0.0], np.cumsum(shares)]) * float(work[-1]))


def _points_at(work: NDArray[np.int64], targets: NDArray[np.float64]) -> NDArray[np.int64]:
    points = nearest(work.__getitem__, len(work), targets)
    points[0], points[-1] = 0, len(work) - 1
    return np.maximum.accumulate(points)


def running_work(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count in-edges and vertices before each vertex: an isolated vertex costs a little too, as much as one edge.

    >>> running_work(np.array([0, 4, 4]))
    array([0, 5, 6])
    """
    return np.asarray(offsets + np.arange(len(offsets)))


def nearest(
    value_at: Callable[[NDArray[np.int64]], NDArray[Any]], size: int, targets: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Find the positions at which ascending values come closest to each of ``targets``.

    Parameters
    ----------
    value_at : callable
        Takes positions from 0 to ``size - 1`` and returns the values there; it is called for few positions.
    size : int
    targets : np.ndarray of shape (k,), float64

    >>> nearest(np.array([0, 5, 6]).__getitem__, 3, np.array([1.0, 5.2]))
    array([0, 1])
    """
    after, end = np.zeros(len(targets), np.int64), np.full(len(targets), size - 1)
    while (after < end).any():  # the first position whose value reaches the target, or the last position
        middle = (after + end) // 2
        below = value_at(middle) < targets
        after, end = np.where(below, np.minimum(middle + 1, end), after), np.where(below, end, middle)
    before = np.maximum(after - 1, 0)
    return np.where(targets - value_at(before) < value_at(after) - targets, before, after).astype(np.int64)


@dataclass(frozen=True)
class VertexSets:
    """Sizes of the sets that partitions and nodes read and write, in vertices (equations 7 to 9).

    Attributes
    ----------
    ins : np.ndarray of shape (parts,)
        |INS(P)|: distinct sources of the partition's edges.
    ons : np.ndarray of shape (parts,)
        |ONS(P)|: vertices the partition owns.
    uds : np.ndarray of shape (nodes,)
        |UDS(N)|: vertices that a node's partitions read and the node does not own.
    """

    ins: NDArray[np.int64]
    ons: NDArray[np.int64]
    uds: NDArray[np.int64]


def nodes_of(parts: int, nodes: int) -> NDArray[np.int64]:
    """Return the node of each partition: runs of neighbouring partitions, as Legate places the points of a launch.

    >>> nodes_of(5, 2)
    array([0, 0, 0, 1, 1])
    >>> nodes_of(5, 4)
    array([0, 0, 1, 2, 3])
    """
    return np.arange(parts, dtype=np.int64) * nodes // parts


def first_partitions(parts: int, nodes: int) -> NDArray[np.int64]:
    """Return the first partition of each node (`nodes_of`), and the number of all.

    >>> first_partitions(5, 2)
    array([0, 3, 5])
    """
    return np.searchsorted(nodes_of(parts, nodes), np.arange(nodes + 1))
