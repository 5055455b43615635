# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rows sorted by class and cut into items, as `lux.engine.gpu.rows` says, in two sweeps over their offsets.

`count_rows` and `place_rows` are the sweeps of `lux.engine.gpu.row_classes`, which sorts once and cuts later.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def _class_table(classes):
    """The class of each number of edges, and of more than the last."""
    table = np.empty(classes[0] + 2, np.uint8)
    for degree in range(len(table)):
        found = 0
        while classes[found] >= degree:
            found += 1
        table[degree] = found
    return table


@njit(nogil=True, cache=True)
def cut_rows(offsets, classes, segment, row_cost, budgets, is_segment):
    """Positions of rows by class (empty if that is their order), and items.

    Parameters
    ----------
    offsets : np.ndarray of shape (n_rows + 1,), int64
        Of the rows' edges; any that differ by the rows' numbers of edges.
    classes : np.ndarray of int64
        ``CLASSES`` of `lux.engine.gpu.rows`; the first are hubs.
    segment, row_cost, is_segment : int
        See there.
    budgets : (int, int, int)
        ``ITEMS_WANTED``, ``LEAST`` and ``MOST``.

    Returns
    -------
    order : np.ndarray of shape (n_rows,) or (0,), uint32
    items : np.ndarray of shape (n_items, 2), uint32
    """
    n, many, table = len(offsets) - 1, len(classes), _class_table(classes)
    most = np.int64(len(table) - 1)
    count, cost = np.zeros(many, np.int64), np.zeros(many, np.int64)
    segments, before, in_order = 0, 0, True
    for i in range(n):
        degree = offsets[i + 1] - offsets[i]
        c = table[min(degree, most)]
        in_order &= c >= before
        before = c
        count[c] += 1
        cost[c] += degree + row_cost
        if c == 0:
            segments += -(-degree // segment)
    edges = offsets[n] - offsets[0]
    budget = min(max(edges // budgets[0], budgets[1]), budgets[2])
    pieces, at, item_at = np.zeros(many, np.int64), np.zeros(many, np.int64), np.zeros(many + 1, np.int64)
    for c in range(many):
        pieces[c] = -(-cost[c] // budget)
        at[c] = count[:c].sum()
        item_at[c + 1] = item_at[c] + (segments if c == 0 else min(pieces[c], count[c]))
    first, last, done, next_item = at.copy(), at.copy(), np.zeros(many, np.int64), np.ones(many, np.int64)
    ends = np.full(many, np.inf)  # what the next item of each class begins with
    for c in range(many):
        if pieces[c] > 1:
            ends[c] = cost[c] / pieces[c]
    order = np.empty(0 if in_order else n, np.uint32)
    items = np.empty((item_at[many], 2), np.uint32)
    made = item_at[:many].copy()
    for i in range(n):
        degree = offsets[i + 1] - offsets[i]
        c = table[min(degree, most)]
        k = at[c]
        at[c] += 1
        if not in_order:
            order[k] = i
        if c == 0:
            for number in range(-(-degree // segment)):
                items[made[0], 0], items[made[0], 1] = k, is_segment + number
                made[0] += 1
            continue
        done[c] += degree + row_cost
        if done[c] < ends[c]:
            continue
        while done[c] >= ends[c]:
            next_item[c] += 1
            ends[c] = next_item[c] * (cost[c] / pieces[c]) if next_item[c] < pieces[c] else np.inf
        if k > last[c]:
            items[made[c], 0], items[made[c], 1] = last[c], k
            made[c] += 1
            last[c] = k
    for c in range(1, many):
        if count[c]:
            items[made[c], 0], items[made[c], 1] = last[c], first[c] + count[c]
            made[c] += 1
    total = np.int64(0)
    for c in range(many):  # classes may have fewer items than there is room for
        for k in range(item_at[c], made[c]):
            items[total, 0], items[total, 1] = items[k, 0], items[k, 1]
            total += 1
    return order, items[:total]


@njit(nogil=True, cache=True)
def count_rows(offsets, each, lo, hi, classes, row_cost):
    """How many rows of ``lo`` to ``hi - 1`` are of each class, what they cost, and whether they are in that order.

    Parameters
    ----------
    offsets : np.ndarray of shape (n_rows + 1,), int64
        In-edges before each row, where a row counts as ``each`` besides.
    each, lo, hi : int
    classes, row_cost
        As of `cut_rows`.

    Returns
    -------
    count, cost : np.ndarray of shape (len(classes),), int64
    first, last : int
        Class of the first and of the last row; the first is -1 where rows are in another order.
    """
    table, many = _class_table(classes), len(classes)
    most = np.int64(len(table) - 1)
    count, cost = np.zeros(many, np.int64), np.zeros(many, np.int64)
    first, before, in_order = np.int64(0), np.int64(0), True
    for i in range(lo, hi):
        degree = offsets[i + 1] - offsets[i] - each
        c = np.int64(table[min(degree, most)])
        first = c if i == lo else first
        in_order &= c >= before
        before = c
        count[c] += 1
        cost[c] += degree + row_cost
    return count, cost, first if in_order else np.int64(-1), before


@njit(nogil=True, cache=True)
def place_rows(offsets, each, lo, hi, classes, row_cost, at, cost_at, order, costs):
    """Write the rows ``lo`` to ``hi - 1`` into ``order``, those of each class from ``at`` on, and costs beside them.

    ``costs[k + 1]`` is what the rows of ``order`` up to ``k`` cost; ``cost_at`` says it of those before ``at``. Both
    are changed. An empty ``order`` is not written. The other parameters are those of `count_rows`.
    """
    table = _class_table(classes)
    most, writes = np.int64(len(table) - 1), len(order) > 0
    for i in range(lo, hi):
        degree = offsets[i + 1] - offsets[i] - each
        c = table[min(degree, most)]
        k = at[c]
        at[c] = k + 1
        cost_at[c] += degree + row_cost
        costs[k + 1] = cost_at[c]
        if writes:
            order[k] = i
