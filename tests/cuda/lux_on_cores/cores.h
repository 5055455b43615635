// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// CUDA C++ for CPU cores, as far as Lux's kernels use it; included in front of a kernel's text (see machine.py).
//
// Threads take turns (cores.cc). A thread hands over where it waits for others, and now and then at an atomic, so that
// the threads of a warp part as they may on a GPU.
#pragma once
#include <cmath>
#include <cstring>
#include <type_traits>

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ thread_local  // a block has a thread of the machine for itself
#define __align__(N) __attribute__((aligned(N)))
#define __restrict__

using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

namespace cores {

struct Index { u32 x; };
// Where a call stands, as all threads that meet must come to the same.
struct Place { const char* file; int line; };
// What one of the threads that meet in a warp gives, and what it gets, of the words of all 32.
using Meet = u64 (*)(const u64* words, u32 mask, u32 lane, u64 argument);

// Without a call for each look at them; `__thread`, as they are never made.
extern __thread __attribute__((tls_model("initial-exec"))) Index thread_index, block_index, block_size, grid_size;
bool sync_block(Place, bool mine = false);  // whether any of the block says so
u64 sync_warp(Place, u32 mask, u64 word, u64 argument, Meet);
void wait();                  // for what other blocks or GPUs do
void part();                  // perhaps lets other threads of the block go first
void part_for_sure();
u64 nanoseconds();
constexpr u64 CLOCKS = 1000;  // of a multiprocessor in a nanosecond: more than any GPU has
[[noreturn]] void fail(Place, const char* what);

template <typename T>
u64 word_of(T x)
{
  static_assert(sizeof(T) <= 8);
  u64 word = 0;
  memcpy(&word, &x, sizeof x);
  return word;
}

template <typename T>
T from_word(u64 word)
{
  T x;
  memcpy(&x, &word, sizeof x);
  return x;
}

template <typename T, typename F>
T change(T* p, F f)
{
  part();
  const T before = *p;
  *p = f(before);
  return before;
}

}  // namespace cores

#define threadIdx cores::thread_index
#define blockIdx cores::block_index
#define blockDim cores::block_size
#define gridDim cores::grid_size

#define HERE_ cores::Place at = {__builtin_FILE(), __builtin_LINE()}

// Barriers and warps

inline void __syncthreads(HERE_) { cores::sync_block(at); }
inline int __syncthreads_or(int p, HERE_) { return cores::sync_block(at, p != 0); }
inline void __syncwarp(u32 mask = ~0u, HERE_)
{
  cores::sync_warp(at, mask, 0, 0, [](const u64*, u32, u32, u64) { return u64(0); });
}

// The lanes that are here are any of those that could be: a lane alone is always one.
inline u32 __activemask() { return 1u << (threadIdx.x & 31u); }

inline u32 __ballot_sync(u32 mask, bool p, HERE_)
{
  return (u32)cores::sync_warp(at, mask, p, 0, [](const u64* words, u32 lanes, u32, u64) {
    u64 found = 0;
    for (u32 k = 0; k < 32; ++k) found |= (u64)(lanes >> k & 1u && words[k]) << k;
    return found;
  });
}
inline bool __any_sync(u32 mask, bool p, HERE_) { return __ballot_sync(mask, p, at) != 0; }
inline bool __all_sync(u32 mask, bool p, HERE_) { return __ballot_sync(mask, p, at) == mask; }

template <typename T>
u32 __match_any_sync(u32 mask, T x, HERE_)
{
  return (u32)cores::sync_warp(at, mask, cores::word_of(x), 0, [](const u64* words, u32 lanes, u32 lane, u64) {
    u64 found = 0;
    for (u32 k = 0; k < 32; ++k) found |= (u64)(lanes >> k & 1u && words[k] == words[lane]) << k;
    return found;
  });
}

template <typename T, typename F>
T reduce_(u32 mask, T x, F, cores::Place at)
{
  const auto all = [](const u64* words, u32 lanes, u32 lane, u64) {
    T found = cores::from_word<T>(words[lane]);
    for (u32 k = 0; k < 32; ++k)
      if (lanes >> k & 1u) found = F()(found, cores::from_word<T>(words[k]));
    return cores::word_of(found);
  };
  return cores::from_word<T>(cores::sync_warp(at, mask, cores::word_of(x), 0, all));
}
struct Smaller { template <typename T> T operator()(T a, T b) const { return b < a ? b : a; } };
struct Larger { template <typename T> T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> T __reduce_min_sync(u32 mask, T x, HERE_) { return reduce_(mask, x, Smaller(), at); }
template <typename T> T __reduce_max_sync(u32 mask, T x, HERE_) { return reduce_(mask, x, Larger(), at); }

// argument: the lane, or how far it is, and the width << 32. A word is taken of a lane that meets only.
template <typename T>
T __shfl_sync(u32 mask, T x, u32 from, u32 width = 32, HERE_)
{
  const auto one = [](const u64* words, u32 lanes, u32 lane, u64 argument) {
    const u32 wide = (u32)(argument >> 32), of = (lane & ~(wide - 1)) + ((u32)argument & (wide - 1));
    if (!(lanes >> of & 1u)) cores::fail({"__shfl_sync", 0}, "a lane reads of one that is not in the mask");
    return words[of];
  };
  return cores::from_word<T>(cores::sync_warp(at, mask, cores::word_of(x), from | (u64)width << 32, one));
}

template <typename T>
T __shfl_down_sync(u32 mask, T x, u32 d, u32 width = 32, HERE_)
{
  const auto one = [](const u64* words, u32, u32 lane, u64 argument) {
    const u32 wide = (u32)(argument >> 32), of = lane + (u32)argument;
    return words[of / wide == lane / wide ? of : lane];
  };
  return cores::from_word<T>(cores::sync_warp(at, mask, cores::word_of(x), d | (u64)width << 32, one));
}

template <typename T>
T __shfl_up_sync(u32 mask, T x, u32 d, u32 width = 32, HERE_)
{
  const auto one = [](const u64* words, u32, u32 lane, u64 argument) {
    const u32 wide = (u32)(argument >> 32), back = (u32)argument;
    return words[lane % wide >= back ? lane - back : lane];
  };
  return cores::from_word<T>(cores::sync_warp(at, mask, cores::word_of(x), d | (u64)width << 32, one));
}

template <typename T>
T __shfl_xor_sync(u32 mask, T x, u32 other, HERE_)
{
  return __shfl_sync(mask, x, (threadIdx.x & 31u) ^ other, 32, at);
}

// Memory: a thread that does not wait is alone, so plain loads and stores do.

template <typename T> T __ldg(const T* p) { return *p; }
template <typename T>
T __ldcg(const T* p)
{
  if constexpr (std::is_arithmetic_v<T>) return *static_cast<const volatile T*>(p);
  else return *p;
}
template <typename T> T __ldca(const T* p) { return *p; }
template <typename T> T __ldcs(const T* p) { return *p; }
template <typename T, typename U> void __stcg(T* p, U x) { *p = (T)x; }
template <typename T, typename U> void __stcs(T* p, U x) { *p = (T)x; }
inline void __threadfence() {}
inline void __threadfence_system() {}
template <typename T, typename U> T atomicAdd(T* p, U x) { return cores::change(p, [=](T a) { return (T)(a + (T)x); }); }
template <typename T, typename U> T atomicMin(T* p, U x) { return cores::change(p, [=](T a) { return (T)x < a ? (T)x : a; }); }
template <typename T, typename U> T atomicMax(T* p, U x) { return cores::change(p, [=](T a) { return (T)x > a ? (T)x : a; }); }
template <typename T, typename U> T atomicMin_system(T* p, U x) { return atomicMin(p, x); }
template <typename T, typename U> T atomicOr(T* p, U x) { return cores::change(p, [=](T a) { return a | (T)x; }); }
template <typename T, typename U> T atomicOr_system(T* p, U x) { return atomicOr(p, x); }
template <typename T, typename U> T atomicAnd(T* p, U x) { return cores::change(p, [=](T a) { return a & (T)x; }); }
template <typename T, typename U> T atomicExch(T* p, U x) { return cores::change(p, [=](T) { return (T)x; }); }

template <typename T, typename U, typename V>
T atomicCAS(T* p, U seen, V x)
{
  const T was = cores::change(p, [=](T a) { return a == (T)seen ? (T)x : a; });
  if (was != (T)seen) cores::part_for_sure();  // it may wait for whom it has to let go on
  return was;
}

// instructions.cuh

inline u32 load_acquire(const u32* p) { return cores::wait(), *static_cast<const volatile u32*>(p); }
inline u64 load_acquire_system(const u64* p) { return cores::wait(), *static_cast<const volatile u64*>(p); }
inline void store_release_system(u64* p, u64 x) { *p = x; }
inline u64 nanoseconds() { return cores::nanoseconds(); }
inline i64 clock64() { return (i64)(cores::CLOCKS * cores::nanoseconds()); }
inline u32 load_stream(const u32* p) { return *p; }
inline u32 load_in_order(const u32* p) { return *p; }
inline u64 load_in_order(const u64* p) { return *p; }

// Numbers

struct uint2 { u32 x, y; };
struct uint4 {
  u32 x, y, z, w;
  uint4& operator=(const uint4& other)
  {
    if ((u64)this & 15u) cores::fail({"uint4", 0}, "16 bytes are written where 16 do not divide the address");
    x = other.x, y = other.y, z = other.z, w = other.w;
    return *this;
  }
};
struct __align__(16) float4 { float x, y, z, w; };
struct __align__(16) double2 { double x, y; };
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }
inline uint2 make_uint2(u32 x, u32 y) { return {x, y}; }
inline uint4 make_uint4(u32 x, u32 y, u32 z, u32 w) { return {x, y, z, w}; }
template <typename A, typename B> std::common_type_t<A, B> min(A a, B b)
{
  using T = std::common_type_t<A, B>;
  return (T)b < (T)a ? (T)b : (T)a;
}
template <typename A, typename B> std::common_type_t<A, B> max(A a, B b)
{
  using T = std::common_type_t<A, B>;
  return (T)a < (T)b ? (T)b : (T)a;
}
inline int __popc(u32 x) { return __builtin_popcount(x); }
inline int __popcll(u64 x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) { return x ? __builtin_clz((u32)x) : 32; }
inline u32 __funnelshift_r(u32 low, u32 high, u32 shift) { return (u32)(((u64)high << 32 | low) >> (shift & 31u)); }
inline float __int_as_float(int x) { return cores::from_word<float>((u32)x); }
inline float __uint_as_float(u32 x) { return cores::from_word<float>(x); }
inline u32 __float_as_uint(float x) { return (u32)cores::word_of(x); }
inline double __longlong_as_double(i64 x) { return cores::from_word<double>((u64)x); }
inline i64 __double_as_longlong(double x) { return (i64)cores::word_of(x); }

// A launch

namespace cores {

struct Kernel {
  void (*body)(const u64* words);
  void* (*shared)();  // an address in the shared memory of the block that asks
};

// Runs `blocks` blocks of a kernel on each of `gpus` GPUs side by side, GPU k with the arguments words[k * n_words].
// Returns what went wrong; null: nothing.
const char* launch(Kernel, const u64* words, int n_words, int gpus, int blocks, int threads, unsigned seed);

template <typename T>
T argument(const u64*& word)
{
  T x;
  memcpy(&x, word, sizeof x);
  word += (sizeof x + 7) / 8;
  return x;
}

template <typename... A>
void call(void (*kernel)(A...), const u64* words)
{
  struct Call {
    Call(void (*f)(A...), A... arguments) { f(arguments...); }
  } made{kernel, argument<A>(words)...};  // braces: from left to right
}

}  // namespace cores

#define LUX_LAUNCHED(KERNEL)                                                                                             \
  static __thread u64 shared_memory;                                                                                     \
  extern "C" __attribute__((visibility("default"))) const char* launch_on_cores(const u64* words, int n_words, int gpus, \
                                                                                int blocks, int threads, unsigned seed)  \
  {                                                                                                                      \
    return cores::launch({[](const u64* at) { cores::call(KERNEL, at); }, []() -> void* { return &shared_memory; }},     \
                         words, n_words, gpus, blocks, threads, seed);                                                   \
  }
