// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Visits along one kind of edges, forwards from the frontier or backwards from vertices that are yet unvisited
// (sections IV-A and IV-B of the paper; see separated.cu). All kinds of a level are visited in one phase: what they read
// of earlier levels (known, fresh, seen, the queue) does not change in it, and what they find goes elsewhere (found,
// next, bins).
#pragma once
#include "separated_state.cuh"

// Delegates j that are found here: bits in `found`, and a parent each.
struct ToDelegates {
  const u32* known;
  u32* found;
  u32* parents;
  const u32* places;  // of delegates, where edges come from them; else null, and `low` is the GPU's first place
  u32 low;

  __device__ __forceinline__ u32 place(u32 from) const { return places ? __ldg(places + from) : low + from; }
  __device__ __forceinline__ void visit(u32 j, u32 from, u32& count) const
  {
    if (j == NONE || has_bit(known, j) || has_bit(found, j)) return;
    const u32 bit = 1u << (j & 31);
    if (atomicOr(found + (j >> 5), bit) & bit) return;
    parents[j] = place(from);
    ++count;
  }
  __device__ __forceinline__ u32 wanted(u32 w) const { return ~known[w] & ~__ldcg(found + w); }
  __device__ __forceinline__ void settle(u32 j, u32 from) const { parents[j] = place(from); }
  // Lane w has the finds of word at + w.
  __device__ __forceinline__ void close(u32 at, u32, u32 hits, unsigned short*, u32& count, u64&, u32&) const
  {
    if (hits) atomicOr(found + at + lane_id(), hits);
    count += __popc(hits);
  }
};

// Normal vertices v that are found here: bits in `next`, and a place in the queue, a distance and a parent each.
struct ToNormal {
  u32* next;
  u32* queue;
  Turn* turn;
  i32* distance;
  u32* parent;
  const Offset* nd_offsets;
  i32 level;          // theirs
  const u32* places;  // as in ToDelegates
  u32 low;

  __device__ __forceinline__ u32 place(u32 from) const { return places ? __ldg(places + from) : low + from; }
  __device__ __forceinline__ void settle(u32 v, u32 from) const { distance[v] = level, parent[v] = place(from); }
  __device__ __forceinline__ bool claim(u32 v) const
  {
    const u32 bit = 1u << (v & 31);
    return !has_bit(next, v) && !(atomicOr(next + (v >> 5), bit) & bit);
  }
  // All lanes call it; v is NONE where a lane has none.
  __device__ __forceinline__ void append(u32 v, u32& count, u64& edges, u32& rows) const
  {
    if (v != NONE) {
      const u32 length = (u32)(__ldg(nd_offsets + v + 1) - __ldg(nd_offsets + v));
      ++count, edges += length, rows += length > 0;
    }
    enqueue(queue, turn, v);
  }
  __device__ __forceinline__ u32 wanted(u32 w) const { return ~next[w]; }
  __device__ __forceinline__ void close(u32 at, u32 chunk, u32 hits, unsigned short* list, u32& count, u64& edges, u32& rows) const
  {
    if (hits) hits &= ~atomicOr(next + at + lane_id(), hits);
    const u32 total = list_bits(hits, chunk, list);
    for (u32 i = 0; i < total; i += 32) append(i + lane_id() < total ? at * 32 + list[i + lane_id()] : NONE, count, edges, rows);
    __syncwarp();
  }
};

// Names a vertex of another GPU to it: its number there, and its parent. All lanes call it; `k` is the number among the
// far destinations, or NONE.
__device__ __forceinline__ u32 name(const Args& g, Turn* turn, u32 k, u32 parent)
{
  u32 q = PARTS;
  if (k != NONE) {
    const u32 bit = 1u << (k & 31);
    if (g.unique && (has_bit(g.named, k) || (atomicOr(g.named + (k >> 5), bit) & bit))) k = NONE;
    else for (q = 0; (u64)k >= g.far_at[q + 1];) ++q;
  }
  if (!__any_sync(ALL_LANES, k != NONE)) return 0;
  const u32 same = __match_any_sync(ALL_LANES, q), leader = __ffs(same) - 1;
  u32 at = 0;
  if (k != NONE && lane_id() == leader) at = sent[q] + atomicAdd(turn->named + q, (u32)__popc(same));
  at = __shfl_sync(ALL_LANES, at, leader) + __popc(same & ((1u << lane_id()) - 1));
  if (k == NONE) return 0;
  g.bins[g.bin_at[q] + at] = (u64)parent << 32 | (__ldg(g.far_places + k) - (u32)g.points[q]);
  return 1;
}

// Work for warps: rows of at most PIECE_EDGES edges, or that are normal vertices', and pieces of others.
struct Rows {
  const u32* rows;
  u32 n_rows;
  const u64* pieces;
  u32 n_pieces;
  const Offset* offsets;
  const u32* columns;

  __device__ __forceinline__ void load(u32 i, u32& v, u64& begin, u32& degree) const
  {
    if (i < n_rows) {
      v = __ldcg(rows + i);
      begin = __ldg(offsets + v);
      degree = (u32)(__ldg(offsets + v + 1) - begin);
    } else {
      const u64 piece = __ldcg(pieces + (i - n_rows));
      v = (u32)piece;
      begin = __ldg(offsets + v) + (piece >> 32) * PIECE_EDGES;
      degree = (u32)min((u64)__ldg(offsets + v + 1) - begin, (u64)PIECE_EDGES);
    }
  }
};

// Calls visit(to, from) for all edges of the rows, with all lanes of a warp; `to` is NONE where a lane has none. Returns
// the edges that this lane's rows have.
template <class Visit>
__device__ __forceinline__ u64 push_rows(const Rows& g, const Visit& visit)
{
  const u32 lane = lane_id(), n_warps = gridDim.x * WARPS, n_items = g.n_rows + g.n_pieces;
  u32 batch = 32, parts = 1;  // items a warp takes at a time; warps that share an item
  while (batch > 1 && (u64)n_items < (u64)batch * n_warps) batch >>= 1;
  while (parts < PIECE_EDGES / 32 && (u64)n_items * parts * 2 <= n_warps) parts *= 2;
  u64 looked = 0;
  for (u64 i = (u64)spread_warp() * batch; i < (u64)n_items * parts; i += (u64)n_warps * batch) {
    u32 v = 0, degree = 0;
    u64 begin = 0;
    if (lane < batch && i / parts + lane < n_items) g.load((u32)(i / parts + lane), v, begin, degree);
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
          const u64 row = __shfl_sync(ALL_LANES, begin, owner);
          const u32 before = __shfl_sync(ALL_LANES, first, owner);
          from[k] = __shfl_sync(ALL_LANES, v, owner);
          if (j < total) to[k] = __ldg(g.columns + row + (j - before));
        }
      }
      #pragma unroll
      for (int k = 0; k < PUSH_UNROLL; k++)
        if (__any_sync(ALL_LANES, to[k] != NONE)) visit(to[k], from[k]);
    }
  }
  return looked;
}

__device__ __noinline__ void push_to_delegates(const Rows rows, const ToDelegates to, u32 kind)
{
  u32 count = 0;
  const u64 looked = push_rows(rows, [&](u32 j, u32 from) { to.visit(j, from, count); });
  add(LOOKED + kind, looked);
  add(DELEGATES, count);
}

__device__ __noinline__ void push_dn_rows(const Rows rows, const ToNormal to)
{
  u32 count = 0, nd_rows = 0;
  u64 edges = 0;
  const u64 looked = push_rows(rows, [&](u32 v, u32 from) {
    const bool mine = v != NONE && to.claim(v);
    if (mine) to.settle(v, from);
    to.append(mine ? v : NONE, count, edges, nd_rows);
  });
  add(LOOKED + DN, looked);
  add(NORMALS, count), add(ND_EDGES, edges), add(ND_ROWS, nd_rows);
}

// Own vertices are visited, others named.
__device__ __noinline__ void push_nn(const Args& g, const Rows rows, const ToNormal to)
{
  u32 count = 0, nd_rows = 0;
  u64 edges = 0;
  const u32 own = (u32)g.own;
  const u64 looked = push_rows(rows, [&](u32 v, u32 from) {
    const bool here = v != NONE && v < own, mine = here && to.claim(v);
    if (mine) to.settle(v, from);
    to.append(mine ? v : NONE, count, edges, nd_rows);
    if (PARTS > 1) count += name(g, to.turn, v == NONE || here ? NONE : v - own, to.low + from);
  });
  add(LOOKED + NN, looked);
  add(NORMALS, count), add(ND_EDGES, edges), add(ND_ROWS, nd_rows);
}

// A warp looks for a column whose bit is set; NONE where there is none.
__device__ __forceinline__ u32 search_columns(const u32* __restrict__ columns, u64 begin, u64 end, const u32* bits, u64& looked)
{
  for (u64 e = begin; e < end; e += 128) {
    u32 n[4];
    #pragma unroll
    for (int k = 0; k < 4; k++) n[k] = __ldg(columns + min(e + k * 32 + lane_id(), end - 1));
    u32 hit = NONE;
    #pragma unroll
    for (int k = 3; k >= 0; k--)
      if (has_bit(bits, n[k])) hit = n[k];
    const u32 lanes = __ballot_sync(ALL_LANES, hit != NONE);
    if (lane_id() == 0) looked += min((u64)128, end - e);
    if (lanes) return __shfl_sync(ALL_LANES, hit, __ffs(lanes) - 1);
  }
  return NONE;
}

// Vertices of which `rows` has a bit, and that `to` wants, look through their rows for one of whose bit is set. Of rows
// of more than LONG_EDGES edges the `segments` have the rest: row, and from bit 32 on which LONG_EDGES of it.
template <class To>
__device__ __noinline__ void pull(const To to, const u32* rows, u32 n_words, const Offset* offsets, const u32* columns,
                                  const u32* bits, const u64* segments, u64 n_segments, u32 kind)
{
  const u32 lane = lane_id(), n_warps = gridDim.x * WARPS;
  unsigned short* list = shared.grid.list[warp_id()];
  unsigned char* mark = shared.grid.mark[warp_id()];
  u32 count = 0, nd_rows = 0;
  u64 looked = 0, edges = 0;
  u32 chunk = CHUNK_WORDS;
  while (chunk > 1 && n_words < chunk * n_warps) chunk >>= 1;
  for (u32 at = spread_warp() * chunk; at < n_words; at += n_warps * chunk) {
    u32 total = list_bits(lane < chunk && at + lane < n_words ? __ldg(rows + at + lane) & to.wanted(at + lane) : 0u, chunk, list);
    if (total == 0) continue;
    reinterpret_cast<u64*>(mark)[lane] = 0;
    __syncwarp();
    const u32 base = at * 32;

    // The first neighbour of each.
    u32 kept = 0;
    for (u32 i = 0; i < total; i += 32 * PULL_UNROLL) {
      u32 x[PULL_UNROLL], degree[PULL_UNROLL], from[PULL_UNROLL];
      u64 begin[PULL_UNROLL];
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) {
        const u32 j = i + k * 32 + lane;
        x[k] = j < total ? list[j] : NONE;
        degree[k] = 0;
        if (x[k] != NONE) {
          begin[k] = __ldg(offsets + base + x[k]);
          degree[k] = (u32)(__ldg(offsets + base + x[k] + 1) - begin[k]);
        }
      }
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) from[k] = degree[k] ? __ldg(columns + begin[k]) : NONE;
      bool hit[PULL_UNROLL];
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) {
        hit[k] = from[k] != NONE && has_bit(bits, from[k]);
        looked += from[k] != NONE;
      }
      __syncwarp();
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) {
        if (hit[k]) to.settle(base + x[k], from[k]), mark[x[k]] = 1;
        kept = keep(list, kept, x[k], !hit[k] && degree[k] > 1);
      }
      __syncwarp();
    }

    // The next LANE_EDGES by one lane each.
    total = kept;
    kept = 0;
    for (u32 i = 0; i < total; i += 32) {
      const u32 x = i + lane < total ? list[i + lane] : NONE;
      __syncwarp();
      bool more = false;
      if (x != NONE) {
        const u64 begin = __ldg(offsets + base + x), end = __ldg(offsets + base + x + 1);
        const u64 stop = min(end, begin + 1 + LANE_EDGES);
        u32 from = NONE;
        for (u64 e = begin + 1; e < stop && from == NONE; e += 4) {
          u32 n[4];
          #pragma unroll
          for (int k = 0; k < 4; k++) n[k] = __ldg(columns + min(e + k, stop - 1));
          #pragma unroll
          for (int k = 3; k >= 0; k--)
            if (has_bit(bits, n[k])) from = n[k];
          looked += min((u64)4, stop - e);
        }
        if (from != NONE) to.settle(base + x, from), mark[x] = 1;
        more = from == NONE && stop < end;
      }
      __syncwarp();
      kept = keep(list, kept, x, more);
    }
    __syncwarp();

    // Longer rows by the warp.
    for (u32 i = 0; i < kept; i++) {
      const u32 x = list[i];
      const u64 begin = __ldg(offsets + base + x), end = __ldg(offsets + base + x + 1);
      const u32 from = search_columns(columns, begin + 1 + LANE_EDGES, min(end, begin + LONG_EDGES), bits, looked);
      if (from != NONE && lane == 0) to.settle(base + x, from), mark[x] = 1;
    }
    __syncwarp();
    u32 hits = 0;
    for (u32 w = 0; w < chunk; w++) {
      const u32 word = __ballot_sync(ALL_LANES, mark[w * 32 + lane] != 0);
      if (lane == w) hits = word;
    }
    to.close(at, chunk, hits, list, count, edges, nd_rows);
    __syncwarp();
  }

  // What is left of long rows.
  for (u64 i = (u64)spread_warp() * 32; i < n_segments; i += (u64)n_warps * 32) {
    const u64 segment = i + lane < n_segments ? __ldg(segments + i + lane) : 0;
    const u32 mine = (u32)segment;
    u32 left = __ballot_sync(ALL_LANES, i + lane < n_segments && (to.wanted(mine >> 5) >> (mine & 31) & 1u));
    for (; left; left &= left - 1) {
      const u64 taken = __shfl_sync(ALL_LANES, segment, __ffs(left) - 1);
      const u32 row = (u32)taken;
      if (!__shfl_sync(ALL_LANES, to.wanted(row >> 5) >> (row & 31) & 1u, 0)) continue;  // found meanwhile
      const u64 begin = __ldg(offsets + row) + (taken >> 32) * LONG_EDGES, end = __ldg(offsets + row + 1);
      const u32 from = search_columns(columns, begin, min(end, begin + LONG_EDGES), bits, looked);
      if (from == NONE) continue;
      if (lane == 0) to.settle(row, from);
      to.close(row >> 5, 1, lane == 0 ? 1u << (row & 31) : 0u, list, count, edges, nd_rows);
    }
  }
  add(LOOKED + kind, looked);
  add(kind == DN ? NORMALS : DELEGATES, count), add(ND_EDGES, edges), add(ND_ROWS, nd_rows);
}
