# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What runs on partitions say that they need of a GPU's memory is no less than what they take there."""

from types import SimpleNamespace

import numpy as np
import pytest

import lux
from lux.engine.gpu import part_launches, parts
from lux.engine.gpu.parts import MOST_MESSAGING, PartitionedGpuRun
from lux_cases.builtin import BreadthFirstSearch, PageRank32, ShortestPathsFloat32, SmallestLabel

GRAPHS = ("kronecker:8", "rmat:12,1", "grid:40x40")


class Wide(lux.Program):
    """Vectors that are added up."""

    p = lux.field(np.float32, shape=48, reduce=lux.ADD)

    def start(v, params):
        v.p[0] = 1.0

    def compute(v, u, edge, params):
        return u.p

    def update(v, old, params):
        v.p *= 0.5


PROGRAMS = {
    PageRank32: {"alpha": 0.85, "stop": 0.0},
    SmallestLabel: {},
    ShortestPathsFloat32: {"source": 1, "cutoff": 1e9},
    BreadthFirstSearch: {"source": 1},
    Wide: {},
}


@pytest.fixture(scope="module", params=GRAPHS)
def graph(request):
    return lux.generate(request.param, seed=3, weights=(1, 255))


def rectangles(store):
    return np.asarray(store.legate.get_physical_store()).view(np.int64).reshape(-1, 2)


def bytes_on_parts(run):
    """Bytes of all stores of a run on the GPU that has most, where each partition has one."""
    writer, layout = run.writer, run.layout
    work = part_launches.warp_work.on_cores(layout)
    scratch = run.scratch(max(work.n_items), int(layout.members.sizes.max()) if run.lists else 0)
    static, splits = run.static()
    found = np.full(run.parts, scratch.nbytes)
    cuts = {name: rectangles(store) for name, store in run.split_stores(scratch, work).items()}
    for name, store in (static | {"work": work.store}).items():
        split = (splits | {"work": "work_rows"})[name]
        sizes = 1 if split is None else np.maximum(np.diff(cuts[split], axis=1).ravel() + 1, 0)
        found += sizes * (store.nbytes if split is None else store.dtype.itemsize)
    for name in (*writer.state, *writer.swapped):
        whole = run.split_by(name) is None
        if not (whole and run.zero_copy):
            found += run.bytes_of([name]) * (run.graph.n_vertices if whole else np.diff(layout.points))
    return int(found.max())


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("placement", ["peer", "device", "zero-copy"])
@pytest.mark.parametrize("model", ["auto", "pull"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_partitions(graph, program, model, placement, parts):
    run = PartitionedGpuRun(program, graph, {}, PROGRAMS[program], model, 50, parts, placement=placement)
    assert bytes_on_parts(run) <= run.memory_bytes()[0]


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("placement", ["peer", "device"])
@pytest.mark.parametrize("program", [PageRank32, ShortestPathsFloat32])
def test_what_cpu_cores_make_before_a_run(program, placement, parts):
    g = lux.generate("rmat:8,4", seed=3, weights=(1, 255))
    run = PartitionedGpuRun(program, g, {}, PROGRAMS[program], "auto", 50, parts, placement=placement)
    needed, before = (
        run.host_bytes(),
        {id(s) for s in (g.offsets, g.sources, g.out_degree_store, *g.properties.values())},
    )
    made = [s for s in {id(s): s for s in run.static()[0].values()}.values() if id(s) not in before]
    assert sum(s.nbytes for s in made) <= needed + 8 * parts
    assert run.host_bytes() == 0


def test_partitions_of_several_processes_that_send_each_other_messages_are_limited(monkeypatch):
    assert "device" in PartitionedGpuRun.placements(MOST_MESSAGING + 1)  # of one process
    two = SimpleNamespace(ranks=lambda: 2, gpus=lambda: 2, processes_share_gpus=lambda: False)
    monkeypatch.setattr(parts, "runtime", two)
    assert PartitionedGpuRun.placements(MOST_MESSAGING) == ["device", "zero-copy"]
    assert PartitionedGpuRun.placements(MOST_MESSAGING + 1) == ["zero-copy"]
