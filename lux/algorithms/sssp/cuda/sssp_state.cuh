// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Shortest paths: the state of a vertex, and the state that blocks share (see sssp.cu).
#pragma once

#include "common.cuh"

#ifndef WEIGHT
#define WEIGHT float
#endif
#ifndef DISTANCE
#define DISTANCE float
#endif
#ifndef THREADS
#define THREADS 512
#endif
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 2
#endif

using W = WEIGHT;    // -DUNIT_WEIGHTS: none are read, each is 1
using D = DISTANCE;  // float, double, u32 or u64; integers as wide as the sums need

// Distances as users see them.
#ifndef SIGNED
#define SIGNED 0
#endif
#if SIGNED
using Written = i64;
#else
using Written = D;
#endif

constexpr u32 BINS = 128;          // of the histogram of edges by distance
constexpr u32 CHUNK = 256;         // edges of a long row that a warp takes at once
constexpr u32 SHORT = 64;          // rows with fewer edges are relaxed 32 rows at once
constexpr u32 FUSE_BELOW = 32;     // edges waiting for each warp, below which warps go on with what they find,
constexpr u32 FUSED = 64;          // so many steps at most
constexpr u32 FUSED_EDGES = 256;   // with at most so many edges each
constexpr u32 NARROWEST = 16;      // buckets begin with this part of their greatest width
constexpr u32 HUB = 1024;          // in-edges from which on a row is swept before others, by a warp,
constexpr u32 GREAT = 65536;       // and by a block
constexpr u32 HUB_PASSES = 2;      // over the hubs' rows before the first sweep of the others
constexpr u32 ALONE = 16;          // edges that a lane looks at in a sweep before its warp helps
constexpr u32 WARPS = THREADS / 32;
constexpr bool PACKED = sizeof(D) == 4;
constexpr bool FLOATING = D(0.5) > D(0);

// A vertex's state is one word: the bits of its distance, which order as the distances do; where these are 32, they
// are the upper half, and the place of the parent is the lower.
template <typename T> struct Bits;
template <> struct Bits<float> {
  static __device__ __forceinline__ u64 of(float x) { return __float_as_uint(x); }
  static __device__ __forceinline__ float from(u64 b) { return __uint_as_float((u32)b); }
  static __device__ __forceinline__ float most() { return __uint_as_float(0x7f800000u); }
};
template <> struct Bits<double> {
  static __device__ __forceinline__ u64 of(double x) { return (u64)__double_as_longlong(x); }
  static __device__ __forceinline__ double from(u64 b) { return __longlong_as_double((i64)b); }
  static __device__ __forceinline__ double most() { return __longlong_as_double(0x7ff0000000000000ll); }
};
template <> struct Bits<u32> {
  static __device__ __forceinline__ u64 of(u32 x) { return x; }
  static __device__ __forceinline__ u32 from(u64 b) { return (u32)b; }
  static __device__ __forceinline__ u32 most() { return 0xffffffffu; }
};
template <> struct Bits<u64> {
  static __device__ __forceinline__ u64 of(u64 x) { return x; }
  static __device__ __forceinline__ u64 from(u64 b) { return b; }
  static __device__ __forceinline__ u64 most() { return ~0ull; }
};

__device__ __forceinline__ u64 state_of(D distance, u32 parent)
{
  return PACKED ? Bits<D>::of(distance) << 32 | parent : Bits<D>::of(distance);
}
__device__ __forceinline__ D distance_of(u64 state) { return Bits<D>::from(PACKED ? state >> 32 : state); }

// Distances of which the least is wanted are compared by the complement of their bits, so that 0 stands for none.
template <bool NARROW> struct KeyType { using type = u32; };
template <> struct KeyType<false> { using type = u64; };
using Key = KeyType<PACKED>::type;
__device__ __forceinline__ Key key_of(D distance) { return ~(Key)Bits<D>::of(distance); }
__device__ __forceinline__ D of_key(u64 key) { return Bits<D>::from((Key)~key); }

// State that a round leaves for the next one. Zero before it is written.
struct Slot {
  u32 small, large;  // entries in the queues
  u64 edges;         // of the vertices in them
  u64 relaxed;       // edges that the round relaxed
  u64 count;         // vertices in the queues
  u64 nearest;       // key of the least distance that changed or waits on
  u64 bins[BINS];    // edges by distance between `low` and `top`
};

// Zero when the kernel starts. Slot r % 3 is read in round r, the next one written and the one after it cleared, so
// that one barrier a round is enough; likewise the pile's words, whose rounds are splits.
struct Control {
  u32 arrived;
  u32 rounds;        // at the end: rows of `rounds` that were due, of which as many as fit are written
  u64 relaxed;       // at the end: edges looked at
  u32 beyond;        // at the end: 1 if a vertex is so far away that others behind it may have been left out
  u32 orphans;
  u32 hubs, great;   // rows at the beginning of `hubs` and at its end
  u32 far[3];
  u64 far_nearest[3];  // keys of the least distance in the pile
  Slot slot[3];
};

enum RoundKind : i64 { PUSH = 0, PULL = 1, SPLIT = 2, PARENTS = 3 };  // SPLIT: of the pile

// A row of statistics.
struct Round {
  i64 kind;      // a RoundKind
  i64 vertices;  // that waited (or were in the pile)
  i64 edges;     // looked at
  double top;    // distances below this were in reach
  i64 time;      // at the end of the round, in nanoseconds of the device's clock
};

struct Rows {
  const i64* offsets;
  const u32* neighbours;
  const W* weights;
  // -DPAIRED: `neighbours` has pairs of a neighbour and the bits of a weight; weights of 32 bits only.
  template <bool ONCE> __device__ __forceinline__ void load(i64 e, u32& v, W& w) const
  {
#ifdef PAIRED
    const uint2* const at = reinterpret_cast<const uint2*>(neighbours) + e;
    const uint2 pair = ONCE ? __ldcs(at) : __ldg(at);
    v = pair.x;
    w = reinterpret_cast<const W&>(pair.y);
#else
    v = ONCE ? __ldcs(neighbours + e) : __ldg(neighbours + e);
#ifdef UNIT_WEIGHTS
    w = W(1);
#else
    w = ONCE ? __ldcs(weights + e) : __ldg(weights + e);
#endif
#endif
  }
};

// What the last round has left for this one.
struct Totals {
  u64 queued;       // entries in the queues; or vertices, if several GPUs search
  u64 edges, count, nearest, relaxed, far, far_nearest;  // as in Slot and Control
  u64 own_count, own_relaxed, own_far;                   // of this GPU
};

struct Best {
  D distance;
  u32 parent;
};

// Parameters of a round; equal in all blocks.
struct Phase {
  u32 round, split;
  D low, top;
  float per_width;  // bins per unit of distance
  u32 limit;        // bins above this wait for another round
  u64 budget;
};

// A search, whose methods are for one GPU. Where several search (PartSearch), they have others of the same names.
struct Search {
  static constexpr bool SEVERAL = false;
  Rows rows;
  u32 n;           // this GPU's places end here
  D cutoff;
  u64* state;
  u32* stamp;      // the last round for which the vertex was queued
  u32 *small0, *small1;    // places; rounds take them in turn
  uint2 *large0, *large1;  // place, chunk
  u32 *pile0, *pile1;      // splits take them in turn
  u32* above;      // parents where they are not in the state
  u32* hubs;
  u32 room_hubs;
  Control* control;
  u32 first = 0;   // this GPU's places begin here

  __device__ __forceinline__ u32* small(u32 round) const { return round & 1 ? small1 : small0; }
  __device__ __forceinline__ uint2* large(u32 round) const { return round & 1 ? large1 : large0; }
  __device__ __forceinline__ u32* pile(u32 split) const { return split & 1 ? pile1 : pile0; }

  // Places of all GPUs, whether another GPU has a place, and blocks of all GPUs.
  __device__ __forceinline__ u32 n_all() const { return n; }
  __device__ __forceinline__ bool away(u32) const { return false; }
  __device__ __forceinline__ u64 n_blocks() const { return gridDim.x; }
  // The distance of a place on any GPU, while rounds pull.
  __device__ __forceinline__ D known(u32 v) const { return distance_of(__ldca(state + v)); }
  __device__ __forceinline__ void set(u32 v, const Best& best) const
  {
    __stcg(state + v, state_of(best.distance, best.parent));
  }
  __device__ __forceinline__ void clear(u32) const {}
  // What round `round` finds.
  __device__ __forceinline__ Totals totals(const Phase& p, u32 round) const
  {
    const Slot* const slot = control->slot + round % 3;
    const u64 far = __ldcg(control->far + p.split % 3), count = __ldcg(&slot->count), relaxed = __ldcg(&slot->relaxed);
    const u64 queued = (u64)__ldcg(&slot->small) + __ldcg(&slot->large);
    return {queued, __ldcg(&slot->edges), count, __ldcg(&slot->nearest), relaxed, far,
            __ldcg(control->far_nearest + p.split % 3), count, relaxed, far};
  }
  __device__ __forceinline__ u64 edges_in_bin(u32 round, u32 bin) const
  {
    return __ldcg(control->slot[round % 3].bins + bin);
  }
  // All threads meet: after a round, which has written its slot; or within a sweep. False where a GPU is lost.
  __device__ __forceinline__ bool meet(const Phase&) const { return meet(); }
  __device__ __forceinline__ bool meet() const
  {
    grid_barrier(&control->arrived);
    return true;
  }
  __device__ __forceinline__ bool begin_pulls() const { return true; }
  __device__ __forceinline__ void end_pulls() const {}
};

struct Shared {
  u32 bins[BINS];
  u32 near[WARPS][64];
  u32 far[WARPS][64];
  u64 edges, relaxed, count, nearest, far_nearest;
  u32 limit;
};

// Returns the smallest width of buckets, so that they are not empty.
__device__ __forceinline__ D smallest_width() { return FLOATING ? D(0) : D(1); }

__device__ __forceinline__ u32 bin_of(D low, float per_width, D d)
{
  return (u32)min((float)(BINS - 1), (float)(d - low) * per_width);
}

enum { NOTHING = 0, NEAR = 1, FAR = 2, AWAY = 3 };  // AWAY: with the GPU whose place it is
