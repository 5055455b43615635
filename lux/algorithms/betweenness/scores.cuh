// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Scores of betweenness once all sources are done.
#pragma once
#include "common.cuh"

__device__ __forceinline__ void clear_scores(double* scores, u32 n)
{
  for (u64 v = global_thread(); v < n; v += grid_threads()) scores[v] = 0.0;
}

// Puts scores, by place, in the order of ids, and scales them.
__device__ __forceinline__ void finish_scores(const double* scores, const u32* places, u64 n, double factor, double* finished)
{
  for (u64 v = global_thread(); v < n; v += grid_threads()) finished[v] = __ldcg(scores + (places ? places[v] : v)) * factor;
}

// Writes 1 to the second word of a report if a score is no finite number; all threads of the grid call.
__device__ __forceinline__ void report_overflow(const double* scores, u32 n, i64* report)
{
  bool over = false;
  for (u64 v = global_thread(); v < n; v += grid_threads()) over |= !(fabs(__ldcg(scores + v)) <= 1.7976931348623157e308);
  if (over) *static_cast<volatile i64*>(report + 1) = 1;
}
