# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the Graph500 needs of a GPU, which can be seen without one."""

import pytest

from lux.algorithms.bfs import gpu as bfs_gpu
from lux.algorithms.bfs import published
from lux.algorithms.sssp import gpu as sssp_gpu
from lux.algorithms.sssp.threads import rows_of
from lux.graph500 import benchmark, on_gpu
from lux.graph500.edge_list import stored


@pytest.mark.parametrize("kernels", [("bfs",), ("bfs", "sssp")])
def test_what_searches_hold_is_counted(kernels):
    plan = benchmark.Plan(8, roots=2, kernels=kernels)
    tuples = stored(plan.edges(8))
    graph = benchmark.construct(tuples, plan)
    needed = on_gpu.memory_bytes(graph, tuples, "auto")
    listed = tuples.sources.nbytes + tuples.destinations.nbytes + sum(p.nbytes for p in tuples.properties.values())
    assert needed > bfs_gpu.memory_bytes(graph) + listed
    if "sssp" in kernels:
        assert needed > sssp_gpu.memory_bytes(graph) + listed
        assert needed > sum(store.nbytes for store in {id(s): s for s in rows_of(graph).values()}.values()) + listed
    for strategy in published.BY_NAME:
        assert on_gpu.memory_bytes(graph, tuples, strategy) > needed + 8 * graph.n_edges
