// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Levels that the whole grid expands: queues of vertices and of pieces of long rows, and bitmaps (see levels.cuh).
#pragma once
#include "levels_state.cuh"

__device__ __forceinline__ void load_item(const Graph& g, const Scratch& scratch, const Items& items, u32 i, u32& v, i64& begin,
                                          u32& degree)
{
  if (i < items.n_rows) {
    v = scratch.rows[items.row_begin + i];
    begin = __ldg(g.out_offsets + v);
    degree = (u32)(__ldg(g.out_offsets + v + 1) - begin);
  } else {
    const u64 piece = scratch.pieces[items.piece_begin + (i - items.n_rows)];
    v = (u32)piece;
    begin = __ldg(g.out_offsets + v) + (i64)(piece >> 32) * PIECE_EDGES;
    degree = (u32)min(__ldg(g.out_offsets + v + 1) - begin, (i64)PIECE_EDGES);
  }
}

// Appends the pieces of the lanes' rows. A lane without a row passes v = NONE.
__device__ __forceinline__ void append_pieces(u32 v, u32 degree, u64* pieces, u32* size)
{
  const u32 lane = lane_id();
  if (!__any_sync(ALL_LANES, v != NONE)) return;
  const u32 count = v != NONE ? (degree + PIECE_EDGES - 1) / PIECE_EDGES : 0;
  u32 total, at = 0;
  const u32 first = warp_scan(count, total);
  if (lane == 0) at = atomicAdd(size, total);
  at = __shfl_sync(ALL_LANES, at, 0);
  for (u32 i = 0; i < total; i += 32) {
    const u32 owner = owner_of(first, i + lane);
    const u32 u = __shfl_sync(ALL_LANES, v, owner), before = __shfl_sync(ALL_LANES, first, owner);
    if (i + lane < total) pieces[at + i + lane] = (u64)(i + lane - before) << 32 | u;
  }
}

// Appends to the queues of the next frontier, behind `items`. All lanes of a warp call push together, and all
// threads of the block call close.
struct WarpQueue {
  u32* held;
  u32 n_held;
  u32* rows;
  u64* pieces;
  Slot* slot;

  __device__ __forceinline__ WarpQueue(const Scratch& scratch, const Items& items, Slot* slot_)
      : held(shared.grid.queued[warp_id()]), n_held(0), rows(scratch.rows + items.row_begin + items.n_rows),
        pieces(scratch.pieces + items.piece_begin + items.n_pieces), slot(slot_)
  {
  }

  // A lane without a vertex passes v = NONE.
  __device__ __forceinline__ void push(u32 v, u32 degree)
  {
    const u32 lane = lane_id();
    const bool is_short = v != NONE && degree < PIECE_EDGES;
    const u32 shorts = __ballot_sync(ALL_LANES, is_short);
    if (is_short) held[n_held + __popc(shorts & ((1u << lane) - 1))] = v;
    n_held += __popc(shorts);
    if (n_held > QUEUE_BUFFER - 32) {
      u32 at = 0;
      if (lane == 0) at = atomicAdd(&slot->n_rows, n_held);
      copy(__shfl_sync(ALL_LANES, at, 0));
      n_held = 0;
    }
    append_pieces(v != NONE && degree >= PIECE_EDGES ? v : NONE, degree, pieces, &slot->n_pieces);
  }

  __device__ __forceinline__ void copy(u32 at)
  {
    __syncwarp();
    for (u32 i = lane_id(); i < n_held; i += 32) rows[at + i] = held[i];
    __syncwarp();
  }

  __device__ __forceinline__ void close()
  {
    if (lane_id() == 0) shared.counts[warp_id()] = n_held;
    __syncthreads();
    if (warp_id() == 0) {
      u32 total, at = 0;
      const u32 first = warp_scan(shared.counts[lane_id()], total);
      if (lane_id() == 0 && total) at = atomicAdd(&slot->n_rows, total);
      shared.counts[lane_id()] = first + __shfl_sync(ALL_LANES, at, 0);
    }
    __syncthreads();
    copy(shared.counts[warp_id()]);
    __syncthreads();
  }
};

// A Visitor says what a kernel does at the vertices that a level reaches:
//   may_claim(v)        returns true if an edge to v can matter; a stale `true` is harmless
//   claim(v, u)         takes edge (u, v); returns true to the one caller that reached v first
//   set_result(v, u, level) writes the results of a vertex reached for the first time
//   ORDERED             true if the queues keep all levels one after the other; otherwise vertices without out-edges
//                       are not queued
//   begin_level(level, items, small)  receives the position of the level's vertices in the queues

// Calls visit(to, from) for all edges of some items, PUSH_UNROLL edges at a time in each lane, with all lanes of a warp.
// A lane without an edge has to = NONE. `load(i, v, begin, degree)` reads an item: a short row, or a piece of a long one.
// Returns the number of edges of the items that this lane loaded.
template <class Load, class Visit>
__device__ __forceinline__ u64 expand(u32 n_items, const u32* neighbours, const Load& load, const Visit& visit)
{
  const u32 lane = lane_id();
  const u32 n_warps = gridDim.x * WARPS;
  u32 batch = 32, parts = 1;  // items a warp takes at a time; warps that share an item
  while (batch > 1 && (u64)n_items < (u64)batch * n_warps) batch >>= 1;
  while (parts < PIECE_EDGES / 32 && (u64)n_items * parts * 2 <= n_warps) parts *= 2;
  u64 looked = 0;
  for (u64 i = (u64)spread_warp() * batch; i < (u64)n_items * parts; i += (u64)n_warps * batch) {
    u32 v = 0, degree = 0;
    i64 begin = 0;
    if (lane < batch && i / parts + lane < n_items) load((u32)(i / parts + lane), v, begin, degree);
    if (parts > 1) {
      const u32 share = ((degree + parts - 1) / parts + 31) & ~31u, before = (u32)(i % parts) * share;
      begin += before;
      degree = before < degree ? min(share, degree - before) : 0;
    }
    looked += degree;
    u32 total;
    const u32 first = warp_scan(degree, total);
    for (u32 r = 0; r < total; r += 32 * PUSH_UNROLL) {
      u32 to[PUSH_UNROLL], from[PUSH_UNROLL];
      #pragma unroll
      for (int k = 0; k < PUSH_UNROLL; k++) {
        to[k] = NONE;
        const u32 j = r + k * 32 + lane;
        if (r + k * 32 < total) {
          const u32 owner = owner_of(first, j);
          const i64 row = __shfl_sync(ALL_LANES, begin, owner);
          const u32 before = __shfl_sync(ALL_LANES, first, owner);
          from[k] = __shfl_sync(ALL_LANES, v, owner);
          if (j < total) to[k] = __ldg(neighbours + row + (j - before));
        }
      }
      visit(to, from);
    }
  }
  return looked;
}

// Claims the vertices that the lanes' edges (to, from) lead to, and sets to = NONE where another edge was first. All
// tests are issued before any claim, so that their loads are in flight together.
template <class May, class Claim>
__device__ __forceinline__ void claim_some(u32 (&to)[PUSH_UNROLL], const u32 (&from)[PUSH_UNROLL], const May& may, const Claim& claim)
{
  #pragma unroll
  for (int k = 0; k < PUSH_UNROLL; k++)
    if (to[k] != NONE && !may(to[k])) to[k] = NONE;
  #pragma unroll
  for (int k = 0; k < PUSH_UNROLL; k++)
    if (to[k] != NONE && !claim(to[k], from[k])) to[k] = NONE;
}

// Expands queue items by the grid: whole short rows, and pieces of long rows.
template <class Visitor>
__device__ __noinline__ void push_level(const Graph& g, const Scratch& scratch, const Items& items, u32 level,
                                        const Visitor visitor, Slot* slot)
{
  WarpQueue queue(scratch, items, slot);
  u32 found = 0;
  u64 edges = 0;
  const auto load = [&](u32 i, u32& v, i64& begin, u32& degree) { load_item(g, scratch, items, i, v, begin, degree); };
  expand(items.n_rows + items.n_pieces, g.out_neighbours, load, [&](u32(&to)[PUSH_UNROLL], const u32(&from)[PUSH_UNROLL]) {
    claim_some(to, from, [&](u32 v) { return visitor.may_claim(v, level); },
               [&](u32 v, u32 u) { return visitor.claim(v, u, level); });
    #pragma unroll
    for (int k = 0; k < PUSH_UNROLL; k++) {
      if (!__any_sync(ALL_LANES, to[k] != NONE)) continue;
      u32 degree_to = 0;
      if (to[k] != NONE) {
        degree_to = g.out_degree(to[k]);
        visitor.set_result(to[k], from[k], level + 1);
        found++;
        edges += degree_to;
      }
      queue.push(Visitor::ORDERED || degree_to ? to[k] : NONE, degree_to);
    }
  });
  queue.close();
  add_to_slot(slot, found, edges);
}

// Queues vertices with out-edges whose bit is set in one bitmap and not in another, in n_words words from the first on.
__device__ __noinline__ void queue_bits(const Graph& g, const Scratch& scratch, const Items& items, const u32* with,
                                        const u32* without, u32 first_word, u32 n_words, Slot* slot)
{
  const u32 lane = lane_id();
  const u32 n_warps = gridDim.x * WARPS;
  unsigned short* list = shared.grid.list[warp_id()];
  WarpQueue queue(scratch, items, slot);
  u32 chunk = CHUNK_WORDS;
  while (chunk > 1 && n_words < chunk * n_warps) chunk >>= 1;
  for (u32 at = spread_warp() * chunk; at < n_words; at += n_warps * chunk) {
    const bool mine = lane < chunk && at + lane < n_words;
    const u32 w = first_word + at + lane;
    const u32 total = list_bits(mine ? with[w] & ~without[w] : 0u, chunk, list);
    for (u32 i = 0; i < total; i += 32) {
      const u32 v = i + lane < total ? (first_word + at) * 32 + list[i + lane] : NONE;
      const u32 degree = v == NONE ? 0 : g.out_degree(v);
      queue.push(degree ? v : NONE, degree);
    }
    __syncwarp();
  }
  queue.close();
}
