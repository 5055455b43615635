// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Levels that one block expands alone, with the frontier in shared memory (see levels.cuh).
#pragma once
#include "levels_queues.cuh"

__device__ __forceinline__ u64 frontier_row(i64 begin, i64 degree) { return (u64)begin << 16 | (u64)min(degree, (i64)0xffff); }

__device__ __forceinline__ u64 row_of(const Graph& g, u32 v)
{
  const i64 begin = __ldg(g.out_offsets + v);
  return frontier_row(begin, __ldg(g.out_offsets + v + 1) - begin);
}

__device__ __forceinline__ void load_frontier(const Graph& g, const Scratch& scratch, const Items& items)
{
  SharedFrontier& frontier = shared.frontier;
  __syncthreads();
  if (threadIdx.x == 0) frontier.size = frontier.found = 0;
  __syncthreads();
  for (u32 i = threadIdx.x; i < items.n_rows + items.n_pieces; i += THREADS) {
    u32 v;
    if (i < items.n_rows) {
      v = scratch.rows[items.row_begin + i];
    } else {
      const u64 piece = scratch.pieces[items.piece_begin + (i - items.n_rows)];
      if (piece >> 32) continue;
      v = (u32)piece;
    }
    const i64 begin = __ldg(g.out_offsets + v), end = __ldg(g.out_offsets + v + 1);
    if (begin == end) continue;
    const u32 at = append(&frontier.size);
    frontier.row[at] = frontier_row(begin, end - begin);
    frontier.vertex[at] = v;
  }
  __syncthreads();
}

// Replaces the length of each row by the number of its first edge. Returns the number of edges, exact up to SHARED_EDGES.
__device__ __forceinline__ u32 scan_frontier(u32 size)
{
  SharedFrontier& frontier = shared.frontier;
  const u32 at = threadIdx.x * LONE_UNROLL;
  u64 row[LONE_UNROLL];
  u32 sum = 0;
  #pragma unroll
  for (int k = 0; k < LONE_UNROLL; k++) {
    row[k] = at + k < size ? frontier.row[at + k] : 0;
    sum += (u32)(row[k] & 0xffff);
  }
  u32 total;
  u32 first = warp_scan(sum, total);
  if (lane_id() == 0) shared.counts[warp_id()] = total;
  __syncthreads();
  const u32 before = warp_scan(shared.counts[lane_id()], total);
  first += __shfl_sync(ALL_LANES, before, warp_id());
  #pragma unroll
  for (int k = 0; k < LONE_UNROLL; k++)
    if (at + k < size) {
      frontier.row[at + k] = (row[k] & ~(u64)0xffff) | (first & 0xffff);
      first += (u32)(row[k] & 0xffff);
    }
  __syncthreads();
  return total;
}

// Finds edge j of the frontier: returns its number in the graph, and sets `source`.
__device__ __forceinline__ i64 frontier_edge(const SharedFrontier& frontier, u32 size, u32 j, u32& source)
{
  u32 low = 0, high = size;  // the last row whose first edge is at most j is in [low, high)
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    if ((u32)(frontier.row[middle] & 0xffff) <= j) low = middle;
    else high = middle;
  }
  const u64 row = frontier.row[low];
  source = frontier.vertex[low];
  return (i64)(row >> 16) + (j - (u32)(row & 0xffff));
}

// Appends one vertex to the queues behind `items`. Called by one thread of the block that works alone.
__device__ __forceinline__ void queue_alone(const Graph& g, const Scratch& scratch, const Items& items, u32 v)
{
  const u32 degree = g.out_degree(v);
  if (degree < PIECE_EDGES) {
    scratch.rows[items.row_begin + append(&shared.frontier.n_rows)] = v;
  } else {
    const u32 n = (degree + PIECE_EDGES - 1) / PIECE_EDGES;
    u64* to = scratch.pieces + items.piece_begin + atomicAdd(&shared.frontier.n_pieces, n);
    for (u32 k = 0; k < n; k++) to[k] = (u64)k << 32 | v;
  }
}

// Expands levels whose frontier has at most SHARED_EDGES out-edges, by this block alone while the others wait. Stops with
// a queued frontier that has more edges, with an empty frontier, or at the limit of levels.
template <class Visitor>
__device__ __noinline__ void run_alone(const Graph& g, const Scratch& scratch, u32 limit, const Visitor visitor, State& state,
                                       i64* stats, u32 stats_rows, i64 start)
{
  SharedFrontier& frontier = shared.frontier;
  Items items = state.items;
  load_frontier(g, scratch, items);
  u32 level = state.level, size = frontier.size, n_found = (u32)state.frontier;
  u64 visited = state.visited, explored = state.explored;
  while (true) {
    const u32 edges = scan_frontier(size);
    if (size == 0 || edges > SHARED_EDGES || level >= limit) break;
    if (threadIdx.x == 0) {
      frontier.size = frontier.found = frontier.n_rows = frontier.n_pieces = 0;
      if (level < stats_rows) record(stats, level, PUSH_ALONE, n_found, edges, start);
      visitor.begin_level(level, items, true);
    }
    items.advance();
    explored += edges;
    u32 to[LONE_UNROLL], from[LONE_UNROLL];
    #pragma unroll
    for (int k = 0; k < LONE_UNROLL; k++) {
      const u32 j = threadIdx.x + k * THREADS;
      to[k] = NONE;
      if (j < edges) to[k] = __ldg(g.out_neighbours + frontier_edge(frontier, size, j, from[k]));
    }
    // Small levels are bound by latency: rows are loaded together with the claims. Larger levels are bound by the number
    // of requests: rows are loaded after the claims, for claimed vertices alone.
    const bool early = edges <= LONE_EARLY;
    u64 row[LONE_UNROLL];
    #pragma unroll
    for (int k = 0; k < LONE_UNROLL; k++)
      if (to[k] != NONE) {
        if (early) row[k] = row_of(g, to[k]);
        if (!visitor.claim(to[k], from[k], level)) to[k] = NONE;
      }
    #pragma unroll
    for (int k = 0; k < LONE_UNROLL; k++)
      if (!early && to[k] != NONE) row[k] = row_of(g, to[k]);
    u32 found = 0;
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < LONE_UNROLL; k++)
      if (to[k] != NONE) {
        found++;
        visitor.set_result(to[k], from[k], level + 1);
        if ((row[k] & 0xffff) != 0) {
          const u32 at = append(&frontier.size);
          frontier.row[at] = row[k];
          frontier.vertex[at] = to[k];
        }
        if (Visitor::ORDERED) queue_alone(g, scratch, items, to[k]);
      }
    found = warp_sum(found);
    if (lane_id() == 0 && found) atomicAdd(&frontier.found, found);
    __syncthreads();
    n_found = frontier.found;
    visited += n_found;
    size = frontier.size;
    if (Visitor::ORDERED) {
      items.n_rows = frontier.n_rows;
      items.n_pieces = frontier.n_pieces;
    }
    level++;
  }
  __syncthreads();
  if (!Visitor::ORDERED && threadIdx.x == 0) frontier.n_rows = frontier.n_pieces = 0;
  __syncthreads();
  u64 edges = 0;
  for (u32 i = threadIdx.x; i < size; i += THREADS) {
    edges += g.out_degree(frontier.vertex[i]);
    if (!Visitor::ORDERED) queue_alone(g, scratch, items, frontier.vertex[i]);
  }
  edges = block_sum(edges, shared.sums);
  if (threadIdx.x == 0) shared.sums[0] = edges;
  __syncthreads();
  items.n_rows = frontier.n_rows;
  items.n_pieces = frontier.n_pieces;
  state = {items, level, n_found, shared.sums[0], explored, visited};
  __syncthreads();
}
