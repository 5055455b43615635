# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Shortest paths by the threads of one task: buckets that are pushed, and sweeps that pull.

Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm", 2003. Each thread has the buckets of
its own vertices (`lux.kernels.thread_mailboxes`), and before the threads meet, each goes on until its current bucket is
empty ("bucket fusion" in Zhang et al., "Optimizing ordered graph algorithms with GraphIt", CGO 2020).

Where a bucket's vertices have many of the graph's edges, all vertices whose distance may still fall look among their
own edges instead (as in Chakaravarthy et al., "Scalable single source shortest path algorithms for massively parallel
systems", IPDPS 2014). Such a sweep looks at few edges: those whose weight, added to the distance of the nearest vertex
that changed in the sweep before, is less than what the vertex has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.algorithms.sssp.bucket_kernels import (
    CHUNK,
    NONE,
    RELAXED,
    Distances,
    bring_near,
    bucket_of,
    clear,
    in_first,
    lowest,
    new_buckets,
    put,
    slot_of,
    with_room,
)
from lux.algorithms.sssp.by_weight_kernels import CHANGED, CHANGED_EDGES, sweep
from lux.algorithms.sssp.relax_kernels import Rows, receive, relax_bucket
from lux.kernels import njit
from lux.kernels.frontier import PULL, PUSH, STATISTICS_COLUMNS, note, seconds
from lux.kernels.inlined import inlined, inner
from lux.kernels.scalars import largest, like
from lux.kernels.thread_mailboxes import LINE, Mailboxes, empty_boxes, own_blocks
from lux.kernels.threads import BARRIER_WORDS, atomic_add, barrier, peek

GRAIN = 4096
"""Vertices of a sweep that a thread takes at a time."""

# The threads' messages to one another (int64).
NEXT = BARRIER_WORDS  # vertex of a sweep, in a line of its own; two of them, used in parity
ROUNDS = NEXT + 2 * LINE  # done so far
EACH = ROUNDS + LINE  # from here on, two lines for each thread, used in parity
LOWEST, VERTICES, EDGES, DONE, SWEPT, SWEPT_EDGES = range(6)


class Team(NamedTuple):
    """The arrays that threads share, besides `lux.kernels.thread_mailboxes.Mailboxes`.

    Attributes
    ----------
    control : np.ndarray of shape (EACH + 2 * size * LINE,), int64
        Zero at first.
    nearest : np.ndarray of shape (2 * size * LINE,)
        The least distance that each thread changed in a sweep.
    marks : np.ndarray of shape (n_vertices,), uint8
        Zero at first.
    """

    control: Any
    nearest: Any
    marks: Any


@njit(nogil=True, error_model="numpy", cache=True)
def search(
    source, target, out_offsets, destinations, out_weights, in_offsets, sources, in_weights, least,
    values, parents, unreached, inverse, slots, pull_above, check, control, nearest, marks,
    me, size, shift, owners, room, message_ids, message_distances, message_parents, counts,
):  # fmt: skip
    """Search as thread ``me`` of ``size``; returns the thread's statistics, a row for each round.

    The search ends when all vertices as near as the place ``target`` are settled, if that is not negative, and farther
    ones count as unreached. ``slots`` is the number of buckets in reach, a power of two. Where the vertices of a bucket
    have more than ``pull_above`` out-edges, the threads sweep over the in-edges; ``least`` is as in `sweep`. The other
    arguments are the attributes of the tuples that follow. (Numba's cache on disk outlives changes of a tuple, so none
    is passed.)
    """
    out_rows, in_rows = Rows(out_offsets, destinations, out_weights), Rows(in_offsets, sources, in_weights)
    distances, team = Distances(values, parents, unreached, inverse), Team(control, nearest, marks)
    mailboxes = Mailboxes(me, size, shift, owners, room, message_ids, message_distances, message_parents, counts)
    buckets = new_buckets(slots, mailboxes.ids)
    most = _begin(source, out_rows.offsets, distances, mailboxes, buckets)
    rows, rounds = np.empty(64 * STATISTICS_COLUMNS), 0
    bucket, pulled = np.int64(0), False
    while True:
        began = seconds()
        if me == 0:
            control[ROUNDS] = rounds
        _report(bucket, out_rows.offsets, most, pull_above, distances, team, mailboxes, buckets)
        barrier(control, size)
        bucket, vertices, edges = _agree(team, mailboxes)
        if bucket == NONE or _is_settled(target, bucket, distances):
            break
        if edges > pull_above:
            pulled = True
            clear(buckets)
            # No waiting vertex is nearer than the bucket's lower end; a little less, for the sake of rounding.
            lowest_changed, sweeps = like(values, bucket / distances.inverse * (1 - 1e-6)), 0
            while sweeps == 0 or edges > pull_above:
                sweeps += 1
                found, changed, changed_edges = _sweep(
                    sweeps, lowest_changed, out_rows.offsets, in_rows, least, distances, team, mailboxes
                )
                rows = note(rows, rounds, PULL, vertices, edges, began)
                rounds += 1
                lowest_changed, vertices, edges, began = found, changed, changed_edges, seconds()
            if changed:
                bucket = bucket_of(lowest_changed, distances.inverse)
                buckets = _put_marked(sweeps & 255, bucket, distances, team, mailboxes, buckets)
            continue
        buckets = bring_near(bucket, distances, buckets)
        empty_boxes(mailboxes)
        buckets = relax_bucket(bucket, pull_above // size, not pulled, out_rows, distances, mailboxes, buckets)
        control[EACH + mailboxes.me * 2 * LINE + DONE] = buckets.tally[RELAXED]
        rows = note(rows, rounds, PUSH, vertices, 0, began)
        barrier(control, size)
        for other in range(size):
            rows[rounds * STATISTICS_COLUMNS + 2] += control[EACH + other * 2 * LINE + DONE]
        rounds += 1
        buckets = receive(bucket, distances, mailboxes, buckets)
    return rows[: rounds * STATISTICS_COLUMNS], _finish(target, in_rows, distances, check, mailboxes)


@inner
def _begin(source, offsets, distances, mailboxes, buckets):
    """Clear the distances, and put the source into the first bucket; returns the largest out-degree here."""
    values, most = distances.values, np.int64(0)
    firsts, ends = own_blocks(len(values), mailboxes)
    for block in range(len(firsts)):
        for v in range(firsts[block], ends[block]):
            values[v], distances.parents[v] = distances.unreached, largest(distances.parents)
            most = max(most, offsets[v + 1] - offsets[v])
    if mailboxes.owners[source >> mailboxes.shift] == mailboxes.me:
        values[source], distances.parents[source] = like(values, 0), source
        put(source, np.int64(0), np.int64(0), buckets)
    return most


@inlined
def _is_settled(target, bucket, distances):
    """Tell whether the target lies in a bucket before the lowest; threads that are ahead lower no distance so far."""
    if target < 0:
        return False
    found = peek(distances.values, target)
    return found < distances.unreached and bucket_of(found, distances.inverse) < bucket


@inlined
def _report(bucket, offsets, most, pull_above, distances, team, mailboxes, buckets):
    """Report the lowest bucket of this thread, its vertices, and their out-edges if they may be many."""
    heads, mine = buckets.heads, EACH + mailboxes.me * 2 * LINE
    low = lowest(bucket, buckets)
    slots = len(heads) // 2 - 1
    slot = slot_of(low, buckets) if low < bucket + slots else slots
    chunk, count = heads[2 * slot], heads[2 * slot + 1]
    team.control[mine + LOWEST], team.control[mine + VERTICES] = low, count
    edges, counted = np.int64(0), slot < slots and count * most * mailboxes.size > pull_above
    while counted and count > 0:
        held = in_first(count)
        for i in range(chunk * CHUNK, chunk * CHUNK + held):
            v = np.int64(buckets.pool[i])
            if bucket_of(distances.values[v], distances.inverse) == low:
                edges += offsets[v + 1] - offsets[v]
        count -= held
        chunk = buckets.links[chunk]
    team.control[mine + EDGES] = edges


@inlined
def _agree(team, mailboxes):
    """Find the lowest bucket of all threads, its vertices, and their out-edges as far as they were counted."""
    bucket, vertices, edges = np.int64(NONE), np.int64(0), np.int64(0)
    for other in range(EACH, EACH + mailboxes.size * 2 * LINE, 2 * LINE):
        bucket = min(bucket, team.control[other + LOWEST])
    for other in range(EACH, EACH + mailboxes.size * 2 * LINE, 2 * LINE):
        if team.control[other + LOWEST] == bucket:
            vertices += team.control[other + VERTICES]
            edges += team.control[other + EDGES]
    return bucket, vertices, edges


@inner
def _sweep(number, nearest, out_offsets, in_rows, least, distances, team, mailboxes):
    """Sweep once over all vertices; returns the least changed distance, how many changed, and their out-edges."""
    control, n, parity = team.control, len(distances.values), number & 1
    tally, found = np.zeros(2, np.int64), distances.unreached
    i = atomic_add(control, NEXT + parity * LINE, GRAIN)
    while i < n:
        end = min(i + GRAIN, n)
        lowered = sweep(i, end, nearest, number & 255, in_rows, least, out_offsets, distances, team.marks, tally)
        found = min(found, lowered)
        i = atomic_add(control, NEXT + parity * LINE, GRAIN)
    mine = (2 * mailboxes.me + parity) * LINE
    team.nearest[mine] = found
    control[EACH + mine + SWEPT], control[EACH + mine + SWEPT_EDGES] = tally[CHANGED], tally[CHANGED_EDGES]
    barrier(control, mailboxes.size)
    if mailboxes.me == 0:
        control[NEXT + parity * LINE] = 0
    changed, edges = np.int64(0), np.int64(0)
    for other in range(parity * LINE, 2 * mailboxes.size * LINE, 2 * LINE):
        found = min(found, team.nearest[other])
        changed += control[EACH + other + SWEPT]
        edges += control[EACH + other + SWEPT_EDGES]
    return found, changed, edges


@inner
def _put_marked(number, bucket, distances, team, mailboxes, buckets):
    """Put this thread's vertices that the last sweep changed into its buckets, which are empty; returns the buckets.

    After many sweeps a mark may be an old one: its vertex is then relaxed in vain.
    """
    firsts, ends = own_blocks(len(distances.values), mailboxes)
    for block in range(len(firsts)):
        buckets = with_room(ends[block] - firsts[block], buckets)
        for v in range(firsts[block], ends[block]):
            if team.marks[v] == number:
                k = bucket_of(distances.values[v], distances.inverse)
                if k >= bucket:
                    put(v, k, bucket, buckets)
    return buckets


@inner
def _finish(target, in_rows, distances, check, mailboxes):
    """Give unreached vertices the largest distance; returns how many others have no parent yet, or -1.

    Vertices that are farther than a reached target become unreached, too.

    -1, with ``check``: an edge leads from a reached vertex to an unreached one, so a path is too long for the type.
    """
    values, parents, unreached, _ = distances
    left, none, far = np.int64(0), largest(parents), largest(values)
    most = peek(values, target) if target >= 0 else far
    check = check and most >= unreached
    firsts, ends = own_blocks(len(values), mailboxes)
    for block in range(len(firsts)):
        for v in range(firsts[block], ends[block]):
            if values[v] < unreached and values[v] <= most:
                left += parents[v] == none
                continue
            if check:
                for e in range(in_rows.offsets[v], in_rows.offsets[v + 1]):
                    if peek(values, np.int64(in_rows.ends[e])) < unreached:
                        return np.int64(-1)
            values[v], parents[v] = far, none
    return left
