// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Shortest paths: what is done along out-edges, and which vertices a round expands (see sssp.cu).
#pragma once
#include "sssp_queues.cuh"

// Edges that a lane looks at together: from u at distance `from` to v, where `now` may be out of date.
template <int K> struct Edges {
  u32 u[K], v[K];
  D from[K], to[K];
  u64 now[K];
  bool here[K];
  int where[K];  // the queue in which v has to wait
};

// Lowers distances.
struct Relax {
  static constexpr bool ORDERED = true;
  template <int K, class S>
  static __device__ __forceinline__ void visit(const S& s, const Phase& p, Outbox& box, Edges<K>& e)
  {
    u64 there[K];
    u32 queued[K];
#pragma unroll
    for (int k = 0; k < K; k++) {
      e.here[k] = e.here[k] && e.to[k] < distance_of(e.now[k]) && e.to[k] <= s.cutoff;
      there[k] = e.here[k] ? atomicCAS(s.state + e.v[k], e.now[k], state_of(e.to[k], e.u[k])) : e.now[k];
    }
#pragma unroll
    for (int k = 0; k < K; k++) {
      while (e.here[k] && there[k] != e.now[k]) {
        e.now[k] = there[k];
        e.here[k] = e.to[k] < distance_of(e.now[k]);
        if (e.here[k]) there[k] = atomicCAS(s.state + e.v[k], e.now[k], state_of(e.to[k], e.u[k]));
      }
    }
#pragma unroll
    for (int k = 0; k < K; k++)
      queued[k] =
        e.here[k] && (e.to[k] < p.top || s.away(e.v[k])) ? atomicExch(s.stamp + e.v[k], p.round + 1) : p.round + 1;
#pragma unroll
    for (int k = 0; k < K; k++) {
      e.where[k] = queued[k] == p.round + 1 ? NOTHING : s.away(e.v[k]) ? AWAY : NEAR;
      if (!e.here[k] || s.away(e.v[k])) continue;
      if (e.to[k] < p.top) {
        box.nearest = max(box.nearest, key_of(e.to[k]));
      } else {  // in the pile already if it was reached before
        box.far_nearest = max(box.far_nearest, key_of(e.to[k]));
        if (distance_of(e.now[k]) == Bits<D>::most()) e.where[k] = FAR;
      }
    }
  }
};

// The first place that is nearer and leads here on a shortest path.
struct FirstParent {
  static constexpr bool ORDERED = false;
  template <int K>
  static __device__ __forceinline__ void visit(const Search& s, const Phase&, Outbox&, Edges<K>& e)
  {
#pragma unroll
    for (int k = 0; k < K; k++) {
      e.where[k] = NOTHING;
      if (!e.here[k] || e.to[k] != distance_of(e.now[k]) || !(e.from[k] < e.to[k])) continue;
      if (e.u[k] < __ldcg(s.above + e.v[k])) atomicMin(s.above + e.v[k], e.u[k]);
    }
  }
};

// Edges of weight zero between vertices of which one has a parent.
struct ZeroParent {
  static constexpr bool ORDERED = false;
  template <int K>
  static __device__ __forceinline__ void visit(const Search& s, const Phase&, Outbox&, Edges<K>& e)
  {
#pragma unroll
    for (int k = 0; k < K; k++) {
      e.where[k] = NOTHING;
      if (!e.here[k] || e.to[k] != distance_of(e.now[k]) || __ldcg(s.above + e.v[k]) != NONE) continue;
      if (atomicCAS(s.above + e.v[k], NONE, e.u[k]) == NONE) e.where[k] = NEAR;
    }
  }
};

// Visits a row for each lane, 32 edges at a time.
template <typename Visit, class S>
__device__ __forceinline__ void expand_rows(const S& s, const Phase& p, Shared& sh, Outbox& box, u32 u, D from,
                                            i64 a, u32 degree)
{
  const u32 lane = lane_id();
  u32 total;
  const u32 first = warp_scan(degree, total);
  if (lane == 0) box.relaxed += total;
  for (u32 base = 0; base < total; base += 64) {
    Edges<2> edges;
#pragma unroll
    for (int k = 0; k < 2; k++) {
      // The last lane whose row begins at or before this edge; empty rows before it begin there too.
      const u32 e = base + k * 32 + lane;
      u32 owner = 0;
      for (u32 d = 16; d > 0; d >>= 1)
        if (__shfl_sync(ALL_LANES, first, owner + d) <= e) owner += d;
      edges.u[k] = edges.v[k] = __shfl_sync(ALL_LANES, u, owner);
      edges.from[k] = edges.to[k] = __shfl_sync(ALL_LANES, from, owner);
      const i64 row = __shfl_sync(ALL_LANES, a, owner) + (e - __shfl_sync(ALL_LANES, first, owner));
      edges.here[k] = e < total;
      W w = W(0);
      if (e < total) s.rows.template load<true>(row, edges.v[k], w);
      edges.to[k] += (D)w;
    }
#pragma unroll
    for (int k = 0; k < 2; k++) edges.now[k] = __ldca(s.state + edges.v[k]);
    Visit::visit(s, p, box, edges);
#pragma unroll
    for (int k = 0; k < 2; k++)
      if (__any_sync(ALL_LANES, edges.where[k] != NOTHING)) put(s, p, sh, box, edges.where[k], edges.v[k]);
  }
}

// Visits the out-edges of the vertices that wait for this round.
template <typename Visit, class S>
__device__ void expand(const S& s, const Phase& p, Shared& sh, Outbox& box, u32 n_small, u32 n_large, bool fuse)
{
  const u32 lane = lane_id(), warps = gridDim.x * WARPS;
  const u32 warp = warp_id() * gridDim.x + blockIdx.x;  // neighbours in a queue go to different multiprocessors
  const uint2* const large = s.large(p.round);
  const u32* const small = s.small(p.round);

  for (u32 i = warp; i < n_large; i += warps) {
    const uint2 entry = __ldcg(large + i);
    const u32 u = entry.x;
    const D from = distance_of(__ldcg(s.state + u));
    if (Visit::ORDERED && bin_of(p.low, p.per_width, from) > p.limit) {
      int where = NOTHING;
      box.nearest = max(box.nearest, key_of(from));
      if (entry.y == 0 && lane == 0 && atomicExch(s.stamp + u, p.round + 1) != p.round + 1) where = NEAR;
      put(s, p, sh, box, where, u);
      continue;
    }
    const i64 a = __ldg(s.rows.offsets + u) + (i64)entry.y * CHUNK;
    const u32 length = (u32)min(__ldg(s.rows.offsets + u + 1) - a, (i64)CHUNK);
    if (lane == 0) box.relaxed += length;
    for (u32 base = 0; base < length; base += 128) {
      Edges<4> edges;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const u32 e = base + k * 32 + lane;
        edges.u[k] = edges.v[k] = u;
        edges.from[k] = from;
        edges.here[k] = e < length;
        W w = W(0);
        if (e < length) s.rows.template load<true>(a + e, edges.v[k], w);
        edges.to[k] = from + (D)w;
      }
#pragma unroll
      for (int k = 0; k < 4; k++) edges.now[k] = __ldca(s.state + edges.v[k]);
      Visit::visit(s, p, box, edges);
#pragma unroll
      for (int k = 0; k < 4; k++)
        if (__any_sync(ALL_LANES, edges.where[k] != NOTHING)) put(s, p, sh, box, edges.where[k], edges.v[k]);
    }
  }

  const u32 each = min(32u, max(1u, (n_small + warps - 1) / warps));
  for (u32 i = warp; (u64)i * each < n_small; i += warps) {
    const u32 at = i * each + lane;
    u32 u = 0, degree = 0;
    D from = 0;
    i64 a = 0;
    int where = NOTHING;
    if (lane < each && at < n_small) {
      u = __ldcg(small + at);
      from = distance_of(__ldcg(s.state + u));
      a = __ldg(s.rows.offsets + u);
      degree = (u32)(__ldg(s.rows.offsets + u + 1) - a);
      if (Visit::ORDERED && bin_of(p.low, p.per_width, from) > p.limit) {
        degree = 0;
        box.nearest = max(box.nearest, key_of(from));
        if (atomicExch(s.stamp + u, p.round + 1) != p.round + 1) where = NEAR;
      }
    }
    if (__any_sync(ALL_LANES, where != NOTHING)) put(s, p, sh, box, where, u);
    expand_rows<Visit>(s, p, sh, box, u, from, a, degree);
  }

  // Where little waits, a warp goes on with what it found ("bucket fusion": Zhang et al., CGO 2020).
  if (Visit::ORDERED && fuse) {
    for (u32 step = 0; step < FUSED && box.near; step++) {
      u32 u = 0, degree = 0;
      D from = 0;
      i64 a = 0;
      if (lane < box.near) {
        u = sh.near[warp_id()][lane];
        a = __ldg(s.rows.offsets + u);
        degree = (u32)(__ldg(s.rows.offsets + u + 1) - a);
      }
      u32 total;
      warp_scan(degree, total);
      if (total > FUSED_EDGES) break;
      // Whoever lowers the distance after it is read here queues the vertex again.
      if (lane < box.near) {
        atomicExch(s.stamp + u, 0u);
        __threadfence();
        from = distance_of(__ldcg(s.state + u));
      }
      box.near = 0;
      __syncwarp();
      expand_rows<Visit>(s, p, sh, box, u, from, a, degree);
    }
  }
}

// Does a round that pushes, up to where all meet.
__device__ __forceinline__ bool push(const Search& s, const Phase& p, Shared& sh, Outbox& box, u32 n_small,
                                     u32 n_large, bool fuse)
{
  expand<Relax>(s, p, sh, box, n_small, n_large, fuse);
  return true;
}

// Moves what is below the new `top` from the pile to the queues; what was below the old one has left it before.
template <class S>
__device__ void split_pile(const S& s, const Phase& p, Shared& sh, Outbox& box, u32 size, D old_top)
{
  // p.split is that of the pile that is written.
  const u32* const from = s.pile(p.split + 1);
  u32* const to = s.pile(p.split);
  const u32 lane = lane_id(), warps = gridDim.x * WARPS, warp = warp_id() * gridDim.x + blockIdx.x;
  constexpr int EACH = 8;
  for (u64 base = (u64)warp * (32 * EACH); base < size; base += (u64)warps * (32 * EACH)) {
    u32 v[EACH], stay = 0;  // stay: a bit for each of the lane's vertices
    D d[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) v[k] = __ldcg(from + min(base + k * 32 + lane, (u64)size - 1));
#pragma unroll
    for (int k = 0; k < EACH; k++) d[k] = distance_of(__ldcg(s.state + v[k]));
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      const bool here = base + k * 32 + lane < size && !(d[k] < old_top), near = here && d[k] < p.top;
      if (here && !near) {
        stay |= 1u << k;
        box.far_nearest = max(box.far_nearest, key_of(d[k]));
      }
      if (near) box.nearest = max(box.nearest, key_of(d[k]));
      if (__any_sync(ALL_LANES, near)) put(s, p, sh, box, near ? NEAR : NOTHING, v[k]);
    }
    u32 total;
    u32 at = warp_scan((u32)__popc(stay), total), first = 0;
    if (total == 0) continue;
    if (lane == 0) first = atomicAdd(s.control->far + p.split % 3, total);
    at += __shfl_sync(ALL_LANES, first, 0);
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (stay >> k & 1) to[at++] = v[k];
  }
}

// Queues every vertex for which `wanted` holds.
template <class S, typename Wanted>
__device__ void collect(const S& s, const Phase& p, Shared& sh, Outbox& box, Wanted wanted)
{
  const u64 warps = grid_threads() >> 5, warp = global_thread() >> 5;
  for (u64 base = s.first + warp * 32; base < s.n; base += warps * 32) {
    const u32 v = (u32)base + lane_id();
    put(s, p, sh, box, v < s.n && wanted(v) ? NEAR : NOTHING, v);
  }
}

// The highest bin up to which no more than `budget` edges wait, or the lowest that is not empty. One warp.
template <class S>
__device__ u32 choose_limit(const S& s, u32 round, u64 budget)
{
  constexpr u32 EACH = BINS / 32;
  u64 mine[EACH], sum = 0;
#pragma unroll
  for (u32 k = 0; k < EACH; k++) {
    mine[k] = s.edges_in_bin(round, lane_id() * EACH + k);
    sum += mine[k];
  }
  u64 before = sum;
  for (int d = 1; d < 32; d <<= 1) {
    const u64 other = __shfl_up_sync(ALL_LANES, before, d);
    if (lane_id() >= (u32)d) before += other;
  }
  before -= sum;
  u32 within = 0, lowest = BINS;  // bins within the budget; the first that is not empty
#pragma unroll
  for (u32 k = 0; k < EACH; k++) {
    if (mine[k] && lowest == BINS) lowest = lane_id() * EACH + k;
    before += mine[k];
    if (before <= budget) within = lane_id() * EACH + k + 1;
  }
  lowest = __reduce_min_sync(ALL_LANES, lowest);
  within = __reduce_max_sync(ALL_LANES, within);
  return max(lowest, within ? within - 1 : 0);  // BINS where there is nothing
}
