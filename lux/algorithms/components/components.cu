// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Weakly connected components by sampling and linking (Afforest: Sutton, Ben-Nun and Barak, "Optimizing parallel
// graph connectivity computation via subgraph sampling", IPDPS 2018).
//
// At first every place points to its smallest neighbour if that is smaller. Where the places are by falling degree,
// nearly all of the largest component is one tree then, and if both directions of every edge are stored, none of that
// tree's rows has to be read: an edge that leaves it is found at its other end.
#include "components_forest.cuh"

// offsets, neighbours: rows of edges, ascending in each row; one direction of each edge is enough unless `both`.
// both: 1 if each edge is stored in both directions.
// vertices: null, or the dense id of the vertex at each place.
// label: n_vertices words, by dense id: the smallest dense id of the component.
// forest: n_vertices words, any contents; not read where `vertices` is null. smallest: likewise.
// rows: n_edges / 1024 + 2 words, any contents.
// control: 8 words, zero.
extern "C" __global__ void __launch_bounds__(THREADS, 2048 / THREADS > 2 ? 2 : 2048 / THREADS)
lux_components(const i64* __restrict__ offsets, const u32* __restrict__ neighbours, u32 n_vertices, u32 both,
               const u32* __restrict__ vertices, u32* label, u32* forest, u32* smallest, u32* rows, u32* control)
{
  const Graph g{offsets, neighbours, 0, n_vertices};
  if (n_vertices == 0) return;
  const u32 room = (u32)(offsets[n_vertices] / 1024) + 2;
  if (!vertices) forest = label;
  const Forest links{forest};
  const auto is_linked = [&](u32 v) { return offsets[v] < offsets[v + 1]; };
  u32* const arrived = control + BARRIER;
  const u64 step = grid_threads();

  point_to_first(g, [&](u32 v, u32 to) {
    __stcg(forest + v, to);
    if (vertices) __stcg(smallest + v, NONE);
  });
  grid_barrier(arrived);
  flatten(g, forest);
  grid_barrier(arrived);
  if (blockIdx.x == 0) sample_roots(n_vertices, forest, control, is_linked);
  grid_barrier(arrived);
  u32 most = __ldcg(control + MOST);
  u32 skip = 0;
  if (__ldcg(control + SHARE) < ENOUGH) {
    link_first_two(g, links);
    skip = 2;
    grid_barrier(arrived);
    flatten(g, forest);
    grid_barrier(arrived);
    if (blockIdx.x == 0) sample_roots(n_vertices, forest, control, is_linked);
    grid_barrier(arrived);
    most = __ldcg(control + MOST);
  }
  link_rows(g, links, both ? most : NONE, skip, rows, room, control);
  grid_barrier(arrived);
  if (__ldcg(control + WAITING) || __ldcg(control + HUGE_WAITING)) {
    link_waiting(g, links, skip, rows, room, control);
    grid_barrier(arrived);
  }
  if (!vertices) {
    if (__ldcg(control + LINKED)) flatten(g, forest);
    return;
  }

  // The smallest id of each tree. That of the tree with most places is gathered in registers.
  const u32 large = root_of(forest, most == NONE ? 0u : most);
  u32 least = NONE;
  for (u64 p = global_thread(); p < n_vertices; p += step) {
    const u32 root = root_of(forest, (u32)p), id = vertices[p];
    if (root == large) least = min(least, id);
    else if (__ldcg(smallest + root) > id) atomicMin(smallest + root, id);
  }
  least = __reduce_min_sync(ALL_LANES, least);
  if (lane_id() == 0 && least != NONE && __ldcg(smallest + large) > least) atomicMin(smallest + large, least);
  grid_barrier(arrived);
  for (u64 p = global_thread(); p < n_vertices; p += step)
    __stcs(label + vertices[p], __ldcg(smallest + root_of(forest, (u32)p)));
}
