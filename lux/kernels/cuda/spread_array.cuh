// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// An array of which each of some GPUs has a part, as `lux.launch.peer_call.spread_table` describes it.
#pragma once
#include "common.cuh"

template <typename T>
struct SpreadArray {
  const T* whole;    // null: it is spread
  const u64* table;  // addresses of the parts, moved back so that all count from element 0; then the end of each
  u32 parts;

  __device__ __forceinline__ T operator[](u64 i) const
  {
    if (whole) return whole[i];
    u32 q = 0;
    while (q + 1 < parts && i >= __ldg(table + parts + q)) q++;
    return reinterpret_cast<const T*>(__ldg(table + q))[i];
  }
};
