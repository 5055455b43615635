# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Each partition's data has its rows by class, and items that are cut from them."""

import numpy as np
import pytest

import lux
from lux.graph.indexes import warp_work
from lux.graph.indexes.degree_bins import DegreeBins
from lux_cases.stores import to_array

GRAPHS = {
    "kronecker": lambda: lux.generate("kronecker:9,40", seed=3),
    "by degree": lambda: lux.generate("rmat:9,4", seed=3).reordered("degree"),
    "hub": lambda: lux.from_edges(np.arange(9000), np.full(9000, 70), directed=False),
    "few": lambda: lux.toy.path(3),
    "in order": lambda: lux.from_edges([0, 1, 2, 3, 4], [0, 1, 2, 3, 4]),
}


@pytest.mark.check
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("parts", [1, 3])
def test_rows_and_items(name, parts):
    graph = GRAPHS[name]()
    layout = graph.layout(parts)
    work, offsets = warp_work.on_cores(layout), to_array(graph.offsets)
    words, ordered = to_array(work.store), []
    spans = np.asarray(work.rows.legate.get_physical_store()).view(np.int64).reshape(parts, -1)
    for part in range(parts):
        lo, hi = layout.points[part : part + 2].tolist()
        mine = words[spans[part, 0] : spans[part, 1] + 1].view(np.uint8)
        assert mine[work.at["points"][part] :][: 8 * (parts + 1)].view(np.int64).tolist() == layout.points.tolist()
        assert mine[work.at["word_at"][part] :][: 8 * (parts + 1)].view(np.int64).tolist() == layout.word_at.tolist()
        bins = DegreeBins(offsets[lo : hi + 1])
        expected, segments = bins.items()
        ordered.append(bins.order is None)
        assert (work.n_items[part], work.n_segments[part]) == (len(expected), segments)
        items = mine[work.at["items"][part] :].view(np.uint32).reshape(-1, 2)[: len(expected)]
        np.testing.assert_array_equal(items, expected)
        if "rows" in work.at:
            rows = mine[work.at["rows"][part] :].view(np.uint32)[: hi - lo]
            np.testing.assert_array_equal(rows, lo + (np.arange(hi - lo) if bins.order is None else bins.order))
    assert ("rows" in work.at) == (not all(ordered))
