// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Betweenness by weight: the edges that lie on shortest paths from a source (see weighted_betweenness.cu).
#pragma once
#include "sssp_search.cuh"

static_assert(!PACKED && FLOATING, "distances are float64");

constexpr u32 ROW_PART = 256;  // in-edges of a long row that a warp looks at; shorter ones, 32 rows at a time
constexpr u32 PIECE = 128;     // children of a long row that a warp takes

// Begin of a level's queue items; they end where the next level's begin.
struct Bound {
  u32 row, piece;
};

// The edges that lie on shortest paths, as rows of children, and what is found by going through them.
struct PathEdges {
  const i64* offsets;  // of the graph's rows of out-edges, where the rows of children begin as well
  u32* children;
  u32* length;         // of each row of children
  u32* waiting;        // a vertex's parents that have not been reached yet
  double* paths;       // shortest paths from the source
  double* factor;      // (1 + dependency) / paths
  u32* rows;           // vertices of all levels, with few children;
  u64* pieces;         // and of those with many: number of the piece << 32 | place. Before, parts of rows of in-edges
  Bound* bounds;       // of each level, and of the end
};

struct Items {
  u32 row_begin, n_rows, piece_begin, n_pieces;
};

// State that blocks share. Zero when a launch begins.
struct Walk {
  // Rows and pieces that a level has queued: one slot is filled, the one before read, the third cleared. Levels of all
  // blocks have slots of their own: a late block may still read its sizes while block 0 is levels ahead alone.
  u32 together[3][2], alone[3][2];
  u32 reached;      // vertices, the source among them
  u32 parts;        // of long rows of in-edges
  u32 lost;         // whether an edge's weight is lost in a sum
  u32 over;         // whether the launch ends
  u32 level;        // what the block that went on alone leaves to all
  Items items;
};

// Appends `count` pieces for each lane's v (NONE, where it has none) to a queue.
__device__ __forceinline__ void append_pieces(u32 v, u32 count, u64* queue, u32* size)
{
  const u32 lane = lane_id();
  if (!__any_sync(ALL_LANES, v != NONE)) return;
  u32 total, at = 0;
  const u32 before = warp_scan(v != NONE ? count : 0u, total);
  if (lane == 0) at = atomicAdd(size, total);
  at = __shfl_sync(ALL_LANES, at, 0);
  for (u32 base = 0; base < total; base += 32) {
    const u32 owner = lane_of(before, base + lane);
    const u32 u = __shfl_sync(ALL_LANES, v, owner), first = __shfl_sync(ALL_LANES, before, owner);
    if (base + lane < total) queue[at + base + lane] = (u64)(base + lane - first) << 32 | u;
  }
}

// Returns true if no parallel edge before edge e of a row that begins at `first` lies on a shortest path, too.
__device__ __forceinline__ bool is_first(const Rows& in, i64 first, i64 e, u32 u, D from, D to)
{
  while (--e >= first) {
    u32 other;
    W w;
    in.load<false>(e, other, w);
    if (other != u) break;
    if (from + (D)w == to) return false;
  }
  return true;
}

// Looks at edges e, e + step, e + 2 step and e + 3 step of v's row of in-edges, from `first` to b. Returns how many of
// them end a shortest path to v, which is at distance `to`.
__device__ __forceinline__ u32 find_parents(const u64* state, const Rows& in, const PathEdges& g, Walk* walk, u32 v,
                                            D to, i64 first, i64 e, i64 step, i64 b)
{
  W w[4];
  u32 u[4], found = 0;
  D from[4];
  bool near[4];
#pragma unroll
  for (int k = 0; k < 4; k++) in.load<false>(min(e + k * step, b - 1), u[k], w[k]);
#pragma unroll
  for (int k = 0; k < 4; k++) {
    near[k] = e + k * step < b && (D)w[k] <= to && u[k] != v;
    from[k] = near[k] ? distance_of(__ldcg(state + u[k])) : Bits<D>::most();
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    if (!near[k] || from[k] + (D)w[k] != to || !is_first(in, first, e + k * step, u[k], from[k], to)) continue;
    if (!(from[k] < to)) walk->lost = 1;
    g.children[g.offsets[u[k]] + atomicAdd(g.length + u[k], 1u)] = v;
    found++;
  }
  return found;
}

// Finds parents by a warp, along edges a to b; the sum is in all lanes.
__device__ __forceinline__ u32 find_parents_by_warp(const u64* state, const Rows& in, const PathEdges& g, Walk* walk,
                                                    u32 v, D to, i64 first, i64 a, i64 b)
{
  u32 found = 0;
  for (; a < b; a += 128) found += find_parents(state, in, g, walk, v, to, first, a + lane_id(), 32, b);
  return __shfl_sync(ALL_LANES, warp_sum(found), 0);
}

// Fills rows of children, and the numbers of parents. state: of the first n places. in: all in-edges, parallel ones
// side by side. g.length and g.waiting are zero, as are walk->parts and walk->reached. All blocks meet at the end.
__device__ __noinline__ void find_path_edges(const u64* state, u32 n, const Rows in, const PathEdges& g, Walk* walk,
                                             u32 source, u32* arrived, Shared& sh)
{
  const u32 lane = lane_id(), warps = gridDim.x * WARPS, warp = warp_id() * gridDim.x + blockIdx.x;
  begin_round(sh);
  u32 reached = 0;
  for (u64 base = (u64)warp * 32; base < n; base += (u64)warps * 32) {
    const u32 v = (u32)base + lane;
    const D to = v < n ? distance_of(__ldcg(state + v)) : Bits<D>::most();
    const bool here = to != Bits<D>::most();
    reached += here;
    i64 a = 0, b = 0;
    if (here && v != source) {
      a = __ldg(in.offsets + v);
      b = __ldg(in.offsets + v + 1);
    }
    const i64 first = a;
    const bool is_long = b - a >= (i64)ROW_PART;
    append_pieces(is_long ? v : NONE, (u32)((b - a + ROW_PART - 1) / ROW_PART), g.pieces, &walk->parts);
    if (is_long) b = a;
    u32 found = 0;
    const i64 alone = min(b, a + (i64)ALONE);
    for (; a < alone; a += 4) found += find_parents(state, in, g, walk, v, to, first, a, 1, alone);
    u32 todo = __ballot_sync(ALL_LANES, a < b);
    while (todo) {
      const int owner = __ffs(todo) - 1;
      todo &= todo - 1;
      const i64 begin = __shfl_sync(ALL_LANES, first, owner), rest = __shfl_sync(ALL_LANES, a, owner);
      const i64 end = __shfl_sync(ALL_LANES, b, owner);
      const u32 got = find_parents_by_warp(state, in, g, walk, __shfl_sync(ALL_LANES, v, owner),
                                           __shfl_sync(ALL_LANES, to, owner), begin, rest, end);
      if ((int)lane == owner) found += got;
    }
    if (here && !is_long) g.waiting[v] = found;
  }
  reached = warp_sum(reached);
  if (lane == 0 && reached) atomicAdd(&sh.count, (u64)reached);
  __syncthreads();
  if (threadIdx.x == 0 && sh.count) atomicAdd(&walk->reached, (u32)sh.count);
  grid_barrier(arrived);
  const u32 parts = __ldcg(&walk->parts);
  if (parts == 0) return;
  for (u32 i = warp; i < parts; i += warps) {
    const u64 part = __ldcg(g.pieces + i);
    const u32 v = (u32)part;
    const i64 first = __ldg(in.offsets + v), a = first + (i64)(part >> 32) * ROW_PART;
    const i64 b = min(__ldg(in.offsets + v + 1), a + (i64)ROW_PART);
    const u32 found = find_parents_by_warp(state, in, g, walk, v, distance_of(__ldcg(state + v)), first, a, b);
    if (lane == 0 && found) atomicAdd(g.waiting + v, found);
  }
  grid_barrier(arrived);
}
