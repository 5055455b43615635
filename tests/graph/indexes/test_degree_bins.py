# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rows in the order of their classes of degrees, and the items that warps take of them."""

import itertools

import numpy as np
import pytest

import lux
from lux.errors import ConfigurationError
from lux.graph.core.stored_graph import MOST_ON_GPUS
from lux.graph.indexes import degree_bins
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
from lux.graph.indexes.warp_work import HostWarpWork, WarpWork
from lux_cases.stores import to_array


def graph(order="degree"):
    return lux.generate("kronecker:8", seed=3, weights=(1, 255)).reordered(order)


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
@pytest.mark.parametrize("each", [0, 1])
def test_work_of_any_partition_is_cut_from_rows_by_class(n, kind, each, monkeypatch):
    monkeypatch.setattr(degree_bins, "ROWS_OF_A_THREAD", 1000)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    rng = np.random.default_rng(n)
    hubs = np.clip(rng.zipf(1.3, n) - 1, 0, 40_000)
    degrees = {
        "few": lambda: rng.poisson(5, n),
        "many": lambda: rng.integers(0, 5000, n),
        "hubs": lambda: hubs,
        "by degree": lambda: np.sort(hubs)[::-1],
        "hubs last": lambda: np.sort(hubs),
    }[kind]()
    rows = DegreeBins(np.cumsum([11, *(degrees + each)]), each)
    classes = class_of(degrees)
    order = np.argsort(classes, kind="stable")
    assert (rows.order is None) == (order == np.arange(n)).all()
    assert rows.order is None or rows.order.tolist() == order.tolist()
    assert rows.costs.tolist() == [0, *np.cumsum(degrees[order] + ROW_COST).tolist()]
    cuts = np.sort(rng.integers(0, n + 1, 6)).tolist()
    for lo, hi in [(0, n), (0, 0), (n, n), (max(n - 1, 0), n), *itertools.pairwise(cuts)]:
        positions = np.argsort(classes[lo:hi], kind="stable")
        expected, hubs = plainly_cut(degrees[lo:hi][positions])
        items, segments = rows.items(lo, hi)
        assert segments == hubs
        assert items.dtype == np.uint32
        assert items.shape == expected.shape
        spans = rows.spans(lo, hi)
        assert np.diff(spans).ravel().tolist() == np.bincount(classes[lo:hi], minlength=len(CLASSES)).tolist()
        # Where a row lies in the order of all, and in the order of the partition's.
        of_all = np.concatenate([np.arange(*span) for span in spans.tolist()])
        if rows.order is None:
            of_all = np.arange(hi - lo)
        else:
            assert rows.order[of_all].tolist() == (lo + positions).tolist()
        is_hub = np.arange(len(expected)) < hubs
        assert items[:, 0].tolist() == of_all[expected[:, 0]].tolist()
        assert items[is_hub, 1].tolist() == expected[is_hub, 1].tolist()
        assert items[~is_hub, 1].tolist() == (of_all[expected[~is_hub, 1].astype(int) - 1] + 1).tolist()


def test_more_rows_than_items_can_number():
    many = np.broadcast_to(np.int64(0), (MOST_ON_GPUS + 1,))
    with pytest.raises(ConfigurationError, match=r"fewer than 4,293,918,720 vertices.*use device='cpu'"):
        DegreeBins(many)


@pytest.mark.check
def test_items_cover_all_rows_once():
    degrees = np.sort(np.random.default_rng(1).zipf(1.5, 5000) % 20000)[::-1].astype(np.int64)
    items, segments = DegreeBins(np.cumsum([0, *degrees])).items(0, len(degrees))
    hubs, rest = np.split(items.astype(np.int64), [segments])
    assert np.bincount(hubs[:, 0]).sum() == -(-degrees[degrees >= 4096] // 4096).sum()
    np.testing.assert_array_equal(rest[1:, 0], rest[:-1, 1])
    assert rest[-1, 1] == len(degrees)
    for first, end in rest.tolist():
        assert len(set(class_of(degrees[first:end]).tolist())) == 1


@pytest.mark.parametrize("degree, rows", [(0, 10), (1, 100_000), (63, 5000), (5000, 40), (4097, 1000)])
def test_items_of_work(degree, rows):
    items, _ = DegreeBins(np.arange(rows + 1) * degree).items(0, rows)
    assert len(items) <= most_items(rows, degree * rows)


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("parts", [1, 3])
def test_work_of_partitions(parts, order):
    layout = graph(order).layout(parts)
    work = WarpWork.of_host(HostWarpWork(layout.points, layout.word_at, layout.row_classes))
    held = to_array(work.store)
    spans = np.asarray(work.rows.legate.get_physical_store()).view(np.int64).reshape(parts, -1)
    assert (
        layout.row_classes.order is None
        or to_array(layout.row_classes.store).tolist() == layout.row_classes.order.tolist()
    )
    for part in range(parts):
        lo, hi = layout.points[part : part + 2].tolist()
        mine = held[spans[part, 0] : spans[part, 1] + 1].view(np.uint8)
        assert len(mine) == work.at["items"][part] + 8 * work.n_items[part]
        found = mine[work.at["points"][part] :][: 8 * (parts + 1)].view(np.int64)
        np.testing.assert_array_equal(found, layout.points)
        found = mine[work.at["word_at"][part] :][: 8 * (parts + 1)].view(np.int64)
        np.testing.assert_array_equal(found, layout.word_at)
        items = mine[work.at["items"][part] :].view(np.uint32).reshape(-1, 2)
        expected, segments = layout.row_classes.items(lo, hi)
        assert work.n_segments[part] == segments
        np.testing.assert_array_equal(items, expected)
