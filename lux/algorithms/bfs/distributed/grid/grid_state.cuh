// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Searches by a grid of processors, each a GPU (see grid.cu): arguments and shared state of the kernels.
//
// Processor P_ij, of number jR + i, owns the block of vertices of that number, and has the edges from the blocks of its
// grid column to those of its grid row. A local column u = i' * stride + r is vertex r of block jR + i'; a local row
// v = m * stride + r is vertex r of block mR + i. Bitmaps of a block are `words` = stride / 32 long.
#pragma once
#include "id_order.cuh"
#include "level_seconds.cuh"
#include "peer_exchange.cuh"
#include "warps.cuh"

constexpr u32 MOST_PROCESSORS = 64;               // processors
constexpr i32 NO_LEVEL = -1;           // the distance of what has not been reached
constexpr u32 EDGE_BITS = 36;          // of `queued`, for edges; the rest are for vertices
constexpr u64 ONE_VERTEX = 1ull << EDGE_BITS;
constexpr u32 PULL = 1, PUSH = 2;      // lux.kernels.frontier

// Zero when the kernel starts. What has two copies is of the frontier of level L in copy L & 1.
struct Control {
  u32 arrived, unused;
  i64 finished;             // of PeerBarrier
  u64 queued;               // frontier vertices that have edges here << EDGE_BITS | these edges
  u64 active[2], edges[2];  // own vertices in the frontier, and their out-edges in the whole graph (hybrid)
  u64 fetched;              // parents that others had
  u32 listed[2];           // own vertices in front_lists
  u32 deferred[2];
  u32 folded[MOST_PROCESSORS];         // vertices that are named to the owner in each grid column
};

// `Members` are written in front of this text (lux/algorithms/bfs/distributed/grid/gpu_search.py). Arrays of others are where
// this processor's are, from their own `base`.
struct Args : Members {
  __device__ __forceinline__ Results results() const { return {distance, parent, by_place}; }
  __device__ __forceinline__ u32 words() const { return (u32)(stride >> 5); }
  __device__ __forceinline__ u32* own(u32* bits) const { return bits + (u32)column * words(); }
  __device__ __forceinline__ u32 in_row(u32 m) const { return m * (u32)rows + (u32)row; }
};

__device__ __forceinline__ u32 n_warps() { return gridDim.x * WARPS; }

// All GPUs. Returns whether all are there.
__device__ __forceinline__ bool all_gpus_barrier(const Args& g, u64& epoch)
{
  if (g.parts == 1) {
    grid_barrier(&g.control->arrived);
    return true;
  }
  return peer_barrier({(u32)g.part, (u32)g.parts, g.arrivals, g.base, g.peer, &g.control->arrived, &g.control->finished, g.outcome}, ++epoch);
}

// Sums the frontier's vertices and edges over all processors.
__device__ __forceinline__ void read_totals(const Args& g, u32 copy, u64& active, u64& edges)
{
  __shared__ u64 totals[2];
  __syncthreads();
  if (warp_id() == 0) {
    u64 a = 0, e = 0;
    for (u32 p = lane_id(); p < (u32)g.parts; p += 32) {
      const Control* c = p == (u32)g.part ? g.control : of_peer(g, p, g.control);
      a += __ldcg(&c->active[copy]);
      e += __ldcg(&c->edges[copy]);
    }
    a = warp_sum(a);
    e = warp_sum(e);
    if (lane_id() == 0) totals[0] = a, totals[1] = e;
  }
  __syncthreads();
  active = totals[0], edges = totals[1];
}

// The first `n` counts of the other processors, read by a block into shared memory.
__shared__ u32 received[MOST_PROCESSORS];

template <typename Where>
__device__ __forceinline__ void read_counts(u32 n, Where where)
{
  __syncthreads();
  if (threadIdx.x < n) received[threadIdx.x] = __ldcg(where(threadIdx.x));
  __syncthreads();
}

// Bytes of a message of n vertices: their number, and a list or bits, whichever is shorter.
__device__ __forceinline__ u64 message_bytes(const Args& g, u32 n) { return 4ull * (1 + min(n, g.words())); }
