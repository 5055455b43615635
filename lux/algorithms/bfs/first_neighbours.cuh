// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The in-neighbour of each vertex that bottom-up levels test first, in an array of its own: most vertices find their parent
// there, and read nothing of their row, whose beginning is a sector of 32 bytes of memory for each vertex.
#pragma once
#include "parents.cuh"

// Vertices in the order by degree were dealt out in turns to so many ranges of places, so that the hubs of all ranges have
// the lowest turns. (Of graphs in another order there is one range, and the first edge of a row is taken.)
struct DealtRanges {
  u32 ranges, each, longer;  // places of a range; the first `longer` ranges have one more

  __device__ __forceinline__ DealtRanges(u32 n_vertices, u32 n_ranges)
      : ranges(n_ranges), each(n_vertices / n_ranges), longer(n_vertices % n_ranges) {}
  __device__ __forceinline__ u32 begin(u32 range) const { return range * each + min(range, longer); }
};

// The first edge from `low` to `high` whose source is `place` or later; sources rise.
__device__ __forceinline__ i64 first_from(const u32* neighbours, i64 low, i64 high, u32 place)
{
  while (low < high) {
    const i64 middle = (low + high) / 2;
    if (__ldg(neighbours + middle) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Writes the neighbour of the lowest turn of each of n_rows rows; NONE for rows without edges. All threads call it.
__device__ inline void find_first_neighbours(const i64* offsets, const u32* neighbours, u32 n_rows, const DealtRanges& dealt, u32* first)
{
  const u32 lane = lane_id(), n_warps = gridDim.x * WARPS;
  for (u64 at = (u64)spread_warp() * 32; at < n_rows; at += (u64)n_warps * 32) {
    i64 begin;
    u32 degree;
    row_of_offsets(offsets, (u32)at + lane, at + lane < n_rows, begin, degree);
    u32 found = degree ? __ldg(neighbours + begin) : NONE;
    u32 left = dealt.ranges > 1 ? __ballot_sync(ALL_LANES, degree > 1) : 0;
    for (; left; left &= left - 1) {
      const u32 row = __ffs((int)left) - 1;
      const i64 from = __shfl_sync(ALL_LANES, begin, row), end = from + __shfl_sync(ALL_LANES, degree, row);
      u64 best = ~0ull;  // turn << 32 | place
      for (u32 range = lane; range < dealt.ranges; range += 32) {
        const i64 e = first_from(neighbours, from, end, dealt.begin(range));
        const u32 place = e < end ? __ldg(neighbours + e) : NONE;
        if (place < dealt.begin(range + 1)) best = min(best, (u64)(place - dealt.begin(range)) << 32 | place);
      }
      for (int d = 16; d > 0; d >>= 1) best = min(best, __shfl_xor_sync(ALL_LANES, best, d));
      if (lane == row) found = (u32)best;
    }
    if (at + lane < n_rows) first[at + lane] = found;
  }
}
