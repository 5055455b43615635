// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Runs a vertex program on one GPU that holds the whole graph. One cooperative kernel runs all iterations of a launch:
// blocks meet at grid barriers, and nothing returns to the host in between. The frontier is two queues. Where the run keeps
// checkpoints, a launch leaves the frontier and the aggregates to the host, and the first may begin with those of one.
#include "direction.cuh"
#include "program.cuh"

__device__ __forceinline__ void activate(const Args& g, const IterationState& t, u32 v, u32& count, u64& edges)
{
  const i64 degree = g.out_offsets[v + 1] - g.out_offsets[v];
  ++count;
  edges += degree;
  if (degree == 0 && !g.saved_front) return;  // a checkpoint has all active vertices
  if (degree <= CHUNK) {
    g.small[(u64)t.coming * g.n_rows + append(&g.control->small[t.next])] = v;
  } else {
    const u32 n = (u32)((degree + CHUNK - 1) / CHUNK);
    u64* out = g.chunks + t.coming * g.chunks_length + atomicAdd(&g.control->chunks[t.next], n);
    for (u32 k = 0; k < n; ++k) out[k] = (u64)v << 32 | k;
  }
}

// Makes the bits of the frontier in `front`, of so many words.
__device__ void write_front(const Args& g, const IterationState& t, u32* front, u64 words)
{
  for (u64 w = global_thread(); w < words; w += grid_threads()) front[w] = 0;
  grid_barrier(&g.control->arrived);
  const u32 chunks = __ldcg(&g.control->chunks[t.slot]), small = __ldcg(&g.control->small[t.slot]);
  for (u64 k = global_thread(); k < small; k += grid_threads()) {
    const u32 u = __ldcg(g.small + (u64)t.current * g.n_rows + k);
    atomicOr(front + (u >> 5), 1u << (u & 31u));
  }
  for (u64 k = global_thread(); k < chunks; k += grid_threads()) {
    const u32 u = (u32)(__ldcg(g.chunks + t.current * g.chunks_length + k) >> 32);
    atomicOr(front + (u >> 5), 1u << (u & 31u));
  }
  grid_barrier(&g.control->arrived);
}

__device__ void make_front(const Args& g, const IterationState& t) { write_front(g, t, g.front, (g.n_vertices + 31) / 32); }

// Makes nothing: `activate` has filled the queues.
__device__ void make_queue(const Args&, const IterationState&) {}

// Slots and buffers that an iteration reads and writes.
__device__ __forceinline__ void choose_slots(IterationState& t, i64 iteration)
{
  t.slot = (u32)(iteration % 3), t.next = (u32)((iteration + 1) % 3), t.spare = (u32)((iteration + 2) % 3);
  t.current = (u32)(iteration & 1), t.coming = t.current ^ 1u;
}

// Takes over from a checkpoint: values are in place, and the frontier and the aggregates are those of `save_progress`.
__device__ void take_over(const Args& g, const IterationState& t, u32& count, u64& edges, double* totals)
{
  for (int k = 0; k < TOTALS; ++k) totals[k] = global_thread() ? 0 : g.saved_totals[k];  // only sums are read
#if HAS_FRONTIER
  const Fields old = old_fields(g, g.resumed_iteration);
  for (u64 v = global_thread(); v < (u64)g.n_vertices; v += grid_threads()) {
#if SPARSE
    Acc x;
    begin_sparse(g, old, (u32)v, x);
    pend_set(g, (u32)v, x);
#endif
    if ((g.saved_front[v >> 5] >> (v & 31u)) & 1u) activate(g, t, (u32)v, count, edges);
  }
#endif
}

// Leaves the frontier and the aggregates before an iteration to the host.
__device__ void save_progress(const Args& g, IterationState& t, i64 iteration, double* scratch)
{
  choose_slots(t, iteration);
  read_totals(g, t.slot, t.known, scratch);
  if (global_thread() == 0)
    for (int k = 0; k < TOTALS; ++k) g.saved_totals[k] = t.known.total[k];
#if HAS_FRONTIER
  write_front(g, t, g.saved_front, 2 * ((u64)g.n_vertices / 64 + 2));
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) lux_run(const __grid_constant__ Args g)
{
  __shared__ double scratch[32];
  __shared__ i64 verdict;
  Control* control = g.control;
  const u64 began = nanoseconds();
  i64 iteration = g.number == 0 ? g.resumed_iteration : control->iteration;
  i64 finished = RUNNING, ran = 0;
  u32 model = g.number == 0 ? (u32)g.resumed_model : (u32)control->model;
  double totals[TOTALS > 0 ? TOTALS : 1];
  IterationState t;
  t.known.n_vertices = g.n_vertices;
  if (g.number == 0) {
    choose_slots(t, iteration + 5);  // as the iteration before, whose next slot the first one reads
    t.known.iteration = iteration;
    u32 count = 0;
    u64 edges = 0;
    for (int k = 0; k < TOTALS; ++k) t.known.total[k] = 0, totals[k] = 0;
    if (g.resumed) take_over(g, t, count, edges, totals);
    else all_vertices_first(g, t, count, edges, totals);
    report(g, t, count, edges, totals, scratch);
    grid_barrier(&control->arrived);
  }
  while (ran < g.limit) {
    choose_slots(t, iteration);
    t.known.iteration = iteration;
    read_totals(g, t.slot, t.known, scratch);
    const u64 active = HAS_FRONTIER ? __ldcg(&control->active[t.slot]) : g.n_vertices;
    const u64 active_edges = HAS_FRONTIER ? __ldcg(&control->active_edges[t.slot]) : 0;
    t.every = active == g.n_vertices;
    if (threadIdx.x == 0) {
      verdict = RUNNING;
      if (HAS_FRONTIER && active == 0) verdict = CONVERGED;
      else if (HAS_CONVERGED && iteration > 0 && has_converged(g, t.known)) verdict = CONVERGED;
      else if (iteration >= g.max_iterations) verdict = STOPPED;
      else if (ran > 0 && __ldcg(&control->yield[t.slot])) verdict = -1;
    }
    __syncthreads();
    finished = verdict;
    __syncthreads();
    if (finished != RUNNING) break;
    const u64 turn_began = nanoseconds();
    const bool pulled = HAS_DONE && model == PULL;
    const bool pulls = by_share(pulled, active, active_edges, g.n_vertices, (u64)g.n_edges, PULL_ABOVE, PUSH_BELOW);
    model = g.model ? (u32)g.model : (pulls || !HAS_FRONTIER) ? PULL : PUSH;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      control->next[t.spare] = control->small[t.spare] = control->chunks[t.spare] = 0;
      control->touched[t.spare] = control->active[t.spare] = 0;
      control->active_edges[t.spare] = 0;
      control->yield[t.next] = turn_began - began > NANOSECONDS;
    }
    const Fields old = old_fields(g, iteration), out = new_fields(g, iteration);
    u32 count = 0;
    u64 edges = 0;
    for (int k = 0; k < TOTALS; ++k) totals[k] = 0;
    iterate(g, t, model, old, out, count, edges, totals);
    report(g, t, count, edges, totals, scratch);
    grid_barrier(&control->arrived);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      double* row = g.statistics + 4 * ran;
      row[0] = model, row[1] = (double)active, row[2] = (double)active_edges;
      row[3] = 1e-9 * (double)(nanoseconds() - turn_began);
    }
    ++iteration;
    ++ran;
  }
  if (g.saved_totals && (finished == RUNNING || finished == -1)) save_progress(g, t, iteration, scratch);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    control->iteration = iteration, control->finished = finished == -1 ? RUNNING : finished;
    control->model = model, control->ran = ran, control->nanoseconds = (i64)(nanoseconds() - began);
  }
}
