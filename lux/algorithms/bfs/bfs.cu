// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Breadth-first search from one source with parents, direction-optimising (Beamer, Asanović and Patterson,
// "Direction-optimizing breadth-first search", SC 2012), as one persistent cooperative kernel.
//
// Launch: cooperative, one block of 1024 threads per multiprocessor, static shared memory only.
#include "bfs_search.cuh"

// The first of the places at the end that have no edges.
__device__ u32 first_without_edges(const Graph& g)
{
  u32 low = 0, high = g.n_vertices;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    if (g.out_offsets[middle] == g.n_edges && g.in_offsets[middle] == g.n_edges) high = middle;
    else low = middle + 1;
  }
  return low;
}

__device__ void in_order_of_ids(const Search& s, const u32* __restrict__ vertices, const u32* __restrict__ places, u32 source)
{
  const u32 some = first_without_edges(s.graph);
  const auto look = [&](u32 place) { return place < some || place == source ? __ldcg(s.by_place + place) : UNREACHED; };
  look_up(s.graph.n_vertices, places, look, [&](u64 what) { return with_id(vertices, what); }, [&](u64 v, u64 what) {
    s.distance[v] = (i32)(what >> 32);
    s.parent[v] = (i32)(u32)what;
  });
}

struct TreeVisitor : Search {
  static constexpr bool ORDERED = false;
  u32* seen;

  __device__ __forceinline__ TreeVisitor(const Search& search, u32* bitmap) : Search(search), seen(bitmap) {}
  __device__ __forceinline__ bool may_claim(u32 v, u32) const { return !has_bit(seen, v); }
  __device__ __forceinline__ bool claim(u32 v, u32, u32) const { return claim_bit(seen, v); }
  __device__ __forceinline__ void begin_level(u32, const Items&, bool) const {}
};

// control: CONTROL_WORDS zeroed 8-byte words (see levels.cuh; the results stay there).
// scratch: scratch_bytes(n_vertices, n_edges) of levels.cuh, 256-byte aligned, any contents.
// stats: stats_rows rows of 4 words (see `record`).
// vertices: dense id of the vertex at each place, places the reverse, found 8 bytes for each; all null where places are ids.
// source: its dense id.
// A row must have fewer than 2^32 edges. distance, parent and found are 16-byte aligned.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_bfs(const i64* __restrict__ out_offsets, const u32* __restrict__ out_neighbours, const i64* __restrict__ in_offsets,
        const u32* __restrict__ in_neighbours, const u32* __restrict__ first_neighbours, const u32* __restrict__ vertices,
        const u32* __restrict__ places, u32 n_vertices,
        i64 n_edges, u32 source, u32 limit, i32* distance, i32* parent, u64* found, u64* control_words, void* scratch_bytes_,
        i64* stats, u32 stats_rows)
{
  Control* control = reinterpret_cast<Control*>(control_words);
  const Search s{
      {distance, parent, found}, {out_offsets, out_neighbours, in_offsets, in_neighbours, n_vertices, n_edges}, first_neighbours};
  const Graph& g = s.graph;
  const Scratch scratch(scratch_bytes_, n_vertices, n_edges);
  const u64 began = nanoseconds();
  const i64 start = clock64();
  if (places) source = places[source];
  u32 *seen = scratch.bitmap[0], *other = scratch.bitmap[1];

  if (found) {
    fill(reinterpret_cast<i32*>(found), 2 * (u64)n_vertices, -1);
  } else {
    fill(distance, n_vertices, -1);
    fill(parent, n_vertices, -1);
  }
  clear_seen(seen, g, source);
  State state{};
  start_at(g, scratch, source, state);
  bool in_bitmap = false;  // the frontier is `seen` less `other`, not queued
  u32 phase = 0;
  grid_barrier(&control->barrier);
  if (blockIdx.x == 0 && threadIdx.x == 0) s.set_result(source, source, 0);

  while (state.frontier_edges > 0 && state.level < limit) {
    if (state.frontier_edges <= SHARED_EDGES && !in_bitmap) {
      if (blockIdx.x == 0) {
        run_alone(g, scratch, limit, TreeVisitor(s, seen), state, stats, stats_rows, start);
        if (threadIdx.x == 0) control->handed = state;
      }
      grid_barrier(&control->barrier);
      state.load(&control->handed);
      continue;
    }
    const bool pull = pulls(state, g);
    Slot* slot = next_slot(control->slot, phase);
    if (in_bitmap && !pull) {
      state.items.advance();
      queue_bits(g, scratch, state.items, seen, other, 0, g.n_words(), slot);
      grid_barrier(&control->barrier);
      state.items.take(slot);
      in_bitmap = false;
      continue;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0 && state.level < stats_rows)
      record(stats, state.level, pull ? PULL : PUSH, state.frontier, state.frontier_edges, start);
    state.explored += state.frontier_edges;
    if (pull) {
      pull_level(s, UnvisitedRange{0, g.n_words(), seen}, scratch.deferred, state.level, OwnBitmap{other}, slot);
      grid_barrier(&control->barrier);
      state.take(slot);
      const u32 n_deferred = load_shared_state(&slot->deferred);
      if (n_deferred) {
        slot = next_slot(control->slot, phase);
        pull_deferred(s, scratch.deferred, n_deferred, state.level, seen, other, slot);
        grid_barrier(&control->barrier);
        state.add(slot);
      }
      u32* t = seen;
      seen = other;
      other = t;
      in_bitmap = true;
    } else {
      push_level(g, scratch, state.items, state.level, TreeVisitor(s, seen), slot);
      grid_barrier(&control->barrier);
      state.take(slot);
      state.items.advance();
      state.items.take(slot);
    }
    state.visited += state.frontier;
    state.level++;
  }

  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const u32 more = state.frontier > 0;
    if (more && state.level < stats_rows) record(stats, state.level, LAST, state.frontier, state.frontier_edges, start);
    control->levels = state.level + more;
    control->visited = state.visited;
    control->clocks = clock64() - start;
    control->time = nanoseconds() - began;
  }
  if (found) {
    grid_barrier(&control->barrier);
    in_order_of_ids(s, vertices, places, source);
  }
}
