// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Levels: the graph, the state and scratch memory of a search, and the words that blocks share (see levels.cuh).
#pragma once
#include "warps.cuh"

constexpr u32 PIECE_EDGES = 512;   // a row with as many edges is queued in pieces of this many
constexpr u32 QUEUE_BUFFER = 128;  // vertices a warp holds before it appends them to the queue
constexpr u32 SHARED_EDGES = 3072;   // frontier edges that one block expands alone, at most
constexpr int LONE_UNROLL = SHARED_EDGES / THREADS;
#ifndef LONE_EARLY
#define LONE_EARLY 1024
#endif
#ifndef PUSH_UNROLL
#define PUSH_UNROLL 4
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

// Counters that blocks add to in one phase and read after the barrier at its end. There are three, used in rotation: one
// is filled, the one before is read, and the one after is cleared.
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

// The slot that a phase fills.
__device__ __forceinline__ Slot* next_slot(Slot* slots, u32& phase)
{
  Slot* slot = &slots[phase % 3];
  clear_slot(&slots[(phase + 1) % 3]);
  phase++;
  return slot;
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

// State of the search, equal in every thread between two phases.
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
  u64 clocks;   // result: multiprocessor clocks until the last level was over (of betweenness: whether the launch is)
  u64 time;     // result: nanoseconds in which these clocks went by (of betweenness: none)
  u64 unused[4];
  Slot slot[3];
  State handed;  // from the block that worked alone, for all others
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

  __device__ __forceinline__ Scratch(u64* pieces_, u32* bitmap_0, u32* bitmap_1, u32* rows_, u32* deferred_)
      : pieces(pieces_), bitmap{bitmap_0, bitmap_1}, rows(rows_), deferred(deferred_)
  {
  }
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
// scan_frontier: the row's length, at most 0xffff). Vertices without out-edges are left out.
struct SharedFrontier {
  u64 row[SHARED_EDGES];
  u32 vertex[SHARED_EDGES];
  u32 size;
  u32 found;
  u32 n_rows;
  u32 n_pieces;
};

struct Grid : Lists {
  u32 queued[WARPS][QUEUE_BUFFER];
};

struct Shared {
  u64 sums[32];
  u32 counts[32];
  union {
    SharedFrontier frontier;
    Grid grid;
  };
};
__shared__ Shared shared;

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

// Writes a whole array by the grid, four words at a time from the first aligned word on. (An array may begin anywhere:
// Legion may place a GPU's share of a store inside a larger one.)
template <typename Word>
__device__ __forceinline__ void fill(Word* array, u64 n, u32 x)
{
  const u64 head = min(n, (u64)((16u - ((u32)(u64)array & 15u)) & 15u) / 4u), wide = (n - head) / 4;
  uint4* at = reinterpret_cast<uint4*>(array + head);
  for (u64 i = global_thread(); i < wide; i += grid_threads()) at[i] = make_uint4(x, x, x, x);
  for (u64 i = global_thread(); i < n - 4 * wide; i += grid_threads()) array[i < head ? i : i + 4 * wide] = (Word)x;
}

// Marks the source as visited, and the bits past the last vertex.
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
