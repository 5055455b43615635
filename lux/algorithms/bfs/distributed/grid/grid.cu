// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Breadth-first search by a grid of processors, each a GPU: the engines two-dimensional (HYBRID 0; Bisson, Bernaschi and
// Mastrostefano, 2014) and hybrid (HYBRID 1; Ueno et al., 2017). One launch is a whole search: GPUs meet between the
// phases of a level, and read each other's memory.
//
// A level expands the frontier along the grid column, visits what its edges lead to (or looks for parents, bottom-up),
// and folds along the grid row. With one processor nothing is exchanged.
//
// Launch: cooperative, blocks of THREADS threads, static shared memory only. A launch of number 0 only makes ready where
// GPUs meet; the number of meetings grows from search to search.
#include "grid_fold.cuh"
#include "grid_push.cuh"
#if HYBRID
#include "direction.cuh"
#include "grid_pull.cuh"
#endif

// Nothing has been reached but the source.
__device__ void begin(const Args& g)
{
  const u32 words = g.words();
  const u64 all = (u64)g.columns * words;
  for (u64 w = global_thread(); w < all; w += grid_threads()) g.visited[w] = g.sent[w] = 0;
  for (u64 w = global_thread(); w < words; w += grid_threads()) g.front[w] = 0;
#if HYBRID
  for (u64 r = global_thread(); r < (u64)g.stride; r += grid_threads()) g.levels[r] = NO_LEVEL;
  for (u64 i = global_thread(); i < (u64)g.n_own; i += grid_threads()) g.results().set_result((u32)i, NONE, (u32)NO_LEVEL);
#else
  for (u64 r = global_thread(); r < (u64)g.n_own; r += grid_threads()) {
    g.levels[r] = NO_LEVEL;
    if (g.columns == 1) g.preds[r] = NONE;
  }
#endif
  grid_barrier(&g.control->arrived);
  if (g.source < g.first || g.source >= g.first + g.n_own) return;
  auto set = [&](u32 r) {
    const u32 bit = 1u << (r & 31u);
    g.own(g.visited)[r >> 5] = g.own(g.sent)[r >> 5] = g.front[r >> 5] = bit;
    g.front_lists[0] = r;
    g.control->listed[0] = 1;
    g.preds[g.column * g.stride + r] = (u32)g.source;
    u64 edges = 0;
    set_level(g, r, 0, (u32)g.column, edges);
    g.control->edges[0] = edges;
  };
  if (global_thread() == 0) g.control->active[0] = 1;
#if HYBRID
  // It may have no edges, and no local id.
  if (global_thread() == 0) g.results().set_result((u32)(g.source - g.first), (u32)g.source, 0);
  const u32* names = g.names + g.row * g.stride;
  for (u64 r = global_thread(); r < (u64)g.stride; r += grid_threads())
    if (__ldg(names + r) == (u32)g.source) set((u32)r);
#else
  if (global_thread() == 0) set((u32)(g.source - g.first));
#endif
}

// Clears the counters of the level after `level`, which are not read any more.
__device__ __forceinline__ void clear_next_level(const Args& g, u32 level)
{
  if (blockIdx.x) return;
  const u32 copy = (level + 1) & 1u;
  if (threadIdx.x < MOST_PROCESSORS) g.control->folded[threadIdx.x] = 0;
  if (threadIdx.x == 0) g.control->active[copy] = g.control->edges[copy] = g.control->listed[copy] = 0;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) lux_grid(const __grid_constant__ Args g)
{
  if (g.number == 0) return;  // the launch places stores
  Control* control = g.control;
  if (global_thread() == 0) laps = {nanoseconds(), {0, 0}};
  u64 epoch = (u64)g.exchanges, active = 0, edges = 0;
  u32 level = 0, model = PUSH;
#if HYBRID
  u64 unreached = (u64)g.n_edges, before = 0;
  u32 rotation = 0;
#endif
  begin(g);
  if (!all_gpus_barrier(g, epoch)) return;
  lap(WORKING);
  for (;; ++level) {
    const LevelClock clock = start_level();
    const u32 copy = level & 1u;
    read_totals(g, copy, active, edges);
    if (active == 0 || level >= (u64)g.limit) break;
    clear_next_level(g, level);
    u64 bytes = 0, own_edges = 0;
    const u32* front = gather_front(g, copy, bytes);
    lap(g.rows > 1 ? EXCHANGING : WORKING);
#if HYBRID
    unreached -= edges;
    const bool pulls =
        by_unreached(model == PULL, active, edges, before, unreached, (u64)g.n_vertices, PULL_ABOVE, PUSH_BELOW);
    model = pulls && !g.directed ? PULL : PUSH;
    before = active;
    own_edges = __ldcg(&control->edges[copy]);
    if (model == PULL) {
      if (!pull(g, front, rotation, epoch, bytes)) return;
    } else
#endif
    {
      enqueue(g, front);
      grid_barrier(&control->arrived);
      if (!HYBRID) own_edges = __ldcg(&control->queued) & (ONE_VERTEX - 1);
      visit(g);
      grid_barrier(&control->arrived);
    }
    fold_send(g, level + 1);
    lap(WORKING);
    if (!all_gpus_barrier(g, epoch)) return;
    if (g.columns > 1) {
      fold_receive(g, level + 1, bytes);
      if (!all_gpus_barrier(g, epoch)) return;
    }
    lap(g.parts > 1 ? EXCHANGING : WORKING);
    if (global_thread() == 0 && level < (u64)g.noted)
      note_level(g.notes + (u64)level * LEVEL_COLUMNS, model, __ldcg(&control->active[copy]), own_edges, clock, bytes);
  }
  lap(WORKING);
  collect_parents(g);
  grid_barrier(&control->arrived);
  lap(g.columns > 1 ? EXCHANGING : WORKING);
  u64 ordered = 0;
  if (g.by_place) {
    if (g.parts > 1) {
      ordered = send_all(g, (u32)g.part, (u32)g.parts, [&](u32 place) { return __ldcg(g.by_place + (place - (u32)g.first)); });
      lap(WORKING);
      if (!all_gpus_barrier(g, epoch)) return;
      lap(EXCHANGING);
    }
    take_all(g, (u32)g.parts, g.by_place);
    grid_barrier(&control->arrived);
    lap(WORKING);
  }
  if (global_thread() == 0) report_search(g.outcome, level, epoch, 4 * __ldcg(&control->fetched), active, ordered);
}
