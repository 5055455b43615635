// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Numbers the vertices of an edge list on one GPU: exactly the ids that occur, in ascending order.
//
// ID is the type of the user's ids. They are found in a bit set over the range of the ids; `ranks` has the number of ids
// before each of its words.
#include "common.cuh"

#ifndef ID
#define ID i32
#endif

constexpr u32 THREADS = 1024;

struct Range {
  u32 arrived, pad;
  i64 least, most;
};

// Smallest and largest of 2 n ids; of none, anything. Ids of 2^63 and more are negative here, as the caller knows.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_id_range(const ID* sources, const ID* destinations, i64 n, Range* range)
{
  const i64 some = n > 0 ? (i64)sources[0] : 0;
  i64 least = some, most = some;
  for (u64 i = global_thread(); i < (u64)n; i += grid_threads()) {
    const i64 u = (i64)sources[i], v = (i64)destinations[i];
    least = min(least, min(u, v)), most = max(most, max(u, v));
  }
  for (int d = 16; d > 0; d >>= 1) {
    least = min(least, __shfl_down_sync(ALL_LANES, least, d));
    most = max(most, __shfl_down_sync(ALL_LANES, most, d));
  }
  if (global_thread() == 0) range->least = range->most = some;
  grid_barrier(&range->arrived);
  if (lane_id() == 0) atomicMin(&range->least, least), atomicMax(&range->most, most);
}

struct Counted {
  u32 arrived, pad;
  u64 vertices;
};

__device__ __forceinline__ void mark(u32* present, u64 x)
{
  u32* const word = present + (x >> 5);
  const u32 bit = 1u << (x & 31);
  if (!(load_shared_state(word) & bit)) atomicOr(word, bit);
}

__device__ __forceinline__ u32 number_of(const u32* present, const u32* ranks, u64 x)
{
  const u32 word = load_shared_state(present + (x >> 5));
  return load_shared_state(ranks + (x >> 5)) + __popc(word & ((1u << (x & 31)) - 1u));
}

__device__ __forceinline__ void clear(u32* present, i64 words)
{
  for (u64 w = global_thread(); w < (u64)words; w += grid_threads()) present[w] = 0;
}

__device__ __forceinline__ void mark_ids(const ID* sources, const ID* destinations, i64 n, i64 least, u32* present)
{
  for (u64 i = global_thread(); i < (u64)n; i += grid_threads()) {
    mark(present, (u64)((i64)sources[i] - least));
    mark(present, (u64)((i64)destinations[i] - least));
  }
}

// Counts the ids before each word, and writes the number of every id of the edges; all threads of the grid call.
__device__ void number_ids(const ID* sources, const ID* destinations, i64 n, i64 least, i64 words, const u32* present,
                           u32* ranks, u32* counts, u32* out_sources, u32* out_destinations, Counted* control)
{
  __shared__ u32 scratch[33];
  const u64 each = ((u64)words + gridDim.x - 1) / gridDim.x;
  const u64 first = min((u64)words, each * blockIdx.x), end = min((u64)words, first + each);
  u32 mine = 0;
  for (u64 w = first + threadIdx.x; w < end; w += THREADS) mine += __popc(load_shared_state(present + w));
  mine = block_sum(mine, scratch);
  if (threadIdx.x == 0) counts[blockIdx.x] = mine;
  grid_barrier(&control->arrived);
  u32 before = 0;
  for (u32 b = threadIdx.x; b < blockIdx.x; b += THREADS) before += load_shared_state(counts + b);
  before = block_sum(before, scratch);
  __syncthreads();
  if (threadIdx.x == 0) scratch[32] = before;
  __syncthreads();
  u32 at = scratch[32];
  for (u64 tile = first; tile < end; tile += THREADS) {
    const u64 w = tile + threadIdx.x;
    u32 total;
    const u32 bits = w < end ? __popc(load_shared_state(present + w)) : 0, inside = warp_scan(bits, total);
    __syncthreads();
    if (lane_id() == 0) scratch[warp_id()] = total;
    __syncthreads();
    u32 earlier = 0, together = 0;
    for (u32 k = 0; k < THREADS / 32; k++) {
      const u32 x = scratch[k];
      earlier += k < warp_id() ? x : 0, together += x;
    }
    if (w < end) ranks[w] = at + earlier + inside;
    at += together;
  }
  if (threadIdx.x == 0 && end == (u64)words && first < end) control->vertices = at;
  grid_barrier(&control->arrived);
  for (u64 i = global_thread(); i < (u64)n; i += grid_threads()) {
    const u64 u = (u64)((i64)sources[i] - least), v = (u64)((i64)destinations[i] - least);
    out_sources[i] = number_of(present, ranks, u);
    out_destinations[i] = number_of(present, ranks, v);
  }
}

// `present` holds `words` words, of which the kernel clears all, and `counts` one for each block. The numbers may be
// written over the ids.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_number_vertices(const ID* sources, const ID* destinations, i64 n, i64 least, i64 words, u32* present, u32* ranks,
                    u32* counts, u32* out_sources, u32* out_destinations, Counted* control)
{
  clear(present, words);
  grid_barrier(&control->arrived);
  mark_ids(sources, destinations, n, least, present);
  grid_barrier(&control->arrived);
  number_ids(sources, destinations, n, least, words, present, ranks, counts, out_sources, out_destinations, control);
}

// Of several GPUs, each first marks the ids of its edges, and then numbers those that any of them has marked: peers[q] is
// the address of what GPU q has marked, and `present` becomes what all have.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_mark_ids(const ID* sources, const ID* destinations, i64 n, i64 least, i64 words, u32* present, Counted* control)
{
  clear(present, words);
  grid_barrier(&control->arrived);
  mark_ids(sources, destinations, n, least, present);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_number_marked(const ID* sources, const ID* destinations, i64 n, i64 least, i64 words, const u64* peers, u32 parts,
                  u32* present, u32* ranks, u32* counts, u32* out_sources, u32* out_destinations, Counted* control)
{
  for (u64 w = global_thread(); w < (u64)words; w += grid_threads()) {
    u32 bits = 0;
    for (u32 q = 0; q < parts; q++) bits |= reinterpret_cast<const u32*>(peers[q])[w];
    present[w] = bits;
  }
  grid_barrier(&control->arrived);
  number_ids(sources, destinations, n, least, words, present, ranks, counts, out_sources, out_destinations, control);
}

// Ids that fit 32 bits, as they are.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_narrow_ids(const ID* sources, const ID* destinations, i64 n, u32* out_sources, u32* out_destinations, u32* control)
{
  for (u64 i = global_thread(); i < (u64)n; i += grid_threads()) {
    out_sources[i] = (u32)sources[i];
    out_destinations[i] = (u32)destinations[i];
  }
}

// The ids that occur, ascending.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_list_ids(const u32* present, const u32* ranks, i64 words, i64 least, i64* ids, u32* control)
{
  const u64 warps = grid_threads() / 32, warp = global_thread() / 32;
  for (u64 w = warp; w < (u64)words; w += warps) {
    const u32 word = present[w], lane = lane_id();
    if (word >> lane & 1u) ids[ranks[w] + __popc(word & ((1u << lane) - 1u))] = least + (i64)(w * 32 + lane);
  }
}
