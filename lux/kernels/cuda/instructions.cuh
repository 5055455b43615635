// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Instructions for which CUDA C++ has no function. Where kernels are compiled for CPU cores, as tests do
// (tests/cuda/), functions of the same names stand in for them.
#pragma once

// Acquire loads: writes that a thread made before it changed *p are visible afterwards. The first covers threads of this
// GPU, the second those of any GPU and core.
__device__ __forceinline__ u32 load_acquire(const u32* p)
{
  u32 x;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
  return x;
}

__device__ __forceinline__ u64 load_acquire_system(const u64* p)
{
  u64 x;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
  return x;
}

__device__ __forceinline__ void store_release_system(u64* p, u64 x)
{
  asm volatile("st.release.sys.global.u64 [%0], %1;" : : "l"(p), "l"(x) : "memory");
}

__device__ __forceinline__ u64 nanoseconds()
{
  u64 t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

// Loads that the compiler keeps in program order, so that several are in flight at once: of edges, which are read once,
// and of words in global or shared memory.
__device__ __forceinline__ u32 load_stream(const u32* p)
{
  u32 x;
  asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(x) : "l"(p));
  return x;
}

__device__ __forceinline__ u32 load_in_order(const u32* p)
{
  u32 x;
  asm volatile("ld.u32 %0, [%1];" : "=r"(x) : "l"(p));
  return x;
}

__device__ __forceinline__ u64 load_in_order(const u64* p)
{
  u64 x;
  asm volatile("ld.u64 %0, [%1];" : "=l"(x) : "l"(p));
  return x;
}
