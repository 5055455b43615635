// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Breadth-first search from one source with parents, direction-optimising (Beamer, Asanović and Patterson,
// "Direction-optimizing breadth-first search", SC 2012), as one persistent cooperative kernel.
//
// Launch: cooperative, one block of 1024 threads per multiprocessor, static shared memory only.
#include "levels.cuh"

// A step pulls when frontier edges * PULL_ALPHA > unexplored edges + vertices * PULL_PER_VERTEX.
#ifndef PULL_ALPHA
#define PULL_ALPHA 40
#endif
#ifndef PULL_PER_VERTEX
#define PULL_PER_VERTEX 1
#endif

// Where the graph is stored in an order of its own, what is found is noted by place and put into the order of the ids in
// the end: two arrays written vertex by vertex there would cost more than the search.
struct Search {
  Graph graph;
  i32* distance;
  i32* parent;
  u64* found;  // by place: level << 32 | the parent's place; or null

  __device__ __forceinline__ void settle(u32 v, u32 from, u32 level) const
  {
    if (found) found[v] = (u64)level << 32 | from;
    else distance[v] = (i32)level, parent[v] = (i32)from;
  }
};

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
  constexpr int AHEAD = 4;
  const u32 n = s.graph.n_vertices, some = first_without_edges(s.graph);
  for (u64 first = global_thread(); first < n; first += AHEAD * grid_threads()) {
    u32 place[AHEAD];
    u64 found[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) place[k] = first + k * grid_threads() < n ? __ldcs(places + first + k * grid_threads()) : n;
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) found[k] = place[k] < some || place[k] == source ? __ldcg(s.found + place[k]) : ~0ull;
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const u64 v = first + k * grid_threads();
      if (v >= n) continue;
      s.distance[v] = (i32)(found[k] >> 32);
      s.parent[v] = found[k] == ~0ull ? -1 : (i32)__ldg(vertices + (u32)found[k]);
    }
  }
}

struct Tree : Search {
  static constexpr bool ORDERED = false;
  u32* seen;

  __device__ __forceinline__ Tree(const Search& search, u32* bitmap) : Search(search), seen(bitmap) {}
  __device__ __forceinline__ bool may_claim(u32 v, u32) const { return !has_bit(seen, v); }
  __device__ __forceinline__ bool claim(u32 v, u32, u32) const
  {
    const u32 bit = 1u << (v & 31);
    return !(atomicOr(seen + (v >> 5), bit) & bit);
  }
  __device__ __forceinline__ void begin_level(u32, const Items&, bool) const {}
};

// Every in-neighbour that an unseen vertex has among the seen is on the frontier, so one bitmap serves as both:
// `seen` is read, `next` receives seen and found. Vertices without any edge are marked seen without being found.
__device__ __noinline__ void pull_level(const Search& s, const Scratch& scratch, u32 level, const u32* seen, u32* next, Slot* slot)
{
  const Graph& g = s.graph;
  const u32 lane = lane_id();
  const u32 n_warps = gridDim.x * WARPS;
  const u32 n_words = g.n_words();
  unsigned short* list = shared.grid.list[warp_id()];
  unsigned char* mark = shared.grid.mark[warp_id()];
  u32 chunk = CHUNK_WORDS;
  while (chunk > 1 && n_words < chunk * n_warps) chunk >>= 1;
  u32 found = 0;
  u64 edges = 0;
  for (u32 at = spread_warp() * chunk; at < n_words; at += n_warps * chunk) {
    const bool mine = lane < chunk && at + lane < n_words;
    const u32 old = mine ? seen[at + lane] : ~0u;
    u32 total = list_bits(~old, chunk, list);
    if (total == 0) {
      if (mine) next[at + lane] = old;
      continue;
    }
    reinterpret_cast<u64*>(mark)[lane] = 0;
    __syncwarp();
    const u32 base = at * 32;
    auto settle = [&](u32 x, u32 from, u32 in_degree) {
      s.settle(base + x, from, level + 1);
      mark[x] = 1;
      found++;
      edges += g.symmetric() ? in_degree : g.out_degree(base + x);
    };

    // The first neighbour of each.
    u32 kept = 0;
    for (u32 i = 0; i < total; i += 32 * PULL_UNROLL) {
      u32 x[PULL_UNROLL], degree[PULL_UNROLL], from[PULL_UNROLL];
      i64 begin[PULL_UNROLL];
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) {
        const u32 j = i + k * 32 + lane;
        x[k] = j < total ? list[j] : NONE;
        degree[k] = 0;
        if (x[k] != NONE) {
          begin[k] = __ldg(g.in_offsets + base + x[k]);
          degree[k] = (u32)(__ldg(g.in_offsets + base + x[k] + 1) - begin[k]);
        }
      }
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) from[k] = degree[k] ? __ldg(g.in_neighbours + begin[k]) : NONE;
      bool hit[PULL_UNROLL];
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) hit[k] = from[k] != NONE && has_bit(seen, from[k]);
      __syncwarp();
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) {
        if (hit[k]) settle(x[k], from[k], degree[k]);
        else if (x[k] != NONE && degree[k] == 0 && (g.symmetric() || g.out_degree(base + x[k]) == 0)) mark[x[k]] = 1;
        kept = keep(list, kept, x[k], !hit[k] && degree[k] > 1);
      }
      __syncwarp();
    }

    // The next LANE_EDGES by one lane each.
    total = kept;
    kept = 0;
    for (u32 i = 0; i < total; i += 32) {
      const u32 x = i + lane < total ? list[i + lane] : NONE;
      __syncwarp();
      bool more = false;
      if (x != NONE) {
        const i64 begin = __ldg(g.in_offsets + base + x), end = __ldg(g.in_offsets + base + x + 1);
        const i64 stop = min(end, begin + 1 + LANE_EDGES);
        u32 from = NONE;
        for (i64 e = begin + 1; e < stop && from == NONE; e += 4) {
          u32 n[4];
          #pragma unroll
          for (int k = 0; k < 4; k++) n[k] = __ldg(g.in_neighbours + min(e + k, stop - 1));
          #pragma unroll
          for (int k = 3; k >= 0; k--)
            if (has_bit(seen, n[k])) from = n[k];
        }
        if (from != NONE) settle(x, from, (u32)(end - begin));
        more = from == NONE && stop < end;
      }
      __syncwarp();
      kept = keep(list, kept, x, more);
    }
    __syncwarp();

    // Longer rows by the warp; what is longer still waits for the whole grid.
    for (u32 i = 0; i < kept; i++) {
      const u32 x = list[i];
      const i64 begin = __ldg(g.in_offsets + base + x), end = __ldg(g.in_offsets + base + x + 1);
      const i64 stop = min(end, begin + DEFER_EDGES);
      const u32 from = search_row(g.in_neighbours, begin + 1 + LANE_EDGES, stop, seen);
      if (from != NONE) {
        if (lane == 0) settle(x, from, (u32)(end - begin));
      } else if (stop < end && lane == 0) {
        scratch.deferred[atomicAdd(&slot->deferred, 1u)] = base + x;
      }
    }
    __syncwarp();
    u32 now = old;
    for (u32 w = 0; w < chunk; w++) {
      const u32 word = __ballot_sync(ALL_LANES, mark[w * 32 + lane] != 0);
      if (lane == w) now |= word;
    }
    if (mine) next[at + lane] = now;
    __syncwarp();
  }
  add_to_slot(slot, found, edges);
}

// The rest of the rows that pull_level deferred: parts of each row by different warps.
__device__ __noinline__ void pull_deferred(const Search& s, const Scratch& scratch, u32 n_deferred, u32 level, const u32* seen, u32* next,
                              Slot* slot)
{
  const Graph& g = s.graph;
  const u32 n_warps = gridDim.x * WARPS;
  const u32 parts = max(16u, n_warps / n_deferred);
  u32 found = 0;
  u64 edges = 0;
  for (u64 i = spread_warp(); i < (u64)n_deferred * parts; i += n_warps) {
    const u32 v = load_shared_state(scratch.deferred + i / parts);
    const u32 bit = 1u << (v & 31);
    if (__any_sync(ALL_LANES, load_shared_state(next + (v >> 5)) & bit)) continue;
    const i64 begin = g.in_offsets[v] + DEFER_EDGES, end = g.in_offsets[v + 1];
    const i64 part = ((end - begin + parts - 1) / parts + 127) & ~(i64)127;
    const i64 e = begin + (i64)(i % parts) * part;
    if (e >= end) continue;
    const u32 from = search_row(g.in_neighbours, e, min(end, e + part), seen);
    if (from != NONE && lane_id() == 0 && !(atomicOr(next + (v >> 5), bit) & bit)) {
      s.settle(v, from, level + 1);
      found++;
      edges += g.out_degree(v);
    }
  }
  add_to_slot(slot, found, edges);
}

// control: CONTROL_WORDS zeroed 8-byte words (see levels.cuh; the results stay there).
// scratch: scratch_bytes(n_vertices, n_edges) of levels.cuh, 256-byte aligned, any contents.
// stats: stats_rows rows of 4 words (see `record`).
// vertices: dense id of the vertex at each place, places the reverse, found 8 bytes for each; all null where places are ids.
// A row must have fewer than 2^32 edges. distance, parent and found are 16-byte aligned.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_bfs(const i64* __restrict__ out_offsets, const u32* __restrict__ out_neighbours, const i64* __restrict__ in_offsets,
        const u32* __restrict__ in_neighbours, const u32* __restrict__ vertices, const u32* __restrict__ places, u32 n_vertices,
        i64 n_edges, u32 source, u32 limit, i32* distance, i32* parent, u64* found, u64* control_words, void* scratch_bytes_,
        i64* stats, u32 stats_rows)
{
  Control* control = reinterpret_cast<Control*>(control_words);
  const Search s{{out_offsets, out_neighbours, in_offsets, in_neighbours, n_vertices, n_edges}, distance, parent, found};
  const Graph& g = s.graph;
  const Scratch scratch(scratch_bytes_, n_vertices, n_edges);
  const i64 start = clock64();
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
  if (blockIdx.x == 0 && threadIdx.x == 0) s.settle(source, source, 0);

  while (state.frontier_edges > 0 && state.level < limit) {
    if (state.frontier_edges <= LONE_EDGES && !in_bitmap) {
      if (blockIdx.x == 0) {
        run_alone(g, scratch, limit, Tree(s, seen), state, stats, stats_rows, start);
        if (threadIdx.x == 0) control->handed = state;
      }
      grid_barrier(&control->barrier);
      state.load(&control->handed);
      continue;
    }
    const bool pull = state.frontier_edges * PULL_ALPHA > (u64)n_edges - state.explored + (u64)n_vertices * PULL_PER_VERTEX;
    Slot* slot = &control->slot[phase % 3];
    clear_slot(&control->slot[(phase + 1) % 3]);
    phase++;
    if (in_bitmap && !pull) {
      state.items.advance();
      queue_bits(g, scratch, state.items, seen, other, slot);
      grid_barrier(&control->barrier);
      state.items.take(slot);
      in_bitmap = false;
      continue;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0 && state.level < stats_rows)
      record(stats, state.level, pull ? PULL : PUSH, state.frontier, state.frontier_edges, start);
    state.explored += state.frontier_edges;
    if (pull) {
      pull_level(s, scratch, state.level, seen, other, slot);
      grid_barrier(&control->barrier);
      state.take(slot);
      const u32 n_deferred = load_shared_state(&slot->deferred);
      if (n_deferred) {
        slot = &control->slot[phase % 3];
        clear_slot(&control->slot[(phase + 1) % 3]);
        phase++;
        pull_deferred(s, scratch, n_deferred, state.level, seen, other, slot);
        grid_barrier(&control->barrier);
        state.add(slot);
      }
      u32* t = seen;
      seen = other;
      other = t;
      in_bitmap = true;
    } else {
      push_level(g, scratch, state.items, state.level, Tree(s, seen), slot);
      grid_barrier(&control->barrier);
      state.take(slot);
      state.items.advance();
      state.items.take(slot);
    }
    state.visited += state.frontier;
    state.level++;
  }

  if (found) {
    grid_barrier(&control->barrier);
    in_order_of_ids(s, vertices, places, source);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const u32 more = state.frontier > 0;
    if (more && state.level < stats_rows) record(stats, state.level, LAST, state.frontier, state.frontier_edges, start);
    control->levels = state.level + more;
    control->visited = state.visited;
    control->clocks = clock64() - start;
  }
}
