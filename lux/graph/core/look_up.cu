// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Few values of a store of which each GPU has a part (lux/graph/core/lookup.py).
#include "common.cuh"

constexpr u32 THREADS = 1024;

// Reports the values at the places from `lo` to `end`, which lie in this part, and zero for others; at last 1, for which the
// host polls.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_look_up(const VALUE* values, i64 lo, i64 end, const i64* places, i64 n_places, volatile u64* report)
{
  if (blockIdx.x) return;
  for (i64 k = threadIdx.x; k < n_places; k += THREADS) {
    const i64 place = places[k];
    report[k] = lo <= place && place < end ? (u64)values[place - lo] : 0;
  }
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) report[n_places] = 1;
}
