// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Components: a forest of places, in which edges are linked (see components.cu).
//
// Every place points to a smaller one or to itself (a root), so that a tree's root is its smallest place. A class of
// forests (F) has the words `at`, and hooked(high, low), which is called when the root `high` has been hooked to `low`.
#pragma once
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

// Rows of places `first` to `end`.
struct Graph {
  const i64* offsets;
  const u32* neighbours;
  u32 first, end;
};

// The forest of one GPU alone.
struct Forest {
  u32* at;
  __device__ __forceinline__ void hooked(u32, u32) const {}
};

// Joins two trees: the larger root is hooked to the smaller.
template <class F>
__device__ __forceinline__ void link(const F& forest, u32 u, u32 v)
{
  u32 a = __ldcg(forest.at + u), b = __ldcg(forest.at + v);
  while (a != b) {
    const u32 high = max(a, b), low = min(a, b);
    const u32 above = __ldcg(forest.at + high);
    if (above == low) return;
    if (above == high && atomicCAS(forest.at + high, high, low) == high) {
      forest.hooked(high, low);
      return;
    }
    a = __ldcg(forest.at + __ldcg(forest.at + high));
    b = low;
  }
}

__device__ __forceinline__ u32 root_of(const u32* forest, u32 v)
{
  u32 at = __ldcg(forest + v), above = __ldcg(forest + at);
  while (above != at) { at = above; above = __ldcg(forest + at); }
  return at;
}

// Points the places of the graph's rows to their roots. Four places a step, so that several walks are under way.
__device__ void flatten(const Graph& g, u32* forest)
{
  const u64 step = grid_threads();
  for (u64 first = g.first + global_thread(); first < g.end; first += 4 * step) {
    u32 at[4], above[4];
#pragma unroll
    for (int k = 0; k < 4; k++) at[k] = first + k * step < g.end ? __ldcg(forest + first + k * step) : 0u;
#pragma unroll
    for (int k = 0; k < 4; k++) above[k] = __ldcg(forest + at[k]);
#pragma unroll
    for (int k = 0; k < 4; k++) {
      if (above[k] == at[k] || first + k * step >= g.end) continue;
      u32 up = __ldcg(forest + above[k]);
      while (up != above[k]) { above[k] = up; up = __ldcg(forest + up); }
      __stcg(forest + first + k * step, above[k]);
    }
  }
}

// The most frequent root of a sample of the n places that is_linked(v) holds for. One block.
template <class IsLinked>
__device__ void sample_roots(u32 n, const u32* forest, u32* control, const IsLinked& is_linked)
{
  __shared__ u32 keys[SLOTS], counts[SLOTS], total;
  __shared__ u64 best;
  for (u32 i = threadIdx.x; i < SLOTS; i += blockDim.x) { keys[i] = NONE; counts[i] = 0; }
  if (threadIdx.x == 0) { total = 0; best = 0; }
  __syncthreads();
  for (u32 i = threadIdx.x; i < SAMPLES; i += blockDim.x) {
    const u32 v = (u32)((u64)i * n / SAMPLES);
    if (i >= n || !is_linked(v)) continue;
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

// Links the first two edges of every row.
template <class F>
__device__ __forceinline__ void link_first_two(const Graph& g, const F& forest)
{
  for (u64 v = g.first + global_thread(); v < g.end; v += grid_threads()) {
    const i64 a = g.offsets[v], b = g.offsets[v + 1];
    if (a < b) link(forest, (u32)v, g.neighbours[a]);
    if (a + 1 < b) link(forest, (u32)v, g.neighbours[a + 1]);
  }
}

// Links the edges first, first + step, ... up to `last` of a row.
template <class F>
__device__ __forceinline__ void link_row(const Graph& g, const F& forest, u32 v, i64 first, i64 last, i64 step)
{
  for (; first < last; first += step) {
    const u32 u = __ldcs(g.neighbours + first);
    if (__ldcg(forest.at + u) != __ldcg(forest.at + v)) link(forest, u, v);
  }
}

// Links the rows of all places outside the tree of `most`; what is long waits in `rows` (huge ones from its end on).
template <class F>
__device__ void link_rows(const Graph& g, const F& forest, u32 most, u32 skip, u32* rows, u32 room, u32* control)
{
  const u64 warps = grid_threads() >> 5, warp = global_thread() >> 5;
  u32 linked = 0;
  for (u64 base = g.first + warp * 32; base < g.end; base += warps * 32) {
    const u32 v = (u32)base + lane_id();
    i64 first = 0, last = 0;
    if (v < g.end && v != most && __ldcg(forest.at + v) != most) {  // only roots are hooked: others point as flattened
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

template <class F>
__device__ void link_waiting(const Graph& g, const F& forest, u32 skip, const u32* rows, u32 room, u32* control)
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

// Points every place to its smallest neighbour if that is smaller: shown(v, to) is called with each.
template <class Shown>
__device__ __forceinline__ void point_to_first(const Graph& g, const Shown& shown)
{
  const u64 step = grid_threads();
  for (u64 first = g.first + global_thread(); first < g.end; first += 4 * step) {
    i64 a[4], b[4];
    u32 to[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const u64 v = first + k * step;
      a[k] = v < g.end ? __ldg(g.offsets + v) : 0;
      b[k] = v < g.end ? __ldg(g.offsets + v + 1) : 0;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) to[k] = a[k] < b[k] ? __ldg(g.neighbours + a[k]) : NONE;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const u64 v = first + k * step;
      if (v < g.end) shown((u32)v, min(to[k], (u32)v));
    }
  }
}
