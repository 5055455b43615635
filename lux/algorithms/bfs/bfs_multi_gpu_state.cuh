// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// A search on several GPUs (see bfs_multi_gpu.cu): arguments and messages of the kernels.
#pragma once
#include "bfs_search.cuh"
#include "first_neighbours.cuh"
#include "level_seconds.cuh"
#include "owned_places.cuh"
#include "peer_exchange.cuh"

enum MessageWord : u32 { NAMED, NAMED_IN_ALL, FOUND, EDGES };  // words of messages

// Zero when the kernel starts.
struct SearchControl {
  Slot slot[3];
  u32 named[MOST_GPUS];  // vertices that were named to each GPU in this level
  i64 finished;
  u32 arrived;
};

// `Members` are written in front of this text (lux/algorithms/bfs/multi_gpu.py).
struct Args : OwnedPlaces {
  __device__ __forceinline__ u32 first() const { return (u32)points[part]; }
  __device__ __forceinline__ u32 n_own() const { return (u32)(points[part + 1] - points[part]); }
  __device__ __forceinline__ u32 first_word() const { return (u32)((points[part] + 31) / 32); }
  __device__ __forceinline__ u32 n_words() const { return (u32)((points[part + 1] + 31) / 32) - first_word(); }
};

// Words of the next bitmap go to all GPUs.
struct AllBitmaps {
  const Args& g;
  u32* next;
  __device__ __forceinline__ void put(u32 w, u32 bits) const
  {
    next[w] = bits;
    for (u32 q = 0; q < (u32)g.parts; ++q)
      if (q != (u32)g.part) of_peer(g, q, next)[w] = bits;
  }
};

// Top-down. Every GPU has the bits of all vertices, and names no vertex twice; who owns one says whether it was new, and
// sets its bit everywhere.
struct MultiGpuVisitor : Search {
  static constexpr bool ORDERED = false;
  const Args& g;
  u32* seen;

  __device__ __forceinline__ MultiGpuVisitor(const Search& search, const Args& args, u32* bitmap) : Search(search), g(args), seen(bitmap) {}
  __device__ __forceinline__ bool may_claim(u32 v, u32) const { return !has_bit(seen, v); }
  __device__ __forceinline__ bool mark(u32 v) const
  {
    const u32 bit = 1u << (v & 31);
    return !(atomicOr_system(seen + (v >> 5), bit) & bit);
  }
  __device__ __forceinline__ void send_to_all(u32 v) const
  {
    for (u32 q = 0; q < (u32)g.parts; ++q)
      if (q != (u32)g.part) atomicOr_system(of_peer(g, q, seen) + (v >> 5), 1u << (v & 31));
  }
  __device__ __forceinline__ bool claim(u32 v, u32 from, u32) const
  {
    if (!mark(v)) return false;
    const u32 q = g.owner(v);
    if (q == (u32)g.part) {
      send_to_all(v);
      return true;
    }
    const u32 here = __activemask(), same = __match_any_sync(here, q), leader = __ffs((int)same) - 1;
    u32 at = 0;
    if (lane_id() == leader) at = atomicAdd(g.control->named + q, (u32)__popc(same));
    at = __shfl_sync(same, at, leader) + __popc(same & ((1u << lane_id()) - 1));
    of_peer(g, q, g.names)[g.inbox_of((u32)g.part, q) + at] = (u64)from << 32 | v;
    return false;
  }
  __device__ __forceinline__ void begin_level(u32, const Items&, bool) const {}
};

__shared__ u64 received[MESSAGE_WORDS][MOST_GPUS];

// The sum of a word over the messages of all GPUs.
__device__ __forceinline__ u64 received_in_all(const Args& g, MessageWord word)
{
  u64 sum = 0;
  for (u32 q = 0; q < (u32)g.parts; ++q) sum += received[word][q];
  return sum;
}
