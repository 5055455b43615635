# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""State that the threads of a team share while they sweep over a whole graph; see `brandes_kernels`."""

# Used by the sweeps: keep the signatures and constants of this file.
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.betweenness import level_kernels
from lux.algorithms.betweenness.neighbour_sum_kernels import Blocks
from lux.kernels.inlined import inlined
from lux.kernels.threads import BARRIER_WORDS

AUTO, PULL, PUSH = 0, 1, 2

WRITE_COST = 3
"""Cost of an edge when one thread writes to the neighbour, relative to one that is read from, by all threads."""
TOGETHER = 1 << 14
"""Edges of a level from which on all threads work on it together. One needs 0.1 ms for fewer: threads that meet after
less than that gain little on an idle machine, and lose much where another process has one of their cores."""
BY_BLOCKS = 5
"""Time of an edge over rows relative to one in blocks: of all edges or of those that are needed."""
BLOCK = 1024
"""Vertices that a thread takes at a time where unseen ones look for predecessors: whole words of the bit set."""

# Places of the plan: what threads tell each other. All read it after a barrier.
LEVELS = 0  # levels found
UNSEEN_EDGES = 1  # in-edges of vertices that have not been seen
ENDED = 2  # the last level has no unseen successors
ANY_WIDE = 3  # some level of this source is wide
FOUND_IN, FOUND_OUT, FOUND_WIDE = 4, 5, 6  # of the vertices that threads find together: in- and out-edges, exponents
_PLAN = 7


class Rows(NamedTuple):
    """A graph's edges by destination and by source; and the same in blocks, unless there are none."""

    in_offsets: Any
    sources: Any
    out_offsets: Any
    destinations: Any
    blocks: Blocks


class Scratch(NamedTuple):
    """Scratch memory of the sweeps of one source after the other.

    Level k is ``order[starts[k] : starts[k + 1]]``. ``paths`` and ``exponents`` are the numbers of paths
    (`lux.algorithms.betweenness.path_kernels`) and, once a vertex has its dependency, (1 + dependency) / paths.
    ``values`` has those that one level shows to all neighbours, zero elsewhere. ``closed`` are the vertices that no
    edge leads to, which always count as ``seen``. Between two sources all these but ``closed`` and ``order`` are zero.
    ``sums`` are over neighbours.
    """

    paths: Any
    exponents: Any
    values: Any
    sums: Any
    closed: Any
    seen: Any
    order: Any
    found: Any
    found_in: Any
    points: Any
    starts: Any
    in_edges: Any
    out_edges: Any
    wide: Any
    plan: Any
    taken: Any
    barrier_state: Any


def scratch(n_vertices: int, id_dtype: Any, points: NDArray[np.int64]) -> Scratch:
    """Memory of a team; `prepare` it. What has one element a level is only touched as far as there are levels.

    ``points`` are the ranges of vertices that each thread writes to, about equally much work.
    """
    words = (n_vertices + 63) // 64
    return Scratch(
        paths=np.empty(n_vertices),
        exponents=np.zeros(n_vertices, np.int32),
        values=np.empty(n_vertices),
        sums=np.empty(n_vertices),
        closed=np.empty(words, np.uint64),
        seen=np.empty(words, np.uint64),
        order=np.empty(n_vertices, id_dtype),
        found=np.empty(n_vertices, id_dtype),
        found_in=np.empty(max(-(-n_vertices // BLOCK), len(points)), np.int64),
        points=np.append(points[:-1] & -64, n_vertices),  # whole words of the bit set
        starts=np.empty(n_vertices + 2, np.int64),
        in_edges=np.empty(n_vertices + 1, np.int64),
        out_edges=np.empty(n_vertices + 1, np.int64),
        wide=np.zeros(n_vertices + 1, np.bool_),
        plan=np.zeros(_PLAN, np.int64),
        taken=np.zeros(1, np.int64),
        barrier_state=np.zeros(BARRIER_WORDS, np.int64),
    )


@inlined(forceinline=False)
def part_of(me, size, a, b):
    """Return the part of ``a`` to ``b - 1`` that a thread takes where every element is the same work."""
    return a + (b - a) * me // size, a + (b - a) * (me + 1) // size


@inlined(forceinline=False)
def by_blocks(rows, edges):
    """Return True if so many edges are better read with all others, in blocks."""
    return BY_BLOCKS * edges > len(rows.blocks.packed) > 0


@inlined(forceinline=False)
def reading(rows, edges):
    """Estimate the cost of reading so many edges, in edges over rows."""
    return len(rows.blocks.packed) // BY_BLOCKS if by_blocks(rows, edges) else edges


@inlined(forceinline=False, cache=True)
def prepare(me, size, rows, work):
    """Make scratch ready for its first source."""
    n = len(work.paths)
    first, last = part_of(me, size, 0, len(work.seen))
    a, b = first << 6, min(last << 6, n)
    level_kernels.fill(a, b, work.paths)
    level_kernels.fill(a, b, work.values)
    level_kernels.mark_without_in_edges(a, b, rows.in_offsets, work.closed, work.seen)
