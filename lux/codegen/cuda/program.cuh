// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// An iteration of a vertex program on a GPU: pull and push around the program's own functions, which `cuda_writer.py`
// declares in front of this file (struct Args, Value, Acc, Neighbour, and functions on them). `single_gpu.cuh` runs it
// where one GPU holds the graph, `partition.cuh` on a partition.
//
// A vertex v is a place, and arrays are indexed by place or by edge also where a partition holds only a part of them:
// the host passes pointers that are moved back by what lies before the part. A neighbour u is a place too or, where
// LOCAL, a position in the list `members` of the partition's sources (INS), of which the kernel keeps compact copies.
//
// Two kinds of programs (lux.program.spec.Spec.sparse):
// - dense: an iteration reads the old copy and writes all of the new one; the two swap roles.
// - sparse: contributions are combined into `pend`, which equals the old copy between iterations. A vertex whose `pend`
//   changed is `touched`: afterwards it takes the new value, and is active, or drops it.
#pragma once
#include "pull.cuh"
#include "push.cuh"

// Adds up the counts of threads; every block adds its share once.
__device__ void report(const Args& g, const IterationState& t, u32 count, u64 edges, double* totals, double* scratch)
{
#if HAS_FRONTIER
  const u64 all = block_sum((u64)count, reinterpret_cast<u64*>(scratch));
  const u64 out = block_sum(edges, reinterpret_cast<u64*>(scratch));
  if (threadIdx.x == 0 && all) {
    atomicAdd(&g.control->active[t.next], (u32)all);
    atomicAdd(&g.control->active_edges[t.next], out);
  }
#endif
  for (int k = 0; k < TOTALS; ++k) {
    const double sum = block_sum(totals[k], scratch);
    if (threadIdx.x == 0) g.block_totals[((u64)t.next * gridDim.x + blockIdx.x) * TOTALS + k] = sum;
  }
}

// The blocks' shares in the order of the blocks' numbers, so that all blocks come to the same sum.
__device__ void read_totals(const Args& g, u32 slot, Known& known, double* scratch)
{
  for (int k = 0; k < TOTALS; ++k) {
    double x = 0;
    for (u32 b = threadIdx.x; b < gridDim.x; b += blockDim.x)
      x += __ldcg(g.block_totals + ((u64)slot * gridDim.x + b) * TOTALS + k);
    x = block_sum(x, scratch);
    __shared__ double shared_total;
    if (threadIdx.x == 0) shared_total = x;
    __syncthreads();
    known.total[k] = shared_total;
    __syncthreads();
  }
}

__device__ void all_vertices_first(const Args& g, const IterationState& t, u32& count, u64& edges, double* totals)
{
  for (u64 v = g.lo + global_thread(); v < g.hi; v += grid_threads()) {
    const bool active = first_values(g, t.known, (u32)v, totals);
    if (HAS_FRONTIER && active) activate(g, t, (u32)v, count, edges);
  }
}

#if SPARSE
// Lets touched vertices take the contributions, or drop them.
__device__ void apply_update(const Args& g, const IterationState& t, const Fields& old, const Fields& out, u32& count, u64& edges)
{
  const u32 touched = __ldcg(&g.control->touched[t.slot]);
  for (u64 k = global_thread(); k < touched; k += grid_threads()) {
    const u32 v = __ldcg(g.touched + k), i = v - (u32)g.lo;
    atomicAnd(g.marks + (i >> 5), ~(1u << (i & 31u)));
    if (update_vertex(g, t.known, old, out, v)) activate(g, t, v, count, edges);
  }
}
#endif

template <bool EVERY>
__device__ void pull_all(const Args& g, const IterationState& t, const Fields& old, const Fields& out, u32& count, u64& edges, double* totals)
{
#if PART
  if (t.sampled) {
    pull<EVERY, true>(g, t, old, out, count, edges, totals);
    return;
  }
#endif
  pull<EVERY>(g, t, old, out, count, edges, totals);
}

__device__ void iterate(const Args& g, const IterationState& t, u32 model, const Fields& old, const Fields& out, u32& count, u64& edges,
                        double* totals)
{
  if (model == PULL) {
#if HAS_FRONTIER
    if (!t.every) {
      make_front(g, t);
      pull_all<false>(g, t, old, out, count, edges, totals);
    } else
#endif
    {
      fill_hot(g, old);
      pull_all<true>(g, t, old, out, count, edges, totals);
    }
  } else {
#if HAS_FRONTIER
    make_queue(g, t);
#endif
#if !SPARSE
    for (u64 v = g.lo + global_thread(); v < g.hi; v += grid_threads()) begin_push(g, t.known, old, out, (u32)v);
    grid_barrier(&g.control->arrived);
#endif
    push(g, t, old);
#if !SPARSE
    grid_barrier(&g.control->arrived);
    for (u64 v = g.lo + global_thread(); v < g.hi; v += grid_threads()) {
      const bool active = finish_pushed(g, t.known, old, out, (u32)v, totals);
      if (HAS_FRONTIER && active) activate(g, t, (u32)v, count, edges);
    }
#endif
  }
#if SPARSE
  grid_barrier(&g.control->arrived);
  apply_update(g, t, old, out, count, edges);
#endif
}
