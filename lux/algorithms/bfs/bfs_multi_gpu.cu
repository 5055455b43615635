// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Breadth-first search from one source with parents on several GPUs, direction-optimising (Beamer, Asanović and
// Patterson, SC 2012), as one persistent cooperative kernel on each. A GPU owns a range of vertices with their edges, and
// has the bits of all that have been seen. It reads its own memory only, and writes to that of the others:
//
// - bottom-up, each word of the next bitmap is written to all GPUs as it is made: n / 8 bytes of each in a level;
// - top-down, what the frontier leads to is named to its owner, 8 bytes each, once in a search; the owner takes what is
//   new, and sets its bit on all GPUs;
// - in the end, where the graph is stored in an order of its own, each sends what it has found to who has the id: 8 bytes
//   for a vertex that has edges, in the order of ids.
//
// GPUs exchange messages once in a bottom-up level, twice in one that goes top-down (once where nothing was named).
//
// Launch: cooperative, one block of 1024 threads per multiprocessor, static shared memory only. A launch of number 0 only
// has Legion place all stores; before the first search messages are zero.
#include "bfs_multi_gpu_state.cuh"

// Visits the vertices that others named in this level.
__device__ __noinline__ void visit_named(const Args& g, const Scratch& scratch, const Items& items, u32 level, const MultiGpuVisitor visitor,
                                        Slot* slot)
{
  const u32 n_warps = gridDim.x * WARPS, lane = lane_id();
  WarpQueue queue(scratch, items, slot);
  u32 found = 0;
  u64 edges = 0;
  for (u32 q = 0; q < (u32)g.parts; ++q) {
    if (q == (u32)g.part) continue;
    const u64* names = g.names + g.inbox_of(q, (u32)g.part);
    const u64 n = received[NAMED][q];
    for (u64 i = (u64)spread_warp() * 32; i < n; i += (u64)n_warps * 32) {
      u32 v = NONE, degree = 0;
      if (i + lane < n) {
        const u64 named = __ldcg(names + i + lane);
        v = (u32)named;
        if (visitor.mark(v)) {
          visitor.send_to_all(v);
          visitor.set_result(v, (u32)(named >> 32), level + 1);
          degree = visitor.graph.out_degree(v);
          found++;
          edges += degree;
        }
      }
      queue.push(degree ? v : NONE, degree);
    }
  }
  queue.close();
  add_to_slot(slot, found, edges);
}

// Words with vertices that were put off, once all of them are done.
__device__ void send_deferred(const Args& g, u32 n_deferred, u32* next)
{
  for (u64 i = global_thread(); i < n_deferred; i += grid_threads()) {
    const u32 w = load_shared_state(g.deferred + i) >> 5;
    AllBitmaps{g, next}.put(w, load_shared_state(next + w));
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) lux_bfs_parts(const __grid_constant__ Args g)
{
  if (g.number == 0) return;
  if (global_thread() == 0) laps = {nanoseconds(), {0, 0}};
  SearchControl* const control = g.control;
  const Graph graph{g.out_offsets, g.out_neighbours, g.in_offsets, g.in_neighbours, (u32)g.n_vertices, g.n_edges};
  const Search s{{g.distance, g.parent, g.by_place}, graph, g.first_neighbours};
  const Scratch scratch(g.pieces, g.seen, g.other, g.rows, g.deferred);
  const PeerExchange peers{(u32)g.part, (u32)g.parts, g.messages, g.peer, (u64)g.messages_at, &control->arrived, &control->finished, g.outcome};
  const u32 source = (u32)g.source, limit = (u32)g.limit, others = (u32)g.parts - 1;
  u32 *seen = g.seen, *other = g.other;
  u64 number = (u64)g.exchanges;

  if (g.exchanges == 0)  // the first search since the stores were placed
    find_first_neighbours(graph.in_offsets + g.first(), graph.in_neighbours, g.n_own(), DealtRanges(graph.n_vertices, (u32)g.ranges),
                          g.first_neighbours + g.first());
  if (!g.by_place) {
    fill(g.distance + g.first(), g.n_own(), -1);
    fill(g.parent + g.first(), g.n_own(), -1);
  }
  clear_seen(seen, graph, source);
  State state{};
  if (g.owner(source) == (u32)g.part) {
    start_at(graph, scratch, source, state);
    if (global_thread() == 0) control->slot[0].found = 1, control->slot[0].edges = state.frontier_edges;
  }
  state.visited = 1;
  Slot* slot = &control->slot[0];
  u32 phase = 1;
  bool in_bitmap = false;  // the frontier is `seen` less `other`, not queued
  const auto say = [&](u32 q, u64* word) {
    u64 names = 0;
    for (u32 k = 0; k < (u32)g.parts; ++k) names += __ldcg(control->named + k);
    word[NAMED] = __ldcg(control->named + q), word[NAMED_IN_ALL] = names;
    word[FOUND] = __ldcg(&slot->found), word[EDGES] = __ldcg(&slot->edges);
  };
  all_here(&control->arrived);
  if (global_thread() == 0 && g.owner(source) == (u32)g.part) s.set_result(source, source, 0);
  lap(WORKING);
  if (!exchange(peers, ++number, received, say)) return;
  lap(others ? EXCHANGING : WORKING);

  u64 bytes = 0;
  while (true) {
    state.frontier = received_in_all(g, FOUND);
    state.frontier_edges = received_in_all(g, EDGES);
    if (state.level) state.visited += state.frontier;
    const u64 own_frontier = received[FOUND][g.part], own_edges = received[EDGES][g.part];
    if (state.frontier_edges == 0 || state.level >= limit) break;
    const LevelClock clock = start_level();
    const bool pull = pulls(state, graph);
    if (in_bitmap && !pull) {
      slot = next_slot(control->slot, phase);
      state.items.advance();
      queue_bits(graph, scratch, state.items, seen, other, g.first_word(), g.n_words(), slot);
      grid_barrier(&control->arrived);
      state.items.take(slot);
      in_bitmap = false;
    }
    slot = next_slot(control->slot, phase);
    state.explored += state.frontier_edges;
    bytes = 0;
    if (pull) {
      pull_level(s, UnvisitedRange{g.first_word(), g.n_words(), seen}, scratch.deferred, state.level, AllBitmaps{g, other}, slot);
      all_here(&control->arrived);
      const u32 n_deferred = load_shared_state(&slot->deferred);
      if (n_deferred) {
        pull_deferred(s, scratch.deferred, n_deferred, state.level, seen, other, slot);
        grid_barrier(&control->arrived);
        send_deferred(g, n_deferred, other);
        all_here(&control->arrived);
      }
      bytes = 4ull * others * (g.n_words() + n_deferred);
      lap(WORKING);
      if (!exchange(peers, ++number, received, say)) return;
      u32* t = seen;
      seen = other;
      other = t;
      in_bitmap = true;
    } else {
      const MultiGpuVisitor visitor(s, g, seen);
      push_level(graph, scratch, state.items, state.level, visitor, slot);
      all_here(&control->arrived);
      lap(WORKING);
      if (!exchange(peers, ++number, received, say)) return;
      if (received_in_all(g, NAMED_IN_ALL)) {
        lap(EXCHANGING);
        bytes = 8 * received[NAMED_IN_ALL][g.part];
        visit_named(g, scratch, state.items, state.level, visitor, slot);
        if (blockIdx.x == 0 && threadIdx.x < (u32)g.parts) control->named[threadIdx.x] = 0;
        all_here(&control->arrived);
        lap(WORKING);
        if (!exchange(peers, ++number, received, say)) return;
      }
      bytes += 4ull * others * received[FOUND][g.part];
      state.items.advance();
      state.items.take(slot);
    }
    lap(others ? EXCHANGING : WORKING);
    if (global_thread() == 0 && state.level < (u64)g.noted)
      note_level(g.notes + (u64)state.level * LEVEL_COLUMNS, pull ? PULLED : PUSHED, own_frontier, own_edges, clock, bytes);
    state.level++;
  }
  const u64 more = state.frontier > 0, searched = nanoseconds();
  if (more && global_thread() == 0 && state.level < (u64)g.noted) {
    const LevelClock none{searched - 1, laps.spent[WORKING], laps.spent[EXCHANGING]};
    note_level(g.notes + (u64)state.level * LEVEL_COLUMNS, PUSHED, received[FOUND][g.part], received[EDGES][g.part], none, 0);
  }
  u64 ordered = 0;
  if (g.by_place) {
    const auto look = [&](u32 place) { return has_bit(seen, place) ? __ldcg(g.by_place + place) : UNREACHED; };
    ordered = send_all(g, (u32)g.part, (u32)g.parts, look);
    all_here(&control->arrived);
    lap(WORKING);
    if (!exchange(peers, ++number, received, say)) return;
    lap(others ? EXCHANGING : WORKING);
    take_all(g, (u32)g.parts, nullptr);
  }
  grid_barrier(&control->arrived);
  lap(WORKING);
  if (global_thread() == 0) report_search(g.outcome, state.level + more, number, 0, state.frontier, ordered);
}
