# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Per-level steps of Brandes' forward and backward sweeps; see `lux.algorithms.betweenness.brandes_kernels`.

Plain arrays in: passed on in a tuple, each call would count references to all of them.
"""

# Called by `lux.algorithms.betweenness.brandes_kernels`: keep the signatures of this file.
from __future__ import annotations

import numpy as np

from lux.algorithms.betweenness.path_kernels import add, gather, gather_quotients, gather_wide, normal
from lux.kernels.frontier import PREFETCH_DISTANCE, first_from, has_bit, popcount, prefetch
from lux.kernels.inlined import inlined


@inlined(forceinline=False)
def push(order, a, b, offsets, neighbours, seen, paths):
    """Add the paths of ``order[a:b]`` to unseen successors, appended to ``order`` from ``b`` on; return the end."""
    n = b
    for k in range(a, b):
        if k + PREFETCH_DISTANCE < b:
            prefetch(neighbours, offsets[order[k + PREFETCH_DISTANCE]])
        u = order[k]
        m = paths[u]
        for j in range(np.uint64(offsets[u]), np.uint64(offsets[u + 1])):
            v = neighbours[j]
            if not has_bit(seen, v):
                before = paths[v]
                paths[v] = before + m
                if before == 0.0:
                    order[n] = v
                    n += 1
    return n


@inlined(forceinline=False)
def push_into(lo, hi, order, a, b, offsets, neighbours, seen, paths, found):
    """`push` to the successors from ``lo`` to ``hi - 1`` only, which are written to ``found`` from ``lo`` on."""
    n = lo
    for k in range(a, b):
        u = order[k]
        m = paths[u]
        j = np.uint64(first_from(neighbours, offsets[u], offsets[u + 1], lo))
        end = np.uint64(offsets[u + 1])
        while j < end and np.int64(neighbours[j]) < hi:
            v = neighbours[j]
            if not has_bit(seen, v):
                before = paths[v]
                paths[v] = before + m
                if before == 0.0:
                    found[n] = v
                    n += 1
            j += np.uint64(1)
    return n - lo


@inlined(forceinline=False)
def push_wide(order, a, b, offsets, neighbours, seen, paths, exponents):
    """`push` of numbers with exponents."""
    n = b
    for k in range(a, b):
        if k + PREFETCH_DISTANCE < b:
            prefetch(neighbours, offsets[order[k + PREFETCH_DISTANCE]])
        u = order[k]
        m, e = paths[u], exponents[u]
        for j in range(np.uint64(offsets[u]), np.uint64(offsets[u + 1])):
            v = neighbours[j]
            if not has_bit(seen, v):
                if paths[v] == 0.0:
                    order[n] = v
                    n += 1
                    paths[v], exponents[v] = m, e
                else:
                    paths[v], exponents[v] = add(paths[v], exponents[v], m, e)
    return n


@inlined(forceinline=False)
def mark_visited(order, a, b, in_offsets, out_offsets, seen, paths):
    """Mark vertices as seen; return the sums of their in- and out-degrees and the largest number of paths."""
    in_edges, out_edges, most = np.int64(0), np.int64(0), 0.0
    for k in range(a, b):
        v = np.uint64(order[k])
        seen[v >> np.uint64(6)] |= np.uint64(1) << (v & np.uint64(63))
        in_edges += in_offsets[v + np.uint64(1)] - in_offsets[v]
        out_edges += out_offsets[v + np.uint64(1)] - out_offsets[v]
        most = max(most, paths[v])
    return in_edges, out_edges, most


@inlined(forceinline=False)
def normalise(order, a, b, paths, exponents):
    """Bring sums into normal form; return whether any has an exponent."""
    wide = False
    for k in range(a, b):
        v = order[k]
        paths[v], exponents[v] = normal(paths[v], exponents[v])
        wide |= exponents[v] > 0
    return wide


@inlined
def list_unvisited(lo, hi, bits, out):
    """Write the vertices ``lo`` (a multiple of 64) to ``hi - 1`` whose bit is 0 to ``out`` from ``lo`` on; count."""
    n = lo
    for word in range(lo >> 6, (hi + 63) >> 6):
        rest = ~bits[word]
        while rest != np.uint64(0):
            low = rest & (~rest + np.uint64(1))
            v = (word << 6) + np.int64(popcount(low - np.uint64(1)))
            if v >= hi:
                break
            out[n] = v
            n += 1
            rest ^= low
    return n - lo


@inlined(forceinline=False)
def pull(lo, hi, wide, summed, in_offsets, sources, out_offsets, values, sums, seen, paths, exponents, found):
    """Let the unseen of vertices ``lo`` (a multiple of 64) to ``hi - 1`` sum over their predecessors.

    Those with paths are written to ``found`` from ``lo`` on, ascending. Returns their number, their in- and
    out-edges, and whether any number has an exponent. The rows lie anywhere, so they are asked for ahead; where they
    are ``summed`` already, the ``sums`` are taken.
    """
    end = lo + list_unvisited(lo, hi, seen, found)
    at, in_edges, out_edges, any_wide = lo, np.int64(0), np.int64(0), False
    for k in range(lo, end):
        if k + PREFETCH_DISTANCE < end and not summed:
            prefetch(sources, in_offsets[found[k + PREFETCH_DISTANCE]])
        v = np.uint64(found[k])
        first, stop = np.uint64(in_offsets[v]), np.uint64(in_offsets[v + np.uint64(1)])
        if summed:
            m, e = normal(sums[v], np.int32(0))
        elif wide:
            m, e = gather_wide(values, exponents, sources, first, stop)
        else:
            m, e = normal(gather(values, sources, first, stop), np.int32(0))
        if m != 0.0:
            paths[v] = m
            if e > 0:
                exponents[v] = e
                any_wide = True
            seen[v >> np.uint64(6)] |= np.uint64(1) << (v & np.uint64(63))
            found[at] = v
            at += 1
            in_edges += np.int64(stop - first)
            out_edges += out_offsets[v + np.uint64(1)] - out_offsets[v]
    return at - lo, in_edges, out_edges, any_wide


@inlined(forceinline=False)
def publish_values(order, a, b, paths, values):
    """Let neighbours read what vertices have in ``paths``."""
    for k in range(a, b):
        values[order[k]] = paths[order[k]]


@inlined(forceinline=False)
def clear_values(order, a, b, values):
    """Clear the values that `publish_values` has written."""
    for k in range(a, b):
        values[order[k]] = 0.0


@inlined(forceinline=False)
def accumulate_last(order, a, b, paths, one, scores):
    """`accumulate` of vertices without successors: their dependency is 0."""
    for k in range(a, b):
        v = order[k]
        paths[v] = 1.0 / paths[v]
        scores[v] += one


@inlined(forceinline=False)
def accumulate(order, a, b, offsets, neighbours, values, paths, one, scores):
    """Add dependencies, with ``one`` each, to the scores, and leave in ``paths`` what predecessors need of them.

    The next level's vertices have written ``values``.
    """
    for k in range(a, b):
        u = order[k]
        m = paths[u]
        delta = m * gather(values, neighbours, np.uint64(offsets[u]), np.uint64(offsets[u + 1]))
        scores[u] += delta + one
        paths[u] = (1.0 + delta) / m


@inlined(forceinline=False)
def accumulate_wide(order, a, b, offsets, neighbours, values, paths, exponents, one, scores):
    """`accumulate` with exponents."""
    for k in range(a, b):
        u = order[k]
        m = paths[u]
        first, end = np.uint64(offsets[u]), np.uint64(offsets[u + 1])
        delta = gather_quotients(values, exponents, neighbours, first, end, m, exponents[u])
        scores[u] += delta + one
        paths[u] = (1.0 + delta) / m


@inlined(forceinline=False)
def publish_dependencies(order, a, b, paths, values):
    """Let predecessors read what vertices have left in ``paths``, which is cleared."""
    for k in range(a, b):
        values[order[k]] = paths[order[k]]
        paths[order[k]] = 0.0


@inlined(forceinline=False)
def scatter(order, a, b, offsets, neighbours, paths, sums):
    """Add what vertices have left in ``paths`` to the sums of all predecessors."""
    for k in range(a, b):
        if k + PREFETCH_DISTANCE < b:
            prefetch(neighbours, offsets[order[k + PREFETCH_DISTANCE]])
        v = order[k]
        share = paths[v]
        for j in range(np.uint64(offsets[v]), np.uint64(offsets[v + 1])):
            sums[neighbours[j]] += share


@inlined(forceinline=False)
def unscatter(order, a, b, offsets, neighbours, sums):
    """Take back what `scatter` has added."""
    for k in range(a, b):
        v = order[k]
        for j in range(np.uint64(offsets[v]), np.uint64(offsets[v + 1])):
            sums[neighbours[j]] = 0.0


@inlined(forceinline=False)
def accumulate_scattered(order, a, b, sums, paths, one, scores):
    """`accumulate` from the sums of `scatter`."""
    for k in range(a, b):
        u = order[k]
        m = paths[u]
        delta = m * sums[u]
        scores[u] += delta + one
        paths[u] = (1.0 + delta) / m


@inlined(forceinline=False)
def reset(order, a, b, closed, seen, values):
    """Make vertices unseen again, unless they always count as seen, and clear their values."""
    for k in range(a, b):
        v = np.uint64(order[k])
        values[v] = 0.0
        seen[v >> np.uint64(6)] = closed[v >> np.uint64(6)]


@inlined(forceinline=False)
def reset_exponents(order, a, b, exponents):
    """Set the exponents of a wide level back to zero."""
    for k in range(a, b):
        exponents[order[k]] = 0


@inlined(forceinline=False)
def mark_without_in_edges(lo, hi, in_offsets, closed, seen):
    """Set the bits of vertices ``lo`` (a multiple of 64) to ``hi - 1`` that no edge leads to: no pull looks at them."""
    for word in range(lo >> 6, (hi + 63) >> 6):
        bits = np.uint64(0)
        for v in range(word << 6, min((word << 6) + 64, hi)):
            bits |= np.uint64(in_offsets[v] == in_offsets[v + 1]) << np.uint64(v & 63)
        closed[word] = seen[word] = bits


@inlined(forceinline=False)
def fill(a, b, values):
    """Clear elements ``a`` to ``b - 1``."""
    for k in range(a, b):
        values[k] = 0.0
