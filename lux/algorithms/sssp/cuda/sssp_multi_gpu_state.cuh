// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Shortest paths on several GPUs (see sssp_multi_gpu.cu): arguments, messages, and what a search on one GPU does alone.
#pragma once
#include "level_seconds.cuh"
#include "owned_places.cuh"
#include "peer_exchange.cuh"
#include "sssp_search.cuh"

static_assert(PACKED, "the parent of a vertex is in its state");

// Words of the messages after a round.
enum MessageWord : u32 { COUNT, EDGES, RELAXED, NEAREST, FAR_COUNT, FAR_NEAREST };
constexpr MessageWord SENT = COUNT;  // the word of the messages within a round that pushes

// Zero when the kernel starts.
struct PartControl : Control {
  u32 away[MOST_GPUS];  // places of each GPU whose distance this one has lowered in the round
  i64 finished;
};

// `Members` are written in front of this text (lux/algorithms/sssp/multi_gpu.py).
struct Args : OwnedPlaces {};

__shared__ u64 received[MESSAGE_WORDS][MOST_GPUS];
__shared__ u32 away_of_warps[WARPS][64];

// A GPU's part of a search. It has the states of its own places; those of others are what it has itself found.
struct PartSearch : Search {
  static constexpr bool SEVERAL = true;
  const Args& g;
  PartControl* shared;
  const PeerExchange& peers;
  u64& number;   // of the last exchange
  u64& came;     // bytes that others have sent in this round
  u32 all_end;   // places of all GPUs end here

  __device__ __forceinline__ u32 n_all() const { return all_end; }
  __device__ __forceinline__ bool away(u32 v) const { return v - first >= n - first; }
  __device__ __forceinline__ u64 n_blocks() const { return (u64)gridDim.x * (u32)g.parts; }
  __device__ __forceinline__ D known(u32 v) const { return __ldca(g.known + v); }
  __device__ __forceinline__ void show(u32 v, D d) const
  {
    for (u32 q = 0; q < (u32)g.parts; ++q) (q == (u32)g.part ? g.known : of_peer(g, q, g.known))[v] = d;
  }
  __device__ __forceinline__ void set(u32 v, const Best& best) const
  {
    Search::set(v, best);
    show(v, best.distance);
  }
  __device__ __forceinline__ void clear(u32 v) const { g.known[v] = Bits<D>::most(); }

  __device__ __forceinline__ u64 sum(MessageWord word) const
  {
    u64 found = 0;
    for (u32 q = 0; q < (u32)g.parts; ++q) found += received[word][q];
    return found;
  }
  __device__ __forceinline__ u64 most(MessageWord word) const
  {
    u64 found = 0;
    for (u32 q = 0; q < (u32)g.parts; ++q) found = max(found, received[word][q]);
    return found;
  }
  // Of the round that all have met after.
  __device__ __forceinline__ Totals totals(const Phase&, u32) const
  {
    const u64 count = sum(COUNT);
    return {count, sum(EDGES), count, most(NEAREST), sum(RELAXED), sum(FAR_COUNT), most(FAR_NEAREST),
            received[COUNT][g.part], received[RELAXED][g.part], received[FAR_COUNT][g.part]};
  }
  __device__ __forceinline__ u64 edges_in_bin(u32, u32 bin) const
  {
    u64 found = 0;
    for (u32 q = 0; q < (u32)g.parts; ++q) found += __ldcg(g.bins + q * BINS + bin);
    return found;
  }

  template <class Say> __device__ __forceinline__ bool meet_saying(const Say& say) const
  {
    const bool met = exchange(peers, ++number, received, say);
    lap(EXCHANGING);
    return met;
  }
  __device__ __forceinline__ bool meet() const
  {
    all_here(peers.arrived);
    lap(WORKING);
    return meet_saying([](u32, u64*) {});
  }
  // Tells all GPUs what this one's slot has, and the edges in its bins.
  __device__ __forceinline__ bool meet(const Phase& p) const
  {
    const Slot* const slot = control->slot + (p.round + 1) % 3;
    all_here(peers.arrived);
    lap(WORKING);
    if (blockIdx.x == 0) {
      for (u32 i = threadIdx.x; i < BINS * (u32)g.parts; i += blockDim.x) {
        const u32 q = i / BINS, bin = i % BINS;
        (q == (u32)g.part ? g.bins : of_peer(g, q, g.bins))[(u32)g.part * BINS + bin] = __ldcg(slot->bins + bin);
      }
      __threadfence_system();
      __syncthreads();
    }
    return meet_saying([&](u32, u64* word) {
      word[COUNT] = __ldcg(&slot->count), word[EDGES] = __ldcg(&slot->edges), word[RELAXED] = __ldcg(&slot->relaxed);
      word[NEAREST] = __ldcg(&slot->nearest), word[FAR_COUNT] = __ldcg(control->far + p.split % 3);
      word[FAR_NEAREST] = __ldcg(control->far_nearest + p.split % 3);
    });
  }

  // All lanes come here with a place, which may be another GPU's and wait to be sent there.
  __device__ __forceinline__ void put_away(Outbox& box, bool wanted, u32 v) const
  {
    const u32 lanes = __ballot_sync(ALL_LANES, wanted);
    if (!lanes) return;
    u32* const mine = away_of_warps[warp_id()];
    if (wanted) mine[box.away + __popc(lanes & ((1u << lane_id()) - 1))] = v;
    box.away += __popc(lanes);
    __syncwarp();
    if (box.away < 32) return;
    box.away -= 32;
    list_away(mine + box.away, 32);
    __syncwarp();
  }
  // Lists the first `count` places of `from` by their owners.
  __device__ __forceinline__ void list_away(const u32* from, u32 count) const
  {
    const bool here = lane_id() < count;
    const u32 v = here ? from[lane_id()] : NONE, of = here ? g.owner(v) : NONE;
    for (u32 q = 0; q < (u32)g.parts; ++q) {
      const u32 lanes = __ballot_sync(ALL_LANES, of == q);
      if (!lanes) continue;
      u32 at = 0;
      if (lane_id() == 0) at = atomicAdd(shared->away + q, (u32)__popc(lanes));
      at = __shfl_sync(ALL_LANES, at, 0) + __popc(lanes & ((1u << lane_id()) - 1));
      if (of == q) g.outgoing[g.points[q] + at] = v;
    }
  }

  // Before the first sweep every GPU gets the distances of all; after the last one it has them as its states.
  __device__ __forceinline__ bool begin_pulls() const
  {
    for (u64 v = first + global_thread(); v < n; v += grid_threads()) {
      const D d = distance_of(__ldcg(state + v));
      if (d != Bits<D>::most()) show((u32)v, d);
    }
    return meet();
  }
  __device__ __forceinline__ void end_pulls() const
  {
    for (u64 v = global_thread(); v < n_all(); v += grid_threads())
      if (away((u32)v)) __stcg(state + v, state_of(__ldcg(g.known + v), NONE));
  }
};

// Rows that a GPU notes of its rounds.
struct PartLog {
  const Args& g;
  u64& came;
  LevelClock clock;
  u64 rows;

  __device__ __forceinline__ void add(RoundKind kind, const Totals& found, const Totals& left, double)
  {
    if (kind == PULL) came = sizeof(D) * (left.count - left.own_count);
    if (global_thread() == 0 && rows < (u64)g.noted)
      note_level(g.notes + rows * LEVEL_COLUMNS, kind == PULL ? PULLED : PUSHED,
                 kind == SPLIT ? found.own_far : found.own_count, left.own_relaxed, clock, came);
    clock = start_level();
    came = 0;
    rows++;
  }
};
