# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import lux
from lux.algorithms.bfs.distributed.edge_distribution import by_row, distribute
from lux_cases.stores import to_array


@pytest.mark.parametrize("bins", [1, 2, 5])
def test_every_edge_is_in_its_bin_once(bins):
    graph = lux.generate("rmat:8,4", seed=2)

    def rule(sources, destinations):
        bin_of = ((sources.astype(np.int64) * 7 + destinations) % bins).astype(np.int32)
        bin_of[sources == 3] = -1
        return bin_of, sources, destinations

    distributed = distribute(graph, bins, rule)
    rows, columns = to_array(distributed.rows), to_array(distributed.columns)
    u, v = graph.dense_edge_arrays()
    kept = u != 3
    bin_of = (u * 7 + v) % bins
    for b in range(bins):
        mine = slice(distributed.at[b], distributed.at[b + 1])
        expected = kept & (bin_of == b)
        assert (rows[mine] == u[expected]).all()
        assert (columns[mine] == v[expected]).all()
    sorted_rows = by_row(distributed, np.full(bins, graph.n_vertices))
    offsets, ends = to_array(sorted_rows.offsets), to_array(sorted_rows.columns)
    for b in range(bins):
        lo, hi = sorted_rows.cuts["offsets"][b]
        own, expected = offsets[lo:hi], kept & (bin_of == b)
        assert np.diff(own).tolist() == np.bincount(u[expected], minlength=graph.n_vertices).tolist()
        order = np.lexsort((v[expected], u[expected]))
        lo, hi = sorted_rows.cuts["columns"][b]
        assert ends[lo:hi].tolist() == v[expected][order].tolist()


@pytest.mark.check
def test_bins_may_be_empty():
    graph = lux.toy.path(4)
    distributed = distribute(graph, 3, lambda u, v: (np.ones(len(u), np.int32), u, v))
    assert distributed.at.tolist() == [0, 0, 3, 3]
    assert to_array(by_row(distributed, np.array([0, 4, 2])).columns)[:3].tolist() == [1, 2, 3]
