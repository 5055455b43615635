// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Folding: each processor names what it has visited to the owners in its grid row, who give it its level. A message is a
// bitmap and, where that is shorter, a list; it stays with the sender, and the owner reads one of both.
#pragma once
#include "grid_state.cuh"

// Lists the bits of the lanes' words, of which the first stands for `first`, up to `room`.
__device__ __forceinline__ void append_bits(u32* size, u32* list, u32 room, u32 bits, u32 first)
{
  u32 total, begin = 0;
  u32 at = warp_scan((u32)__popc(bits), total);
  if (total == 0) return;
  if (lane_id() == 0) begin = atomicAdd(size, total);
  at += __shfl_sync(ALL_LANES, begin, 0);
  for (; bits && at < room; bits &= bits - 1) list[at++] = first + (u32)__ffs((int)bits) - 1;
}

__device__ __forceinline__ void set_level(const Args& g, u32 r, u32 level, u32 finder, u64& edges)
{
  g.levels[r] = (i32)level;
  if (g.columns > 1) g.finders[r] = (unsigned char)finder;
#if HYBRID
  edges += __ldg(g.degrees + r);
#endif
}

// The own vertices of a warp's 32 words, the first of which is `tile` * 32, are at `level`.
__device__ __forceinline__ void set_levels(const Args& g, u32 tile, u32 bits, u32 level, u32 finder, u64& edges)
{
  for (u32 there = __ballot_sync(ALL_LANES, bits != 0); there; there &= there - 1) {
    const u32 k = (u32)__ffs((int)there) - 1, word = __shfl_sync(ALL_LANES, bits, k);
    if (word >> lane_id() & 1u) set_level(g, (tile * 32 + k) * 32 + lane_id(), level, finder, edges);
  }
}

__device__ __forceinline__ void count_found(const Args& g, u32 level, u32 found, u64 edges)
{
  __shared__ u64 sums[32];
  const u64 all = block_sum((u64)found, sums), all_edges = block_sum(edges, sums);
  if (threadIdx.x == 0 && all) {
    atomicAdd(&g.control->active[level & 1u], all);
    if (all_edges) atomicAdd(&g.control->edges[level & 1u], all_edges);
  }
}

// Sends the vertices that were visited in the step to `level`: own ones are the frontier, others are named to their
// owners.
__device__ void fold_send(const Args& g, u32 level)
{
  const u32 words = g.words(), lane = lane_id(), copy = level & 1u;
  u32 found = 0;
  u64 edges = 0;
  if (global_thread() == 0) g.control->queued = 0;
  for (u32 m = 0; m < (u32)g.columns; ++m) {
    const u32 first = m * words;
    for (u32 tile = spread_warp(); tile * 32 < words; tile += n_warps()) {
      const u32 w = tile * 32 + lane;
      const bool there = w < words;
      const u32 now = there ? __ldcg(g.visited + first + w) : 0, sent = there ? __ldcg(g.sent + first + w) : 0;
      const u32 fresh = now & ~sent;
      if (fresh) g.sent[first + w] = sent | fresh;
      if (m == (u32)g.column) {
        if (there) g.front[copy * words + w] = fresh;
        found += (u32)__popc(fresh);
        set_levels(g, tile, fresh, level, m, edges);
        if (g.rows > 1) append_bits(&g.control->listed[copy], g.front_lists + copy * words, words, fresh, w * 32);
      } else {
        if (there) g.fresh[first + w] = fresh;
        append_bits(&g.control->folded[m], g.lists + first, words, fresh, w * 32);
      }
    }
  }
  count_found(g, level, found, edges);
}

// Reads the messages of the others in the grid row. Own vertices that were visited here first stay so.
__device__ void fold_receive(const Args& g, u32 level, u64& bytes)
{
  const u32 words = g.words(), lane = lane_id(), me = (u32)g.column, copy = level & 1u;
  u32 *known = g.own(g.sent), *visited = g.own(g.visited), *front = g.front + copy * words;
  u32 *list = g.front_lists + copy * words, *listed = &g.control->listed[copy];
  u32 found = 0;
  u64 edges = 0;
  read_counts((u32)g.columns, [&](u32 m) { return m == me ? &g.control->folded[m] : &of_peer(g, g.in_row(m), g.control)->folded[me]; });
  for (u32 m = 0; m < (u32)g.columns; ++m) {
    if (m == me) continue;
    const u32 n = received[m];
    bytes += message_bytes(g, n);
    if (n == 0) continue;
    if (n < words) {
      const u32* from = of_peer(g, g.in_row(m), g.own(g.lists));
      for (u64 k = global_thread(); k < n; k += grid_threads()) {
        const u32 r = __ldcg(from + k), w = r >> 5, bit = 1u << (r & 31u);
        if (atomicOr(known + w, bit) & bit) continue;
        atomicOr(visited + w, bit);
        atomicOr(front + w, bit);
        ++found;
        set_level(g, r, level, m, edges);
        if (g.rows > 1) {
          const u32 at = append(listed);
          if (at < words) list[at] = r;
        }
      }
    } else {
      const u32* from = of_peer(g, g.in_row(m), g.own(g.fresh));
      for (u32 tile = spread_warp(); tile * 32 < words; tile += n_warps()) {
        const u32 w = tile * 32 + lane, bits = w < words ? __ldcg(from + w) : 0;
        const u32 won = bits ? bits & ~atomicOr(known + w, bits) : 0;
        if (won) {
          atomicOr(visited + w, won);
          atomicOr(front + w, won);
        }
        found += (u32)__popc(won);
        set_levels(g, tile, won, level, m, edges);
        if (g.rows > 1) append_bits(listed, list, words, won, w * 32);
      }
    }
  }
  count_found(g, level, found, edges);
}

// The end of a search: parents, which the processors have that came to a vertex first.
__device__ void collect_parents(const Args& g)
{
  const u32 me = (u32)g.column;
  u32 fetched = 0;
#if HYBRID
  const u32 *names = g.names + g.row * g.stride, n = (u32)g.stride;
#else
  if (g.columns == 1 && !g.by_place) return;  // preds are the parents
  const u32 n = (u32)g.n_own;
#endif
  for (u64 r = global_thread(); r < n; r += grid_threads()) {
    const i32 level = __ldcg(g.levels + r);
    u32 before = NONE;
    if (level != NO_LEVEL) {
      const u32 m = g.columns > 1 ? g.finders[r] : me;
      u32* preds = g.preds + me * g.stride + r;
      before = __ldcg(m == me ? preds : of_peer(g, g.in_row(m), preds));
      fetched += m != me;
    }
#if HYBRID
    if (level != NO_LEVEL) g.results().set_result(__ldg(names + r) - (u32)g.first, before, (u32)level);
#else
    g.results().set_result(r, before, (u32)level);
#endif
  }
  fetched = warp_sum(fetched);
  if (lane_id() == 0 && fetched) atomicAdd(&g.control->fetched, (u64)fetched);
}
