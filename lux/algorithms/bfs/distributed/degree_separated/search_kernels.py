# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""A whole search among delegates and normal vertices, in which each processor is a thread of one launch.

A level reads the mask of delegates and the messages that name normal vertices, visits along all four kinds of edges,
and ends with one exchange: of new messages, of the delegates that each process found, one mask for all its processors,
and of the state of all, from which each finds the same end. Parents cross after the last level.

Where the reduction does not block, a process puts its mask into all others as soon as its processors have visited the
delegates. It travels while they visit normal vertices and exchange messages (sections V-A and VI-B of Pan et al.).
"""

from __future__ import annotations

import numpy as np

from lux.algorithms.bfs.distributed.degree_separated import exchange_kernels as messages
from lux.algorithms.bfs.distributed.degree_separated import local_all_to_all_kernels as gathering
from lux.algorithms.bfs.distributed.degree_separated.delegate_visit_kernels import visit_delegates, visit_none
from lux.algorithms.bfs.distributed.degree_separated.normal_visit_kernels import visit_normal
from lux.algorithms.bfs.distributed.degree_separated.state_kernels import (
    DELEGATES_FOUND,
    FIRST,
    FRESH,
    KNOWN,
    LAST,
    NAMED,
    NANOSECONDS,
    RECEIVED,
    STATE_COLUMNS,
    TAIL,
    Subgraphs,
    Work,
)
from lux.algorithms.bfs.distributed.slot_exchange_kernels import Mail, record_states, share_state, swap, total
from lux.kernels import njit
from lux.kernels.frontier import seconds
from lux.kernels.inlined import inner
from lux.kernels.threads import atomic_add, barrier, put, wait_for_flag

# Kinds of slots, in the order of the exchange. Of Python's integers Numba compiles a function for each; not of NumPy's.
LEVEL = np.int64(0)  # messages that arrive, and masks, with the state
GATHER = np.int64(1)  # messages to gatherers
STATE = np.int64(2)  # the state alone
PARENTS = np.int64(3)  # of delegates, and of named vertices, to their owners or to gatherers
PASSED = np.int64(4)  # parents that gatherers pass on

LEVELS, CONVERGED = 0, 1
"""Words of a search's result: levels that are done, and 1 once no frontier is left."""

MASK_HEAD = 2
"""Words before a mask in its slot: how many follow, and one that aligns it."""


@njit(nogil=True, error_model="numpy", cache=True)
def run(
    me, size, slots, states, state_columns, firsts, peers, whole, shares, sent_at, sent, sent_words, got_at, got,
    got_words, out, out_words, out_at, arrived, arrived_words, in_at, control, point, low, n_delegates,
    own_delegates, source, delegate, limit, factors, unique, near_at, far_at, slot_at, arriving_at, arriving_words,
    gathers, pairs, pair_at,
    pair_words, pair_parents_at, numbers_at, numbers, via, union_at, passed_at, passed_parents, far_parents_at,
    delegates_at, bitmaps, masks_at, mask, new, blocking, arrivals, flags,
    nn_offsets, nd_offsets, dn_offsets, dd_offsets, nn, nd, dn, dd,
    nd_rows, dn_rows, dd_rows, delegates, distance, parent, queue, visited, by_message, known, fresh, delegate_parents,
    far_parents, near, parents, done, between,
):  # fmt: skip
    """Do the share of a processor in a search from the place ``source``; returns 0.

    Parameters
    ----------
    me, size, slots, ..., control
        The fields of `lux.algorithms.bfs.distributed.slot_exchange_kernels.Mail`.
    point : int
        The processor; -1 for the thread of a process without processors.
    low : int
        Its first place.
    n_delegates : int
    own_delegates : np.ndarray of shape (2,), int64
        Its first delegate, and the end of its delegates.
    delegate : int
        The source's number among delegates, or -1.
    factors : np.ndarray of shape (8,), float64
        Thresholds of `choose` by kind of edges, to backward and then to forward.
    unique, near_at, far_at, slot_at
        As of `take_messages` and `visit_normal`; messages lie in ``slots``.
    arriving_at, arriving_words : np.ndarray of shape (parts,), int64
        Where messages from each processor, or each gatherer, lie, and the words of their slots.
    gathers : int
        1 where messages are gathered, with ``pairs`` to ``passed_at`` as of `local_all_to_all_kernels.gather`,
        ``pair_parents_at`` as of `gather_parents`, and ``passed_parents``, where the parents that are passed on lie.
    far_parents_at, delegates_at : np.ndarray of shape (parts,), int64
        As ``far_at`` and ``delegates_at`` of `take_parents`.
    bitmaps : np.ndarray, uint64
        The slots.
    masks_at : np.ndarray of shape (2 * ranks,), int64
        Where each process's mask lies in ``bitmaps``, its head included: of even levels, and after them of odd ones.
        Where the reduction blocks, the first ones have those of all levels.
    mask : np.ndarray of uint64
        All delegates that were found; the threads of a process share it.
    new : np.ndarray of uint64
        A mask for each processor of the process, with those that it finds in a level.
    blocking : int
        1 where masks are part of the exchange at a level's end.
    arrivals : np.ndarray of shape (1,), int64
        Visits to delegates so far, by all threads of the process.
    flags : np.ndarray of shape (ranks,), int64
        Levels until the end of the last one of which each other process has put its mask here.
    nn_offsets, ..., delegates, and distance, ..., near
        The fields of `Subgraphs` and of `Work`.
    parents : np.ndarray of shape (n_own,), uint32
        Receives the parents.
    done : np.ndarray of shape (2,), int64
        Receives `LEVELS` and `CONVERGED`.
    """
    mail = Mail(
        me, size, slots, states, state_columns, firsts, peers, whole, shares, sent_at, sent, sent_words, got_at, got,
        got_words, out, out_words, out_at, arrived, arrived_words, in_at, control,
    )  # fmt: skip
    graph = Subgraphs(
        nn_offsets, nd_offsets, dn_offsets, dd_offsets, nn, nd, dn, dd, nd_rows, dn_rows, dd_rows, delegates
    )  # fmt: skip
    work = Work(
        distance, parent, queue, visited, by_message, known, fresh, delegate_parents, far_parents, near
    )  # fmt: skip
    thresholds = (factors[0], factors[1], factors[2], factors[3]), (factors[4], factors[5], factors[6], factors[7])
    state, parts = np.zeros(STATE_COLUMNS, np.int64), len(states) // state_columns
    found = new[me * len(mask) : (me + 1) * len(mask)]
    if point >= 0:
        _start(point, low, source, delegate, arriving_at, arriving_words, slots, state, work)
    if me == 0:
        done[LEVELS], done[CONVERGED] = 0, 0
        for w in range(len(mask)):
            mask[w] = 0
        if delegate >= 0:
            mask[delegate >> 6] = np.uint64(1) << np.uint64(delegate & 63)
    barrier(control, size)
    level, reads, folds, ranks = np.int64(0), len(mask) > 0, len(mask) > 0, len(firsts) - 1
    while True:
        began = seconds()
        if point >= 0:
            messages.take_mask(
                state, level, mask[: len(mask) if reads else 0], own_delegates, low, delegates, work
            )  # fmt: skip
            messages.take_messages(state, level, point, near_at, arriving_at, arriving_words, slots, work)
            state[RECEIVED] += 8 * len(mask) * np.int64(reads and parts > 1)
        took = seconds() - began
        barrier(control, size)  # all have read what comes next to be written
        if level == limit:
            if point >= 0:
                share_state(mail, point, state)
            swap(mail, STATE, between)
            if me == 0:
                done[CONVERGED] = np.int64(_frontier(mail) == 0)
            break
        began = seconds()
        at = masks_at[:ranks] if blocking or level & 1 == 0 else masks_at[ranks:]
        if point >= 0:
            for w in range(len(found)):
                found[w] = 0
            if folds:
                visit_delegates(state, thresholds, low, graph, work, found)
                if not blocking:
                    _offer_mask(mail, bitmaps, at, len(mask), new, arrivals, level, between)
            else:
                visit_none(state, graph, work)
            visit_normal(state, thresholds, level, low, graph, work, far_at, unique != 0, slot_at, slots)
        if gathers:
            swap(mail, GATHER, between)
            if point >= 0:
                gathering.gather(
                    state, level, point, pairs.reshape(len(pairs) // 2, 2), pair_at, pair_words, numbers_at, slots,
                    numbers, via, union_at, passed_at, slots,
                )  # fmt: skip
        if point >= 0:
            state[NANOSECONDS] = np.int64(1e9 * (took + seconds() - began))
            share_state(mail, point, state)
        if blocking:
            _put_mask(mail, bitmaps, at, len(mask), new)
        swap(mail, LEVEL, between)
        if _frontier(mail) == 0:
            if me == 0:
                done[CONVERGED] = 1
            break
        level += 1
        if me == 0:
            done[LEVELS] = level
            record_states(mail, between)
        reads, folds = total(mail, DELEGATES_FOUND) > 0, states[KNOWN] < n_delegates
        if not reads and total(mail, TAIL) == total(mail, LAST) and total(mail, NAMED) == 0:
            if me == 0:
                done[CONVERGED] = 1
            break
        if reads and blocking:
            _take_masks(mail, bitmaps, at, mask)
        elif reads and point >= 0:
            _await_masks(mail, bitmaps, at, mask, flags, level, between)
        barrier(control, size)
    swap(mail, PARENTS, between)
    if gathers:
        if point >= 0:
            end = passed_parents + len(via)
            gathering.gather_parents(numbers_at, pair_parents_at, slots, via, slots[passed_parents:end])
        swap(mail, PASSED, between)
    if point >= 0:
        messages.take_parents(
            delegates, work, low, own_delegates, near_at, far_parents_at, slots, delegates_at, slots, parents
        )  # fmt: skip
    return 0


@inner
def _start(point, low, source, delegate, arriving_at, arriving_words, slots, state, work):
    """Forget the last search, and visit the source, on its owner; the mask has its bit if it is a delegate."""
    messages.begin(state, work)
    for p in range(len(arriving_at)):
        if arriving_words[p] > 0:
            slots[arriving_at[p]] = 0
    own = source - low
    if 0 <= own < len(work.distance):
        work.distance[own], work.parent[own] = 0, source
        if delegate >= 0:
            work.delegate_parents[delegate] = source
        else:
            work.queue[0], state[TAIL] = own, 1
            work.visited[own >> 6] = np.uint64(1) << np.uint64(own & 63)


@inner
def _frontier(mail):
    """Count the vertices of the frontier."""
    return total(mail, LAST) - total(mail, FIRST) + mail.states[FRESH]


@inner
def _put_mask(mail, bitmaps, masks_at, words, new):
    """Write the delegates that the processors of this process have found in the level, unless there are none."""
    mine = mail.peers[len(mail.peers) - 1]
    barrier(mail.control, mail.size)
    found = _found_by(mail, mine)
    at = masks_at[mine]
    if mail.me == 0:
        mail.slots[2 * at] = 1 + 2 * words if found else 0
    if found:
        for w in range(words * mail.me // mail.size, words * (mail.me + 1) // mail.size):
            bits = np.uint64(0)
            for p in range(mail.size):
                bits |= new[p * words + w]
            bitmaps[at + 1 + w] = bits


@inner
def _found_by(mail, process):
    """Count the delegates that a process's processors have found, those that several found more than once."""
    found = np.int64(0)
    for p in range(mail.firsts[process], mail.firsts[process + 1]):
        found += mail.states[p * mail.state_columns + DELEGATES_FOUND]
    return found


@inner
def _offer_mask(mail, bitmaps, masks_at, words, new, arrivals, level, between):
    """Put the delegates that this process has found into all others, unless there are none, once all threads have come.

    The last one does, and no other waits for it.
    """
    if atomic_add(arrivals, 0, np.int64(1)) % mail.size != mail.size - 1:
        return
    mine = mail.peers[len(mail.peers) - 1]
    at, found = masks_at[mine] + 1, np.uint64(0)
    for w in range(words):
        bits = np.uint64(0)
        for p in range(mail.size):
            bits |= new[p * words + w]
        bitmaps[at + w] = bits
        found |= bits
    for k in range(len(mail.peers) - 1 if found else 0):
        process = mail.peers[k]
        if mail.firsts[process] < mail.firsts[process + 1]:
            put(between, process, bitmaps, at, words, at, mine, level + 1)


@inner
def _await_masks(mail, bitmaps, masks_at, mask, flags, levels, between):
    """Add the delegates that processes have found, a thread's share of the words, once their masks are here."""
    mine = mail.peers[len(mail.peers) - 1]
    for k in range(len(mail.peers)):
        process = mail.peers[k]
        if _found_by(mail, process) == 0:
            continue
        if process != mine:
            wait_for_flag(between, flags, process, levels, True)
        at = masks_at[process] + 1
        for w in range(len(mask) * mail.me // mail.size, len(mask) * (mail.me + 1) // mail.size):
            mask[w] |= bitmaps[at + w]


@inner
def _take_masks(mail, bitmaps, masks_at, mask):
    """Add the delegates that processes have found, a thread's share of the words."""
    for process in range(len(masks_at)):
        at = masks_at[process]
        if mail.firsts[process] < mail.firsts[process + 1] and mail.slots[2 * at] > 0:
            for w in range(len(mask) * mail.me // mail.size, len(mask) * (mail.me + 1) // mail.size):
                mask[w] |= bitmaps[at + 1 + w]
