// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Degrees of the vertices of a graph, and what runs ask about its rows. A GPU has n rows, of which the last ends at `end`.
#include "common.cuh"

#ifndef DEGREE
#define DEGREE u32
#endif

constexpr u32 THREADS = 1024;

__device__ __forceinline__ u64 row_length(const i64* offsets, u64 v, i64 n, i64 end)
{
  return (u64)((v + 1 < (u64)n ? offsets[v + 1] : end) - offsets[v]);
}

struct Facts {
  u64 longest;  // edges of the longest row
  u64 filled;   // number of rows up to the last that has edges
};

extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_look_at_rows(const i64* offsets, i64 n, i64 end, Facts* control)
{
  u64 longest = 0, filled = 0;
  for (u64 v = global_thread(); v < (u64)n; v += grid_threads()) {
    const u64 length = row_length(offsets, v, n, end);
    longest = max(longest, length);
    if (length) filled = v + 1;
  }
  for (int d = 16; d > 0; d >>= 1) {
    longest = max(longest, __shfl_down_sync(ALL_LANES, longest, d));
    filled = max(filled, __shfl_down_sync(ALL_LANES, filled, d));
  }
  if (lane_id() == 0) atomicMax(&control->longest, longest), atomicMax(&control->filled, filled);
}

// The length of every row.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_row_lengths(const i64* offsets, i64 n, i64 end, DEGREE* degrees, u32* control)
{
  for (u64 v = global_thread(); v < (u64)n; v += grid_threads()) degrees[v] = (DEGREE)row_length(offsets, v, n, end);
}

// How often each of n vertices is the source of one of m edges.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_count_sources(const u32* sources, i64 n, i64 m, DEGREE* degrees, u32* control)
{
  for (u64 v = global_thread(); v < (u64)n; v += grid_threads()) degrees[v] = 0;
  grid_barrier(control);
  for (u64 e = global_thread(); e < (u64)m; e += grid_threads()) atomicAdd(degrees + sources[e], DEGREE(1));
}
