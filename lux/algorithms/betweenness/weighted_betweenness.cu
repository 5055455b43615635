// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Betweenness centrality's share of some sources, along edges with positive lengths (Brandes, "A faster algorithm for
// betweenness centrality", 2001), as one persistent cooperative kernel. For each source:
//   distances, in float64, as in sssp.cu;
//   the edges (u, v) of length w on shortest paths, which are those with distance(u) + w == distance(v). They are
//     looked for in rows of in-edges, of which those longer than the distance of v itself lead nowhere, and kept as
//     rows of children, so that what follows reads them alone;
//   numbers of paths along them. Distances are no levels, so a vertex goes on when all its parents have: its level is
//     the most edges that a shortest path to it has;
//   dependencies, by the same levels, from the last back.
// Sums of a vertex are of one order or another, so that scores differ by rounding from run to run.
//
// Launch: cooperative, BLOCKS_PER_SM blocks of THREADS threads a multiprocessor, static shared memory only.
#ifndef DISTANCE
#define DISTANCE double
#endif
#include "path_levels.cuh"
#include "scores.cuh"

constexpr u64 NANOSECONDS = 200000000ull;  // after which a launch hands back to the host

// Makes all ready for a source; all blocks meet.
__device__ __forceinline__ void clear(const Search& s, const PathEdges& g, Walk* walk, u32 source)
{
  for (u64 v = global_thread(); v < s.n; v += grid_threads()) {
    g.length[v] = g.waiting[v] = 0;
    g.paths[v] = v == source ? 1.0 : 0.0;
    g.factor[v] = 0.0;
  }
  if (blockIdx.x == 0) {
    u32* const words = reinterpret_cast<u32*>(s.control);  // of which the first is `arrived`
    for (u32 i = 1 + threadIdx.x; i < sizeof(Control) / sizeof(u32); i += blockDim.x) words[i] = 0;
    if (threadIdx.x < 3)
      for (u32 i = 0; i < 2; i++) walk->together[threadIdx.x][i] = walk->alone[threadIdx.x][i] = 0;
    if (threadIdx.x == 0) walk->reached = walk->parts = 0;
  }
  grid_barrier(&s.control->arrived);
}

// The sources of the list that earlier launches have not come to, one after the other, until the time is over.
//
// out_offsets, out_neighbours, out_weights; in_offsets, in_neighbours, in_weights, least; n_linked, delta, budget,
//   pull_above, push_below; state ... hubs, control: as in sssp.cu, but control is zero in every launch.
// row_offsets, row_neighbours, row_weights: rows of in-edges in which neighbours ascend.
// one: what a path counts for each of its ends. score: by place; added to.
// children: n_edges u32. length, waiting, rows: n_vertices u32 each. paths, factor: n_vertices float64 each. pieces:
//   n_edges / 64 + 1 u64. bounds: n_vertices + 1 of them. All of any contents.
// walk: zero in every launch. done: how many sources are; zero in the first launch.
// report: in the host's memory; how many are done; 2 where a weight was lost in a sum (which ends it all), 1 where a score is too
//   large for a double; and from row 1 on, for each source of this launch, the vertices that it reaches and nanoseconds; `noted` such rows.
// A row must have fewer than 2^32 edges.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
lux_weighted_betweenness(const i64* __restrict__ out_offsets, const u32* __restrict__ out_neighbours,
                         const W* __restrict__ out_weights, const i64* __restrict__ in_offsets,
                         const u32* __restrict__ in_neighbours, const W* __restrict__ in_weights,
                         const W* __restrict__ least, const i64* __restrict__ row_offsets,
                         const u32* __restrict__ row_neighbours, const W* __restrict__ row_weights, u32 n_vertices,
                         u32 n_linked, const u32* __restrict__ sources, u32 n_sources, double delta, u64 budget,
                         u64 pull_above, u64 push_below, double one, double* score, u64* state, u32* stamp, u32* small0,
                         u32* small1, uint2* large0, uint2* large1, u32* pile0, u32* pile1, u32* hubs, Control* control,
                         u32* children, u32* length, u32* waiting, double* paths, double* factor, u32* rows,
                         u64* pieces, Bound* bounds, Walk* walk, u32* done, i64* report, u32 noted)
{
  __shared__ Shared sh;
  const u32 room_hubs = in_offsets ? (u32)(in_offsets[n_vertices] / HUB) + 1 : 0;
  const Rows in{in_offsets, in_neighbours, in_weights};
  const PathEdges g{out_offsets, children, length, waiting, paths, factor, rows, pieces, bounds};
  u32* const arrived = &control->arrived;
  const u32 first = *done;
  const u64 launched = nanoseconds();
  u32 row = 0, lost = 0;
  bool over = first >= n_sources;
  if (first == 0) clear_scores(score, n_vertices);  // the first source's sweep meets before it adds
  while (!over) {
    const u64 began = nanoseconds();
    const u32 source = sources[first + row];
    const Search s{{out_offsets, out_neighbours, out_weights}, max(n_linked, source + 1), Bits<D>::most(), state, stamp,
                   small0, small1, large0, large1, pile0, pile1, pile0, hubs, room_hubs, control};
    clear(s, g, walk, source);
    RoundLog round_log{nullptr, 0u, 0u, 0ull};
    Phase p;
    search_distances(s, in, least, source, {delta, budget, pull_above, push_below}, sh, round_log, p);
    find_path_edges(state, s.n, {row_offsets, row_neighbours, row_weights}, g, walk, source, arrived, sh);
    lost = __ldcg(&walk->lost);
    if (lost) break;
    const u32 levels = count_all_paths(g, walk, source, arrived, sh);
    add_dependencies(g, levels, score, one, arrived);
    ++row;
    if (global_thread() == 0) {
      const u32 reached = __ldcg(&walk->reached);
      const u64 now = nanoseconds();
      score[source] = __ldcg(score + source) + one * (double)(reached - 1);
      report[2 * row] = (i64)reached;
      report[2 * row + 1] = (i64)(now - began);
      walk->over = now - launched > NANOSECONDS || row == noted || first + row == n_sources;
    }
    grid_barrier(arrived);
    over = __ldcg(&walk->over) != 0;
  }
  if (lost) {
    if (global_thread() == 0) report[1] = 2;
  } else if (first + row == n_sources) {
    report_overflow(score, n_vertices, report);
  }
  if (global_thread() == 0) {
    *done = first + row;
    report[0] = first + row;
  }
}
