# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""The exchange of slots between the processors of one launch, whose threads call it at the same places.

Processors of a process write and read the same array of slots. Other processes have one of their own, where a slot has
the same place. What crosses to a process is the state of all processors, in exchanges that share it, and the slots that
its processors read: of messages (`lux.algorithms.bfs.distributed.message_kernels`) as many words as they have.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.algorithms.bfs.distributed.message_kernels import message_words
from lux.kernels.inlined import inner
from lux.kernels.threads import barrier, exchange, record


class Mail(NamedTuple):
    """Arrays by which the threads of a process exchange slots (`lux.algorithms.bfs.distributed.slot_exchange`).

    Attributes
    ----------
    me, size : int
        The calling thread, and the threads of its process.
    slots : np.ndarray, uint32
    states : np.ndarray of shape (parts * state_columns,), int64
        A row for each processor.
    state_columns : int
        Words of a row.
    firsts : np.ndarray of shape (ranks + 1,), int64
        First processor of each process.
    peers : np.ndarray of shape (ranks,), int64
        The other processes, and at the end this one.
    whole, shares : np.ndarray of shape (kinds,), int64
        1 for kinds of slots that cross whole, and for exchanges that share the state.
    sent_at, got_at : np.ndarray of shape (kinds * (peers + 1),), int64
        First of the slots of each kind that go to each other process, and that come from it.
    sent, sent_words, got, got_words : np.ndarray, int64
        Places and words of these slots.
    out, out_words, out_at, arrived, arrived_words, in_at : np.ndarray
        Messages of `lux.runtime.exchange.MessageExchange`, as int64 and as uint32.
    control : np.ndarray, int64
        A barrier.
    """

    me: Any
    size: Any
    slots: Any
    states: Any
    state_columns: Any
    firsts: Any
    peers: Any
    whole: Any
    shares: Any
    sent_at: Any
    sent: Any
    sent_words: Any
    got_at: Any
    got: Any
    got_words: Any
    out: Any
    out_words: Any
    out_at: Any
    arrived: Any
    arrived_words: Any
    in_at: Any
    control: Any


@inner
def swap(mail, kind, between):
    """Exchange the slots of a kind: all that processors wrote before is there to read, for all threads."""
    peers = len(mail.peers) - 1
    barrier(mail.control, mail.size)
    if peers == 0:
        return
    mine = mail.peers[peers]
    for k in range(peers):
        first, rows = mail.out_at[k] + 1, 0
        if mail.shares[kind]:
            rows = (mail.firsts[mine + 1] - mail.firsts[mine]) * mail.state_columns
            begin = mail.firsts[mine] * mail.state_columns
            for i in range(rows * mail.me // mail.size, rows * (mail.me + 1) // mail.size):
                mail.out[first + i] = mail.states[begin + i]
        at = 2 * (first + rows)
        row = kind * (peers + 1) + k
        for i in range(mail.sent_at[row], mail.sent_at[row + 1]):
            slot = mail.slots[mail.sent[i] : mail.sent[i] + mail.sent_words[i]]
            n = len(slot) if mail.whole[kind] else message_words(slot)
            if i % mail.size == mail.me:
                for w in range(n):
                    mail.out_words[at + w] = slot[w]
            at += n
        if mail.me == 0:
            mail.out[mail.out_at[k]] = (at + 1) // 2 - mail.out_at[k]
    exchange(between, 0)
    for k in range(peers):
        first, rows, peer = mail.in_at[k] + 1, 0, mail.peers[k]
        if mail.shares[kind]:
            rows = (mail.firsts[peer + 1] - mail.firsts[peer]) * mail.state_columns
            begin = mail.firsts[peer] * mail.state_columns
            for i in range(rows * mail.me // mail.size, rows * (mail.me + 1) // mail.size):
                mail.states[begin + i] = mail.arrived[first + i]
        at = 2 * (first + rows)
        row = kind * (peers + 1) + k
        for i in range(mail.got_at[row], mail.got_at[row + 1]):
            slot = mail.slots[mail.got[i] : mail.got[i] + mail.got_words[i]]
            n = len(slot) if mail.whole[kind] else min(1 + np.int64(mail.arrived_words[at]), len(slot))
            if i % mail.size == mail.me:
                for w in range(n):
                    slot[w] = mail.arrived_words[at + w]
            at += n
    barrier(mail.control, mail.size)


@inner
def total(mail, column):
    """Add up a column of the state of all processors."""
    found = 0
    for at in range(column, len(mail.states), mail.state_columns):
        found += mail.states[at]
    return found


@inner
def largest(mail, column):
    """Find the largest value in a column of the state of all processors."""
    found = 0
    for at in range(column, len(mail.states), mail.state_columns):
        found = max(found, mail.states[at])
    return found


@inner
def record_states(mail, between):
    """Record the state of all processors, four numbers at a time (`lux.algorithms.bfs.distributed.slot_exchange`)."""
    numbers = np.zeros(4)
    for at in range(len(mail.states)):
        numbers[at % 4] = mail.states[at]
        if at % 4 == 3 or at == len(mail.states) - 1:
            record(between, numbers)


@inner
def share_state(mail, point, state):
    """Copy a processor's state to where all read it."""
    for i in range(mail.state_columns):
        mail.states[point * mail.state_columns + i] = state[i]
