// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// First launch after split points have moved; it replaces the launch that sets first values (see partition.cuh). Partitions
// take over the state, the frontier and the values of the partitions before them. The launch receives `points`, `word_at`,
// `old_state` and `old_words` as they were before the move. Legion has moved the values, which are in copy b.
#pragma once

// Returns the bits of 32 places from `at` on, of which `left` belong to the partition.
__device__ __forceinline__ u32 bits_from(const Args& g, u64 at, u64 left)
{
  const u64 i = at >> 5;
  const u32 shift = (u32)at & 31u;
  const u32 above = shift && 32 * (i + 1) < (u64)g.n_vertices ? __ldcg(g.all_front + i + 1) : 0;
  const u32 word = __funnelshift_r(__ldcg(g.all_front + i), above, shift);
  return left < 32 ? word & ((1u << (u32)left) - 1u) : word;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) lux_resume(const __grid_constant__ LaunchArgs launch)
{
  __shared__ double scratch[32];
  const Args& g = launch.at[0];
  IterationState t;
  t.slot = 0, t.next = 1, t.spare = 2, t.current = 0, t.coming = 1, t.every = false;
  t.known.n_vertices = g.n_vertices;
  PreviousState before;
  read_state(g, t, before, true);
  u32 count = 0;
  u64 edges = 0;
  double totals[TOTALS > 0 ? TOTALS : 1];
#if PACKED
  clear_sent(g);
#endif
  for (int k = 0; k < TOTALS; ++k) totals[k] = g.part == 0 && global_thread() == 0 ? t.known.total[k] : 0;  // only sums are read
#if HAS_FRONTIER
  join_frontiers(g);
  for (u64 w = global_thread(); 32 * w < (u64)(g.hi - g.lo); w += grid_threads()) {
    const u64 at = (u64)g.lo + 32 * w;
    const u32 word = bits_from(g, at, (u64)g.hi - at);
    g.bits[w] = word;
    for (u32 rest = word; rest; rest &= rest - 1) {
      ++count;
      edges += g.out_degree[at + __ffs(rest) - 1];
    }
  }
#endif
  for (u64 v = g.lo + global_thread(); v < g.hi; v += grid_threads()) take_over(g, (u32)v);
  load_members(g, t, true);
  report(g, t, count, edges, totals, scratch);
  grid_barrier(&g.control->arrived);
  write_words(g);
#if PACKED
  send(g, t);
#endif
  if (blockIdx.x == 0) write_state(g, t, before.iteration, before.model, scratch);
}
