// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Betweenness centrality's share of one source, without weights (Brandes, "A faster algorithm for betweenness
// centrality", 2001): a forward sweep by levels that counts shortest paths, and a backward sweep that sums
// dependencies, as one persistent cooperative kernel.
//
// Launch: cooperative, one block of 1024 threads per multiprocessor, static shared memory only.
#include "betweenness_backward.cuh"
#include "scores.cuh"

constexpr u64 NANOSECONDS = 200000000ull;  // after which a launch hands back to the host

// Adds scale * the dependencies of one source to centrality (by place): to every vertex but the source. With
// `endpoints`, paths count for their two ends as well. Returns how many vertices the source reaches.
__device__ __forceinline__ u64 add_dependencies(const Graph& g, const PathScratch& scratch, u32 source, const Accumulator& accumulator,
                                                Control* control)
{
  const Paths& paths = scratch.paths;
  u32 *seen = scratch.bitmap[0], *other = scratch.bitmap[1];

  fill(paths.depth, g.n_vertices, -1);
  fill(reinterpret_cast<i32*>(paths.near), (rounded(g.n_vertices)) / 4, -1);
  fill(reinterpret_cast<i32*>(paths.sigma), 2 * (u64)g.n_vertices, 0);
  fill(reinterpret_cast<i32*>(paths.factor), 2 * (u64)g.n_vertices, 0);
  clear_seen(seen, g, source);
  for (int k = 0; k < 3; ++k) clear_slot(&control->slot[k]);
  State state{};
  start_at(g, scratch, source, state);
  u32 phase = 0;
  grid_barrier(&control->barrier);
  if (global_thread() == 0) {
    paths.depth[source] = 0;
    paths.near[source] = 0;
    paths.sigma[source] = 1;
  }
  __syncthreads();
  if (state.frontier_edges > SHARED_EDGES) grid_barrier(&control->barrier);

  while (state.frontier_edges > 0) {
    if (state.frontier_edges <= SHARED_EDGES && state.items.n_rows + state.items.n_pieces <= 4 * SHARED_EDGES) {
      if (blockIdx.x == 0) {
        run_alone(g, scratch, NONE, Counting{paths, seen}, state, nullptr, 0, 0);
        if (threadIdx.x == 0) control->handed = state;
      }
      grid_barrier(&control->barrier);
      state.load(&control->handed);
      continue;
    }
    const u64 unreached = (u64)g.n_edges - state.explored + g.n_vertices;  // a vertex counts as one edge more
    const bool pull = by_unreached(false, 0, state.frontier_edges, 0, unreached, g.n_vertices, PULL_ABOVE, PUSH_BELOW);
    Slot* slot = next_slot(control->slot, phase);
    if (global_thread() == 0) Counting{paths, seen}.begin_level(state.level, state.items, false);
    state.explored += state.frontier_edges;
    if (pull) {
      state.items.advance();
      pull_level(g, scratch, state.items, state.level, seen, other, slot);
      grid_barrier(&control->barrier);
      state.take(slot);
      state.items.take(slot);
      const u32 n_waiting = load_shared_state(&slot->deferred);
      if (n_waiting) {
        slot = next_slot(control->slot, phase);
        pull_pieces(g, scratch, n_waiting, seen);
        grid_barrier(&control->barrier);
        visit_deferred(g, scratch, state.items, n_waiting, state.level, other, slot);
        grid_barrier(&control->barrier);
        state.add(slot);
        state.items.n_rows += load_shared_state(&slot->n_rows);
        state.items.n_pieces += load_shared_state(&slot->n_pieces);
      }
      u32* t = seen;
      seen = other;
      other = t;
    } else {
      push_level(g, scratch, state.items, state.level, Counting{paths, seen}, slot);
      grid_barrier(&control->barrier);
      state.take(slot);
      state.items.advance();
      state.items.take(slot);
    }
    state.visited += state.frontier;
    state.level++;
  }

  const u32 levels = state.level + (state.frontier > 0);
  if (global_thread() == 0) {
    const Counting counting{paths, seen};
    if (state.frontier > 0) {
      counting.begin_level(state.level, state.items, state.items.n_rows + state.items.n_pieces <= SHARED_EDGES);
      state.items.advance();
    }
    counting.begin_level(levels, state.items, false);
    if (accumulator.endpoints) accumulator.centrality[source] += accumulator.scale * (double)(state.visited - 1);
  }
  grid_barrier(&control->barrier);

  u32 level = levels - 1;
  while (level > 0) {
    bool small;
    Items items = level_items(paths.bounds, level, small);
    if (small) {
      // All blocks read the same bounds, so all know where the small levels end.
      u32 down = level;
      if (blockIdx.x == 0) {
        while (true) {
          sweep_rows(g, scratch, items, down, accumulator, warp_id(), WARPS);
          __syncthreads();
          if (items.n_pieces) {
            accumulate_long(scratch, items, accumulator, threadIdx.x, THREADS);
            __syncthreads();
          }
          down--;
          if (down == 0) break;
          items = level_items(paths.bounds, down, small);
          if (!small) break;
        }
        if (threadIdx.x == 0) control->handed.level = down;
      }
      grid_barrier(&control->barrier);
      level = load_shared_state(&control->handed.level);
      continue;
    }
    sweep_rows(g, scratch, items, level, accumulator, spread_warp(), gridDim.x * WARPS);
    grid_barrier(&control->barrier);
    if (items.n_pieces) {
      accumulate_long(scratch, items, accumulator, global_thread(), grid_threads());
      grid_barrier(&control->barrier);
    }
    level--;
  }

  return state.visited;
}

// The sources of the list that earlier launches have not come to, one after the other, until the time is over.
// control: CONTROL_WORDS 8-byte words that are zero in every launch (see levels.cuh); done: one that is in the first.
// scratch: see PathScratch; 256-byte aligned, any contents.
// report: in the host's memory; how many are done, whether a score is too large for a double, and from row 1 on, for each source of this launch, the vertices that
// it reaches and nanoseconds; `noted` such rows.
// A row must have fewer than 2^32 edges.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_betweenness(const i64* __restrict__ out_offsets, const u32* __restrict__ out_neighbours, const i64* __restrict__ in_offsets,
                const u32* __restrict__ in_neighbours, u32 n_vertices, i64 n_edges, const u32* __restrict__ sources,
                u32 n_sources, double scale, u32 endpoints, double* centrality, const u32* places, const u32* vertices, double factor,
                double source_factor, double* finished, u64* control_words, u32* done, void* scratch_base, i64* report, u32 noted)
{
  Control* control = reinterpret_cast<Control*>(control_words);
  const Graph g{out_offsets, out_neighbours, in_offsets, in_neighbours, n_vertices, n_edges};
  const PathScratch scratch(scratch_base, n_vertices, n_edges);
  const Accumulator accumulator{centrality, scale, endpoints != 0};
  const u32 first = *done;
  const u64 launched = nanoseconds();
  u32 row = 0;
  bool over = first >= n_sources;
  if (first == 0) clear_scores(centrality, n_vertices);  // the first source's sweep meets before it adds
  while (!over) {
    const u64 began = nanoseconds();
    const u64 visited = add_dependencies(g, scratch, sources[first + row], accumulator, control);
    ++row;
    if (global_thread() == 0) {
      const u64 now = nanoseconds();
      report[2 * row] = (i64)visited, report[2 * row + 1] = (i64)(now - began);
      control->clocks = now - launched > NANOSECONDS || row == noted || first + row == n_sources;
    }
    grid_barrier(&control->barrier);
    over = load_shared_state(&control->clocks) != 0;
  }
  if (first + row == n_sources) {
    report_overflow(centrality, n_vertices, report);
    if (finished) {
      finish_scores(centrality, places, n_vertices, factor, finished);
      if (factor != source_factor) {
        grid_barrier(&control->barrier);
        for (u64 k = global_thread(); k < n_sources; k += grid_threads())
          finished[vertices ? vertices[sources[k]] : sources[k]] = __ldcg(centrality + sources[k]) * source_factor;
      }
    }
  }
  if (global_thread() == 0) *done = first + row, report[0] = first + row;
}

// Puts scores, by place, in the order of ids, and scales them; those of the sources by a factor of their own.
// places: null, or the place of each id. sources: null, or n_sources ids.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_finish_scores(const double* before, const u32* places, i64 n, double factor, const u32* sources, i64 n_sources,
                  double source_factor, double* after, u32* control)
{
  finish_scores(before, places, n, factor, after);
  if (!sources) return;
  grid_barrier(control);
  for (u64 k = global_thread(); k < (u64)n_sources; k += grid_threads()) {
    const u32 v = sources[k];
    after[v] = before[places ? places[v] : v] * source_factor;
  }
}

// Adds the scores of all GPUs, by place, in their order: those of the ids lo to lo + n, scaled as `lux_finish_scores` does.
// shares: the address of each GPU's scores; places, vertices: null, or the place of each id, and the id of each place;
// sources: places.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_add_shares(const double* const* shares, u32 gpus, const u32* places, const u32* vertices, i64 lo, i64 n, double factor,
               const u32* sources, i64 n_sources, double source_factor, double* after, u32* control)
{
  const auto sum = [=](u64 place) {
    double x = 0;
    for (u32 q = 0; q < gpus; ++q) x += shares[q][place];
    return x;
  };
  for (u64 i = global_thread(); i < (u64)n; i += grid_threads()) after[i] = sum(places ? places[lo + i] : lo + i) * factor;
  if (factor == source_factor) return;
  grid_barrier(control);
  for (u64 k = global_thread(); k < (u64)n_sources; k += grid_threads()) {
    const u32 place = sources[k];
    const i64 id = vertices ? vertices[place] : place;
    if (id >= lo && id < lo + n) after[id - lo] = sum(place) * source_factor;
  }
}
