// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the kernels of matrix factorizations: ratings by row, factors, and sums.
//
// A factor is LENGTH numbers of type REAL, padded with zeros to PADDED, so that four of them are one load. Each GPU has
// the factors of all vertices. Where GPUs meet (MOVED is 0) they lie in several slots, and a GPU writes the rows that it
// made into the slots of all GPUs; else Legion moves them, and each side's have stores of their own. Rows that belong
// to a GPU are listed for each side of the graph by falling number of ratings: first hubs, whose ratings are cut into
// segments of SEGMENT, then others, then those of few ratings, of which a warp takes several.
#pragma once
#include "multi_gpu_barrier.cuh"

using u8 = unsigned char;
using Real = REAL;
using Rating = RATING;
using Count = COUNT;

constexpr int LEFT = 0, RIGHT = 1;
constexpr int K = LENGTH, PADDED = (K + 3) / 4 * 4, CHUNKS = PADDED / 4;
constexpr int WARPS = THREADS / 32;
constexpr u32 HEADER = 4096;  // bytes before the slots: data that GPUs exchange

__host__ __device__ constexpr int lanes_of(int chunks) { return chunks <= 1 ? 1 : chunks <= 2 ? 2 : chunks <= 4 ? 4 : chunks <= 8 ? 8 : chunks <= 16 ? 16 : 32; }
constexpr int LANES = lanes_of(CHUNKS);              // lanes that share a factor
constexpr int EACH = (CHUNKS + LANES - 1) / LANES;   // fours that each of them has
constexpr int AHEAD = EACH > 1 ? 1 : sizeof(Real) == 4 ? 4 : 2;  // ratings whose factors are on their way

// The ratings of one side's rows.
struct Side {
  const u32 *rows, *hub_of, *first_segment;  // of a segment its hub, of a hub its first segment
  const u32* neighbours;
  const Rating* ratings;
  const u8* held_out;
  u32 n_segments, n_hubs, n_large, n_rows;
};

template <int SIDE>
__device__ __forceinline__ Side side_of(const Args& g)
{
  if (SIDE == LEFT)
    return {g.rows_0, g.hub_of_0, g.first_segment_0, g.neighbours_0, g.ratings_0, g.held_out_0,
            (u32)g.n_segments_0, (u32)g.n_hubs_0, (u32)g.n_large_0, (u32)g.n_rows_0};
  return {g.rows_1, g.hub_of_1, g.first_segment_1, g.neighbours_1, g.ratings_1, g.held_out_1,
          (u32)g.n_segments_1, (u32)g.n_hubs_1, (u32)g.n_large_1, (u32)g.n_rows_1};
}

// Ratings [first, end) of the vertex v.
struct Span {
  u32 v;
  i64 first, end;
};

__device__ __forceinline__ Span span_of(const Args& g, u32 v) { return {v, g.offsets[v], g.offsets[v + 1]}; }

__device__ __forceinline__ Span segment_of(const Args& g, const Side& s, u32 segment)
{
  const u32 hub = s.hub_of[segment];
  Span row = span_of(g, s.rows[hub]);
  row.first += (i64)(segment - s.first_segment[hub]) * SEGMENT;
  row.end = min(row.end, row.first + SEGMENT);
  return row;
}

// Sums over rows: squared errors, counted at their right ends, and regularization times squared norms.
struct Sums { double train = 0, test = 0, penalty = 0; };

__device__ __forceinline__ double weight_of(const Args& g, u32 v) { return g.by_degree ? g.regularization * (double)g.counts[v] : g.regularization; }

// The error of a rating; a test rating without a factor at either end is predicted to be the mean.
__device__ __forceinline__ void add_error(const Args& g, const Side& s, i64 e, bool rated, double error, Sums& sums)
{
  if (!s.held_out[e]) {
    sums.train += error * error;
    return;
  }
  if (!rated || g.counts[s.neighbours[e]] == 0) error = (double)s.ratings[e] - g.mean;
  sums.test += error * error;
}

// Factors

#if MOVED
// Returns the position of a vertex's factor among all: left ones come first.
__device__ __forceinline__ u32 place_of(const Args& g, u32 v)
{
#if PLACED
  return g.places[v];
#else
  return v;
#endif
}

// The factors of a side that a launch reads, and its own of those it makes, as if all began at place 0. There are no
// slots: a launch is given the stores.
template <int SIDE>
__device__ __forceinline__ const Real* old_factors(const Args& g, u32) { return SIDE == LEFT ? g.old_0 : g.old_1; }
template <int SIDE>
__device__ __forceinline__ Real* new_factors(const Args& g, u32) { return SIDE == LEFT ? g.new_0 : g.new_1; }
// One that there is, for lanes that need none.
template <int SIDE>
__device__ __forceinline__ const Real* any_factor(const Args& g, const Real* all) { return all + (SIDE == LEFT ? 0 : (u64)g.n_left * PADDED); }
#else
__device__ __forceinline__ Real* factors(const Args& g, char* memory, u32 slot) { return reinterpret_cast<Real*>(memory + HEADER + (u64)slot * g.slot_bytes); }

__device__ __forceinline__ u32 place_of(const Args&, u32 v) { return v; }
template <int SIDE>
__device__ __forceinline__ const Real* old_factors(const Args& g, u32 slot) { return factors(g, g.own, slot); }
template <int SIDE>
__device__ __forceinline__ Real* new_factors(const Args& g, u32 slot) { return factors(g, g.own, slot); }
#endif

// The factor of a vertex among those of its side.
__device__ __forceinline__ const Real* factor_of(const Args& g, const Real* all, u32 v) { return all + (u64)place_of(g, v) * PADDED; }

__device__ __forceinline__ void load4(const float* p, float (&x)[4])
{
  const float4 a = *reinterpret_cast<const float4*>(p);
  x[0] = a.x, x[1] = a.y, x[2] = a.z, x[3] = a.w;
}

__device__ __forceinline__ void load4(const double* p, double (&x)[4])
{
  const double2 a = reinterpret_cast<const double2*>(p)[0], b = reinterpret_cast<const double2*>(p)[1];
  x[0] = a.x, x[1] = a.y, x[2] = b.x, x[3] = b.y;
}

__device__ __forceinline__ void store4(float* p, const float (&x)[4]) { *reinterpret_cast<float4*>(p) = make_float4(x[0], x[1], x[2], x[3]); }

__device__ __forceinline__ void store4(double* p, const double (&x)[4])
{
  reinterpret_cast<double2*>(p)[0] = make_double2(x[0], x[1]);
  reinterpret_cast<double2*>(p)[1] = make_double2(x[2], x[3]);
}

// The fours of a factor that belong to this lane.
__device__ __forceinline__ void load_factor(const Real* factor, Real (&x)[EACH][4])
{
  const u32 lane = threadIdx.x % LANES;
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const u32 chunk = lane + k * LANES;
    if (chunk < CHUNKS) {
      load4(factor + 4 * chunk, x[k]);
    } else {
      for (int i = 0; i < 4; ++i) x[k][i] = 0;
    }
  }
}

// The inner product of two factors, in all lanes that share them.
__device__ __forceinline__ Real inner_product(const Real (&x)[EACH][4], const Real (&y)[EACH][4])
{
  Real sum = 0;
#pragma unroll
  for (int k = 0; k < EACH; ++k)
    for (int i = 0; i < 4; ++i) sum += x[k][i] * y[k][i];
  for (int d = LANES / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(ALL_LANES, sum, d);
  return sum;
}

__device__ __forceinline__ double sum_over(double x, int first, int end)
{
  for (int d = first; d < end; d <<= 1) x += __shfl_xor_sync(ALL_LANES, x, d);
  return x;
}

// Adds up the sums of all blocks, in an order that is always the same; in the first thread of the first block, where it
// returns true.
__device__ __forceinline__ bool add_up(const Args& g, const Sums& sums, double (&all)[3])
{
  __shared__ double scratch[32];
  const double own[3] = {sums.train, sums.test, sums.penalty};
  for (int i = 0; i < 3; ++i) {
    const double sum = block_sum(own[i], scratch);
    if (threadIdx.x == 0) g.block_sums[3 * blockIdx.x + i] = sum;
  }
  grid_barrier(&g.control->arrived);
  if (blockIdx.x) return false;
  for (int i = 0; i < 3; ++i) {
    double sum = 0;
    for (u32 block = threadIdx.x; block < gridDim.x; block += blockDim.x) sum += __ldcg(g.block_sums + 3 * block + i);
    all[i] = block_sum(sum, scratch);
  }
  return threadIdx.x == 0;
}
