# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Messages of a group of processors to the same receiver, made into one without repetition."""

from __future__ import annotations

import numpy as np

from lux.algorithms.bfs.distributed.degree_separated.state_kernels import LONGEST, NAMED, NONE, RECEIVED, lowest
from lux.algorithms.bfs.distributed.message_kernels import append_number, message_words
from lux.kernels import njit
from lux.kernels.owner import owner


@njit(nogil=True, cache=True)
def gather(state, level, me, pairs, at, words, numbers_at, slots, numbers, via, union_at, slot_at, out):
    """Pass on what the processors of a group name, once each in a search.

    Parameters
    ----------
    pairs : np.ndarray of shape (n_pairs, 2), int64
        Sender and receiver of each message.
    at, words : np.ndarray of shape (n_pairs,), int64
        First element of the message in ``slots``, and the words of its slot.
    numbers_at : np.ndarray of shape (n_pairs + 1,), int64
        First element in ``numbers`` of each message's vertices, as numbered in the union that the group may name.
    via : np.ndarray of uint32
        Position in ``numbers`` at which each vertex of the union was first named, or `NONE`.
    union_at, slot_at : np.ndarray of shape (parts + 1,), int64
        First element of each receiver's vertices in the union, and of its message in ``out``.
    """
    if level == 0:
        via[:] = NONE
    for r in range(len(slot_at) - 1):
        if slot_at[r + 1] > slot_at[r]:
            out[slot_at[r]] = 0
    for k in range(len(pairs)):
        if words[k] == 0:
            continue
        slot, receiver, first = slots[at[k] : at[k] + words[k]], pairs[k, 1], numbers_at[k]
        if pairs[k, 0] != me:
            state[RECEIVED] += 4 * message_words(slot)
        to, before, n = out[slot_at[receiver] : slot_at[receiver + 1]], union_at[receiver], np.int64(slot[0])
        if 1 + n < len(slot):
            for i in range(n):
                _pass_on(first + np.int64(slot[1 + i]), numbers, via, before, to)
            continue
        for w in range(1, len(slot)):
            word = np.uint64(slot[w])
            while word != np.uint64(0):
                _pass_on(first + ((w - 1) << 5) + lowest(word), numbers, via, before, to)
                word &= word - np.uint64(1)
    state[NAMED] = state[LONGEST] = 0
    for r in range(len(slot_at) - 1):
        slot = out[slot_at[r] : slot_at[r + 1]]
        if len(slot):
            state[NAMED] += np.int64(slot[0])
            state[LONGEST] = max(state[LONGEST], message_words(slot))


@njit(nogil=True, cache=True)
def _pass_on(at, numbers, via, before, to):
    u = np.int64(numbers[at])
    if via[u] == NONE:
        via[u] = at
        append_number(u - before, to)


@njit(nogil=True, cache=True)
def gather_parents(numbers_at, at, words, via, out):
    """Write the parent of each vertex of the union, from the processor that named it first.

    Parameters
    ----------
    at : np.ndarray of shape (n_pairs,), int64
        First element in ``words`` of the parents of each pair's vertices.
    """
    for u in range(len(via)):
        if via[u] != NONE:
            k = owner(numbers_at, np.int64(via[u]))
            out[u] = words[at[k] + np.int64(via[u]) - numbers_at[k]]


@njit(nogil=True, cache=True)
def mark(places, low, bits):
    """Set the bits of some places, counted from ``low``."""
    for i in range(len(places)):
        v = np.int64(places[i]) - low
        bits[v >> 6] |= np.uint64(1) << np.uint64(v & 63)


@njit(nogil=True, cache=True)
def list_set(bits, low, out):
    """List the places whose bits are set, in rising order."""
    k = 0
    for w in range(len(bits)):
        word = bits[w]
        while word != np.uint64(0):
            out[k] = low + (w << 6) + lowest(word)
            k += 1
            word &= word - np.uint64(1)
