# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Borders between processes: the vertices of each that another one reads (UDS, equation 9 of the Lux paper), or all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.graph.construction import sort_kernels
from lux.graph.core.partitions import Partitions
from lux.partition import split_points
from lux.runtime.exchange import exchange_words

_NONE = np.empty(0, np.uint32)


@dataclass(frozen=True)
class NodeBorders:
    """Borders of this process, a node, with all others.

    Attributes
    ----------
    partitions_of : list of range
        Partitions of each node.
    points : np.ndarray of shape (nodes + 1,), int64
        Where each node's vertices begin, and where the last one's end.
    sent, received : list of np.ndarray, uint32
        For each node, this node's vertices that it reads, and its vertices that this node reads: in rising order, and
        counted from the owner's first vertex. Empty for this node itself.
    members : list of np.ndarray, uint64
        For each node, the index of ``sent`` in the form of `lux.kernels.frontier.local_id`.
    """

    partitions_of: list[range]
    points: NDArray[np.int64]
    sent: list[NDArray[np.uint32]]
    received: list[NDArray[np.uint32]]
    members: list[NDArray[np.uint64]]

    @property
    def partitions(self) -> range:
        """Partitions of this node."""
        return self.partitions_of[runtime.rank()]


def node_points(points: NDArray[np.int64], nodes: int) -> tuple[NDArray[np.int64], list[range]]:
    """Return where each node's vertices begin, and its partitions.

    >>> points, partitions = node_points(np.array([0, 2, 5, 9]), 2)
    >>> points.tolist(), partitions
    ([0, 5, 9], [range(0, 2), range(2, 3)])
    """
    first = split_points.first_partitions(len(points) - 1, nodes).tolist()
    return points[first], [range(lo, hi) for lo, hi in pairwise(first)]


def make(layout: Partitions) -> NodeBorders:
    """Find what this process's partitions read of other processes, and tell them. All processes must call this."""
    nodes = runtime.ranks()
    points, partitions = node_points(layout.points, nodes)
    if nodes == 1:
        return NodeBorders(partitions, points, [_NONE], [_NONE], [np.empty(0, np.uint64)])
    return between(read_vertices(layout), points, partitions)


def between(read: NDArray[np.int64], points: NDArray[np.int64], partitions: list[range]) -> NodeBorders:
    """Return the borders of nodes of which this one reads some vertices, and tell all others. All must call this.

    Parameters
    ----------
    read : np.ndarray
        The vertices that this node reads, its own among them, in rising order.
    points : np.ndarray of shape (nodes + 1,), int64
        Where each node's vertices begin, and where the last one's end.
    partitions : list of range
        Partitions of each node.
    """
    me, nodes = runtime.rank(), len(partitions)
    cuts = np.searchsorted(read, points)
    received = [
        (read[lo:hi] - points[node]).astype(np.uint32) if node != me else _NONE
        for node, (lo, hi) in enumerate(pairwise(cuts))
    ]
    sizes = (np.diff(points) + 63) // 64
    told = exchange_words(
        [_index(each, int(size))[::2] for each, size in zip(received, sizes, strict=True)], [int(sizes[me])] * nodes
    )
    members, sent = [], []
    for bits in told:
        each = np.zeros(2 * len(bits), np.uint64)
        each[::2] = bits
        listed = np.empty(int(np.bitwise_count(bits).sum()), np.uint32)
        sort_kernels.list_members(each, listed)
        sent.append(listed)
        members.append(_index(listed, len(bits)))
    return NodeBorders(partitions, points, sent, received, members)


def _index(vertices: NDArray[np.uint32], words: int) -> NDArray[np.uint64]:
    """Index a list of vertices by 64 of them, in the form of `lux.kernels.frontier.local_id`."""
    pairs = np.zeros(2 * words, np.uint64)
    sort_kernels.source_set(vertices, pairs)
    return pairs


def read_vertices(layout: Partitions) -> NDArray[np.int64]:
    """List the vertices that the partitions of this process read; all, where the setting ``exchange`` broadcasts.

    All processes must call this.
    """
    if settings.current().exchange == "broadcast":
        return np.arange(layout.graph.n_vertices)
    mine = node_points(layout.points, runtime.ranks())[1][runtime.rank()]
    words = (layout.graph.n_vertices + 63) // 64
    found: dict[int, NDArray[np.uint64]] = {}
    with runtime.registered(found) as key:
        _note_sources(layout.parts, sources=layout.graph.sources, edges=layout.splits["edges"], words=words, key=key)
    if sorted(found) != list(mine):
        raise AssertionError(f"Legate runs the partitions {sorted(found)} in the process of {mine}")
    union = np.zeros(2 * words, np.uint64)
    for part in mine:
        union |= found[part]
    listed = np.empty(int(np.bitwise_count(union[::2]).sum()), np.uint64)
    sort_kernels.list_members(union, listed)
    return listed.astype(np.int64)


@runtime.task(inputs={"sources": "edges"}, scalars={"words": int, "key": int})
def _note_sources(point: int, sources: NDArray[Any], words: int, key: int) -> None:
    """Note which vertices a partition reads."""
    pairs = np.zeros(2 * words, np.uint64)
    sort_kernels.source_set(sources, pairs)
    pairs[1::2] = 0
    runtime.context(key)[point] = pairs
