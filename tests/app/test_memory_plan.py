# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Plans of runs on machines that are not there: 100 billion edges fit, and small runs are planned as they are."""

import pytest

import lux
from lux.app.info import gpu_memory
from lux.app.memory_plan import A_GPU, A_NODE, PlannedGraph, plan
from lux_cases.builtin import BreadthFirstSearch, PageRank, SmallestLabel

PROGRAMS = {PageRank: {"alpha": 0.85, "stop": 0.0}, SmallestLabel: {}, BreadthFirstSearch: {"source": 1}}
H200, NODE = 141 << 30, 2 << 40
"""Bytes of a GPU, and of a node with eight."""


@pytest.mark.check
@pytest.mark.parametrize("program", PROGRAMS)
def test_100_billion_edges_on_256_nodes_of_8_gpus(program):
    found = plan(program, PROGRAMS[program], PlannedGraph(3_125_000_000, 100_000_000_000), 256, 8)
    assert {array.owner for array in found} == {A_GPU, A_NODE}
    assert all(array.nbytes > 0 for array in found)
    assert sum(array.nbytes for array in found if array.owner == A_GPU) < H200
    assert sum(array.nbytes for array in found if array.owner == A_NODE) < NODE
    edges = dict.fromkeys(("sources of in-edges", *["destinations of out-edges"] * (program is not PageRank)), 1)
    assert {array.name for array in found if array.nbytes == 4 * -(-100_000_000_000 // 2048)} >= edges.keys()


def test_a_plan_is_what_lux_info_says(pretend_gpus):
    graph = lux.generate("grid:64x64")
    pretend_gpus(4, ranks=2)
    said = {row["algorithm"]: row["bytes"] for row in gpu_memory(graph, parts=4)}["pagerank, 4 partitions, device"]
    planned = plan(PageRank, PROGRAMS[PageRank], PlannedGraph(graph.n_vertices, graph.n_edges, directed=False), 2, 2)
    assert sum(array.nbytes for array in planned if array.owner == A_GPU) == pytest.approx(said, rel=0.05)
