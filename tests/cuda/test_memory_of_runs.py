# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What runs on one GPU say that they need of its memory is no less than what they take there."""

import pytest

import lux
from lux.app import process_memory
from lux.codegen import cuda_build
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


@pytest.mark.parametrize("built", [True, False])
def test_compilers_take_memory_where_a_program_is_not_compiled(machine, monkeypatch, built):
    monkeypatch.setattr(process_memory, "resident_bytes", lambda: 0)
    monkeypatch.setattr(process_memory, "started_bytes", lambda: 1 << 30)
    monkeypatch.setattr(cuda_build, "is_built", lambda *_: built)
    with machine(), lux.using(device="gpu"):
        rows = process_memory.process_memory(lux.generate("kronecker:8"))
    found = {row["process"]: row["bytes"] - (1 << 30) for row in rows}
    assert found["bfs"] == found["components"] == process_memory.COMPILING
    assert found["pagerank"] == (process_memory.COMPILING if built else process_memory.COMPILING_PROGRAM)
