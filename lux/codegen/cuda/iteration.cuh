// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// State of an iteration of a program, and its frontier (see program.cuh).
#pragma once

#define EARLY (SPARSE && HAS_DONE)

constexpr u32 PULL = 1, PUSH = 2;                       // lux.kernels.frontier
constexpr i64 RUNNING = 0, CONVERGED = 1, STOPPED = 2;
constexpr u32 SEGMENT = 4096;                           // edges of a hub's row that one warp gathers
constexpr u32 CHUNK = 1024;                             // edges of a frontier vertex that one warp pushes
constexpr int UNROLL = HAS_VECTORS ? 1 : 4;             // edges a lane has in flight
constexpr u64 NANOSECONDS = 200000000ull;               // a kernel that has run so long returns to the host

// Work for a warp: the first `n_segments` items are one segment (its number is `end`) of the row `first` each, and segments
// of a row are consecutive. The others are rows [first, end) of the list `rows` whose in-degrees are of one class.
struct Item { u32 first, end; };

// Words shared by the blocks; zero before the first launch. Slot s = iteration % 3: one is being read, one written, and
// one made ready for the iteration after.
struct Control {
  u32 arrived;
  u32 next[3], small[3], chunks[3], touched[3], active[3], yield[3];
  u32 pad;
  u64 active_edges[3], loaded;
  i64 iteration, finished, model, ran, nanoseconds;
};

// State of an iteration, as a block sees it.
struct IterationState {
  u32 slot, next, spare;       // of Control
  u32 current, coming;         // of the two buffers of queues
  Known known;
  bool every;                  // all vertices are active
  bool sampled;                // warps record the cycles of each piece of the partition
};

// The hot table holds the fields that neighbours read of the first vertices in each of RANGES ranges: those with the most
// edges, where the graph is stored by degree (else `hot` is 0). Each field has an array of its own, and a
// load takes either address without a branch.
__device__ __forceinline__ Neighbour neighbour(const Args& g, const Fields& old, u32 u)
{
#if HOT
  u32 first;
  const u32 range = range_of(g, u, first), at = u - first;
  return either_neighbour(g, old, u, at < (u32)g.hot, range * (u32)g.hot + at);
#else
  return load_neighbour(g, old, u);
#endif
}

__device__ __forceinline__ void fill_hot(const Args& g, const Fields& old)
{
#if HOT
  for (u32 i = threadIdx.x; i < (u32)g.hot * RANGES; i += blockDim.x) {
    const u32 u = range_first(g, i / (u32)g.hot) + i % (u32)g.hot;
    if (u < (u32)g.n_neighbours) keep_hot(load_neighbour(g, old, u), i);
  }
  __syncthreads();
#endif
}

// Frontier, in single_gpu.cuh or partition.cuh: `activate` marks a vertex for the next iteration; `make_front` makes the
// bits of this one, and `make_queue` its queues.

__device__ __forceinline__ void activate(const Args& g, const IterationState& t, u32 v, u32& count, u64& edges);
__device__ void make_front(const Args& g, const IterationState& t);
__device__ void make_queue(const Args& g, const IterationState& t);

__device__ __forceinline__ bool in_front(const Args& g, u32 u)
{
  return (__ldcg(g.front + (u >> 5)) >> (u & 31u)) & 1u;
}

__device__ __forceinline__ void touch(const Args& g, const IterationState& t, u32 v)
{
  const u32 i = v - (u32)g.lo, bit = 1u << (i & 31u);
  if (__ldcg(g.marks + (i >> 5)) & bit) return;
  if (!(atomicOr(g.marks + (i >> 5), bit) & bit)) g.touched[append(&g.control->touched[t.slot])] = v;
}
