// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Barrier of kernels that run side by side, each on a GPU of its own.
#pragma once
#include "common.cuh"

constexpr u64 ARRIVALS_STRIDE = 8;                      // so that each GPU's word is in a line of its own
constexpr u64 BARRIER_TIMEOUT_NS = 60000000000ull;  // a GPU that has waited so long for others gives up
constexpr u64 GAVE_UP = ~0ull;                      // word of a GPU that has given up
constexpr i64 PEER_LOST = 3;                             // outcome of a run whose GPUs did not meet

// `arrivals[g]` (every ARRIVALS_STRIDE words): barrier epochs that GPU g has reached, monotone, in zero-copy memory. There are at
// most as many GPUs as a block has threads.
// `arrived` is the word of grid_barrier. `finished`, in the GPU's memory, and `outcome`, in the host's, become PEER_LOST when a
// GPU has not arrived in time.
struct MultiGpuBarrier {
  u64* arrivals;
  u32 part, parts;
  u32* arrived;
  i64 *finished, *outcome;
};

// Waits for all threads of all GPUs, for the `number`th time. Writes from before it are visible to all after it. Returns
// false if some GPU has not arrived in time: then all GPUs give up for good.
__device__ inline bool multi_gpu_barrier(const MultiGpuBarrier& m, u64 number)
{
  __syncthreads();
  if (threadIdx.x == 0) __threadfence_system();
  grid_barrier(m.arrived);
  if (blockIdx.x == 0) {
    u64* const mine = m.arrivals + ARRIVALS_STRIDE * m.part;
    const bool lost = load_acquire_system(mine) == GAVE_UP;
    __syncthreads();
    if (threadIdx.x == 0 && !lost) store_release_system(mine, number);
    if (threadIdx.x < m.parts) {
      const u64 *theirs = m.arrivals + ARRIVALS_STRIDE * threadIdx.x, began = nanoseconds();
      u64 now = lost ? GAVE_UP : load_acquire_system(theirs);
      while (now < number && __ldcg(m.finished) != PEER_LOST) {
        if (nanoseconds() - began > BARRIER_TIMEOUT_NS) now = GAVE_UP;
        else now = load_acquire_system(theirs);
      }
      if (now == GAVE_UP) {
        *m.finished = *m.outcome = PEER_LOST;
        store_release_system(mine, GAVE_UP);
      }
    }
  }
  grid_barrier(m.arrived);
  return __ldcg(m.finished) != PEER_LOST;
}
