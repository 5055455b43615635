# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The weight function f of section 5 of the Lux paper: the share of the time that the vertices before each one take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lux.partition.split_points import nearest

MOST_EDGES = 64.0
"""In-edges that a vertex counts as, at most."""
SINGULAR = 0.05
"""Ratio of singular values below which the in-edges that a vertex counts as are not fitted: the partitions' vertices
are too alike in their numbers of in-edges.
"""
CONTRADICTION = 0.1
"""Largest difference of f at one vertex between two measurements, as a share of a partition's fair share."""


@dataclass(frozen=True)
class WeightCurve:
    """Partial sums of the vertices' weights, known at some vertices, interpolated by in-edges between them.

    Attributes
    ----------
    work : np.ndarray of shape (n_vertices + 1,), int64
        In-edges before each vertex, where a vertex counts as one besides (`lux.partition.split_points.running_work`).
        No array of this length is made from it: a decision reads few vertices.
    at : np.ndarray of shape (k,), int64
        Vertices at which f is known: ascending, from 0 to n_vertices.
    values : np.ndarray of shape (k,), float64
        f there: ascending, from 0 to 1.
    edges_of_vertex : float
        In-edges that a vertex counts as, besides its own, where f is interpolated; at first one.

    Examples
    --------
    Four vertices of equal in-degree, of which the first two take three quarters of the time:

    >>> f = WeightCurve.by_edges(np.array([0, 4, 8, 12, 16]))
    >>> f = f.measured(np.array([0, 2, 4]), np.array([3.0, 1.0]))
    >>> f(np.array([0, 1, 2, 3, 4])).tolist()
    [0.0, 0.375, 0.75, 0.875, 1.0]
    >>> f.split(np.array([0, 0.4, 1])).tolist()
    [0, 1, 4]
    """

    work: NDArray[np.int64]
    at: NDArray[np.int64]
    values: NDArray[np.float64]
    edges_of_vertex: float = 1.0

    @classmethod
    def by_edges(cls, work: NDArray[np.int64], edges_of_vertex: float = 1.0) -> WeightCurve:
        """Return f before any measurement: only its ends are known."""
        return cls(work, np.array([0, len(work) - 1], np.int64), np.array([0.0, 1.0]), edges_of_vertex)

    def fitted(self, points: NDArray[np.int64], weights: NDArray[np.float64]) -> WeightCurve:
        """Fit the in-edges that a vertex counts as to the partitions' seconds, before any measurement of f.

        Parameters as in `measured`. Where the seconds do not determine the number (partitions are alike, or the seconds
        are no sum over edges and vertices), the curve stays as it was.

        >>> f = WeightCurve.by_edges(np.array([0, 9, 10, 11, 12, 13, 14, 15, 16]))  # 8 in-edges of the first vertex
        >>> f = f.fitted(np.array([0, 1, 8]), np.array([10.0, 14.0]))
        >>> round(f.edges_of_vertex, 6), f.split(np.array([0, 0.5, 1])).tolist()
        (2.0, [0, 2, 8])
        """
        table = np.column_stack([np.diff(self.work[points] - points), np.diff(points)])
        totals = table.sum(axis=0)
        fresh = WeightCurve.by_edges(self.work, self.edges_of_vertex)
        if not totals.all():
            return fresh
        shares, _, rank, singular = np.linalg.lstsq(table / totals, weights / weights.sum(), rcond=None)
        if rank < 2 or singular[1] < SINGULAR * singular[0] or shares.min() <= 0:
            return fresh
        off = table / totals @ shares - weights / weights.sum()
        if np.abs(off).max() > CONTRADICTION / len(weights):
            return fresh
        each = float(min(shares[1] / shares[0] * totals[0] / totals[1], MOST_EDGES))
        return WeightCurve.by_edges(self.work, each)

    def __call__(self, vertices: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return f at some vertices."""
        return np.interp(self._worth(vertices), self._worth(self.at), self.values)

    def _worth(self, vertices: NDArray[np.int64]) -> NDArray[np.float64]:
        """Count the in-edges before some vertices, with those that each vertex counts as."""
        return np.asarray(self.work[vertices] + (self.edges_of_vertex - 1.0) * vertices)

    def contradicted(self, points: NDArray[np.int64], weights: NDArray[np.float64]) -> bool:
        """Tell whether f is known at one of ``points``, and a newer measurement there is off by `CONTRADICTION`.

        >>> f = WeightCurve.by_edges(np.array([0, 4, 8])).measured(np.array([0, 1, 2]), np.array([1.0, 1.0]))
        >>> f.contradicted(np.array([0, 1, 2]), np.array([1.05, 1.0]))
        False
        >>> f.contradicted(np.array([0, 1, 2]), np.array([2.0, 1.0]))
        True
        """
        sums = np.cumsum(weights[:-1]) / weights.sum()
        off = np.abs(self(points[1:-1]) - sums) > CONTRADICTION / len(weights)
        return bool((off & np.isin(points[1:-1], self.at)).any())

    def measured(self, points: NDArray[np.int64], weights: NDArray[np.float64]) -> WeightCurve:
        """Return f with new measurements of partitions (step 1).

        Parameters
        ----------
        points : np.ndarray of shape (parts + 1,)
            Split points of the partitions.
        weights : np.ndarray of shape (parts,)
            Seconds of each partition times the speed of its processor: zero for an empty partition, and not zero for
            all.

        Returns
        -------
        WeightCurve
            An older point that lies outside what its partition's new ends allow is left out, as the newer measurement
            contradicts it.
        """
        sums = np.concatenate([[0.0], np.cumsum(weights) / weights.sum()])
        sums[-1] = 1.0
        partition = np.searchsorted(points, self.at, side="right") - 1
        older = (partition >= 0) & (partition < len(weights)) & ~np.isin(self.at, points)
        inside = np.minimum(np.maximum(partition, 0), len(weights) - 1)
        older &= (sums[inside] < self.values) & (self.values < sums[inside + 1])
        new = np.flatnonzero(np.diff(points, prepend=-1))  # an empty partition's two ends are one point
        at = np.concatenate([points[new], self.at[older]])
        values = np.concatenate([sums[new], self.values[older]])
        order = np.argsort(at)
        return WeightCurve(self.work, at[order], values[order], self.edges_of_vertex)

    def sampled(
        self, points: NDArray[np.int64], weights: NDArray[np.float64], pieces: NDArray[np.float64]
    ) -> WeightCurve:
        """Return f from measurements within partitions, which need no older ones.

        Parameters
        ----------
        points, weights : np.ndarray
            Split points and weights as in `measured`.
        pieces : np.ndarray of shape (parts, k), float64
            Time of the vertices of each partition, in any unit. Piece j begins at vertex ceil(j n / k) of the
            partition's n; no row of a partition that has vertices is zero.

        Examples
        --------
        Of the first four vertices, two take nearly all the time:

        >>> f = WeightCurve.by_edges(np.array([0, 4, 8, 12, 16, 20, 24, 28, 32]))
        >>> pieces = np.array([[9, 1], [1, 1]])
        >>> f = f.sampled(np.array([0, 4, 8]), np.array([3.0, 1.0]), pieces)
        >>> f(np.array([0, 2, 4, 6, 8])).round(3).tolist(), f.split(np.array([0, 0.5, 1])).tolist()
        ([0.0, 0.675, 0.75, 0.875, 1.0], [0, 1, 8])
        """
        k, sizes = pieces.shape[1], np.diff(points)
        begin = points[:-1, None] - (-sizes[:, None] * np.arange(k) // k)
        shares = pieces / np.maximum(pieces.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        fresh = WeightCurve.by_edges(self.work, self.edges_of_vertex)
        return fresh.measured(np.append(begin.ravel(), points[-1]), (weights[:, None] * shares).ravel())

    def split(self, targets: NDArray[np.float64]) -> NDArray[np.int64]:
        """Find the vertices at which f comes closest to ``targets``.

        Parameters
        ----------
        targets : np.ndarray of shape (parts + 1,)
            Ascending values: i / parts for equal processors, else cumulative speeds.
        """
        return nearest(self._worth, len(self.work), np.interp(targets, self.values, self._worth(self.at)))
