// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Breadth-first search among delegates, of which every GPU has a copy, and normal vertices, which one GPU owns (Pan,
// Pearce and Owens, "Scalable breadth-first search on a GPU cluster", 2018), from the first level to the last in one
// persistent cooperative kernel on each GPU.
//
// A level: its frontier visits along nn, nd, dn and dd edges, in one phase; the GPUs meet; each takes the delegates and
// the vertices of its own that others found. Two copies of the mask of finds swap roles, and bins only grow, so that the
// GPUs need not meet a second time. The transfers of the paper are reads of the others' memory, in the kernel.
//
// Launch: cooperative, one block of THREADS threads per multiprocessor, static shared memory only.
#include "direction.cuh"
#include "separated_exchange.cuh"

// Returns true for visits backwards: once the forward workload exceeds `more` backward ones, until it is less than `less`
// (section IV-B). An unvisited vertex looks at neighbours until it finds one of the frontier, whose rows have `forward` of
// the edges that were not looked at before, and `hidden` are left after; or at all it has, `whole` of all together.
__device__ __forceinline__ bool goes_back(bool now, u64 forward, u64 hidden, u64 unvisited, u64 whole, double more, double less)
{
  const double backward = min((double)unvisited * ((double)(forward + hidden) / (double)forward), (double)whole);
  return by_workload(now, (double)forward, backward, more, less);
}

__device__ void clear(const Args& g)
{
  if (g.by_place) {
    fill(reinterpret_cast<u32*>(g.by_place), 2 * g.own, NONE);
  } else {
    fill(g.distance, g.own, NONE);
    fill(g.parent, g.own, NONE);
  }
  fill(g.next, g.own_words, 0);
  fill(g.known, g.mask_words, 0);
  fill(g.found, g.mask_words, 0);
  if (g.unique) fill(g.named, g.far_words, 0);
  const u64 source = g.source_delegate < 0 ? NONE : (u64)g.source_delegate;
  for (u64 w = global_thread(); w < g.mask_words; w += grid_threads())
    g.found[g.mask_words + w] = w == source >> 5 ? 1u << (source & 31) : 0u;
  if (global_thread() == 0 && g.source_delegate >= 0) g.delegate_parents[source] = (u32)g.source;
}

// Writes a level's row for the host: the frontier's normal vertices here and its delegates, out-edges here, edges looked at
// by kind, bits of the kinds that were visited backwards, bytes that were read of others, and nanoseconds: until all
// blocks had visited, until all GPUs had passed the barrier, until their finds were taken.
__device__ void record(const Args& g, u64 level, const LevelCounters* counters, u64 normals, u64 delegates, u64 edges,
                       u32 back, u64 began, u64 synchronized)
{
  if (level >= g.noted) return;
  i64* row = g.notes + level * STATISTICS_COLUMNS;
  const u64 visited = __ldcg(&counters->visited_at);
  row[0] = (i64)normals, row[1] = (i64)delegates, row[2] = (i64)(edges + __ldcg(counters->sum + LOOKED + NN));
  for (u32 k = 0; k < KINDS; ++k) row[3 + k] = (i64)__ldcg(counters->sum + LOOKED + k);
  row[7] = back, row[8] = (i64)__ldcg(counters->sum + RECEIVED);
  row[9] = (i64)(visited - began), row[10] = (i64)(synchronized - min(synchronized, visited));
  row[11] = (i64)(nanoseconds() - synchronized);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) lux_separated(const __grid_constant__ Args g)
{
  if (g.number == 0) return;  // the launch places stores
  const bool alone = blockIdx.x == 0 && threadIdx.x == 0;
  SearchControl* const control = control_of(g, (u32)g.part);
  if (threadIdx.x < SUMS) tally[threadIdx.x] = 0;
  if (threadIdx.x < WARPS) held[threadIdx.x] = 0;
  if (threadIdx.x < PARTS) sent[threadIdx.x] = got[threadIdx.x] = 0;
  __syncthreads();
  const PeerBarrier barrier{(u32)g.part, PARTS, g.arrivals, g.base, g.peer, &control->arrived, &control->finished, g.outcome};

  clear(g);
  grid_barrier(&control->arrived);
  const u64 source = (u64)g.source - (u64)g.low;
  if (alone && g.source_delegate < 0 && source < g.own) {
    LevelCounters* counters = control->counters + 2;
    const u64 edges = g.nd_offsets[source + 1] - g.nd_offsets[source];
    g.next[source >> 5] = 1u << (source & 31);
    results_of(g).set_result((u32)source, (u32)g.source, 0);
    g.queue[0] = (u32)source;
    counters->found = 1;
    atomicAdd(counters->sum + ND_EDGES, edges), atomicAdd(counters->sum + ND_ROWS, (u64)(edges > 0));
  }
  reduce_masks(g, 1, 0, false);
  add_block_sums(control->counters + 2);
  grid_barrier(&control->arrived);

  u64 first = 0, last = 0;                                               // the frontier's place in the queue
  u64 visited_rows[KINDS] = {0, 0, 0, 0}, visited_edges[KINDS] = {0, 0, 0, 0};  // up to this level
  u64 level = 0, fresh = 0, number = g.exchanges;
  u32 back = 0;
  bool over = false;
  for (; level < g.limit; ++level) {
    const LevelCounters* before = control->counters + (level + 2) % 3;
    LevelCounters* counters = control->counters + level % 3;
    const u64 began = nanoseconds();
    load_sums(before);
    first = last, last += was_found;
    fresh = was[FRESH];
    const u64 forward[KINDS] = {0, was[ND_EDGES], was[DN_EDGES], was[DD_EDGES]};
    visited_rows[ND] += was[ND_ROWS], visited_edges[ND] += forward[ND];
    visited_rows[DN] += was[DN_ROWS], visited_edges[DN] += forward[DN];
    visited_rows[DD] += was[DD_ROWS], visited_edges[DD] += forward[DD];
    const u64 edges = forward[ND] + forward[DN] + forward[DD];
    if (alone) counters->frontier = last - first;

    bool visits[KINDS] = {last > first, false, false, false};
    #pragma unroll
    for (u32 k = ND; k <= DD; ++k) {
      const u32 other = k == ND ? DN : k == DN ? ND : DD;  // those who look for the frontier have rows of this kind
      const u64 unvisited = g.n_rows[other] - visited_rows[other];
      visits[k] = forward[k] > 0 && unvisited > 0;
      if (!visits[k]) continue;
      const bool now = back >> k & 1u;
      const bool then = goes_back(now, forward[k], g.n_edges[k] - visited_edges[k], unvisited, g.n_edges[other] - visited_edges[other],
                                  g.to_backward[k], g.to_forward[k]);
      back = (back & ~(1u << k)) | (u32)then << k;
    }
    const bool push_dd = visits[DD] && !(back >> DD & 1u), push_dn = visits[DN] && !(back >> DN & 1u);
    const bool pull_nd = visits[ND] && (back >> ND & 1u);
    if (push_dd || push_dn || pull_nd) {
      prepare(g, counters, push_dd, push_dn, pull_nd);
      grid_barrier(&control->arrived);
      load_queue_sizes(counters);
    }

    const u32 copy = level & 1u;
    u32* const found = g.found + (u64)copy * g.mask_words;
    const ToDelegates from_delegates{g.known, found, g.delegate_parents, g.delegates, 0};
    const ToDelegates from_normal{g.known, found, g.delegate_parents, nullptr, (u32)g.low};
    const ToNormal by_delegates{g.next, g.queue + last, counters, results_of(g), g.nd_offsets, (u32)level + 1, g.delegates, 0};
    const ToNormal by_normal{g.next, g.queue + last, counters, results_of(g), g.nd_offsets, (u32)level + 1, nullptr, (u32)g.low};
    const u32 n_front = (u32)(last - first);
    if (push_dd) {
      const Rows rows{g.dd_queue, queued_rows[DD], g.dd_pieces, queued_pieces[DD], g.dd_offsets, g.dd};
      push_to_delegates(rows, from_delegates, DD);
    } else if (visits[DD]) {
      pull(from_delegates, g.dd_rows, (u32)g.mask_words, g.dd_offsets, g.dd, g.known, g.long_dd, g.n_long_dd, DD);
    }
    if (push_dn) {
      const Rows rows{g.dn_queue, queued_rows[DN], g.dn_pieces, queued_pieces[DN], g.dn_offsets, g.dn};
      push_dn_rows(rows, by_delegates);
    } else if (visits[DN]) {
      pull(by_delegates, g.nd_rows, (u32)g.own_words, g.nd_offsets, g.nd, g.known, nullptr, 0, DN);
    }
    if (pull_nd) {
      pull(from_normal, g.dn_rows, (u32)g.mask_words, g.dn_offsets, g.dn, g.seen, g.long_dn, g.n_long_dn, ND);
    } else if (visits[ND]) {
      const Rows rows{g.queue + first, n_front, nullptr, 0, g.nd_offsets, g.nd};
      push_to_delegates(rows, from_normal, ND);
    }
    if (visits[NN]) {
      const Rows rows{g.queue + first, n_front, nullptr, 0, g.nn_offsets, g.nn};
      push_nn(g, rows, by_normal);
    }
    close_queue(g.queue + last, counters);
    add_block_sums(counters);
    if (threadIdx.x == 0) atomicMax(&counters->visited_at, nanoseconds());

    if (PARTS == 1) grid_barrier(&control->arrived);
    else if (!peer_barrier(barrier, ++number)) return;
    read_peer_counters(g, level % 3);
    const u64 synchronized = nanoseconds();
    u64 frontier = fresh, found_by_all = 0;
    for (u32 q = 0; q < PARTS; ++q) frontier += their_frontier[q], found_by_all += their_found[q];
    if (frontier == 0) {  // what was named in the level before had all been visited
      over = true;
      break;
    }
    if (found_by_all > 0) {
      if (alone) control->counters[(level + 1) % 3] = LevelCounters{};
      reduce_masks(g, copy, (u32)level + 1, PARTS > 1);
      if (PARTS > 1) visit_named(g, by_normal);
      close_queue(g.queue + last, counters);
      add_block_sums(counters);
      grid_barrier(&control->arrived);
      if (PARTS > 1 && threadIdx.x < PARTS) {
        sent[threadIdx.x] += __ldcg(counters->named + threadIdx.x);
        got[threadIdx.x] += their_named[threadIdx.x];
      }
      __syncthreads();
    }
    if (alone) record(g, level, counters, last - first, fresh, edges, back, began, synchronized);
    if (found_by_all == 0) {
      over = true;
      ++level;
      break;
    }
  }
  u64 ordered = 0;
  if (g.by_place) {
    if (PARTS > 1) {
      ordered = send_all(g, (u32)g.part, PARTS, [&](u32 place) { return __ldcg(g.by_place + (place - (u32)g.low)); });
      if (!peer_barrier(barrier, ++number)) return;
    }
    take_all(g, PARTS, g.by_place);
  }
  if (!alone) return;
  const LevelCounters* before = control->counters + (level + 2) % 3;
  g.outcome[1] = (i64)level, g.outcome[2] = (i64)number, g.outcome[3] = g.outcome[4] = g.outcome[5] = 0;
  g.outcome[6] = over ? 0 : (i64)(__ldcg(&before->found) + __ldcg(before->sum + FRESH)), g.outcome[7] = (i64)ordered;
}
