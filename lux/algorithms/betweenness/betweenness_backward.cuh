// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Betweenness: dependencies, from the last level back (see betweenness.cu).
#pragma once
#include "betweenness_forward.cuh"

struct Accumulator {
  double* centrality;
  double scale;
  bool endpoints;

  // A vertex's dependency from the sum of its deeper neighbours' factors.
  __device__ __forceinline__ void accumulate(const Paths& paths, u32 v, double sum) const
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
                                           const Accumulator& accumulator, u32 warp, u32 n_warps)
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
    if (v != NONE) accumulator.accumulate(paths, v, sum);
  }
}

__device__ __noinline__ void sweep_rows(const Graph& g, const PathScratch& scratch, const Items& items, u32 level,
                                        const Accumulator& accumulator, u32 warp, u32 n_warps)
{
  const Paths& paths = scratch.paths;
  if (level + 1 < FAR) sweep_back(g, scratch, items, NearFactors{paths.near, paths.factor, level + 1}, accumulator, warp, n_warps);
  else sweep_back(g, scratch, items, FarFactors{paths.depth, paths.factor, level + 1}, accumulator, warp, n_warps);
}

__device__ __forceinline__ void accumulate_long(const PathScratch& scratch, const Items& items, const Accumulator& accumulator, u64 thread,
                                            u64 n_threads)
{
  for (u64 i = thread; i < items.n_pieces; i += n_threads) {
    const u64 piece = scratch.pieces[items.piece_begin + i];
    if (piece >> 32 == 0) accumulator.accumulate(scratch.paths, (u32)piece, load_shared_state(scratch.paths.factor + (u32)piece));
  }
}

// The queue items of a level, and whether it is small.
__device__ __forceinline__ Items level_items(const Bound* bounds, u32 level, bool& small)
{
  const u32 row = load_shared_state(&bounds[level].row), piece = load_shared_state(&bounds[level].piece);
  small = piece & SMALL;
  return {row, load_shared_state(&bounds[level + 1].row) - row, piece & ~SMALL,
          (load_shared_state(&bounds[level + 1].piece) & ~SMALL) - (piece & ~SMALL)};
}
