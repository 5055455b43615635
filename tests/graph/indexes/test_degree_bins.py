# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rows in the order of their classes of degrees, and the items that warps take of them."""

import itertools

import numpy as np
import pytest

from lux.errors import ConfigurationError
from lux.graph.core.stored_graph import MOST_ON_GPUS
from lux.graph.indexes.degree_bins import (
    CLASSES,
    ITEMS_WANTED,
    LEAST,
    MOST,
    ROW_COST,
    SEGMENT,
    DegreeBins,
    most_items,
)


def class_of(degrees):
    """Which of `CLASSES` each row is of."""
    return np.searchsorted(-np.array(CLASSES), -degrees, side="right")


def plainly_cut(degrees):
    """Items of rows that are in the order of their classes, by whole arrays."""
    budget = min(max(int(degrees.sum()) // ITEMS_WANTED, LEAST), MOST)
    ends = np.searchsorted(class_of(degrees), np.arange(len(CLASSES)), side="right").tolist()
    segments = -(-degrees[: ends[0]] // SEGMENT)
    found = [(row, k) for row, count in enumerate(segments.tolist()) for k in range(count)]
    for begin, end in itertools.pairwise(ends):
        if end > begin:
            cost = np.cumsum(degrees[begin:end] + ROW_COST)
            count = -(-int(cost[-1]) // budget)
            inner = np.searchsorted(cost, np.arange(1, count) * (cost[-1] / count)) + begin
            found += itertools.pairwise(np.unique(np.concatenate([[begin], inner, [end]])).tolist())
    return np.array(found, np.int64).reshape(-1, 2), int(segments.sum())


@pytest.mark.parametrize("kind", ["few", "many", "hubs", "by degree", "hubs last"])
@pytest.mark.parametrize("n", [0, 1, 7, 3000, 70_000])
def test_work_is_cut_from_rows_by_class(n, kind):
    rng = np.random.default_rng(n)
    hubs = np.clip(rng.zipf(1.3, n) - 1, 0, 40_000)
    degrees = {
        "few": lambda: rng.poisson(5, n),
        "many": lambda: rng.integers(0, 5000, n),
        "hubs": lambda: hubs,
        "by degree": lambda: np.sort(hubs)[::-1],
        "hubs last": lambda: np.sort(hubs),
    }[kind]()
    rows = DegreeBins(np.cumsum([11, *degrees]))
    order = np.argsort(class_of(degrees), kind="stable")
    assert (rows.order is None) == (order == np.arange(n)).all()
    assert rows.order is None or rows.order.tolist() == order.tolist()
    assert rows.costs.tolist() == [0, *np.cumsum(degrees[order] + ROW_COST).tolist()]
    expected, segments = plainly_cut(degrees[order])
    items, found = rows.items()
    assert found == segments
    assert items.dtype == np.uint32
    np.testing.assert_array_equal(items, expected)


def test_more_rows_than_items_can_number():
    many = np.broadcast_to(np.int64(0), (MOST_ON_GPUS + 1,))
    with pytest.raises(ConfigurationError, match=r"fewer than 4,293,918,720 vertices.*use device='cpu'"):
        DegreeBins(many)


@pytest.mark.check
def test_items_cover_all_rows_once():
    degrees = np.sort(np.random.default_rng(1).zipf(1.5, 5000) % 20000)[::-1].astype(np.int64)
    items, segments = DegreeBins(np.cumsum([0, *degrees])).items()
    hubs, rest = np.split(items.astype(np.int64), [segments])
    assert np.bincount(hubs[:, 0]).sum() == -(-degrees[degrees >= 4096] // 4096).sum()
    np.testing.assert_array_equal(rest[1:, 0], rest[:-1, 1])
    assert rest[-1, 1] == len(degrees)
    for first, end in rest.tolist():
        assert len(set(class_of(degrees[first:end]).tolist())) == 1


@pytest.mark.parametrize("degree, rows", [(0, 10), (1, 100_000), (63, 5000), (5000, 40), (4097, 1000)])
def test_items_of_work(degree, rows):
    items, _ = DegreeBins(np.arange(rows + 1) * degree).items()
    assert len(items) <= most_items(rows, degree * rows)
