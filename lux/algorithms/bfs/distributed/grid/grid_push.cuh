// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Expanding the frontier, and visiting what its edges lead to: each thread takes several edges, and finds their sources
// by a binary search in the sums of the frontier's degrees (Bisson, Bernaschi and Mastrostefano, 2014, section 3.1).
#pragma once
#include "grid_state.cuh"

constexpr u32 CHUNK = 1024;     // edges that a warp takes at a time, at most
#ifndef VISIT_UNROLL
#define VISIT_UNROLL 4
#endif
#ifndef ASK_TWICE
#define ASK_TWICE 0
#endif
constexpr int UNROLL = VISIT_UNROLL;  // edges that a thread has on their way
constexpr u32 TILE_WORDS = 8;   // words of the frontier that a warp queues at once

struct Row { i64 begin; u32 degree; };

#if HYBRID
// A row of bitmap-based CSR (lux/algorithms/bfs/distributed/grid/bitmap_row_kernels.py).
__device__ __forceinline__ Row row_of(const Args& g, u32 u)
{
  const u64 word = (u64)__ldg(g.by_source + (u >> 6)), bit = 1ull << (u & 63u);
  if (!(word & bit)) return {0, 0};
  const i64* starts = g.by_source + 2 * g.source_words + 1 + __ldg(g.by_source + g.source_words + (u >> 6)) + __popcll(word & (bit - 1));
  const i64 begin = __ldg(starts);
  return {begin, (u32)(__ldg(starts + 1) - begin)};
}
__device__ __forceinline__ const u32* edges_of(const Args& g) { return g.source_edges; }
__device__ __forceinline__ u32 place_of(const Args& g, u32 u) { return __ldg(g.names + u); }
#else
__device__ __forceinline__ Row row_of(const Args& g, u32 u)
{
  const i64 begin = __ldg(g.offsets + u);
  return {begin, (u32)(__ldg(g.offsets + u + 1) - begin)};
}
__device__ __forceinline__ const u32* edges_of(const Args& g) { return g.columns_of; }
__device__ __forceinline__ u32 place_of(const Args& g, u32 u)
{
  if (g.rows == 1) return (u32)g.first_column + u;
  const u32 stride = (u32)g.stride, i = u / stride;
  return (u32)g.first_column + i * (u32)g.block + (u - i * stride);
}
#endif

// Bits of the grid column's frontier. Those of other processors are read as lists or as bits, whichever is shorter.
__device__ const u32* gather_front(const Args& g, u32 copy, u64& bytes)
{
  const u32 words = g.words();
  u32* mine = g.front + copy * words;
  if (g.rows == 1) return mine;
  const u32 first = (u32)(g.column * g.rows), me = (u32)g.row;
  read_counts((u32)g.rows, [&](u32 i) { return i == me ? &g.control->listed[copy] : &of_peer(g, first + i, g.control)->listed[copy]; });
  for (u32 i = 0; i < (u32)g.rows; ++i) {
    const bool listed = i != me && received[i] < words;
    const u32* from = i == me ? mine : of_peer(g, first + i, mine);
    for (u64 w = global_thread(); w < words; w += grid_threads()) g.front_all[i * words + w] = listed ? 0 : __ldcg(from + w);
    if (i != me) bytes += message_bytes(g, received[i]);
  }
  grid_barrier(&g.control->arrived);
  for (u32 i = 0; i < (u32)g.rows; ++i) {
    if (i == me || received[i] >= words) continue;
    const u32* list = of_peer(g, first + i, g.front_lists + copy * words);
    for (u64 k = global_thread(); k < received[i]; k += grid_threads()) {
      const u32 r = __ldcg(list + k);
      atomicOr(g.front_all + i * words + (r >> 5), 1u << (r & 31u));
    }
  }
  grid_barrier(&g.control->arrived);
  return g.front_all;
}

// Queues the frontier's local columns that have edges, and the sums of their degrees. One atomic gives out places in the
// queue and numbers of edges at once, so that both ascend together.
__device__ void enqueue(const Args& g, const u32* front)
{
  const u32 words = (u32)g.rows * g.words(), lane = lane_id();
  for (u32 tile = spread_warp(); tile * 32 < words; tile += n_warps()) {
    const u32 at_word = tile * 32 + lane, word = at_word < words ? __ldcg(front + at_word) : 0;
    if (!__any_sync(ALL_LANES, word)) continue;
    for (u32 first = 0; first < 32; first += TILE_WORDS) {
      if (!__any_sync(ALL_LANES, word != 0 && lane >= first && lane < first + TILE_WORDS)) continue;
      u32 degree[TILE_WORDS];
      u64 mine = 0;
#pragma unroll
      for (u32 k = 0; k < TILE_WORDS; ++k) {
        const u32 bits = __shfl_sync(ALL_LANES, word, first + k);
        degree[k] = bits >> lane & 1u ? row_of(g, (tile * 32 + first + k) * 32 + lane).degree : 0;
        if (degree[k]) mine += ONE_VERTEX + degree[k];
      }
      u64 total, at = warp_scan(mine, total), begin = 0;
      if (total == 0) continue;
      if (lane == 0) begin = atomicAdd(&g.control->queued, total);
      at += __shfl_sync(ALL_LANES, begin, 0);
#pragma unroll
      for (u32 k = 0; k < TILE_WORDS; ++k) {
        if (!degree[k]) continue;
        const u64 place = at >> EDGE_BITS;
        g.queue_at[place] = at & (ONE_VERTEX - 1);
        g.queue[place] = (tile * 32 + first + k) * 32 + lane;
        at += ONE_VERTEX + degree[k];
      }
    }
  }
}

// The last of n ascending numbers that is at most x, by a warp; the first is.
__device__ __forceinline__ u32 last_within(const u64* numbers, u32 n, u64 x)
{
  u32 low = 0, size = n;
  while (size > 1) {
    const u32 step = (size + 31) / 32, at = lane_id() * step;
    const u32 within = __ballot_sync(ALL_LANES, at < size && numbers[low + min(at, size - 1)] <= x);
    const u32 last = (31 - __clz((int)within)) * step;
    low += last;
    size = min(step, size - last);
  }
  return low;
}

// Visits what the queue's edges lead to: of several threads that come to a local row at once, one notes where it came
// from. The bitmap is asked before it is changed; its words may come from a first-level cache that is older, which costs
// an atomic and no more.
__device__ void visit(const Args& g)
{
  const u32 lane = lane_id();
  const u64 queued = __ldcg(&g.control->queued), edges = queued & (ONE_VERTEX - 1);
  const u32 n = (u32)(queued >> EDGE_BITS);
  const u32* columns = edges_of(g);
  u32 chunk = CHUNK;
  while (chunk > 32 * UNROLL && edges < (u64)chunk * n_warps()) chunk >>= 1;
  for (u64 from = (u64)spread_warp() * chunk; from < edges; from += (u64)n_warps() * chunk) {
    const u32 size = (u32)min((u64)chunk, edges - from);
    u32 at = 0;
    for (u32 k = last_within(g.queue_at, n, from); at < size; k += 32) {  // the rows of 32 vertices
      const bool mine = k + lane < n;
      const u64 before = mine ? g.queue_at[k + lane] : edges, after = n - k > 32 ? g.queue_at[k + 32] : edges;
      const u32 u = mine ? g.queue[k + lane] : 0;
      const i64 shift = mine ? row_of(g, u).begin - (i64)before + (i64)from : 0;
      const u32 first = before > from ? (u32)min(before - from, (u64)NONE) : 0, end = (u32)min((u64)size, after - from);
      for (; at < end; at += 32 * UNROLL) {
        u32 owner[UNROLL], v[UNROLL];
        // Most often all edges are of one row.
        const u32 one = owner_of(first, at), next = __shfl_sync(ALL_LANES, first, min(one + 1, 31u));
        const bool same = one == 31 || next >= min(at + 32 * UNROLL, end);
#pragma unroll
        for (int i = 0; i < UNROLL; ++i) {
          const u32 j = at + i * 32 + lane;
          owner[i] = same ? one : owner_of(first, min(j, end - 1));
          const i64 edge = __shfl_sync(ALL_LANES, shift, owner[i]) + j;
          v[i] = j < end ? __ldg(columns + edge) : NONE;
        }
        bool seen[UNROLL];
#pragma unroll
        for (int i = 0; i < UNROLL; ++i) seen[i] = v[i] == NONE || has_bit(g.visited, v[i]);
#if ASK_TWICE
#pragma unroll
        for (int i = 0; i < UNROLL; ++i)
          if (!seen[i]) seen[i] = __ldcg(g.visited + (v[i] >> 5)) >> (v[i] & 31u) & 1u;
#endif
#pragma unroll
        for (int i = 0; i < UNROLL; ++i) {
          const u32 bit = 1u << (v[i] & 31u);
          if (!seen[i]) seen[i] = atomicOr(g.visited + (v[i] >> 5), bit) & bit;
        }
#pragma unroll
        for (int i = 0; i < UNROLL; ++i) {
          if (__all_sync(ALL_LANES, seen[i])) continue;
          const u32 source = __shfl_sync(ALL_LANES, u, owner[i]);
          if (!seen[i]) g.preds[v[i]] = place_of(g, source);
        }
      }
      at = end;
    }
  }
}
