// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// State of a GPU in a search among delegates and normal vertices (see separated.cu). `Args`, `Offset` and PARTS are
// written in front of this text (lux/algorithms/bfs/distributed/degree_separated/gpu_plan.py). Bits of vertices are in words of 32.
#pragma once
#include "id_order.cuh"
#include "levels_queues.cuh"
#include "parents.cuh"
#include "peer_exchange.cuh"

enum Kind : u32 { NN = 0, ND = 1, DN = 2, DD = 3, KINDS = 4 };  // a normal vertex or a delegate, to one

constexpr u32 STATISTICS_COLUMNS = 12;  // of a level's row: see `record`

// Sums of a level over blocks; the first four are of the frontier to come.
enum Sum : u32 {
  ND_EDGES,   // in the nd rows of its normal vertices
  ND_ROWS,    // of them with such a row
  FRESH,      // its delegates
  DD_EDGES,   // in the rows of these here
  DD_ROWS,    // of them with such a row
  DN_EDGES,
  DN_ROWS,
  NORMALS,    // normal vertices that were found here, or named to others
  DELEGATES,  // delegates that were found here; some are counted several times
  RECEIVED,   // bytes that were read of other GPUs' memory
  LOOKED,     // edges that were looked at, of each kind
  SUMS = LOOKED + KINDS
};

// Three of these swap roles from level to level: one is filled, the one before is read, and the one after is cleared.
// Other GPUs read `frontier`, `named` and the sums of NORMALS and DELEGATES, once all have visited.
struct LevelCounters {
  u64 sum[SUMS];
  u64 frontier;            // normal vertices of this level
  u64 visited_at;          // when the last block had visited
  u32 found;               // normal vertices that were queued in this level
  u32 rows[KINDS];         // of delegates that are queued for pushing,
  u32 pieces[KINDS];       // and pieces of long ones
  u32 named[PARTS];        // vertices that were named to each GPU
};

// At the beginning of the scratch memory, zero before a search.
struct SearchControl {
  LevelCounters counters[3];
  i64 finished;
  u32 arrived;
};
static_assert(sizeof(SearchControl) <= CONTROL_BYTES, "gpu_plan.py has the size");

__shared__ u64 tally[SUMS];                         // a block's share of the sums
__shared__ u32 held[WARPS];                         // vertices that each warp holds in shared.grid.queued
__shared__ u32 sent[PARTS], got[PARTS];             // vertices named to each GPU, and by each, in levels before
__shared__ u64 their_frontier[PARTS], their_found[PARTS], their_masks[PARTS];
__shared__ u32 their_named[PARTS];
__shared__ u64 was[SUMS];                           // the sums of the level before
__shared__ u32 was_found, queued_rows[KINDS], queued_pieces[KINDS];

__device__ __forceinline__ Results results_of(const Args& g) { return {g.distance, g.parent, g.by_place}; }
__device__ __forceinline__ SearchControl* control_of(const Args& g, u32 q) { return reinterpret_cast<SearchControl*>(g.peer[q]); }
__device__ __forceinline__ u32* found_of(const Args& g, u32 q, u32 copy)
{
  return reinterpret_cast<u32*>(g.peer[q] + g.found_at) + (u64)copy * g.mask_words;
}

// All lanes of a warp call it.
template <typename T>
__device__ __forceinline__ void add(u32 sum, T x)
{
  const u64 total = warp_sum((u64)x);
  if (lane_id() == 0 && total) atomicAdd(tally + sum, total);
}

// All threads of a block call it, when it has done all that is counted.
__device__ __forceinline__ void add_block_sums(LevelCounters* counters)
{
  __syncthreads();
  if (threadIdx.x < SUMS && tally[threadIdx.x]) {
    atomicAdd(counters->sum + threadIdx.x, tally[threadIdx.x]);
    tally[threadIdx.x] = 0;
  }
  __syncthreads();
}

// Loads the sums of this GPU's blocks; each block reads them once, as an address answers one warp at a time.
__device__ __forceinline__ void load_sums(const LevelCounters* before)
{
  __syncthreads();
  if (threadIdx.x < SUMS) was[threadIdx.x] = __ldcg(before->sum + threadIdx.x);
  if (threadIdx.x == SUMS) was_found = __ldcg(&before->found);
  __syncthreads();
}

__device__ __forceinline__ void load_queue_sizes(const LevelCounters* counters)
{
  __syncthreads();
  if (threadIdx.x < KINDS) {
    queued_rows[threadIdx.x] = __ldcg(counters->rows + threadIdx.x);
    queued_pieces[threadIdx.x] = __ldcg(counters->pieces + threadIdx.x);
  }
  __syncthreads();
}

// The queue has the normal vertices of all levels, one after the other. All lanes of a warp call it; v is NONE where a
// lane has none.
__device__ __forceinline__ void copy_held(u32* to, u32 n)
{
  __syncwarp();
  for (u32 i = lane_id(); i < n; i += 32) to[i] = shared.grid.queued[warp_id()][i];
  __syncwarp();
}

__device__ __forceinline__ void enqueue(u32* queue, LevelCounters* counters, u32 v)
{
  const u32 lanes = __ballot_sync(ALL_LANES, v != NONE);
  if (!lanes) return;
  u32 n = held[warp_id()];
  if (v != NONE) shared.grid.queued[warp_id()][n + __popc(lanes & ((1u << lane_id()) - 1))] = v;
  n += __popc(lanes);
  if (n > QUEUE_BUFFER - 32) {
    u32 at = 0;
    if (lane_id() == 0) at = atomicAdd(&counters->found, n);
    copy_held(queue + __shfl_sync(ALL_LANES, at, 0), n);
    n = 0;
  }
  __syncwarp();
  if (lane_id() == 0) held[warp_id()] = n;
  __syncwarp();
}

// All threads of a block call it: what warps still hold is queued.
__device__ __forceinline__ void close_queue(u32* queue, LevelCounters* counters)
{
  __syncthreads();
  const u32 n = held[warp_id()];
  if (warp_id() == 0) {
    u32 total, at = 0;
    const u32 first = warp_scan(held[lane_id()], total);
    if (lane_id() == 0 && total) at = atomicAdd(&counters->found, total);
    shared.counts[lane_id()] = first + __shfl_sync(ALL_LANES, at, 0);
  }
  __syncthreads();
  copy_held(queue + shared.counts[warp_id()], n);
  if (lane_id() == 0) held[warp_id()] = 0;
  __syncthreads();
}
