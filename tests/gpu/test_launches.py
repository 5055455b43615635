# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Launches on GPUs and CPU cores beside one another."""

import os
from pathlib import Path

import numpy as np
import pytest
from numba import cfunc, types

import lux
from lux import runtime
from lux.runtime import allocations

pytestmark = pytest.mark.gpu


@cfunc(types.int64(types.voidptr, types.int64, types.CPointer(types.int64), types.int64, types.CPointer(types.float64)))
def address(shared, point, stores, n_stores, record):
    """Of the last store, in two halves."""
    at = stores[2 * (n_stores - 1)]
    record[0], record[1] = at >> 32, at & 0xFFFFFFFF
    return 2


def test_cores_and_gpus_have_one_instance():
    """So Legion copies nothing between the launches of an iteration."""
    x = runtime.new_store(np.int64, 64, touched=False)
    runtime.GpuLauncher("touch", outputs={"x": None}, zero_copy=("x",))(1, x=x, key=0, number=0)
    (there,) = runtime.zero_copy_arrays({"x": x}).values()
    key, none = runtime.register(None), np.zeros(1, np.int64)
    runtime.register_body(key, address.address, (none, none), 2)
    rows = runtime.ranges(np.array([0, 16, 64]))
    for launch in ({"inputs": {"x": None}}, {"outputs": {"x": "rows"}}):
        runtime.NativeLauncher("where", **launch, zero_copy=("x",))(2, x=x, rows=rows, key=key)
    runtime.finish()
    found = [runtime.records(key, point).astype(np.int64).reshape(-1, 2) for point in range(2)]
    runtime.unregister_body(key)
    at = [[(high << 32) + low - there.ctypes.data for high, low in rows] for rows in found]
    assert at == [[0, 0], [0, 8 * 16]]


def resident():
    """Bytes of this process in memory, pinned memory included."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_calls_take_no_more_memory():
    """Reports of half a MB in pinned memory, and stores on the GPU, serve the next call."""
    graph = lux.generate("kronecker:15")
    for _ in range(20):
        lux.bfs(graph, 1)
    before = resident()
    for _ in range(200):
        lux.bfs(graph, 1)
    assert resident() - before < 32 * 2**20


def test_spare_stores_make_room():
    """What is kept for reuse counts as taken, and goes where memory is needed."""
    if runtime.gpus() > 1 or runtime.ranks() > 1:
        pytest.skip("spare stores are for one GPU")
    runtime.give_spare_back()
    store = runtime.new_store(np.uint8, 1 << 20, touched=False)
    runtime.GpuLauncher("touch", outputs={"x": None}, single_point=True)(1, x=store, key=0, number=0)
    taken = allocations.placed().sum()
    del store
    assert allocations.placed().sum() == taken
    runtime.give_spare_back()
    assert allocations.placed().sum() == taken - (1 << 20)
