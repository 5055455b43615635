// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// An iteration of a vertex program on a GPU: pull and push around the program's own functions, which `writer.py`
// declares in front of this file (struct Args, Value, Acc, Neighbour and what is done with them). `whole.cuh` runs it
// where one GPU holds the graph, `part.cuh` on a partition.
//
// A vertex v is a place, and arrays are indexed by place or by edge also where a partition holds only a part of them:
// the host passes pointers that are moved back by what lies before the part. A neighbour u is a place too or, where
// LOCAL, a position in the list `members` of the partition's sources (INS), of which the kernel keeps compact copies.
//
// Two kinds of programs (lux.program.Spec.sparse):
// - dense: an iteration reads the old copy and writes all of the new one; the two swap roles.
// - sparse: contributions are combined into `pend`, which equals the old copy between iterations; vertices for which
//   that changed anything are `touched`, and afterwards take the new value (and are active) or give it up.
#pragma once

#define EARLY (SPARSE && HAS_DONE)

constexpr u32 PULL = 1, PUSH = 2;                       // lux.kernels.frontier
constexpr i64 RUNNING = 0, CONVERGED = 1, STOPPED = 2;
constexpr u32 SEGMENT = 4096;                           // edges of a hub's row that one warp gathers
constexpr u32 CHUNK = 1024;                             // edges of a frontier vertex that one warp pushes
constexpr u32 IS_SEGMENT = 0x80000000u;
constexpr int UNROLL = HAS_VECTORS ? 1 : 4;             // edges a lane has in flight
constexpr u64 NANOSECONDS = 200000000ull;               // after which a kernel hands back to the host

// Work for a warp: rows [first, end) of the list `rows` whose in-degrees are of one class; or, where IS_SEGMENT is
// set in `end`, one segment (its number the rest of `end`) of the row `first`. Segments of a row are consecutive.
struct Item { u32 first, end; };

// What blocks tell each other; zero before the first launch. Slot s = iteration % 3: one is being read, one written, and
// one made ready for the iteration after.
struct Control {
  u32 arrived;
  u32 next[3], small[3], chunks[3], touched[3], active[3], yield[3];
  u32 pad;
  u64 active_edges[3], loaded;
  i64 iteration, finished, model, ran, nanoseconds;
};

__device__ __forceinline__ u64 nanoseconds()
{
  u64 t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

// One block's view of an iteration.
struct Turn {
  u32 slot, next, spare;       // of Control
  u32 current, coming;         // of the two buffers of queues
  Known known;
  bool every;                  // all vertices are active
};

// The hot table holds what neighbours are asked for of the vertices that come first in each of RANGES ranges: those
// with the most edges, where the graph is stored by degree (else `hot` is 0). Each field has an array of its own, and a
// load takes either address without a branch.
__device__ __forceinline__ Neighbour neighbour(const Args& g, const Fields& old, u32 u)
{
#if HOT
  u32 first;
  const u32 range = range_of(g, u, first), at = u - first;
  return either_neighbour(g, old, u, at < (u32)g.hot, range * (u32)g.hot + at);
#else
  return load_neighbour(g, old, u);
#endif
}

__device__ __forceinline__ void fill_hot(const Args& g, const Fields& old)
{
#if HOT
  for (u32 i = threadIdx.x; i < (u32)g.hot * RANGES; i += blockDim.x) {
    const u32 u = range_first(g, i / (u32)g.hot) + i % (u32)g.hot;
    if (u < (u32)g.n_neighbours) keep_hot(load_neighbour(g, old, u), i);
  }
  __syncthreads();
#endif
}

// Frontier. In whole.cuh or part.cuh:
// `activate` marks a vertex for the next iteration; `make_front` makes the bits and `make_queue` the queues of this one.

__device__ __forceinline__ void activate(const Args& g, const Turn& t, u32 v, u32& count, u64& edges);
__device__ void make_front(const Args& g, const Turn& t);
__device__ void make_queue(const Args& g, const Turn& t);

__device__ __forceinline__ bool in_front(const Args& g, u32 u)
{
  return (__ldcg(g.front + (u >> 5)) >> (u & 31u)) & 1u;
}

__device__ __forceinline__ void touch(const Args& g, const Turn& t, u32 v)
{
  const u32 i = v - (u32)g.lo, bit = 1u << (i & 31u);
  if (__ldcg(g.marks + (i >> 5)) & bit) return;
  if (!(atomicOr(g.marks + (i >> 5), bit) & bit)) g.touched[append(&g.control->touched[t.slot])] = v;
}

// Pull

template <bool EVERY, bool ALL>
__device__ __forceinline__ void take_edges(const Args& g, const Turn& t, const Fields& old, const Owner& own, u32 v, i64 first,
                                           const u32* sources, u32 at, u32 count, u32 step, Acc* acc)
{
  u32 u[UNROLL];
  Neighbour n[UNROLL];
  bool there[UNROLL];
#pragma unroll
  for (int j = 0; j < UNROLL; ++j) there[j] = ALL || at + j * step < count;
#pragma unroll
  for (int j = 0; j < UNROLL; ++j) u[j] = there[j] ? load_stream(sources + at + j * step) : 0;
  if (!EVERY) {
#pragma unroll
    for (int j = 0; j < UNROLL; ++j) there[j] = there[j] && in_front(g, u[j]);
  }
#pragma unroll
  for (int j = 0; j < UNROLL; ++j)
    if ((ALL && EVERY) || there[j]) n[j] = neighbour(g, old, u[j]);
#pragma unroll
  for (int j = 0; j < UNROLL; ++j) {
    if (!there[j]) continue;
    Acc x;
    contribution(g, t.known, old, own, v, n[j], u[j], g_in_edges(g, first + at + j * step), x);
    combine(acc[j], x);
  }
}

// Edges k, k + step, ... of the `count` from `first` on, in UNROLL independent chains; `group` are the lanes that share a row.
template <bool EVERY>
__device__ __forceinline__ Acc gather(const Args& g, const Turn& t, const Fields& old, u32 v, i64 first, u32 k, u32 count, u32 step,
                                      u32 group)
{
  const Owner own = load_owner(g, old, v);
  const u32* __restrict__ sources = g.sources + first;
  Acc acc[UNROLL];
#pragma unroll
  for (int j = 0; j < UNROLL; ++j) identity(acc[j]);
#if EARLY
  // Rows are left as soon as their vertex is done.
  Acc before;
  begin_sparse(g, old, v, before);
  bool over = false;
  while (__any_sync(group, k < count) && !over) {
    if (k < count && (EVERY || in_front(g, sources[k]))) {
      Acc x;
      const u32 u = sources[k];
      contribution(g, t.known, old, own, v, load_neighbour(g, old, u), u, g_in_edges(g, first + k), x);
      combine(acc[0], x);
    }
    Acc now = before;
    combine(now, acc[0]);
    over = __any_sync(group, done_with(g, old, v, now));
    k += step;
  }
  return acc[0];
#else
  // Sources, then what is asked of them, then contributions: no load is moved over the call of a program's function.
  for (; k + (UNROLL - 1) * step < count; k += UNROLL * step) take_edges<EVERY, true>(g, t, old, own, v, first, sources, k, count, step, acc);
  if (UNROLL > 1 && k < count) take_edges<EVERY, false>(g, t, old, own, v, first, sources, k, count, step, acc);
#pragma unroll
  for (int j = UNROLL - 1; j > 0; --j) combine(acc[j - 1], acc[j]);
  return acc[0];
#endif
}

template <int L>
__device__ __forceinline__ u32 lanes_of_row()
{
  return L == 32 ? ALL_LANES : ((1u << (L & 31)) - 1u) << (lane_id() / L * L);
}

__device__ __forceinline__ void gathered(const Args& g, const Turn& t, const Fields& old, const Fields& out, u32 v,
                                         const Acc& acc, u32& count, u64& edges, double* totals)
{
#if SPARSE
  Acc now;
  begin_sparse(g, old, v, now);
  combine(now, acc);
  if (differs(g, old, v, now)) {
    pend_set(g, v, now);
    touch(g, t, v);
  }
#else
  const bool active = finish_vertex(g, t.known, old, out, v, acc, totals);
  if (HAS_FRONTIER && active) activate(g, t, v, count, edges);
#endif
}

// What a lane will need of row k of the list arrives while the rows before it are gathered.
__device__ __forceinline__ void ask_for_row(const Args& g, const Fields& old, u32 k, u32 end)
{
  if (k >= end) return;
  const u32 v = g.rows ? g.rows[k] : (u32)g.lo + k;
  ask_for(g.in_offsets + v);
  ask_for_vertex(g, old, v);
}

// 32 rows at a time, L lanes gathering each; then every lane ends one of them.
template <int L, bool EVERY>
__device__ __forceinline__ void pull_rows(const Args& g, const Turn& t, const Fields& old, const Fields& out, Item item,
                                          u32& count, u64& edges, double* totals)
{
  constexpr u32 GROUPS = 32 / L;
  for (u32 at = item.first; at < item.end; at += 32) {
    const u32 k = at + lane_id();
    const bool some = k < item.end;
    const u32 v = !some ? 0 : g.rows ? g.rows[k] : (u32)g.lo + k;
    const i64 first = some ? g.in_offsets[v] : 0;
    u32 length = some ? (u32)(g.in_offsets[v + 1] - first) : 0;
#if EARLY
    if (some && done_before(g, old, v)) length = 0;
#endif
    ask_for_row(g, old, k + 32, item.end);
    Acc mine;
    identity(mine);
    if (L == 1) {
      if (some) mine = gather<EVERY>(g, t, old, v, first, 0, length, 1, lanes_of_row<1>());
    } else {
      const u32 rows = min(32u, item.end - at);
#pragma unroll 1
      for (u32 j = 0; j * GROUPS < rows; ++j) {
        const u32 row = j * GROUPS + lane_id() / L;
        const u32 of = __shfl_sync(ALL_LANES, v, row), edges_of = __shfl_sync(ALL_LANES, length, row);
        const i64 from = __shfl_sync(ALL_LANES, first, row);
        Acc acc = gather<EVERY>(g, t, old, of, from, lane_id() % L, edges_of, L, lanes_of_row<L>());
        __syncwarp();
#pragma unroll
        for (int d = L / 2; d > 0; d >>= 1) combine(acc, shuffle_down(ALL_LANES, acc, d, L));
        acc = shuffle_from(acc, (lane_id() - j * GROUPS) * L & 31u);
        if (lane_id() / GROUPS == j) mine = acc;
      }
    }
    if (some) gathered(g, t, old, out, v, mine, count, edges, totals);
  }
}

// One segment of a hub; the warp that comes last puts the segments together, in their order.
template <bool EVERY>
__device__ __forceinline__ void pull_segment(const Args& g, const Turn& t, const Fields& old, const Fields& out, Item item,
                                             u32 number, u32& count, u64& edges, double* totals)
{
  const u32 v = g.rows ? g.rows[item.first] : (u32)g.lo + item.first, segment = item.end & ~IS_SEGMENT;
  const i64 first = g.in_offsets[v], end = g.in_offsets[v + 1], begin = first + (i64)segment * SEGMENT;
  const u32 segments = (u32)((end - first + SEGMENT - 1) / SEGMENT), base = number - segment;
  Acc acc = gather<EVERY>(g, t, old, v, begin, lane_id(), (u32)(min(begin + (i64)SEGMENT, end) - begin), 32, ALL_LANES);
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) combine(acc, shuffle_down(ALL_LANES, acc, d, 32));
  u32 last = 0;
  if (lane_id() == 0) {
    g.partial[number] = acc;
    __threadfence();
    last = atomicAdd(g.partial_count + base, 1u) == segments - 1;
  }
  if (!__shfl_sync(ALL_LANES, last, 0)) return;
  __threadfence();
  identity(acc);
  for (u32 k = lane_id(); k < segments; k += 32) combine(acc, load_partial(g.partial + base + k));
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) combine(acc, shuffle_down(ALL_LANES, acc, d, 32));
  if (lane_id() == 0) {
    g.partial_count[base] = 0;
    gathered(g, t, old, out, v, acc, count, edges, totals);
  }
}

template <bool EVERY>
__device__ void pull(const Args& g, const Turn& t, const Fields& old, const Fields& out, u32& count, u64& edges, double* totals)
{
  u32* next = &g.control->next[t.slot];
  u32 number = 0;
  if (lane_id() == 0) number = atomicAdd(next, 1u);
  number = __shfl_sync(ALL_LANES, number, 0);
  Item coming{0, 0};
  if (number < (u32)g.n_items) coming = g.items[number];
  while (number < (u32)g.n_items) {
    u32 ahead = 0;
    if (lane_id() == 0) ahead = atomicAdd(next, 1u);
    const Item item = coming;
    ahead = __shfl_sync(ALL_LANES, ahead, 0);
    if (ahead < (u32)g.n_items) {
      coming = g.items[ahead];
      if (!(coming.end & IS_SEGMENT)) ask_for_row(g, old, coming.first + lane_id(), coming.end);
    }
    if (item.end & IS_SEGMENT) {
      pull_segment<EVERY>(g, t, old, out, item, number, count, edges, totals);
    } else {
      const u32 v = g.rows ? g.rows[item.first] : (u32)g.lo + item.first;
      const i64 degree = g.in_offsets[v + 1] - g.in_offsets[v];
      if (degree > 64) pull_rows<32, EVERY>(g, t, old, out, item, count, edges, totals);
      else if (degree > 32) pull_rows<16, EVERY>(g, t, old, out, item, count, edges, totals);
      else if (degree > 16) pull_rows<8, EVERY>(g, t, old, out, item, count, edges, totals);
      else if (degree > 8) pull_rows<4, EVERY>(g, t, old, out, item, count, edges, totals);
      else if (degree > 4) pull_rows<2, EVERY>(g, t, old, out, item, count, edges, totals);
      else pull_rows<1, EVERY>(g, t, old, out, item, count, edges, totals);
    }
    __syncwarp();
    number = ahead;
  }
}

// Push

__device__ __forceinline__ void push_edge(const Args& g, const Turn& t, const Fields& old, u32 u, const Neighbour& n, i64 e)
{
  const u32 v = g.destinations[e];
#if EARLY
  if (done_before(g, old, v)) return;
#endif
  Acc x;
  contribution(g, t.known, old, load_owner(g, old, v), v, n, u, g_out_edges(g, e), x);
#if SPARSE
  if (pend_push(g, v, x)) touch(g, t, v);
#else
  pend_push(g, v, x);
#endif
}

// Rows of the edges by source: those of all places, or of the members of INS.
__device__ __forceinline__ u32 source_of(const Args& g, u32 row)
{
#if PART && !LOCAL
  return g.members ? g.members[row] : row;
#else
  return row;
#endif
}

// 32 rows at a time, their edges dealt out to the lanes of a warp whatever the degrees.
__device__ __forceinline__ void push_rows(const Args& g, const Turn& t, const Fields& old, u32 row, bool some)
{
  const i64 first = some ? g.out_offsets[row] : 0;
  const u32 degree = some ? (u32)(g.out_offsets[row + 1] - first) : 0, u = some ? source_of(g, row) : 0;
  u32 total;
  const u32 before = warp_scan(degree, total);
  for (u32 at = 0; at < total; at += 32) {
    const u32 k = at + lane_id();
    u32 owner = 0;  // the last lane whose edges begin at or before edge k
#pragma unroll
    for (u32 d = 16; d > 0; d >>= 1) {
      const u32 begin = __shfl_sync(ALL_LANES, before, (owner + d) & 31u);
      if (begin <= k) owner += d;
    }
    const u32 from = __shfl_sync(ALL_LANES, u, owner);
    const i64 e = __shfl_sync(ALL_LANES, first, owner) + (k - __shfl_sync(ALL_LANES, before, owner));
    if (k < total) push_edge(g, t, old, from, load_neighbour(g, old, from), e);
  }
}

__device__ __forceinline__ void push_chunk(const Args& g, const Turn& t, const Fields& old, u32 row, u32 chunk)
{
  const i64 first = g.out_offsets[row] + (i64)chunk * CHUNK, end = min(first + (i64)CHUNK, g.out_offsets[row + 1]);
  const u32 u = source_of(g, row);
  const Neighbour n = load_neighbour(g, old, u);
  for (i64 e = first + lane_id(); e < end; e += 32) push_edge(g, t, old, u, n, e);
}

__device__ void push(const Args& g, const Turn& t, const Fields& old)
{
  const u32 warp = (u32)(global_thread() >> 5), warps = (u32)(grid_threads() >> 5);
#if HAS_FRONTIER
  const u32 chunks = __ldcg(&g.control->chunks[t.slot]), small = __ldcg(&g.control->small[t.slot]);
  for (u32 k = warp; k < chunks; k += warps) {
    const u64 chunk = __ldcg(g.chunks + t.current * g.chunks_length + k);
    push_chunk(g, t, old, (u32)(chunk >> 32), (u32)chunk);
  }
  for (u64 k = (u64)warp * 32; k < small; k += (u64)warps * 32) {
    const bool some = k + lane_id() < small;
    push_rows(g, t, old, some ? __ldcg(g.small + (u64)t.current * g.n_rows + k + lane_id()) : 0, some);
  }
#else
  for (u64 k = (u64)warp * 32; k < g.n_rows; k += (u64)warps * 32) {
    const u32 row = (u32)k + lane_id();
    const i64 degree = row < g.n_rows ? g.out_offsets[row + 1] - g.out_offsets[row] : 0;
    push_rows(g, t, old, row, degree > 0 && degree <= CHUNK);
    for (u32 hubs = __ballot_sync(ALL_LANES, degree > CHUNK); hubs; hubs &= hubs - 1) {
      const u32 hub = (u32)k + __ffs(hubs) - 1;
      const u32 chunks = (u32)((g.out_offsets[hub + 1] - g.out_offsets[hub] + CHUNK - 1) / CHUNK);
      for (u32 c = 0; c < chunks; ++c) push_chunk(g, t, old, hub, c);
    }
  }
#endif
}

// Blocks

// Adds up what threads counted; every block adds its share once.
__device__ void report(const Args& g, const Turn& t, u32 count, u64 edges, double* totals, double* scratch)
{
#if HAS_FRONTIER
  const u64 all = block_sum((u64)count, reinterpret_cast<u64*>(scratch));
  const u64 out = block_sum(edges, reinterpret_cast<u64*>(scratch));
  if (threadIdx.x == 0 && all) {
    atomicAdd(&g.control->active[t.next], (u32)all);
    atomicAdd(&g.control->active_edges[t.next], out);
  }
#endif
  for (int k = 0; k < TOTALS; ++k) {
    const double sum = block_sum(totals[k], scratch);
    if (threadIdx.x == 0) g.block_totals[((u64)t.next * gridDim.x + blockIdx.x) * TOTALS + k] = sum;
  }
}

// The blocks' shares in the order of the blocks' numbers, so that all blocks come to the same sum.
__device__ void read_totals(const Args& g, u32 slot, Known& known, double* scratch)
{
  for (int k = 0; k < TOTALS; ++k) {
    double x = 0;
    for (u32 b = threadIdx.x; b < gridDim.x; b += blockDim.x)
      x += __ldcg(g.block_totals + ((u64)slot * gridDim.x + b) * TOTALS + k);
    x = block_sum(x, scratch);
    __shared__ double shared_total;
    if (threadIdx.x == 0) shared_total = x;
    __syncthreads();
    known.total[k] = shared_total;
    __syncthreads();
  }
}

__device__ void all_vertices_first(const Args& g, const Turn& t, u32& count, u64& edges, double* totals)
{
  for (u64 v = g.lo + global_thread(); v < g.hi; v += grid_threads()) {
    const bool active = first_values(g, t.known, (u32)v, totals);
    if (HAS_FRONTIER && active) activate(g, t, (u32)v, count, edges);
  }
}

#if SPARSE
// Touched vertices take what was contributed, or give it up.
__device__ void settle(const Args& g, const Turn& t, const Fields& old, const Fields& out, u32& count, u64& edges)
{
  const u32 touched = __ldcg(&g.control->touched[t.slot]);
  for (u64 k = global_thread(); k < touched; k += grid_threads()) {
    const u32 v = __ldcg(g.touched + k), i = v - (u32)g.lo;
    atomicAnd(g.marks + (i >> 5), ~(1u << (i & 31u)));
    if (settle_vertex(g, t.known, old, out, v)) activate(g, t, v, count, edges);
  }
}
#endif

__device__ void iterate(const Args& g, const Turn& t, u32 model, const Fields& old, const Fields& out, u32& count, u64& edges,
                        double* totals)
{
  if (model == PULL) {
#if HAS_FRONTIER
    if (!t.every) {
      make_front(g, t);
      pull<false>(g, t, old, out, count, edges, totals);
    } else
#endif
    {
      fill_hot(g, old);
      pull<true>(g, t, old, out, count, edges, totals);
    }
  } else {
#if HAS_FRONTIER
    make_queue(g, t);
#endif
#if !SPARSE
    for (u64 v = g.lo + global_thread(); v < g.hi; v += grid_threads()) lay_ready(g, t.known, old, out, (u32)v);
    grid_barrier(&g.control->arrived);
#endif
    push(g, t, old);
#if !SPARSE
    grid_barrier(&g.control->arrived);
    for (u64 v = g.lo + global_thread(); v < g.hi; v += grid_threads()) {
      const bool active = finish_pushed(g, t.known, old, out, (u32)v, totals);
      if (HAS_FRONTIER && active) activate(g, t, (u32)v, count, edges);
    }
#endif
  }
#if SPARSE
  grid_barrier(&g.control->arrived);
  settle(g, t, old, out, count, edges);
#endif
}
