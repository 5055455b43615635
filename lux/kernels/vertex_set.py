# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sets of vertices, such as a partition's INS: a bitmap or a sorted list, whichever is shorter.

A set is an array of uint64. After its head come, of a bitmap, two words for each 64 vertices from the first member to
the last: their bits, and how many members are before them. Of a list there are 32-bit numbers: for each bucket of
2^shift vertices the position of its first member, the number of members, and the lower bits of each member. There are
at most as many buckets as members, so a member is found in a step or two, and takes eight bytes at most, whatever the
number of vertices.
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.frontier import popcount
from lux.kernels.inlined import inlined, inner

# Words of the head.
HEAD = 4
SHIFT = 0  # log2 of the vertices of a bucket; BITMAP
FIRST = 1  # the first member
SPAN = 2  # vertices from the first member to the last, both counted; 0 if there are none
SIZE = 3  # members

BITMAP = 64
MOST_SHIFT = 32
EACH_BITMAP = 64
"""Vertices for each given one up to which a bitmap is made first: in time that the given ones take anyway."""


@njit(nogil=True, cache=True)
def vertex_set(vertices):
    """Make the set of some vertices, in any order and with repetitions."""
    n = len(vertices)
    if n == 0:
        return np.zeros(HEAD, np.uint64)
    first, last = np.uint64(vertices[0]), np.uint64(vertices[0])
    for k in range(1, n):
        v = np.uint64(vertices[k])
        first, last = min(first, v), max(last, v)
    span = last - first + np.uint64(1)
    if span > np.uint64(EACH_BITMAP) * np.uint64(n):
        members = np.empty(n, np.uint64)
        for k in range(n):
            members[k] = np.uint64(vertices[k]) - first
        members.sort()
        size = 1
        for k in range(1, n):
            if members[k] != members[size - 1]:
                members[size] = members[k]
                size += 1
        return _listed(members[:size], first, span)
    words = _bitmap_words(span)
    pairs = np.zeros(HEAD + words, np.uint64)
    for k in range(n):
        d = np.uint64(vertices[k]) - first
        pairs[np.uint64(HEAD) + ((d >> np.uint64(6)) << np.uint64(1))] |= np.uint64(1) << (d & np.uint64(63))
    total = np.uint64(0)
    for w in range(HEAD, HEAD + words, 2):
        pairs[w + 1] = total
        total += np.uint64(popcount(pairs[w]))
    pairs[SHIFT], pairs[FIRST], pairs[SPAN], pairs[SIZE] = np.uint64(BITMAP), first, span, total
    if words <= _list_words(np.int64(total), span):
        return pairs
    members = np.empty(np.int64(total), np.uint64)
    list_members(pairs, members)
    for k in range(len(members)):
        members[k] -= first
    return _listed(members, first, span)


@inlined
def _bitmap_words(span):
    return np.int64((span + np.uint64(63)) >> np.uint64(6)) << 1


@inlined
def _shift_of(size, span):
    """Return log2 of a bucket's vertices: as few as give no more buckets than there are members."""
    shift = np.uint64(0)
    while shift < np.uint64(MOST_SHIFT) and (span - np.uint64(1)) >> shift >= np.uint64(size):
        shift += np.uint64(1)
    return shift


@inlined
def _buckets(shift, span):
    return np.int64((span - np.uint64(1)) >> shift) + 1


@inlined
def _list_words(size, span):
    return (_buckets(_shift_of(size, span), span) + 1 + size + 1) >> 1


@inlined
def _item(words, k):
    """Return the 32-bit number at a position after the head."""
    return (words[HEAD + (k >> 1)] >> np.uint64((k & 1) << 5)) & np.uint64(0xFFFFFFFF)


@inlined
def _put(words, k, value):
    """Write a 32-bit number at a position after the head, where there is 0."""
    words[HEAD + (k >> 1)] |= value << np.uint64((k & 1) << 5)


@inner
def _listed(members, first, span):
    """Make a list of rising members, counted from the first."""
    size = len(members)
    shift = _shift_of(size, span)
    buckets = _buckets(shift, span)
    out = np.zeros(HEAD + _list_words(size, span), np.uint64)
    out[SHIFT], out[FIRST], out[SPAN], out[SIZE] = shift, first, span, size
    low, bucket = (np.uint64(1) << shift) - np.uint64(1), 0
    for k in range(size):
        while bucket <= np.int64(members[k] >> shift):
            _put(out, bucket, np.uint64(k))
            bucket += 1
        _put(out, buckets + 1 + k, members[k] & low)
    while bucket <= buckets:
        _put(out, bucket, np.uint64(size))
        bucket += 1
    return out


@inlined
def members_before(members, v):
    """Count the members of a set below a vertex."""
    if np.uint64(v) <= members[FIRST]:
        return np.int64(0)
    d = np.uint64(v) - members[FIRST]
    if d >= members[SPAN]:
        return np.int64(members[SIZE])
    shift = members[SHIFT]
    if shift == np.uint64(BITMAP):
        w = np.uint64(HEAD) + ((d >> np.uint64(6)) << np.uint64(1))
        before = members[w] & ((np.uint64(1) << (d & np.uint64(63))) - np.uint64(1))
        return np.int64(members[w + np.uint64(1)]) + np.int64(popcount(before))
    bucket, at = np.int64(d >> shift), _buckets(shift, members[SPAN]) + 1
    low = d & ((np.uint64(1) << shift) - np.uint64(1))
    k, end = np.int64(_item(members, bucket)), np.int64(_item(members, bucket + 1))
    while k < end:
        middle = (k + end) >> 1
        if _item(members, at + middle) < low:
            k = middle + 1
        else:
            end = middle
    return k


@inlined
def position_of(members, u):
    """Return the position of ``u`` among the members of a set, or -1."""
    d = np.uint64(u) - members[FIRST]
    if d >= members[SPAN]:  # also if u is below the first
        return np.int64(-1)
    shift = members[SHIFT]
    if shift == np.uint64(BITMAP):
        w = np.uint64(HEAD) + ((d >> np.uint64(6)) << np.uint64(1))
        bit = np.uint64(1) << (d & np.uint64(63))
        if members[w] & bit == np.uint64(0):
            return np.int64(-1)
        return np.int64(members[w + np.uint64(1)]) + np.int64(popcount(members[w] & (bit - np.uint64(1))))
    bucket, at = np.int64(d >> shift), _buckets(shift, members[SPAN]) + 1
    low = d & ((np.uint64(1) << shift) - np.uint64(1))
    k, last = np.int64(_item(members, bucket)), np.int64(_item(members, bucket + 1))
    end = last
    while k < end:
        middle = (k + end) >> 1
        if _item(members, at + middle) < low:
            k = middle + 1
        else:
            end = middle
    return k if k < last and _item(members, at + k) == low else np.int64(-1)


@njit(nogil=True, cache=True)
def list_members(members, out):
    """List the members of a set in rising order."""
    first, k = members[FIRST], 0
    if members[SHIFT] == np.uint64(BITMAP):
        for w in range(HEAD, len(members), 2):
            word, base = members[w], first + (np.uint64(w - HEAD) << np.uint64(5))
            while word != np.uint64(0):
                low = word & (~word + np.uint64(1))
                out[k] = base + np.uint64(popcount(low - np.uint64(1)))
                k += 1
                word ^= low
        return
    if members[SIZE] == np.uint64(0):
        return
    shift = members[SHIFT]
    buckets = _buckets(shift, members[SPAN])
    for bucket in range(buckets):
        base = first + (np.uint64(bucket) << shift)
        for i in range(np.int64(_item(members, bucket)), np.int64(_item(members, bucket + 1))):
            out[i] = base + _item(members, buckets + 1 + i)


@njit(nogil=True, cache=True)
def sizes_of(members, first, end, out):
    """Write the members of a set, those from ``first`` to ``end - 1``, and the words of the set."""
    out[0] = members[SIZE]
    out[1] = members_before(members, end) - members_before(members, first)
    out[2] = len(members)


@njit(nogil=True, cache=True)
def rows_of(ins, frontier, size, rows):
    """Keep the members of INS among ``frontier[:size]``, write their positions in INS, and return how many."""
    kept = 0
    for s in range(size):
        u = frontier[s]
        k = position_of(ins, u)
        frontier[kept], rows[kept] = u, k
        kept += np.int64(k >= 0)
    return kept


@njit(nogil=True, cache=True)
def positions_of(members, vertices, out):
    """Write the position of each of some members of a set."""
    for e in range(np.uint64(len(vertices))):
        out[e] = position_of(members, vertices[e])
