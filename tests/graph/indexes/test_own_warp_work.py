# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Work that processes make of their own partitions' rows is that which is cut from the rows of all."""

import numpy as np
import pytest

import lux
from lux.graph.indexes import own_warp_work
from lux_cases.stores import to_array

GRAPHS = {
    "kronecker": lambda: lux.generate("kronecker:9,40", seed=3),
    "by degree": lambda: lux.generate("rmat:9,4", seed=3).reordered("degree"),
    "hub": lambda: lux.from_edges(np.arange(9000), np.full(9000, 70), directed=False),
    "few": lambda: lux.toy.path(3),
}


@pytest.mark.check
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("parts", [1, 3])
def test_it_is_the_same(name, parts):
    layout = GRAPHS[name]().layout(parts)
    classes, work = layout.row_classes, own_warp_work.make(layout)
    words = to_array(work.store)
    for part in range(parts):
        lo, hi = layout.points[part : part + 2].tolist()
        mine = words[work.starts[part] : work.starts[part + 1]].view(np.uint8)
        tables = mine[: work.at["rows"][part]].view(np.int64)
        np.testing.assert_array_equal(tables, np.concatenate([layout.points, layout.word_at]))
        rows = mine[work.at["rows"][part] :].view(np.uint32)[: hi - lo]
        assert np.sort(rows).tolist() == list(range(lo, hi))
        expected, segments = classes.items(lo, hi)
        assert (work.n_items[part], work.n_segments[part]) == (len(expected), segments)
        items = mine[work.at["items"][part] :].view(np.uint32).reshape(-1, 2)[: len(expected)]
        of_all = np.arange(lo, hi) if classes.order is None else classes.order
        for k, ((first, end), (row, last)) in enumerate(zip(items.tolist(), expected.tolist(), strict=True)):
            if k < segments:
                assert (rows[first], end) == (of_all[row], last)
            else:
                assert rows[first:end].tolist() == of_all[row:last].tolist()
