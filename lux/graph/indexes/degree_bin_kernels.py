# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Degree bins: rows sorted by class (see `lux.graph.indexes.degree_bins`) in two sweeps over their offsets."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit


@njit(nogil=True, cache=True)
def _class_table(classes):
    """Tabulate the class of each number of edges, and of more than the last."""
    table = np.empty(classes[0] + 2, np.uint8)
    for degree in range(len(table)):
        found = 0
        while classes[found] >= degree:
            found += 1
        table[degree] = found
    return table


@njit(nogil=True, cache=True)
def count_rows(offsets, classes, row_cost):
    """Count the rows of each class and their cost, and tell whether they are in that order.

    Parameters
    ----------
    offsets : np.ndarray of shape (n_rows + 1,), int64
        In-edges before each row.
    classes : np.ndarray of int64
        ``CLASSES`` of `lux.graph.indexes.degree_bins`; the first are hubs.
    row_cost : int
        ``ROW_COST`` of the same module.

    Returns
    -------
    count, cost : np.ndarray of shape (len(classes),), int64
    in_order : bool
    """
    table, many = _class_table(classes), len(classes)
    most = np.int64(len(table) - 1)
    count, cost = np.zeros(many, np.int64), np.zeros(many, np.int64)
    before, in_order = np.int64(0), True
    for i in range(len(offsets) - 1):
        degree = offsets[i + 1] - offsets[i]
        c = np.int64(table[min(degree, most)])
        in_order &= c >= before
        before = c
        count[c] += 1
        cost[c] += degree + row_cost
    return count, cost, in_order


@njit(nogil=True, cache=True)
def place_rows(offsets, classes, row_cost, at, cost_at, order, costs):
    """Write the rows into ``order``, each class from ``at`` on, and costs beside them.

    ``costs[k + 1]`` is the cost of the rows of ``order`` up to ``k``; ``cost_at`` is the cost before ``at``. Both are
    changed. An empty ``order`` is not written. The other parameters are those of `count_rows`.
    """
    table = _class_table(classes)
    most, writes = np.int64(len(table) - 1), len(order) > 0
    for i in range(len(offsets) - 1):
        degree = offsets[i + 1] - offsets[i]
        c = table[min(degree, most)]
        k = at[c]
        at[c] = k + 1
        cost_at[c] += degree + row_cost
        costs[k + 1] = cost_at[c]
        if writes:
            order[k] = i
