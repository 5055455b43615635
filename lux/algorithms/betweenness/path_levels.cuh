// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Betweenness by weight: numbers of paths and dependencies, along the edges of shortest paths (see
// weighted_betweenness.cu).
#pragma once
#include "path_edges.cuh"
#include "row_sums.cuh"

constexpr u32 LONE_ROWS = THREADS;  // rows, or 32 times as many pieces, that one block takes alone

__device__ __forceinline__ bool is_empty(const Items& items) { return items.n_rows + items.n_pieces == 0; }
__device__ __forceinline__ bool is_small(const Items& items)
{
  return (u64)items.n_rows + 32ull * items.n_pieces <= LONE_ROWS;
}

__device__ __forceinline__ u32 warps_of_grid() { return gridDim.x * WARPS; }
__device__ __forceinline__ u32 warp_of_grid() { return warp_id() * gridDim.x + blockIdx.x; }

// Rows that a warp takes at a time, a power of two.
__device__ __forceinline__ u32 batch_of(u32 n_rows, u32 n_warps)
{
  u32 batch = 32;
  while (batch > 1 && n_rows < batch * n_warps) batch >>= 1;
  return batch;
}

// Queues vertices behind a level's items. All lanes of a warp call push together, and close in the end.
struct NextLevel {
  const PathEdges& g;
  u32* held;  // of the warp, in shared memory
  u32 n_held;
  u32* rows;
  u64* pieces;
  u32* sizes;

  __device__ __forceinline__ void flush(u32 n)
  {
    u32 at = 0;
    n_held -= n;
    if (lane_id() == 0) at = atomicAdd(sizes, n);
    at = __shfl_sync(ALL_LANES, at, 0);
    if (lane_id() < n) rows[at + lane_id()] = held[n_held + lane_id()];
    __syncwarp();
  }
  __device__ __forceinline__ void push(u32 v, bool wanted)
  {
    const u32 length = wanted ? __ldcg(g.length + v) : 0;
    const u32 shorts = __ballot_sync(ALL_LANES, wanted && length < PIECE);
    if (wanted && length < PIECE) held[n_held + __popc(shorts & ((1u << lane_id()) - 1))] = v;
    n_held += __popc(shorts);
    __syncwarp();
    if (n_held >= 32) flush(32);
    append_pieces(length >= PIECE ? v : NONE, (length + PIECE - 1) / PIECE, pieces, sizes + 1);
  }
  __device__ __forceinline__ void close()
  {
    if (n_held) flush(n_held);
  }
};

// Adds a parent's paths to a child. It is queued by the last of its parents.
__device__ __forceinline__ void reach(const PathEdges& g, u32 child, double paths, NextLevel& next)
{
  bool last = false;
  if (child != NONE) {
    atomicAdd(g.paths + child, paths);
    last = atomicAdd(g.waiting + child, NONE) == 1u;
  }
  if (__any_sync(ALL_LANES, last)) next.push(child, last);
}

// The children of a level, by some of the warps: the `step`th level that uses these slots, which count what it queues.
__device__ __noinline__ void count_paths(const PathEdges& g, u32 (*slots)[2], u32 step, const Items& items, u32 level,
                                         Shared& sh, u32 warp, u32 n_warps)
{
  const u32 lane = lane_id();
  NextLevel next{g, sh.near[warp_id()], 0u, g.rows + items.row_begin + items.n_rows,
                 g.pieces + items.piece_begin + items.n_pieces, slots[(step + 1) % 3]};
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    g.bounds[level] = {items.row_begin, items.piece_begin};
    slots[(step + 2) % 3][0] = slots[(step + 2) % 3][1] = 0;
  }
  for (u32 i = warp; i < items.n_pieces; i += n_warps) {
    const u64 piece = __ldcg(g.pieces + items.piece_begin + i);
    const u32 u = (u32)piece, done = (u32)(piece >> 32) * PIECE;
    const u32* const row = g.children + __ldg(g.offsets + u) + done;
    const u32 length = min(PIECE, __ldcg(g.length + u) - done);
    const double paths = __ldcg(g.paths + u);
    for (u32 base = 0; base < length; base += 32)
      reach(g, base + lane < length ? __ldcg(row + base + lane) : NONE, paths, next);
  }
  const u32 batch = batch_of(items.n_rows, n_warps);
  for (u64 i = (u64)warp * batch; i < items.n_rows; i += (u64)n_warps * batch) {
    u32 length = 0, total;
    i64 begin = 0;
    double paths = 0;
    if (lane < batch && i + lane < items.n_rows) {
      const u32 u = __ldcg(g.rows + items.row_begin + i + lane);
      length = __ldcg(g.length + u);
      begin = __ldg(g.offsets + u);
      paths = __ldcg(g.paths + u);
    }
    const u32 before = warp_scan(length, total);
    for (u32 base = 0; base < total; base += 32) {
      const u32 owner = lane_of(before, base + lane);
      const i64 at = __shfl_sync(ALL_LANES, begin, owner) + (base + lane - __shfl_sync(ALL_LANES, before, owner));
      const double of_owner = __shfl_sync(ALL_LANES, paths, owner);
      reach(g, base + lane < total ? __ldcg(g.children + at) : NONE, of_owner, next);
    }
  }
  next.close();
}

// Goes on to what a level has queued, when all that took part have met.
__device__ __forceinline__ void advance(const u32 (*slots)[2], u32& step, Items& items, u32& level)
{
  level++, step++;
  const u32* const sizes = slots[step % 3];
  items = {items.row_begin + items.n_rows, __ldcg(sizes), items.piece_begin + items.n_pieces, __ldcg(sizes + 1)};
}

// From the source on: a vertex is of the level after that of its last parent. Returns the number of levels.
// The slots of walk are zero, as are the numbers of paths, but for the source's. All blocks meet at the end.
__device__ __forceinline__ u32 count_all_paths(const PathEdges& g, Walk* walk, u32 source, u32* arrived, Shared& sh)
{
  const u32 length = __ldcg(g.length + source), pieces = length < PIECE ? 0 : (length + PIECE - 1) / PIECE;
  Items items{0, pieces ? 0u : 1u, 0, pieces};
  if (pieces == 0 && global_thread() == 0) g.rows[0] = source;
  for (u64 i = global_thread(); i < pieces; i += grid_threads()) g.pieces[i] = i << 32 | source;
  grid_barrier(arrived);
  u32 level = 0, together = 0, alone = 0;
  while (!is_empty(items)) {
    if (!is_small(items)) {
      count_paths(g, walk->together, together, items, level, sh, warp_of_grid(), warps_of_grid());
      grid_barrier(arrived);
      advance(walk->together, together, items, level);
      continue;
    }
    if (blockIdx.x == 0) {
      while (!is_empty(items) && is_small(items)) {
        count_paths(g, walk->alone, alone, items, level, sh, warp_id(), WARPS);
        __syncthreads();
        advance(walk->alone, alone, items, level);
      }
      if (threadIdx.x == 0) {
        walk->level = level;
        walk->items = items;
      }
    }
    grid_barrier(arrived);
    level = __ldcg(&walk->level);
    const Items* const left = &walk->items;
    items = {__ldcg(&left->row_begin), __ldcg(&left->n_rows), __ldcg(&left->piece_begin), __ldcg(&left->n_pieces)};
  }
  if (global_thread() == 0) g.bounds[level] = {items.row_begin, items.piece_begin};
  grid_barrier(arrived);
  return level;
}

// Children, all of whose factors are known.
struct Factors {
  const double* factor;
  __device__ __forceinline__ bool wanted(u32) const { return true; }
  __device__ __forceinline__ double value(u32 v) const { return __ldcg(factor + v); }
};

// A vertex's dependency follows from the sum of its children's factors. `one`: what a path counts for its end.
__device__ __forceinline__ void accumulate(const PathEdges& g, double* score, double one, u32 v, double sum)
{
  const double paths = __ldcg(g.paths + v), dependency = paths * sum;
  g.factor[v] = (1 + dependency) / paths;
  score[v] = __ldcg(score + v) + (dependency + one);
}

// Dependencies of a level's short rows; the pieces of long ones add to their vertices' factors.
__device__ __noinline__ void add_factors(const PathEdges& g, const Items& items, double* score, double one, u32 warp,
                                         u32 n_warps)
{
  const u32 lane = lane_id();
  const Factors term{g.factor};
  for (u32 i = warp; i < items.n_pieces; i += n_warps) {
    const u64 piece = __ldcg(g.pieces + items.piece_begin + i);
    const u32 u = (u32)piece, done = (u32)(piece >> 32) * PIECE;
    const u32 length = min(PIECE, __ldcg(g.length + u) - done);
    const double sum = row_sums<false>(g.children, __ldg(g.offsets + u) + done, length, 1, term);
    if (lane == 0) atomicAdd(g.factor + u, sum);
  }
  const u32 batch = batch_of(items.n_rows, n_warps);
  for (u64 i = (u64)warp * batch; i < items.n_rows; i += (u64)n_warps * batch) {
    u32 u = NONE, length = 0;
    i64 begin = 0;
    if (lane < batch && i + lane < items.n_rows) {
      u = __ldcg(g.rows + items.row_begin + i + lane);
      begin = __ldg(g.offsets + u);
      length = __ldcg(g.length + u);
    }
    const double sum = row_sums<false>(g.children, begin, length, batch, term);
    if (u != NONE) accumulate(g, score, one, u, sum);
  }
}

// Dependencies of a level's long rows.
__device__ __forceinline__ void accumulate_long(const PathEdges& g, const Items& items, double* score, double one,
                                            u64 thread, u64 n_threads)
{
  for (u64 i = thread; i < items.n_pieces; i += n_threads) {
    const u64 piece = __ldcg(g.pieces + items.piece_begin + i);
    if (piece >> 32 == 0) accumulate(g, score, one, (u32)piece, __ldcg(g.factor + (u32)piece));
  }
}

__device__ __forceinline__ Items items_of(const Bound* bounds, u32 level)
{
  const u32 row = __ldcg(&bounds[level].row), piece = __ldcg(&bounds[level].piece);
  return {row, __ldcg(&bounds[level + 1].row) - row, piece, __ldcg(&bounds[level + 1].piece) - piece};
}

// Adds the dependencies of all vertices but the source, from the last level back. Factors are zero. All blocks meet at
// the end.
__device__ __forceinline__ void add_dependencies(const PathEdges& g, u32 levels, double* score, double one,
                                                 u32* arrived)
{
  // All blocks read the same bounds, so all know where the small levels end.
  for (u32 level = levels - 1; level > 0;) {
    Items items = items_of(g.bounds, level);
    if (!is_small(items)) {
      add_factors(g, items, score, one, warp_of_grid(), warps_of_grid());
      grid_barrier(arrived);
      if (items.n_pieces) {
        accumulate_long(g, items, score, one, global_thread(), grid_threads());
        grid_barrier(arrived);
      }
      level--;
      continue;
    }
    do {
      if (blockIdx.x == 0) {
        add_factors(g, items, score, one, warp_id(), WARPS);
        __syncthreads();
        if (items.n_pieces) {
          accumulate_long(g, items, score, one, threadIdx.x, THREADS);
          __syncthreads();
        }
      }
      level--;
      if (level > 0) items = items_of(g.bounds, level);
    } while (level > 0 && is_small(items));
    grid_barrier(arrived);
  }
}
