// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Random reads, several at once in each thread: by them, results in the order of places come into that of ids. Random
// writes would take longer, as memory is written in sectors of 32 bytes.
#pragma once
#include "common.cuh"

// Calls put(i, then(look(list[i]))) for i below n; without a list put(i, then(look(i))). A thread has several of these
// loads under way at once, and calls look(NONE) for those from n on.
template <class Look, class Then, class Put>
__device__ __forceinline__ void look_up(u64 n, const u32* list, const Look& look, const Then& then, const Put& put)
{
  constexpr int AHEAD = 4;
  for (u64 first = global_thread(); first < n; first += AHEAD * grid_threads()) {
    u32 at[AHEAD];
    u64 what[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const u64 i = first + k * grid_threads();
      at[k] = i >= n ? NONE : list ? __ldcs(list + i) : (u32)i;
    }
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) what[k] = look(at[k]);
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) what[k] = then(what[k]);
#pragma unroll
    for (int k = 0; k < AHEAD; ++k)
      if (first + k * grid_threads() < n) put(first + k * grid_threads(), what[k]);
  }
}
