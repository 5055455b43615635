# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the GPUs on CPU cores find: each kernel here has a fault, or is the one that has none."""

import ctypes

import numpy as np
import pytest

import legate_config
from lux.codegen import cuda_build
from lux_on_cores.compiled import OnCoresError, compiled
from lux_on_cores.machine import Machine
from lux_on_cores.memory import Memory

HEAD = """
#include "common.cuh"
struct Args { u32* out; u32* arrived; };
extern "C" __global__ void lux_tried(const __grid_constant__ Args g)
{
  __shared__ u32 values[64];
  __shared__ u32 untouched;
"""
THREADS = 64


def run(text, *, blocks=1, seed=1):
    """What is said, and what the threads wrote."""
    out, arrived = np.zeros(blocks * THREADS, np.uint32), np.zeros(1, np.uint32)
    words = np.array([out.ctypes.data, arrived.ctypes.data], np.int64)
    launch = compiled(f"{HEAD}\n{text}\n}}\n", "lux_tried")
    wrong = launch(words.ctypes.data, 2, 1, blocks, THREADS, seed)
    return "" if wrong is None else wrong.decode(), out


FAULTS = {
    "barrier of some threads": ("if (threadIdx.x < 32) __syncthreads();\n", "barrier"),
    "barriers at two places": ("if (threadIdx.x < 32) __syncthreads();\nelse\n__syncthreads();\n", "at another"),
    "lanes at two places": (
        "if (lane_id() < 7) __shfl_sync(ALL_LANES, 1, 0);\nelse\n__shfl_sync(ALL_LANES, 1, 0);\n",
        "different places",
    ),
    "a lane that is over": ("if (lane_id() == 3) return;\n__syncthreads();\n__syncwarp();\n", "over"),
    "a mask without the lane": ("__any_sync(1u, true);\n", "own mask"),
    "a lane outside of the mask": ("if (lane_id() < 8) __shfl_sync(0xffu, 1, 9);\n", "not in the mask"),
    "a grid barrier of one block": ("if (blockIdx.x == 0) grid_barrier(g.arrived);\n", "all threads wait"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(fault):
    text, said = FAULTS[fault]
    for seed in (1, 2):
        assert said in run(text, blocks=2, seed=seed)[0]


def test_a_missing_barrier_shows():
    """Threads go on in many orders: without the barrier some read before others have written."""
    text = "values[threadIdx.x] = threadIdx.x;\n{}\ng.out[threadIdx.x] = values[63 - threadIdx.x];\n"
    right = np.arange(64)[::-1]
    for seed in range(5):
        said, out = run(text.format("__syncthreads();"), seed=seed)
        assert said == ""
        np.testing.assert_array_equal(out, right)
        assert (run(text.format(""), seed=seed)[1] != right).any()


def test_memory_that_nobody_has_written():
    said, out = run("if (g.out[threadIdx.x]) untouched = 1;\ng.out[threadIdx.x] = untouched;\n")
    assert said == ""
    assert (out != 0).all()


def test_writes_beside_an_array():
    for at in (-1, 100):
        memory = Memory(100, np.random.default_rng(1))
        memory.check("an array")
        ctypes.memset(memory.address + at, int(memory.data[0]) ^ 255, 1)
        ctypes.memset(memory.address + at, 1 ^ ctypes.c_ubyte.from_address(memory.address + at).value, 1)
        with pytest.raises(OnCoresError, match="something was written"):
            memory.check("an array")


def test_lanes_meet_in_groups():
    """Of eight, side by side, and in groups of which each has a value of its own."""
    text = """
    const u32 lane = lane_id(), group = 0xffu << (lane & ~7u);
    u32 x = __shfl_down_sync(group, lane, 3, 8);
    if (lane < 16) x += 100 * (u32)__popc(__ballot_sync(0xffffu, lane & 1u));
    x += 10000 * (u32)__popc(__match_any_sync(ALL_LANES, lane % 3));
    g.out[threadIdx.x] = x;
    """
    said, out = run(text, seed=3)
    lane = np.arange(32)
    expected = (
        np.where(lane % 8 < 5, lane + 3, lane) + np.where(lane < 16, 800, 0) + 10000 * np.array([11, 11, 10])[lane % 3]
    )
    assert said == ""
    np.testing.assert_array_equal(out, np.tile(expected, 2))


def test_what_fails_at_the_end_leaves_no_machine_in_place(monkeypatch):
    def fail():
        raise ZeroDivisionError

    def run():
        with Machine().running():
            assert cuda_build.cubin is not before[0]
            patch.setattr("lux_on_cores.machine.graphs", fail)

    before = cuda_build.cubin, legate_config.settings
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        run()
    assert (cuda_build.cubin, legate_config.settings) == before
