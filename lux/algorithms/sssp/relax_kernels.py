# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Relaxing edges: lowering the distances of out-neighbours along the edges of a bucket's vertices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.algorithms.sssp.bucket_kernels import (
    CHUNK,
    FREE_CHUNKS,
    FULL,
    RELAXED,
    bucket_of,
    chunks_for,
    in_first,
    put,
    release,
    slot_of,
    take,
    with_room,
)
from lux.kernels.frontier import prefetch
from lux.kernels.inlined import inlined, inner
from lux.kernels.scalars import largest, like
from lux.kernels.thread_mailboxes import box_from, send
from lux.kernels.threads import peek

PREFETCH_DISTANCE = 8
"""Vertices between prefetching one's data and relaxing it."""


class Rows(NamedTuple):
    """Edges grouped by one end: the edges of vertex v are ``offsets[v]`` to ``offsets[v + 1] - 1``."""

    offsets: Any
    ends: Any
    weights: Any


@inlined
def _relax(ids, first, last, bucket, new_only, rows, distances, mailboxes, buckets):
    """Relax the out-edges of ``ids[first:last]``; returns the position where room ran out, or ``last``.

    A parent is written before its distance: another thread that sees the distance sees this parent, or a later one.
    """
    offsets, ends, weights = rows
    values, parents, unreached, inverse = distances
    tally, none = buckets.tally, largest(parents)
    for i in range(first, last):
        if i + PREFETCH_DISTANCE < last:
            prefetch(offsets, np.int64(ids[i + PREFETCH_DISTANCE]))
            prefetch(values, np.int64(ids[i + PREFETCH_DISTANCE]))
        if i + PREFETCH_DISTANCE // 2 < last:
            soon = offsets[np.int64(ids[i + PREFETCH_DISTANCE // 2])]
            if soon < len(ends):
                prefetch(ends, soon)
                prefetch(weights, soon)
        u = np.int64(ids[i])
        start = values[u]
        if bucket_of(start, inverse) < bucket:
            continue
        degree = offsets[u + 1] - offsets[u]
        if tally[FREE_CHUNKS] < chunks_for(degree, buckets):
            return i
        tally[RELAXED] += degree
        for e in range(np.uint64(offsets[u]), np.uint64(offsets[u + 1])):
            v = np.int64(ends[e])
            distance = start + like(values, weights[e])  # the sum of 32-bit integers has 64 bits
            before = peek(values, v)
            if distance > before:
                continue
            parent = u if start < distance else none
            if distance == before and parent >= peek(parents, v):
                continue
            if mailboxes.size > 1:
                owner = mailboxes.owners[v >> mailboxes.shift]
                if owner != mailboxes.me:
                    if not send(v, distance, parent, owner, mailboxes):
                        tally[FULL] = 1
                        return i
                    continue
            parents[v] = parent
            if distance == before:
                continue
            values[v] = distance
            k = bucket_of(distance, inverse)
            if new_only and k > bucket and before < unreached and bucket_of(before, inverse) == k:
                continue
            put(v, k, bucket, buckets)
    return last


@inner
def relax_bucket(bucket, most_edges, new_only, rows, distances, mailboxes, buckets):
    """Relax the vertices in ``bucket`` until none waits, a box is full, or more than ``most_edges`` are relaxed.

    With ``new_only``, every vertex whose distance lies in a bucket after this one waits in it, so that it need not be
    put there again. Returns the buckets, which may have grown.
    """
    slot, tally = slot_of(bucket, buckets), buckets.tally
    tally[FULL], tally[RELAXED] = 0, 0
    while buckets.heads[2 * slot + 1] and not tally[FULL]:
        chunk, count = take(slot, buckets)
        while count > 0:
            first, last = chunk * CHUNK, chunk * CHUNK + in_first(count)
            count -= last - first
            while first < last and not tally[FULL]:
                first = _relax(buckets.pool, first, last, bucket, new_only, rows, distances, mailboxes, buckets)
                if tally[RELAXED] > most_edges:
                    tally[FULL] = 1
                elif first < last:
                    u = np.int64(buckets.pool[first])
                    buckets = with_room(rows.offsets[u + 1] - rows.offsets[u] + CHUNK, buckets)
            if first < last:
                buckets = with_room(CHUNK, buckets)
            for i in range(first, last):
                put(buckets.pool[i], bucket, bucket, buckets)
            chunk = release(chunk, buckets)
    return buckets


@inner
def receive(bucket, distances, mailboxes, buckets):
    """Lower the distances of this thread's vertices to the values that other threads sent; returns the buckets."""
    values, parents = distances.values, distances.parents
    for other in range(mailboxes.size):
        first, end = box_from(other, mailboxes)
        buckets = with_room(end - first, buckets)
        for i in range(first, end):
            if i + PREFETCH_DISTANCE < end:
                prefetch(values, np.int64(mailboxes.ids[i + PREFETCH_DISTANCE]))
            v, distance = np.int64(mailboxes.ids[i]), mailboxes.distances[i]
            if distance < values[v]:
                values[v], parents[v] = distance, mailboxes.parents[i]
                put(v, bucket_of(distance, distances.inverse), bucket, buckets)
            elif distance == values[v]:
                parents[v] = min(parents[v], mailboxes.parents[i])
    return buckets
