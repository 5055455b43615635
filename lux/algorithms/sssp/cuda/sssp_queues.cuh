// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Shortest paths: how warps pass on the vertices that later rounds expand (see sssp.cu).
#pragma once
#include "sssp_state.cuh"

// A warp's share of what the next round gets.
struct Outbox {
  u32 near, far, away;  // waiting in shared memory
  u64 edges;
  u32 relaxed, count;
  Key nearest, far_nearest;
};

// Queues a warp's vertices; returns each lane's degree.
__device__ __noinline__ u32 flush_near(const i64* offsets, const u64* states, Slot* slot, u32* small_out,
                                       uint2* large_out, u32* bins, D low, float per_width, u32 v, bool here)
{
  const u32 lane = lane_id();
  u32 degree = 0;
  if (here) {
    const i64 a = __ldg(offsets + v), b = __ldg(offsets + v + 1);
    const D d = distance_of(__ldcg(states + v));
    degree = (u32)(b - a);
    if (degree) atomicAdd(bins + bin_of(low, per_width, d), degree);
  }
  const u32 small = __ballot_sync(ALL_LANES, degree && degree < SHORT);
  if (small) {
    u32 first = 0;
    if (lane == 0) first = atomicAdd(&slot->small, (u32)__popc(small));
    first = __shfl_sync(ALL_LANES, first, 0);
    if (small >> lane & 1) small_out[first + __popc(small & ((1u << lane) - 1))] = v;
  }
  u32 large = __ballot_sync(ALL_LANES, degree >= SHORT);
  if (large) {
    const u32 chunks = degree >= SHORT ? (degree + CHUNK - 1) / CHUNK : 0;
    u32 total, at = warp_scan(chunks, total), first = 0;
    if (lane == 0) first = atomicAdd(&slot->large, total);
    at += __shfl_sync(ALL_LANES, first, 0);
    if (chunks) large_out[at] = make_uint2(v, 0);
    large = __ballot_sync(ALL_LANES, chunks > 1);
    while (large) {
      const int owner = __ffs(large) - 1;
      large &= large - 1;
      const u32 w = __shfl_sync(ALL_LANES, v, owner), k = __shfl_sync(ALL_LANES, chunks, owner);
      const u32 to = __shfl_sync(ALL_LANES, at, owner);
      for (u32 c = 1 + lane; c < k; c += 32) large_out[to + c] = make_uint2(w, c);
    }
  }
  return degree;
}

// Queues the first n vertices of `from`.
__device__ __forceinline__ void send_near(const Search& s, const Phase& p, Shared& sh, Outbox& box, const u32* from,
                                          u32 n)
{
  const bool here = lane_id() < n;
  const u32 degree = flush_near(s.rows.offsets, s.state, s.control->slot + (p.round + 1) % 3, s.small(p.round + 1),
                                s.large(p.round + 1), sh.bins, p.low, p.per_width, here ? from[lane_id()] : 0, here);
  box.edges += degree;
  box.count += degree != 0;
}

__device__ __forceinline__ void send_far(const Search& s, const Phase& p, const u32* from, u32 n)
{
  u32* const size = s.control->far + p.split % 3;
  u32 first = 0;
  if (lane_id() == 0) first = atomicAdd(size, n);
  first = __shfl_sync(ALL_LANES, first, 0);
  if (lane_id() < n) s.pile(p.split)[first + lane_id()] = from[lane_id()];
}

// All lanes come here, each with a vertex and where it goes.
template <class S>
__device__ __forceinline__ void put(const S& s, const Phase& p, Shared& sh, Outbox& box, int where, u32 v)
{
  const u32 before = (1u << lane_id()) - 1;
  const u32 near = __ballot_sync(ALL_LANES, where == NEAR), far = __ballot_sync(ALL_LANES, where == FAR);
  if (near) {
    u32* const mine = sh.near[warp_id()];
    if (where == NEAR) mine[box.near + __popc(near & before)] = v;
    box.near += __popc(near);
    __syncwarp();
    if (box.near >= 32) {
      box.near -= 32;
      send_near(s, p, sh, box, mine + box.near, 32);
      __syncwarp();
    }
  }
  if (far) {
    u32* const mine = sh.far[warp_id()];
    if (where == FAR) mine[box.far + __popc(far & before)] = v;
    box.far += __popc(far);
    __syncwarp();
    if (box.far >= 32) {
      box.far -= 32;
      send_far(s, p, mine + box.far, 32);
      __syncwarp();
    }
  }
  if constexpr (S::SEVERAL) s.put_away(box, where == AWAY, v);
}

__device__ __forceinline__ u64 warp_max(u64 x)
{
  for (int d = 16; d > 0; d >>= 1) x = max(x, __shfl_xor_sync(ALL_LANES, x, d));
  return x;
}
__device__ __forceinline__ u64 warp_max(u32 x) { return __reduce_max_sync(ALL_LANES, x); }

__device__ __forceinline__ void begin_round(Shared& sh)
{
  for (u32 i = threadIdx.x; i < BINS; i += blockDim.x) sh.bins[i] = 0;
  if (threadIdx.x == 0) {
    sh.edges = sh.relaxed = sh.count = sh.nearest = sh.far_nearest = 0;
  }
  __syncthreads();
}

// Empties the outboxes and adds up what the block did. Then all meet.
template <class S>
__device__ bool end_round(const S& s, const Phase& p, Shared& sh, Outbox& box)
{
  __syncwarp();
  if (box.near) send_near(s, p, sh, box, sh.near[warp_id()], box.near);
  if (box.far) send_far(s, p, sh.far[warp_id()], box.far);
  const u64 edges = warp_sum(box.edges), relaxed = warp_sum((u64)box.relaxed), count = warp_sum((u64)box.count);
  const u64 nearest = warp_max(box.nearest), far_nearest = warp_max(box.far_nearest);
  if (lane_id() == 0) {
    if (edges) atomicAdd(&sh.edges, edges);
    if (count) atomicAdd(&sh.count, count);
    if (relaxed) atomicAdd(&sh.relaxed, relaxed);
    if (nearest) atomicMax(&sh.nearest, nearest);
    if (far_nearest) atomicMax(&sh.far_nearest, far_nearest);
  }
  __syncthreads();
  Slot* const slot = s.control->slot + (p.round + 1) % 3;
  if (sh.edges * s.n_blocks() > p.budget)  // or else all of it is within the budget, or is much less than the rest
    for (u32 i = threadIdx.x; i < BINS; i += blockDim.x)
      if (sh.bins[i]) atomicAdd(slot->bins + i, (u64)sh.bins[i]);
  if (threadIdx.x == 0) {
    if (sh.edges) atomicAdd(&slot->edges, sh.edges);
    if (sh.count) atomicAdd(&slot->count, sh.count);
    if (sh.relaxed) atomicAdd(&slot->relaxed, sh.relaxed);
    if (sh.nearest) atomicMax(&slot->nearest, sh.nearest);
    if (sh.far_nearest) atomicMax(s.control->far_nearest + p.split % 3, sh.far_nearest);
  }
  return s.meet(p);
}
