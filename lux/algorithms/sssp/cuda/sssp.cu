// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Single-source shortest paths along non-negative weights, in one launch.
//
// Buckets as in delta-stepping (Meyer and Sanders, 2003), of which only two are kept: what is nearer than `top` waits
// in queues, the rest in a pile (near-far: Davidson, Baxter, Garland and Owens, IPDPS 2014). The width of what is
// relaxed at once follows from the work: where the vertices that wait have more than `budget` edges, only the nearest
// of them are relaxed, by a histogram of their edges by distance. So a frontier of hubs is relaxed almost in
// Dijkstra's order, and each edge about once.
//
// Where the rows of in-edges ascend by weight, the middle of the search is sweeps that pull (Chakaravarthy et al.,
// IPDPS 2014): if no vertex that changed is nearer than `nearest`, a vertex has to look at no edge whose weight,
// added to that, is not less than its own distance.
//
// Only a strictly smaller distance replaces another. The last write to a vertex so comes after the last write to its
// parent, and parents make a tree whatever the weights.
#include "look_up.cuh"
#include "sssp_search.cuh"

// Writes distances and parents.
__device__ void in_order_of_ids(const Search& s, const u32* __restrict__ vertices, const u32* __restrict__ places, u64 n,
                                D beyond, Written* distance, i32* parent)
{
  const D unreached = Bits<D>::most();
  const u64 none = state_of(unreached, NONE);
  const auto state = [&](u32 place) { return place < s.n ? __ldcg(s.state + place) : none; };
  const auto with_id = [&](u32 place) { return place != NONE && vertices ? __ldg(vertices + place) : place; };
  const auto put = [&](u64 v, u64 word) {
    const D d = distance_of(word);
    if (d > beyond && d != unreached) s.control->beyond = 1;
    distance[v] = SIGNED && d == unreached ? (Written)-1 : (Written)d;
    if (PACKED) parent[v] = (i32)(u32)word;
  };
  if (PACKED) {
    const auto by_id = [&](u64 word) {
      return distance_of(word) == unreached ? none : word >> 32 << 32 | with_id((u32)word);
    };
    look_up(n, places, state, by_id, put);
  } else {
    look_up(n, places, state, [](u64 word) { return word; }, put);
    const auto parent_of = [&](u32 place) {
      return distance_of(state(place)) == unreached ? NONE : __ldcg(s.above + place);
    };
    look_up(n, places, parent_of, with_id, [&](u64 v, u64 id) { parent[v] = (i32)(u32)id; });
  }
}

// offsets, neighbours, weights: rows of out-edges, in any order within a row. With -DPAIRED `neighbours`, as
//   `in_neighbours`, has (neighbour, bits of the weight) for each edge, and neither array of weights is read.
// in_offsets, in_neighbours, in_weights: null, or rows of in-edges in which weights ascend (of an undirected graph the
//   same arrays, then sorted so). least: the least weight of each row of in-edges; infinity, or the largest integer,
//   where it is empty. Not read with -DUNIT_WEIGHTS.
// n_linked: places from here on have no edges.
// vertices: null, or the dense id of the vertex at each place; places: the reverse. source: its dense id, or its place where
//   they are null.
// delta: greatest width of a bucket, above 0. cutoff: vertices farther away are unreached; infinity, or the largest
//   integer, if there is none.
// beyond: if a vertex is farther away than that, `control` says so; as `cutoff`.
// budget: edges that a round may relax without regard to order. pull_above: sweeps begin where more edges wait;
//   push_below: and end where fewer do.
// distance, parent: by dense id (by place where `vertices` is null). Unreached: infinity, or the largest integer (-1 with
//   -DSIGNED, distances being 64-bit integers then); the parent -1.
// state: n_vertices u64. stamp, small0, small1, pile0, pile1: n_vertices u32 each. large0, large1: n_edges / 64 +
//   n_edges / 256 + 1 uint2 each. hubs: n_edges / 1024 + 1 u32. All of any contents.
// control: sizeof(Control) bytes, zero. rounds: `room` rows.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
lux_sssp(const i64* __restrict__ offsets, const u32* __restrict__ neighbours, const W* __restrict__ weights,
         const i64* __restrict__ in_offsets, const u32* __restrict__ in_neighbours, const W* __restrict__ in_weights,
         const W* __restrict__ least, const u32* __restrict__ vertices, const u32* __restrict__ places, u32 n_vertices,
         u32 n_linked, u32 source, D delta, D cutoff, D beyond, u64 budget, u64 pull_above, u64 push_below, Written* distance,
         i32* parent, u64* state, u32* stamp, u32* small0, u32* small1, uint2* large0, uint2* large1, u32* pile0,
         u32* pile1, u32* hubs, Control* control, Round* rounds, u32 room)
{
  __shared__ Shared sh;
  if (places) source = places[source];
  n_linked = max(n_linked, source + 1);
  const u32 room_hubs = in_offsets ? (u32)(in_offsets[n_vertices] / HUB) + 1 : 0;
  const Search s{{offsets, neighbours, weights}, n_linked, cutoff, state, stamp, small0, small1, large0, large1,
                 pile0, pile1, pile0, hubs, room_hubs, control};
  const Rows in{in_offsets, in_neighbours, in_weights};
  const D unreached = Bits<D>::most();
  RoundLog round_log{rounds, room, 0u, 0ull};
  const SearchParameters parameters{delta, budget, pull_above, push_below};
  Phase p;
  search_distances(s, in, least, source, parameters, sh, round_log, p);
  if (!PACKED) {
    grid_barrier(&control->arrived);
    // The pile is not needed any more.
    u32* const above = s.above;
    for (u64 v = global_thread(); v < n_linked; v += grid_threads()) above[v] = v == source ? source : NONE;
    p.per_width = 0.f;
    clear_slot(control, p.round);
    begin_round(sh);
    Outbox box{};
    collect(s, p, sh, box, [&](u32 v) { return distance_of(__ldcg(state + v)) != unreached; });
    end_round(s, p, sh, box);
    for (u32 pass = 0; pass < 2; pass++) {
      for (;;) {
        p.round++;
        const Slot* const slot = control->slot + p.round % 3;
        const u32 n_small = __ldcg(&slot->small), n_large = __ldcg(&slot->large);
        const Totals found = s.totals(p, p.round);
        if (n_small + n_large == 0) break;
        clear_slot(control, p.round);
        begin_round(sh);
        box = Outbox{};
        if (pass == 0) expand<FirstParent>(s, p, sh, box, n_small, n_large, false);
        else expand<ZeroParent>(s, p, sh, box, n_small, n_large, false);
        end_round(s, p, sh, box);
        round_log.add(PARENTS, found, s.totals(p, p.round + 1), 0.0);
      }
      if (pass == 1) break;
      u32 orphans = 0;
      for (u64 v = global_thread(); v < n_linked; v += grid_threads())
        orphans += __ldcg(above + v) == NONE && distance_of(__ldcg(state + v)) != unreached;
      orphans = warp_sum(orphans);
      if (lane_id() == 0 && orphans) atomicAdd(&control->orphans, orphans);
      clear_slot(control, p.round);
      grid_barrier(&control->arrived);
      if (__ldcg(&control->orphans) == 0) break;
      begin_round(sh);
      box = Outbox{};
      collect(s, p, sh, box, [&](u32 v) { return __ldcg(above + v) != NONE; });
      end_round(s, p, sh, box);
    }
  }
  in_order_of_ids(s, vertices, places, n_vertices, beyond, distance, parent);
  if (global_thread() == 0) {
    control->rounds = round_log.rows;
    control->relaxed = round_log.relaxed;
  }
}
