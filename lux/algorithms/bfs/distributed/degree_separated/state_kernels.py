# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""A processor's part of a graph with delegates, and a search's state from one launch to the next.

Normal vertices are visited in the order of a queue of local ids; the vertices of a level lie together. Delegates have
bit masks, alike on all processors once a level's finds are known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.codegen.direction import by_workload
from lux.kernels import njit
from lux.kernels.frontier import popcount
from lux.kernels.inlined import inlined
from perfmodel.direction import SEPARATED_CPU, Thresholds

# Columns of a processor's row of the state (int64).
STATE_COLUMNS = 24
FIRST = 0  # the frontier's normal vertices are queue[FIRST:LAST]
LAST = 1
TAIL = 2  # normal vertices in the queue; those from LAST on were found in this level
FRESH = 3  # delegates in the frontier
KNOWN = 4  # delegates visited before this level
DELEGATES_FOUND = 5  # by this processor in this level; others may have found the same
NAMED = 6  # normal vertices named in messages of this level
LONGEST = 7  # words of the longest of these messages
FRONTIER_EDGES = 8  # out-edges of the frontier that lie here
RECEIVED = 9  # bytes that were read of others' messages and masks, before this level's visits
NANOSECONDS = 10  # of this level
DIRECTION = 12  # one for each kind of edges
EDGES = 16  # one for each kind: edges looked at in this level

FORWARD, BACKWARD = 0, 1


def by_kind(thresholds: Thresholds[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the factors of `choose` of each kind of edges: nn edges are always visited forwards."""
    return (np.inf, *(thresholds.pull_above,) * 3), (0.0, *(thresholds.push_below,) * 3)


TO_BACKWARD, TO_FORWARD = by_kind(SEPARATED_CPU)
"""Thresholds by kind of edges: go on backwards once the forward workload exceeds so many backward ones, and forwards
once it is less than so many."""

ALWAYS_FORWARD = (np.inf,) * 4, (0.0,) * 4
"""Thresholds by kind of edges of searches without backward visits."""

NONE = np.uint32(2**32 - 1)
"""No parent yet."""

ROWS_AHEAD = 16
"""Vertices of the frontier between asking for a row's offsets and reading it."""


class Subgraphs(NamedTuple):
    """A processor's part of the graph (`DegreeSeparatedGraph`).

    Attributes
    ----------
    nn_offsets, nd_offsets, dn_offsets, dd_offsets : np.ndarray of uint32 or int64
        First edge of each row, and the last row's end.
    nn, nd, dn, dd : np.ndarray of uint32
        Destinations: own vertices from 0 and after them far ones (nn), delegates (nd, dd), own vertices (dn).
    nd_rows, dn_rows, dd_rows : np.ndarray of uint64
        Bits of the rows that are not empty.
    delegates : np.ndarray of shape (n_delegates,), uint32
        Places of the delegates.
    """

    nn_offsets: Any
    nd_offsets: Any
    dn_offsets: Any
    dd_offsets: Any
    nn: Any
    nd: Any
    dn: Any
    dd: Any
    nd_rows: Any
    dn_rows: Any
    dd_rows: Any
    delegates: Any


class Work(NamedTuple):
    """A processor's arrays in a search.

    Attributes
    ----------
    distance, parent : np.ndarray of shape (n_own,), int32 and uint32
        A parent is a place; for a vertex with a bit in ``by_message`` it is the vertex's position in ``near``.
    queue : np.ndarray of shape (n_own,), uint32
        Visited normal vertices.
    visited, by_message : np.ndarray of uint64
        Bits of own vertices: normal ones that were visited, and those that another processor named first.
    known, fresh : np.ndarray of uint64
        Bits of delegates: visited before this level, and in the frontier.
    delegate_parents : np.ndarray of shape (n_delegates,), uint32
        Parents of the delegates that this processor found, or `NONE`.
    far_parents : np.ndarray of uint32
        Parents of the far destinations that this processor named, or `NONE`.
    near : np.ndarray of uint32
        Own vertices that others may name, sender by sender; alike in all searches.
    """

    distance: Any
    parent: Any
    queue: Any
    visited: Any
    by_message: Any
    known: Any
    fresh: Any
    delegate_parents: Any
    far_parents: Any
    near: Any


@inlined
def has(bits, i):
    """Return True where bit ``i`` is set."""
    return (bits[np.uint64(i) >> np.uint64(6)] >> (np.uint64(i) & np.uint64(63))) & np.uint64(1) != np.uint64(0)


@inlined
def put(bits, i):
    """Set bit ``i``."""
    bits[np.uint64(i) >> np.uint64(6)] |= np.uint64(1) << (np.uint64(i) & np.uint64(63))


@inlined
def lowest(word):
    """Find the number of the lowest set bit."""
    return np.int64(popcount((word & (~word + np.uint64(1))) - np.uint64(1)))


@njit(nogil=True, cache=True)
def count_both(a, b):
    """Count the bits that are set in both."""
    total = np.uint64(0)
    for w in range(len(a)):
        total += popcount(a[w] & b[w])
    return np.int64(total)


@njit(nogil=True, cache=True)
def count_without(a, b):
    """Count the bits that are set in the first and not in the second."""
    total = np.uint64(0)
    for w in range(len(a)):
        total += popcount(a[w] & ~b[w])
    return np.int64(total)


@njit(nogil=True, cache=True)
def row_edges(mask, active, offsets):
    """Count the edges in the rows whose bits are set in both masks."""
    total = np.int64(0)
    for w in range(len(mask)):
        word = mask[w] & active[w]
        while word != np.uint64(0):
            r = (w << 6) + lowest(word)
            total += np.int64(offsets[r + 1]) - np.int64(offsets[r])
            word &= word - np.uint64(1)
    return total


@njit(nogil=True, cache=True)
def choose(state, kind, factors, forward, unvisited, fresh, hidden):
    """Choose the direction in which edges of a kind are visited (section IV-B), and note it in the state.

    A neighbour that was not visited before the frontier is in the frontier with probability ``fresh / (fresh +
    hidden)``, so that each unvisited vertex looks at about ``(fresh + hidden) / fresh`` neighbours until it finds one.

    Parameters
    ----------
    factors : (tuple of float, tuple of float)
        Like `TO_BACKWARD` and `TO_FORWARD`.
    forward : int
        Edges in the rows of the frontier.
    unvisited : int
        Vertices that look for parents in a backward visit.
    fresh, hidden : int
        Sources of edges of this kind that are in the frontier, and those that are not yet visited.
    """
    before = state[DIRECTION + kind]
    if fresh > 0 and unvisited > 0:
        backward = np.float64(unvisited) * np.float64(fresh + hidden) / np.float64(fresh)
        back = by_workload(before == BACKWARD, forward, backward, factors[0][kind], factors[1][kind])
        state[DIRECTION + kind] = BACKWARD if back else FORWARD
    return state[DIRECTION + kind]
