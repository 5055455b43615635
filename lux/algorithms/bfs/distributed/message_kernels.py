# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Messages that name vertices of a range: a list, or a bit for each vertex where that is shorter.

A slot is an array of uint32: the number of vertices, and room for a bit each (`slot_words`). A list has fewer words.
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.frontier import popcount


@njit(nogil=True, cache=True)
def slot_words(vertices):
    """Count the words of a slot for messages that name some of so many vertices."""
    return 1 + (vertices + 31) // 32


@njit(nogil=True, cache=True)
def message_words(slot):
    """Count the words of a slot's message that must be sent; of an empty one only the first word is."""
    return min(1 + np.int64(slot[0]), len(slot))


@njit(nogil=True, cache=True)
def add(slots, at, words, v):
    """Add the vertex ``v`` (counted from the first) to the message in ``slots[at : at + words]``."""
    n = np.int64(slots[at])
    slots[at] = n + 1
    if 2 + n < words:
        slots[at + 1 + n] = v
        return
    if 1 + n < words:  # the list has become too long
        ids = slots[at + 1 : at + 1 + n].copy()
        slots[at + 1 : at + words] = 0
        for k in range(n):
            _set(slots, at, np.int64(ids[k]))
    _set(slots, at, np.int64(v))


@njit(nogil=True, cache=True)
def write_new(before, after, slots, at, words):
    """Write a message that names the bits of ``after`` that ``before`` has not; both are uint64."""
    n = np.int64(0)
    for w in range(len(after)):
        n += np.int64(popcount(after[w] & ~before[w]))
    slots[at] = n
    if 1 + n >= words:
        for w in range(len(after)):
            new = after[w] & ~before[w]
            slots[at + 1 + 2 * w] = np.uint32(new & np.uint64(0xFFFFFFFF))
            slots[at + 2 + 2 * w] = np.uint32(new >> np.uint64(32))
        return
    k = at + 1
    for w in range(len(after)):
        new = after[w] & ~before[w]
        while new != np.uint64(0):
            low = new & (~new + np.uint64(1))
            slots[k] = (w << 6) + np.int64(popcount(low - np.uint64(1)))
            k += 1
            new ^= low


@njit(nogil=True, cache=True)
def _set(slots, at, v):
    slots[at + 1 + (v >> 5)] |= np.uint32(1) << np.uint32(v & 31)


@njit(nogil=True, cache=True)
def read(slot, first, out):
    """Write the ids that a message names to ``out``, and return how many; ids of a bitmap ascend."""
    n, words = np.int64(slot[0]), len(slot)
    if 1 + n < words:
        for k in range(n):
            out[k] = first + np.int64(slot[1 + k])
        return n
    k = 0
    for w in range(1, words):
        word = np.uint64(slot[w])
        while word != np.uint64(0):
            low = word & (~word + np.uint64(1))
            out[k] = first + ((w - 1) << 5) + np.int64(popcount(low - np.uint64(1)))
            k += 1
            word ^= low
    return k


@njit(nogil=True, cache=True)
def append_number(k, slot):
    """Add the number ``k`` to a message; one that is there already counts twice, and may be read twice."""
    n, words = np.int64(slot[0]), len(slot)
    slot[0] = n + 1
    if n + 2 < words:
        slot[1 + n] = k
        return
    if n + 2 == words:  # the list becomes a bitmap
        listed = slot[1 : 1 + n].copy()
        slot[1:] = 0
        for i in range(n):
            slot[1 + (listed[i] >> np.uint32(5))] |= np.uint32(1) << (listed[i] & np.uint32(31))
    slot[1 + (k >> 5)] |= np.uint32(1) << np.uint32(k & 31)
