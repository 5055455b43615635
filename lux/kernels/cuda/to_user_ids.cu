// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Puts a program's field, which is in the order of places, into the order of ids, with -1 for "none".
//
// BEFORE and AFTER are types of the arrays; SIGNED: -1 stands for NONE, the largest value of the old type.
#include "spread_array.cuh"

#ifndef THREADS
#define THREADS 1024
#endif
#ifndef BEFORE
#define BEFORE u32
#define AFTER i32
#define SIGNED 1
#define NONE_BEFORE 0xffffffffu
#endif

// before: null where several GPUs have a part each, which `spread` describes; at: place of each vertex, or null where it is
// its id; names: ids of places, where the values are places; lo, n: the first vertex that is written, and how many.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_take(const BEFORE* before, const u64* spread, u32 parts, const u32* __restrict__ at, const u32* __restrict__ names,
         AFTER* __restrict__ after, i64 lo, i64 n, i64 length, u64* control)
{
  const SpreadArray<BEFORE> values{before, spread, parts};
  constexpr int AHEAD = 4;
  const u64 all = (u64)n * (u64)length, step = grid_threads();
  for (u64 first = global_thread(); first < all; first += AHEAD * step) {
    u64 from[AHEAD];
    BEFORE x[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const u64 i = min(first + k * step, all - 1), v = length == 1 ? i : i / length;
      from[k] = at ? (u64)__ldcs(at + v) * length + (i - v * length) : (u64)lo * length + i;
    }
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) x[k] = values[from[k]];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const u64 i = first + k * step;
      if (i >= all) continue;
#if SIGNED
      after[i] = x[k] == NONE_BEFORE ? (AFTER)-1 : names ? (AFTER)names[(u64)x[k]] : (AFTER)x[k];
#else
      after[i] = x[k];
#endif
    }
  }
}
