# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What processors make of masks of delegates and messages that name normal vertices, and of parents at the end."""

from __future__ import annotations

import numpy as np
from numba import njit

from lux.kernels.frontier import popcount
from lux.kernels.messages import message_words
from lux.kernels.separated_state import (
    FIRST,
    FRESH,
    KNOWN,
    LAST,
    NOBODY,
    RECEIVED,
    TAIL,
    has,
    lowest,
    put,
)


@njit(nogil=True, cache=True)
def begin(state, bits, distance, parent, delegate_parents, far_parents):
    """Nothing has been visited."""
    state[:] = 0
    bits[:] = 0
    distance[:] = np.iinfo(np.int32).max
    parent[:] = NOBODY
    delegate_parents[:] = NOBODY
    far_parents[:] = NOBODY


@njit(nogil=True, cache=True)
def take_mask(state, level, mask, own_first, own_end, low, delegates, known, fresh, distance):
    """The frontier's delegates: those of the mask that were not known; their owner notes their distance."""
    state[FRESH] = state[KNOWN] = 0
    for w in range(len(known)):
        if len(mask):
            fresh[w] = mask[w] & ~known[w]
            known[w] = mask[w]
        else:
            fresh[w] = 0
        state[FRESH] += np.int64(popcount(fresh[w]))
        state[KNOWN] += np.int64(popcount(known[w]))
    for w in range(own_first >> 6, (own_end + 63) >> 6):
        word = fresh[w]
        while word != np.uint64(0):
            j = (w << 6) + lowest(word)
            word &= word - np.uint64(1)
            if own_first <= j < own_end:
                distance[np.int64(delegates[j]) - low] = level


@njit(nogil=True, cache=True)
def take_messages(
    state, level, me, slot_at, words, slots, far_at, far_places, low, queue, visited, by_message, distance, parent
):  # fmt: skip
    """The frontier's normal vertices: those that were found here, and those that others name.

    Parameters
    ----------
    slot_at, words : np.ndarray of shape (parts,), int64
        Where each sender's message begins in ``slots``, and the words of its slot.
    far_at : np.ndarray of shape (parts,), int64
        Where the destinations that each sender may name begin in ``far_places``.
    parent : np.ndarray of uint32
        Gets where in ``far_places`` the vertex was found; ``by_message`` gets a bit. `take_parents` replaces it.
    """
    tail, exchanged = state[TAIL], np.int64(0)
    for q in range(len(words)):
        if words[q] == 0:
            continue
        slot = slots[slot_at[q] : slot_at[q] + words[q]]
        n = np.int64(slot[0])
        if q != me:
            exchanged += 4 * message_words(slot)
        if 1 + n < len(slot):
            for k in range(n):
                at = far_at[q] + np.int64(slot[1 + k])
                tail = _take(at, level, tail, far_places, low, queue, visited, by_message, distance, parent)
            continue
        for w in range(1, len(slot)):
            word = np.uint64(slot[w])
            while word != np.uint64(0):
                at = far_at[q] + ((w - 1) << 5) + lowest(word)
                word &= word - np.uint64(1)
                tail = _take(at, level, tail, far_places, low, queue, visited, by_message, distance, parent)
    state[FIRST], state[LAST], state[TAIL] = state[LAST], tail, tail
    state[RECEIVED] = exchanged


@njit(nogil=True, cache=True)
def _take(at, level, tail, far_places, low, queue, visited, by_message, distance, parent):
    v = np.int64(far_places[at]) - low
    if has(visited, v):
        return tail
    put(visited, v)
    put(by_message, v)
    queue[tail] = v
    distance[v], parent[v] = level, at
    return tail + 1


@njit(nogil=True, cache=True)
def take_parents(by_message, far_parents, own_first, own_end, at, delegate_parents, low, delegates, parent):
    """Parents that other processors found: of normal vertices that they named, and of delegates.

    Parameters
    ----------
    far_parents : np.ndarray of uint32
        As ``far_places`` of `take_messages`.
    at : np.ndarray of shape (parts,), int64
        Where each processor's parents of the delegates ``own_first`` to ``own_end - 1`` begin.
    """
    for w in range(len(by_message)):
        word = by_message[w]
        while word != np.uint64(0):
            v = (w << 6) + lowest(word)
            word &= word - np.uint64(1)
            parent[v] = far_parents[parent[v]]
    for k in range(own_end - own_first):
        for q in range(len(at)):
            found = delegate_parents[at[q] + k]
            if found != NOBODY:
                parent[np.int64(delegates[own_first + k]) - low] = found
                break
