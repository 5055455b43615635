// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The range of weights of 32 bits, and rows of edges by weight from keys that edge_sort.cu has sorted.
#include "common.cuh"

#ifndef WEIGHT
#define WEIGHT float
#endif

constexpr u32 THREADS = 1024;
constexpr u32 SHARES = 256;  // blocks that look, at most

struct Share {
  double least, most, sum;
  u64 bad;  // NaN, or infinite
};

// Fills a share for each of the first SHARES blocks; the others do nothing.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_weight_range(const WEIGHT* weights, i64 m, Share* control)
{
  if (blockIdx.x >= SHARES) return;
  __shared__ double scratch[32];
  const u64 step = (u64)min(gridDim.x, SHARES) * THREADS;
  double least = (double)weights[0], most = least, sum = 0, bad = 0;
  for (u64 i = global_thread(); i < (u64)m; i += step) {
    const double w = (double)weights[i];
    least = w < least ? w : least, most = w > most ? w : most, sum += w;
    if (!(fabs(w) <= 1.7976931348623157e308)) bad = 1;
  }
  for (int d = 16; d > 0; d >>= 1) {
    const double low = __shfl_down_sync(ALL_LANES, least, d), high = __shfl_down_sync(ALL_LANES, most, d);
    least = low < least ? low : least, most = high > most ? high : most;
  }
  sum = block_sum(sum, scratch);
  __syncthreads();
  bad = block_sum(bad, scratch);
  __syncthreads();
  if (lane_id() == 0) scratch[warp_id()] = least;
  __syncthreads();
  if (threadIdx.x == 0)
    for (u32 w = 1; w < THREADS / 32; w++) least = scratch[w] < least ? scratch[w] : least;
  __syncthreads();
  if (lane_id() == 0) scratch[warp_id()] = most;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (u32 w = 1; w < THREADS / 32; w++) most = scratch[w] > most ? scratch[w] : most;
    control[blockIdx.x] = {least, most, sum, bad > 0 ? 2ull : 1ull};
  }
}

__device__ __forceinline__ void of_bits(u32 bits, float& x) { x = __uint_as_float(bits); }
__device__ __forceinline__ void of_bits(u32 bits, u32& x) { x = bits; }
__device__ __forceinline__ void of_bits(u32 bits, i32& x) { x = (i32)bits; }

// keys: row << bits | bits of the weight; indices: the edge of each. least: the first weight of each row, or 0.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_write_by_weight(const u64* keys, const u32* indices, const u32* sources, const i64* offsets, i64 m, i64 n, u32 bits,
                    u32* out_sources, WEIGHT* out_weights, WEIGHT* least, u32* control)
{
  const u64 low = (1ull << bits) - 1;
  for (u64 i = global_thread(); i < (u64)m; i += grid_threads()) {
    out_sources[i] = sources[indices[i]];
    of_bits((u32)(keys[i] & low), out_weights[i]);
  }
  for (u64 v = global_thread(); v < (u64)n; v += grid_threads())
    of_bits(offsets[v + 1] > offsets[v] ? (u32)(keys[offsets[v]] & low) : 0u, least[v]);
}
