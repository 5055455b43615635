// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Sums over rows of neighbours, by warps.
#pragma once
#include "common.cuh"

// Sums a term's values over each lane's row, for the first `batch` lanes (a power of two). Groups of lanes share each row,
// as many as the longest row needs, so rows of similar length are best. A term has a test of neighbours, and their value.
// CONSTANT: nothing in this launch writes the neighbours.
template <bool CONSTANT = true, class Term>
__device__ __forceinline__ double row_sums(const u32* neighbours, i64 begin, u32 degree, u32 batch, const Term& term)
{
  const u32 lane = lane_id();
  const u32 longest = __reduce_max_sync(ALL_LANES, degree);
  if (longest == 0) return 0;
  u32 group = 32 / batch;
  while (group < 32 && longest > group * 8) group <<= 1;
  const u32 per_round = 32 / group;
  double mine = 0;
  for (u32 r = 0; r < batch; r += per_round) {
    const u32 owner = r + lane / group;
    const u32* row = neighbours + __shfl_sync(ALL_LANES, begin, owner);
    const u32 n = __shfl_sync(ALL_LANES, degree, owner);
    double sum = 0;
    for (u32 e = lane & (group - 1); e < n; e += 4 * group) {
      u32 to[4];
      bool hit[4];
      double x[4];
      #pragma unroll
      for (int k = 0; k < 4; k++) {
        const u32* const at = row + min(e + k * group, n - 1);
        to[k] = CONSTANT ? __ldg(at) : __ldcg(at);
      }
      #pragma unroll
      for (int k = 0; k < 4; k++) hit[k] = e + k * group < n && term.wanted(to[k]);
      #pragma unroll
      for (int k = 0; k < 4; k++) x[k] = hit[k] ? term.value(to[k]) : 0.0;
      sum += (x[0] + x[1]) + (x[2] + x[3]);
    }
    for (u32 d = group / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(ALL_LANES, sum, d);
    const double got = __shfl_sync(ALL_LANES, sum, ((lane - r) * group) & 31);
    if (lane - r < per_round) mine = got;
  }
  return mine;
}
