// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Weakly connected components on several GPUs: Afforest (see components.cu), by one persistent cooperative
// kernel on each. A GPU owns a range of places and links the edges of their rows in a forest of all places, of which
// the words of its own places are the truth. A GPU writes to the memory of the others:
//
// - at first it points each of its places to the smallest neighbour, in the forests of all GPUs: 4 bytes a place;
// - where it hooks a root of its own, it does so in the forests of all;
// - where it hooks another GPU's root, in its own forest, it sends both ends to the owner (8 bytes), which links them,
//   too. A root is hooked to a smaller place and an owner passes on smaller places, so that this ends.
//
// Then no root is left that another GPU has hooked, and a walk leads to the same root on all GPUs. The smallest id of a
// tree is gathered by the owner of its root, where the others read it.
//
// Launch: cooperative, static shared memory only. A launch of number 0 only has Legion place all stores; before the
// first run messages are zero.
#include "components_forest.cuh"
#include "id_order.cuh"
#include "level_seconds.cuh"
#include "owned_places.cuh"
#include "peer_exchange.cuh"

enum MessageWord : u32 { HOOKS, HOOKS_IN_ALL, LEAST };

// Zero when the kernel starts.
struct PartControl {
  u32 words[8];         // of components_forest.cuh
  u32 hooks[MOST_GPUS];  // that each GPU has been sent
  u32 n_roots;          // of other GPUs that places of this one have
  u32 least;            // complement of the smallest id in the largest tree
  i64 finished;
};

// `Members` are written in front of this text (lux/algorithms/components/multi_gpu.py).
struct Args : OwnedPlaces {
  __device__ __forceinline__ bool own(u32 v) const { return (i64)v >= points[part] && (i64)v < points[part + 1]; }
};

__shared__ u64 received[MESSAGE_WORDS][MOST_GPUS];
__shared__ u32 done[MOST_GPUS];  // hooks of each GPU that have been linked

// The forest of a GPU among several.
struct PartForest {
  u32* at;
  const Args& g;

  __device__ __forceinline__ void show(u32 v, u32 to) const
  {
    for (u32 q = 0; q < (u32)g.parts; ++q) (q == (u32)g.part ? at : of_peer(g, q, at))[v] = to;
  }
  __device__ __forceinline__ void hooked(u32 high, u32 low) const
  {
    const u32 q = g.owner(high);
    if (q == (u32)g.part) {
      for (u32 other = 0; other < (u32)g.parts; ++other)
        if (other != q) of_peer(g, other, at)[high] = low;
      return;
    }
    const u32 here = __activemask(), same = __match_any_sync(here, q), leader = __ffs((int)same) - 1;
    u32 k = 0;
    if (lane_id() == leader) k = atomicAdd(g.control->hooks + q, (u32)__popc(same));
    k = __shfl_sync(same, k, leader) + __popc(same & ((1u << lane_id()) - 1));
    of_peer(g, q, g.hooks)[g.inbox_of((u32)g.part, q) + k] = (u64)high << 32 | low;
  }
};

// What the steps of a run share.
struct Steps {
  const Args& g;
  const PeerExchange& peers;
  const PartForest& forest;
  u64& number;  // of the last exchange
  u64& linked;  // hooks of all GPUs that have been linked

  template <class Say> __device__ __forceinline__ bool meet(const Say& say) const
  {
    all_here(peers.arrived);
    lap(WORKING);
    const bool met = exchange(peers, ++number, received, say);
    lap(EXCHANGING);
    return met;
  }
  __device__ __forceinline__ bool meet() const
  {
    return meet([](u32, u64*) {});
  }

  // Links what other GPUs have hooked, until none has hooked another's root. False where a GPU is lost.
  __device__ __forceinline__ bool link_hooked() const
  {
    for (;;) {
      const bool met = meet([&](u32 q, u64* word) {
        u64 all = 0;
        for (u32 k = 0; k < (u32)g.parts; ++k) all += __ldcg(g.control->hooks + k);
        word[HOOKS] = __ldcg(g.control->hooks + q), word[HOOKS_IN_ALL] = all;
      });
      if (!met) return false;
      u64 all = 0;
      for (u32 q = 0; q < (u32)g.parts; ++q) all += received[HOOKS_IN_ALL][q];
      if (all == linked) return true;
      linked = all;
      for (u32 q = 0; q < (u32)g.parts; ++q) {
        if (q == (u32)g.part) continue;
        const u64* const hooks = g.hooks + g.inbox_of(q, (u32)g.part);
        for (u64 k = done[q] + global_thread(); k < received[HOOKS][q]; k += grid_threads()) {
          const u64 hook = __ldcg(hooks + k);
          link(forest, (u32)(hook >> 32), (u32)hook);
        }
      }
      __syncthreads();
      if (threadIdx.x < (u32)g.parts) done[threadIdx.x] = received[HOOKS][threadIdx.x];
    }
  }

  // Points the places of this GPU to their roots, and finds the largest tree. All GPUs find the same, as none hooks a
  // root before all have looked.
  __device__ __forceinline__ bool flatten_and_sample(const Graph& rows) const
  {
    flatten(rows, forest.at);
    grid_barrier(peers.arrived);
    const auto is_linked = [&](u32 v) { return __ldcg(forest.at + v) != v; };
    if (blockIdx.x == 0) sample_roots((u32)g.n_vertices, forest.at, g.control->words, is_linked);
    return meet();
  }

  // Finds the smallest id of the trees that have places of this GPU; `least` is that of the tree of root `large`.
  __device__ __forceinline__ bool gather_smallest(const Graph& rows, u32 large, u32& least) const
  {
    least = NONE;
    for (u64 p = rows.first + global_thread(); p < rows.end; p += grid_threads()) {
      const u32 root = root_of(forest.at, (u32)p), id = __ldg(g.vertices + p);
      if (root == large) {
        least = min(least, id);
      } else if (__ldcg(g.smallest + root) > id) {
        const u32 before = atomicMin(g.smallest + root, id);
        if (before == NONE && !g.own(root)) g.roots[append(&g.control->n_roots)] = root;
      }
    }
    least = __reduce_min_sync(ALL_LANES, least);
    if (lane_id() == 0 && least != NONE) atomicMax(&g.control->least, ~least);
    if (!meet([&](u32, u64* word) { word[LEAST] = __ldcg(&g.control->least); })) return false;
    u64 complement = 0;
    for (u32 q = 0; q < (u32)g.parts; ++q) complement = max(complement, received[LEAST][q]);
    least = ~(u32)complement;
    const u32 n_roots = __ldcg(&g.control->n_roots);
    for (u64 k = global_thread(); k < n_roots; k += grid_threads()) {
      const u32 root = __ldcg(g.roots + k);
      atomicMin_system(of_peer(g, g.owner(root), g.smallest) + root, __ldcg(g.smallest + root));
    }
    if (!meet()) return false;
    for (u64 k = global_thread(); k < n_roots; k += grid_threads()) {
      const u32 root = __ldcg(g.roots + k);
      __stcg(g.smallest + root, __ldcg(of_peer(g, g.owner(root), g.smallest) + root));
    }
    grid_barrier(peers.arrived);
    return true;
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 2048 / THREADS > 2 ? 2 : 2048 / THREADS)
lux_components_parts(const __grid_constant__ Args g)
{
  if (g.number == 0) return;
  if (global_thread() == 0) laps = {nanoseconds(), {0, 0}};
  if (threadIdx.x < MOST_GPUS) done[threadIdx.x] = 0;
  u32* const control = g.control->words;
  const PeerExchange peers{(u32)g.part, (u32)g.parts, g.messages, g.peer, (u64)g.messages_at, control + BARRIER,
                           &g.control->finished, g.outcome};
  const Graph rows{g.offsets, g.neighbours, (u32)g.points[g.part], (u32)g.points[g.part + 1]};
  const u32 room = (u32)((g.offsets[rows.end] - g.offsets[rows.first]) / 1024) + 2;
  const PartForest forest{g.forest, g};
  u64 number = (u64)g.exchanges, linked = 0;
  const Steps steps{g, peers, forest, number, linked};

  for (u64 v = global_thread(); v < (u64)g.n_vertices; v += grid_threads()) {
    g.forest[v] = (u32)v;
    if (g.vertices) g.smallest[v] = NONE;
  }
  if (!steps.meet()) return;
  point_to_first(rows, [&](u32 v, u32 to) {
    if (to != v) forest.show(v, to);
  });
  if (!steps.meet()) return;
  if (!steps.flatten_and_sample(rows)) return;
  u32 skip = 0;
  if (__ldcg(control + SHARE) < ENOUGH) {
    link_first_two(rows, forest);
    skip = 2;
    if (!steps.link_hooked() || !steps.flatten_and_sample(rows)) return;
  }
  const u32 most = __ldcg(control + MOST);
  link_rows(rows, forest, g.both ? most : NONE, skip, g.rows, room, control);
  grid_barrier(peers.arrived);
  link_waiting(rows, forest, skip, g.rows, room, control);
  if (!steps.link_hooked()) return;

  u64 ordered = 0;
  if (g.vertices) {
    const u32 large = root_of(g.forest, most == NONE ? 0u : most);
    u32 least;
    if (!steps.gather_smallest(rows, large, least)) return;
    const auto look = [&](u32 place) -> u64 {
      const u32 root = root_of(g.forest, place);
      return root == large ? least : __ldcg(g.smallest + root);
    };
    ordered = send_all(g, (u32)g.part, (u32)g.parts, look, [](u64 id) { return id; });
    if (!steps.meet()) return;
    const auto sent = [&](u32 slot) -> u64 { return slot != NONE ? __ldcg(g.inbox + slot) : UNREACHED; };
    look_up((u64)g.own_ids, g.slots, sent, [](u64 id) { return id; },
            [&](u64 i, u64 id) { g.label[i] = id == UNREACHED ? (u32)(g.first_id + i) : (u32)id; });
  } else {
    for (u64 p = rows.first + global_thread(); p < rows.end; p += grid_threads())
      g.label[p] = root_of(g.forest, (u32)p);
  }
  grid_barrier(peers.arrived);
  lap(WORKING);
  if (global_thread() == 0) report_search(g.outcome, 0, number, 0, __ldcg(control + LINKED), ordered);
}
