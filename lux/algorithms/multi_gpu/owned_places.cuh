// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Places that GPUs own, each a range. `Members` are written in front of this text; among them are `points`, where the ranges
// begin and the last one ends, and `most`, the places of a GPU, at most.
#pragma once
#include "common.cuh"

struct OwnedPlaces : Members {
  __device__ __forceinline__ u32 owner(u32 v) const
  {
    u32 q = 0;
    while ((i64)v >= points[q + 1]) ++q;
    return q;
  }
  // Where in each GPU's inbox, which has room for all places of a GPU from each other one, what another sends begins.
  __device__ __forceinline__ u64 inbox_of(u32 sender, u32 receiver) const
  {
    return (u64)(sender - (sender > receiver)) * most;
  }
};
