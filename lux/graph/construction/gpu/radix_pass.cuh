// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// A pass of a stable radix sort: each block counts the digits of its range of the keys, all meet, and it then knows where
// its keys of each digit go, after those of the blocks before it (edge_sort.cu, send_edges.cu). `digit(key)` is below
// DIGITS, and write(digit, to, key, index) puts a key in its place.
//
// PAYLOAD: each key comes with the number of its edge.
#pragma once
#include "common.cuh"

#ifndef PAYLOAD
#define PAYLOAD 0
#endif
#ifndef RESIDENT
#define RESIDENT 2
#endif

constexpr u32 THREADS = 384, WARPS = THREADS / 32;
constexpr u32 DIGIT_BITS = 8, DIGITS = 1u << DIGIT_BITS;
constexpr u32 ITEMS = PAYLOAD ? 8 : 12;  // keys of a thread in each tile
constexpr u32 TILE = THREADS * ITEMS;
constexpr u32 COPIES = 4;                // counters of a digit, which lanes share out

struct Candidate {
  u64 key;
  u32 index;
  bool valid;
};

// Edges in two columns, by dense id; a key is `destination << bits | source`.
struct EdgeColumns {
  const u32* sources;
  const u32* destinations;
  bool mirror, drop_loops;
  u32 bits;

  // An edge of both directions is two candidates, one after the other; a loop is one edge.
  __device__ Candidate at(u64 j) const
  {
    const u64 e = mirror ? j >> 1 : j;
    const bool back = mirror && (j & 1);
    const u32 u = sources[e], v = destinations[e];
    const u64 key = back ? (u64)u << bits | v : (u64)v << bits | u;
    return {key, (u32)e, u != v || !(drop_loops || back)};
  }
};

struct Shared {
  union {
    u64 keys[TILE];
    u32 counts[COPIES * DIGITS];
  };
#if PAYLOAD
  u32 indices[TILE];
#endif
  unsigned short ranks[WARPS][DIGITS];  // first position in the tile, of each warp's keys of a digit
  u64 next[DIGITS];                     // where the next key of a digit goes, less its position in the tile
  u64 total[DIGITS];
  u64 warp_totals[32];
  u32 tile_keys;
};

// Exclusive prefix sum over the values of threads 0 to DIGITS - 1; all threads call.
__device__ __forceinline__ u64 scan_digits(u64 x, u64* warp_totals)
{
  u64 total;
  const u64 before = warp_scan(threadIdx.x < DIGITS ? x : 0, total);
  __syncthreads();
  if (lane_id() == 0) warp_totals[warp_id()] = total;
  __syncthreads();
  u64 earlier = 0;
  for (u32 w = 0; w < warp_id(); w++) earlier += warp_totals[w];
  return earlier + before;
}

// Keys of a block's range in one pass, from a source (the first pass) or from an array.
template <typename Read, typename Digit>
__device__ void count_range(const Read& read, u64 first, u64 end, const Digit& digit, Shared& shared, u32* counts)
{
  for (u32 i = threadIdx.x; i < COPIES * DIGITS; i += THREADS) shared.counts[i] = 0;
  __syncthreads();
  u32* mine = shared.counts + threadIdx.x % COPIES * DIGITS;
  for (u64 j = first + threadIdx.x; j < end; j += 4 * THREADS) {
    Candidate c[4];
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
      const u64 at = j + k * THREADS;
      c[k] = read(at < end ? at : j);
      c[k].valid = c[k].valid && at < end;
    }
#pragma unroll
    for (u32 k = 0; k < 4; k++)
      if (c[k].valid) atomicAdd(mine + digit(c[k].key), 1u);
  }
  __syncthreads();
  for (u32 d = threadIdx.x; d < DIGITS; d += THREADS) {
    u32 sum = 0;
    for (u32 k = 0; k < COPIES; k++) sum += shared.counts[k * DIGITS + d];
    counts[(u64)blockIdx.x * DIGITS + d] = sum;
  }
}

// Finds where this block's keys of each digit go, if all follow one another; returns, in all threads, how many keys there
// are.
__device__ u64 place_digits(const u32* counts, Shared& shared)
{
  u64 all = 0, before = 0;
  const u32 d = threadIdx.x;
  if (d < DIGITS)
#pragma unroll 8
    for (u32 b = 0; b < gridDim.x; b++) {
      const u32 x = load_shared_state(counts + (u64)b * DIGITS + d);
      if (b < blockIdx.x) before += x;
      all += x;
    }
  const u64 first = scan_digits(all, shared.warp_totals);
  if (d < DIGITS) shared.next[d] = first + before;
  if (d == DIGITS - 1) shared.total[0] = first + all;
  __syncthreads();
  return shared.total[0];
}

template <typename Read, typename Digit, typename Write>
__device__ void scatter_range(const Read& read, u64 first, u64 end, const Digit& digit, Shared& shared,
                              const Write& write)
{
  const u32 lane = lane_id(), warp = warp_id(), below = (1u << lane) - 1u;
  for (u64 tile = first; tile < end; tile += TILE) {
    u64 key[ITEMS];
    u32 rank[ITEMS], valid = 0;
#if PAYLOAD
    u32 index[ITEMS];
#endif
    for (u32 d = lane; d < DIGITS; d += 32) shared.ranks[warp][d] = 0;
    const u64 begin = tile + warp * (32 * ITEMS) + lane;
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
      const u64 j = begin + 32 * k;
      Candidate c = {0, 0, false};
      if (j < end) c = read(j);
      key[k] = c.key;
#if PAYLOAD
      index[k] = c.index;
#endif
      valid |= (u32)c.valid << k;
    }
    __syncwarp();
    // Rank of each key among the warp's keys of its digit, in the order of the input.
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
      const bool is = valid >> k & 1u;
      const u32 d = is ? digit(key[k]) : DIGITS;
      const u32 alike = __match_any_sync(ALL_LANES, d);
      const int leader = __ffs((int)alike) - 1;
      u32 before = 0;
      if (is && (int)lane == leader) {
        before = shared.ranks[warp][d];
        shared.ranks[warp][d] = (unsigned short)(before + __popc(alike));
      }
      before = __shfl_sync(ALL_LANES, before, leader);
      rank[k] = before + __popc(alike & below);
      __syncwarp();
    }
    __syncthreads();
    // First position of each digit in the tile, and of each warp's keys of it.
    u64 count = 0;
    if (threadIdx.x < DIGITS)
      for (u32 w = 0; w < WARPS; w++) count += shared.ranks[w][threadIdx.x];
    const u64 at = scan_digits(count, shared.warp_totals);
    if (threadIdx.x < DIGITS) {
      u32 position = (u32)at;
      for (u32 w = 0; w < WARPS; w++) {
        const u32 n = shared.ranks[w][threadIdx.x];
        shared.ranks[w][threadIdx.x] = (unsigned short)position;
        position += n;
      }
      shared.next[threadIdx.x] -= at;
      shared.total[threadIdx.x] = count + at;
      if (threadIdx.x == DIGITS - 1) shared.tile_keys = position;
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++)
      if (valid >> k & 1u) {
        const u32 position = shared.ranks[warp][digit(key[k])] + rank[k];
        shared.keys[position] = key[k];
#if PAYLOAD
        shared.indices[position] = index[k];
#endif
      }
    __syncthreads();
    for (u32 i = threadIdx.x; i < shared.tile_keys; i += THREADS) {
      const u64 x = shared.keys[i];
      const u32 d = digit(x);
#if PAYLOAD
      write(d, shared.next[d] + i, x, shared.indices[i]);
#else
      write(d, shared.next[d] + i, x, 0u);
#endif
    }
    __syncthreads();
    if (threadIdx.x < DIGITS) shared.next[threadIdx.x] += shared.total[threadIdx.x];
    __syncthreads();
  }
}

// Range of n keys that a block takes.
__device__ __forceinline__ void range_of(u64 n, u64& first, u64& end)
{
  const u64 each = (n + gridDim.x - 1) / gridDim.x;
  first = min(n, each * blockIdx.x), end = min(n, first + each);
}
