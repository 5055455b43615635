// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Synthetic edges by number, the same as lux/graph/construction/generate_kernels.py makes on cores: R-MAT and uniform.
#include "common.cuh"

constexpr u32 THREADS = 1024;
constexpr u64 GOLDEN = 0x9E3779B97F4A7C15ull, MIX_1 = 0xBF58476D1CE4E5B9ull, MIX_2 = 0x94D049BB133111EBull;

// Finaliser of splitmix64.
__device__ __forceinline__ u64 mix(u64 z)
{
  z = (z ^ (z >> 30)) * MIX_1;
  z = (z ^ (z >> 27)) * MIX_2;
  return z ^ (z >> 31);
}

// A bijection of the integers 0 to `mask`.
struct Shuffle {
  u64 mask, k0, k1, k2;
  u32 half;

  __device__ __forceinline__ u32 operator()(u64 v) const
  {
    v = ((v ^ k0) * (k1 | 1)) & mask;
    v ^= v >> half;
    v = (v * (k2 | 1) + k0) & mask;
    v ^= v >> half;
    v = (v * (k0 | 1) + k1) & mask;
    v ^= v >> half;
    return (u32)(v & mask);
  }
};

// Edges first_edge to first_edge + n - 1. a, ab and abc are the sums of probabilities as fractions of 2^32.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_generate_rmat(u64 first_edge, i64 n, u32 scale, u64 seed, u64 a, u64 ab, u64 abc, u32 shuffled, u32* sources,
                  u32* destinations, u32* control)
{
  const u64 start = mix(seed + GOLDEN);
  const Shuffle shuffle{(1ull << scale) - 1, mix(start + 1), mix(start ^ MIX_1), mix(start ^ MIX_2), (scale + 1) / 2};
  const u32 pairs = scale / 2;
  const auto draw = [&](u64 x, u64& u, u64& v) {
    const u64 row = x >= ab;
    u = u << 1 | row;
    v = v << 1 | ((u64)(x >= a) ^ row ^ (u64)(x >= abc));
  };
  for (u64 i = global_thread(); i < (u64)n; i += grid_threads()) {
    u64 state = start + (first_edge + i) * (pairs + 2) * GOLDEN, u = 0, v = 0;
    for (u32 k = 0; k < pairs; k++, state += GOLDEN) {
      const u64 z = mix(state);
      draw(z & 0xffffffffu, u, v);
      draw(z >> 32, u, v);
    }
    if (scale & 1) draw(mix(state) & 0xffffffffu, u, v);
    sources[i] = shuffled ? shuffle(u) : (u32)u;
    destinations[i] = shuffled ? shuffle(v) : (u32)v;
  }
}

// Edges whose ends are any of n_vertices.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_generate_uniform(u64 first_edge, i64 n, u64 n_vertices, u64 seed, u32* sources, u32* destinations, u32* control)
{
  const u64 start = mix(seed + MIX_2);
  for (u64 i = global_thread(); i < (u64)n; i += grid_threads()) {
    const u64 state = start + (first_edge + i) * 2 * GOLDEN;
    sources[i] = (u32)(mix(state) % n_vertices);
    destinations[i] = (u32)(mix(state + GOLDEN) % n_vertices);
  }
}
