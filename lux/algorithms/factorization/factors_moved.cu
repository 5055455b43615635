// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Matrix factorization on GPUs between which Legion moves factors: of several processes, or that do not reach each other's
// memory. A launch makes the factors of this GPU's rows of one side (least squares) or of both (gradient descent) from
// stores that it is given, and adds up errors; what comes next the host decides from those.
#if LEAST_SQUARES
#include "factors_least_squares.cuh"
#else
#include "factors_gradient.cuh"
#endif

constexpr i64 BEGIN = 2, END = 3;  // `what`, besides the side whose factors a launch makes
constexpr int SUMS = 8;            // numbers of a GPU's row of `sums`: three sums, seconds, and which GPU has written them

// The first factors of this GPU's rows of a side, padded.
template <int SIDE>
__device__ void begin(const Args& g)
{
  const Side s = side_of<SIDE>(g);
  Real* const to = new_factors<SIDE>(g, 0);
  for (u64 k = global_thread(); k < (u64)s.n_rows * PADDED; k += grid_threads()) {
    const u32 v = s.rows[k / PADDED], c = (u32)(k % PADDED);
    to[(u64)place_of(g, v) * PADDED + c] = c < K ? g.first[(u64)v * K + c] : Real(0);
  }
}

// This GPU's part of the result, in the order of vertices.
__device__ void end(const Args& g)
{
  const u64 elements = (u64)(g.result_end - g.result_begin) * K;
  for (u64 k = global_thread(); k < elements; k += grid_threads()) {
    const u32 place = place_of(g, (u32)(g.result_begin + k / K));
    const Real* const all = place < g.n_left ? g.old_0 : g.old_1;
    g.result[k] = all[(u64)place * PADDED + k % K];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) lux_factorize(const __grid_constant__ Args g)
{
  if (g.what == BEGIN) {
    begin<LEFT>(g);
    begin<RIGHT>(g);
    return;
  }
  if (g.what == END) {
    end(g);
    return;
  }
  const u64 began = nanoseconds();
  Sums sums;
#if LEAST_SQUARES
  if (g.what == LEFT) least_squares<LEFT>(g, 0, 0, sums);
  else least_squares<RIGHT>(g, 0, 0, sums);
#else
  descend(g, 0, 0, g.rate, sums);
#endif
  double all[3];
  if (!add_up(g, sums, all)) return;
  double* const out = g.sums;
  for (int i = 0; i < 3; ++i) out[i] = all[i];
  out[3] = 1e-9 * (double)(nanoseconds() - began);
  if (g.before)
    for (int i = 0; i < 4; ++i) out[i] += g.before[i];
  out[4] = (double)(g.part + 1);
  for (int i = 5; i < SUMS; ++i) out[i] = 0;
}
