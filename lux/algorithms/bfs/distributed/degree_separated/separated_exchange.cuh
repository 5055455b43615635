// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Exchange of a level's finds: the masks of delegates that GPUs found are OR-reduced, and vertices that were named
// are visited by their owners. Each GPU reads the memory of the others, after the barrier, and counts the bytes.
#pragma once
#include "separated_visits.cuh"

// Reads the counters of all GPUs for this level; every block calls it after the barrier.
__device__ __forceinline__ void read_peer_counters(const Args& g, u32 slot)
{
  __syncthreads();
  for (u32 q = threadIdx.x; q < PARTS; q += blockDim.x) {
    const LevelCounters* theirs = control_of(g, q)->counters + slot;
    their_frontier[q] = __ldcg(&theirs->frontier);
    their_masks[q] = __ldcg(theirs->sum + DELEGATES);
    their_found[q] = __ldcg(theirs->sum + NORMALS) + their_masks[q];
    their_named[q] = __ldcg(theirs->named + g.part);
  }
  __syncthreads();
}

// The delegates of the coming frontier: those that any GPU found (`others`: or this one alone). Their owner notes their
// distance, and the parent that this GPU knows, or another.
__device__ __noinline__ void reduce_masks(const Args& g, u32 copy, u32 level, bool others)
{
  const u32 lane = lane_id(), n_warps = gridDim.x * WARPS, n = (u32)g.mask_words;
  u32* const found = g.found + (u64)copy * n;
  u32* const cleared = g.found + (u64)(copy ^ 1u) * n;  // read by others a level ago
  u32 fresh_bits = 0, dd_rows = 0, dn_rows = 0;
  u64 dd_edges = 0, dn_edges = 0, received = 0;
  u32 chunk = 32;
  while (chunk > 1 && n < chunk * n_warps) chunk >>= 1;
  for (u32 at = spread_warp() * chunk; at < n; at += n_warps * chunk) {
    const bool mine = lane < chunk && at + lane < n;
    u32 own = 0, all = 0, fresh = 0;
    if (mine) {
      own = all = __ldcg(found + at + lane);
      if (others)
        for (u32 q = 0; q < PARTS; ++q)
          if (q != g.part && their_masks[q]) all |= __ldcg(found_of(g, q, copy) + at + lane), received += 4;
      const u32 before = g.known[at + lane];
      fresh = all & ~before;
      if (fresh) g.known[at + lane] = before | fresh;
      g.fresh[at + lane] = fresh;
      cleared[at + lane] = 0;
    }
    for (u32 left = __ballot_sync(ALL_LANES, fresh != 0); left; left &= left - 1) {
      const u32 w = __ffs(left) - 1, j = (at + w) * 32 + lane;
      const u32 bits = __shfl_sync(ALL_LANES, fresh, w), ours = __shfl_sync(ALL_LANES, own, w);
      if (!(bits >> lane & 1u)) continue;
      const u64 dd = __ldg(g.dd_offsets + j + 1) - __ldg(g.dd_offsets + j), dn = __ldg(g.dn_offsets + j + 1) - __ldg(g.dn_offsets + j);
      ++fresh_bits;
      dd_edges += dd, dd_rows += dd > 0;
      dn_edges += dn, dn_rows += dn > 0;
      if (j < g.first_own || j >= g.end_own) continue;
      u32 parent = NONE;
      if (ours >> lane & 1u) {
        parent = __ldcg(g.delegate_parents + j);
      } else {
        for (u32 q = 0; q < PARTS && parent == NONE; ++q) {
          if (q == g.part || !their_masks[q]) continue;
          received += 4;
          if (!(__ldcg(found_of(g, q, copy) + at + w) >> lane & 1u)) continue;
          parent = __ldcg(reinterpret_cast<const u32*>(g.peer[q] + g.parents_at) + j);
          received += 4;
        }
      }
      results_of(g).set_result(__ldg(g.delegates + j) - (u32)g.low, parent, level);
    }
    __syncwarp();
  }
  add(FRESH, fresh_bits), add(RECEIVED, received);
  add(DD_EDGES, dd_edges), add(DD_ROWS, dd_rows), add(DN_EDGES, dn_edges), add(DN_ROWS, dn_rows);
}

// Normal vertices that other GPUs name join those that were found here.
__device__ __noinline__ void visit_named(const Args& g, const ToNormal to)
{
  const u32 lane = lane_id(), n_warps = gridDim.x * WARPS;
  Finds finds{};
  u64 received = 0;
  for (u32 q = 0; q < PARTS; ++q) {
    if (q == g.part) continue;
    const u64* names = reinterpret_cast<const u64*>(g.peer[q] + g.bins_at) + g.theirs_at[q] + got[q];
    const u32 n = their_named[q];
    for (u64 i = (u64)spread_warp() * 32; i < n; i += (u64)n_warps * 32) {
      u32 v = NONE;
      if (i + lane < n) {
        const u64 named = __ldcg(names + i + lane);
        received += sizeof(named);
        v = (u32)named;
        if (to.may_claim(v) && to.claim(v)) to.results.set_result(v, (u32)(named >> 32), to.level);
        else v = NONE;
      }
      to.append(v, finds);
    }
  }
  add(ND_EDGES, finds.edges), add(ND_ROWS, finds.rows), add(RECEIVED, received);
}

// Before visits: delegates of the frontier are queued for the kinds of edges that are pushed, and the vertices visited
// so far are kept apart from those of this level where delegates look for them.
__device__ __noinline__ void prepare(const Args& g, LevelCounters* counters, bool push_dd, bool push_dn, bool pull_nd)
{
  const u32 lane = lane_id(), n_warps = gridDim.x * WARPS, n = (u32)g.mask_words;
  if (pull_nd)
    for (u64 w = global_thread(); w < g.own_words; w += grid_threads()) g.seen[w] = __ldcg(g.next + w);
  if (!push_dd && !push_dn) return;
  for (u32 at = spread_warp() * 32; at < n; at += n_warps * 32) {
    const u32 fresh = at + lane < n ? g.fresh[at + lane] : 0;
    for (u32 left = __ballot_sync(ALL_LANES, fresh != 0); left; left &= left - 1) {
      const u32 w = __ffs(left) - 1, j = (at + w) * 32 + lane;
      const bool there = __shfl_sync(ALL_LANES, fresh, w) >> lane & 1u;
      for (u32 k = DN; k <= DD; ++k) {
        if (!(k == DD ? push_dd : push_dn)) continue;
        const Offset* offsets = k == DD ? g.dd_offsets : g.dn_offsets;
        u32* rows = k == DD ? g.dd_queue : g.dn_queue;
        const u32 length = there ? (u32)(__ldg(offsets + j + 1) - __ldg(offsets + j)) : 0;
        const bool is_short = length > 0 && length < PIECE_EDGES;
        const u32 shorts = __ballot_sync(ALL_LANES, is_short);
        if (shorts) {
          u32 first = 0;
          if (lane == 0) first = atomicAdd(counters->rows + k, (u32)__popc(shorts));
          first = __shfl_sync(ALL_LANES, first, 0);
          if (is_short) rows[first + __popc(shorts & ((1u << lane) - 1))] = j;
        }
        append_pieces(length >= PIECE_EDGES ? j : NONE, length, k == DD ? g.dd_pieces : g.dn_pieces, counters->pieces + k);
      }
    }
  }
}
