# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Kernels that read masks of delegates and messages that name normal vertices, and at the end parents."""

from __future__ import annotations

import numpy as np

from lux.algorithms.bfs.distributed.degree_separated.state_kernels import (
    FIRST,
    FRESH,
    KNOWN,
    LAST,
    NONE,
    RECEIVED,
    TAIL,
    has,
    lowest,
    put,
)
from lux.algorithms.bfs.distributed.message_kernels import message_words
from lux.kernels import njit
from lux.kernels.frontier import popcount
from lux.kernels.owner import owner
from lux.kernels.scalars import copy_into

UNREACHED = np.int32(2**31 - 1)


@njit(nogil=True, cache=True)
def begin(state, work):
    """Clear the state: no vertex has been visited."""
    state[:] = 0
    work.distance[:] = UNREACHED
    for parents in (work.parent, work.delegate_parents, work.far_parents):
        parents[:] = NONE
    for bits in (work.visited, work.by_message, work.known, work.fresh):
        bits[:] = 0


@njit(nogil=True, cache=True)
def take_mask(state, level, mask, own, low, delegates, work):
    """Make the frontier's delegates, those of the mask that were not known; their owner notes their distance.

    Parameters
    ----------
    mask : np.ndarray of uint64
        No words where the mask has not changed.
    own : np.ndarray of shape (2,), int64
        The processor owns the delegates ``own[0]`` to ``own[1] - 1``.
    """
    first, end = own[0], own[1]
    known, fresh = work.known, work.fresh
    state[FRESH] = state[KNOWN] = 0
    for w in range(len(known)):
        before = known[w]
        if len(mask):
            known[w] = mask[w]
        fresh[w] = known[w] & ~before
        state[FRESH] += np.int64(popcount(fresh[w]))
        state[KNOWN] += np.int64(popcount(known[w]))
    for w in range(first >> 6, (end + 63) >> 6):
        word = fresh[w]
        while word != np.uint64(0):
            j = (w << 6) + lowest(word)
            word &= word - np.uint64(1)
            if first <= j < end:
                work.distance[np.int64(delegates[j]) - low] = level


@njit(nogil=True, cache=True)
def take_messages(state, level, me, near_at, slot_at, words, slots, work):
    """Make the frontier's normal vertices: those that were found here, and those that other processors name.

    Parameters
    ----------
    me : int
        The processor: bytes that it reads of its own messages are not counted as received.
    near_at : np.ndarray of shape (parts + 1,), int64
        First of the destinations in `Work.near` that each sender may name.
    slot_at, words : np.ndarray of shape (parts,), int64
        First element of each sender's message in ``slots``, and the words of its slot.
    """
    tail, received = state[TAIL], np.int64(0)
    for q in range(len(words)):
        if words[q] == 0:
            continue
        slot = slots[slot_at[q] : slot_at[q] + words[q]]
        n = np.int64(slot[0])
        if q != me:
            received += 4 * message_words(slot)
        if 1 + n < len(slot):
            for k in range(n):
                tail = _take(near_at[q] + np.int64(slot[1 + k]), level, tail, work)
            continue
        for w in range(1, len(slot)):
            word = np.uint64(slot[w])
            while word != np.uint64(0):
                tail = _take(near_at[q] + ((w - 1) << 5) + lowest(word), level, tail, work)
                word &= word - np.uint64(1)
    state[FIRST], state[LAST], state[TAIL] = state[LAST], tail, tail
    state[RECEIVED] = received


@njit(nogil=True, cache=True)
def _take(at, level, tail, work):
    v = np.int64(work.near[at])
    if has(work.visited, v):
        return tail
    put(work.visited, v)
    put(work.by_message, v)
    work.queue[tail] = v
    work.distance[v], work.parent[v] = level, at
    return tail + 1


@njit(nogil=True, cache=True)
def take_parents(delegates, work, low, own, near_at, far_at, far_words, delegates_at, words, parent):
    """Write own vertices' parents, with those that other processors found.

    Parameters
    ----------
    low : int
        First place of the processor.
    own : np.ndarray of shape (2,), int64
        As in `take_mask`.
    near_at : np.ndarray of shape (parts + 1,), int64
        As in `take_messages`.
    far_at : np.ndarray of shape (parts,), int64
        First element in ``far_words`` of the parents of each sender's named vertices.
    delegates_at : np.ndarray of shape (parts,), int64
        First element in ``words`` of each processor's parents of the own delegates.
    parent : np.ndarray of shape (n_own,), uint32
        The result.
    """
    first, end = own[0], own[1]
    copy_into(parent, work.parent)
    for w in range(len(work.by_message)):
        word = work.by_message[w]
        while word != np.uint64(0):
            v = (w << 6) + lowest(word)
            word &= word - np.uint64(1)
            at = np.int64(parent[v])
            q = owner(near_at, at)
            parent[v] = far_words[far_at[q] + at - near_at[q]]
    for k in range(end - first):
        for q in range(len(delegates_at)):
            found = words[delegates_at[q] + k]
            if found != NONE:
                parent[np.int64(delegates[first + k]) - low] = found
                break
