// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Stores of a graph from sorted keys (edge_sort.cu): offsets, sources, and values of edges; and an order by degree.
#include "spread_array.cuh"

constexpr u32 THREADS = 1024;
constexpr u64 SHORT_GAP = 8;  // vertices without in-edges, one after the other, that a lane writes alone

#ifndef VALUE
#define VALUE u32
#endif

__device__ __forceinline__ void range_of(u64 n, u64& first, u64& end)
{
  const u64 each = (n + gridDim.x - 1) / gridDim.x;
  first = min(n, each * blockIdx.x), end = min(n, first + each);
}

// offsets[v] = at for all v from `first` to `last`, of every lane; warps write long runs together.
__device__ __forceinline__ void fill_offsets(i64* offsets, u64 first, u64 last, u64 at, bool wanted)
{
  const bool lasting = wanted && last - first >= SHORT_GAP;
  if (wanted && !lasting)
    for (u64 v = first; v <= last; v++) offsets[v] = (i64)at;
  for (u32 lanes = __ballot_sync(ALL_LANES, lasting); lanes; lanes &= lanes - 1) {
    const int lane = __ffs((int)lanes) - 1;
    const u64 begin = __shfl_sync(ALL_LANES, first, lane), end = __shfl_sync(ALL_LANES, last, lane);
    const u64 value = __shfl_sync(ALL_LANES, at, lane);
    for (u64 v = begin + lane_id(); v <= end; v += 32) offsets[v] = (i64)value;
  }
}

// Writes the offsets of vertices 0 to n (n < 0: none), the sources of the edges that stay, and the number of the edge of
// each (where `indices` is not null). `base` edges are before those of vertex 0. `counts` holds a word for each block.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_write_edges(const u64* keys, const u32* indices, u64 m, u32 bits, u32 drop_repeats, i64 n, u64 base, i64* offsets,
                u32* sources, u32* kept, u64* counts, u32* control)
{
  __shared__ u64 scratch[33];
  const u64 low = (1ull << bits) - 1;
  u64 first, end, at = 0, all = m;
  range_of(m, first, end);
  const auto stays = [&](u64 i) { return !drop_repeats || i == 0 || keys[i] != keys[i - 1]; };
  if (drop_repeats) {
    u64 mine = 0;
    for (u64 i = first + threadIdx.x; i < end; i += THREADS) mine += stays(i);
    mine = block_sum(mine, scratch);
    if (threadIdx.x == 0) counts[blockIdx.x] = mine;
    grid_barrier(control);
    u64 before = 0, total = 0;
    for (u32 b = threadIdx.x; b < gridDim.x; b += THREADS) {
      const u64 x = load_shared_state(counts + b);
      total += x, before += b < blockIdx.x ? x : 0;
    }
    before = block_sum(before, scratch);
    __syncthreads();
    if (threadIdx.x == 0) scratch[32] = before;
    __syncthreads();
    at = scratch[32];
    total = block_sum(total, scratch);
    __syncthreads();
    if (threadIdx.x == 0) scratch[32] = total;
    __syncthreads();
    all = scratch[32];
  } else {
    at = first;
  }
  for (u64 tile = first; tile < end; tile += THREADS) {
    const u64 i = tile + threadIdx.x;
    const bool here = i < end && stays(i);
    const u32 lanes = __ballot_sync(ALL_LANES, here);
    __syncthreads();
    if (lane_id() == 0) scratch[warp_id()] = __popc(lanes);
    __syncthreads();
    u64 earlier = 0, together = 0;
    for (u32 w = 0; w < THREADS / 32; w++) {
      const u64 x = scratch[w];
      earlier += w < warp_id() ? x : 0, together += x;
    }
    const u64 to = at + earlier + __popc(lanes & ((1u << lane_id()) - 1u));
    u64 v = 0, previous = 0;
    bool begins = false;
    if (here) {
      const u64 key = keys[i];
      v = key >> bits;
      sources[to] = (u32)(key & low);
      if (kept) kept[to] = indices[i];
      begins = i == 0 || keys[i - 1] >> bits != v;
      previous = i == 0 ? 0 : (keys[i - 1] >> bits) + 1;
    }
    fill_offsets(offsets, previous, v, base + to, begins);
    at += together;
  }
  // Vertices behind the last that has in-edges, and the end.
  const u64 beyond = m == 0 ? 0 : (keys[m - 1] >> bits) + 1;
  for (i64 v = (i64)(beyond + global_thread()); v <= n; v += (i64)grid_threads()) offsets[v] = (i64)(base + all);
}

// after[i] = before[at[i]]; before: null where several GPUs have a part each, which `spread` describes.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_gather_values(const VALUE* before, const u64* spread, u32 parts, const u32* at, VALUE* after, i64 n, u32* control)
{
  const SpreadArray<VALUE> values{before, spread, parts};
  for (u64 i = global_thread(); i < (u64)n; i += grid_threads()) after[i] = values[at[i]];
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_copy_words(const u32* before, u32* after, i64 n, u32* control)
{
  for (u64 i = global_thread(); i < (u64)n; i += grid_threads()) after[i] = before[i];
}

// Adds the number of the edges before to n offsets.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_move_offsets(i64* offsets, i64 n, i64 by, u32* control)
{
  for (u64 i = global_thread(); i < (u64)n; i += grid_threads()) offsets[i] += by;
}

// Deals vertices, sorted by falling degree, out to ranges in turns: the vertex at each position, and the position of each.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_deal_vertices(const u64* keys, i64 n, u32 bits, i64 ranges, u32* vertices, u32* places, u32* control)
{
  const u64 low = (1ull << bits) - 1, whole = (u64)(n / ranges), longer = (u64)(n % ranges);
  for (u64 i = global_thread(); i < (u64)n; i += grid_threads()) {
    const u64 range = i % (u64)ranges, place = range * whole + min(range, longer) + i / (u64)ranges;
    const u32 v = (u32)(keys[i] & low);
    vertices[place] = v;
    places[v] = (u32)place;
  }
}
