// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Visits along one kind of edges, forwards from the frontier or backwards from vertices that are yet unvisited
// (sections IV-A and IV-B of the paper; see separated.cu). All kinds of a level are visited in one phase: what they read
// of earlier levels (known, fresh, seen, the queue) does not change in it, and what they find goes elsewhere (found,
// next, bins).
#pragma once
#include "separated_state.cuh"

// Finds of a lane: delegates or normal vertices, and the nd rows and edges of the latter.
struct Finds {
  u32 count, rows;
  u64 edges;

  // All lanes of a warp call it.
  __device__ __forceinline__ void add_to(u32 sum) const
  {
    add(sum, count);
    if (sum == NORMALS) add(ND_EDGES, edges), add(ND_ROWS, rows);
  }
};

// Delegates j that are found here: bits in `found`, and a parent each.
struct ToDelegates {
  const u32* known;
  u32* found;
  u32* parents;
  const u32* places;  // of delegates, where edges come from them; else null, and `low` is the GPU's first place
  u32 low;

  __device__ __forceinline__ u32 place(u32 from) const { return places ? __ldg(places + from) : low + from; }
  __device__ __forceinline__ bool may_claim(u32 j) const { return !has_bit(known, j) && !has_bit(found, j); }
  __device__ __forceinline__ bool claim(u32 j) const { return claim_bit(found, j); }
  __device__ __forceinline__ u32 wanted(u32 w) const { return ~known[w] & ~__ldcg(found + w); }
  __device__ __forceinline__ void set_parent(u32 j, u32 from) const { parents[j] = place(from); }
  // Lane w has the finds of word at + w, of so many words.
  __device__ __forceinline__ void close(u32 at, u32, u32 hits, unsigned short*, Finds& finds) const
  {
    if (hits) atomicOr(found + at + lane_id(), hits);
    finds.count += __popc(hits);
  }
};

// Normal vertices v that are found here: bits in `next`, and a place in the queue, a distance and a parent each.
struct ToNormal {
  u32* next;
  u32* queue;
  LevelCounters* counters;
  Results results;
  const Offset* nd_offsets;
  u32 level;          // theirs
  const u32* places;  // as in ToDelegates
  u32 low;

  __device__ __forceinline__ u32 place(u32 from) const { return places ? __ldg(places + from) : low + from; }
  __device__ __forceinline__ void set_parent(u32 v, u32 from) const { results.set_result(v, place(from), level); }
  __device__ __forceinline__ bool may_claim(u32 v) const { return !has_bit(next, v); }
  __device__ __forceinline__ bool claim(u32 v) const { return claim_bit(next, v); }
  // All lanes call it; v is NONE where a lane has none.
  __device__ __forceinline__ void append(u32 v, Finds& finds) const
  {
    if (v != NONE) {
      const u32 length = (u32)(__ldg(nd_offsets + v + 1) - __ldg(nd_offsets + v));
      ++finds.count, finds.edges += length, finds.rows += length > 0;
    }
    enqueue(queue, counters, v);
  }
  __device__ __forceinline__ u32 wanted(u32 w) const { return ~next[w]; }
  __device__ __forceinline__ void close(u32 at, u32 chunk, u32 hits, unsigned short* list, Finds& finds) const
  {
    if (hits) hits &= ~atomicOr(next + at + lane_id(), hits);
    const u32 total = list_bits(hits, chunk, list);
    for (u32 i = 0; i < total; i += 32) append(i + lane_id() < total ? at * 32 + list[i + lane_id()] : NONE, finds);
    __syncwarp();
  }
};

// Returns true if a vertex of another GPU, number `k` among the far destinations, is still to be named to it.
__device__ __forceinline__ bool may_name(const Args& g, u32 k) { return !g.unique || !has_bit(g.named, k); }
__device__ __forceinline__ bool claim_name(const Args& g, u32 k) { return !g.unique || claim_bit(g.named, k); }

// Names it: its number there, and its parent. All lanes call it; `k` is NONE where a lane has none.
__device__ __forceinline__ u32 name(const Args& g, LevelCounters* counters, u32 k, u32 parent)
{
  u32 q = PARTS;
  if (k != NONE)
    for (q = 0; (u64)k >= g.far_at[q + 1];) ++q;
  if (!__any_sync(ALL_LANES, k != NONE)) return 0;
  const u32 same = __match_any_sync(ALL_LANES, q), leader = __ffs(same) - 1;
  u32 at = 0;
  if (k != NONE && lane_id() == leader) at = sent[q] + atomicAdd(counters->named + q, (u32)__popc(same));
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

  __device__ __forceinline__ void operator()(u32 i, u32& v, i64& begin, u32& degree) const
  {
    if (i < n_rows) {
      v = __ldcg(rows + i);
      row_of_offsets(offsets, v, true, begin, degree);
    } else {
      const u64 piece = __ldcg(pieces + (i - n_rows));
      v = (u32)piece;
      row_of_offsets(offsets, v, true, begin, degree);
      const u32 before = (u32)(piece >> 32) * PIECE_EDGES;
      begin += before;
      degree = min(degree - before, PIECE_EDGES);
    }
  }
};

// Visits what edges of one kind lead to, where may(to) and claim(to): calls found(to, from), where `to` is NONE for others.
template <class May, class Claim, class OnFound>
__device__ __forceinline__ void push_rows(const Rows& rows, u32 kind, const May& may, const Claim& claim, const OnFound& found)
{
  using Some = u32[PUSH_UNROLL];
  const u64 looked = expand(rows.n_rows + rows.n_pieces, rows.columns, rows, [&](Some& to, const Some& from) {
    claim_some(to, from, may, [&](u32 x, u32) { return claim(x); });
    #pragma unroll
    for (int k = 0; k < PUSH_UNROLL; k++) found(to[k], from[k]);
  });
  add(LOOKED + kind, looked);
}

__device__ __noinline__ void push_to_delegates(const Rows rows, const ToDelegates to, u32 kind)
{
  Finds finds{};
  push_rows(rows, kind, [&](u32 j) { return to.may_claim(j); }, [&](u32 j) { return to.claim(j); }, [&](u32 j, u32 from) {
    if (j != NONE) to.set_parent(j, from), ++finds.count;
  });
  finds.add_to(DELEGATES);
}

__device__ __noinline__ void push_dn_rows(const Rows rows, const ToNormal to)
{
  Finds finds{};
  push_rows(rows, DN, [&](u32 v) { return to.may_claim(v); }, [&](u32 v) { return to.claim(v); }, [&](u32 v, u32 from) {
    if (v != NONE) to.set_parent(v, from);
    to.append(v, finds);
  });
  finds.add_to(NORMALS);
}

// Own vertices are visited, others named.
__device__ __noinline__ void push_nn(const Args& g, const Rows rows, const ToNormal to)
{
  Finds finds{};
  const u32 own = (u32)g.own;
  const auto may = [&](u32 v) { return PARTS == 1 || v < own ? to.may_claim(v) : may_name(g, v - own); };
  const auto claim = [&](u32 v) { return PARTS == 1 || v < own ? to.claim(v) : claim_name(g, v - own); };
  push_rows(rows, NN, may, claim, [&](u32 v, u32 from) {
    const bool mine = v != NONE && v < own;
    if (mine) to.set_parent(v, from);
    to.append(mine ? v : NONE, finds);
    if (PARTS > 1) finds.count += name(g, to.counters, v == NONE || mine ? NONE : v - own, to.low + from);
  });
  finds.add_to(NORMALS);
}

// Rows that look for a column whose bit is set (see search_rows).
template <class To>
struct BackwardPull {
  struct Words { u32 todo, first; };

  const To& to;
  const u32* rows;  // which there are
  const Offset* offsets;
  const u32* columns;
  const u32* bits;
  Finds finds;
  u64 edges_looked_at;

  __device__ __forceinline__ Words open(u32 at, u32 lanes) const
  {
    const u32 w = at + lane_id();
    return {lane_id() < lanes ? __ldg(rows + w) & to.wanted(w) : 0u, at * 32};
  }
  __device__ __forceinline__ void row(const Words& words, u32 x, i64& begin, u32& degree) const
  {
    row_of_offsets(offsets, words.first + x, x != NONE, begin, degree);
  }
  __device__ __forceinline__ const u32* neighbours() const { return columns; }
  static constexpr bool FIRST_IN_ROW = true;
  __device__ __forceinline__ u32 first_neighbour(const Words&, u32, i64 begin, u32 degree) const { return degree ? __ldg(columns + begin) : NONE; }
  __device__ __forceinline__ bool hit(u32 from) const { return has_bit(bits, from); }
  __device__ __forceinline__ void set_parent(u32 x, u32 from, u32) const { to.set_parent(x, from); }
  __device__ __forceinline__ void defer(u32) const {}  // segments have it
  __device__ __forceinline__ bool marks_empty(u32) const { return false; }
  __device__ __forceinline__ void count_edges(u32 n) { edges_looked_at += n; }
  __device__ __forceinline__ void close(const Words&, u32 at, u32 lanes, u32 hits)
  {
    to.close(at, lanes, hits, shared.grid.list[warp_id()], finds);
  }
};

// Vertices of which `rows` has a bit, and that `to` wants, look through their rows for one of whose bit is set. Of rows
// of more than DEFER_EDGES edges the `segments` have the rest: row, and from bit 32 on which DEFER_EDGES of it.
template <class To>
__device__ __noinline__ void pull(const To to, const u32* rows, u32 n_words, const Offset* offsets, const u32* columns,
                                  const u32* bits, const u64* segments, u64 n_segments, u32 kind)
{
  const u32 lane = lane_id(), n_warps = gridDim.x * WARPS;
  BackwardPull<To> f{to, rows, offsets, columns, bits, {}, 0};
  search_rows(f, n_words, shared.grid);
  for (u64 i = (u64)spread_warp() * 32; i < n_segments; i += (u64)n_warps * 32) {
    const u64 segment = i + lane < n_segments ? __ldg(segments + i + lane) : 0;
    const u32 mine = (u32)segment;
    u32 left = __ballot_sync(ALL_LANES, i + lane < n_segments && (to.wanted(mine >> 5) >> (mine & 31) & 1u));
    for (; left; left &= left - 1) {
      const u64 taken = __shfl_sync(ALL_LANES, segment, __ffs(left) - 1);
      const u32 row = (u32)taken;
      if (!__shfl_sync(ALL_LANES, to.wanted(row >> 5) >> (row & 31) & 1u, 0)) continue;  // found meanwhile
      i64 begin;
      u32 degree;
      row_of_offsets(offsets, row, true, begin, degree);
      const i64 end = begin + degree;
      begin += (i64)(taken >> 32) * DEFER_EDGES;
      const u32 from = search_row(f, begin, min(end, begin + DEFER_EDGES));
      if (from == NONE) continue;
      if (lane == 0) to.set_parent(row, from);
      f.close({}, row >> 5, 1, lane == 0 ? 1u << (row & 31) : 0u);
    }
  }
  add(LOOKED + kind, f.edges_looked_at);
  f.finds.add_to(kind == DN ? NORMALS : DELEGATES);
}
