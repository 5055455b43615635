// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Betweenness: levels, and the numbers of shortest paths (see betweenness.cu).
#pragma once
#include "direction.cuh"
#include "levels.cuh"
#include "row_sums.cuh"

constexpr u32 FAR = 254;           // what `near` has at this depth and deeper; 255 where unreached
constexpr u32 WAIT_EDGES = 128;     // in a pulling step, rows with as many edges are left to pull_pieces
constexpr u32 SMALL = 0x80000000u; // in Bound: a level that one block takes alone

// Begin of a level's queue items; they end where the next level's begin.
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
  __device__ __forceinline__ void set_result(u32 v, u32, u32 level) const
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

// Marks and queues the vertices of these pieces that have a path.
__device__ __noinline__ void visit_deferred(const Graph& g, const PathScratch& scratch, const Items& items, u32 n, u32 level,
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
