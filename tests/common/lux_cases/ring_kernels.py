# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Processors in a ring that hand words on to their right while they go on (`lux_cases.ring`)."""

from lux.kernels import njit
from lux.kernels.threads import atomic_store, barrier, exchange, put, wait_for_flag


@njit(nogil=True, cache=True)
def run(me, size, point, process_of, memory, flags, rounds, words, control, between):
    """Write own numbers in the first round, and in others the left one's of the round before, and one more.

    What is put in the last round is waited for after the exchange.
    """
    parts = len(process_of)
    left, right = (point - 1) % parts, (point + 1) % parts
    for k in range(rounds):
        at, before = (k * parts + point) * words, ((k - 1) * parts + left) * words
        if k:
            wait_for_flag(between, flags, left, k, process_of[left] != process_of[point])
        for w in range(words):
            memory[at + w] = point * words + w if k == 0 else memory[before + w] + 1
        if process_of[right] == process_of[point]:
            atomic_store(flags, point, k + 1)
        else:
            put(between, process_of[right], memory, at, words, at, point, k + 1)
    barrier(control, size)
    exchange(between, 0)
    wait_for_flag(between, flags, left, rounds, process_of[left] != process_of[point])
    return 0
