# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`multi_gpu_barrier.cuh`: GPUs wait for one another, and give up where one does not come."""

import numpy as np
import pytest

import lux
from lux.errors import LuxError
from lux_on_cores.compiled import compiled

TEXT = """
#include "multi_gpu_barrier.cuh"
struct Args {
  u64* arrivals;
  u32* arrived;
  i64 *finished, *outcome, *met_all, *wrong, *values[3];
  u64 part, parts, first, rounds;
};

// In each round all threads of all GPUs write, and after they have met read what those of the others wrote.
extern "C" __global__ void lux_rounds(const __grid_constant__ Args g)
{
  const MultiGpuBarrier m{g.arrivals, (u32)g.part, (u32)g.parts, g.arrived, g.finished, g.outcome};
  const u64 me = global_thread();
  for (u64 round = g.first; round < g.first + g.rounds; ++round) {
    g.values[g.part][me] = (i64)(1000 * round + me);
    if (!multi_gpu_barrier(m, 2 * round + 1)) return;
    const u64 other = (me * 7 + round) % grid_threads();
    for (u64 q = 0; q < g.parts; ++q)
      if (g.values[q][other] != (i64)(1000 * round + other)) atomicAdd((u64*)g.wrong, 1ull);
    if (!multi_gpu_barrier(m, 2 * round + 2)) return;
  }
  if (me == 0) *g.met_all = 1;
}
"""
THREADS = 64
PEER_LOST = 3
GAVE_UP = 2**64 - 1


class Rounds:
    """GPUs that meet in rounds, several launches one after the other."""

    def __init__(self, gpus, blocks):
        self.launch, self.blocks, self.gpus = compiled(TEXT, "lux_rounds"), blocks, gpus
        self.arrivals = np.zeros(8 * gpus, np.uint64)
        self.facts = np.zeros((gpus, 5), np.int64)  # finished, outcome, whether all rounds were met, wrong; arrivals
        self.values = np.zeros((gpus, blocks * THREADS), np.int64)

    def run(self, first, rounds, there, seed):
        """A launch on the GPUs that are there."""
        words = np.zeros((self.gpus, 13), np.int64)
        self.facts[:, 4] = 0
        for part in range(self.gpus):
            at = [int(self.facts[part].ctypes.data) + 8 * k for k in range(5)]
            values = [int(self.values[q].ctypes.data) for q in range(self.gpus)] + [0] * (3 - self.gpus)
            words[part] = [self.arrivals.ctypes.data, at[4], *at[:4], *values, part, self.gpus, first, rounds]
        words = np.ascontiguousarray(words[there])
        return self.launch(words.ctypes.data, 13, len(words), self.blocks, THREADS, seed)


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("gpus", [1, 2, 3])
def test_all_meet(gpus, blocks):
    for seed in range(5):
        rounds, everyone = Rounds(gpus, blocks), list(range(gpus))
        assert rounds.run(0, 4, everyone, seed) is None
        assert rounds.run(10, 3, everyone, seed) is None  # numbers only grow
        assert rounds.facts[:, :4].tolist() == [[0, 0, 1, 0]] * gpus


@pytest.mark.check
@pytest.mark.parametrize("gpus", [2, 3])
def test_one_is_lost(gpus):
    rounds = Rounds(gpus, 2)
    assert rounds.run(0, 2, list(range(gpus)), 1) is None
    others = list(range(1, gpus))
    rounds.facts[:, 2] = 0
    assert rounds.run(2, 2, others, 2) is None
    assert rounds.facts[1:, :4].tolist() == [[PEER_LOST, PEER_LOST, 0, 0]] * (gpus - 1)
    assert (rounds.arrivals[8::8] == GAVE_UP).all()
    assert rounds.facts[0, :4].tolist() == [0, 0, 0, 0]
    assert rounds.run(2, 2, [0], 3) is None  # it comes late, and learns that the others have given up
    assert rounds.facts[0, :4].tolist() == [PEER_LOST, PEER_LOST, 0, 0]
    assert rounds.run(4, 1, list(range(gpus)), 4) is None  # nobody waits any more
    assert (rounds.facts[:, 0] == PEER_LOST).all()
    assert (rounds.facts[:, 2] == 0).all()


def test_a_run_ends_where_a_gpu_is_lost(machine):
    graph = lux.generate("uniform:6,4", seed=1)
    with machine(2) as m, lux.using(device="gpu", placement="peer"):
        m.lost = {1}
        with pytest.raises(LuxError, match="waited in vain"):
            lux.pagerank(graph, tol=0, max_iter=50, weight=None, dtype=np.float32, parts=2)
