// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Where kernels that run side by side, each on a GPU of its own, wait for one another.
#pragma once
#include "common.cuh"

constexpr u64 WORDS_APART = 8;            // so that each GPU's word is in a line of its own
constexpr u64 PATIENCE = 60000000000ull;  // nanoseconds that one waits for the others
constexpr u64 NEVER = ~0ull;              // what one has who has given up
constexpr i64 LOST = 3;                   // what a run is whose GPUs did not meet

// `met` has a word for each GPU in zero-copy memory, which only grows; at most as many GPUs as a block has threads.
// `arrived` is of grid_barrier; `finished`, in the GPU's memory, and `outcome`, in the host's, are LOST where one was lost.
struct Meeting {
  u64* met;
  u32 part, parts;
  u32* arrived;
  i64 *finished, *outcome;
};

// All threads of all GPUs meet, for the `number`th time; what any of them wrote before, all read after. Where one does
// not come in time the others give up, for good, and all of them get to know: then it returns false.
__device__ inline bool meet(const Meeting& m, u64 number)
{
  __syncthreads();
  if (threadIdx.x == 0) __threadfence_system();
  grid_barrier(m.arrived);
  if (blockIdx.x == 0) {
    u64* const mine = m.met + WORDS_APART * m.part;
    const bool lost = load_acquire_system(mine) == NEVER;
    __syncthreads();
    if (threadIdx.x == 0 && !lost) store_release_system(mine, number);
    if (threadIdx.x < m.parts) {
      const u64 *theirs = m.met + WORDS_APART * threadIdx.x, began = nanoseconds();
      u64 now = lost ? NEVER : load_acquire_system(theirs);
      while (now < number && __ldcg(m.finished) != LOST) {
        if (nanoseconds() - began > PATIENCE) now = NEVER;
        else now = load_acquire_system(theirs);
      }
      if (now == NEVER) {
        *m.finished = *m.outcome = LOST;
        store_release_system(mine, NEVER);
      }
    }
  }
  grid_barrier(m.arrived);
  return __ldcg(m.finished) != LOST;
}
