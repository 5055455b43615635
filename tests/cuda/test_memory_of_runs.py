# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What runs on one GPU say that they need of its memory is no less than what they take there."""

import pytest

import lux
from lux.engine.gpu.single import GpuRun
from lux_cases.builtin import BreadthFirstSearch, PageRank32, ShortestPathsFloat32, SmallestLabel

PROGRAMS = {
    PageRank32: {"alpha": 0.85, "stop": 0.0},
    SmallestLabel: {},
    ShortestPathsFloat32: {"source": 1, "cutoff": 1e9},
    BreadthFirstSearch: {"source": 1},
}


@pytest.fixture(scope="module", params=["kronecker:8", "rmat:12,1", "grid:40x40"])
def graph(request):
    return lux.generate(request.param, seed=3, weights=(1, 255))


@pytest.mark.parametrize("model", ["auto", "pull", "push"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_one_gpu(machine, graph, program, model):
    with machine():
        run = GpuRun(program, graph, {}, PROGRAMS[program], model, 50)
        stores = {id(store): store.nbytes for store in run.static().values()}
        items = run.layout.gpu_rows.n_items
    fields = sum(run.itemsize(f) for f in (*run.writer.state, *run.writer.swapped)) * graph.n_vertices
    scratch = run.scratch(items)  # the machine's has gaps
    assert sum(stores.values()) + fields + scratch.nbytes <= run.memory_bytes()
