// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Weakly connected components by sampling and linking (Afforest: Sutton, Ben-Nun and Barak, "Optimizing parallel
// graph connectivity computation via subgraph sampling", IPDPS 2018).
//
// `forest` is a forest of places: every place points to a smaller one or to itself (a root), so that a tree's root is
// its smallest place. At first every place points to its smallest neighbour if that is smaller. Where the places are
// by falling degree, nearly all of the largest component is one tree then, and if both directions of every edge are
// stored, none of that tree's rows has to be read: an edge that leaves it is found at its other end.
#include "common.cuh"

#ifndef THREADS
#define THREADS 1024
#endif

constexpr u32 SAMPLES = 1024;        // places whose roots are counted
constexpr u32 SLOTS = 2048;          // of the hash table in which they are counted
constexpr u32 ENOUGH = 60;           // per cent of the sample in one tree: no second neighbour is linked then
constexpr u32 SHORT = 16;            // edges of a row that one thread links
constexpr u32 LONG = 1024;           // edges from which on a row waits for a whole block
constexpr u32 HUGE_ROW = 65536;      // ... for the whole grid

// Words of `control`.
constexpr u32 BARRIER = 0;
constexpr u32 MOST = 1;              // root of the largest tree of the sample
constexpr u32 SHARE = 2;             // its part of the sample, in per cent
constexpr u32 WAITING = 3;           // rows in `rows`
constexpr u32 TAKEN = 4;             // rows of these that blocks have taken
constexpr u32 LINKED = 5;            // rows read in full
constexpr u32 HUGE_WAITING = 6;      // rows at the end of `rows`

struct Graph {
  const i64* offsets;
  const u32* neighbours;
  u32 n;
};

// Joins two trees: the larger root is hooked to the smaller.
__device__ __forceinline__ void link(u32* forest, u32 u, u32 v)
{
  u32 a = __ldcg(forest + u), b = __ldcg(forest + v);
  while (a != b) {
    const u32 high = max(a, b), low = min(a, b);
    const u32 above = __ldcg(forest + high);
    if (above == low) return;
    if (above == high && atomicCAS(forest + high, high, low) == high) return;
    a = __ldcg(forest + __ldcg(forest + high));
    b = low;
  }
}

__device__ __forceinline__ u32 root_of(const u32* forest, u32 v)
{
  u32 at = __ldcg(forest + v), above = __ldcg(forest + at);
  while (above != at) { at = above; above = __ldcg(forest + at); }
  return at;
}

// Four places a step, so that several walks to roots are under way.
__device__ void flatten(u32* forest, u32 n)
{
  const u64 step = grid_threads();
  for (u64 first = global_thread(); first < n; first += 4 * step) {
    u32 at[4], above[4];
#pragma unroll
    for (int k = 0; k < 4; k++) at[k] = first + k * step < n ? __ldcg(forest + first + k * step) : 0u;
#pragma unroll
    for (int k = 0; k < 4; k++) above[k] = __ldcg(forest + at[k]);
#pragma unroll
    for (int k = 0; k < 4; k++) {
      if (above[k] == at[k] || first + k * step >= n) continue;
      u32 up = __ldcg(forest + above[k]);
      while (up != above[k]) { above[k] = up; up = __ldcg(forest + up); }
      __stcg(forest + first + k * step, above[k]);
    }
  }
}

// The most frequent root of a sample of places that have neighbours. One block.
__device__ void sample_roots(const Graph& g, const u32* forest, u32* control)
{
  __shared__ u32 keys[SLOTS], counts[SLOTS], total;
  __shared__ u64 best;
  for (u32 i = threadIdx.x; i < SLOTS; i += blockDim.x) { keys[i] = NONE; counts[i] = 0; }
  if (threadIdx.x == 0) { total = 0; best = 0; }
  __syncthreads();
  for (u32 i = threadIdx.x; i < SAMPLES; i += blockDim.x) {
    const u32 v = (u32)((u64)i * g.n / SAMPLES);
    if (i >= g.n || g.offsets[v] == g.offsets[v + 1]) continue;
    const u32 root = root_of(forest, v);
    u32 slot = (root * 2654435761u) >> 21;
    for (;;) {
      const u32 there = atomicCAS(keys + slot, NONE, root);
      if (there == NONE || there == root) break;
      slot = (slot + 1) % SLOTS;
    }
    atomicAdd(counts + slot, 1u);
    atomicAdd(&total, 1u);
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < SLOTS; i += blockDim.x)
    if (counts[i]) atomicMax(&best, (u64)counts[i] << 32 | (NONE - keys[i]));
  __syncthreads();
  if (threadIdx.x == 0) {
    control[MOST] = total ? NONE - (u32)best : NONE;
    control[SHARE] = total ? (u32)((best >> 32) * 100 / total) : 100u;
  }
}

// Links the edges first, first + step, ... up to `last` of a row.
__device__ __forceinline__ void link_row(const Graph& g, u32* forest, u32 v, i64 first, i64 last, i64 step)
{
  for (; first < last; first += step) {
    const u32 u = __ldcs(g.neighbours + first);
    if (__ldcg(forest + u) != __ldcg(forest + v)) link(forest, u, v);
  }
}

// Links the rows of all places outside the tree of `most`; what is long waits in `rows` (huge ones from its end on).
__device__ void link_rows(const Graph& g, u32* forest, u32 most, u32 skip, u32* rows, u32 room, u32* control)
{
  const u64 warps = grid_threads() >> 5, warp = global_thread() >> 5;
  u32 linked = 0;
  for (u64 base = warp * 32; base < g.n; base += warps * 32) {
    const u32 v = (u32)base + lane_id();
    i64 first = 0, last = 0;
    if (v < g.n && v != most && __ldcg(forest + v) != most) {  // only roots are hooked: others point as flattened
      first = g.offsets[v];
      last = g.offsets[v + 1];
      first = min(first + (i64)skip, last);
    }
    linked += first < last;
    const i64 degree = last - first;
    if (degree > (i64)HUGE_ROW) rows[room - 1 - atomicAdd(control + HUGE_WAITING, 1u)] = v;
    else if (degree > (i64)LONG) rows[atomicAdd(control + WAITING, 1u)] = v;
    else if (degree <= (i64)SHORT && degree) link_row(g, forest, v, first, last, 1);
    u32 todo = __ballot_sync(ALL_LANES, degree > (i64)SHORT && degree <= (i64)LONG);
    while (todo) {
      const int owner = __ffs(todo) - 1;
      todo &= todo - 1;
      const i64 a = __shfl_sync(ALL_LANES, first, owner), b = __shfl_sync(ALL_LANES, last, owner);
      link_row(g, forest, (u32)base + owner, a + lane_id(), b, 32);
      __syncwarp();
    }
  }
  linked = warp_sum(linked);
  if (lane_id() == 0 && linked) atomicAdd(control + LINKED, linked);
}

__device__ void link_waiting(const Graph& g, u32* forest, u32 skip, const u32* rows, u32 room, u32* control)
{
  __shared__ u32 taken;
  const u32 waiting = __ldcg(control + WAITING), huge = __ldcg(control + HUGE_WAITING);
  for (u32 i = 0; i < huge; i++) {
    const u32 v = __ldcg(rows + room - 1 - i);
    link_row(g, forest, v, g.offsets[v] + skip + (i64)global_thread(), g.offsets[v + 1], (i64)grid_threads());
  }
  if (waiting == 0) return;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) taken = atomicAdd(control + TAKEN, 1u);
    __syncthreads();
    if (taken >= waiting) return;
    const u32 v = __ldcg(rows + taken);
    link_row(g, forest, v, g.offsets[v] + skip + threadIdx.x, g.offsets[v + 1], blockDim.x);
  }
}

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
  const Graph g{offsets, neighbours, n_vertices};
  if (n_vertices == 0) return;
  const u32 room = (u32)(offsets[n_vertices] / 1024) + 2;
  if (!vertices) forest = label;
  u32* const arrived = control + BARRIER;
  const u64 step = grid_threads();

  for (u64 first = global_thread(); first < n_vertices; first += 4 * step) {
    i64 a[4], b[4];
    u32 to[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const u64 v = first + k * step;
      a[k] = v < n_vertices ? __ldg(offsets + v) : 0;
      b[k] = v < n_vertices ? __ldg(offsets + v + 1) : 0;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) to[k] = a[k] < b[k] ? __ldg(neighbours + a[k]) : NONE;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const u64 v = first + k * step;
      if (v < n_vertices) {
        __stcg(forest + v, min(to[k], (u32)v));
        if (vertices) __stcg(smallest + v, NONE);
      }
    }
  }
  grid_barrier(arrived);
  flatten(forest, n_vertices);
  grid_barrier(arrived);
  if (blockIdx.x == 0) sample_roots(g, forest, control);
  grid_barrier(arrived);
  u32 most = __ldcg(control + MOST);
  u32 skip = 0;
  if (__ldcg(control + SHARE) < ENOUGH) {
    for (u64 v = global_thread(); v < n_vertices; v += step) {
      const i64 a = offsets[v], b = offsets[v + 1];
      if (a < b) link(forest, (u32)v, neighbours[a]);
      if (a + 1 < b) link(forest, (u32)v, neighbours[a + 1]);
    }
    skip = 2;
    grid_barrier(arrived);
    flatten(forest, n_vertices);
    grid_barrier(arrived);
    if (blockIdx.x == 0) sample_roots(g, forest, control);
    grid_barrier(arrived);
    most = __ldcg(control + MOST);
  }
  link_rows(g, forest, both ? most : NONE, skip, rows, room, control);
  grid_barrier(arrived);
  if (__ldcg(control + WAITING) || __ldcg(control + HUGE_WAITING)) {
    link_waiting(g, forest, skip, rows, room, control);
    grid_barrier(arrived);
  }
  if (!vertices) {
    if (__ldcg(control + LINKED)) flatten(forest, n_vertices);
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
