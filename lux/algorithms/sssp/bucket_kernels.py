# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Buckets of vertices by tentative distance.

Bucket ``k`` has the vertices whose distance times ``inverse`` begins with the whole number ``k``. A vertex is put into
a bucket whenever its distance falls, and never taken out of a higher one: a thread that meets it there sees that its
distance has left that bucket, and goes on. A thread (or a partition) has buckets of its own.

Buckets are lists of chunks of a pool. There is a list for each of the next ``slots`` buckets (a power of two), bucket
``k`` in slot ``k % slots``, and one for all buckets that lie farther away: slot ``slots``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.kernels.inlined import inlined, inner
from lux.kernels.scalars import copy_into

CHUNK = 64  # vertices
NONE = 2**62
"""Bucket of vertices without any; all distances beyond 2^62 buckets share the one before."""

# A tally (int64).
TALLY = 8
FREE = 0  # first free chunk
FREE_CHUNKS = 1
WAITING = 2  # vertices in buckets
FAR = 3  # no vertex in the last slot has a lower bucket
RELAXED = 4  # edges
FULL = 5  # 1 where work stopped early
STARTED = 6  # 1 once there are buckets
TOP = 7  # highest bucket that was worked on


class Distances(NamedTuple):
    """Tentative distances and parents.

    Attributes
    ----------
    values : np.ndarray of shape (n_vertices,)
    parents : np.ndarray of shape (n_vertices,), of the type of ids
        Of the vertices that gave a vertex its distance and are nearer themselves, the first; the largest number
        where there is none.
    unreached : scalar
        The value of vertices that no path has reached; more than any distance.
    inverse : float
        Buckets in a distance of one.
    """

    values: Any
    parents: Any
    unreached: Any
    inverse: Any


class Buckets(NamedTuple):
    """``heads`` has each slot's first chunk and number of vertices, ``links`` the next chunk of each."""

    heads: Any
    pool: Any
    links: Any
    tally: Any


@inlined
def bucket_of(distance, inverse):
    """Return the bucket of a distance."""
    k = distance * inverse
    return np.int64(k) if k < NONE else np.int64(NONE - 1)


@inner
def new_buckets(slots, ids):
    """Make empty buckets for vertices of the type of ``ids``."""
    pool, links = np.empty(slots * CHUNK, ids.dtype), np.empty(slots, np.int64)
    buckets = Buckets(np.empty(2 * slots + 2, np.int64), pool, links, np.zeros(TALLY, np.int64))
    clear(buckets)
    return buckets


@inlined
def clear(buckets):
    """Empty all buckets."""
    heads, _, links, tally = buckets
    for slot in range(len(heads) // 2):
        heads[2 * slot], heads[2 * slot + 1] = -1, 0
    for chunk in range(len(links)):
        links[chunk] = chunk + 1
    tally[FREE], tally[FREE_CHUNKS] = 0, len(links)
    tally[WAITING], tally[FAR], tally[TOP] = 0, NONE, -1


@inlined
def chunks_for(count, buckets):
    """Count the free chunks that suffice to put ``count`` vertices."""
    return count // CHUNK + min(count, len(buckets.heads) // 2)


@inner
def with_room(count, buckets):
    """Return the buckets, with a larger pool if need be to put ``count`` vertices."""
    heads, pool, links, tally = buckets
    old, wanted = len(links), chunks_for(count, buckets)
    if tally[FREE_CHUNKS] >= wanted:
        return buckets
    new = 2 * old
    while new - old + tally[FREE_CHUNKS] < wanted:
        new *= 2
    more_pool, more_links = np.empty(new * CHUNK, pool.dtype), np.empty(new, np.int64)
    copy_into(more_pool, pool)
    copy_into(more_links, links)
    for chunk in range(old, new):
        more_links[chunk] = chunk + 1
    more_links[new - 1] = tally[FREE]
    tally[FREE] = old
    tally[FREE_CHUNKS] += new - old
    return Buckets(heads, more_pool, more_links, tally)


@inlined
def put(v, k, bucket, buckets):
    """Put a vertex into bucket ``k``, which is ``bucket`` or higher; there must be room."""
    heads, pool, links, tally = buckets
    slots = len(heads) // 2 - 1
    slot = k & (slots - 1)
    if k >= bucket + slots:
        slot = slots
        tally[FAR] = min(tally[FAR], k)
    count = heads[2 * slot + 1]
    place = count & (CHUNK - 1)
    if place == 0:
        chunk = tally[FREE]
        tally[FREE] = links[chunk]
        tally[FREE_CHUNKS] -= 1
        links[chunk] = heads[2 * slot]
        heads[2 * slot] = chunk
    pool[heads[2 * slot] * CHUNK + place] = v
    heads[2 * slot + 1] = count + 1
    tally[WAITING] += 1


@inlined
def in_reach(bucket, buckets):
    """Find the highest bucket in reach from ``bucket`` on."""
    return bucket + len(buckets.heads) // 2 - 2


@inlined
def slot_of(bucket, buckets):
    """Find the slot of a bucket that is in reach."""
    return bucket & (len(buckets.heads) // 2 - 2)


@inlined
def take(slot, buckets):
    """Take all of a slot: its first chunk, and the number of vertices. Chunks are to be released one by one."""
    heads, tally = buckets.heads, buckets.tally
    chunk, count = heads[2 * slot], heads[2 * slot + 1]
    heads[2 * slot], heads[2 * slot + 1] = -1, 0
    tally[WAITING] -= count
    return chunk, count


@inlined
def in_first(count):
    """Count the vertices in the first chunk of ``count``; the chunks after it are full."""
    return ((count - 1) & (CHUNK - 1)) + 1


@inlined
def release(chunk, buckets):
    """Give a chunk back; returns the one after it in its list."""
    links, tally = buckets.links, buckets.tally
    after = links[chunk]
    links[chunk] = tally[FREE]
    tally[FREE] = chunk
    tally[FREE_CHUNKS] += 1
    return after


@inlined
def lowest(bucket, buckets):
    """Find the lowest bucket from ``bucket`` on that may have a vertex, or NONE."""
    heads, tally = buckets.heads, buckets.tally
    slots = len(heads) // 2 - 1
    if tally[WAITING] > heads[2 * slots + 1]:
        for k in range(bucket, bucket + slots):
            if heads[2 * (k & (slots - 1)) + 1]:
                return min(k, tally[FAR])
    return tally[FAR]


@inner
def bring_near(bucket, distances, buckets):
    """Return the buckets in reach of ``bucket``, the lowest: vertices that are no longer far move to their buckets."""
    slots, tally = len(buckets.heads) // 2 - 1, buckets.tally
    if tally[FAR] >= bucket + slots:
        return buckets
    chunk, count = take(slots, buckets)
    tally[FAR] = NONE
    buckets = with_room(count, buckets)
    while count > 0:
        held = in_first(count)
        for i in range(chunk * CHUNK, chunk * CHUNK + held):
            v = buckets.pool[i]
            k = bucket_of(distances.values[v], distances.inverse)
            if k >= bucket:
                put(v, k, bucket, buckets)
        count -= held
        chunk = release(chunk, buckets)
    return buckets
