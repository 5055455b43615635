// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Bottom-up levels: vertices of a block look for a parent in the grid column's frontier, along edges in bitmap-based CSR.
// Substep s handles block column - s of the grid row, for which the left neighbour has told who has a parent by now
// (Ueno et al., 2017, section 4.3, figure 6).
#pragma once
#include "grid_push.cuh"

constexpr u32 CHUNK_WORDS = 8;     // words of a block that a warp takes at a time, at most
constexpr u32 LANE_EDGES = 16;     // a row's edges, after its first, that one lane looks at
constexpr u32 DEFER_EDGES = 4096;  // edges of a row after which it is left to all blocks
constexpr int PULL_UNROLL = 2;

struct Lists {
  unsigned short list[WARPS][CHUNK_WORDS * 32];
  unsigned char mark[WARPS][CHUNK_WORDS * 32];
};
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

// A warp looks for a source in the frontier; NONE where there is none.
__device__ __forceinline__ u32 look_along(const u32* edges, i64 begin, i64 end, const u32* front)
{
  for (i64 e = begin; e < end; e += 128) {
    u32 u[4], hit = NONE;
#pragma unroll
    for (int k = 0; k < 4; ++k) u[k] = __ldg(edges + min(e + k * 32 + (i64)lane_id(), end - 1));
#pragma unroll
    for (int k = 3; k >= 0; --k)
      if (has_bit(front, u[k])) hit = u[k];
    const u32 lanes = __ballot_sync(ALL_LANES, hit != NONE);
    if (lanes) return __shfl_sync(ALL_LANES, hit, __ffs((int)lanes) - 1);
  }
  return NONE;
}

// Appends the lanes' x where `wanted` to a warp's list; its new length.
__device__ __forceinline__ u32 keep(unsigned short* list, u32 n, u32 x, bool wanted)
{
  const u32 lanes = __ballot_sync(ALL_LANES, wanted);
  if (wanted) list[n + __popc(lanes & ((1u << lane_id()) - 1))] = (unsigned short)x;
  return n + __popc(lanes);
}

// Block m of the grid row: `done` says who has a parent; `out`, if any, gets who has one afterwards.
__device__ void look(const Args& g, const u32* front, u32 m, const u32* done, u32* out, u32 turn)
{
  const Rows rows(g);
  const u32 words = g.words(), lane = lane_id(), first = m * words;
  unsigned short* list = lists.list[warp_id()];
  unsigned char* mark = lists.mark[warp_id()];
  u32* deferred = &g.control->deferred[turn & 1u];
  if (global_thread() == 0) g.control->deferred[(turn + 1) & 1u] = 0;
  u32 chunk = CHUNK_WORDS;
  while (chunk > 1 && words < chunk * n_warps()) chunk >>= 1;
  for (u32 at = spread_warp() * chunk; at < words; at += n_warps() * chunk) {
    const bool mine = lane < chunk && at + lane < words;
    const u32 old = mine ? __ldcg(done + at + lane) : 0;
    const u32 has = mine ? __ldg(rows.bits + first + at + lane) : 0, todo = has & ~old;
    const u32 entries = mine ? rows.entries_before(first + at + lane) : 0;
    u32 now = old, total = 0;
    for (u32 w = 0; w < chunk; ++w) {
      const u32 bits = __shfl_sync(ALL_LANES, todo, w);
      if (bits >> lane & 1u) list[total + __popc(bits & ((1u << lane) - 1))] = (unsigned short)(w * 32 + lane);
      total += (u32)__popc(bits);
    }
    if (total) {
      reinterpret_cast<u64*>(mark)[lane] = 0;
      __syncwarp();
      // All lanes call these two together.
      auto row_begin = [&](u32 x, i64& begin, i64& end) {
        const u32 w = x == NONE ? 0 : x >> 5, word = __shfl_sync(ALL_LANES, has, w), base = __shfl_sync(ALL_LANES, entries, w);
        begin = end = 0;
        if (x == NONE) return;
        const i64* start = rows.starts + base + __popc(word & ((1u << (x & 31u)) - 1));
        begin = __ldg(start), end = __ldg(start + 1);
      };
      auto found = [&](u32 x, u32 from) {
        g.preds[(u64)(first + at) * 32 + x] = place_of(g, from);
        mark[x] = 1;
      };

      // The first edge of each.
      u32 kept = 0;
      for (u32 i = 0; i < total; i += 32 * PULL_UNROLL) {
        u32 x[PULL_UNROLL], from[PULL_UNROLL];
        i64 begin[PULL_UNROLL], end[PULL_UNROLL];
        bool hit[PULL_UNROLL];
#pragma unroll
        for (int k = 0; k < PULL_UNROLL; ++k) {
          const u32 j = i + k * 32 + lane;
          x[k] = j < total ? list[j] : NONE;
          row_begin(x[k], begin[k], end[k]);
        }
#pragma unroll
        for (int k = 0; k < PULL_UNROLL; ++k) from[k] = begin[k] < end[k] ? __ldg(g.row_edges + begin[k]) : NONE;
#pragma unroll
        for (int k = 0; k < PULL_UNROLL; ++k) hit[k] = from[k] != NONE && has_bit(front, from[k]);
        __syncwarp();
#pragma unroll
        for (int k = 0; k < PULL_UNROLL; ++k) {
          if (hit[k]) found(x[k], from[k]);
          kept = keep(list, kept, x[k], !hit[k] && end[k] - begin[k] > 1);
        }
        __syncwarp();
      }

      // The next LANE_EDGES by one lane each.
      total = kept;
      kept = 0;
      for (u32 i = 0; i < total; i += 32) {
        const u32 x = i + lane < total ? list[i + lane] : NONE;
        i64 begin, end;
        row_begin(x, begin, end);
        __syncwarp();
        bool more = false;
        if (x != NONE) {
          const i64 stop = min(end, begin + 1 + LANE_EDGES);
          u32 from = NONE;
          for (i64 e = begin + 1; e < stop && from == NONE; e += 4) {
            u32 u[4];
#pragma unroll
            for (int k = 0; k < 4; ++k) u[k] = __ldg(g.row_edges + min(e + k, stop - 1));
#pragma unroll
            for (int k = 3; k >= 0; --k)
              if (has_bit(front, u[k])) from = u[k];
          }
          if (from != NONE) found(x, from);
          more = from == NONE && stop < end;
        }
        __syncwarp();
        kept = keep(list, kept, x, more);
      }
      __syncwarp();

      // Longer rows by the warp; what is longer still waits for all blocks.
      for (u32 i = 0; i < kept; ++i) {
        const u32 x = list[i];
        i64 begin, end;
        row_begin(x, begin, end);
        const i64 stop = min(end, begin + DEFER_EDGES);
        const u32 from = look_along(g.row_edges, begin + 1 + LANE_EDGES, stop, front);
        if (lane) continue;
        if (from != NONE) found(x, from);
        else if (stop < end) g.deferred[atomicAdd(deferred, 1u)] = at * 32 + x;
      }
      __syncwarp();
      for (u32 w = 0; w < chunk; ++w) {
        const u32 word = __ballot_sync(ALL_LANES, mark[w * 32 + lane] != 0);
        if (lane == w) now |= word;
      }
    }
    if (mine) {
      if (m != (u32)g.column) g.sent[first + at + lane] = __ldcg(g.sent + first + at + lane) | old;
      g.visited[first + at + lane] = now | __ldcg(g.visited + first + at + lane);
      if (out) out[at + lane] = now;
    }
    __syncwarp();
  }
}

// The rest of the rows that were put off: parts of each by different warps.
__device__ void look_on(const Args& g, const u32* front, u32 m, u32* out, u32 n)
{
  const Rows rows(g);
  const u32 first = m * g.words(), parts = max(16u, n_warps() / n);
  for (u64 i = spread_warp(); i < (u64)n * parts; i += n_warps()) {
    const u32 v = __ldcg(g.deferred + i / parts), w = first + (v >> 5), bit = 1u << (v & 31u);
    if (__any_sync(ALL_LANES, __ldcg(g.visited + w) & bit)) continue;
    const i64* start = rows.starts + rows.entries_before(w) + __popc(__ldg(rows.bits + w) & (bit - 1));
    const i64 begin = __ldg(start) + DEFER_EDGES, end = __ldg(start + 1);
    const i64 part = ((end - begin + parts - 1) / parts + 127) & ~(i64)127, e = begin + (i64)(i % parts) * part;
    if (e >= end) continue;
    const u32 from = look_along(g.row_edges, e, min(end, e + part), front);
    if (from == NONE || lane_id() || (atomicOr(g.visited + w, bit) & bit)) continue;
    g.preds[(u64)first * 32 + v] = place_of(g, from);
    if (out) atomicOr(out + (v >> 5), bit);
  }
}

// All substeps of a level; returns whether all GPUs were there.
__device__ bool pull(const Args& g, const u32* front, u32& turn, u64& met, u64& bytes)
{
  const u32 words = g.words(), me = (u32)g.column, columns = (u32)g.columns;
  const u32 left = g.in_row((me + columns - 1) % columns);
  for (u32 step = 0; step < columns; ++step, ++turn) {
    const u32 m = (me + columns - step) % columns;
    u32* out = step + 1 < columns ? g.rotating + (step & 1u) * words : nullptr;
    const u32* done = g.own(g.visited);
    if (step > 0) {
      lap(WORKING);
      if (!together(g, met)) return false;
      lap(EXCHANGING);
      done = of_peer(g, left, g.rotating + ((step - 1) & 1u) * words);
      bytes += 4ull * words;
    }
    look(g, front, m, done, out, turn);
    grid_barrier(&g.control->arrived);
    const u32 n = __ldcg(&g.control->deferred[turn & 1u]);
    if (n) {
      look_on(g, front, m, out, n);
      grid_barrier(&g.control->arrived);
    }
  }
  return true;
}
