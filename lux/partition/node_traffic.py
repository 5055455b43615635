# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Values that nodes send one another in an iteration, and the seconds that this takes with other split points."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

EARLY = 0.5
"""Part of the values of the slowest node that may travel after its computation, if values are to travel early."""


@dataclass(frozen=True)
class NodeTraffic:
    """Measured exchange of the nodes of a run.

    Attributes
    ----------
    points : np.ndarray of shape (nodes + 1,), int64
        First vertex of each node, and the end of the last.
    read : np.ndarray of shape (nodes, nodes), float64
        Vertices of each node (row) that each other node (column) reads.
    seconds : float
        Measured seconds of an exchange once the slowest node has finished its computation. Before that, values of the
        other nodes may travel already.
    vertex : float
        Seconds of a link for each vertex whose value a node sends or receives.
    slowest : int
        The node that computes longest.

    Examples
    --------
    Two nodes read all of each other's values. If three quarters of the vertices belong to the second, it sends more:

    >>> traffic = NodeTraffic(np.array([0, 4, 8]), np.array([[0, 4], [4, 0]]), 0.5, 0.1, slowest=0)
    >>> traffic.predict(np.array([0, 4, 8])), traffic.predict(np.array([0, 2, 8]))
    (0.5, 0.75)

    Here values travel while nodes compute: of 0.6 s, 0.5 are over when these have computed for so long.

    >>> traffic = NodeTraffic(np.array([0, 4, 8]), np.array([[0, 4], [4, 0]]), 0.0, 0.1, slowest=0)
    >>> f"{traffic.predict(np.array([0, 2, 8]), computing=0.5):.2f}"
    '0.10'
    """

    points: NDArray[np.int64]
    read: NDArray[np.float64]
    seconds: float
    vertex: float
    slowest: int

    @property
    def travels_early(self) -> bool:
        """True if values travel while their own node computes, as most of the slowest node's have."""
        return self.seconds < EARLY * self.vertex * float(self.read[self.slowest].sum())

    @property
    def hidden(self) -> float:
        """Seconds of an exchange that pass while the slowest node still computes."""
        return max(self.vertex * self._most(self.points) - self.seconds, 0.0)

    def predict(self, points: NDArray[np.int64], *, waiting: float = 0.0, computing: float = math.inf) -> float:
        """Predict the seconds of an exchange after the computation where nodes begin at other vertices.

        Links carry both directions at once, so an exchange takes as long as the node that sends or receives most.

        Parameters
        ----------
        points : np.ndarray of shape (nodes + 1,), int64
        waiting : float
            The part that is left of the time for which nodes wait for the slowest one now: from 0 (all finish at once)
            to 1. Values travel meanwhile.
        computing : float
            Seconds of the longest computation. Values that travel early do so then.
        """
        now, most = self._most(self.points), self._most(points)
        share = most / now if now else 1.0
        if self.travels_early:
            return max(self.seconds * share, self.vertex * most - computing)
        return max((self.seconds + self.hidden) * share - waiting * self.hidden, 0.0)

    def _most(self, points: NDArray[np.int64]) -> float:
        """Estimate the most vertices that a node sends or receives, where nodes begin at ``points``.

        Vertices of one measured node are taken for alike: each other node reads the same share of them wherever they
        move, and their measured node reads as much of them as the others on average.
        """
        nodes, starts, ends = len(self.read), self.points[:-1], self.points[1:]
        share = self.read / np.maximum(ends - starts, 1)[:, None]
        np.fill_diagonal(share, (share.sum(axis=1) - share.diagonal()) / max(nodes - 1, 1))
        low, high = np.maximum(points[:-1, None], starts), np.minimum(points[1:, None], ends)
        sent = np.maximum(high - low, 0) @ share
        np.fill_diagonal(sent, 0.0)
        return float(max(sent.sum(axis=0).max(), sent.sum(axis=1).max()))
