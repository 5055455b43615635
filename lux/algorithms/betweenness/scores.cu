// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Puts scores, by place, in the order of ids, and scales them; those of the sources by a factor of their own.
#include "scores.cuh"

constexpr u32 THREADS = 1024;

// places: null, or the place of each id. sources: null, or n_sources ids.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_finish_scores(const double* before, const u32* places, i64 n, double factor, const u32* sources, i64 n_sources,
                  double source_factor, double* after, u32* control)
{
  for (u64 v = global_thread(); v < (u64)n; v += grid_threads()) after[v] = before[places ? places[v] : v] * factor;
  if (!sources) return;
  grid_barrier(control);
  for (u64 k = global_thread(); k < (u64)n_sources; k += grid_threads()) {
    const u32 v = sources[k];
    after[v] = before[places ? places[v] : v] * source_factor;
  }
}
