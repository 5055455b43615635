// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Shortest paths: sweeps over in-edges (see sssp.cu).
#pragma once
#include "sssp_state.cuh"

struct Changes {
  u64 edges;
  u32 seen, count;
  Key nearest;
};

// Looks at edges e, e + step, e + 2 step and e + 3 step of a row that ends at b, in which weights ascend. True where no
// later edge matters.
template <class S>
__device__ __forceinline__ bool pull(const S& s, const Rows& in, D nearest, i64 e, i64 step, i64 b, Best& best,
                                     Changes& c)
{
  W w[4];
  u32 u[4];
  D from[4];
  bool matters[4];
#pragma unroll
  for (int k = 0; k < 4; k++) in.load<false>(min(e + k * step, b - 1), u[k], w[k]);
#pragma unroll
  for (int k = 0; k < 4; k++) {
    matters[k] = nearest + (D)w[k] < best.distance;
    from[k] = matters[k] && e + k * step < b ? s.known(u[k]) : Bits<D>::most();
    c.seen += matters[k] && e + k * step < b;
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const D to = from[k] + (D)w[k];
    if (from[k] != Bits<D>::most() && to < best.distance && to <= s.cutoff) best = Best{to, u[k]};
  }
  return !matters[3];
}

__device__ __forceinline__ void share_best(Best& best)
{
  for (int d = 16; d > 0; d >>= 1) {
    const D other = __shfl_xor_sync(ALL_LANES, best.distance, d);
    const u32 by = __shfl_xor_sync(ALL_LANES, best.parent, d);
    if (other < best.distance || (other == best.distance && by < best.parent)) best = Best{other, by};
  }
}

// Pulls by a warp, for as much of the row from e on as matters.
template <class S>
__device__ __forceinline__ void pull_team(const S& s, const Rows& in, D nearest, i64 e, i64 b, Best& best, Changes& c)
{
  for (; e < b; e += 128) {
    const bool last = pull(s, in, nearest, e + lane_id(), 32, b, best, c);
    share_best(best);
    if (__any_sync(ALL_LANES, last)) break;
  }
}

// A vertex has one writer in a sweep.
template <class S>
__device__ __forceinline__ void note_change(const S& s, const Phase& p, u32 v, i64 degree, const Best& best, Changes& c)
{
  s.set(v, best);
  __stcg(s.stamp + v, p.round + 1);
  c.edges += degree;
  c.count++;
  c.nearest = max(c.nearest, key_of(best.distance));
}

// Lowers the distances of up to 32 vertices that are not hubs to what their in-edges give.
template <class S>
__device__ __forceinline__ void sweep_rows(const S& s, const Rows& in, const Phase& p, D nearest, u32 v, bool here,
                                           Changes& c)
{
  const u32 lane = lane_id();
  i64 a = 0, b = 0;
  D before = D(0);
  if (here) {
    a = __ldg(in.offsets + v);
    b = __ldg(in.offsets + v + 1);
    before = distance_of(__ldcg(s.state + v));
  }
  const i64 degree = b - a;
  if (degree >= (i64)HUB) a = b;
  Best best{before, NONE};
  const i64 alone = min(b, a + (i64)ALONE);
  for (; a < alone; a += 4)
    if (pull(s, in, nearest, a, 1, b, best, c)) a = b;
  u32 todo = __ballot_sync(ALL_LANES, a < b);
  while (todo) {
    const int owner = __ffs(todo) - 1;
    todo &= todo - 1;
    const i64 e = __shfl_sync(ALL_LANES, a, owner), end = __shfl_sync(ALL_LANES, b, owner);
    Best team{__shfl_sync(ALL_LANES, best.distance, owner), __shfl_sync(ALL_LANES, best.parent, owner)};
    pull_team(s, in, nearest, e, end, team, c);
    if ((int)lane == owner) best = team;
  }
  if (best.distance < before) note_change(s, p, v, degree, best, c);
}

// Lowers the distances of all vertices but hubs. What may change is gathered, so that all lanes have work.
template <class S>
__device__ void sweep(const S& s, const Rows& in, const W* least, const Phase& p, D nearest, u32* gathered,
                      Changes& c)
{
  const u32 lane = lane_id(), warps = gridDim.x * WARPS, warp = warp_id() * gridDim.x + blockIdx.x;
  u32 waiting = 0;
  for (u64 base = s.first + (u64)warp * 128; base < s.n; base += (u64)warps * 128) {
    u64 now[4];
    D first[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const u64 v = min(base + k * 32 + lane, (u64)s.n - 1);
      now[k] = __ldcg(s.state + v);
#ifdef UNIT_WEIGHTS
      first[k] = D(1);
#else
      first[k] = (D)__ldg(least + v);
#endif
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const u32 v = (u32)base + k * 32 + lane;
      const D d = distance_of(now[k]);
      // As sums are rounded; in integers the sum with what stands for no edge could go round.
      const bool open = v < s.n && nearest < d && (FLOATING ? nearest + first[k] < d : first[k] < d - nearest);
      const u32 opens = __ballot_sync(ALL_LANES, open);
      if (open) gathered[waiting + __popc(opens & ((1u << lane) - 1))] = v;
      waiting += __popc(opens);
      __syncwarp();
      if (waiting >= 32) {
        waiting -= 32;
        sweep_rows(s, in, p, nearest, gathered[waiting + lane], true, c);
        __syncwarp();
      }
    }
  }
  if (waiting) sweep_rows(s, in, p, nearest, lane < waiting ? gathered[lane] : 0, lane < waiting, c);
}

// Sweeps over hubs: a block for each great one, a warp for each other.
template <class S>
__device__ void sweep_hubs(const S& s, const Rows& in, const Phase& p, D nearest, Changes& c)
{
  __shared__ Best bests[WARPS];
  const u32 great = __ldcg(&s.control->great), hubs = __ldcg(&s.control->hubs);
  for (u32 h = blockIdx.x; h < great; h += gridDim.x) {
    const u32 v = __ldcg(s.hubs + s.room_hubs - 1 - h);
    const D before = distance_of(__ldcg(s.state + v));
    if (!(nearest < before)) continue;
    Best best{before, NONE};
    const i64 a = in.offsets[v], b = in.offsets[v + 1];
    for (i64 e = a; e < b; e += 4 * THREADS) {
      const bool last = pull(s, in, nearest, e + threadIdx.x, THREADS, b, best, c);
      share_best(best);
      if (lane_id() == 0) bests[warp_id()] = best;
      const bool done = __syncthreads_or(last);
      best = bests[lane_id() % WARPS];
      share_best(best);
      __syncthreads();
      if (done) break;
    }
    if (threadIdx.x == 0 && best.distance < before) note_change(s, p, v, b - a, best, c);
  }
  for (u32 h = warp_id() * gridDim.x + blockIdx.x; h < hubs; h += gridDim.x * WARPS) {
    const u32 v = __ldcg(s.hubs + h);
    const D before = distance_of(__ldcg(s.state + v));
    if (!(nearest < before)) continue;
    Best best{before, NONE};
    const i64 a = in.offsets[v], b = in.offsets[v + 1];
    pull_team(s, in, nearest, a, b, best, c);
    if (lane_id() == 0 && best.distance < before) note_change(s, p, v, b - a, best, c);
  }
}
