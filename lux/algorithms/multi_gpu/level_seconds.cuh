// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The rows that searches on several GPUs note of each level (lux/algorithms/multi_gpu/level_statistics.py),
// and the time in them.
#pragma once
#include "common.cuh"

enum Spent : u32 { WORKING = 0, EXCHANGING = 1 };
enum Model : u64 { PULLED = 1, PUSHED = 2 };  // lux.kernels.frontier
constexpr u32 LEVEL_COLUMNS = 8;  // numbers of a row

// Stopwatch of a search, by the clock of one thread.
struct Laps { u64 at, spent[2]; };
__shared__ Laps laps;

__device__ __forceinline__ void lap(Spent how)
{
  if (global_thread()) return;
  const u64 now = nanoseconds();
  laps.spent[how] += now - laps.at;
  laps.at = now;
}

// Of the thread that has the stopwatch, which writes it with no barrier before others go on; zero in all others.
struct LevelClock { u64 began, worked, exchanged; };
__device__ __forceinline__ LevelClock start_level()
{
  if (global_thread()) return {0, 0, 0};
  return {nanoseconds(), laps.spent[WORKING], laps.spent[EXCHANGING]};
}

// One thread notes a level: its direction, the frontier here, its edges, nanoseconds, and bytes that came from others.
__device__ __forceinline__ void note_level(i64* row, u64 model, u64 frontier, u64 edges, const LevelClock& clock, u64 bytes)
{
  row[0] = (i64)model, row[1] = (i64)frontier, row[2] = (i64)edges;
  row[3] = (i64)(nanoseconds() - clock.began);
  row[4] = (i64)(laps.spent[WORKING] - clock.worked), row[5] = (i64)(laps.spent[EXCHANGING] - clock.exchanged);
  row[6] = (i64)bytes;
}

// One thread reports the search (OUTCOME of launch.py).
__device__ __forceinline__ void report_search(i64* outcome, u64 levels, u64 exchanges, u64 parent_bytes, u64 left, u64 id_bytes)
{
  outcome[1] = (i64)levels, outcome[2] = (i64)exchanges, outcome[3] = (i64)parent_bytes;
  outcome[4] = (i64)laps.spent[WORKING], outcome[5] = (i64)laps.spent[EXCHANGING];
  outcome[6] = (i64)left, outcome[7] = (i64)id_bytes;
}
