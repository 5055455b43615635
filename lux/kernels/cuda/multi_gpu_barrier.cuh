// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Barrier of kernels that run side by side, each on a GPU of its own.
#pragma once
#include "common.cuh"

constexpr u64 WORDS_APART = 8;                      // so that each GPU's word is in a line of its own
constexpr u64 BARRIER_TIMEOUT_NS = 60000000000ull;  // after which a GPU that waits for others gives up
constexpr u64 GAVE_UP = ~0ull;                      // word of a GPU that has given up
constexpr i64 LOST = 3;                             // outcome of a run whose GPUs did not meet

// `met[g]` (every WORDS_APART words): barrier epochs that GPU g has reached, monotone, in zero-copy memory. There are at
// most as many GPUs as a block has threads.
// `arrived` is of grid_barrier; `finished`, in the GPU's memory, and `outcome`, in the host's, are LOST if a GPU was lost.
struct Meeting {
  u64* met;
  u32 part, parts;
  u32* arrived;
  i64 *finished, *outcome;
};

// All threads of all GPUs meet, for the `number`th time; all read after it what any wrote before. If a GPU
// does not arrive in time the others give up for good, and all of them learn it: then it returns false.
__device__ inline bool meet(const Meeting& m, u64 number)
{
  __syncthreads();
  if (threadIdx.x == 0) __threadfence_system();
  grid_barrier(m.arrived);
  if (blockIdx.x == 0) {
    u64* const mine = m.met + WORDS_APART * m.part;
    const bool lost = load_acquire_system(mine) == GAVE_UP;
    __syncthreads();
    if (threadIdx.x == 0 && !lost) store_release_system(mine, number);
    if (threadIdx.x < m.parts) {
      const u64 *theirs = m.met + WORDS_APART * threadIdx.x, began = nanoseconds();
      u64 now = lost ? GAVE_UP : load_acquire_system(theirs);
      while (now < number && __ldcg(m.finished) != LOST) {
        if (nanoseconds() - began > BARRIER_TIMEOUT_NS) now = GAVE_UP;
        else now = load_acquire_system(theirs);
      }
      if (now == GAVE_UP) {
        *m.finished = *m.outcome = LOST;
        store_release_system(mine, GAVE_UP);
      }
    }
  }
  grid_barrier(m.arrived);
  return __ldcg(m.finished) != LOST;
}
