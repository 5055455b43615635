// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Primitives of all kernels of Lux. Kernels that meet at grid_barrier are launched cooperatively, so that all
// their blocks are resident. Compiled by NVRTC: no host headers.
#pragma once

using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using u64 = unsigned long long;

#ifndef LUX_ON_CORES
#include "instructions.cuh"
#endif

constexpr u32 NONE = 0xffffffffu;
constexpr u32 ALL_LANES = 0xffffffffu;

// All threads of all blocks meet. `arrived` is one word that is 0 when the kernel starts; it counts arrivals and
// never goes back, so no block can be lapped.
__device__ __forceinline__ void grid_barrier(u32* arrived)
{
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const u32 before = atomicAdd(arrived, 1u);
    const u32 target = (before / gridDim.x + 1u) * gridDim.x;
    while (load_acquire(arrived) < target) {}
    __threadfence();
  }
  __syncthreads();
}

__device__ __forceinline__ u32 lane_id() { return threadIdx.x & 31u; }
__device__ __forceinline__ u32 warp_id() { return threadIdx.x >> 5; }
__device__ __forceinline__ u64 global_thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ u64 grid_threads() { return (u64)gridDim.x * blockDim.x; }

// Loads values that other blocks wrote in the same launch: they must not come from this multiprocessor's L1.
template <typename T>
__device__ __forceinline__ T load_shared_state(const T* p) { return __ldcg(p); }

template <typename T>
__device__ __forceinline__ T warp_sum(T x)
{
  for (int d = 16; d > 0; d >>= 1) x += __shfl_down_sync(ALL_LANES, x, d);
  return x;
}

// Sum over a block, in thread 0. `scratch` holds 32 values in shared memory.
template <typename T>
__device__ __forceinline__ T block_sum(T x, T* scratch)
{
  x = warp_sum(x);
  __syncthreads();
  if (lane_id() == 0) scratch[warp_id()] = x;
  __syncthreads();
  x = threadIdx.x < (blockDim.x >> 5) ? scratch[threadIdx.x] : T(0);
  return warp_id() == 0 ? warp_sum(x) : T(0);
}

// Exclusive prefix sum over a warp; the warp's total in `total`.
template <typename T>
__device__ __forceinline__ T warp_scan(T x, T& total)
{
  T inclusive = x;
  for (int d = 1; d < 32; d <<= 1) {
    const T other = __shfl_up_sync(ALL_LANES, inclusive, d);
    if (lane_id() >= (u32)d) inclusive += other;
  }
  total = __shfl_sync(ALL_LANES, inclusive, 31);
  return inclusive - x;
}

// Returns the last lane whose exclusive prefix sum `before` is at most k.
__device__ __forceinline__ u32 lane_of(u32 before, u32 k)
{
  u32 lane = 0;
#pragma unroll
  for (u32 d = 16; d > 0; d >>= 1)
    if (__shfl_sync(ALL_LANES, before, (lane + d) & 31u) <= k) lane += d;
  return lane;
}

// Reserves a position in a queue for each active lane, with one atomic for all of them.
__device__ __forceinline__ u32 append(u32* size)
{
  const u32 here = __activemask();
  const int leader = __ffs(here) - 1;
  u32 first = 0;
  if ((int)lane_id() == leader) first = atomicAdd(size, (u32)__popc(here));
  first = __shfl_sync(here, first, leader);
  return first + __popc(here & ((1u << lane_id()) - 1u));
}
