// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Measures how fast GPUs gather values of 4 bytes from each other's memory and from zero-copy memory, as load_members of partition.cuh
// does: at rising places, of each two one by chance, from one owner after the other, beginning with the next GPU
// (lux/engine/gpu/placement/bandwidths.py).
// `Args` are written in front of this text (lux/engine/gpu/placement/bandwidth_probe.py).
#include "common.cuh"

struct Control { u32 arrived, unused; u64 sum, nanoseconds; };

__device__ __forceinline__ u32 place(u32 k) { return 2 * k + (k * 2654435769u >> 31); }

template <typename Where>
__device__ __forceinline__ u64 gather(u64 n, Where where)
{
  constexpr int AHEAD = 4;  // as partition.cuh has it
  u64 sum = 0;
  for (u64 first = global_thread(); first < n; first += AHEAD * grid_threads()) {
    u32 x[AHEAD];
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) {
      const u64 k = first + j * grid_threads();
      x[j] = k < n ? *where((u32)k) : 0;
    }
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) sum += x[j];
  }
  return sum;
}

// Launch 0 writes the values, each of which is its place; launch 1 gathers from peers, launch 2 from zero-copy memory.
extern "C" __global__ void __launch_bounds__(THREADS, 1) lux_gather(const __grid_constant__ Args g)
{
  if (g.number == 0) {
    for (u64 k = global_thread(); k < g.each; k += grid_threads()) g.own[k] = (u32)(g.part * g.each + k);
    for (u64 k = global_thread(); k < g.among; k += grid_threads()) g.shared[g.part * g.among + k] = (u32)(g.part * g.among + k);
    return;
  }
  const u32 half = (u32)(g.each / 2), part = (u32)g.part;
  grid_barrier(&g.control->arrived);
  const u64 began = nanoseconds();
  u64 sum = 0;
  if (g.number == 1) {
    sum = gather((g.parts - 1) * half, [&](u32 k) {
      const u32 nth = k / half, owner = (part + 1 + nth) % (u32)g.parts;
      return g.peer[owner] + place(k - nth * half);
    });
  } else {
    sum = gather(g.parts * g.among / 2, [&](u32 k) { return g.shared + place(k); });
  }
  sum = warp_sum(sum);
  if (lane_id() == 0 && sum) atomicAdd(&g.control->sum, sum);
  grid_barrier(&g.control->arrived);
  if (global_thread() == 0) g.control->nanoseconds = nanoseconds() - began;
}
