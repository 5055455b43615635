# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""One round of delta-stepping over partitions: reading, relaxing and publishing by a partition.

A partition's row of the board (int64) begins with a head; then come the vertices that it publishes, each with the bits
of its distance (as int64 or float64). After all rows comes a summary (`lux.runtime.exchange.BoardExchange`). A vertex
is published when it leaves its bucket: its owner has relaxed the edges inside the partition, and the other partitions
relax those that lead into them.

All partitions work on the lowest bucket of all. Edges of vertices published before may still lead to lower ones; these
are relaxed too, so a bucket takes one round where no edge crosses partitions. The next round may go back to a lower
bucket, but never below the lowest that was published: `base`, from which on buckets are in reach.
"""

from __future__ import annotations

import numpy as np

from lux.algorithms.sssp.bucket_kernels import (
    CHUNK,
    NONE,
    RELAXED,
    STARTED,
    TOP,
    Buckets,
    Distances,
    bring_near,
    bucket_of,
    clear,
    in_first,
    in_reach,
    lowest,
    new_buckets,
    put,
    release,
    slot_of,
    take,
    with_room,
)
from lux.algorithms.sssp.relax_kernels import Rows
from lux.kernels import njit
from lux.kernels.frontier import PUSH, seconds
from lux.kernels.inlined import inlined, inner
from lux.kernels.scalars import largest, like
from lux.kernels.threads import exchange, record
from lux.kernels.vertex_set import position_of

# Columns of a head.
HEAD = 8
COUNT = 0  # vertices published, in another process those that are read there
LEAST = 1  # lowest bucket among them
LOWEST = 2  # lowest bucket that has vertices waiting
ROUNDS = 3  # done
PUBLISHED = 4  # vertices published


@njit(nogil=True, error_model="numpy", cache=True)
def run(
    part, lo, source, at, a, a_bits, b, b_bits, ins, offsets, ends, weights, values, parents, unreached, inverse, marks,
    n_slots, rounds, between,
):  # fmt: skip
    """Do all rounds of partition ``part``, together with the other partitions' threads and processes; returns 0.

    ``a`` and ``b`` are both copies of the board, and ``rounds[0]`` counts the rounds. Each round is recorded: push,
    vertices published, edges relaxed, and seconds. Other parameters as of `step`.
    """
    heads, pool, links, tally = new_buckets(n_slots, parents)
    row, more, k = np.empty(4), True, 0
    while more:
        began = seconds()
        if k & 1 == 0:
            own, own_bits = b[at[part] : at[part + 1]], b_bits[at[part] : at[part + 1]]
            more, pool, links = step(
                part, lo, source, at, a, a_bits, own, own_bits, ins, offsets, ends, weights,
                values, parents, unreached, inverse, marks, heads, pool, links, tally,
            )  # fmt: skip
        else:
            own, own_bits = a[at[part] : at[part + 1]], a_bits[at[part] : at[part + 1]]
            more, pool, links = step(
                part, lo, source, at, b, b_bits, own, own_bits, ins, offsets, ends, weights,
                values, parents, unreached, inverse, marks, heads, pool, links, tally,
            )  # fmt: skip
        if more:
            row[0], row[1], row[2], row[3] = PUSH, own[PUBLISHED], tally[RELAXED], seconds() - began
            record(between, row)
            k += 1
            rounds[0] = k
            exchange(between, 1 - (k - 1 & 1))
    return 0


@njit(nogil=True, error_model="numpy", cache=True)
def step(
    part, lo, source, at, board, bits, own, own_bits, ins, offsets, ends, weights,
    values, parents, unreached, inverse, marks, heads, pool, links, tally,
):  # fmt: skip
    """Run a round of partition ``part``; returns False if the search has ended, and the grown pool and links.

    Row q of ``board`` begins at ``at[q]``, and ``own`` is the row to write; ``bits`` and ``own_bits`` are the same as
    the distances' type. Edges are by source, in rows of the members of INS. ``values``, ``parents`` and ``marks`` are
    of the partition's vertices, from ``lo`` on, and so are the vertices in its buckets.
    """
    rows, distances = Rows(offsets, ends, weights), Distances(values, parents, unreached, inverse)
    buckets = Buckets(heads, pool, links, tally)
    if not tally[STARTED]:
        _start(source, lo, distances, buckets)
    sums = at[len(at) - 1]
    minima = sums + HEAD
    published, now, base = board[sums + PUBLISHED], board[minima + LOWEST], board[minima + LEAST]
    own[COUNT], own[PUBLISHED], own[LEAST], own[LOWEST], own[ROUNDS] = 0, 0, NONE, NONE, board[at[part] + ROUNDS]
    if now == NONE and published == 0:
        return False, pool, links
    own[ROUNDS] += 1
    base = min(base, now)
    tally[RELAXED] = 0
    buckets = bring_near(base, distances, buckets)
    at_row, k, row = _next_read(0, 0, board, at, minima + HEAD, part, ins)
    while row >= 0:
        buckets = with_room(offsets[row + 1] - offsets[row], buckets)
        _relax_row(row, board[k], like(values, bits[k + 1]), lo, base, rows, distances, buckets)
        at_row, k, row = _next_read(at_row, k + 2, board, at, minima + HEAD, part, ins)
    low = lowest(base, buckets)
    now = min(low if now == NONE else now, in_reach(base, buckets))
    while low <= now and 2 * own[COUNT] < len(own) - HEAD:
        tally[TOP] = max(tally[TOP], low)
        buckets = _relax_bucket(low, base, lo, own, ins, rows, distances, marks, buckets)
        low = lowest(base, buckets)
    own[LOWEST], own[PUBLISHED] = low, own[COUNT]
    for k in range(HEAD, HEAD + 2 * own[COUNT], 2):
        i = own[k] - lo
        own_bits[k + 1], marks[i] = values[i], 0
        own[LEAST] = min(own[LEAST], bucket_of(values[i], inverse))
    return True, buckets.pool, buckets.links


@inlined
def _next_read(j, k, board, at, listed, part, ins):
    """Find the next published vertex that is read here, from word ``k`` of the board on.

    Returns the number of its board row among those listed at ``listed``, of which the search begins at the ``j``-th,
    its word, and its row of edges, -1 if there is none. (A loop that changes ``buckets`` counts references to its
    arrays in every step, and most steps find nothing.)
    """
    while j < board[listed]:
        q = board[listed + 1 + j]
        k, end = max(k, at[q] + HEAD), at[q] + HEAD + 2 * board[at[q] + COUNT]
        while k < end and q != part:
            row = board[k] if len(ins) == 0 else position_of(ins, board[k])
            if row >= 0:
                return j, k, row
            k += 2
        j += 1
        k = np.int64(0)
    return j, k, np.int64(-1)


@inlined
def _start(source, lo, distances, buckets):
    """Clear the distances, and put the source into the first bucket, if it is in this partition."""
    values, parents, unreached, _ = distances
    clear(buckets)
    buckets.tally[STARTED] = 1
    for i in range(len(values)):
        values[i], parents[i] = unreached, largest(parents)
    if lo <= source < lo + len(values):
        values[source - lo], parents[source - lo] = like(values, 0), source
        put(source - lo, np.int64(0), np.int64(0), buckets)


@inner
def _relax_bucket(bucket, base, lo, own, ins, rows, distances, marks, buckets):
    """Relax the edges inside the partition from ``bucket`` until its list is empty or the board's row is full.

    The vertices are added to the row; their distances are not final before the round ends. Returns the buckets.
    """
    slot, values, full = slot_of(bucket, buckets), distances.values, False
    while buckets.heads[2 * slot + 1] and not full:
        chunk, count = take(slot, buckets)
        while count > 0:
            first, last = chunk * CHUNK, chunk * CHUNK + in_first(count)
            count -= last - first
            while first < last and not full:
                i = np.int64(buckets.pool[first])
                wanted = bucket_of(values[i], distances.inverse) == bucket
                full = wanted and not marks[i] and HEAD + 2 * own[COUNT] + 1 >= len(own)
                if full:
                    continue
                first += 1
                if wanted and not marks[i]:
                    marks[i], own[HEAD + 2 * own[COUNT]] = 1, lo + i
                    own[COUNT] += 1
                row = lo + i if len(ins) == 0 else position_of(ins, lo + i)
                if wanted and row >= 0:
                    buckets = with_room(rows.offsets[row + 1] - rows.offsets[row], buckets)
                    _relax_row(row, lo + i, values[i], lo, base, rows, distances, buckets)
            if first < last:
                buckets = with_room(CHUNK, buckets)
            for k in range(first, last):
                put(buckets.pool[k], bucket, base, buckets)
            chunk = release(chunk, buckets)
    return buckets


@inlined
def _relax_row(row, u, start, lo, base, rows, distances, buckets):
    """Relax the edges from ``u``; there must be room to put all their ends into buckets, from ``base`` on.

    A vertex that waits in a bucket after all that were ever worked on need not be put there again.
    """
    offsets, ends, weights = rows
    values, parents, unreached, inverse = distances
    first = offsets[0]
    buckets.tally[RELAXED] += offsets[row + 1] - offsets[row]
    for e in range(np.uint64(offsets[row] - first), np.uint64(offsets[row + 1] - first)):
        i = np.int64(ends[e]) - lo
        distance = start + like(values, weights[e])
        before = values[i]
        if distance > before:
            continue
        parent = u if start < distance else np.int64(largest(parents))
        if distance == before:
            parents[i] = min(np.int64(parents[i]), parent)
            continue
        values[i], parents[i] = distance, parent
        k = bucket_of(distance, inverse)
        if not (k > buckets.tally[TOP] and before < unreached and bucket_of(before, inverse) == k):
            put(i, k, base, buckets)


@njit(nogil=True, cache=True)
def finish(values, parents, unreached, distance, parent):
    """Write a partition's answers as users see them; returns how many reached vertices have no parent.

    Vertices that are ``unreached`` get the largest distance, and no parent.
    """
    none, left = largest(parents), 0
    for i in range(len(values)):
        reached = values[i] < unreached
        distance[i] = values[i] if reached else largest(distance)
        parent[i] = parents[i] if reached else none
        left += reached and parents[i] == none
    return left
