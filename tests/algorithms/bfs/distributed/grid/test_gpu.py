# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Grids of GPUs, as far as they can be looked at without one: edges, arguments, memory and refusals."""

import numpy as np
import pytest

import lux
from lux.algorithms.bfs import published
from lux.algorithms.bfs.distributed.edge_distribution import by_row, distribute
from lux.algorithms.bfs.distributed.grid import gpu, gpu_edges, gpu_search, hybrid, two_dimensional
from lux.algorithms.bfs.distributed.processor_grid import Grid
from lux.errors import ConfigurationError, MemoryNeededError
from lux_cases.cuda import constant
from lux_cases.machine import on_cores
from lux_cases.stores import to_array

NAMES = ("two-dimensional", "hybrid")


def distributed(strategy, graph, parts):
    if strategy == "hybrid":
        return gpu_edges.hybrid(graph, parts, hybrid.rule)
    return gpu_edges.two_dimensional(graph, parts, two_dimensional.rule(Grid.over(graph.n_vertices, parts)))


@pytest.mark.check
def test_the_kernel_has_the_same_numbers():
    assert constant("MOST_PROCESSORS", "grid_state.cuh") == gpu.MOST_PROCESSORS
    assert constant("THREADS", "warps.cuh") == gpu_search.THREADS
    assert constant("DEFER_EDGES", "warps.cuh") == gpu.DEFER_EDGES
    assert 1 << (64 - constant("EDGE_BITS", "grid_state.cuh")) == gpu.MOST_COLUMNS


@pytest.mark.parametrize("strategy", NAMES)
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("parts", [1, 2, 4, 6])
def test_every_array_has_its_place(strategy, directed, parts):
    graph = lux.generate("rmat:9,4" if directed else "kronecker:9")
    edges = distributed(strategy, graph, parts)
    given = {*gpu_search.addresses(edges), *edges.scratch.at}
    assert not set(gpu_search.addresses(edges)) & set(edges.scratch.at)
    pointers = {name for name, kind in gpu_search.MEMBERS.items() if kind.endswith("*")}
    missing = pointers - given - {"base", "distance", "parent", "arrivals", "outcome", "notes"}
    unused = {"offsets", "columns_of"} if strategy == "hybrid" else {
        "names", "degrees", "by_source", "source_edges", "by_row", "row_edges", "rotating", "deferred"
    }  # fmt: skip
    unused |= {"by_row", "row_edges", "rotating", "deferred"} if directed else set()
    unused |= {"fresh", "lists", "finders", "rotating"} if edges.grid.columns == 1 else set()
    unused |= {"front_all"} if edges.grid.rows == 1 else set()
    unused |= {"by_place", "inbox", "vertices", "sends", "slots"}  # places are ids
    assert missing == unused
    needed = {"two-dimensional": gpu_edges.two_dimensional_bytes, "hybrid": gpu_edges.hybrid_bytes}[strategy]
    if parts == 1:
        assert edges.nbytes <= needed(graph, parts) <= 1.3 * edges.nbytes
    assert edges.nbytes > 4 * graph.n_edges / parts


@pytest.mark.parametrize("parts", [1, 2])
def test_the_graphs_own_rows_are_what_is_dealt(parts):
    graph = lux.generate("kronecker:9", seed=3)
    grid = Grid.over(graph.n_vertices, parts)
    assert gpu_edges.are_own_rows(graph, grid)
    edges = distributed("two-dimensional", graph, parts)
    rows = by_row(distribute(graph, parts, two_dimensional.rule(grid)), np.full(parts, grid.local_columns))
    offsets, columns = to_array(graph.offsets), to_array(graph.sources)
    all_offsets, all_columns = to_array(rows.offsets), to_array(rows.columns)
    for part in range(parts):
        (a, b), (c, d) = edges.cuts["offset_rows"][part], edges.cuts["column_rows"][part]
        (e, f), (g, h) = rows.cuts["offsets"][part], rows.cuts["columns"][part]
        np.testing.assert_array_equal(offsets[a:b] - offsets[a], all_offsets[e:f])
        np.testing.assert_array_equal(np.sort(columns[c:d]), np.sort(all_columns[g:h]))
        assert edges.before["columns_of"][part] == 4 * offsets[a]
    assert not gpu_edges.are_own_rows(lux.generate("rmat:9,4"), grid)
    assert not gpu_edges.are_own_rows(graph, Grid.over(graph.n_vertices, 4))
    assert not gpu_edges.are_own_rows(lux.toy.path(5, directed=False), Grid.over(5, 2))


@pytest.mark.parametrize("strategy", NAMES)
def test_refusals(strategy, pretend_gpus, monkeypatch):
    graph, module = lux.generate("kronecker:8"), published.BY_NAME[strategy].module()
    pretend_gpus(2)
    assert module.processors(graph, 2) == 2
    assert module.processors(graph, None) == 1
    with on_cores("each processor is a GPU"):
        assert module.processors(graph, 3) == 0
    with lux.using(device="cpu"):
        assert module.processors(graph, 2) == 0
    with lux.using(device="gpu"):
        with pytest.raises(ConfigurationError, match=r"parts=3 .* Legate was given 2: pass parts=1 to 2, or --gpus 3"):
            lux.bfs(graph, 0, strategy=strategy, parts=3)
        pretend_gpus(2, distinct=False)
        with pytest.raises(ConfigurationError, match="--min-gpu-chunk 1"):
            lux.bfs(graph, 0, strategy=strategy, parts=2)
        pretend_gpus(2, peers=False)
        with pytest.raises(ConfigurationError, match="pass parts=1"):
            lux.bfs(graph, 0, strategy=strategy, parts=2)
        monkeypatch.setattr(gpu, "MOST_COLUMNS", 256)
        with pytest.raises(ConfigurationError, match="edges from 256 vertices"):
            lux.bfs(graph, 0, strategy=strategy, parts=1)
        monkeypatch.undo()
        pretend_gpus(2, ranks=2, apart="processes share a GPU")
        with pytest.raises(ConfigurationError, match="processes share a GPU"):
            lux.bfs(graph, 0, strategy=strategy, parts=2)
        pretend_gpus(4, ranks=2)
        with pytest.raises(ConfigurationError, match="takes all 4 GPUs of 2 processes: leave parts out"):
            lux.bfs(graph, 0, strategy=strategy, parts=2)


@pytest.mark.parametrize("strategy", NAMES)
def test_what_does_not_fit(strategy, pretend_gpus):
    graph, module = lux.generate("kronecker:12"), published.BY_NAME[strategy].module()
    pretend_gpus(2, fbmem=1 << 16)
    with on_cores("no room for that"):
        assert module.processors(graph, 2) == 0
    with lux.using(device="gpu"), pytest.raises(MemoryNeededError, match=f"{strategy}.*--fbmem"):
        lux.bfs(graph, 0, strategy=strategy, parts=2)


@pytest.mark.parametrize("strategy", NAMES)
def test_where_one_gpu_is_dealt_too_many_edges(strategy, pretend_gpus, monkeypatch):
    graph, module = lux.generate("kronecker:8"), published.BY_NAME[strategy].module()
    monkeypatch.setattr(module, "processors", lambda graph, parts: 2)  # what is needed at least is there
    pretend_gpus(2, fbmem=1 << 12)
    with on_cores("no room for that"):
        assert lux.bfs(graph, 0, strategy=strategy, parts=2).device == "cpu"
    with lux.using(device="gpu"), pytest.raises(MemoryNeededError, match=f"{strategy}' with 2 processors.*--fbmem"):
        lux.bfs(graph, 0, strategy=strategy, parts=2)


def test_numbers_of_each_processor():
    graph = lux.generate("rmat:9,4")
    arguments = gpu_search.arguments_of(graph, distributed("two-dimensional", graph, 4))
    arguments.set(source=7)
    of = {name: arguments.words[:, arguments.at[name]].tolist() for name in gpu_search.MEMBERS}
    assert (of["row"], of["column"]) == ([0, 1, 0, 1], [0, 0, 1, 1])
    assert (of["first"], of["first_column"], of["n_own"]) == ([0, 128, 256, 384], [0, 0, 256, 256], [128] * 4)
    assert (of["source"], of["directed"], of["n_edges"]) == ([7] * 4, [1] * 4, [graph.n_edges] * 4)
