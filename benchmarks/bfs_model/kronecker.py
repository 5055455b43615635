# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Degrees and breadth-first levels of Kronecker graphs in closed form, for scales beyond this machine's memory.

A Kronecker graph (Graph500: .57, .19, .19, .05, symmetrised) draws every bit of an edge's two ends independently. So
how many one bits a vertex's number has, its class, decides the distribution of its degree (Poisson) and of its
neighbours' classes. A search is the mean field of that: in each level a class has one share of frontier vertices, and
an unvisited vertex is reached by at least one of a Poisson number of edges. Repeated edges are counted as often as they
are drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfmodel.direction import BEAMER, by_unreached

Floats = NDArray[np.float64]

ONE_AFTER_ZERO, ONE_AFTER_ONE = 0.19 / 0.76, 0.05 / 0.24
"""Probabilities of a one bit in an edge's other end, by the bit of this end."""
MOST_LEVELS = 64


@dataclass(frozen=True)
class Search:
    """Search from a random vertex that has edges, in expected numbers.

    Attributes
    ----------
    scale, edge_factor : int, float
        2^scale vertices, and ``edge_factor`` undirected edges for each.
    sizes : np.ndarray of shape (classes,)
        Vertices of each class.
    degrees : np.ndarray of shape (classes,)
        Mean degree of each class, edges counted in both directions.
    fronts : np.ndarray of shape (levels, classes)
        Share of a class that is the frontier of each level.
    contacts : np.ndarray of shape (levels, classes)
        Mean number of edges that lead from a level's frontier to a vertex of a class.
    """

    scale: int
    edge_factor: float
    sizes: Floats
    degrees: Floats
    fronts: Floats
    contacts: Floats

    @property
    def n_vertices(self) -> float:
        """Number of vertices, isolated ones included."""
        return float(2**self.scale)

    @property
    def n_edges(self) -> float:
        """Number of stored edges: both directions."""
        return 2 * self.edge_factor * self.n_vertices

    @property
    def levels(self) -> int:
        """Number of levels with a frontier of half a vertex or more."""
        return len(self.fronts)

    @property
    def frontiers(self) -> Floats:
        """Vertices in each level's frontier."""
        return np.asarray(self.fronts @ self.sizes)

    @property
    def frontier_edges(self) -> Floats:
        """Edges that leave each level's frontier."""
        return np.asarray(self.contacts @ self.sizes)

    def first_reached(self, pieces: float) -> Floats:
        """Return the remote vertices that processors find in each level, summed over processors.

        Parameters
        ----------
        pieces : float
            Processors among which the edges into a vertex lie, evenly; one of them owns it. Each names the vertex
            when it reaches it first, whoever else has done so.

        Returns
        -------
        np.ndarray of shape (levels,)
        """
        after = np.exp(-np.cumsum(self.contacts, axis=0) / pieces)
        before = np.vstack([np.ones_like(self.sizes), after[:-1]])
        return (pieces - 1) * np.asarray((before - after) @ self.sizes)

    @property
    def connected(self) -> float:
        """Number of vertices that have edges."""
        return float(self.sizes @ -np.expm1(-self.degrees))

    def found_elsewhere(self, pieces: float) -> Floats:
        """Return the vertices of each level that only processors other than their owner reach.

        The owners lack their parents. ``pieces`` as in `first_reached`.
        """
        sum_before = np.vstack([np.zeros_like(self.sizes), np.cumsum(self.contacts, axis=0)[:-1]])
        only = np.exp(-self.contacts / pieces) - np.exp(-self.contacts)
        return np.asarray((np.exp(-sum_before) * only) @ self.sizes)

    def bottom_up(self) -> NDArray[np.bool_]:
        """Return the levels that Beamer's rule searches bottom-up, bool of shape (levels,)."""
        chosen, up, unreached, last = [], False, self.n_edges, 0.0
        for vertices, edges in zip(self.frontiers, self.frontier_edges, strict=True):
            unreached -= edges
            up = by_unreached(up, vertices, edges, last, unreached, self.n_vertices, *BEAMER)
            chosen.append(up)
            last = vertices
        return np.array(chosen)

    def looked_at(self, *, both_directions: bool) -> Floats:
        """Return the edges scanned in each level, shape (levels,).

        Top-down levels scan the frontier's edges. Bottom-up an unvisited vertex scans until it finds the frontier: (1 -
        e^-c) d / c edges of a Poisson number with mean d, of which c lead there.
        """
        down = self.frontier_edges
        if not both_directions:
            return down
        unvisited = np.exp(-np.vstack([np.zeros_like(self.sizes), np.cumsum(self.contacts, axis=0)[:-1]]))
        c = np.maximum(self.contacts, 1e-12)
        up = (unvisited * self.degrees * -np.expm1(-c) / c) @ self.sizes
        return np.where(self.bottom_up(), up, down)


def search(scale: int, edge_factor: float = 16) -> Search:
    """Return the expected search on a Kronecker graph.

    Examples
    --------
    >>> found = search(20)
    >>> found.levels, [round(n) for n in found.frontiers[:3]]
    (6, [1, 52, 77952])
    >>> round(float(found.frontiers.sum() / found.n_vertices), 2)  # the others have no edges
    0.62
    """
    sizes, degrees, neighbours = class_sizes(scale), class_degrees(scale, edge_factor), neighbour_classes(scale)
    rooted = sizes * -np.expm1(-degrees)
    front = rooted / rooted.sum() / sizes
    unvisited = 1 - front
    fronts: list[Floats] = []
    contacts: list[Floats] = []
    while front @ sizes >= 0.5 and len(fronts) < MOST_LEVELS:
        contact = degrees * (neighbours @ front)
        fronts.append(front)
        contacts.append(contact)
        front = unvisited * -np.expm1(-contact)
        unvisited = unvisited - front
    return Search(scale, edge_factor, sizes, degrees, np.array(fronts), np.array(contacts))


def class_sizes(scale: int) -> Floats:
    """Return the number of vertices whose numbers have 0, 1, ... one bits.

    >>> class_sizes(3).tolist()
    [1.0, 3.0, 3.0, 1.0]
    """
    return np.array([math.comb(scale, k) for k in range(scale + 1)], float)


def class_degrees(scale: int, edge_factor: float) -> Floats:
    """Return the mean degree of each class: an edge's end has a one bit with probability .24.

    >>> class_degrees(1, 1).round(2).tolist()  # 2 edges have 4 ends
    [3.04, 0.96]
    """
    k = np.arange(scale + 1)
    return np.asarray(2 * edge_factor * 2.0**scale * 0.76 ** (scale - k) * 0.24**k)


def neighbour_classes(scale: int) -> Floats:
    """Return, by class of one end of an edge (row), the probability of each class of the other end.

    >>> neighbour_classes(1).round(2).tolist()
    [[0.75, 0.25], [0.79, 0.21]]
    """
    rows = [np.convolve(_binomial(scale - k, ONE_AFTER_ZERO), _binomial(k, ONE_AFTER_ONE)) for k in range(scale + 1)]
    return np.array(rows)


def _binomial(n: int, p: float) -> Floats:
    return np.array([math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)])


def at_most(degrees: Floats, threshold: int) -> Floats:
    """Return the probability that a Poisson number with each mean is at most ``threshold``.

    >>> at_most(np.array([1.0]), 1).round(4).tolist()  # 2 / e
    [0.7358]
    """
    if threshold < 0:
        return np.zeros_like(degrees)
    j = np.arange(threshold + 1)
    factorials = np.array([math.lgamma(x + 1) for x in j])
    return np.asarray(np.exp(-degrees[:, None] + j * np.log(degrees)[:, None] - factorials).sum(axis=1).clip(0, 1))


def delegates(scale: int, edge_factor: float, threshold: int) -> float:
    """Return the share of the vertices with more than ``threshold`` edges.

    >>> round(delegates(33, 16, 181), 4)  # 1.75 % in section VI-B of Pan, Pearce and Owens, 2018
    0.0175
    """
    sizes = class_sizes(scale)
    return float(sizes @ (1 - at_most(class_degrees(scale, edge_factor), threshold)) / sizes.sum())


def normal_edges(scale: int, edge_factor: float, threshold: int) -> float:
    """Return the share of the edges both of whose ends have at most ``threshold`` edges.

    >>> 0.01 < normal_edges(33, 16, 181) < 0.063  # they count 6.3 %: see docs/explanation/distributed-bfs.md
    True
    """
    sizes, degrees = class_sizes(scale), class_degrees(scale, edge_factor)
    normal = at_most(degrees, threshold - 1)  # besides the edge itself
    return float((sizes * degrees * normal) @ (neighbour_classes(scale) @ normal) / (sizes @ degrees))


def occupied(scale: int, edge_factor: float, pieces: float) -> float:
    """Return the share of rows that have an edge if each vertex's edges are spread over ``pieces`` blocks.

    >>> round(occupied(34, 16, 32) * 2**28 * 8 / 2**20)  # MB of row starts: 190 in table 3 of Ueno et al., 2017
    190
    """
    sizes, degrees = class_sizes(scale), class_degrees(scale, edge_factor)
    return float(sizes @ -np.expm1(-degrees / pieces) / sizes.sum())
