// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// A step of gradient descent for the rows of both sides (equations 3 to 5 of the Lux paper), as `gradient_step` in
// lux/algorithms/factorization/kernels.py. LANES lanes read a neighbour's factor side by side, and each keeps its fours in registers: for
// the error, a shuffle adds up what shared memory would hold in the paper's hybrid.
#pragma once
#include "factors.cuh"

constexpr u32 PARTIAL = PADDED + 1;  // of a segment: its gradient and its curvature

struct Gradient {
  double of[EACH][4];
  double curvature;
};

// The factors that a step starts from: those of the rows of a side, and of their neighbours.
struct Old { const Real *own, *others; };

// The warp's number, next to which on another multiprocessor is the next.
__device__ __forceinline__ u32 spread_warp() { return warp_id() * gridDim.x + blockIdx.x; }

// Gathers the gradient of a row's ratings, in all of the WIDE lanes that share it. Their loads and shuffles are those of a warp,
// of which some lanes may have no row (v is NONE, and no ratings).
template <int SIDE, int WIDE>
__device__ __forceinline__ void gather(const Args& g, const Side& s, const Old& old, const Span& row, Gradient& found, Sums& sums)
{
  constexpr u32 TEAMS = WIDE / LANES;
  const u32 team = threadIdx.x % WIDE / LANES, lane = threadIdx.x % LANES;
  const u32 v = row.v == NONE ? 0 : row.v;
#if MOVED
  const Real* const own = row.v == NONE ? any_factor<SIDE>(g, old.own) : factor_of(g, old.own, v);
#else
  const Real* const own = old.own + (u64)v * PADDED;
#endif
  const bool rated = g.counts[v] != 0;
  Real mine[EACH][4], part[EACH][4];
  load_factor(own, mine);
#pragma unroll
  for (int k = 0; k < EACH; ++k)
    for (int i = 0; i < 4; ++i) part[k][i] = 0;
  found.curvature = 0;
  for (i64 base = row.first; WIDE == 32 ? base < row.end : __any_sync(ALL_LANES, base < row.end); base += TEAMS * AHEAD) {
    Real theirs[AHEAD][EACH][4];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const i64 e = base + k * TEAMS + team;
#if MOVED
      load_factor(e < row.end ? factor_of(g, old.others, s.neighbours[e]) : own, theirs[k]);
#else
      load_factor(old.others + (u64)(e < row.end ? s.neighbours[e] : v) * PADDED, theirs[k]);
#endif
    }
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const i64 e = base + k * TEAMS + team;
      const Real product = inner_product(theirs[k], mine);
      if (e >= row.end) continue;
      const Real error = (Real)s.ratings[e] - product;
      if (SIDE == RIGHT && lane == 0) add_error(g, s, e, rated, (double)error, sums);
      if (s.held_out[e]) continue;
      Real squares = 0;
#pragma unroll
      for (int j = 0; j < EACH; ++j)
        for (int i = 0; i < 4; ++i) {
          part[j][i] += error * theirs[k][j][i];
          squares += theirs[k][j][i] * theirs[k][j][i];
        }
      found.curvature += (double)squares;
    }
  }
#pragma unroll
  for (int j = 0; j < EACH; ++j)
    for (int i = 0; i < 4; ++i) found.of[j][i] = sum_over((double)part[j][i], LANES, WIDE);
  found.curvature = sum_over(found.curvature, 1, WIDE);
}

// The step of a row, which is `rate`, or where it is scaled, `rate` over a bound of the curvature.
template <int SIDE, int WIDE>
__device__ __forceinline__ void take_step(const Args& g, const Real* old, u32 v, const Gradient& found, u32 to, double rate, Sums& sums)
{
  if (v == NONE || threadIdx.x % WIDE >= LANES) return;
  const double weight = weight_of(g, v), bound = 2.0 * found.curvature + weight;
  const double step = !g.scaled ? rate : bound > 0.0 ? rate / bound : 0.0;
  Real x[EACH][4];
  load_factor(factor_of(g, old, v), x);
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const u32 chunk = threadIdx.x % LANES + k * LANES;
    if (chunk >= CHUNKS) continue;
    for (int i = 0; i < 4; ++i) {
      sums.penalty += weight * (double)x[k][i] * (double)x[k][i];
      x[k][i] = 4 * chunk + i < K ? (Real)((double)x[k][i] + step * (found.of[k][i] - weight * (double)x[k][i])) : Real(0);
    }
#if MOVED
    store4(new_factors<SIDE>(g, to) + (u64)place_of(g, v) * PADDED + 4 * chunk, x[k]);
#else
#pragma unroll
    for (int q = 0; q < PARTS; ++q) store4(factors(g, g.shared[q], to) + (u64)v * PADDED + 4 * chunk, x[k]);
#endif
  }
}

// `partial` is where this side's segments leave what they found.
template <int SIDE>
__device__ __noinline__ void descend_rows(const Args& g, u32 from, u32 to, double rate, double* partial, Sums& sums)
{
  constexpr u32 ROWS = 32 / LANES;  // of few ratings, that a warp takes
  const Side s = side_of<SIDE>(g);
  const Old old{old_factors<SIDE>(g, from), old_factors<1 - SIDE>(g, from)};
  const u32 warps = gridDim.x * WARPS, lane = lane_id();
  Gradient found;
  for (u32 item = spread_warp(); item < s.n_segments + s.n_large - s.n_hubs; item += warps) {
    const bool whole = item >= s.n_segments;
    const Span row = whole ? span_of(g, s.rows[s.n_hubs + item - s.n_segments]) : segment_of(g, s, item);
    gather<SIDE, 32>(g, s, old, row, found, sums);
    if (whole) {
      take_step<SIDE, 32>(g, old.own, row.v, found, to, rate, sums);
    } else if (lane < LANES) {
      double* const out = partial + (u64)item * PARTIAL;
#pragma unroll
      for (int k = 0; k < EACH; ++k)
        for (int i = 0; i < 4; ++i)
          if (lane + k * LANES < CHUNKS) out[4 * (lane + k * LANES) + i] = found.of[k][i];
      if (lane == 0) out[PADDED] = found.curvature;
    }
  }
  for (u32 first = s.n_large + spread_warp() * ROWS; first < s.n_rows; first += warps * ROWS) {
    const u32 row = first + lane / LANES;
    const Span span = row < s.n_rows ? span_of(g, s.rows[row]) : Span{NONE, 0, 0};
    gather<SIDE, LANES>(g, s, old, span, found, sums);
    take_step<SIDE, LANES>(g, old.own, span.v, found, to, rate, sums);
  }
}

template <int SIDE>
__device__ __noinline__ void descend_hubs(const Args& g, u32 from, u32 to, double rate, const double* partial, Sums& sums)
{
  const Side s = side_of<SIDE>(g);
  const u32 lane = lane_id();
  for (u32 hub = spread_warp(); hub < s.n_hubs; hub += gridDim.x * WARPS) {
    Gradient found{};
#pragma unroll 4
    for (u32 segment = s.first_segment[hub]; segment < s.first_segment[hub + 1]; ++segment) {
      const double* const in = partial + (u64)segment * PARTIAL;
#pragma unroll
      for (int k = 0; k < EACH; ++k)
        for (int i = 0; i < 4; ++i)
          if (lane < LANES && lane + k * LANES < CHUNKS) found.of[k][i] += __ldcg(in + 4 * (lane + k * LANES) + i);
      found.curvature += __ldcg(in + PADDED);
    }
    take_step<SIDE, 32>(g, old_factors<SIDE>(g, from), s.rows[hub], found, to, rate, sums);
  }
}

__device__ __forceinline__ void descend(const Args& g, u32 from, u32 to, double rate, Sums& sums)
{
  double *const left = g.partial, *const right = g.partial + (u64)g.n_segments_0 * PARTIAL;
  descend_rows<RIGHT>(g, from, to, rate, right, sums);
  descend_rows<LEFT>(g, from, to, rate, left, sums);
  if (g.n_hubs_0 + g.n_hubs_1 == 0) return;
  grid_barrier(&g.control->arrived);
  descend_hubs<RIGHT>(g, from, to, rate, right, sums);
  descend_hubs<LEFT>(g, from, to, rate, left, sums);
}
