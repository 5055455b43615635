# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The account of what stores take of GPUs' memory."""

import numpy as np
import pytest

from lux import runtime
from lux.runtime import allocations


@pytest.fixture
def machine(monkeypatch):
    monkeypatch.setattr(allocations, "noted", allocations.Noted())

    def make(gpus, ranks=1):
        monkeypatch.setattr(allocations, "gpus", lambda: gpus)
        monkeypatch.setattr(allocations, "ranks", lambda: ranks)

    return make


def note(points, store, split=None, **more):
    allocations.note(points, {"x": store}, {"x": split}, **({"zero_copy": ()} | more))


def ranges(*points):
    return runtime.ranges(np.array(points, np.int64))


@pytest.mark.check
def test_whole_stores_and_parts(machine):
    machine(2)
    whole, parts = runtime.new_store(np.float32, 100), runtime.new_store(np.int64, 100)
    assert allocations.placed([whole]).tolist() == [[0, 0], [0, 0]]
    note(1, whole)
    note(1, whole)
    assert allocations.placed([whole]).tolist() == [[400, 0], [0, 0]]
    note(2, whole)
    assert allocations.placed([whole]).tolist() == [[400, 400], [0, 0]]
    note(2, parts, ranges(0, 30, 100))
    note(2, parts, ranges(0, 30, 100))  # the same rectangles
    assert allocations.placed([parts]).tolist() == [[240, 560], [0, 0]]
    note(2, parts, ranges(0, 60, 100))
    assert allocations.placed([parts]).tolist() == [[720, 800], [0, 0]]  # a store has one whole
    assert allocations.placed([whole, parts]).tolist() == [[1120, 1200], [0, 0]]
    assert {id(whole), id(parts)} <= {id(store) for store in allocations.alive()}


def test_several_partitions_on_a_gpu(machine):
    machine(2)
    store, gone = runtime.new_store(np.int8, 100), runtime.new_store(np.int8, 7)
    note(4, store, ranges(0, 10, 30, 60, 100))
    assert allocations.placed([store]).tolist() == [[30, 70], [0, 0]]
    note(4, gone)
    assert allocations.placed([gone]).tolist() == [[7, 7], [0, 0]]


def test_zero_copy_memory(machine):
    machine(4, ranks=2)
    once, edges = runtime.new_store(np.int8, 100), runtime.new_store(np.int8, 100)
    note(4, once, ranges(0, 25, 50, 75, 100), zero_copy=("x",))
    assert allocations.placed([once]).tolist() == [[0] * 4, [100, 0, 100, 0]]  # once in each process
    note(4, edges, ranges(0, 10, 30, 60, 100), overflow=("x",), overflowing=0b1010)
    assert allocations.placed([edges]).tolist() == [[10, 0, 30, 0], [0, 20, 0, 40]]


def test_stores_that_are_dropped(machine):
    machine(1)
    store = runtime.from_array(np.zeros(50))  # of an array, which does not say its bytes
    before = allocations.placed().sum()
    note(1, store)
    assert allocations.placed().sum() == before + 400
    del store
    assert allocations.placed().sum() == before
