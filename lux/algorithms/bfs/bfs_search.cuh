// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Common parts of searches on one GPU (bfs.cu) and on several (bfs_multi_gpu.cu): results of a vertex, the choice of
// directions, and bottom-up levels.
#pragma once
#include "direction.cuh"
#include "id_order.cuh"
#include "levels.cuh"
#include "parents.cuh"

// A vertex counts as one unexplored edge more.
__device__ __forceinline__ bool pulls(const State& state, const Graph& g)
{
  const u64 unreached = (u64)g.n_edges - state.explored + g.n_vertices;
  return by_unreached(false, 0, state.frontier_edges, 0, unreached, g.n_vertices, PULL_ABOVE, PUSH_BELOW);
}

struct Search : Results {
  Graph graph;
  const u32* first_neighbours;  // of each vertex (first_neighbours.cuh)
};

// The vertices of n_words words from the first on that are not in a bitmap.
struct UnvisitedRange {
  u32 first_word, n_words;
  const u32* seen;
};

// Words of the next bitmap stay on this GPU.
struct OwnBitmap {
  u32* next;
  __device__ __forceinline__ void put(u32 w, u32 bits) const { next[w] = bits; }
};

// Every in-neighbour that an unseen vertex has among the seen is on the frontier, so one bitmap serves as both:
// `seen` is read, `next` receives seen and found. Vertices without any edge are marked seen without being found.
template <class Next>
struct BottomUp {
  struct Words { u32 todo, old, first; };  // `first`: vertex

  const Search& s;
  const UnvisitedRange& unseen;
  const Next& next;
  u32* deferred;
  Slot* slot;
  u32 level;
  u32 found;
  u64 edges;

  __device__ __forceinline__ Words open(u32 at, u32 lanes) const
  {
    const u32 w = unseen.first_word + at, old = lane_id() < lanes ? unseen.seen[w + lane_id()] : ~0u;
    return {~old, old, w * 32};
  }
  __device__ __forceinline__ void row(const Words& words, u32 x, i64& begin, u32& degree) const
  {
    row_of_offsets(s.graph.in_offsets, words.first + x, x != NONE, begin, degree);
  }
  __device__ __forceinline__ const u32* neighbours() const { return s.graph.in_neighbours; }
  static constexpr bool FIRST_IN_ROW = false;
  __device__ __forceinline__ u32 first_neighbour(const Words& words, u32 x, i64, u32) const
  {
    return x != NONE ? __ldcg(s.first_neighbours + words.first + x) : NONE;
  }
  __device__ __forceinline__ bool hit(u32 from) const { return has_bit(unseen.seen, from); }
  __device__ __forceinline__ void set_parent(u32 x, u32 from, u32 in_degree)
  {
    const u32 v = unseen.first_word * 32 + x;
    s.set_result(v, from, level + 1);
    found++;
    edges += s.graph.symmetric() ? in_degree : s.graph.out_degree(v);
  }
  __device__ __forceinline__ void defer(u32 x) const { deferred[atomicAdd(&slot->deferred, 1u)] = unseen.first_word * 32 + x; }
  __device__ __forceinline__ bool marks_empty(u32 x) const
  {
    return s.graph.symmetric() || s.graph.out_degree(unseen.first_word * 32 + x) == 0;
  }
  __device__ __forceinline__ void count_edges(u32) const {}
  __device__ __forceinline__ void close(const Words& words, u32 at, u32 lanes, u32 hits) const
  {
    if (lane_id() < lanes) next.put(unseen.first_word + at + lane_id(), words.old | hits);
  }
};

template <class Next>
__device__ __noinline__ void pull_level(const Search& s, const UnvisitedRange unseen, u32* deferred, u32 level, const Next next, Slot* slot)
{
  BottomUp<Next> f{s, unseen, next, deferred, slot, level, 0, 0};
  search_rows(f, unseen.n_words, shared.grid);
  add_to_slot(slot, f.found, f.edges);
}

// The rest of the rows that pull_level put off.
__device__ __noinline__ void pull_deferred(const Search& s, const u32* deferred, u32 n_deferred, u32 level, const u32* seen, u32* next,
                                           Slot* slot)
{
  const UnvisitedRange unseen{0, 0, seen};
  const OwnBitmap own{next};
  BottomUp<OwnBitmap> f{s, unseen, own, nullptr, slot, level, 0, 0};
  auto rows = [&](u32 v, i64& begin, u32& degree) { row_of_offsets(s.graph.in_offsets, v, true, begin, degree); };
  search_deferred(f, deferred, n_deferred, next, rows, [&](u32 v, u32 from) { f.set_parent(v, from, s.graph.out_degree(v)); });
  add_to_slot(slot, f.found, f.edges);
}
