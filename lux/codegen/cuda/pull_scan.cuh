// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Pulling by a scan over degrees: the edges of 32 rows are distributed evenly over the lanes of a warp (section 6.2 of the
// Lux paper; Merrill, Garland and Grimshaw, "Scalable GPU graph traversal", PPoPP 2012). cuda_writer.py decides which rows
// are pulled so, if any.
#pragma once
#include "pull.cuh"

// Adds up the contributions of lanes with edges of one row; the row's own lane takes the sum.
template <bool EVERY>
__device__ __forceinline__ void pull_rows_by_scan(const Args& g, const IterationState& t, const Fields& old, const Fields& out, Item item,
                                                  u32& count, u64& edges, double* totals)
{
  for (u32 at = item.first; at < item.end; at += 32) {
    const u32 k = at + lane_id();
    const bool some = k < item.end;
    const u32 v = !some ? (u32)g.lo : g.rows ? g.rows[k] : (u32)g.lo + k;  // arrays may begin at lo
    const i64 first = some ? g.in_offsets[v] : 0;
    const u32 length = some ? (u32)(g.in_offsets[v + 1] - first) : 0;
    Vertex own;
    if (some) own = load_vertex(g, old, v);
    Acc mine;
    identity(mine);
    u32 total;
    const u32 before = warp_scan(length, total);
    for (u32 base = 0; base < total; base += 32 * UNROLL) {
      u32 row[UNROLL], u[UNROLL];
      i64 e[UNROLL];
      Neighbour n[UNROLL];
      bool there[UNROLL];
#pragma unroll
      for (int j = 0; j < UNROLL; ++j) {
        const u32 i = base + 32 * j + lane_id();
        there[j] = i < total;
        row[j] = lane_of(before, i);
        e[j] = __shfl_sync(ALL_LANES, first, row[j]) + (i - __shfl_sync(ALL_LANES, before, row[j]));
      }
#pragma unroll
      for (int j = 0; j < UNROLL; ++j) u[j] = there[j] ? load_stream(g.sources + e[j]) : 0;
#pragma unroll
      for (int j = 0; j < UNROLL; ++j) {
        there[j] = there[j] && (EVERY || in_front(g, u[j]));
        if (there[j]) n[j] = neighbour(g, old, u[j]);
      }
#pragma unroll
      for (int j = 0; j < UNROLL; ++j) {
        const u32 of = __shfl_sync(ALL_LANES, v, row[j]), begin = base + 32 * j;
        Acc x;
        identity(x);
        if (there[j]) contribution(g, t.known, old, load_owner(g, old, of), of, n[j], u[j], g_in_edges(g, e[j]), x);
        __syncwarp();
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
          const Acc further = shuffle_down(ALL_LANES, x, d, 32);
          const u32 its_row = __shfl_down_sync(ALL_LANES, row[j], d);
          if (lane_id() + d < 32 && its_row == row[j]) combine(x, further);
        }
        const Acc sum = shuffle_from(x, (max(before, begin) - begin) & 31u);
        if (length && before < begin + 32 && before + length > begin) combine(mine, sum);
      }
    }
    if (some) gathered(g, t, old, out, v, own, mine, count, edges, totals);
  }
}
