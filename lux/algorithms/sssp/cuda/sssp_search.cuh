// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Shortest paths: distances from one source (see sssp.cu), by one GPU (S is Search) or several (PartSearch).
#pragma once
#include "sssp_pull.cuh"
#include "sssp_push.cuh"

// Clears what the round after the next one writes.
__device__ __forceinline__ void clear_slot(Control* control, u32 round)
{
  if (blockIdx.x != 0) return;
  u64* const words = reinterpret_cast<u64*>(control->slot + (round + 2) % 3);
  for (u32 i = threadIdx.x; i < sizeof(Slot) / sizeof(u64); i += blockDim.x) words[i] = 0;
}

// How wide buckets are at most, and when rounds pull (see sssp.cu).
struct SearchParameters {
  D delta;
  u64 budget, pull_above, push_below;
};

// Rows of statistics: where `room` of them are written, how many were due, and the edges that were looked at.
struct RoundLog {
  Round* rounds;
  u32 room, rows;
  u64 relaxed;

  // Writes a row when the round's work is known.
  __device__ __forceinline__ void add(RoundKind kind, const Totals& found, const Totals& left, double top)
  {
    const i64 clock = (i64)nanoseconds();
    if (blockIdx.x == 0 && threadIdx.x == 0 && rows < room)
      rounds[rows] = Round{kind, (i64)(kind == SPLIT ? found.far : found.count), (i64)left.relaxed, top, clock};
    rows++;
    relaxed += left.relaxed;
  }
};

// Lowers all distances by sweeps, until few edges are left. The phase is then that of what changed in the last sweep,
// which is pushed without buckets; `found` is that. False where a GPU is lost.
template <class S, class Log>
__device__ __forceinline__ bool pull_rounds(const S& s, const Rows& in, const W* __restrict__ least, u64 push_below,
                                            Phase& p, Totals& found, Shared& sh, Log& round_log)
{
  if (!s.begin_pulls()) return false;
  bool first = true;
  for (;;) {
    const D nearest = of_key(found.nearest);
    Changes c{};
    // Hubs go first, as most others hang on them. What changes before their last pass is seen by all.
    for (u32 pass = first ? HUB_PASSES : 1; pass > 0; pass--) {
      c.edges = 0;
      c.count = 0;
      c.nearest = 0;
      sweep_hubs(s, in, p, nearest, c);
      if (!s.meet()) return false;
    }
    first = false;
    sweep(s, in, least, p, nearest, sh.near[warp_id()], c);
    Slot* const out = s.control->slot + (p.round + 1) % 3;
    const u64 total = warp_sum(c.edges), seen = warp_sum((u64)c.seen), changed = warp_sum((u64)c.count);
    const u64 least_changed = warp_max(c.nearest);
    begin_round(sh);
    if (lane_id() == 0) {
      if (seen) atomicAdd(&sh.relaxed, seen);
      if (changed) {
        atomicAdd(&sh.edges, total);
        atomicAdd(&sh.count, changed);
        atomicMax(&sh.nearest, least_changed);
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      if (sh.relaxed) atomicAdd(&out->relaxed, sh.relaxed);
      if (sh.count) {
        atomicAdd(&out->edges, sh.edges);
        atomicAdd(&out->count, sh.count);
        atomicMax(&out->nearest, sh.nearest);
      }
    }
    if (!s.meet(p)) return false;
    const Totals left = s.totals(p, p.round + 1);
    round_log.add(PULL, found, left, (double)nearest);
    found = left;
    p.round++;
    clear_slot(s.control, p.round);
    if (found.count == 0 || found.edges <= push_below) break;
  }
  p.low = D(0);
  p.top = Bits<D>::most();
  p.per_width = 0.f;
  s.end_pulls();
  return true;
}

// Leaves distances in the states of this GPU's places, where all blocks can read them. s.control is zero but for
// `arrived`; source: its place. The phase that is left says in which round the search ended. False where a GPU is lost.
template <class S, class Log>
__device__ __forceinline__ bool search_distances(const S& s, const Rows& in, const W* __restrict__ least, u32 source,
                                                 const SearchParameters& parameters, Shared& sh, Log& round_log,
                                                 Phase& p)
{
  Control* const control = s.control;
  const D delta = parameters.delta;
  const u64 budget = parameters.budget;
  const D unreached = Bits<D>::most();
  for (u64 v = global_thread(); v < s.n_all(); v += grid_threads()) {
    s.state[v] = v == source ? state_of(D(0), source) : state_of(unreached, NONE);
    s.stamp[v] = 0;
    s.clear((u32)v);
    if (in.offsets && !s.away((u32)v)) {
      const i64 degree = __ldg(in.offsets + v + 1) - __ldg(in.offsets + v);
      if (degree >= (i64)GREAT) s.hubs[s.room_hubs - 1 - append(&control->great)] = (u32)v;
      else if (degree >= (i64)HUB) s.hubs[append(&control->hubs)] = (u32)v;
    }
  }
  const D narrowest = max((D)(delta / D(NARROWEST)), smallest_width());
  D width = narrowest;
  u64 in_bucket = 0;  // edges relaxed since the last split
  p = Phase{0u, 0u, D(0), width, (float)BINS / (float)width, BINS, budget};
  // Round 0 only queues the source.
  clear_slot(control, 0);
  begin_round(sh);
  Outbox box{};
  if (blockIdx.x == 0 && warp_id() == 0 && !s.away(source)) {
    if (lane_id() == 0) s.state[source] = state_of(D(0), source);  // as another block may do later
    box.nearest = key_of(D(0));
    __syncwarp();
    put(s, p, sh, box, lane_id() == 0 ? NEAR : NOTHING, source);
  }
  if (!end_round(s, p, sh, box)) return false;

  bool last = false;  // nothing is left in the pile
  for (p.round = 1;; p.round++) {
    Totals found = s.totals(p, p.round);
    clear_slot(control, p.round);
    begin_round(sh);
    box = Outbox{};
    if (found.queued == 0) {
      if (last || found.far == 0) break;
      const u32 size = __ldcg(control->far + p.split % 3);
      if (blockIdx.x == 0 && threadIdx.x == 0) {
        control->far[(p.split + 2) % 3] = 0;
        control->far_nearest[(p.split + 2) % 3] = 0;
      }
      const D old_top = p.top;
      p.low = of_key(found.far_nearest);
      // A bucket's work fits the budget if it can.
      if (in_bucket < budget / 2) width = min(width + width, delta);
      else if (in_bucket > budget * 2) width = max((D)(width / D(2)), narrowest);
      in_bucket = 0;
      p.top = p.low + width;
      if (!(p.top > p.low)) p.top = Bits<D>::from(Bits<D>::of(p.low) + 1);
      p.per_width = (float)BINS / (float)(p.top - p.low);
      p.split++;
      split_pile(s, p, sh, box, size, old_top);
      if (!end_round(s, p, sh, box)) return false;
      round_log.add(SPLIT, found, s.totals(p, p.round + 1), (double)p.top);
      continue;
    }
    if (in.offsets && !last && found.edges > parameters.pull_above) {
      if (!pull_rounds(s, in, least, parameters.push_below, p, found, sh, round_log)) return false;
      last = true;
      if (found.count == 0) break;
      begin_round(sh);
      const u32 mark = p.round;  // the round of the last sweep is over
      collect(s, p, sh, box, [&](u32 v) { return __ldcg(s.stamp + v) == mark; });
      if (!end_round(s, p, sh, box)) return false;
      continue;
    }
    p.limit = BINS;
    if (found.edges > budget) {
      if (warp_id() == 0) {
        const u32 bin = choose_limit(s, p.round, budget);
        if (lane_id() == 0) sh.limit = bin;
      }
      __syncthreads();
      p.limit = sh.limit;
    }
    const Slot* const slot = control->slot + p.round % 3;
    const bool fuse = found.edges < FUSE_BELOW * WARPS * s.n_blocks();
    if (!push(s, p, sh, box, __ldcg(&slot->small), __ldcg(&slot->large), fuse)) return false;
    if (!end_round(s, p, sh, box)) return false;
    const Totals left = s.totals(p, p.round + 1);
    in_bucket += left.relaxed;
    const double reach = (double)p.low + (double)(p.limit + 1) / (double)p.per_width;
    round_log.add(PUSH, found, left, p.limit < BINS ? reach : (double)p.top);
  }
  return true;
}
