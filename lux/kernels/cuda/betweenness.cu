// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Betweenness centrality's share of one source, without weights (Brandes, "A faster algorithm for betweenness
// centrality", 2001): a forward sweep by levels that counts shortest paths, and a backward sweep that sums
// dependencies, as one persistent cooperative kernel.
//
// Launch: cooperative, one block of 1024 threads per multiprocessor, static shared memory only.
#include "levels.cuh"

// A step pulls when frontier edges * PULL_ALPHA > unexplored edges + vertices * PULL_PER_VERTEX.
#ifndef PULL_ALPHA
#define PULL_ALPHA 4
#endif
#ifndef PULL_PER_VERTEX
#define PULL_PER_VERTEX 1
#endif

constexpr u32 FAR = 254;           // what `near` has at this depth and deeper; 255 where unreached
constexpr u32 WAIT_EDGES = 128;     // in a pulling step, rows with as many edges are left to pull_pieces
constexpr u32 SMALL = 0x80000000u; // in Bound: a level that one block takes alone

// Where a level's queue items begin; they end where the next level's begin.
struct Bound {
  u32 row;
  u32 piece;  // with SMALL
};

struct Paths {
  i32* depth;           // -1 where unreached
  unsigned char* near;  // min(depth, FAR)
  double* sigma;        // shortest paths from the source
  double* factor;       // (1 + dependency) / sigma, once a vertex's level has been swept backward; 0 before
  Bound* bounds;        // of each level, and of the end
};

// Scratch beyond scratch_bytes(n_vertices, n_edges) of levels.cuh, each part rounded up to 256 bytes:
//   sigma, factor  8 * n_vertices each
//   bounds         8 * (n_vertices + 1)
//   depth          4 * n_vertices
//   near           n_vertices
//   waiting        8 * (n_edges / 128 + 1)   pieces of rows that wait for the whole grid
struct PathScratch : Scratch {
  Paths paths;
  u64* waiting;

  __device__ __forceinline__ PathScratch(void* base, u64 n_vertices, u64 n_edges) : Scratch(base, n_vertices, n_edges)
  {
    char* at = static_cast<char*>(base) + scratch_bytes(n_vertices, n_edges);
    paths.sigma = reinterpret_cast<double*>(at);
    at += rounded(8 * n_vertices);
    paths.factor = reinterpret_cast<double*>(at);
    at += rounded(8 * n_vertices);
    paths.bounds = reinterpret_cast<Bound*>(at);
    at += rounded(8 * (n_vertices + 1));
    paths.depth = reinterpret_cast<i32*>(at);
    at += rounded(4 * n_vertices);
    paths.near = reinterpret_cast<unsigned char*>(at);
    at += rounded(n_vertices);
    waiting = reinterpret_cast<u64*>(at);
  }
};

struct Counting {
  static constexpr bool ORDERED = true;
  Paths paths;
  u32* seen;

  __device__ __forceinline__ bool may_claim(u32 v, u32 level) const
  {
    const i32 depth = paths.depth[v];
    return depth < 0 || depth > (i32)level;
  }
  __device__ __forceinline__ bool claim(u32 v, u32 from, u32 level) const
  {
    const i32 before = atomicCAS(paths.depth + v, -1, (i32)level + 1);
    if (before >= 0 && before <= (i32)level) return false;
    atomicAdd(paths.sigma + v, load_shared_state(paths.sigma + from));
    return before < 0;
  }
  __device__ __forceinline__ void settle(u32 v, u32, u32 level) const
  {
    atomicOr(seen + (v >> 5), 1u << (v & 31));
    paths.near[v] = (unsigned char)min(level, FAR);
  }
  __device__ __forceinline__ void begin_level(u32 level, const Items& items, bool small) const
  {
    paths.bounds[level] = {items.row_begin, items.piece_begin | (small ? SMALL : 0u)};
  }
};

// In-neighbours on the frontier: all that an unseen vertex has among the seen.
struct FrontierPaths {
  const u32* seen;
  const double* sigma;
  __device__ __forceinline__ bool wanted(u32 u) const { return has_bit(seen, u); }
  __device__ __forceinline__ double value(u32 u) const { return sigma[u]; }
};

// Out-neighbours one level deeper.
struct NearFactors {
  const unsigned char* near;
  const double* factor;
  u32 depth;
  __device__ __forceinline__ bool wanted(u32 u) const { return near[u] == depth; }
  __device__ __forceinline__ double value(u32 u) const { return factor[u]; }
};
struct FarFactors {
  const i32* depth_of;
  const double* factor;
  u32 depth;
  __device__ __forceinline__ bool wanted(u32 u) const { return depth_of[u] == (i32)depth; }
  __device__ __forceinline__ double value(u32 u) const { return factor[u]; }
};

// The sum of a term's values over each lane's row, for the first `batch` lanes (a power of two). Rows of similar
// length are best: groups of lanes share each row, as many as the longest needs.
template <class Term>
__device__ __forceinline__ double row_sums(const u32* __restrict__ neighbours, i64 begin, u32 degree, u32 batch, const Term& term)
{
  const u32 lane = lane_id();
  const u32 longest = __reduce_max_sync(ALL_LANES, degree);
  if (longest == 0) return 0;
  u32 group = 32 / batch;
  while (group < 32 && longest > group * 8) group <<= 1;
  const u32 per_round = 32 / group;
  double mine = 0;
  for (u32 r = 0; r < batch; r += per_round) {
    const u32 owner = r + lane / group;
    const u32* row = neighbours + __shfl_sync(ALL_LANES, begin, owner);
    const u32 n = __shfl_sync(ALL_LANES, degree, owner);
    double sum = 0;
    for (u32 e = lane & (group - 1); e < n; e += 4 * group) {
      u32 to[4];
      bool hit[4];
      double x[4];
      #pragma unroll
      for (int k = 0; k < 4; k++) to[k] = __ldg(row + min(e + k * group, n - 1));
      #pragma unroll
      for (int k = 0; k < 4; k++) hit[k] = e + k * group < n && term.wanted(to[k]);
      #pragma unroll
      for (int k = 0; k < 4; k++) x[k] = hit[k] ? term.value(to[k]) : 0.0;
      sum += (x[0] + x[1]) + (x[2] + x[3]);
    }
    for (u32 d = group / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(ALL_LANES, sum, d);
    const double got = __shfl_sync(ALL_LANES, sum, ((lane - r) * group) & 31);
    if (lane - r < per_round) mine = got;
  }
  return mine;
}

// Counts the shortest paths to every unseen vertex by its in-neighbours: `seen` is read, `next` receives seen and
// found. Long rows are left, in pieces, to pull_pieces. Vertices without any edge are marked seen without being found.
__device__ __noinline__ void pull_level(const Graph& g, const PathScratch& scratch, const Items& items, u32 level, const u32* seen,
                                        u32* next, Slot* slot)
{
  const Paths& paths = scratch.paths;
  const u32 lane = lane_id();
  const u32 n_warps = gridDim.x * WARPS;
  const u32 n_words = g.n_words();
  unsigned short* list = shared.grid.list[warp_id()];
  unsigned char* mark = shared.grid.mark[warp_id()];
  u32 chunk = CHUNK_WORDS;
  while (chunk > 1 && n_words < 8 * chunk * n_warps) chunk >>= 1;
  const FrontierPaths term{seen, paths.sigma};
  WarpQueue queue(scratch, items, slot);
  u32 found = 0;
  u64 edges = 0;
  for (u32 at = spread_warp() * chunk; at < n_words; at += n_warps * chunk) {
    const bool mine = lane < chunk && at + lane < n_words;
    const u32 old = mine ? seen[at + lane] : ~0u;
    const u32 total = list_bits(~old, chunk, list);
    if (total == 0) {
      if (mine) next[at + lane] = old;
      continue;
    }
    reinterpret_cast<u64*>(mark)[lane] = 0;
    __syncwarp();
    for (u32 i = 0; i < total; i += 32) {
      const u32 x = i + lane < total ? list[i + lane] : NONE;
      const u32 v = at * 32 + x;
      i64 begin = 0;
      u32 degree = 0;
      if (x != NONE) {
        begin = __ldg(g.in_offsets + v);
        degree = (u32)(__ldg(g.in_offsets + v + 1) - begin);
        if (degree == 0 && (g.symmetric() || g.out_degree(v) == 0)) mark[x] = 1;
      }
      const bool is_long = degree >= WAIT_EDGES;
      append_pieces(is_long ? v : NONE, degree, scratch.waiting, &slot->deferred);
      const double sum = row_sums(g.in_neighbours, begin, is_long ? 0 : degree, 32, term);
      const bool hit = sum > 0;
      u32 d = 0;
      if (hit) {
        mark[x] = 1;
        paths.sigma[v] = sum;
        paths.depth[v] = (i32)level + 1;
        paths.near[v] = (unsigned char)min(level + 1, FAR);
        d = g.symmetric() ? degree : g.out_degree(v);
        found++;
        edges += d;
      }
      queue.push(hit ? v : NONE, d);
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
  queue.close();
  add_to_slot(slot, found, edges);
}

// Adds the pieces that pull_level left to their vertices' sigma.
__device__ __noinline__ void pull_pieces(const Graph& g, const PathScratch& scratch, u32 n, const u32* seen)
{
  const FrontierPaths term{seen, scratch.paths.sigma};
  for (u32 i = spread_warp(); i < n; i += gridDim.x * WARPS) {
    const u64 piece = load_shared_state(scratch.waiting + i);
    const u32 v = (u32)piece;
    const i64 begin = __ldg(g.in_offsets + v) + (i64)(piece >> 32) * PIECE_EDGES;
    const u32 degree = (u32)min(__ldg(g.in_offsets + v + 1) - begin, (i64)PIECE_EDGES);
    const double sum = row_sums(g.in_neighbours, begin, degree, 1, term);
    if (lane_id() == 0 && sum > 0) atomicAdd(scratch.paths.sigma + v, sum);
  }
}

// Settles the vertices of these pieces that have got a path.
__device__ __noinline__ void settle_pieces(const Graph& g, const PathScratch& scratch, const Items& items, u32 n, u32 level,
                                           u32* next, Slot* slot)
{
  const Paths& paths = scratch.paths;
  WarpQueue queue(scratch, items, slot);
  u32 found = 0;
  u64 edges = 0;
  for (u64 i = (u64)spread_warp() * 32; i < n; i += (u64)gridDim.x * WARPS * 32) {
    u32 v = NONE, degree = 0;
    if (i + lane_id() < n) {
      const u64 piece = load_shared_state(scratch.waiting + i + lane_id());
      if (piece >> 32 == 0 && load_shared_state(paths.sigma + (u32)piece) > 0) v = (u32)piece;
    }
    if (v != NONE) {
      atomicOr(next + (v >> 5), 1u << (v & 31));
      paths.depth[v] = (i32)level + 1;
      paths.near[v] = (unsigned char)min(level + 1, FAR);
      degree = g.out_degree(v);
      found++;
      edges += degree;
    }
    queue.push(v, degree);
  }
  queue.close();
  add_to_slot(slot, found, edges);
}

// ---- backward

struct Share {
  double* centrality;
  double scale;
  bool endpoints;

  // A vertex's dependency from the sum of its deeper neighbours' factors.
  __device__ __forceinline__ void settle(const Paths& paths, u32 v, double sum) const
  {
    const double sigma = paths.sigma[v], dependency = sigma * sum;
    paths.factor[v] = (1 + dependency) / sigma;
    const double share = scale * (dependency + (endpoints ? 1.0 : 0.0));
    if (share != 0) centrality[v] += share;
  }
};

// The short rows of a level; the pieces of its long rows add to their vertices' factors.
template <class Term>
__device__ __forceinline__ void sweep_back(const Graph& g, const PathScratch& scratch, const Items& items, const Term& term,
                                           const Share& share, u32 warp, u32 n_warps)
{
  const Paths& paths = scratch.paths;
  const u32 lane = lane_id();
  for (u32 i = warp; i < items.n_pieces; i += n_warps) {
    const u64 piece = scratch.pieces[items.piece_begin + i];
    const u32 v = (u32)piece;
    const i64 begin = __ldg(g.out_offsets + v) + (i64)(piece >> 32) * PIECE_EDGES;
    const u32 degree = (u32)min(__ldg(g.out_offsets + v + 1) - begin, (i64)PIECE_EDGES);
    const double sum = row_sums(g.out_neighbours, begin, degree, 1, term);
    if (lane == 0 && sum > 0) atomicAdd(paths.factor + v, sum);
  }
  u32 batch = 32;
  while (batch > 1 && items.n_rows < batch * n_warps) batch >>= 1;
  for (u64 i = (u64)warp * batch; i < items.n_rows; i += (u64)n_warps * batch) {
    u32 v = NONE, degree = 0;
    i64 begin = 0;
    if (lane < batch && i + lane < items.n_rows) {
      v = scratch.rows[items.row_begin + i + lane];
      begin = __ldg(g.out_offsets + v);
      degree = (u32)(__ldg(g.out_offsets + v + 1) - begin);
    }
    const double sum = row_sums(g.out_neighbours, begin, degree, batch, term);
    if (v != NONE) share.settle(paths, v, sum);
  }
}

__device__ __noinline__ void sweep_rows(const Graph& g, const PathScratch& scratch, const Items& items, u32 level,
                                        const Share& share, u32 warp, u32 n_warps)
{
  const Paths& paths = scratch.paths;
  if (level + 1 < FAR) sweep_back(g, scratch, items, NearFactors{paths.near, paths.factor, level + 1}, share, warp, n_warps);
  else sweep_back(g, scratch, items, FarFactors{paths.depth, paths.factor, level + 1}, share, warp, n_warps);
}

__device__ __forceinline__ void settle_long(const PathScratch& scratch, const Items& items, const Share& share, u64 thread,
                                            u64 n_threads)
{
  for (u64 i = thread; i < items.n_pieces; i += n_threads) {
    const u64 piece = scratch.pieces[items.piece_begin + i];
    if (piece >> 32 == 0) share.settle(scratch.paths, (u32)piece, load_shared_state(scratch.paths.factor + (u32)piece));
  }
}

__device__ __forceinline__ void record_return(i64* stats, u32 level, i64 start)
{
  stats[(u64)level * 4 + 3] += (clock64() - start) << 32;
}

// The queue items of a level, and whether it is small.
__device__ __forceinline__ Items level_items(const Bound* bounds, u32 level, bool& small)
{
  const u32 row = load_shared_state(&bounds[level].row), piece = load_shared_state(&bounds[level].piece);
  small = piece & SMALL;
  return {row, load_shared_state(&bounds[level + 1].row) - row, piece & ~SMALL,
          (load_shared_state(&bounds[level + 1].piece) & ~SMALL) - (piece & ~SMALL)};
}

// Adds scale * the dependencies of one source to centrality (by place): to every vertex but the source. With
// `endpoints`, paths count for their two ends as well.
// control: CONTROL_WORDS zeroed 8-byte words (see levels.cuh; the results stay there).
// scratch: see PathScratch; 256-byte aligned, any contents.
// stats: stats_rows rows of 4 words (see `record`); the last word's upper half has the clocks when the level's backward
// sweep began.
// A row must have fewer than 2^32 edges.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_betweenness(const i64* __restrict__ out_offsets, const u32* __restrict__ out_neighbours, const i64* __restrict__ in_offsets,
                const u32* __restrict__ in_neighbours, u32 n_vertices, i64 n_edges, u32 source, double scale, u32 endpoints,
                double* centrality, u64* control_words, void* scratch_base, i64* stats, u32 stats_rows)
{
  Control* control = reinterpret_cast<Control*>(control_words);
  const Graph g{out_offsets, out_neighbours, in_offsets, in_neighbours, n_vertices, n_edges};
  const PathScratch scratch(scratch_base, n_vertices, n_edges);
  const Paths& paths = scratch.paths;
  const i64 start = clock64();
  u32 *seen = scratch.bitmap[0], *other = scratch.bitmap[1];

  fill(paths.depth, n_vertices, -1);
  fill(reinterpret_cast<i32*>(paths.near), (rounded(n_vertices)) / 4, -1);
  fill(reinterpret_cast<i32*>(paths.sigma), 2 * (u64)n_vertices, 0);
  fill(reinterpret_cast<i32*>(paths.factor), 2 * (u64)n_vertices, 0);
  clear_seen(seen, g, source);
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
  if (state.frontier_edges > LONE_EDGES) grid_barrier(&control->barrier);

  while (state.frontier_edges > 0) {
    if (state.frontier_edges <= LONE_EDGES && state.items.n_rows + state.items.n_pieces <= 4 * LONE_EDGES) {
      if (blockIdx.x == 0) {
        run_alone(g, scratch, NONE, Counting{paths, seen}, state, stats, stats_rows, start);
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
    if (global_thread() == 0) {
      if (state.level < stats_rows) record(stats, state.level, pull ? PULL : PUSH, state.frontier, state.frontier_edges, start);
      Counting{paths, seen}.begin_level(state.level, state.items, false);
    }
    state.explored += state.frontier_edges;
    if (pull) {
      state.items.advance();
      pull_level(g, scratch, state.items, state.level, seen, other, slot);
      grid_barrier(&control->barrier);
      state.take(slot);
      state.items.take(slot);
      const u32 n_waiting = load_shared_state(&slot->deferred);
      if (n_waiting) {
        slot = &control->slot[phase % 3];
        clear_slot(&control->slot[(phase + 1) % 3]);
        phase++;
        pull_pieces(g, scratch, n_waiting, seen);
        grid_barrier(&control->barrier);
        settle_pieces(g, scratch, state.items, n_waiting, state.level, other, slot);
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
      if (state.level < stats_rows) record(stats, state.level, LAST, state.frontier, state.frontier_edges, start);
      counting.begin_level(state.level, state.items, state.items.n_rows + state.items.n_pieces <= LONE_EDGES);
      state.items.advance();
    }
    counting.begin_level(levels, state.items, false);
    if (endpoints) centrality[source] += scale * (double)(state.visited - 1);
  }
  grid_barrier(&control->barrier);

  const Share share{centrality, scale, endpoints != 0};
  u32 level = levels - 1;
  while (level > 0) {
    bool small;
    Items items = level_items(paths.bounds, level, small);
    if (small) {
      // All blocks read the same bounds, so all know where the small levels end.
      u32 down = level;
      if (blockIdx.x == 0) {
        while (true) {
          if (threadIdx.x == 0 && down < stats_rows) record_return(stats, down, start);
          sweep_rows(g, scratch, items, down, share, warp_id(), WARPS);
          __syncthreads();
          if (items.n_pieces) {
            settle_long(scratch, items, share, threadIdx.x, THREADS);
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
    if (global_thread() == 0 && level < stats_rows) record_return(stats, level, start);
    sweep_rows(g, scratch, items, level, share, spread_warp(), gridDim.x * WARPS);
    grid_barrier(&control->barrier);
    if (items.n_pieces) {
      settle_long(scratch, items, share, global_thread(), grid_threads());
      grid_barrier(&control->barrier);
    }
    level--;
  }

  if (global_thread() == 0) {
    control->levels = levels;
    control->visited = state.visited;
    control->clocks = clock64() - start;
  }
}
