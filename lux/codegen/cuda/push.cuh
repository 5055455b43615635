// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Pushing: active vertices send contributions along their out-edges (see program.cuh).
#pragma once
#include "iteration.cuh"

__device__ __forceinline__ void push_edge(const Args& g, const IterationState& t, const Fields& old, u32 u, const Neighbour& n, i64 e)
{
  const u32 v = g.destinations[e];
#if EARLY
  if (done_before(g, old, v)) return;
#endif
  Acc x;
  contribution(g, t.known, old, load_owner(g, old, v), v, n, u, g_out_edges(g, e), x);
#if SPARSE
  if (pend_push(g, v, x)) touch(g, t, v);
#else
  pend_push(g, v, x);
#endif
}

// Rows of the edges by source: of all places, or of the members of INS.
__device__ __forceinline__ u32 source_of(const Args& g, u32 row)
{
#if PART && !LOCAL
  return g.members ? g.members[row] : row;
#else
  return row;
#endif
}

// Pushes 32 rows at a time; their edges are distributed evenly over the lanes of a warp.
__device__ __forceinline__ void push_rows(const Args& g, const IterationState& t, const Fields& old, u32 row, bool some)
{
  const i64 first = some ? g.out_offsets[row] : 0;
  const u32 degree = some ? (u32)(g.out_offsets[row + 1] - first) : 0, u = some ? source_of(g, row) : 0;
  u32 total;
  const u32 before = warp_scan(degree, total);
  for (u32 at = 0; at < total; at += 32) {
    const u32 k = at + lane_id();
    const u32 owner = lane_of(before, k);
    const u32 from = __shfl_sync(ALL_LANES, u, owner);
    const i64 e = __shfl_sync(ALL_LANES, first, owner) + (k - __shfl_sync(ALL_LANES, before, owner));
    if (k < total) push_edge(g, t, old, from, load_neighbour(g, old, from), e);
  }
}

__device__ __forceinline__ void push_chunk(const Args& g, const IterationState& t, const Fields& old, u32 row, u32 chunk)
{
  const i64 first = g.out_offsets[row] + (i64)chunk * CHUNK, end = min(first + (i64)CHUNK, g.out_offsets[row + 1]);
  const u32 u = source_of(g, row);
  const Neighbour n = load_neighbour(g, old, u);
  for (i64 e = first + lane_id(); e < end; e += 32) push_edge(g, t, old, u, n, e);
}

__device__ void push(const Args& g, const IterationState& t, const Fields& old)
{
  const u32 warp = (u32)(global_thread() >> 5), warps = (u32)(grid_threads() >> 5);
#if HAS_FRONTIER
  const u32 chunks = __ldcg(&g.control->chunks[t.slot]), small = __ldcg(&g.control->small[t.slot]);
  for (u32 k = warp; k < chunks; k += warps) {
    const u64 chunk = __ldcg(g.chunks + t.current * g.chunks_length + k);
    push_chunk(g, t, old, (u32)(chunk >> 32), (u32)chunk);
  }
  for (u64 k = (u64)warp * 32; k < small; k += (u64)warps * 32) {
    const bool some = k + lane_id() < small;
    push_rows(g, t, old, some ? __ldcg(g.small + (u64)t.current * g.n_rows + k + lane_id()) : 0, some);
  }
#else
  for (u64 k = (u64)warp * 32; k < g.n_rows; k += (u64)warps * 32) {
    const u32 row = (u32)k + lane_id();
    const i64 degree = row < g.n_rows ? g.out_offsets[row + 1] - g.out_offsets[row] : 0;
    push_rows(g, t, old, row, degree > 0 && degree <= CHUNK);
    for (u32 hubs = __ballot_sync(ALL_LANES, degree > CHUNK); hubs; hubs &= hubs - 1) {
      const u32 hub = (u32)k + __ffs(hubs) - 1;
      const u32 chunks = (u32)((g.out_offsets[hub + 1] - g.out_offsets[hub] + CHUNK - 1) / CHUNK);
      for (u32 c = 0; c < chunks; ++c) push_chunk(g, t, old, hub, c);
    }
  }
#endif
}
