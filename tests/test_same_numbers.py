# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of Lux that the performance model, which imports no Lux, has written down again."""

import numpy as np
import pytest

from legate_config.flags import BESIDE_GPUS, SMALL_MACHINE
from lux.algorithms.factorization import gpu_text, minimize
from lux.algorithms.factorization.factorization import MAX_ITER, MAX_K
from lux.algorithms.factorization.gpu_text import Shape
from lux.codegen.cuda_arguments import HOT_BYTES
from lux.engine.gpu import parts
from lux.graph.graph import EDGES_PER_THREAD  # before tests change it, which they do while they run
from lux_cases.builtin import BreadthFirstSearch, PageRank, ShortestPathsFloat32, SmallestLabel
from perfmodel import Factors, factors, locality, memory, oversubscribed, profile, steps
from perfmodel.choose_configuration import EDGES_PER_THREAD as IN_THE_MODEL
from perfmodel.programs import program

pytestmark = pytest.mark.check


def test_threads_and_launches():
    assert IN_THE_MODEL == EDGES_PER_THREAD
    assert profile.AHEAD == parts.LAUNCHES_IN_FLIGHT
    assert steps.LARGE == 0.05


def test_the_table_of_hot_vertices():
    assert locality.TABLE_BYTES == HOT_BYTES


def test_edges_in_zero_copy_memory():
    assert oversubscribed.OVERFLOW_PARTS == parts.OVERFLOW_PARTS
    assert (oversubscribed.SMALL_MACHINE, oversubscribed.BESIDE_GPUS) == (SMALL_MACHINE, BESIDE_GPUS)


def test_factorizations():
    assert (MAX_K, tuple(MAX_ITER)) == (factors.MAX_K, factors.METHODS)
    assert (memory.SLOTS, memory.RESULTS, memory.GPU_COPIES) == (minimize.SLOTS, minimize.RESULTS, gpu_text.SLOTS)


@pytest.mark.parametrize("k", [1, 7, 8, 20, 24, 27, 28, 30, 50, 64, 100, 128, 129, 512])
def test_kernels_of_factorizations(k):
    shape = Shape(k, np.dtype(np.float32), "als", 1, np.dtype(np.float32), np.dtype(np.uint32), 1 << 17)
    assert (Factors(k).kernel("gpu") == factors.IN_WARPS) == (shape.group == 32)
    assert factors.fetched(k, "gpu") % (4 * shape.lanes) == 0
    assert 0 <= factors.fetched(k, "gpu") - shape.padded < 4 * shape.lanes


@pytest.mark.parametrize(
    "name, written",
    [
        ("pagerank", PageRank),
        ("components", SmallestLabel),
        ("bfs", BreadthFirstSearch),
        ("sssp", ShortestPathsFloat32),
    ],
)
def test_values_that_cross_are_those_that_neighbours_read(name, written):
    spec = written.spec
    assert program(name).crosses == any(spec.read_from_neighbours(f.name) for f in spec.state)
