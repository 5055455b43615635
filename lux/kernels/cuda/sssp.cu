// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Single-source shortest paths along non-negative weights, in one launch.
//
// Buckets as in delta-stepping (Meyer and Sanders, 2003), of which only two are kept: what is nearer than `top` waits
// in queues, the rest in a pile (near-far: Davidson, Baxter, Garland and Owens, IPDPS 2014). The width of what is
// relaxed at once follows from the work: where the vertices that wait have more than `budget` edges, only the nearest
// of them are relaxed, by a histogram of their edges by distance. So a frontier of hubs is relaxed almost in
// Dijkstra's order, and each edge about once.
//
// Where the rows of in-edges ascend by weight, the middle of the search is sweeps that pull (Chakaravarthy et al.,
// IPDPS 2014): if no vertex that changed is nearer than `nearest`, a vertex has to look at no edge whose weight,
// added to that, is not less than its own distance.
//
// Only a strictly smaller distance replaces another. The last write to a vertex so comes after the last write to its
// parent, and parents make a tree whatever the weights.
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

// What a round leaves for the next one. Zero before it is written.
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
  u32 orphans;
  u32 hubs, great;   // rows at the beginning of `hubs` and at its end
  u32 far[3];
  u64 far_nearest[3];  // keys of the least distance in the pile
  Slot slot[3];
};

// A row of statistics.
struct Round {
  i64 kind;      // 0 push, 1 pull, 2 split of the pile, 3 parents
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

struct Search {
  Rows rows;
  u32 n;
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
  __device__ __forceinline__ u32* small(u32 round) const { return round & 1 ? small1 : small0; }
  __device__ __forceinline__ uint2* large(u32 round) const { return round & 1 ? large1 : large0; }
  __device__ __forceinline__ u32* pile(u32 split) const { return split & 1 ? pile1 : pile0; }
};

// What a round works with; equal in all blocks.
struct Phase {
  u32 round, split;
  D low, top;
  float per_width;  // bins per unit of distance
  u32 limit;        // bins above this wait for another round
  u64 budget;
};

struct Shared {
  u32 bins[BINS];
  u32 near[WARPS][64];
  u32 far[WARPS][64];
  u64 edges, relaxed, count, nearest, far_nearest;
  u32 limit;
};

// Of buckets, so that they are not empty.
__device__ __forceinline__ D smallest_width() { return FLOATING ? D(0) : D(1); }

__device__ __forceinline__ u32 bin_of(D low, float per_width, D d)
{
  return (u32)min((float)(BINS - 1), (float)(d - low) * per_width);
}

enum { NOTHING = 0, NEAR = 1, FAR = 2 };

// A warp's share of what the next round gets.
struct Outbox {
  u32 near, far;  // waiting in shared memory
  u64 edges;
  u32 relaxed, count;
  Key nearest, far_nearest;
};

// Queues a warp's vertices; returns each lane's degree.
__device__ __noinline__ u32 flush_near(const i64* offsets, const u64* states, Slot* slot, u32* small_out,
                                       uint2* large_out, u32* bins, D low, float per_width, u32 v, bool here)
{
  const u32 lane = lane_id();
  u32 degree = 0;
  if (here) {
    const i64 a = __ldg(offsets + v), b = __ldg(offsets + v + 1);
    const D d = distance_of(__ldcg(states + v));
    degree = (u32)(b - a);
    if (degree) atomicAdd(bins + bin_of(low, per_width, d), degree);
  }
  const u32 small = __ballot_sync(ALL_LANES, degree && degree < SHORT);
  if (small) {
    u32 first = 0;
    if (lane == 0) first = atomicAdd(&slot->small, (u32)__popc(small));
    first = __shfl_sync(ALL_LANES, first, 0);
    if (small >> lane & 1) small_out[first + __popc(small & ((1u << lane) - 1))] = v;
  }
  u32 large = __ballot_sync(ALL_LANES, degree >= SHORT);
  if (large) {
    const u32 chunks = degree >= SHORT ? (degree + CHUNK - 1) / CHUNK : 0;
    u32 total, at = warp_scan(chunks, total), first = 0;
    if (lane == 0) first = atomicAdd(&slot->large, total);
    at += __shfl_sync(ALL_LANES, first, 0);
    if (chunks) large_out[at] = make_uint2(v, 0);
    large = __ballot_sync(ALL_LANES, chunks > 1);
    while (large) {
      const int owner = __ffs(large) - 1;
      large &= large - 1;
      const u32 w = __shfl_sync(ALL_LANES, v, owner), k = __shfl_sync(ALL_LANES, chunks, owner);
      const u32 to = __shfl_sync(ALL_LANES, at, owner);
      for (u32 c = 1 + lane; c < k; c += 32) large_out[to + c] = make_uint2(w, c);
    }
  }
  return degree;
}

// Queues the first n vertices of `from`.
__device__ __forceinline__ void send_near(const Search& s, const Phase& p, Shared& sh, Outbox& box, const u32* from,
                                          u32 n)
{
  const bool here = lane_id() < n;
  const u32 degree = flush_near(s.rows.offsets, s.state, s.control->slot + (p.round + 1) % 3, s.small(p.round + 1),
                                s.large(p.round + 1), sh.bins, p.low, p.per_width, here ? from[lane_id()] : 0, here);
  box.edges += degree;
  box.count += degree != 0;
}

__device__ __forceinline__ void send_far(const Search& s, const Phase& p, const u32* from, u32 n)
{
  u32* const size = s.control->far + p.split % 3;
  u32 first = 0;
  if (lane_id() == 0) first = atomicAdd(size, n);
  first = __shfl_sync(ALL_LANES, first, 0);
  if (lane_id() < n) s.pile(p.split)[first + lane_id()] = from[lane_id()];
}

// All lanes come here, each with a vertex and where it goes.
__device__ __forceinline__ void put(const Search& s, const Phase& p, Shared& sh, Outbox& box, int where, u32 v)
{
  const u32 before = (1u << lane_id()) - 1;
  const u32 near = __ballot_sync(ALL_LANES, where == NEAR), far = __ballot_sync(ALL_LANES, where == FAR);
  if (near) {
    u32* const mine = sh.near[warp_id()];
    if (where == NEAR) mine[box.near + __popc(near & before)] = v;
    box.near += __popc(near);
    __syncwarp();
    if (box.near >= 32) {
      box.near -= 32;
      send_near(s, p, sh, box, mine + box.near, 32);
      __syncwarp();
    }
  }
  if (far) {
    u32* const mine = sh.far[warp_id()];
    if (where == FAR) mine[box.far + __popc(far & before)] = v;
    box.far += __popc(far);
    __syncwarp();
    if (box.far >= 32) {
      box.far -= 32;
      send_far(s, p, mine + box.far, 32);
      __syncwarp();
    }
  }
}

__device__ __forceinline__ u64 warp_max(u64 x)
{
  for (int d = 16; d > 0; d >>= 1) x = max(x, __shfl_xor_sync(ALL_LANES, x, d));
  return x;
}
__device__ __forceinline__ u64 warp_max(u32 x) { return __reduce_max_sync(ALL_LANES, x); }

__device__ __forceinline__ void begin_round(Shared& sh)
{
  for (u32 i = threadIdx.x; i < BINS; i += blockDim.x) sh.bins[i] = 0;
  if (threadIdx.x == 0) {
    sh.edges = sh.relaxed = sh.count = sh.nearest = sh.far_nearest = 0;
  }
  __syncthreads();
}

// Empties the outboxes and adds up what the block did. Then the blocks meet.
__device__ void end_round(const Search& s, const Phase& p, Shared& sh, Outbox& box)
{
  __syncwarp();
  if (box.near) send_near(s, p, sh, box, sh.near[warp_id()], box.near);
  if (box.far) send_far(s, p, sh.far[warp_id()], box.far);
  const u64 edges = warp_sum(box.edges), relaxed = warp_sum((u64)box.relaxed), count = warp_sum((u64)box.count);
  const u64 nearest = warp_max(box.nearest), far_nearest = warp_max(box.far_nearest);
  if (lane_id() == 0) {
    if (edges) atomicAdd(&sh.edges, edges);
    if (count) atomicAdd(&sh.count, count);
    if (relaxed) atomicAdd(&sh.relaxed, relaxed);
    if (nearest) atomicMax(&sh.nearest, nearest);
    if (far_nearest) atomicMax(&sh.far_nearest, far_nearest);
  }
  __syncthreads();
  Slot* const slot = s.control->slot + (p.round + 1) % 3;
  if (sh.edges * gridDim.x > p.budget)  // or else all of it is within the budget, or is much less than the rest
    for (u32 i = threadIdx.x; i < BINS; i += blockDim.x)
      if (sh.bins[i]) atomicAdd(slot->bins + i, (u64)sh.bins[i]);
  if (threadIdx.x == 0) {
    if (sh.edges) atomicAdd(&slot->edges, sh.edges);
    if (sh.count) atomicAdd(&slot->count, sh.count);
    if (sh.relaxed) atomicAdd(&slot->relaxed, sh.relaxed);
    if (sh.nearest) atomicMax(&slot->nearest, sh.nearest);
    if (sh.far_nearest) atomicMax(s.control->far_nearest + p.split % 3, sh.far_nearest);
  }
  grid_barrier(&s.control->arrived);
}

// Edges that a lane looks at together: from u at distance `from` to v, where `now` may be out of date.
template <int K> struct Edges {
  u32 u[K], v[K];
  D from[K], to[K];
  u64 now[K];
  bool here[K];
  int where[K];  // the queue in which v has to wait
};

// Lowers distances.
struct Relax {
  static constexpr bool ORDERED = true;
  template <int K>
  static __device__ __forceinline__ void visit(const Search& s, const Phase& p, Outbox& box, Edges<K>& e)
  {
    u64 there[K];
    u32 queued[K];
#pragma unroll
    for (int k = 0; k < K; k++) {
      e.here[k] = e.here[k] && e.to[k] < distance_of(e.now[k]) && e.to[k] <= s.cutoff;
      there[k] = e.here[k] ? atomicCAS(s.state + e.v[k], e.now[k], state_of(e.to[k], e.u[k])) : e.now[k];
    }
#pragma unroll
    for (int k = 0; k < K; k++) {
      while (e.here[k] && there[k] != e.now[k]) {
        e.now[k] = there[k];
        e.here[k] = e.to[k] < distance_of(e.now[k]);
        if (e.here[k]) there[k] = atomicCAS(s.state + e.v[k], e.now[k], state_of(e.to[k], e.u[k]));
      }
    }
#pragma unroll
    for (int k = 0; k < K; k++)
      queued[k] = e.here[k] && e.to[k] < p.top ? atomicExch(s.stamp + e.v[k], p.round + 1) : p.round + 1;
#pragma unroll
    for (int k = 0; k < K; k++) {
      e.where[k] = queued[k] != p.round + 1 ? NEAR : NOTHING;
      if (!e.here[k]) continue;
      if (e.to[k] < p.top) {
        box.nearest = max(box.nearest, key_of(e.to[k]));
      } else {  // in the pile already if it was reached before
        box.far_nearest = max(box.far_nearest, key_of(e.to[k]));
        if (distance_of(e.now[k]) == Bits<D>::most()) e.where[k] = FAR;
      }
    }
  }
};

// The first place that is nearer and leads here on a shortest path.
struct FirstParent {
  static constexpr bool ORDERED = false;
  template <int K>
  static __device__ __forceinline__ void visit(const Search& s, const Phase&, Outbox&, Edges<K>& e)
  {
#pragma unroll
    for (int k = 0; k < K; k++) {
      e.where[k] = NOTHING;
      if (!e.here[k] || e.to[k] != distance_of(e.now[k]) || !(e.from[k] < e.to[k])) continue;
      if (e.u[k] < __ldcg(s.above + e.v[k])) atomicMin(s.above + e.v[k], e.u[k]);
    }
  }
};

// Edges of weight zero between vertices of which one has a parent.
struct ZeroParent {
  static constexpr bool ORDERED = false;
  template <int K>
  static __device__ __forceinline__ void visit(const Search& s, const Phase&, Outbox&, Edges<K>& e)
  {
#pragma unroll
    for (int k = 0; k < K; k++) {
      e.where[k] = NOTHING;
      if (!e.here[k] || e.to[k] != distance_of(e.now[k]) || __ldcg(s.above + e.v[k]) != NONE) continue;
      if (atomicCAS(s.above + e.v[k], NONE, e.u[k]) == NONE) e.where[k] = NEAR;
    }
  }
};

// Visits a row for each lane, 32 edges at a time.
template <typename Visit>
__device__ __forceinline__ void expand_rows(const Search& s, const Phase& p, Shared& sh, Outbox& box, u32 u, D from,
                                            i64 a, u32 degree)
{
  const u32 lane = lane_id();
  u32 total;
  const u32 first = warp_scan(degree, total);
  if (lane == 0) box.relaxed += total;
  for (u32 base = 0; base < total; base += 64) {
    Edges<2> edges;
#pragma unroll
    for (int k = 0; k < 2; k++) {
      // The last lane whose row begins at or before this edge; empty rows before it begin there too.
      const u32 e = base + k * 32 + lane;
      u32 owner = 0;
      for (u32 d = 16; d > 0; d >>= 1)
        if (__shfl_sync(ALL_LANES, first, owner + d) <= e) owner += d;
      edges.u[k] = edges.v[k] = __shfl_sync(ALL_LANES, u, owner);
      edges.from[k] = edges.to[k] = __shfl_sync(ALL_LANES, from, owner);
      const i64 row = __shfl_sync(ALL_LANES, a, owner) + (e - __shfl_sync(ALL_LANES, first, owner));
      edges.here[k] = e < total;
      W w = W(0);
      if (e < total) s.rows.load<true>(row, edges.v[k], w);
      edges.to[k] += (D)w;
    }
#pragma unroll
    for (int k = 0; k < 2; k++) edges.now[k] = __ldca(s.state + edges.v[k]);
    Visit::visit(s, p, box, edges);
#pragma unroll
    for (int k = 0; k < 2; k++)
      if (__any_sync(ALL_LANES, edges.where[k] != NOTHING)) put(s, p, sh, box, edges.where[k], edges.v[k]);
  }
}

// Visits the out-edges of the vertices that wait for this round.
template <typename Visit>
__device__ void expand(const Search& s, const Phase& p, Shared& sh, Outbox& box, u32 n_small, u32 n_large, bool fuse)
{
  const u32 lane = lane_id(), warps = gridDim.x * WARPS;
  const u32 warp = warp_id() * gridDim.x + blockIdx.x;  // neighbours in a queue go to different multiprocessors
  const uint2* const large = s.large(p.round);
  const u32* const small = s.small(p.round);

  for (u32 i = warp; i < n_large; i += warps) {
    const uint2 entry = __ldcg(large + i);
    const u32 u = entry.x;
    const D from = distance_of(__ldcg(s.state + u));
    if (Visit::ORDERED && bin_of(p.low, p.per_width, from) > p.limit) {
      int where = NOTHING;
      box.nearest = max(box.nearest, key_of(from));
      if (entry.y == 0 && lane == 0 && atomicExch(s.stamp + u, p.round + 1) != p.round + 1) where = NEAR;
      put(s, p, sh, box, where, u);
      continue;
    }
    const i64 a = __ldg(s.rows.offsets + u) + (i64)entry.y * CHUNK;
    const u32 length = (u32)min(__ldg(s.rows.offsets + u + 1) - a, (i64)CHUNK);
    if (lane == 0) box.relaxed += length;
    for (u32 base = 0; base < length; base += 128) {
      Edges<4> edges;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const u32 e = base + k * 32 + lane;
        edges.u[k] = edges.v[k] = u;
        edges.from[k] = from;
        edges.here[k] = e < length;
        W w = W(0);
        if (e < length) s.rows.load<true>(a + e, edges.v[k], w);
        edges.to[k] = from + (D)w;
      }
#pragma unroll
      for (int k = 0; k < 4; k++) edges.now[k] = __ldca(s.state + edges.v[k]);
      Visit::visit(s, p, box, edges);
#pragma unroll
      for (int k = 0; k < 4; k++)
        if (__any_sync(ALL_LANES, edges.where[k] != NOTHING)) put(s, p, sh, box, edges.where[k], edges.v[k]);
    }
  }

  const u32 each = min(32u, max(1u, (n_small + warps - 1) / warps));
  for (u32 i = warp; (u64)i * each < n_small; i += warps) {
    const u32 at = i * each + lane;
    u32 u = 0, degree = 0;
    D from = 0;
    i64 a = 0;
    int where = NOTHING;
    if (lane < each && at < n_small) {
      u = __ldcg(small + at);
      from = distance_of(__ldcg(s.state + u));
      a = __ldg(s.rows.offsets + u);
      degree = (u32)(__ldg(s.rows.offsets + u + 1) - a);
      if (Visit::ORDERED && bin_of(p.low, p.per_width, from) > p.limit) {
        degree = 0;
        box.nearest = max(box.nearest, key_of(from));
        if (atomicExch(s.stamp + u, p.round + 1) != p.round + 1) where = NEAR;
      }
    }
    if (__any_sync(ALL_LANES, where != NOTHING)) put(s, p, sh, box, where, u);
    expand_rows<Visit>(s, p, sh, box, u, from, a, degree);
  }

  // Where little waits, a warp goes on with what it found ("bucket fusion": Zhang et al., CGO 2020).
  if (Visit::ORDERED && fuse) {
    for (u32 step = 0; step < FUSED && box.near; step++) {
      u32 u = 0, degree = 0;
      D from = 0;
      i64 a = 0;
      if (lane < box.near) {
        u = sh.near[warp_id()][lane];
        a = __ldg(s.rows.offsets + u);
        degree = (u32)(__ldg(s.rows.offsets + u + 1) - a);
      }
      u32 total;
      warp_scan(degree, total);
      if (total > FUSED_EDGES) break;
      // Whoever lowers the distance after it is read here queues the vertex again.
      if (lane < box.near) {
        atomicExch(s.stamp + u, 0u);
        __threadfence();
        from = distance_of(__ldcg(s.state + u));
      }
      box.near = 0;
      __syncwarp();
      expand_rows<Visit>(s, p, sh, box, u, from, a, degree);
    }
  }
}

// Moves what is below the new `top` from the pile to the queues; what was below the old one has left it before.
__device__ void split_pile(const Search& s, const Phase& p, Shared& sh, Outbox& box, u32 size, D old_top)
{
  // p.split is that of the pile that is written.
  const u32* const from = s.pile(p.split + 1);
  u32* const to = s.pile(p.split);
  const u32 lane = lane_id(), warps = gridDim.x * WARPS, warp = warp_id() * gridDim.x + blockIdx.x;
  constexpr int EACH = 8;
  for (u64 base = (u64)warp * (32 * EACH); base < size; base += (u64)warps * (32 * EACH)) {
    u32 v[EACH], stay = 0;  // stay: a bit for each of the lane's vertices
    D d[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) v[k] = __ldcg(from + min(base + k * 32 + lane, (u64)size - 1));
#pragma unroll
    for (int k = 0; k < EACH; k++) d[k] = distance_of(__ldcg(s.state + v[k]));
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      const bool here = base + k * 32 + lane < size && !(d[k] < old_top), near = here && d[k] < p.top;
      if (here && !near) {
        stay |= 1u << k;
        box.far_nearest = max(box.far_nearest, key_of(d[k]));
      }
      if (near) box.nearest = max(box.nearest, key_of(d[k]));
      if (__any_sync(ALL_LANES, near)) put(s, p, sh, box, near ? NEAR : NOTHING, v[k]);
    }
    u32 total;
    u32 at = warp_scan(__popc(stay), total), first = 0;
    if (total == 0) continue;
    if (lane == 0) first = atomicAdd(s.control->far + p.split % 3, total);
    at += __shfl_sync(ALL_LANES, first, 0);
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (stay >> k & 1) to[at++] = v[k];
  }
}

// Queues every vertex for which `wanted` holds.
template <typename Wanted>
__device__ void collect(const Search& s, const Phase& p, Shared& sh, Outbox& box, Wanted wanted)
{
  const u64 warps = grid_threads() >> 5, warp = global_thread() >> 5;
  for (u64 base = warp * 32; base < s.n; base += warps * 32) {
    const u32 v = (u32)base + lane_id();
    put(s, p, sh, box, v < s.n && wanted(v) ? NEAR : NOTHING, v);
  }
}

// The highest bin up to which no more than `budget` edges wait, or the lowest that is not empty. One warp.
__device__ u32 choose_limit(const u64* bins, u64 budget)
{
  constexpr u32 EACH = BINS / 32;
  u64 mine[EACH], sum = 0;
#pragma unroll
  for (u32 k = 0; k < EACH; k++) {
    mine[k] = __ldcg(bins + lane_id() * EACH + k);
    sum += mine[k];
  }
  u64 before = sum;
  for (int d = 1; d < 32; d <<= 1) {
    const u64 other = __shfl_up_sync(ALL_LANES, before, d);
    if (lane_id() >= (u32)d) before += other;
  }
  before -= sum;
  u32 within = 0, lowest = BINS;  // bins within the budget; the first that is not empty
#pragma unroll
  for (u32 k = 0; k < EACH; k++) {
    if (mine[k] && lowest == BINS) lowest = lane_id() * EACH + k;
    before += mine[k];
    if (before <= budget) within = lane_id() * EACH + k + 1;
  }
  lowest = __reduce_min_sync(ALL_LANES, lowest);
  within = __reduce_max_sync(ALL_LANES, within);
  return max(lowest, within ? within - 1 : 0);  // BINS where there is nothing
}

struct Best {
  D distance;
  u32 parent;
};

struct Changes {
  u64 edges;
  u32 seen, count;
  Key nearest;
};

// Looks at edges e, e + step, e + 2 step and e + 3 step of a row that ends at b, in which weights ascend. True where no
// later edge matters.
__device__ __forceinline__ bool pull(const Search& s, const Rows& in, D nearest, i64 e, i64 step, i64 b, Best& best,
                                     Changes& c)
{
  W w[4];
  u32 u[4];
  u64 state[4];
  bool matters[4];
#pragma unroll
  for (int k = 0; k < 4; k++) in.load<false>(min(e + k * step, b - 1), u[k], w[k]);
#pragma unroll
  for (int k = 0; k < 4; k++) {
    matters[k] = nearest + (D)w[k] < best.distance;
    state[k] = matters[k] && e + k * step < b ? __ldca(s.state + u[k]) : state_of(Bits<D>::most(), NONE);
    c.seen += matters[k] && e + k * step < b;
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const D from = distance_of(state[k]), to = from + (D)w[k];
    if (from != Bits<D>::most() && to < best.distance && to <= s.cutoff) best = Best{to, u[k]};
  }
  return !matters[3];
}

__device__ __forceinline__ void share_best(Best& best)
{
  for (int d = 16; d > 0; d >>= 1) {
    const D other = __shfl_xor_sync(ALL_LANES, best.distance, d);
    const u32 by = __shfl_xor_sync(ALL_LANES, best.parent, d);
    if (other < best.distance || (other == best.distance && by < best.parent)) best = Best{other, by};
  }
}

// The same by a warp, for as much of the row from e on as matters.
__device__ __forceinline__ void pull_team(const Search& s, const Rows& in, D nearest, i64 e, i64 b, Best& best,
                                          Changes& c)
{
  for (; e < b; e += 128) {
    const bool last = pull(s, in, nearest, e + lane_id(), 32, b, best, c);
    share_best(best);
    if (__any_sync(ALL_LANES, last)) break;
  }
}

// A vertex has one writer in a sweep.
__device__ __forceinline__ void note_change(const Search& s, const Phase& p, u32 v, i64 degree, const Best& best,
                                            Changes& c)
{
  __stcg(s.state + v, state_of(best.distance, best.parent));
  __stcg(s.stamp + v, p.round + 1);
  c.edges += degree;
  c.count++;
  c.nearest = max(c.nearest, key_of(best.distance));
}

// Lowers the distances of up to 32 vertices that are not hubs to what their in-edges give.
__device__ __forceinline__ void sweep_rows(const Search& s, const Rows& in, const Phase& p, D nearest, u32 v, bool here,
                                           Changes& c)
{
  const u32 lane = lane_id();
  i64 a = 0, b = 0;
  D before = D(0);
  if (here) {
    a = __ldg(in.offsets + v);
    b = __ldg(in.offsets + v + 1);
    before = distance_of(__ldcg(s.state + v));
  }
  const i64 degree = b - a;
  if (degree >= (i64)HUB) a = b;
  Best best{before, NONE};
  const i64 alone = min(b, a + (i64)ALONE);
  for (; a < alone; a += 4)
    if (pull(s, in, nearest, a, 1, b, best, c)) a = b;
  u32 todo = __ballot_sync(ALL_LANES, a < b);
  while (todo) {
    const int owner = __ffs(todo) - 1;
    todo &= todo - 1;
    const i64 e = __shfl_sync(ALL_LANES, a, owner), end = __shfl_sync(ALL_LANES, b, owner);
    Best team{__shfl_sync(ALL_LANES, best.distance, owner), __shfl_sync(ALL_LANES, best.parent, owner)};
    pull_team(s, in, nearest, e, end, team, c);
    if ((int)lane == owner) best = team;
  }
  if (best.distance < before) note_change(s, p, v, degree, best, c);
}

// Lowers the distances of all vertices but hubs. What may change is gathered, so that all lanes have work.
__device__ void sweep(const Search& s, const Rows& in, const W* least, const Phase& p, D nearest, u32* gathered,
                      Changes& c)
{
  const u32 lane = lane_id(), warps = gridDim.x * WARPS, warp = warp_id() * gridDim.x + blockIdx.x;
  u32 waiting = 0;
  for (u64 base = (u64)warp * 128; base < s.n; base += (u64)warps * 128) {
    u64 now[4];
    D first[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const u64 v = min(base + k * 32 + lane, (u64)s.n - 1);
      now[k] = __ldcg(s.state + v);
#ifdef UNIT_WEIGHTS
      first[k] = D(1);
#else
      first[k] = (D)__ldg(least + v);
#endif
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const u32 v = (u32)base + k * 32 + lane;
      const D d = distance_of(now[k]);
      // As sums are rounded; in integers the sum with what stands for no edge could go round.
      const bool open = v < s.n && nearest < d && (FLOATING ? nearest + first[k] < d : first[k] < d - nearest);
      const u32 opens = __ballot_sync(ALL_LANES, open);
      if (open) gathered[waiting + __popc(opens & ((1u << lane) - 1))] = v;
      waiting += __popc(opens);
      __syncwarp();
      if (waiting >= 32) {
        waiting -= 32;
        sweep_rows(s, in, p, nearest, gathered[waiting + lane], true, c);
        __syncwarp();
      }
    }
  }
  if (waiting) sweep_rows(s, in, p, nearest, lane < waiting ? gathered[lane] : 0, lane < waiting, c);
}

// The same for hubs: a block for each great one, a warp for each other.
__device__ void sweep_hubs(const Search& s, const Rows& in, const Phase& p, D nearest, Changes& c)
{
  __shared__ Best bests[WARPS];
  const u32 great = __ldcg(&s.control->great), hubs = __ldcg(&s.control->hubs);
  for (u32 h = blockIdx.x; h < great; h += gridDim.x) {
    const u32 v = __ldcg(s.hubs + s.room_hubs - 1 - h);
    const D before = distance_of(__ldcg(s.state + v));
    if (!(nearest < before)) continue;
    Best best{before, NONE};
    const i64 a = in.offsets[v], b = in.offsets[v + 1];
    for (i64 e = a; e < b; e += 4 * THREADS) {
      const bool last = pull(s, in, nearest, e + threadIdx.x, THREADS, b, best, c);
      share_best(best);
      if (lane_id() == 0) bests[warp_id()] = best;
      const bool done = __syncthreads_or(last);
      best = bests[lane_id() % WARPS];
      share_best(best);
      __syncthreads();
      if (done) break;
    }
    if (threadIdx.x == 0 && best.distance < before) note_change(s, p, v, b - a, best, c);
  }
  for (u32 h = warp_id() * gridDim.x + blockIdx.x; h < hubs; h += gridDim.x * WARPS) {
    const u32 v = __ldcg(s.hubs + h);
    const D before = distance_of(__ldcg(s.state + v));
    if (!(nearest < before)) continue;
    Best best{before, NONE};
    const i64 a = in.offsets[v], b = in.offsets[v + 1];
    pull_team(s, in, nearest, a, b, best, c);
    if (lane_id() == 0 && best.distance < before) note_change(s, p, v, b - a, best, c);
  }
}

// Clears what the round after the next one writes.
__device__ __forceinline__ void clear_slot(Control* control, u32 round)
{
  if (blockIdx.x != 0) return;
  u64* const words = reinterpret_cast<u64*>(control->slot + (round + 2) % 3);
  for (u32 i = threadIdx.x; i < sizeof(Slot) / sizeof(u64); i += blockDim.x) words[i] = 0;
}

// offsets, neighbours, weights: rows of out-edges, in any order within a row. With -DPAIRED `neighbours`, as
//   `in_neighbours`, has (neighbour, bits of the weight) for each edge, and neither array of weights is read.
// in_offsets, in_neighbours, in_weights: null, or rows of in-edges in which weights ascend (of an undirected graph the
//   same arrays, then sorted so). least: the least weight of each row of in-edges; infinity, or the largest integer,
//   where it is empty. Not read with -DUNIT_WEIGHTS.
// n_linked: places from here on have no in-edges.
// vertices: null, or the dense id of the vertex at each place. source: its place.
// delta: greatest width of a bucket, above 0. cutoff: vertices farther away are unreached; infinity, or the largest
//   integer, if there is none.
// budget: edges that a round may relax without regard to order. pull_above: sweeps begin where more edges wait;
//   push_below: and end where fewer do.
// distance, parent: by dense id (by place where `vertices` is null). Unreached: infinity, or the largest integer; -1.
// state: n_vertices u64. stamp, small0, small1, pile0, pile1: n_vertices u32 each. large0, large1: n_edges / 64 +
//   n_edges / 256 + 1 uint2 each. hubs: n_edges / 1024 + 1 u32. All of any contents.
// control: sizeof(Control) bytes, zero. rounds: `room` rows.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
lux_sssp(const i64* __restrict__ offsets, const u32* __restrict__ neighbours, const W* __restrict__ weights,
         const i64* __restrict__ in_offsets, const u32* __restrict__ in_neighbours, const W* __restrict__ in_weights,
         const W* __restrict__ least, const u32* __restrict__ vertices, u32 n_vertices, u32 n_linked, u32 source,
         D delta, D cutoff, u64 budget, u64 pull_above, u64 push_below, D* distance, i32* parent, u64* state,
         u32* stamp, u32* small0, u32* small1, uint2* large0, uint2* large1, u32* pile0, u32* pile1, u32* hubs,
         Control* control, Round* rounds, u32 room)
{
  __shared__ Shared sh;
  n_linked = max(n_linked, source + 1);
  const u32 room_hubs = in_offsets ? (u32)(in_offsets[n_vertices] / HUB) + 1 : 0;
  const Search s{{offsets, neighbours, weights}, n_linked, cutoff, state, stamp, small0, small1, large0, large1,
                 pile0, pile1, pile0, hubs, room_hubs, control};
  const Rows in{in_offsets, in_neighbours, in_weights};
  const D unreached = Bits<D>::most();
  for (u64 v = global_thread(); v < n_linked; v += grid_threads()) {
    state[v] = v == source ? state_of(D(0), source) : state_of(unreached, NONE);
    stamp[v] = 0;
    if (in_offsets) {
      const i64 degree = __ldg(in_offsets + v + 1) - __ldg(in_offsets + v);
      if (degree >= (i64)GREAT) hubs[room_hubs - 1 - append(&control->great)] = (u32)v;
      else if (degree >= (i64)HUB) hubs[append(&control->hubs)] = (u32)v;
    }
  }
  const D narrowest = max((D)(delta / D(NARROWEST)), smallest_width());
  D width = narrowest;
  u64 in_bucket = 0;  // edges relaxed since the last split
  Phase p{0u, 0u, D(0), width, (float)BINS / (float)width, BINS, budget};
  // Round 0 only queues the source.
  clear_slot(control, 0);
  begin_round(sh);
  Outbox box{};
  if (blockIdx.x == 0 && warp_id() == 0) {
    if (lane_id() == 0) state[source] = state_of(D(0), source);  // as another block may do later
    box.nearest = key_of(D(0));
    __syncwarp();
    put(s, p, sh, box, lane_id() == 0 ? NEAR : NOTHING, source);
  }
  end_round(s, p, sh, box);
  u32 rows = 0;
  u64 all = 0;

  // Writes a row of statistics when the round's work is known.
  const auto note = [&](i64 kind, u64 waited, double top) {
    const u64 edges = __ldcg(&control->slot[(p.round + 1) % 3].relaxed);
    i64 clock;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(clock));
    if (blockIdx.x == 0 && threadIdx.x == 0 && rows < room)
      rounds[rows] = Round{kind, (i64)waited, (i64)edges, top, clock};
    rows++;
    all += edges;
  };

  bool last = false;  // nothing is left in the pile
  for (p.round = 1;; p.round++) {
    const Slot* const slot = control->slot + p.round % 3;
    const u32 n_small = __ldcg(&slot->small), n_large = __ldcg(&slot->large);
    const u64 edges = __ldcg(&slot->edges), count = __ldcg(&slot->count);
    clear_slot(control, p.round);
    begin_round(sh);
    box = Outbox{};
    if (n_small + n_large == 0) {
      const u32 size = last ? 0 : __ldcg(control->far + p.split % 3);
      if (size == 0) break;
      if (blockIdx.x == 0 && threadIdx.x == 0) {
        control->far[(p.split + 2) % 3] = 0;
        control->far_nearest[(p.split + 2) % 3] = 0;
      }
      const D old_top = p.top;
      p.low = of_key(__ldcg(control->far_nearest + p.split % 3));
      // A bucket's work fits the budget if it can.
      if (in_bucket < budget / 2) width = min(width + width, delta);
      else if (in_bucket > budget * 2) width = max((D)(width / D(2)), narrowest);
      in_bucket = 0;
      p.top = p.low + width;
      if (!(p.top > p.low)) p.top = Bits<D>::from(Bits<D>::of(p.low) + 1);
      p.per_width = (float)BINS / (float)(p.top - p.low);
      p.split++;
      split_pile(s, p, sh, box, size, old_top);
      end_round(s, p, sh, box);
      note(2, size, (double)p.top);
      continue;
    }
    if (in_offsets && !last && edges > pull_above) {
      D nearest = of_key(__ldcg(&slot->nearest));
      u64 waited = count;
      bool first = true;
      for (;;) {
        Changes c{};
        // Hubs go first, as most others hang on them. What changes before their last pass is seen by all.
        for (u32 pass = first ? HUB_PASSES : 1; pass > 0; pass--) {
          c.edges = 0;
          c.count = 0;
          c.nearest = 0;
          sweep_hubs(s, in, p, nearest, c);
          grid_barrier(&control->arrived);
        }
        first = false;
        sweep(s, in, least, p, nearest, sh.near[warp_id()], c);
        Slot* const out = control->slot + (p.round + 1) % 3;
        const u64 total = warp_sum(c.edges), seen = warp_sum((u64)c.seen), changed = warp_sum((u64)c.count);
        const u64 least_changed = warp_max(c.nearest);
        begin_round(sh);
        if (lane_id() == 0) {
          if (seen) atomicAdd(&sh.relaxed, seen);
          if (changed) {
            atomicAdd(&sh.edges, total);
            atomicAdd(&sh.count, changed);
            atomicMax(&sh.nearest, least_changed);
          }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
          if (sh.relaxed) atomicAdd(&out->relaxed, sh.relaxed);
          if (sh.count) {
            atomicAdd(&out->edges, sh.edges);
            atomicAdd(&out->count, sh.count);
            atomicMax(&out->nearest, sh.nearest);
          }
        }
        grid_barrier(&control->arrived);
        note(1, waited, (double)nearest);
        waited = __ldcg(&out->count);
        const u64 left = __ldcg(&out->edges);
        nearest = of_key(__ldcg(&out->nearest));
        p.round++;
        clear_slot(control, p.round);
        if (waited == 0 || left <= push_below) break;
      }
      // What changed in the last sweep is pushed without buckets. The round of that sweep is over.
      last = true;
      p.low = D(0);
      p.top = unreached;
      p.per_width = 0.f;
      if (waited == 0) break;
      begin_round(sh);
      const u32 mark = p.round;
      collect(s, p, sh, box, [&](u32 v) { return __ldcg(stamp + v) == mark; });
      end_round(s, p, sh, box);
      continue;
    }
    p.limit = BINS;
    if (edges > budget) {
      if (warp_id() == 0) {
        const u32 bin = choose_limit(slot->bins, budget);
        if (lane_id() == 0) sh.limit = bin;
      }
      __syncthreads();
      p.limit = sh.limit;
    }
    expand<Relax>(s, p, sh, box, n_small, n_large, edges < FUSE_BELOW * gridDim.x * WARPS);
    end_round(s, p, sh, box);
    in_bucket += __ldcg(&control->slot[(p.round + 1) % 3].relaxed);
    note(0, count, p.limit < BINS ? (double)p.low + (double)(p.limit + 1) / (double)p.per_width : (double)p.top);
  }

  if (!PACKED) {
    grid_barrier(&control->arrived);
    // The pile is not needed any more.
    u32* const above = s.above;
    for (u64 v = global_thread(); v < n_linked; v += grid_threads()) above[v] = v == source ? source : NONE;
    p.per_width = 0.f;
    clear_slot(control, p.round);
    begin_round(sh);
    box = Outbox{};
    collect(s, p, sh, box, [&](u32 v) { return distance_of(__ldcg(state + v)) != unreached; });
    end_round(s, p, sh, box);
    for (u32 pass = 0; pass < 2; pass++) {
      for (;;) {
        p.round++;
        const Slot* const slot = control->slot + p.round % 3;
        const u32 n_small = __ldcg(&slot->small), n_large = __ldcg(&slot->large);
        const u64 count = __ldcg(&slot->count);
        if (n_small + n_large == 0) break;
        clear_slot(control, p.round);
        begin_round(sh);
        box = Outbox{};
        if (pass == 0) expand<FirstParent>(s, p, sh, box, n_small, n_large, false);
        else expand<ZeroParent>(s, p, sh, box, n_small, n_large, false);
        end_round(s, p, sh, box);
        note(3, count, 0.0);
      }
      if (pass == 1) break;
      u32 orphans = 0;
      for (u64 v = global_thread(); v < n_linked; v += grid_threads())
        orphans += __ldcg(above + v) == NONE && distance_of(__ldcg(state + v)) != unreached;
      orphans = warp_sum(orphans);
      if (lane_id() == 0 && orphans) atomicAdd(&control->orphans, orphans);
      clear_slot(control, p.round);
      grid_barrier(&control->arrived);
      if (__ldcg(&control->orphans) == 0) break;
      begin_round(sh);
      box = Outbox{};
      collect(s, p, sh, box, [&](u32 v) { return __ldcg(above + v) != NONE; });
      end_round(s, p, sh, box);
    }
  }
  for (u64 v = global_thread(); v < n_vertices; v += grid_threads()) {
    const u32 id = vertices ? vertices[v] : (u32)v;
    D d = v == source ? D(0) : unreached;
    u32 by = source;
    if (v < n_linked) {
      const u64 now = __ldcg(state + v);
      d = distance_of(now);
      by = PACKED ? (u32)now : __ldcg(s.above + v);
    }
    distance[id] = d;
    parent[id] = d == unreached ? -1 : (i32)(vertices ? vertices[by] : by);
  }
  if (global_thread() == 0) {
    control->rounds = rows;
    control->relaxed = all;
  }
}
