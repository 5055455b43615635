// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The Graph500's checks of a tree against the edge list, and its edge counts; the rules are those of
// lux/graph500/validation.py, and the counts those of lux/graph500/kernels.py. One GPU needs one launch. Of several, each has
// the whole tree and some of the edges, and what they find of vertices is put together by a launch of lux_check_marks.
//
// PARENT, DISTANCE and COUNT are types of the arrays, WEIGHTED whether edges have weights.
#include "common.cuh"

#ifndef THREADS
#define THREADS 1024
#endif
#ifndef PARENT
#define PARENT i32
#define DISTANCE i32
#define COUNT i32
#define WEIGHTED 0
#endif

constexpr u32 MALFORMED = 0, CYCLE = 1, TREE_EDGE = 2, INPUT_EDGE = 3, SPAN = 4, NO_EDGE = 5, RULES = 6;
constexpr u32 MOST_JUMPS = 32;  // of ancestors, each twice as far as the one before

struct Control {
  u64 broken[RULES];
  u64 inside;            // edges with both ends in the tree
  u64 neighbours;        // of vertices in the tree
  u64 left[MOST_JUMPS];  // vertices that are not at the root yet
  u32 arrived, pad;
};

__device__ __forceinline__ bool reached(DISTANCE d) { return d >= 0 && d < (DISTANCE)__int_as_float(0x7f800000); }

// Adds up what the threads of a block counted.
__device__ __forceinline__ void count(u64* to, u64 mine)
{
  __shared__ u64 scratch[32];
  const u64 all = block_sum(mine, scratch);
  if (threadIdx.x == 0 && all) atomicAdd(to, all);
}

__device__ u64 malformed(const PARENT* parent, const DISTANCE* distance, i64 n, i64 root)
{
  u64 wrong = 0;
  for (i64 v = global_thread(); v < n; v += grid_threads()) {
    const i64 p = parent[v];
    bool bad = p < -1 || p >= n || (p >= 0) != reached(distance[v]);
    if (v == root) bad |= p != root || distance[v] != 0;
    wrong += bad;
  }
  return wrong;
}

// Checks that all ancestors are the root in the end; `near` and `far` are of n each.
__device__ void check_cycles(const PARENT* parent, i32* near, i32* far, i64 n, i64 root, Control* control)
{
  for (i64 v = global_thread(); v < n; v += grid_threads()) near[v] = (i32)parent[v];
  grid_barrier(&control->arrived);
  for (u32 k = 0; k < MOST_JUMPS && (k == 0 || (i64)1 << k < 2 * n); ++k) {
    u64 left = 0;
    for (i64 v = global_thread(); v < n; v += grid_threads()) {
      i32 ancestor = __ldcg(near + v);
      if (ancestor >= 0) {
        const i32 above = __ldcg(near + ancestor);
        if (above >= 0) ancestor = above;
        left += ancestor != root;
      }
      far[v] = ancestor;
    }
    count(&control->left[k], left);
    grid_barrier(&control->arrived);
    left = __ldcg(&control->left[k]);
    if (global_thread() == 0) control->broken[CYCLE] = left;
    if (left == 0) return;
    i32* other = near;
    near = far, far = other;
  }
}

__device__ __forceinline__ void mark(u32* marks, i64 v) { if (!((__ldcg(marks + (v >> 5)) >> (v & 31)) & 1u)) atomicOr(marks + (v >> 5), 1u << (v & 31)); }
__device__ __forceinline__ bool marked(const u32* marks, i64 v) { return (__ldcg(marks + (v >> 5)) >> (v & 31)) & 1u; }

// Each edge goes both ways. Marks those that an edge joins with their parent (0), and whose distance it explains (1).
__device__ void check_edges(const u32* sources, const u32* destinations, const float* weights, const PARENT* parent,
                            const DISTANCE* distance, u32* joined, u32* tight, i64 m, bool checked, Control* control)
{
  u64 inside = 0, spans = 0, long_ones = 0;
  for (i64 e = global_thread(); e < m; e += grid_threads()) {
    const u32 u = __ldcs(sources + e), v = __ldcs(destinations + e);
    const i64 above_u = parent[u], above_v = parent[v];
    if ((above_u >= 0) != (above_v >= 0)) ++spans;
    if (above_u < 0 || above_v < 0) continue;
    ++inside;
    if (!checked) continue;
    const DISTANCE weight = WEIGHTED ? (DISTANCE)__ldcs(weights + e) : (DISTANCE)1;
    const DISTANCE to_u = distance[u], to_v = distance[v];
    // Rounded to the type that distances have, as where they were added up.
    const DISTANCE from_u = to_u + weight, from_v = to_v + weight;
    long_ones += from_u < to_v || from_v < to_u;
    if (above_v == u) {
      mark(joined, v);
      if (from_u == to_v) mark(tight, v);
    }
    if (above_u == v) {
      mark(joined, u);
      if (from_v == to_u) mark(tight, u);
    }
  }
  count(&control->inside, inside);
  if (!checked) return;
  count(&control->broken[SPAN], spans);
  count(&control->broken[INPUT_EDGE], long_ones);
}

// Checks vertices first to end - 1 by the marks of all GPUs, of which `joined` and `tight` have the addresses.
__device__ void check_marks(const PARENT* parent, const u32* const* joined, const u32* const* tight, u32 parts, i64 first, i64 end,
                            i64 root, Control* control)
{
  const auto by_any = [&](const u32* const* marks, i64 v) {
    bool found = false;
    for (u32 q = 0; q < parts; ++q) found |= marked(marks[q], v);
    return found;
  };
  u64 none = 0, loose = 0;
  for (i64 v = first + global_thread(); v < end; v += grid_threads()) {
    if (parent[v] < 0 || v == root) continue;
    const bool is_joined = by_any(joined, v);
    none += !is_joined, loose += is_joined && !by_any(tight, v);
  }
  count(&control->broken[NO_EDGE], none);
  count(&control->broken[TREE_EDGE], loose);
}

// Neighbours are added up of vertices first_vertex to end_vertex - 1; all of them are there where one GPU works alone.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_validate(const u32* sources, const u32* destinations, const float* weights, const PARENT* parent, const DISTANCE* distance,
             const COUNT* neighbours, i64 first_vertex, i64 end_vertex, i64 n, i64 m, i64 root, u32 checked, u32 alone,
             Control* control, u32* joined, u32* tight, i32* near, i32* far)
{
  if (checked) {
    for (u64 w = global_thread(); w < ((u64)n + 31) / 32; w += grid_threads()) joined[w] = tight[w] = 0;
    count(&control->broken[MALFORMED], malformed(parent, distance, n, root));
    grid_barrier(&control->arrived);
    if (__ldcg(&control->broken[MALFORMED])) return;  // others rest on it
    check_cycles(parent, near, far, n, root, control);
  }
  check_edges(sources, destinations, weights, parent, distance, joined, tight, m, checked, control);
  u64 sum = 0;
  for (i64 v = first_vertex + global_thread(); v < end_vertex; v += grid_threads())
    if (parent[v] >= 0) sum += (u64)neighbours[v];
  count(&control->neighbours, sum);
  if (!checked || !alone) return;
  grid_barrier(&control->arrived);
  check_marks(parent, &joined, &tight, 1, 0, n, root, control);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_check_marks(const PARENT* parent, const u32* const* joined, const u32* const* tight, u32 parts, i64 first_vertex,
                i64 end_vertex, i64 root, Control* control)
{
  check_marks(parent, joined, tight, parts, first_vertex, end_vertex, root, control);
}
