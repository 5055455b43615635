// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Counts edges with the same ends as the edge before them, in rows in which sources ascend.
#include "common.cuh"

constexpr u32 THREADS = 1024;

struct Repeats {
  u64 count;
};

// Tells whether a row of `offsets` begins with edge e.
__device__ __forceinline__ bool begins_row(const i64* offsets, i64 n, i64 e)
{
  i64 low = 0, high = n;
  while (low < high) {
    const i64 middle = (low + high) / 2;
    if (offsets[middle] < e) low = middle + 1;
    else high = middle;
  }
  return offsets[low] == e;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_count_repeats(const i64* offsets, const u32* sources, i64 n, i64 m, Repeats* control)
{
  u64 found = 0;
  for (u64 e = 1 + global_thread(); e < (u64)m; e += grid_threads())
    if (sources[e] == sources[e - 1] && !begins_row(offsets, n, (i64)e)) ++found;
  found = warp_sum(found);
  if (lane_id() == 0 && found) atomicAdd(&control->count, found);
}
