# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Where a graph's memory on a GPU is taken by others, a run is refused before anything is launched."""

import gc

import numpy as np
import pytest

import legate_config
import lux
from lux.engine.gpu.placement import allocation_ledger
from lux.errors import MemoryNeededError
from lux_cases.machine import gpus, on_cores, placed
from lux_cases.stores import finish, give_spare_back

pytestmark = pytest.mark.gpu

MOST = 1 << 28
"""Larger memories take too long to fill."""


def pagerank(graph, **options):
    return lux.pagerank(graph, tol=0, max_iter=3, weight=None, dtype=np.float32, **options)


def graphs(seeds):
    return [lux.generate("uniform:16,16", seed=seed) for seed in seeds]


def test_graphs_until_no_more_fit():
    """All that the account lets run, Legion has room for; and after a graph is dropped there is room again."""
    given = legate_config.settings().fbmem_bytes
    if given > MOST:
        pytest.skip("start with --fbmem 100")
    kept, refused = [], None
    with lux.using(device="gpu"):
        for seed in range(1, 40):
            graph = graphs([seed])[0]
            try:
                kept.append((graph, pagerank(graph, parts=1)))
            except MemoryNeededError as error:
                refused = str(error)
                break
        assert refused is not None
        assert len(kept) >= 2
        assert "hold some of it" in refused
        assert "a graph of 65,536 vertices" in refused
        assert placed()[0].max() <= given
        with lux.using(device="auto"), on_cores("fit neither"):
            assert pagerank(graph, parts=1).device == "cpu"
        first = kept[0][1].ranks.dense()
        del kept[:2]
        finish()
        found = pagerank(graph, parts=1)
        assert found.device == "gpu"
        again = pagerank(graphs([1])[0], parts=1) if allocation_ledger.fits(graph, given // 3) else None
    if again is not None:
        np.testing.assert_array_equal(again.ranks.dense(), first)
    with lux.using(device="cpu"):
        np.testing.assert_allclose(found.ranks.dense(), pagerank(graph).ranks.dense(), rtol=1e-5)


@pytest.mark.parametrize("strategy", ["degree-separated", "hybrid", "two-dimensional"])
def test_searches_leave_nothing_when_graphs_are_dropped(strategy):
    """With --fbmem 100, far more of them than fit at a time."""
    gc.collect()
    give_spare_back()
    before, most = placed()[0], 0
    for seed in range(12):
        graph = lux.generate("kronecker:16", seed=seed).reordered("degree")
        with lux.using(device="gpu"):
            found = lux.bfs(graph, 1, strategy=strategy, parts=gpus())
        most = max(most, int((placed()[0] - before).max()))
        assert found.device == "gpu"
        assert most > 4 * graph.n_edges // gpus()
        del graph, found
        give_spare_back()
        assert (placed()[0] <= before).all()
