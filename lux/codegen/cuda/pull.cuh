// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Pulling: vertices gather from their in-edges (see program.cuh).
#pragma once
#include "iteration.cuh"

// Loads the sources of the edges k, k + step, ...; 0 past the last.
__device__ __forceinline__ void load_sources(const u32* sources, u32 k, u32 count, u32 step, u32* u)
{
#pragma unroll
  for (int j = 0; j < UNROLL; ++j) u[j] = k + j * step < count ? load_stream(sources + k + j * step) : 0;
}

// Gathers the edges k, k + step, ... of the `count` from `first` on, in UNROLL independent chains; `group`: lanes of a row.
template <bool EVERY>
__device__ __forceinline__ Acc gather(const Args& g, const IterationState& t, const Fields& old, u32 v, i64 first, u32 k, u32 count, u32 step,
                                      u32 group)
{
  const Owner own = load_owner(g, old, v);
  const u32* __restrict__ sources = g.sources + first;
  Acc acc[UNROLL];
#pragma unroll
  for (int j = 0; j < UNROLL; ++j) identity(acc[j]);
#if EARLY
  // Rows are left as soon as their vertex is done.
  Acc before;
  begin_sparse(g, old, v, before);
  bool over = false;
  while (__any_sync(group, k < count) && !over) {
    if (k < count && (EVERY || in_front(g, sources[k]))) {
      Acc x;
      const u32 u = sources[k];
      contribution(g, t.known, old, own, v, load_neighbour(g, old, u), u, g_in_edges(g, first + k), x);
      combine(acc[0], x);
    }
    Acc now = before;
    combine(now, acc[0]);
    over = __any_sync(group, done_with(g, old, v, now));
    k += step;
  }
  return acc[0];
#else
  // First the fields of sources are loaded, then the next sources, then contributions are computed: the compiler moves no
  // load across a call of the program's functions.
  u32 u[UNROLL], next[UNROLL];
  load_sources(sources, k, count, step, u);
  while (k < count) {
    Neighbour n[UNROLL];
    bool there[UNROLL];
#pragma unroll
    for (int j = 0; j < UNROLL; ++j) there[j] = k + j * step < count && (EVERY || in_front(g, u[j]));
#pragma unroll
    for (int j = 0; j < UNROLL; ++j)
      if (there[j]) n[j] = neighbour(g, old, u[j]);
    load_sources(sources, k + UNROLL * step, count, step, next);
#pragma unroll
    for (int j = 0; j < UNROLL; ++j) {
      if (there[j]) {
        Acc x;
        contribution(g, t.known, old, own, v, n[j], u[j], g_in_edges(g, first + k + j * step), x);
        combine(acc[j], x);
      }
      u[j] = next[j];
    }
    k += UNROLL * step;
  }
#pragma unroll
  for (int j = UNROLL - 1; j > 0; --j) combine(acc[j - 1], acc[j]);
  return acc[0];
#endif
}

template <int L>
__device__ __forceinline__ u32 lanes_of_row()
{
  return L == 32 ? ALL_LANES : ((1u << (L & 31)) - 1u) << (lane_id() / L * L);
}

__device__ __forceinline__ void gathered(const Args& g, const IterationState& t, const Fields& old, const Fields& out, u32 v,
                                         const Vertex& before, const Acc& acc, u32& count, u64& edges, double* totals)
{
#if SPARSE
  Acc now;
  take_sparse(before, now);
  combine(now, acc);
  if (differs(before, now)) {
    pend_set(g, v, now);
    touch(g, t, v);
  }
#else
  const bool active = finish_vertex(g, t.known, old, out, v, before, acc, totals);
  if (HAS_FRONTIER && active) activate(g, t, v, count, edges);
#endif
}

// Gathers 32 rows at a time, with L lanes for each; then every lane finishes one row.
template <int L, bool EVERY>
__device__ __forceinline__ void pull_rows(const Args& g, const IterationState& t, const Fields& old, const Fields& out, Item item,
                                          u32& count, u64& edges, double* totals)
{
  constexpr u32 GROUPS = 32 / L;
  for (u32 at = item.first; at < item.end; at += 32) {
    const u32 k = at + lane_id();
    const bool some = k < item.end;
    const u32 v = !some ? (u32)g.lo : g.rows ? g.rows[k] : (u32)g.lo + k;  // arrays may begin at lo
    const i64 first = some ? g.in_offsets[v] : 0;
    u32 length = some ? (u32)(g.in_offsets[v + 1] - first) : 0;
#if EARLY
    if (some && done_before(g, old, v)) length = 0;
#endif
    Vertex before;  // loaded before the gathering, which hides the latency
    if (some) before = load_vertex(g, old, v);
    Acc mine;
    identity(mine);
    if (L == 1) {
      if (some) mine = gather<EVERY>(g, t, old, v, first, 0, length, 1, lanes_of_row<1>());
    } else {
      const u32 rows = min(32u, item.end - at);
#pragma unroll 1
      for (u32 j = 0; j * GROUPS < rows; ++j) {
        const u32 row = j * GROUPS + lane_id() / L;
        const u32 of = __shfl_sync(ALL_LANES, v, row), edges_of = __shfl_sync(ALL_LANES, length, row);
        const i64 from = __shfl_sync(ALL_LANES, first, row);
        Acc acc = gather<EVERY>(g, t, old, of, from, lane_id() % L, edges_of, L, lanes_of_row<L>());
        __syncwarp();
#pragma unroll
        for (int d = L / 2; d > 0; d >>= 1) combine(acc, shuffle_down(ALL_LANES, acc, d, L));
        acc = shuffle_from(acc, (lane_id() - j * GROUPS) * L & 31u);
        if (lane_id() / GROUPS == j) mine = acc;
      }
    }
    if (some) gathered(g, t, old, out, v, before, mine, count, edges, totals);
  }
}

// Gathers one segment of a hub. The last warp to arrive combines the segments, in their order.
template <bool EVERY>
__device__ __forceinline__ void pull_segment(const Args& g, const IterationState& t, const Fields& old, const Fields& out, Item item,
                                             u32 number, u32& count, u64& edges, double* totals)
{
  const u32 v = g.rows ? g.rows[item.first] : (u32)g.lo + item.first, segment = item.end;
  const i64 first = g.in_offsets[v], end = g.in_offsets[v + 1], begin = first + (i64)segment * SEGMENT;
  const u32 segments = (u32)((end - first + SEGMENT - 1) / SEGMENT), base = number - segment;
  Acc acc = gather<EVERY>(g, t, old, v, begin, lane_id(), (u32)(min(begin + (i64)SEGMENT, end) - begin), 32, ALL_LANES);
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) combine(acc, shuffle_down(ALL_LANES, acc, d, 32));
  u32 last = 0;
  if (lane_id() == 0) {
    g.partial[number] = acc;
    __threadfence();
    last = atomicAdd(g.partial_count + base, 1u) == segments - 1;
  }
  if (!__shfl_sync(ALL_LANES, last, 0)) return;
  __threadfence();
  identity(acc);
  for (u32 k = lane_id(); k < segments; k += 32) combine(acc, load_partial(g.partial + base + k));
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) combine(acc, shuffle_down(ALL_LANES, acc, d, 32));
  if (lane_id() == 0) {
    g.partial_count[base] = 0;
    gathered(g, t, old, out, v, load_vertex(g, old, v), acc, count, edges, totals);
  }
}

// Pieces of a partition's vertices, for each of which warps record their cycles.
constexpr u64 PIECES = 64;

__device__ __forceinline__ void note_spent(const Args& g, Item item, i64 began)
{
#if PART
  const u32 v = g.rows ? g.rows[item.first] : (u32)g.lo + item.first;
  if (lane_id() == 0) atomicAdd(g.spent + (v - g.lo) * PIECES / (g.hi - g.lo), (u64)(clock64() - began));
#endif
}

template <bool EVERY, bool SAMPLED = false>
__device__ void pull(const Args& g, const IterationState& t, const Fields& old, const Fields& out, u32& count, u64& edges, double* totals)
{
  u32* next = &g.control->next[t.slot];
  u32 number = 0;
  if (lane_id() == 0) number = atomicAdd(next, 1u);
  number = __shfl_sync(ALL_LANES, number, 0);
  Item coming{0, 0};
  if (number < (u32)g.n_items) coming = g.items[number];
  while (number < (u32)g.n_items) {
    u32 ahead = 0;
    if (lane_id() == 0) ahead = atomicAdd(next, 1u);
    const Item item = coming;
    const i64 began = SAMPLED ? clock64() : 0;
    ahead = __shfl_sync(ALL_LANES, ahead, 0);
    if (ahead < (u32)g.n_items) coming = g.items[ahead];
    if (number < (u32)g.n_segments) {
      pull_segment<EVERY>(g, t, old, out, item, number, count, edges, totals);
    } else {
      const u32 v = g.rows ? g.rows[item.first] : (u32)g.lo + item.first;
      const i64 degree = g.in_offsets[v + 1] - g.in_offsets[v];
      if (degree > 64) pull_rows<32, EVERY>(g, t, old, out, item, count, edges, totals);
      else if (degree > 32) pull_rows<16, EVERY>(g, t, old, out, item, count, edges, totals);
      else if (degree > 16) pull_rows<8, EVERY>(g, t, old, out, item, count, edges, totals);
      else if (degree > 8) pull_rows<4, EVERY>(g, t, old, out, item, count, edges, totals);
      else if (degree > 4) pull_rows<2, EVERY>(g, t, old, out, item, count, edges, totals);
      else pull_rows<1, EVERY>(g, t, old, out, item, count, edges, totals);
    }
    __syncwarp();
    if (SAMPLED) note_spent(g, item, began);
    number = ahead;
  }
}
