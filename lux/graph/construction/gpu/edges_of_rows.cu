// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Lists the edges of a graph that is stored by destination, row by row, as sources and destinations.
#include "spread_array.cuh"

constexpr u32 THREADS = 1024;
constexpr u32 STRETCH = 1024;  // edges that a warp lists at a time

__device__ __forceinline__ i64 begin_of(const i64* starts, u64 row) { return load_shared_state(starts + row); }

// Returns the row of an edge, between two rows, of which the first begins at it or before it.
__device__ __forceinline__ u64 row_of(const i64* starts, u64 low, u64 high, i64 edge)
{
  while (low < high) {
    const u64 middle = (low + high + 1) / 2;
    if (begin_of(starts, middle) <= edge) low = middle;
    else high = middle - 1;
  }
  return low;
}

// vertices: the vertex whose row comes first, second, ... (null: as they are stored); places: new ids (null: as they are).
// reverse: what was a source becomes a destination. Edges from `first_edge` to `end_edge` - 1 in this order are listed.
// Without `vertices`, there are offsets of n rows from `first_row` on.
// row_sources: null where several GPUs have a part each, which `spread` describes. `starts` holds n + 1 words and `counts`
// one for each block, which are used only with `vertices`.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_list_rows(const i64* offsets, const u32* row_sources, const u64* spread, u32 parts, const u32* vertices,
              const u32* places, u32 reverse, u64 first_row, i64 n, i64 m, i64 first_edge, i64 end_edge, u32* sources,
              u32* destinations, i64* starts, i64* counts, u32* control)
{
  __shared__ i64 scratch[33];
  const SpreadArray<u32> neighbours{row_sources, spread, parts};
  if (vertices) {
    const u64 each = ((u64)n + gridDim.x - 1) / gridDim.x;
    const u64 first = min((u64)n, each * blockIdx.x), end = min((u64)n, first + each);
    i64 mine = 0;
    for (u64 r = first + threadIdx.x; r < end; r += THREADS) mine += offsets[vertices[r] + 1ull] - offsets[vertices[r]];
    mine = block_sum(mine, scratch);
    if (threadIdx.x == 0) counts[blockIdx.x] = mine;
    grid_barrier(control);
    i64 before = 0;
    for (u32 b = threadIdx.x; b < blockIdx.x; b += THREADS) before += load_shared_state(counts + b);
    before = block_sum(before, scratch);
    __syncthreads();
    if (threadIdx.x == 0) scratch[32] = before;
    __syncthreads();
    i64 at = scratch[32];
    for (u64 tile = first; tile < end; tile += THREADS) {
      const u64 r = tile + threadIdx.x;
      i64 total;
      const i64 degree = r < end ? offsets[vertices[r] + 1ull] - offsets[vertices[r]] : 0, inside = warp_scan(degree, total);
      __syncthreads();
      if (lane_id() == 0) scratch[warp_id()] = total;
      __syncthreads();
      i64 earlier = 0, together = 0;
      for (u32 w = 0; w < THREADS / 32; w++) {
        const i64 x = scratch[w];
        earlier += w < warp_id() ? x : 0, together += x;
      }
      if (r < end) starts[r] = at + earlier + inside;
      at += together;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) starts[n] = m;
    grid_barrier(control);
  }
  const i64* begins = vertices ? starts : offsets;
  const u64 warps = grid_threads() / 32, warp = global_thread() / 32;
  for (u64 first = first_edge + warp * STRETCH; first < (u64)end_edge; first += warps * STRETCH) {
    const u64 last = min((u64)end_edge, first + STRETCH) - 1;
    const u64 low = row_of(begins, 0, n - 1, (i64)first), high = row_of(begins, low, n - 1, (i64)last);
    for (u64 i = first + lane_id(); i <= last; i += 32) {
      const u64 row = row_of(begins, low, high, (i64)i);
      const u32 vertex = vertices ? vertices[row] : (u32)(first_row + row);
      const u32 neighbour = neighbours[vertices ? offsets[vertex] + ((i64)i - begin_of(begins, row)) : (i64)i];
      const u32 here = places ? places[vertex] : vertex, there = places ? places[neighbour] : neighbour;
      sources[i - first_edge] = reverse ? here : there;
      destinations[i - first_edge] = reverse ? there : here;
    }
  }
}
