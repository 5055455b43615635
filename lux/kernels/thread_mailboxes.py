# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Mailboxes between the threads of a team: each vertex has an owner, which receives the vertex's new distances.

Only a vertex's owner changes its distance, so nothing is atomic, and a core keeps what it works on in its own cache.
Owners of blocks of neighbouring vertices take turns: a wave of vertices on a road network is shared out evenly, and
few of its edges lead from block to block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.kernels.inlined import inlined, inner

BLOCKS = 32
"""Blocks for each thread, at least."""
LINE = 16
"""int64 numbers in a cache line and the neighbour that the hardware may fetch along."""


class Mailboxes(NamedTuple):
    """Boxes between the threads of a team; box ``from * size + to`` has room for ``room`` messages.

    Attributes
    ----------
    me, size : int
        Number of this thread, and of all.
    shift : int
        Vertex v is in block ``v >> shift``.
    owners : np.ndarray of shape (n_blocks,), int64
        The owner of each block.
    room : int
    ids, distances, parents : np.ndarray of shape (size * size * room,)
    counts : np.ndarray of shape (size * counts_of(size),), int64
        Messages in each box; a thread's own boxes are in cache lines of its own.
    """

    me: Any
    size: Any
    shift: Any
    owners: Any
    room: Any
    ids: Any
    distances: Any
    parents: Any
    counts: Any


@inlined
def counts_of(size):
    """Return how many numbers a thread's counts take."""
    return (size + LINE - 1) // LINE * LINE


@inlined
def send(v, distance, parent, owner, mailboxes):
    """Send a distance and a parent to a vertex's owner; returns False if the box is full."""
    at = mailboxes.me * counts_of(mailboxes.size) + owner
    count = mailboxes.counts[at]
    if count == mailboxes.room:
        return False
    place = (mailboxes.me * mailboxes.size + owner) * mailboxes.room + count
    mailboxes.ids[place], mailboxes.distances[place], mailboxes.parents[place] = v, distance, parent
    mailboxes.counts[at] = count + 1
    return True


@inlined
def empty_boxes(mailboxes):
    """Empty the boxes that this thread has filled."""
    first = mailboxes.me * counts_of(mailboxes.size)
    mailboxes.counts[first : first + mailboxes.size] = 0


@inlined
def box_from(other, mailboxes):
    """Return the first message from another thread, and the end of its messages."""
    first = (other * mailboxes.size + mailboxes.me) * mailboxes.room
    return first, first + mailboxes.counts[other * counts_of(mailboxes.size) + mailboxes.me]


@inner
def own_blocks(n, mailboxes):
    """Return first and end of each of this thread's blocks of ``n`` vertices."""
    blocks = np.flatnonzero(mailboxes.owners == mailboxes.me)
    return blocks << mailboxes.shift, np.minimum((blocks + 1) << mailboxes.shift, n)
