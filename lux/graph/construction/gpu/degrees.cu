// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Degrees of the vertices of a graph on one GPU, and what runs ask about its rows.
#include "common.cuh"

#ifndef DEGREE
#define DEGREE u32
#endif

constexpr u32 THREADS = 1024;

struct Facts {
  u64 longest;  // edges of the longest row
  u64 filled;   // number of rows up to the last that has edges
};

extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_look_at_rows(const i64* offsets, i64 n, Facts* control)
{
  u64 longest = 0, filled = 0;
  for (u64 v = global_thread(); v < (u64)n; v += grid_threads()) {
    const u64 length = (u64)(offsets[v + 1] - offsets[v]);
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
lux_row_lengths(const i64* offsets, i64 n, DEGREE* degrees, u32* control)
{
  for (u64 v = global_thread(); v < (u64)n; v += grid_threads()) degrees[v] = (DEGREE)(offsets[v + 1] - offsets[v]);
}

// How often each of n vertices is the source of one of m edges.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_count_sources(const u32* sources, i64 n, i64 m, DEGREE* degrees, u32* control)
{
  for (u64 v = global_thread(); v < (u64)n; v += grid_threads()) degrees[v] = 0;
  grid_barrier(control);
  for (u64 e = global_thread(); e < (u64)m; e += grid_threads()) atomicAdd(degrees + sources[e], DEGREE(1));
}
