// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Words: bits of numbers, moving them between lanes, and combining them atomically.
#pragma once
#include "common.cuh"

using u8 = unsigned char;
using u16 = unsigned short;

template <int BYTES> struct Bits;
template <> struct Bits<1> { using type = u8; };
template <> struct Bits<2> { using type = u16; };
template <> struct Bits<4> { using type = u32; };
template <> struct Bits<8> { using type = u64; };

template <typename T>
__device__ __forceinline__ typename Bits<sizeof(T)>::type bits_of(T x)
{
  typename Bits<sizeof(T)>::type w;
  memcpy(&w, &x, sizeof(T));
  return w;
}

template <typename T>
__device__ __forceinline__ void from_bits(typename Bits<sizeof(T)>::type w, T& x) { memcpy(&x, &w, sizeof(T)); }

template <typename T>
__device__ __forceinline__ T shuffle_word(u32 mask, T x, int d, int width)
{
  if constexpr (sizeof(T) < 4) return (T)__shfl_down_sync(mask, (int)x, d, width);
  else return __shfl_down_sync(mask, x, d, width);
}

template <typename T>
__device__ __forceinline__ T shuffle_word_from(T x, u32 lane)
{
  if constexpr (sizeof(T) < 4) return (T)__shfl_sync(ALL_LANES, (int)x, lane);
  else return __shfl_sync(ALL_LANES, x, lane);
}

// A value in global or shared memory, as load_in_order.
template <typename T>
__device__ __forceinline__ T load_either(const T* p)
{
  T x;
  if constexpr (sizeof(T) >= 4) from_bits(load_in_order(reinterpret_cast<const typename Bits<sizeof(T)>::type*>(p)), x);
  else x = *p;
  return x;
}

struct Add { template <typename T> static __device__ T of(T a, T x) { return a + x; } };
struct Min { template <typename T> static __device__ T of(T a, T x) { return x < a ? x : a; } };
struct Max { template <typename T> static __device__ T of(T a, T x) { return x > a ? x : a; } };
struct Or { template <typename T> static __device__ T of(T a, T x) { return a | x; } };
struct And { template <typename T> static __device__ T of(T a, T x) { return a & x; } };

// Combines x into *p; returns true if *p changed. A value that changes nothing costs only a load.
template <typename Operation, typename T>
__device__ __forceinline__ bool push_word(T* p, T x)
{
  using Word = typename Bits<sizeof(T)>::type;
  Word seen = bits_of(__ldcg(p));
  while (true) {
    T a;
    from_bits(seen, a);
    const Word w = bits_of(Operation::of(a, x));
    if (w == seen) return false;
    const Word was = atomicCAS(reinterpret_cast<Word*>(p), seen, w);
    if (was == seen) return true;
    seen = was;
  }
}

// Sums: the hardware adds.
template <> __device__ __forceinline__ bool push_word<Add>(double* p, double x) { atomicAdd(p, x); return x != 0; }
template <> __device__ __forceinline__ bool push_word<Add>(float* p, float x) { atomicAdd(p, x); return x != 0; }
template <> __device__ __forceinline__ bool push_word<Add>(u32* p, u32 x) { atomicAdd(p, x); return x != 0; }
template <> __device__ __forceinline__ bool push_word<Add>(i32* p, i32 x) { atomicAdd(p, x); return x != 0; }
template <> __device__ __forceinline__ bool push_word<Add>(u64* p, u64 x) { atomicAdd(p, x); return x != 0; }
template <> __device__ __forceinline__ bool push_word<Add>(i64* p, i64 x)
{
  atomicAdd(reinterpret_cast<u64*>(p), (u64)x);
  return x != 0;
}

// Computes the inner product of two vectors, for lux.dot. Numba's convention: the result through a pointer, a status back.
#define LUX_DOT(NAME, T)                                                                              \
  extern "C" __device__ int NAME(T* result, T* a, long long i, T* b, long long j, long long length)   \
  {                                                                                                   \
    T sum = a[i] * b[j];                                                                              \
    for (long long k = 1; k < length; ++k) sum += a[i + k] * b[j + k];                                \
    *result = sum;                                                                                    \
    return 0;                                                                                         \
  }
LUX_DOT(lux_dot_float32, float)
LUX_DOT(lux_dot_float64, double)
LUX_DOT(lux_dot_int32, int)
LUX_DOT(lux_dot_int64, long long)
