// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Bottom-up levels: vertices of a block look for a parent in the grid column's frontier, along edges in bitmap-based CSR.
// Substep s handles block column - s of the grid row. For this block, the left neighbour has sent the vertices that have a
// parent by now (Ueno et al., 2017, section 4.3, figure 6).
#pragma once
#include "grid_push.cuh"
#include "parents.cuh"

__shared__ Lists lists;

// The edges by local row.
struct Rows {
  const u32* bits;   // of 32 rows: who has edges
  const i64* before;
  const i64* starts;

  __device__ __forceinline__ explicit Rows(const Args& g)
      : bits(reinterpret_cast<const u32*>(g.by_row)), before(g.by_row + g.row_words), starts(before + g.row_words + 1) {}
  // Rows with edges before word w of 32 bits.
  __device__ __forceinline__ u32 entries_before(u32 w) const
  {
    return (u32)__ldg(before + (w >> 1)) + (w & 1u ? (u32)__popc(__ldg(bits + w - 1)) : 0);
  }
};

// Block m of the grid row (see search_rows): `done` says who has a parent, in words counted from the block's first;
// `out`, if any, gets who has one afterwards.
struct Block {
  struct Words { u32 todo, old, has, entries; };

  const Args& g;
  const Rows rows;
  const u32 *front, *done;
  u32 *out, *deferred;
  u32 first;  // word of the grid row
  bool others;  // the block is another's

  __device__ __forceinline__ Words open(u32 at, u32 lanes) const
  {
    const bool mine = lane_id() < lanes;
    const u32 w = at + lane_id(), old = mine ? __ldcg(done + w) : 0, has = mine ? __ldg(rows.bits + first + w) : 0;
    return {has & ~old, old, has, mine ? rows.entries_before(first + w) : 0};
  }
  __device__ __forceinline__ void row(const Words& words, u32 x, i64& begin, u32& degree) const
  {
    const u32 w = x == NONE ? 0 : x >> 5, word = __shfl_sync(ALL_LANES, words.has, w), base = __shfl_sync(ALL_LANES, words.entries, w);
    row_of_offsets(rows.starts, base + (u32)__popc(word & ((1u << (x & 31u)) - 1)), x != NONE, begin, degree);
  }
  __device__ __forceinline__ const u32* neighbours() const { return g.row_edges; }
  static constexpr bool FIRST_IN_ROW = true;
  __device__ __forceinline__ u32 first_neighbour(const Words&, u32, i64 begin, u32 degree) const { return degree ? __ldg(g.row_edges + begin) : NONE; }
  __device__ __forceinline__ bool hit(u32 from) const { return has_bit(front, from); }
  __device__ __forceinline__ void set_parent(u32 r, u32 from, u32) const { g.preds[(u64)first * 32 + r] = place_of(g, from); }
  __device__ __forceinline__ void defer(u32 r) const { g.deferred[atomicAdd(deferred, 1u)] = r; }
  __device__ __forceinline__ bool marks_empty(u32) const { return false; }
  __device__ __forceinline__ void count_edges(u32) const {}
  __device__ __forceinline__ void close(const Words& words, u32 at, u32 lanes, u32 hits) const
  {
    if (lane_id() >= lanes) return;
    const u32 w = at + lane_id(), now = words.old | hits;
    if (others) g.sent[first + w] = __ldcg(g.sent + first + w) | words.old;
    g.visited[first + w] = now | __ldcg(g.visited + first + w);
    if (out) out[w] = now;
  }
};

// The rest of the rows that were put off.
__device__ __forceinline__ void pull_deferred(const Args& g, Block& block, u32 n)
{
  const auto row = [&](u32 r, i64& begin, u32& degree) {
    const u32 w = block.first + (r >> 5);
    const u32 entry = block.rows.entries_before(w) + (u32)__popc(__ldg(block.rows.bits + w) & ((1u << (r & 31u)) - 1));
    row_of_offsets(block.rows.starts, entry, true, begin, degree);
  };
  search_deferred(block, g.deferred, n, g.visited + block.first, row, [&](u32 r, u32 from) {
    block.set_parent(r, from, 0);
    if (block.out) atomicOr(block.out + (r >> 5), 1u << (r & 31u));
  });
}

// All substeps of a level; returns whether all GPUs were there.
__device__ bool pull(const Args& g, const u32* front, u32& rotation, u64& epoch, u64& bytes)
{
  const u32 words = g.words(), me = (u32)g.column, columns = (u32)g.columns;
  const u32 left = g.in_row((me + columns - 1) % columns);
  for (u32 step = 0; step < columns; ++step, ++rotation) {
    const u32 m = (me + columns - step) % columns;
    u32* out = step + 1 < columns ? g.rotating + (step & 1u) * words : nullptr;
    const u32* done = g.own(g.visited);
    if (step > 0) {
      lap(WORKING);
      if (!all_gpus_barrier(g, epoch)) return false;
      lap(EXCHANGING);
      done = of_peer(g, left, g.rotating + ((step - 1) & 1u) * words);
      bytes += 4ull * words;
    }
    Block block{g, Rows(g), front, done, out, &g.control->deferred[rotation & 1u], m * words, m != me};
    if (global_thread() == 0) g.control->deferred[(rotation + 1) & 1u] = 0;
    search_rows(block, words, lists);
    grid_barrier(&g.control->arrived);
    const u32 n = __ldcg(&g.control->deferred[rotation & 1u]);
    if (n) {
      pull_deferred(g, block, n);
      grid_barrier(&g.control->arrived);
    }
  }
  return true;
}
