// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Walks of warps through bitmaps, shared by the kernels of searches.
#pragma once
#include "common.cuh"

constexpr u32 THREADS = 1024;
constexpr u32 WARPS = THREADS / 32;
constexpr u32 CHUNK_WORDS = 8;     // words of a bitmap that a warp takes at a time, at most
constexpr u32 LANE_EDGES = 16;     // a row's edges, after its first, that one lane looks at
constexpr u32 DEFER_EDGES = 4096;  // a row's edges after which the rest is left to the whole grid
#ifndef PULL_UNROLL
#define PULL_UNROLL 2
#endif

// Record of each warp about its words.
struct Lists {
  unsigned short list[WARPS][CHUNK_WORDS * 32];
  unsigned char mark[WARPS][CHUNK_WORDS * 32];
};

// Warps numbered so that consecutive ones are on different multiprocessors.
__device__ __forceinline__ u32 spread_warp() { return warp_id() * gridDim.x + blockIdx.x; }

// Returns the last lane whose `first` is at most j; `first` rises over the lanes, from 0 in lane 0.
__device__ __forceinline__ u32 owner_of(u32 first, u32 j)
{
  u32 owner = 0;
  #pragma unroll
  for (u32 step = 16; step > 0; step >>= 1)
    if (__shfl_sync(ALL_LANES, first, owner + step) <= j) owner += step;
  return owner;
}

// Lists the numbers of the bits set in the words of lanes 0...chunk-1, ascending; returns their count.
__device__ __forceinline__ u32 list_bits(u32 word, u32 chunk, unsigned short* list)
{
  const u32 lane = lane_id();
  if (!__any_sync(ALL_LANES, word != 0)) return 0;
  u32 n = 0;
  for (u32 w = 0; w < chunk; w++) {
    const u32 bits = __shfl_sync(ALL_LANES, word, w);
    if (bits >> lane & 1u) list[n + __popc(bits & ((1u << lane) - 1))] = (unsigned short)(w * 32 + lane);
    n += __popc(bits);
  }
  __syncwarp();
  return n;
}

// Appends x of the lanes where `wanted` to a list of the warp; returns the new length.
__device__ __forceinline__ u32 keep(unsigned short* list, u32 n, u32 x, bool wanted)
{
  const u32 lanes = __ballot_sync(ALL_LANES, wanted);
  if (wanted) list[n + __popc(lanes & ((1u << lane_id()) - 1))] = (unsigned short)x;
  return n + __popc(lanes);
}

__device__ __forceinline__ bool has_bit(const u32* bitmap, u32 v) { return bitmap[v >> 5] >> (v & 31) & 1u; }

// Sets a bit; returns true for one of the threads that set it.
__device__ __forceinline__ bool claim_bit(u32* bitmap, u32 v)
{
  const u32 bit = 1u << (v & 31);
  return !(atomicOr(bitmap + (v >> 5), bit) & bit);
}
