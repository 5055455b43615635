// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Single-source shortest paths on several GPUs: the search of sssp.cu, by one persistent cooperative kernel
// on each. A GPU owns a range of places with their out-edges and in-edges. All take the same steps, as they add up what
// each has found. A GPU reads its own memory only, and writes to that of the others:
//
// - a round that pushes relaxes the out-edges of own vertices. Distances of other GPUs' vertices are lowered in this
//   GPU's copy, and at the end of the round go to their owners, which lower theirs: 12 bytes for each vertex;
// - a round that pulls looks at the in-edges of own vertices. Each distance that it lowers is written to all GPUs;
// - in the end, where the graph is stored in an order of its own, each sends what it has found to who has the id.
//
// Launch: cooperative, static shared memory only. A launch of number 0 only has Legion place all stores; before the
// first search messages are zero.
#include "id_order.cuh"
#include "sssp_multi_gpu_state.cuh"

constexpr u32 SENT_BYTES = 12;  // for each vertex

// Writes to the inbox of each GPU the states of its places that were lowered here.
__device__ __forceinline__ void send_away(const PartSearch& s)
{
  const Args& g = s.g;
  for (u32 i = 1; i < (u32)g.parts; ++i) {
    const u32 q = ((u32)g.part + i) % (u32)g.parts, count = __ldcg(s.shared->away + q);
    const u64 at = g.inbox_of((u32)g.part, q);
    const u32* const list = g.outgoing + g.points[q];
    u32* const places = of_peer(g, q, g.inbox_places) + at;
    u64* const states = of_peer(g, q, g.inbox) + at;
    for (u64 k = global_thread(); k < count; k += grid_threads()) {
      const u32 v = __ldcg(list + k);
      places[k] = v;
      states[k] = __ldcg(s.state + v);
    }
  }
}

// Lowers own distances to what other GPUs have found.
__device__ __forceinline__ void take_sent(const PartSearch& s, const Phase& p, Shared& sh, Outbox& box)
{
  const Args& g = s.g;
  const u32 lane = lane_id(), warps = gridDim.x * WARPS, warp = warp_id() * gridDim.x + blockIdx.x;
  for (u32 q = 0; q < (u32)g.parts; ++q) {
    if (q == (u32)g.part) continue;
    const u64 count = received[SENT][q], at = g.inbox_of(q, (u32)g.part);
    for (u64 base = (u64)warp * 128; base < count; base += (u64)warps * 128) {
      Edges<4> edges;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const u64 i = at + min(base + k * 32 + lane, count - 1), word = __ldcg(g.inbox + i);
        edges.here[k] = base + k * 32 + lane < count;
        edges.u[k] = (u32)word;
        edges.v[k] = __ldcg(g.inbox_places + i);
        edges.from[k] = edges.to[k] = distance_of(word);
      }
#pragma unroll
      for (int k = 0; k < 4; k++) edges.now[k] = __ldcg(s.state + edges.v[k]);
      Relax::visit(s, p, box, edges);
#pragma unroll
      for (int k = 0; k < 4; k++)
        if (__any_sync(ALL_LANES, edges.where[k] != NOTHING)) put(s, p, sh, box, edges.where[k], edges.v[k]);
    }
  }
}

// Does a round that pushes, up to where all meet.
__device__ __forceinline__ bool push(const PartSearch& s, const Phase& p, Shared& sh, Outbox& box, u32 n_small,
                                     u32 n_large, bool fuse)
{
  expand<Relax>(s, p, sh, box, n_small, n_large, fuse);
  __syncwarp();
  if (box.away) s.list_away(away_of_warps[warp_id()], box.away);
  box.away = 0;
  grid_barrier(s.peers.arrived);
  send_away(s);
  all_here(s.peers.arrived);
  lap(WORKING);
  const auto say = [&](u32 q, u64* word) { word[SENT] = __ldcg(s.shared->away + q); };
  if (!s.meet_saying(say)) return false;
  for (u32 q = 0; q < (u32)s.g.parts; ++q) s.came += SENT_BYTES * received[SENT][q];
  if (blockIdx.x == 0 && threadIdx.x < (u32)s.g.parts) s.shared->away[threadIdx.x] = 0;
  take_sent(s, p, sh, box);
  return true;
}

// A result by place: bits of the distance << 32 | the parent.
__device__ __forceinline__ u64 result_of(u64 state)
{
  return distance_of(state) == Bits<D>::most() ? UNREACHED : state;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) lux_sssp_parts(const __grid_constant__ Args g)
{
  __shared__ Shared sh;
  if (g.number == 0) return;
  if (global_thread() == 0) laps = {nanoseconds(), {0, 0}};
  PartControl* const control = g.control;
  const PeerExchange peers{(u32)g.part, (u32)g.parts, g.messages, g.peer, (u64)g.messages_at, &control->arrived,
                           &control->finished, g.outcome};
  const u32 source = (u32)g.source, first = (u32)g.points[g.part], own_end = (u32)g.points[g.part + 1];
  const u32 n_linked = max((u32)g.n_linked, source + 1), n = max(first, min(own_end, n_linked));
  const i64* const in_offsets = g.in_offsets;
  const u32 room_hubs = in_offsets ? (u32)((in_offsets[own_end] - in_offsets[first]) / HUB) + 1 : 0;
  u64 number = (u64)g.exchanges, came = 0;
  const PartSearch s{{{g.out_offsets, g.out_neighbours, g.out_weights}, n, (D)g.cutoff, g.state, g.stamp, g.small0,
                      g.small1, g.large0, g.large1, g.pile0, g.pile1, nullptr, g.hubs, room_hubs, control, first},
                     g, control, peers, number, came, n_linked};
  const Rows in{in_offsets, g.in_neighbours, g.in_weights};
  PartLog round_log{g, came, start_level(), 0};
  Phase p;
  const SearchParameters parameters{(D)g.delta, (u64)g.budget, (u64)g.pull_above, (u64)g.push_below};
  if (!search_distances(s, in, g.least, source, parameters, sh, round_log, p)) return;

  const auto put_result = [&](u64 i, u64 what) {
    const D d = Bits<D>::from(what >> 32);
    g.distance[i] = what != UNREACHED ? (Written)d : FLOATING ? (Written)Bits<D>::most() : (Written)-1;
    g.parent[i] = (i32)(u32)what;
  };
  u64 ordered = 0;
  const D beyond = (D)g.beyond;
  for (u64 v = first + global_thread(); v < n; v += grid_threads()) {
    const D d = distance_of(__ldcg(g.state + v));
    if (d > beyond && d != Bits<D>::most()) control->beyond = 1;
  }
  if (g.vertices) {
    const auto look = [&](u32 place) { return result_of(__ldcg(g.state + place)); };
    ordered = send_all(g, (u32)g.part, (u32)g.parts, look);
    if (!s.meet()) return;
    take_all(g, (u32)g.parts, nullptr, put_result);
  } else {
    for (u64 v = first + global_thread(); v < own_end; v += grid_threads())
      put_result(v, v < n ? result_of(__ldcg(g.state + v)) : UNREACHED);
  }
  grid_barrier(&control->arrived);
  lap(WORKING);
  if (global_thread() == 0) report_search(g.outcome, round_log.rows, number, 0, *(volatile u32*)&control->beyond, ordered);
}
