// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Radix sort of edges on one GPU, stable, from the lowest digit up: the kernel behind every graph that a GPU makes.
//
// A key is `destination << bits | source`. Each block keeps its range of the keys in all passes (radix_pass.cuh). The
// first pass makes the keys, so unsorted keys are never written.
//
// FROM_DEGREES: keys of vertices by falling degree instead; FROM_WEIGHTS: keys of edges by row and weight, of which none
// is negative; FROM_KEYS: keys that other GPUs have sent. PAYLOAD: each key comes with the number of its edge.
#include "radix_pass.cuh"

#ifndef FROM_DEGREES
#define FROM_DEGREES 0
#endif
#ifndef FROM_WEIGHTS
#define FROM_WEIGHTS 0
#endif
#ifndef FROM_KEYS
#define FROM_KEYS 0
#endif
#ifndef WEIGHT
#define WEIGHT float
#endif
#ifndef DEGREE
#define DEGREE i32
#endif

struct Control {
  u32 arrived, pad;
  u64 sorted, distinct;  // keys, and keys without repeats
};

#if FROM_DEGREES
struct Source {
  const i64* offsets;
  const DEGREE* out_degrees;  // null: a graph whose edges have no direction
  u64 most;
  u32 bits;

  __device__ Candidate at(u64 j) const
  {
    const u64 degree = (u64)(offsets[j + 1] - offsets[j]) + (out_degrees ? (u64)out_degrees[j] : 0);
    return {(most - degree) << bits | j, 0, true};
  }
};
#elif FROM_WEIGHTS
__device__ __forceinline__ u32 bits_of(float x) { return __float_as_uint(x + 0.f); }  // -0 becomes 0
__device__ __forceinline__ u32 bits_of(u32 x) { return x; }
__device__ __forceinline__ u32 bits_of(i32 x) { return (u32)x; }

struct Source {
  const u32* rows;
  const WEIGHT* weights;
  u32 bits;

  __device__ Candidate at(u64 j) const { return {(u64)rows[j] << bits | bits_of(weights[j]), (u32)j, true}; }
};
#elif FROM_KEYS
struct Source {
  const u64* keys;
  const u32* indices;

  __device__ Candidate at(u64 j) const { return {keys[j], PAYLOAD ? indices[j] : 0u, true}; }
};
#else
using Source = EdgeColumns;
#endif

// Sorts `candidates` of a source by bits `first_bit` to `end_bit` of their keys, in as many passes as there are digits.
// keys_0 is the result of the first pass, and keys_1 of the second, which may be the memory that keys come from. `counts`
// holds DIGITS words for each block.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
lux_sort_edges(
#if FROM_DEGREES
  const i64* offsets, const DEGREE* out_degrees, u64 most,
#elif FROM_WEIGHTS
  const u32* rows, const WEIGHT* weights,
#elif FROM_KEYS
  const u64* keys, const u32* indices,
#else
  const u32* sources, const u32* destinations, u32 mirror, u32 drop_loops,
#endif
  u32 bits, i64 candidates, u32 first_bit, u32 end_bit, u64* keys_0, u64* keys_1, u32* indices_0, u32* indices_1,
  u32* counts, Control* control)
{
  __shared__ Shared shared;
#if FROM_DEGREES
  const Source source{offsets, out_degrees, most, bits};
#elif FROM_WEIGHTS
  const Source source{rows, weights, bits};
#elif FROM_KEYS
  const Source source{keys, indices};
#else
  const Source source{sources, destinations, mirror != 0, drop_loops != 0, bits};
#endif
  u64 first, end, n;
  range_of((u64)candidates, first, end);
  const auto made = [&](u64 j) { return source.at(j); };
  u32 shift = first_bit;
  u64 *from = keys_1, *to = keys_0;
  u32 *from_index = indices_1, *to_index = indices_0;
  const auto digit = [&](u64 key) { return (u32)(key >> shift) & (DIGITS - 1); };
  const auto write = [&](u32, u64 at, u64 key, u32 index) {
    to[at] = key;
#if PAYLOAD
    to_index[at] = index;
#endif
  };
  const auto swap = [&] {
    u64* const keys = from;
    u32* const index = from_index;
    from = to, to = keys, from_index = to_index, to_index = index;
  };
  count_range(made, first, end, digit, shared, counts);
  grid_barrier(&control->arrived);
  n = place_digits(counts, shared);
  scatter_range(made, first, end, digit, shared, write);
  range_of(n, first, end);
  swap();
  for (shift += DIGIT_BITS; shift < end_bit; shift += DIGIT_BITS) {
    grid_barrier(&control->arrived);
    const auto given = [&](u64 j) {
      Candidate c = {load_shared_state(from + j), 0, true};
#if PAYLOAD
      c.index = load_shared_state(from_index + j);
#endif
      return c;
    };
    count_range(given, first, end, digit, shared, counts);
    grid_barrier(&control->arrived);
    place_digits(counts, shared);
    scatter_range(given, first, end, digit, shared, write);
    swap();
  }
  grid_barrier(&control->arrived);
  u64 distinct = 0;
  for (u64 i = first + threadIdx.x; i < end; i += THREADS)
    distinct += i == 0 || load_shared_state(from + i) != load_shared_state(from + i - 1);
  distinct = block_sum(distinct, shared.warp_totals);
  if (threadIdx.x == 0) atomicAdd(&control->distinct, distinct);
  if (threadIdx.x == 0 && blockIdx.x == 0) control->sorted = n;
}
