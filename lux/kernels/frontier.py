# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The frontier: each partition's active vertices as a sparse queue or, when there are many, as a bitmap.

Partition q owns words ``word_at[q]`` to ``word_at[q + 1] - 1`` (uint64) of one store. The words hold a bitmap (bit i
stands for vertex ``points[q] + i``) or, seen as ids from index ``queue_at[q]`` on, a queue in any order: 32-bit ids of
1/32 of the vertices need as much memory as the bitmap. The partition's row of the state says which, and how many
vertices are active.
"""

# Generated kernels are written against the signatures and constants of this file.
from __future__ import annotations

import numpy as np

from lux.kernels.deferred import Deferred, arrayobj, cgutils, intrinsic, ir, njit, types
from lux.kernels.inlined import inlined, inner

# Columns of a state row (int64), one row a partition.
STATE_COLUMNS = 16
ITERATIONS = 0  # iterations done
FINISHED = 1  # RUNNING, CONVERGED or STOPPED
ACTIVE = 2  # active vertices of the partition
ACTIVE_EDGES = 3  # out-edges of the active vertices in the whole graph
FORM = 4  # QUEUE, BITMAP, EVERY or LISTED + k
MODEL = 5  # PULL or PUSH, in the last iteration (or as `lux.codegen.direction` says)
NANOSECONDS = 6  # of a usual iteration of the partition (`smoothed_seconds`); 0 before the first
VISITED = 7  # vertices of all partitions active until the last iteration, where directions are estimated
# In rows that are heads of messages between GPUs (``messages.cuh``), instead of the last two:
SENT = 6  # vertices whose values follow, and in the lowest two bits the encoding
SENT_WORDS = 7  # words of the message, its head included
TOTALS = 8  # from here on: the partition's share of the program's aggregates, as float64
MAX_TOTALS = STATE_COLUMNS - TOTALS

RUNNING, CONVERGED, STOPPED = 0, 1, 2
QUEUE, BITMAP, EVERY = 0, 1, 2
LISTED = 3  # LISTED + k: a queue of k of the active vertices, those of another process that this one reads
PULL, PUSH = 1, 2

# Columns of a statistics row (float64), one row an iteration.
STATISTICS_COLUMNS = 4  # model, active vertices, their out-edges, seconds

PREFETCH_DISTANCE = 16
"""Rows between requesting a row of edges and reading it, in loops that leave rows early."""

ROWS_AHEAD = 8
"""Prefetch distance of the rows of a frontier's vertices, whose offsets are requested first."""

CANDIDATES = 4096
"""Vertices that are searched for candidates at a time: their list stays in the first-level cache."""


def words_for(n: int) -> int:
    """Return the words of a partition of ``n`` vertices: its bitmap fits, and a queue of 64 32-bit ids."""
    return max(-(-n // 64), min(32, -(-n // 2)))


@intrinsic
def popcount(context, word):
    """Count the set bits of a uint64."""

    def build(ctx, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), build


@intrinsic
def prefetch(context, array, index):
    """Request the cache line of an array's element before it is read."""

    def build(ctx, builder, signature, args):
        data = arrayobj.make_array(signature.args[0])(ctx, builder, args[0]).data
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.VoidType(), [byte, number, number, number]), "llvm.prefetch.p0"
        )
        place = builder.bitcast(builder.gep(data, [args[1]]), byte)
        builder.call(function, [place, number(0), number(3), number(1)])  # to read, keep, data
        return ctx.get_dummy_value()

    return types.none(array, types.intp), build


_clock_gettime = Deferred(lambda: types.ExternalFunction("clock_gettime", types.int32(types.int32, types.uintp)))


@inner
def seconds():
    """Read CLOCK_MONOTONIC, in seconds."""
    time = np.empty(2, np.int64)
    _clock_gettime(np.int32(1), time.ctypes.data)
    return time[0] + 1e-9 * time[1]


@inlined
def smoothed_seconds(before, took):
    """Smooth the time of an iteration by one more that took ``took``; both in nanoseconds.

    Interference only adds time: the smoothed time falls at once and rises by a quarter at most.
    """
    return took if before == 0 else min(took, before + before // 4)


@inner
def note(rows, rounds, model, vertices, edges, began):
    """Write the statistics of a round into ``rows``; returns the rows, which may have grown."""
    at = rounds * STATISTICS_COLUMNS
    if at == len(rows):
        rows = np.concatenate((rows, rows))
    rows[at], rows[at + 1], rows[at + 2], rows[at + 3] = model, vertices, edges, seconds() - began
    return rows


@inlined
def first_to_add(state, points):
    """Return the first of the rows, to the last one, that add up to all partitions' numbers.

    Where partitions run in one launch of many iterations, a row after theirs has the sums (``fields_exchange.cc``).
    """
    rows = len(state) // STATE_COLUMNS
    return rows - 1 if rows == len(points) else 0


@inlined
def has_bit(bits, u):
    """Tell whether bit ``u`` of a bit set is set."""
    return (bits[u >> np.uint64(6)] >> (np.uint64(u) & np.uint64(63))) & np.uint64(1) != np.uint64(0)


@inlined
def local_id(ins, u):
    """Return the position of ``u`` in a set of vertices as a bitmap, or -1.

    ``ins[2 w]`` has the bits of vertices 64 w to 64 w + 63, ``ins[2 w + 1]`` counts the members before them.
    """
    w = (np.uint64(u) >> np.uint64(6)) << np.uint64(1)
    bit = np.uint64(1) << (np.uint64(u) & np.uint64(63))
    if ins[w] & bit == np.uint64(0):
        return np.int64(-1)
    return np.int64(ins[w + np.uint64(1)]) + np.int64(popcount(ins[w] & (bit - np.uint64(1))))


@njit(nogil=True, cache=True)
def publish(members, count, lo, queue, bits):
    """Write a partition's active vertices (``members[:count]``, local) to its queue or bitmap; return the form."""
    if count <= len(queue):
        for k in range(count):
            queue[k] = lo + np.int64(members[k])
        return QUEUE
    bits[:] = 0
    for k in range(count):
        i = np.uint64(members[k])
        bits[i >> np.uint64(6)] |= np.uint64(1) << (i & np.uint64(63))
    return BITMAP


@inlined
def queued(state, row):
    """Return the length of the queue of a partition, whose state begins at ``row``; -1 if it has another form."""
    form = state[row + FORM]
    if form == QUEUE:
        return state[row + ACTIVE]
    return form - LISTED if form >= LISTED else np.int64(-1)


@inlined
def append_members(part, state, points, queue_at, word_at, queue, bits, out, at):
    """Write partition ``part``'s active vertices, as far as they are read, to ``out[at:]``; return where they end."""
    row = part * STATE_COLUMNS
    count = queued(state, row)
    if count >= 0:
        for k in range(count):
            out[at + k] = queue[queue_at[part] + k]
        return at + count
    if state[row + FORM] == EVERY:
        for v in range(points[part], points[part + 1]):
            out[at] = v
            at += 1
        return at
    for w in range(word_at[part], word_at[part] + ((points[part + 1] - points[part] + 63) >> 6)):
        word = bits[w]
        base = points[part] + ((w - word_at[part]) << 6)
        while word != np.uint64(0):
            low = word & (~word + np.uint64(1))
            out[at] = base + np.int64(popcount(low - np.uint64(1)))
            at += 1
            word ^= low
    return at


@njit(nogil=True, cache=True)
def members_of(part, state, points, queue_at, word_at, queue, bits, out):
    """Write partition ``part``'s active vertices (dense ids) to ``out``, as far as they are read; return how many."""
    return append_members(part, state, points, queue_at, word_at, queue, bits, out, 0)


@njit(nogil=True, cache=True)
def all_members(state, points, queue_at, word_at, queue, bits, out):
    """Return every partition's active vertices, one after the other."""
    total = np.int64(0)
    for part in range(len(points) - 1):
        if state[part * STATE_COLUMNS + ACTIVE] != 0:
            total = append_members(part, state, points, queue_at, word_at, queue, bits, out, total)
    return total


@njit(nogil=True, cache=True)
def frontier_bits(state, points, queue_at, word_at, queue, bits):
    """Return the whole frontier as one bit set over the dense ids."""
    n = points[-1]
    out = np.zeros((n >> 6) + 2, np.uint64)
    for part in range(len(points) - 1):
        row = part * STATE_COLUMNS
        first = points[part]
        if state[row + ACTIVE] == 0:
            continue
        count = queued(state, row)
        if count >= 0:
            for k in range(queue_at[part], queue_at[part] + count):
                u = np.uint64(queue[k])
                out[u >> np.uint64(6)] |= np.uint64(1) << (u & np.uint64(63))
        elif state[row + FORM] == BITMAP:
            shift = np.uint64(first & 63)
            for w in range(word_at[part], word_at[part] + ((points[part + 1] - first + 63) >> 6)):
                at = (first >> 6) + w - word_at[part]
                out[at] |= bits[w] << shift
                if shift != np.uint64(0):
                    out[at + 1] |= bits[w] >> (np.uint64(64) - shift)
        else:
            for u in range(first, points[part + 1]):
                out[u >> 6] |= np.uint64(1) << np.uint64(u & 63)
    return out


@inlined
def first_from(neighbours, first, end, vertex):
    """Find the first of a row's ascending neighbours that is not below ``vertex``."""
    while first < end:
        middle = (first + end) >> 1
        if np.int64(neighbours[middle]) < vertex:
            first = middle + 1
        else:
            end = middle
    return first
