# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""A whole search by a grid of processors, each a thread of one launch: levels, and the exchange of parents at the end.

A level begins with the frontier's messages to the processors of the same grid column, and the state of all, from which
each finds the same direction, or that the search is over. Then processors visit the frontier's edges, or look for
parents, and name what they found to the owners in their grid row, which give it its level.

Parents stay until the end with the processors that found them. Every owner knows the grid column of the processor that
found its vertex, and asks it for the parent. So one id is sent for each vertex that another processor than its owner
found, and a bit or an id to ask for it. Answers are as long as a slot, so they take several rounds.

Bottom-up levels look for parents of vertices wherever their edges lie
(`lux.algorithms.bfs.distributed.grid.rotation_kernels`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.algorithms.bfs.distributed.grid import hybrid_kernels as hybrid
from lux.algorithms.bfs.distributed.grid import two_dimensional_kernels as kernels
from lux.algorithms.bfs.distributed.grid.rotation_kernels import Rotation, bottom_up, bottom_up_in_pieces
from lux.algorithms.bfs.distributed.grid.two_dimensional_kernels import (
    ACTIVE,
    ASKED,
    EDGES,
    EXPAND_EXCHANGE,
    FOLD_EXCHANGE,
    NONE,
    STATE_COLUMNS,
    WORDS,
)
from lux.algorithms.bfs.distributed.message_kernels import message_words, read
from lux.algorithms.bfs.distributed.slot_exchange_kernels import (
    Mail,
    largest,
    record_states,
    share_state,
    swap,
    total,
)
from lux.codegen.direction import by_unreached
from lux.kernels import njit
from lux.kernels.frontier import seconds
from lux.kernels.inlined import inner
from lux.kernels.threads import barrier, record

# Kinds of slots, in the order of the exchange. Of Python's integers Numba compiles a function for each; not of NumPy's.
FRONTIER = np.int64(0)  # of a processor, to all of its grid column; the state of all is exchanged, too
FOLD = np.int64(1)  # of a processor, one for each of its grid row
ASK = np.int64(2)  # the same, with the state; `rotation_kernels.ROTATING` follows

NEVER, BY_UNREACHED = 0, 1
"""Rules for bottom-up levels."""


class Processor(NamedTuple):
    """A processor's place in the grid, its arrays (`lux.algorithms.bfs.distributed.grid.processors`), and its slots.

    Attributes
    ----------
    point : int
        Its number; -1 for the thread of a process without processors.
    row, column, rows, columns : int
    stride, words : int
        Local ids of a block, and words of a slot.
    first : int
        First own place.
    """

    point: Any
    row: Any
    column: Any
    rows: Any
    columns: Any
    stride: Any
    words: Any
    first: Any
    visited: Any
    front: Any
    preds: Any
    levels: Any
    finders: Any
    degrees: Any
    names: Any
    distance: Any
    parent: Any
    state: Any
    frontier: Any  # messages of the grid column
    message: Any  # the own one
    folds: Any  # own messages to the grid row
    found_at: Any  # where the grid row's messages begin


@njit(nogil=True, error_model="numpy", cache=True)
def run(
    me, size, slots, states, state_columns, firsts, peers, whole, shares, sent_at, sent, sent_words, got_at, got,
    got_words, out, out_words, out_at, arrived, arrived_words, in_at, control, point, rows, columns, stride, words,
    first, block, bitmaps, pieces, both_ways, flags, left_process, right_process,
    n_vertices, n_edges, source, limit, rule, pull_above, push_below,
    bits, before, begins, edge_names, ends,
    parent_bits, parent_before, parent_begins, parent_columns, parent_names, visited, front, preds, levels, finders,
    degrees, names, distance, parent, done, between,
):  # fmt: skip
    """Do the share of a processor in a search from the place ``source``; returns 0.

    Parameters
    ----------
    me, size, slots, ..., control
        The fields of `lux.algorithms.bfs.distributed.slot_exchange_kernels.Mail`.
    point, rows, columns, stride, words, first
        As of `Processor`.
    block : int
        Places of a block.
    bitmaps, pieces, both_ways, flags, left_process, right_process
        As of `lux.algorithms.bfs.distributed.grid.rotation_kernels.Rotation`.
    limit : int
        Most levels.
    rule : int
        `NEVER` or `BY_UNREACHED`, whose thresholds are ``pull_above`` and ``push_below``.
    bits, before, begins, edge_names, ends : np.ndarray
        The edges by local column, in bitmap-based form; as CSR where there are no ``bits``.
    parent_bits, parent_before, parent_begins, parent_columns, parent_names : np.ndarray
        The edges by local row, in bitmap-based form, and the place of every edge's column.
    visited, front, preds, levels, finders, degrees, names, distance, parent : np.ndarray
        As of `lux.algorithms.bfs.distributed.grid.processors.Arrays`.
    done : np.ndarray of shape (1,), int64
        Receives the levels that are done.
    """
    mail = Mail(
        me, size, slots, states, state_columns, firsts, peers, whole, shares, sent_at, sent, sent_words, got_at, got,
        got_words, out, out_words, out_at, arrived, arrived_words, in_at, control,
    )  # fmt: skip
    at, row, column, parts = max(point, 0), max(point, 0) % rows, max(point, 0) // rows, rows * columns
    found_at = np.empty(columns, np.int64)
    for m in range(columns):
        found_at[m] = (parts + (m * rows + row) * columns + column) * words
    processor = Processor(
        point, row, column, rows, columns, stride, words, first, visited, front, preds, levels, finders, degrees, names,
        distance, parent, np.zeros(STATE_COLUMNS, np.int64), slots[column * rows * words : (column + 1) * rows * words],
        slots[at * words : (at + 1) * words], slots[(parts + at * columns) * words :][: columns * words], found_at,
    )  # fmt: skip
    rotation = Rotation(
        bitmaps, (parts * (1 + columns) * words + 1) // 2, pieces, both_ways, flags, left_process, right_process
    )  # fmt: skip
    level, unreached, frontier_before, pulls, rotated = np.int64(0), n_edges, 0, False, np.int64(0)
    numbers = np.empty(4)
    if point >= 0:
        _start(processor, mail, source)
    while True:
        began = seconds()
        swap(mail, FRONTIER, between)
        gathered = seconds() - began
        if me == 0:
            done[0] = level
            if level > 0:
                record(between, numbers)
                record_states(mail, between)
        frontier, edges = total(mail, ACTIVE), total(mail, EDGES)
        if frontier == 0 or level == limit:
            break
        unreached -= edges
        if rule == BY_UNREACHED:
            pulls = by_unreached(
                pulls, frontier, edges, frontier_before, unreached, n_vertices, pull_above, push_below
            )  # fmt: skip
        frontier_before = frontier
        numbers[0], numbers[1], numbers[2], numbers[3] = np.float64(pulls), frontier, edges, 0
        if pulls:
            if point >= 0:
                hybrid.begin_bottom_up(
                    processor.frontier, words, row, stride, front, processor.folds, processor.state
                )  # fmt: skip
            if pieces == 1:
                bottom_up(
                    processor, mail, rotation, parent_bits, parent_before, parent_begins, parent_columns, parent_names,
                    between,
                )  # fmt: skip
            elif point >= 0:
                bottom_up_in_pieces(
                    processor, rotation, rotated, parent_bits, parent_before, parent_begins, parent_columns,
                    parent_names, between,
                )  # fmt: skip
            rotated += columns
        elif point >= 0 and len(bits):
            hybrid.top_down(
                processor.frontier, words, row, stride, bits, before, begins, edge_names, ends, visited, preds,
                processor.folds, processor.state,
            )  # fmt: skip
        elif point >= 0:
            kernels.expand(
                processor.frontier, words, row, column * rows * block, block, stride, begins, ends, visited, preds,
                processor.folds, processor.state,
            )  # fmt: skip
        began = seconds()
        swap(mail, FOLD, between)
        level += 1
        if point >= 0:
            processor.state[EXPAND_EXCHANGE] = np.int64(1e9 * gathered)
            processor.state[FOLD_EXCHANGE] = np.int64(1e9 * (seconds() - began))
            kernels.update(
                slots, found_at, words, column, stride, level, degrees, visited, levels, finders, processor.message,
                processor.state,
            )  # fmt: skip
            share_state(mail, point, processor.state)
    _exchange_parents(processor, mail, source, numbers, between)
    return 0


@inner
def _start(processor, mail, source):
    """Forget the last search, and visit the source."""
    visited, finders, state, message = processor.visited, processor.finders, processor.state, processor.message
    for w in range(len(visited)):
        visited[w] = 0
    for r in range(len(finders)):
        finders[r] = NONE
    message[0] = 0
    own = source - processor.first
    if 0 <= own < len(processor.parent):
        state[ACTIVE] = 1
        r = own
        if len(processor.names):
            r = np.int64(-1)  # a source without edges has no local id
            for k in range(len(processor.names)):
                if np.int64(processor.names[k]) == source:
                    r = np.int64(k)
        if r >= 0:
            state[EDGES] = processor.degrees[r]
            kernels.visit(visited, np.uint64(processor.column * processor.stride + r))
            processor.levels[r], finders[r] = 0, processor.column
            processor.preds[processor.column * processor.stride + r] = source
            message[0], message[1] = 1, r
    share_state(mail, processor.point, state)


@inner
def _exchange_parents(processor, mail, source, numbers, between):
    """Write the answers, for which owners ask the processors that have the parents."""
    point, columns, words, folds = processor.point, processor.columns, processor.words, processor.folds
    counts = np.zeros(columns, np.int64)
    barrier(mail.control, mail.size)  # the last level is recorded
    if point >= 0:
        kernels.write_levels(
            words, processor.column, processor.stride, processor.first, processor.names, processor.preds,
            processor.levels, processor.finders, folds, counts, processor.distance, processor.parent,
        )  # fmt: skip
        own = source - processor.first
        if 0 <= own < len(processor.parent):  # the source may have no edges, and no local id
            processor.distance[own], processor.parent[own] = 0, source
        state = processor.state
        state[ASKED], state[WORDS] = counts.max(), 0
        for m in range(columns):
            if m != processor.column:
                state[WORDS] += message_words(folds[m * words : (m + 1) * words]) + counts[m]
        share_state(mail, point, state)
    if columns == 1:
        return
    swap(mail, ASK, between)
    rounds = (largest(mail, ASKED) + words - 2) // (words - 1)
    if mail.me == 0:
        numbers[3] = total(mail, WORDS)
        record(between, numbers)
    asked_at, wanted_at = np.zeros(columns + 1, np.int64), np.zeros(columns + 1, np.int64)
    for m in range(columns):
        other = m != processor.column and point >= 0
        asked_at[m + 1] = asked_at[m] + (np.int64(mail.slots[processor.found_at[m]]) if other else 0)
        wanted_at[m + 1] = wanted_at[m] + (counts[m] if other else 0)
    asked, wanted = np.empty(asked_at[columns], np.uint32), np.empty(wanted_at[columns], np.uint32)
    for m in range(columns):
        if m != processor.column and point >= 0:
            at = processor.found_at[m]
            read(mail.slots[at : at + words], 0, asked[asked_at[m] : asked_at[m + 1]])
            read(folds[m * words : (m + 1) * words], 0, wanted[wanted_at[m] : wanted_at[m + 1]])
    for k in range(rounds):
        barrier(mail.control, mail.size)  # all have read what the slots had
        low = k * (words - 1)
        for m in range(columns):
            if m != processor.column and point >= 0:
                first = min(asked_at[m] + low, asked_at[m + 1])
                n = min(words - 1, asked_at[m + 1] - first)
                folds[m * words] = n
                for i in range(n):
                    v = m * processor.stride + np.int64(asked[first + i])
                    folds[m * words + 1 + i] = processor.preds[v]
        swap(mail, FOLD, between)
        for m in range(columns):
            if m != processor.column and point >= 0:
                first = min(wanted_at[m] + low, wanted_at[m + 1])
                for i in range(min(words - 1, wanted_at[m + 1] - first)):
                    r = np.int64(wanted[first + i])
                    place = np.int64(processor.names[r]) - processor.first if len(processor.names) else r
                    processor.parent[place] = mail.slots[processor.found_at[m] + 1 + i]
