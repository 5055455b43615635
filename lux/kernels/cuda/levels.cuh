// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// What the level-synchronous kernels (breadth-first search, betweenness) share: queues of frontier vertices balanced
// by edges, bitmaps, and levels small enough for one block.
//
// Launch: cooperative, blocks of THREADS threads, one a multiprocessor, static shared memory only.
#pragma once
#include "common.cuh"

constexpr u32 THREADS = 1024;
constexpr u32 WARPS = THREADS / 32;
constexpr u32 PIECE_EDGES = 512;   // a row with as many edges is queued in pieces of this many
constexpr u32 CHUNK_WORDS = 8;     // words of a bitmap that a warp takes at a time, at most
constexpr u32 QUEUE_BUFFER = 128;  // vertices a warp holds before it appends them to the queue
constexpr u32 LANE_EDGES = 16;     // a bottom-up row's edges, after its first, that one lane looks at
constexpr u32 DEFER_EDGES = 4096;  // a bottom-up row's edges after which the row is left to the whole grid
constexpr u32 LONE_EDGES = 3072;   // frontier edges that one block expands alone, at most
constexpr int LONE_UNROLL = LONE_EDGES / THREADS;
#ifndef LONE_EARLY
#define LONE_EARLY 1024
#endif
#ifndef PUSH_UNROLL
#define PUSH_UNROLL 4
#endif
#ifndef PULL_UNROLL
#define PULL_UNROLL 2
#endif

constexpr u32 CONTROL_WORDS = 64;

enum Direction : u32 { PUSH = 0, PULL = 1, PUSH_ALONE = 2, LAST = 3 };

struct Graph {
  const i64* out_offsets;
  const u32* out_neighbours;
  const i64* in_offsets;
  const u32* in_neighbours;
  u32 n_vertices;
  i64 n_edges;

  __device__ __forceinline__ bool symmetric() const { return out_offsets == in_offsets; }
  __device__ __forceinline__ u32 n_words() const { return (u32)(((u64)n_vertices + 31) / 32); }
  __device__ __forceinline__ u32 out_degree(u32 v) const { return (u32)(__ldg(out_offsets + v + 1) - __ldg(out_offsets + v)); }
};

// What the blocks add to in one phase and read after the barrier that ends it. Three take turns: one is filled,
// the one before is read, and the one after is cleared.
struct Slot {
  u64 found;     // vertices
  u64 edges;     // their out-edges
  u32 n_rows;    // short rows queued
  u32 n_pieces;  // pieces of long rows queued
  u32 deferred;  // rows put off by pull_level
  u32 unused;
};

__device__ __forceinline__ void clear_slot(Slot* slot)
{
  if (blockIdx.x == 0 && threadIdx.x == 0) *slot = Slot{};
}

// A frontier in the queues: rows[row_begin...] and pieces[piece_begin...]. Every vertex is queued at most once in a
// search, so the queues only grow.
struct Items {
  u32 row_begin, n_rows, piece_begin, n_pieces;

  __device__ __forceinline__ void advance()
  {
    row_begin += n_rows;
    piece_begin += n_pieces;
    n_rows = n_pieces = 0;
  }
  __device__ __forceinline__ void take(const Slot* slot)
  {
    n_rows = load_shared_state(&slot->n_rows);
    n_pieces = load_shared_state(&slot->n_pieces);
  }
};

// The same in every thread between two phases.
struct State {
  Items items;
  u32 level;
  u64 frontier;        // vertices at this level
  u64 frontier_edges;  // their out-edges
  u64 explored;        // out-edges of earlier levels
  u64 visited;         // vertices up to this level

  __device__ __forceinline__ void take(const Slot* slot)
  {
    frontier = load_shared_state(&slot->found);
    frontier_edges = load_shared_state(&slot->edges);
  }
  __device__ __forceinline__ void add(const Slot* slot)
  {
    frontier += load_shared_state(&slot->found);
    frontier_edges += load_shared_state(&slot->edges);
  }
  __device__ __forceinline__ void load(const State* p)
  {
    items = {load_shared_state(&p->items.row_begin), load_shared_state(&p->items.n_rows),
             load_shared_state(&p->items.piece_begin), load_shared_state(&p->items.n_pieces)};
    level = load_shared_state(&p->level);
    frontier = load_shared_state(&p->frontier);
    frontier_edges = load_shared_state(&p->frontier_edges);
    explored = load_shared_state(&p->explored);
    visited = load_shared_state(&p->visited);
  }
};

struct Control {
  u64 levels;   // result: levels with vertices
  u64 visited;  // result: vertices reached
  u64 clocks;   // result: multiprocessor clocks in the kernel
  u64 unused[5];
  Slot slot[3];
  State handed;  // what the block that worked alone leaves to all
  u64 padding[48 - 8 - 12 - sizeof(State) / 8];
  u32 barrier;
};
static_assert(sizeof(Control) <= CONTROL_WORDS * 8 && sizeof(Slot) == 32, "the layout of control");

// Scratch, in this order, each part rounded up to 256 bytes:
//   pieces    8 * (n_edges / 256 + 1)   piece number << 32 | vertex
//   bitmap x2 4 * ceil(n_vertices / 32)
//   rows      4 * n_vertices
//   deferred  4 * (n_edges / 4096 + 1)
__host__ __device__ constexpr u64 rounded(u64 bytes) { return (bytes + 255) & ~(u64)255; }
__host__ __device__ constexpr u64 scratch_bytes(u64 n_vertices, u64 n_edges)
{
  return rounded(8 * (n_edges / (PIECE_EDGES / 2) + 1)) + 2 * rounded(4 * ((n_vertices + 31) / 32)) + rounded(4 * n_vertices)
         + rounded(4 * (n_edges / DEFER_EDGES + 1));
}

struct Scratch {
  u64* pieces;
  u32* bitmap[2];
  u32* rows;
  u32* deferred;

  __device__ __forceinline__ Scratch(void* base, u64 n_vertices, u64 n_edges)
  {
    char* at = static_cast<char*>(base);
    pieces = reinterpret_cast<u64*>(at);
    at += rounded(8 * (n_edges / (PIECE_EDGES / 2) + 1));
    for (int k = 0; k < 2; k++) {
      bitmap[k] = reinterpret_cast<u32*>(at);
      at += rounded(4 * ((n_vertices + 31) / 32));
    }
    rows = reinterpret_cast<u32*>(at);
    at += rounded(4 * n_vertices);
    deferred = reinterpret_cast<u32*>(at);
  }
};

// A frontier in shared memory. row: the row's first edge << 16 | its number among the frontier's edges (before
// scan_lone: the row's length, at most 0xffff). Vertices without out-edges are left out.
struct Lone {
  u64 row[LONE_EDGES];
  u32 vertex[LONE_EDGES];
  u32 size;
  u32 found;
  u32 n_rows;
  u32 n_pieces;
};

struct Grid {
  unsigned short list[WARPS][CHUNK_WORDS * 32];
  unsigned char mark[WARPS][CHUNK_WORDS * 32];
  u32 queued[WARPS][QUEUE_BUFFER];
};

struct Shared {
  u64 sums[32];
  u32 counts[32];
  union {
    Lone lone;
    Grid grid;
  };
};
__shared__ Shared shared;

// Warps numbered so that consecutive ones are on different multiprocessors.
__device__ __forceinline__ u32 spread_warp() { return warp_id() * gridDim.x + blockIdx.x; }

__device__ __forceinline__ void add_to_slot(Slot* slot, u32 found, u64 edges)
{
  found = block_sum(found, shared.counts);
  edges = block_sum(edges, shared.sums);
  if (threadIdx.x == 0 && found) {
    atomicAdd(&slot->found, (u64)found);
    if (edges) atomicAdd(&slot->edges, edges);
  }
}

// One row of statistics: direction of the step out of this level, frontier, its out-edges, clocks since the start.
__device__ __forceinline__ void record(i64* stats, u32 level, u32 direction, u64 frontier, u64 edges, i64 start)
{
  i64* row = stats + (u64)level * 4;
  row[0] = direction;
  row[1] = (i64)frontier;
  row[2] = (i64)edges;
  row[3] = clock64() - start;
}

// All of a 16-byte aligned array, by the grid.
__device__ __forceinline__ void fill(i32* array, u64 n, i32 x)
{
  int4* wide = reinterpret_cast<int4*>(array);
  for (u64 i = global_thread(); i < n / 4; i += grid_threads()) wide[i] = make_int4(x, x, x, x);
  if (global_thread() < n % 4) array[n / 4 * 4 + global_thread()] = x;
}

// The source alone is seen; so are the bits past the last vertex.
__device__ __forceinline__ void clear_seen(u32* seen, const Graph& g, u32 source)
{
  const u32 n = g.n_words();
  for (u64 w = global_thread(); w < n; w += grid_threads()) {
    u32 word = w == source >> 5 ? 1u << (source & 31) : 0u;
    if (w == n - 1 && g.n_vertices % 32) word |= ~0u << (g.n_vertices % 32);
    seen[w] = word;
  }
}

// Queues the source and sets the state of level 0.
__device__ __forceinline__ void start_at(const Graph& g, const Scratch& scratch, u32 source, State& state)
{
  const u32 degree = g.out_degree(source);
  const u32 pieces = degree < PIECE_EDGES ? 0 : (degree + PIECE_EDGES - 1) / PIECE_EDGES;
  if (pieces == 0 && global_thread() == 0) scratch.rows[0] = source;
  for (u64 i = global_thread(); i < pieces; i += grid_threads()) scratch.pieces[i] = i << 32 | source;
  state.items = {0, pieces ? 0u : 1u, 0, pieces};
  state.level = 0;
  state.frontier = state.visited = 1;
  state.frontier_edges = degree;
  state.explored = 0;
}

__device__ __forceinline__ void load_item(const Graph& g, const Scratch& scratch, const Items& items, u32 i, u32& v, i64& begin,
                                          u32& degree)
{
  if (i < items.n_rows) {
    v = scratch.rows[items.row_begin + i];
    begin = __ldg(g.out_offsets + v);
    degree = (u32)(__ldg(g.out_offsets + v + 1) - begin);
  } else {
    const u64 piece = scratch.pieces[items.piece_begin + (i - items.n_rows)];
    v = (u32)piece;
    begin = __ldg(g.out_offsets + v) + (i64)(piece >> 32) * PIECE_EDGES;
    degree = (u32)min(__ldg(g.out_offsets + v + 1) - begin, (i64)PIECE_EDGES);
  }
}

// The last lane whose `first` is at most j; `first` rises over the lanes and lane 0 has 0.
__device__ __forceinline__ u32 owner_of(u32 first, u32 j)
{
  u32 owner = 0;
  #pragma unroll
  for (u32 step = 16; step > 0; step >>= 1)
    if (__shfl_sync(ALL_LANES, first, owner + step) <= j) owner += step;
  return owner;
}

// Appends the pieces of the lanes' rows; v is NONE where a lane has none.
__device__ __forceinline__ void append_pieces(u32 v, u32 degree, u64* pieces, u32* size)
{
  const u32 lane = lane_id();
  if (!__any_sync(ALL_LANES, v != NONE)) return;
  const u32 count = v != NONE ? (degree + PIECE_EDGES - 1) / PIECE_EDGES : 0;
  u32 total, at = 0;
  const u32 first = warp_scan(count, total);
  if (lane == 0) at = atomicAdd(size, total);
  at = __shfl_sync(ALL_LANES, at, 0);
  for (u32 i = 0; i < total; i += 32) {
    const u32 owner = owner_of(first, i + lane);
    const u32 u = __shfl_sync(ALL_LANES, v, owner), before = __shfl_sync(ALL_LANES, first, owner);
    if (i + lane < total) pieces[at + i + lane] = (u64)(i + lane - before) << 32 | u;
  }
}

// Appends to the queues of the next frontier, behind `items`. All lanes of a warp call push together, and all
// threads of the block call close.
struct WarpQueue {
  u32* held;
  u32 n_held;
  u32* rows;
  u64* pieces;
  Slot* slot;

  __device__ __forceinline__ WarpQueue(const Scratch& scratch, const Items& items, Slot* slot_)
      : held(shared.grid.queued[warp_id()]), n_held(0), rows(scratch.rows + items.row_begin + items.n_rows),
        pieces(scratch.pieces + items.piece_begin + items.n_pieces), slot(slot_)
  {
  }

  // v is NONE where the lane has nothing.
  __device__ __forceinline__ void push(u32 v, u32 degree)
  {
    const u32 lane = lane_id();
    const bool is_short = v != NONE && degree < PIECE_EDGES;
    const u32 shorts = __ballot_sync(ALL_LANES, is_short);
    if (is_short) held[n_held + __popc(shorts & ((1u << lane) - 1))] = v;
    n_held += __popc(shorts);
    if (n_held > QUEUE_BUFFER - 32) {
      u32 at = 0;
      if (lane == 0) at = atomicAdd(&slot->n_rows, n_held);
      copy(__shfl_sync(ALL_LANES, at, 0));
      n_held = 0;
    }
    append_pieces(v != NONE && degree >= PIECE_EDGES ? v : NONE, degree, pieces, &slot->n_pieces);
  }

  __device__ __forceinline__ void copy(u32 at)
  {
    __syncwarp();
    for (u32 i = lane_id(); i < n_held; i += 32) rows[at + i] = held[i];
    __syncwarp();
  }

  __device__ __forceinline__ void close()
  {
    if (lane_id() == 0) shared.counts[warp_id()] = n_held;
    __syncthreads();
    if (warp_id() == 0) {
      u32 total, at = 0;
      const u32 first = warp_scan(shared.counts[lane_id()], total);
      if (lane_id() == 0 && total) at = atomicAdd(&slot->n_rows, total);
      shared.counts[lane_id()] = first + __shfl_sync(ALL_LANES, at, 0);
    }
    __syncthreads();
    copy(shared.counts[warp_id()]);
    __syncthreads();
  }
};

// What a kernel does at the vertices that a level reaches: a Visitor has
//   may_claim(v)        whether an edge to v can matter; a stale answer "yes" is harmless
//   claim(v, u)         takes edge (u, v); whether v was reached for the first time (one caller is told so)
//   settle(v, u, level) writes the results of a vertex reached for the first time
//   ORDERED             whether the queues keep all levels one after the other; if not, vertices without out-edges
//                       are not queued
//   begin_level(level, items, small)  where a level's vertices are queued

// Expands queue items by the grid: whole short rows, and pieces of long rows.
template <class Visitor>
__device__ __noinline__ void push_level(const Graph& g, const Scratch& scratch, const Items& items, u32 level,
                                        const Visitor visitor, Slot* slot)
{
  const u32 lane = lane_id();
  const u32 n_warps = gridDim.x * WARPS;
  const u32 n_items = items.n_rows + items.n_pieces;
  u32 batch = 32, parts = 1;  // items a warp takes at a time; warps that share an item
  while (batch > 1 && n_items < batch * n_warps) batch >>= 1;
  while (parts < PIECE_EDGES / 32 && n_items * parts * 2 <= n_warps) parts *= 2;
  WarpQueue queue(scratch, items, slot);
  u32 found = 0;
  u64 edges = 0;
  for (u64 i = (u64)spread_warp() * batch; i < (u64)n_items * parts; i += (u64)n_warps * batch) {
    u32 v = 0, degree = 0;
    i64 begin = 0;
    if (lane < batch && i / parts + lane < n_items) load_item(g, scratch, items, (u32)(i / parts + lane), v, begin, degree);
    if (parts > 1) {
      const u32 share = ((degree + parts - 1) / parts + 31) & ~31u, before = (u32)(i % parts) * share;
      begin += before;
      degree = before < degree ? min(share, degree - before) : 0;
    }
    u32 total;
    const u32 first = warp_scan(degree, total);
    for (u32 r = 0; r < total; r += 32 * PUSH_UNROLL) {
      u32 to[PUSH_UNROLL], from[PUSH_UNROLL];
      #pragma unroll
      for (int k = 0; k < PUSH_UNROLL; k++) {
        to[k] = NONE;
        const u32 j = r + k * 32 + lane;
        if (r + k * 32 < total) {
          const u32 owner = owner_of(first, j);
          const i64 row = __shfl_sync(ALL_LANES, begin, owner);
          const u32 before = __shfl_sync(ALL_LANES, first, owner);
          from[k] = __shfl_sync(ALL_LANES, v, owner);
          if (j < total) to[k] = __ldg(g.out_neighbours + row + (j - before));
        }
      }
      #pragma unroll
      for (int k = 0; k < PUSH_UNROLL; k++)
        if (to[k] != NONE && !visitor.may_claim(to[k], level)) to[k] = NONE;
      #pragma unroll
      for (int k = 0; k < PUSH_UNROLL; k++)
        if (to[k] != NONE && !visitor.claim(to[k], from[k], level)) to[k] = NONE;
      #pragma unroll
      for (int k = 0; k < PUSH_UNROLL; k++) {
        if (!__any_sync(ALL_LANES, to[k] != NONE)) continue;
        u32 degree_to = 0;
        if (to[k] != NONE) {
          degree_to = g.out_degree(to[k]);
          visitor.settle(to[k], from[k], level + 1);
          found++;
          edges += degree_to;
        }
        queue.push(Visitor::ORDERED || degree_to ? to[k] : NONE, degree_to);
      }
    }
  }
  queue.close();
  add_to_slot(slot, found, edges);
}

// The numbers of the bits set in the words of lanes 0...chunk-1, ascending; how many.
__device__ __forceinline__ u32 list_bits(u32 word, u32 chunk, unsigned short* list)
{
  const u32 lane = lane_id();
  if (!__any_sync(ALL_LANES, word != 0)) return 0;
  u32 n = 0;
  for (u32 w = 0; w < chunk; w++) {
    const u32 bits = __shfl_sync(ALL_LANES, word, w);
    if (bits >> lane & 1u) list[n + __popc(bits & ((1u << lane) - 1))] = (unsigned short)(w * 32 + lane);
    n += __popc(bits);
  }
  __syncwarp();
  return n;
}

// Appends the lanes' x where `wanted` to a warp's list; its new length.
__device__ __forceinline__ u32 keep(unsigned short* list, u32 n, u32 x, bool wanted)
{
  const u32 lanes = __ballot_sync(ALL_LANES, wanted);
  if (wanted) list[n + __popc(lanes & ((1u << lane_id()) - 1))] = (unsigned short)x;
  return n + __popc(lanes);
}

__device__ __forceinline__ bool has_bit(const u32* bitmap, u32 v) { return bitmap[v >> 5] >> (v & 31) & 1u; }

// A warp looks for a neighbour in the bitmap; NONE where there is none.
__device__ __forceinline__ u32 search_row(const u32* __restrict__ neighbours, i64 begin, i64 end, const u32* bitmap)
{
  for (i64 e = begin; e < end; e += 128) {
    u32 n[4];
    #pragma unroll
    for (int k = 0; k < 4; k++) n[k] = __ldg(neighbours + min(e + k * 32 + (i64)lane_id(), end - 1));
    u32 hit = NONE;
    #pragma unroll
    for (int k = 3; k >= 0; k--)
      if (has_bit(bitmap, n[k])) hit = n[k];
    const u32 lanes = __ballot_sync(ALL_LANES, hit != NONE);
    if (lanes) return __shfl_sync(ALL_LANES, hit, __ffs(lanes) - 1);
  }
  return NONE;
}

// Queues the vertices of one bitmap that are not in another and have out-edges.
__device__ __noinline__ void queue_bits(const Graph& g, const Scratch& scratch, const Items& items, const u32* with,
                                        const u32* without, Slot* slot)
{
  const u32 lane = lane_id();
  const u32 n_warps = gridDim.x * WARPS, n_words = g.n_words();
  unsigned short* list = shared.grid.list[warp_id()];
  WarpQueue queue(scratch, items, slot);
  u32 chunk = CHUNK_WORDS;
  while (chunk > 1 && n_words < chunk * n_warps) chunk >>= 1;
  for (u32 at = spread_warp() * chunk; at < n_words; at += n_warps * chunk) {
    const bool mine = lane < chunk && at + lane < n_words;
    const u32 total = list_bits(mine ? with[at + lane] & ~without[at + lane] : 0u, chunk, list);
    for (u32 i = 0; i < total; i += 32) {
      const u32 v = i + lane < total ? at * 32 + list[i + lane] : NONE;
      const u32 degree = v == NONE ? 0 : g.out_degree(v);
      queue.push(degree ? v : NONE, degree);
    }
    __syncwarp();
  }
  queue.close();
}

__device__ __forceinline__ u64 lone_row(i64 begin, i64 degree) { return (u64)begin << 16 | (u64)min(degree, (i64)0xffff); }

__device__ __forceinline__ u64 row_of(const Graph& g, u32 v)
{
  const i64 begin = __ldg(g.out_offsets + v);
  return lone_row(begin, __ldg(g.out_offsets + v + 1) - begin);
}

__device__ __forceinline__ void load_lone(const Graph& g, const Scratch& scratch, const Items& items)
{
  Lone& lone = shared.lone;
  __syncthreads();
  if (threadIdx.x == 0) lone.size = lone.found = 0;
  __syncthreads();
  for (u32 i = threadIdx.x; i < items.n_rows + items.n_pieces; i += THREADS) {
    u32 v;
    if (i < items.n_rows) {
      v = scratch.rows[items.row_begin + i];
    } else {
      const u64 piece = scratch.pieces[items.piece_begin + (i - items.n_rows)];
      if (piece >> 32) continue;
      v = (u32)piece;
    }
    const i64 begin = __ldg(g.out_offsets + v), end = __ldg(g.out_offsets + v + 1);
    if (begin == end) continue;
    const u32 at = append(&lone.size);
    lone.row[at] = lone_row(begin, end - begin);
    lone.vertex[at] = v;
  }
  __syncthreads();
}

// Replaces the rows' lengths by the number of their first edge; the number of edges, exact up to LONE_EDGES.
__device__ __forceinline__ u32 scan_lone(u32 size)
{
  Lone& lone = shared.lone;
  const u32 at = threadIdx.x * LONE_UNROLL;
  u64 row[LONE_UNROLL];
  u32 sum = 0;
  #pragma unroll
  for (int k = 0; k < LONE_UNROLL; k++) {
    row[k] = at + k < size ? lone.row[at + k] : 0;
    sum += (u32)(row[k] & 0xffff);
  }
  u32 total;
  u32 first = warp_scan(sum, total);
  if (lane_id() == 0) shared.counts[warp_id()] = total;
  __syncthreads();
  const u32 before = warp_scan(shared.counts[lane_id()], total);
  first += __shfl_sync(ALL_LANES, before, warp_id());
  #pragma unroll
  for (int k = 0; k < LONE_UNROLL; k++)
    if (at + k < size) {
      lone.row[at + k] = (row[k] & ~(u64)0xffff) | (first & 0xffff);
      first += (u32)(row[k] & 0xffff);
    }
  __syncthreads();
  return total;
}

// Edge j of the frontier: its number in the graph, and its source.
__device__ __forceinline__ i64 lone_edge(const Lone& lone, u32 size, u32 j, u32& source)
{
  u32 low = 0, high = size;  // the last row whose first edge is at most j is in [low, high)
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    if ((u32)(lone.row[middle] & 0xffff) <= j) low = middle;
    else high = middle;
  }
  const u64 row = lone.row[low];
  source = lone.vertex[low];
  return (i64)(row >> 16) + (j - (u32)(row & 0xffff));
}

// Queues one vertex behind `items` by one thread of the block that works alone.
__device__ __forceinline__ void queue_alone(const Graph& g, const Scratch& scratch, const Items& items, u32 v)
{
  const u32 degree = g.out_degree(v);
  if (degree < PIECE_EDGES) {
    scratch.rows[items.row_begin + append(&shared.lone.n_rows)] = v;
  } else {
    const u32 n = (degree + PIECE_EDGES - 1) / PIECE_EDGES;
    u64* to = scratch.pieces + items.piece_begin + atomicAdd(&shared.lone.n_pieces, n);
    for (u32 k = 0; k < n; k++) to[k] = (u64)k << 32 | v;
  }
}

// Levels whose frontier has at most LONE_EDGES out-edges, by this block alone while the others wait. Leaves a
// queued frontier with more, or an empty one, or the level at the limit.
template <class Visitor>
__device__ __noinline__ void run_alone(const Graph& g, const Scratch& scratch, u32 limit, const Visitor visitor, State& state,
                                       i64* stats, u32 stats_rows, i64 start)
{
  Lone& lone = shared.lone;
  Items items = state.items;
  load_lone(g, scratch, items);
  u32 level = state.level, size = lone.size, n_found = (u32)state.frontier;
  u64 visited = state.visited, explored = state.explored;
  while (true) {
    const u32 edges = scan_lone(size);
    if (size == 0 || edges > LONE_EDGES || level >= limit) break;
    if (threadIdx.x == 0) {
      lone.size = lone.found = lone.n_rows = lone.n_pieces = 0;
      if (level < stats_rows) record(stats, level, PUSH_ALONE, n_found, edges, start);
      visitor.begin_level(level, items, true);
    }
    items.advance();
    explored += edges;
    u32 to[LONE_UNROLL], from[LONE_UNROLL];
    #pragma unroll
    for (int k = 0; k < LONE_UNROLL; k++) {
      const u32 j = threadIdx.x + k * THREADS;
      to[k] = NONE;
      if (j < edges) to[k] = __ldg(g.out_neighbours + lone_edge(lone, size, j, from[k]));
    }
    // Rows are loaded beside the claims while that saves time, after them when requests are what takes time.
    const bool early = edges <= LONE_EARLY;
    u64 row[LONE_UNROLL];
    #pragma unroll
    for (int k = 0; k < LONE_UNROLL; k++)
      if (to[k] != NONE) {
        if (early) row[k] = row_of(g, to[k]);
        if (!visitor.claim(to[k], from[k], level)) to[k] = NONE;
      }
    #pragma unroll
    for (int k = 0; k < LONE_UNROLL; k++)
      if (!early && to[k] != NONE) row[k] = row_of(g, to[k]);
    u32 found = 0;
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < LONE_UNROLL; k++)
      if (to[k] != NONE) {
        found++;
        visitor.settle(to[k], from[k], level + 1);
        if ((row[k] & 0xffff) != 0) {
          const u32 at = append(&lone.size);
          lone.row[at] = row[k];
          lone.vertex[at] = to[k];
        }
        if (Visitor::ORDERED) queue_alone(g, scratch, items, to[k]);
      }
    found = warp_sum(found);
    if (lane_id() == 0 && found) atomicAdd(&lone.found, found);
    __syncthreads();
    n_found = lone.found;
    visited += n_found;
    size = lone.size;
    if (Visitor::ORDERED) {
      items.n_rows = lone.n_rows;
      items.n_pieces = lone.n_pieces;
    }
    level++;
  }
  __syncthreads();
  if (!Visitor::ORDERED && threadIdx.x == 0) lone.n_rows = lone.n_pieces = 0;
  __syncthreads();
  u64 edges = 0;
  for (u32 i = threadIdx.x; i < size; i += THREADS) {
    edges += g.out_degree(lone.vertex[i]);
    if (!Visitor::ORDERED) queue_alone(g, scratch, items, lone.vertex[i]);
  }
  edges = block_sum(edges, shared.sums);
  if (threadIdx.x == 0) shared.sums[0] = edges;
  __syncthreads();
  items.n_rows = lone.n_rows;
  items.n_pieces = lone.n_pieces;
  state = {items, level, n_found, shared.sums[0], explored, visited};
  __syncthreads();
}
