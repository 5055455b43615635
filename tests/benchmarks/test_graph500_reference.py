# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the reference checker is given, and how its words are read; the checker itself is not here."""

import doctest
from subprocess import CompletedProcess

import numpy as np
import pytest
from scipy import sparse

import lux
from benchmarks import graph500_reference as reference


def test_examples():
    assert doctest.testmod(reference).failed == 0


def test_edges_come_back_from_48_bits():
    ends = np.random.default_rng(1).integers(0, 2**47, (2, 100))
    u_low, v_low, high = reference.packed(*ends).astype(np.int64).T
    assert (u_low | (high & 0xFFFF) << 32).tolist() == ends[0].tolist()
    assert (v_low | high >> 16 << 32).tolist() == ends[1].tolist()


@pytest.mark.parametrize(
    "code, last, passed",
    [
        (0, "", True),
        (1, "", False),
        (0, "Validation Error: wrong nedge_traversed 1\n", False),
        (0, "No results printed for invalid run.\n", False),
    ],
)
def test_verdicts(code, last, passed):
    said = "".join(f"Validate time for {kernel} {k} is 0.1\n" for kernel in ("BFS", "SSSP") for k in range(2))
    done = CompletedProcess([], code, stdout=last, stderr=said)
    assert reference.verdict(done, 2) == {"validated": {"BFS": 2, "SSSP": 2}, "passed": passed}
    assert not reference.verdict(done, 3)["passed"]


def test_answers_are_trees_of_the_edges_and_can_be_spoilt(tmp_path):
    """Parents as the checker reads them, -1 where no path leads."""
    sources, destinations, weights = reference.edges(6, 1)
    graph = lux.from_edges(sources, destinations, weights, directed=False, n_vertices=64)
    root = int(sources[0])
    (tmp_path / "roots").mkdir()
    reference.write_answers(tmp_path, graph, root, "auto")
    file = tmp_path / "roots" / f"{root}.bfs"
    parents = np.fromfile(file, np.int64)
    matrix = sparse.coo_array((np.ones(len(sources)), (sources, destinations)), (64, 64)).tocsr()
    order = sparse.csgraph.breadth_first_order(matrix, root, directed=False, return_predecessors=False)
    assert sorted(np.flatnonzero(parents >= 0)) == sorted(order)
    assert parents[root] == root
    distances = np.fromfile(tmp_path / "roots" / f"{root}.distances", np.float32)
    assert (distances >= 0).tolist() == (parents >= 0).tolist()
    reference.spoil(file, root)
    changed = np.flatnonzero(np.fromfile(file, np.int64) != parents)
    assert len(changed) == 1
    assert changed[0] != root
