# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the strategy ``degree-separated`` plans, needs and refuses on GPUs, which takes none to find out."""

import re

import numpy as np
import pytest

import lux
from lux.algorithms.bfs.distributed.degree_separated import degree_separated, gpu, gpu_memory, gpu_plan
from lux.algorithms.bfs.distributed.degree_separated.build_kernels import DD, DN, ND, NN
from lux.algorithms.bfs.distributed.degree_separated.degree_separated import Options, separation
from lux.errors import ConfigurationError, MemoryNeededError, ParameterError
from lux_cases.cuda import constant, header
from lux_cases.machine import on_cores
from lux_cases.stores import recorded, to_array

ENGINE = "degree-separated"


@pytest.fixture
def graph():
    return lux.generate("kronecker:9,8", seed=1)


@pytest.mark.check
def test_the_kernel_has_the_same_numbers():
    assert constant("DEFER_EDGES", "warps.cuh") == gpu_memory.LONG_EDGES
    assert constant("PIECE_EDGES", "levels_state.cuh") == gpu_memory.PIECE_EDGES
    assert constant("STATISTICS_COLUMNS", "separated_state.cuh") == gpu_plan.COLUMNS
    assert constant("THREADS", "warps.cuh") == gpu_plan.THREADS
    kinds = re.search(r"enum Kind : u32 {(.*?)}", header("separated_state.cuh"))[1]
    assert kinds.strip().split(", ") == [f"NN = {NN}", f"ND = {ND}", f"DN = {DN}", f"DD = {DD}", "KINDS = 4"]


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_shapes_and_memory(graph, parts):
    separated = separation(graph, parts, 8)
    shapes = gpu.shapes(separated)
    store = to_array(separated.store)
    for part, shape in enumerate(shapes):
        subgraphs = separated.subgraphs(part, store[separated.sections.at[part] : separated.sections.at[part + 1]])
        lengths = [np.diff(offsets.astype(np.int64)) for offsets in subgraphs[:4]]
        assert shape.rows.tolist() == [np.count_nonzero(x) for x in lengths]
        assert shape.longest == max(x.max(initial=0) for x in lengths[:2])
        assert [len(x) for x in shape.long] == [0, 0]
        assert shape.far_edges.sum() == np.count_nonzero(subgraphs.nn >= len(lengths[0]))
        assert (shape.far_edges >= separated.far[part]).all()
    for unique in (True, False):
        named = gpu_memory.bins(separated, shapes, unique=unique)
        scratch = gpu_memory.scratch(graph, separated, named)
        needed = gpu_memory.memory_bytes(graph, separated, shapes, unique=unique)
        assert (
            needed > 4 * np.diff(separated.sections.at).max() + 8 * np.diff(separated.points).max() + scratch.nbytes - 1
        )
        assert needed >= gpu_memory.at_least(graph.n_vertices, graph.n_edges, parts)
        at = [*scratch.at.values(), scratch.nbytes]
        room = dict(zip(scratch.at, np.diff(at), strict=True))
        assert room["found"] >= 16 * separated.mask_words
        assert room["bins"] >= 8 * named.sum(axis=1).max()
        assert room["queue"] >= 4 * np.diff(separated.points).max()


def test_long_rows_are_cut():
    lengths = np.array([0, 4096, 3 * 4096, 5, 2 * 4096 + 1])
    found = gpu_memory.segments(lengths)
    assert [(int(x) & 0xFFFFFFFF, int(x) >> 32) for x in found] == [(2, 1), (2, 2), (4, 1), (4, 2)]


def test_where_searches_run(graph, pretend_gpus):
    pretend_gpus(2, fbmem=1 << 40)
    options = degree_separated.DEFAULTS
    for device, parts, expected in (("auto", None, 1), ("auto", 2, 2), ("gpu", 2, 2)):
        with lux.using(device=device):
            assert gpu.processors(graph, parts, options) == expected
    with lux.using(device="auto"), on_cores("parts=3"):
        assert gpu.processors(graph, 3, options) == 0
    with lux.using(device="auto"), on_cores("local_all_to_all=True"):
        assert gpu.processors(graph, 2, Options(local_all_to_all=True)) == 0
    with lux.using(device="auto"), on_cores("direction_optimized=False"):
        assert gpu.processors(graph, 2, Options(direction_optimized=False)) == 0


def test_what_is_refused(graph, pretend_gpus):
    pretend_gpus(2, fbmem=1 << 40)
    star = lux.toy.star(9)
    with lux.using(device="gpu"), recorded() as launches:
        with pytest.raises(ConfigurationError, match=r"parts=3, .* pass parts= 1 to 2, or give Legate 3 GPUs"):
            lux.bfs(graph, 0, strategy=ENGINE, parts=3)
        with pytest.raises(ConfigurationError, match=r"local_all_to_all=True.*leave it out"):
            degree_separated.search(graph, 0, 9, 2, None, options=Options(local_all_to_all=True))
        with pytest.raises(ParameterError, match="directed graph"):
            lux.bfs(star, 0, strategy=ENGINE, parts=2)
        with pytest.raises(ParameterError, match="deterministic=True is asked for"):
            lux.bfs(graph, 0, strategy=ENGINE, parts=2, deterministic=True)
        pretend_gpus(2, peers=False)
        with pytest.raises(ConfigurationError, match="cannot read each other's memory"):
            lux.bfs(graph, 0, strategy=ENGINE, parts=2)
        pretend_gpus(2, ranks=2, apart="processes share a GPU")
        with pytest.raises(ConfigurationError, match="processes share a GPU"):
            lux.bfs(graph, 0, strategy=ENGINE, parts=2)
        pretend_gpus(4, ranks=2)
        with pytest.raises(ConfigurationError, match="takes all 4 GPUs of 2 processes: leave parts out"):
            lux.bfs(graph, 0, strategy=ENGINE, parts=2)
    assert not launches


def test_what_does_not_fit(graph, pretend_gpus, monkeypatch):
    pretend_gpus(2, fbmem=1 << 13)
    least = r"on 2 GPUs needs at least \d+ MiB on a GPU.* --fbmem \d+"
    with lux.using(device="gpu"), recorded() as launches, pytest.raises(MemoryNeededError, match=least):
        lux.bfs(graph, 0, strategy=ENGINE, parts=2)
    assert not launches
    least = gpu_memory.at_least(graph.n_vertices, graph.n_edges, 2)
    pretend_gpus(2, fbmem=least + 1)
    with lux.using(device="gpu"), pytest.raises(MemoryNeededError, match=r"on 2 GPUs needs \d+ MiB.* --fbmem \d+"):
        lux.bfs(graph, 0, strategy=ENGINE, parts=2)
    monkeypatch.setattr(gpu, "LONGEST", 8)
    pretend_gpus(2, fbmem=1 << 40)
    with lux.using(device="gpu"), pytest.raises(ConfigurationError, match="pass a lower threshold"):
        degree_separated.search(graph, 0, 9, 2, None, threshold=100)


def test_cpu_cores_take_what_does_not_fit(graph, pretend_gpus):
    pretend_gpus(2, fbmem=1 << 13)
    with on_cores("no room for that"):
        found = lux.bfs(graph, 0, strategy=ENGINE, parts=2)
    assert found.device == "cpu"
