// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Makes the members of a partition's INS in rising order, and the sources of its edges as positions among them, on the GPU
// that has the edges. After a repartitioning they are made from the lists of the partitions before
// (lux/engine/gpu/ins_rebuild.py). All arrays are the partition's own, from its first element on.
#include "common.cuh"

#ifndef THREADS
#define THREADS 1024
#endif

// Sets to[e] = made(from[e]) for all edges. A thread has several reads in flight.
template <class Made>
__device__ __forceinline__ void make_all(const u32* __restrict__ from, u64 n_edges, u32* __restrict__ to, const Made& made)
{
  constexpr int AHEAD = 4;
  const u64 step = grid_threads();
  for (u64 first = global_thread(); first < n_edges; first += AHEAD * step) {
    u32 x[AHEAD];
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) x[j] = __ldcs(from + min(first + j * step, n_edges - 1));
#pragma unroll
    for (int j = 0; j < AHEAD; ++j)
      if (first + j * step < n_edges) to[first + j * step] = made(x[j]);
  }
}

// Converts sources of edges from positions among `members` to places.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_places(const u32* __restrict__ local, u64 n_edges, const u32* __restrict__ members, u32* __restrict__ sources)
{
  make_all(local, n_edges, sources, [=](u32 k) { return members[k]; });
}

__device__ __forceinline__ u32 bits_below(u32 word, u32 place) { return __popc(word & ((1u << (place & 31u)) - 1u)); }

// Makes INS as bits by place, and the number of members before each word of 32 bits. `report` receives the number of all
// members, the number before each place in `wanted`, and at last 1, for which the host polls. `totals` has a number for
// each block.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_set(const u32* __restrict__ sources, u64 n_edges, u64 n_vertices, const i64* __restrict__ wanted, u64 n_wanted, u32* arrived,
        u32* totals, u32* bits, u32* before, u64* report)
{
  __shared__ u32 scratch[32];
  __shared__ u32 prior;
  const u64 words = (n_vertices + 31) / 32, each = (words + gridDim.x - 1) / gridDim.x;
  const u64 begin = min(blockIdx.x * each, words), end = min(begin + each, words);
  for (u64 w = global_thread(); w < words; w += grid_threads()) bits[w] = 0;
  grid_barrier(arrived);
  for (u64 e = global_thread(); e < n_edges; e += grid_threads()) {
    const u32 u = __ldcs(sources + e), bit = 1u << (u & 31u);
    if (!(__ldcg(bits + (u >> 5)) & bit)) atomicOr(bits + (u >> 5), bit);
  }
  grid_barrier(arrived);
  u32 mine = 0;
  for (u64 w = begin + threadIdx.x; w < end; w += blockDim.x) mine += __popc(__ldcg(bits + w));
  mine = block_sum(mine, scratch);
  if (threadIdx.x == 0) totals[blockIdx.x] = mine;
  grid_barrier(arrived);
  mine = 0;
  for (u32 b = threadIdx.x; b < blockIdx.x; b += blockDim.x) mine += __ldcg(totals + b);
  mine = block_sum(mine, scratch);
  if (threadIdx.x == 0) prior = mine;
  // Each round takes a word for each thread; all threads of the block take part in every round.
  for (u64 round = begin; round < end; round += blockDim.x) {
    const u64 w = round + threadIdx.x;
    const u32 here = w < end ? __popc(__ldcg(bits + w)) : 0;
    u32 of_warp;
    const u32 in_warp = warp_scan(here, of_warp);
    __syncthreads();
    if (lane_id() == 0) scratch[warp_id()] = of_warp;
    __syncthreads();
    u32 warps_before = prior, all = prior;
    for (u32 k = 0; k < blockDim.x / 32; ++k) {
      if (k < warp_id()) warps_before += scratch[k];
      all += scratch[k];
    }
    if (w < end) before[w] = warps_before + in_warp;
    __syncthreads();
    if (threadIdx.x == 0) prior = all;
    __syncthreads();
  }
  grid_barrier(arrived);
  if (blockIdx.x) return;
  const u32 size = words ? __ldcg(before + words - 1) + __popc(__ldcg(bits + words - 1)) : 0;
  if (threadIdx.x == 0) report[0] = size;
  for (u64 k = threadIdx.x; k < n_wanted; k += blockDim.x) {
    const u64 place = (u64)wanted[k];
    report[1 + k] = place < n_vertices ? __ldcg(before + (place >> 5)) + bits_below(__ldcg(bits + (place >> 5)), (u32)place) : size;
  }
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *(volatile u64*)(report + 1 + n_wanted) = 1;
}

// Makes from the bits the list of members, and the sources of edges as positions in it.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_positions(const u32* __restrict__ sources, u64 n_edges, u64 n_vertices, const u32* __restrict__ bits,
              const u32* __restrict__ before, u32* __restrict__ members, u32* __restrict__ local)
{
  for (u64 w = global_thread(); 32 * w < n_vertices; w += grid_threads()) {
    u32 k = before[w];
    for (u32 rest = bits[w]; rest; rest &= rest - 1) members[k++] = (u32)(32 * w) + __ffs(rest) - 1;
  }
  make_all(sources, n_edges, local, [=](u32 u) { return before[u >> 5] + bits_below(bits[u >> 5], u); });
}
