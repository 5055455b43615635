// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Results of searches on several GPUs, in the order of ids (lux/algorithms/multi_gpu/id_order.py). Where the graph is
// stored in an order of its own, what is found is noted by place; in the end each GPU looks up what every other wants, in
// its own memory, and writes it into that of the other, as random reads of another's memory would take 32 bytes each.
//
// `Args` has source, send_at, inbox_at, own_ids, first_id, and the arrays inbox, vertices, sends, slots, distance and
// parent, peer and base.
#pragma once
#include "look_up.cuh"

// Returns the address of another GPU's array; it has the same offset in the scratch memory of every GPU.
template <class Args, typename T>
__device__ __forceinline__ T* of_peer(const Args& g, u32 q, T* mine)
{
  return reinterpret_cast<T*>(g.peer[q] + (reinterpret_cast<char*>(mine) - g.base));
}

constexpr u64 UNREACHED = ~0ull;  // by place; -1 of distance and parent

// Results of a search. Two arrays that are written vertex by vertex in another order than they lie in
// would cost more than the search.
struct Results {
  i32 *distance, *parent;
  u64* by_place;  // level << 32 | the parent's place; null where places are ids

  __device__ __forceinline__ void set_result(u32 v, u32 from, u32 level) const
  {
    if (by_place) by_place[v] = (u64)level << 32 | from;
    else distance[v] = (i32)level, parent[v] = (i32)from;
  }
};

// The parent by its id.
__device__ __forceinline__ u64 with_id(const u32* vertices, u64 what)
{
  return what == UNREACHED ? what : what >> 32 << 32 | __ldg(vertices + (u32)what);
}

// Sends results to the GPUs that have the ids: look(place) is that of a place, and named(it) is sent. Returns the bytes
// that others get.
template <class Args, class Look, class Named>
__device__ __noinline__ u64 send_all(const Args& g, u32 part, u32 parts, const Look& look, const Named& named)
{
  for (u32 i = 0; i < parts; ++i) {
    const u32 to = (part + 1 + i) % parts;
    const u64 n = (u64)(g.send_at[to + 1] - g.send_at[to]);
    const u32* list = g.sends + g.send_at[to];
    auto* inbox = (to == part ? g.inbox : of_peer(g, to, g.inbox)) + g.inbox_at[to];
    const auto found = [&](u32 place) { return place != NONE ? look(place) : UNREACHED; };
    look_up(n, list, found, named, [&](u64 k, u64 what) { inbox[k] = what; });
  }
  return sizeof(*g.inbox) * (u64)(g.send_at[parts] - (g.send_at[part + 1] - g.send_at[part]));
}

// Sends levels, or distances, and parents, which get their ids.
template <class Args, class Look>
__device__ __forceinline__ u64 send_all(const Args& g, u32 part, u32 parts, const Look& look)
{
  return send_all(g, part, parts, look, [&](u64 what) { return with_id(g.vertices, what); });
}

// Takes the results that were sent to this GPU, in the order of its ids, and calls put(i, result) for the i-th of these.
// With one GPU nothing is sent: its slots are places.
template <class Args, class Put>
__device__ __noinline__ void take_all(const Args& g, u32 parts, const u64* by_place, const Put& put)
{
  const u32 source = __ldg(g.vertices + g.source);
  const u64 own_source = (u64)source - (u64)g.first_id;
  const u64* inbox = parts > 1 ? g.inbox : by_place;
  const auto name = [&](u64 what) { return parts == 1 ? with_id(g.vertices, what) : what; };
  const auto sent = [&](u32 slot) { return slot != NONE ? __ldcg(inbox + slot) : UNREACHED; };
  look_up((u64)g.own_ids, g.slots, sent, name, [&](u64 i, u64 what) {
    if (i == own_source) what = source;
    put(i, what);
  });
}

// Takes levels and parents.
template <class Args>
__device__ __forceinline__ void take_all(const Args& g, u32 parts, const u64* by_place)
{
  take_all(g, parts, by_place, [&](u64 i, u64 what) {
    g.distance[i] = (i32)(what >> 32);
    g.parent[i] = (i32)(u32)what;
  });
}
