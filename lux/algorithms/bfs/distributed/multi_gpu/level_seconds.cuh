// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The rows that searches on several GPUs note of each level (lux/algorithms/bfs/distributed/multi_gpu/level_statistics.py),
// and the time in them.
#pragma once
#include "common.cuh"

enum Spent : u32 { WORKING = 0, EXCHANGING = 1 };
constexpr u32 NOTES = 8;  // numbers of a row

// Where time goes, by the clock of one thread.
struct Laps { u64 at, spent[2]; };
__shared__ Laps laps;

__device__ __forceinline__ void lap(Spent how)
{
  if (global_thread()) return;
  const u64 now = nanoseconds();
  laps.spent[how] += now - laps.at;
  laps.at = now;
}
