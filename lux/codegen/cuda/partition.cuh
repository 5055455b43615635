// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Iterations of a vertex program on one partition: one in a launch, or several where the GPUs of all partitions run side
// by side and reach each other's memory. Partitions exchange the rows of a state and, where there is a frontier, its words
// (lux/kernels/frontier.py). Each partition reads the rows that all wrote one iteration ago, and so takes the same
// decisions.
//
// With LOCAL, the values of the partition's sources (INS) are gathered into compact arrays first: with PEERS from the
// memory of the GPUs that own them, with PACKED from messages (messages.cuh), otherwise from zero-copy memory. In the last
// case a finished vertex is written back to zero-copy memory, and the GPU's memory keeps two copies m0 and m1 of the
// partition's own values. With `staged`, CPU cores have gathered the values before the kernel begins.
//
// State and words lie in zero-copy memory, where a process has them once: copies between GPUs of a few bytes would cost
// Legion more than an iteration of a small graph. With PACKED each GPU keeps its own, and messages have the rows of others.
#include "multi_gpu_barrier.cuh"
#include "direction.cuh"
#include "program.cuh"

__device__ __forceinline__ bool all_gpus_barrier(const Args& g, u64 number)
{
  return multi_gpu_barrier({g.arrivals, (u32)g.part, (u32)g.parts, &g.control->arrived, &g.control->finished, g.outcome + 1}, number);
}

__device__ __forceinline__ void activate(const Args& g, const IterationState& t, u32 v, u32& count, u64& edges)
{
  const u32 i = v - (u32)g.lo;
  ++count;
  edges += g.out_degree[v];
  atomicOr(g.bits + (i >> 5), 1u << (i & 31u));
}

// State left by the iteration before.
struct PreviousState {
  u64 active, active_edges;
  i64 iteration, finished;
  u32 model;
};

// Zero-copy memory answers after a microsecond or two, and few threads at a time: each block reads the rows of the state
// once, side by side. Loads need not be volatile, as threads meet with acquire before they read what others wrote (and
// volatile loads go over the link one thread at a time: an iteration took 8 ms).
constexpr u32 STAGED = 16;       // rows at a time
constexpr u32 REMEMBERED = 64;   // partitions whose frontier's form and size a block keeps
__shared__ i64 state_rows[STAGED * STATE_COLUMNS], own_state[STATE_COLUMNS], state_form[REMEMBERED], state_active[REMEMBERED];
__shared__ double state_totals[TOTALS > 0 ? TOTALS : 1];
__shared__ u64 state_frontier[2];

__device__ __forceinline__ i64 state_of(const Args& g, u64 part, u32 column) { return g.old_state[part * STATE_COLUMNS + column]; }
__device__ __forceinline__ i64 form_of(const Args& g, u64 part) { return part < REMEMBERED ? state_form[part] : state_of(g, part, STATE_FORM); }
__device__ __forceinline__ u64 active_of(const Args& g, u64 part) { return (u64)(part < REMEMBERED ? state_active[part] : state_of(g, part, STATE_ACTIVE)); }

#if PACKED
__device__ const i64* row_in_message(const Args& g, u64 part);
#endif

// Returns a row of the state: with PACKED those of other partitions lie in their messages, but for the launch that resumes.
__device__ __forceinline__ const i64* row_of(const Args& g, u64 part, bool resumes)
{
#if PACKED
  if (!resumes && part != (u64)g.part) return row_in_message(g, part);
#endif
  return g.old_state + part * STATE_COLUMNS;
}

__device__ void read_state(const Args& g, IterationState& t, PreviousState& before, bool resumes = false)
{
  u64 frontier = 0;
  double total = 0;
  for (u64 first = 0; first < g.parts; first += STAGED) {
    const u32 rows = (u32)min((u64)STAGED, g.parts - first);
    __syncthreads();
    for (u32 i = threadIdx.x; i < rows * STATE_COLUMNS; i += blockDim.x) state_rows[i] = row_of(g, first + i / STATE_COLUMNS, resumes)[i % STATE_COLUMNS];
    __syncthreads();
    const i64* row = state_rows;
    for (u32 p = 0; p < rows; ++p, row += STATE_COLUMNS) {
      if (threadIdx.x < 2) frontier += (u64)row[threadIdx.x ? STATE_ACTIVE_EDGES : STATE_ACTIVE];
      if (threadIdx.x < TOTALS) total += __longlong_as_double(row[STATE_TOTALS + threadIdx.x]);
      if (first + p == g.part && threadIdx.x < STATE_COLUMNS) own_state[threadIdx.x] = row[threadIdx.x];
      if (first + p < REMEMBERED && threadIdx.x == 0) state_form[first + p] = row[STATE_FORM], state_active[first + p] = row[STATE_ACTIVE];
    }
  }
  if (threadIdx.x < 2) state_frontier[threadIdx.x] = frontier;
  if (threadIdx.x < TOTALS) state_totals[threadIdx.x] = total;
  __syncthreads();
  before.active = state_frontier[0], before.active_edges = state_frontier[1];
  for (int k = 0; k < TOTALS; ++k) t.known.total[k] = state_totals[k];
  before.iteration = own_state[STATE_ITERATIONS], before.finished = own_state[STATE_FINISHED];
  before.model = (u32)own_state[STATE_MODEL];
}

#if PACKED
__device__ void write_heads(const Args& g);
#endif

// Combines the reports of all blocks. Called by one block after all have reported.
__device__ void write_state(const Args& g, const IterationState& t, i64 iterations, u32 model, double* scratch)
{
  Known known;
  read_totals(g, t.next, known, scratch);
  if (threadIdx.x == 0) {
    i64* row = g.new_state + g.part * STATE_COLUMNS;
    const u64 active = HAS_FRONTIER ? __ldcg(&g.control->active[t.next]) : (u64)(g.hi - g.lo);
    row[STATE_ITERATIONS] = iterations, row[STATE_FINISHED] = RUNNING, row[STATE_MODEL] = model;
    row[STATE_ACTIVE] = (i64)active, row[STATE_ACTIVE_EDGES] = (i64)__ldcg(&g.control->active_edges[t.next]);
    row[STATE_FORM] = active == (u64)(g.hi - g.lo) ? FORM_EVERY : FORM_BITMAP;
    for (int k = 0; k < TOTALS; ++k) row[STATE_TOTALS + k] = __double_as_longlong(known.total[k]);
    g.outcome[0] = iterations, g.outcome[1] = RUNNING;
  }
#if PACKED
  __syncthreads();
  write_heads(g);
#endif
}

__device__ void write_words(const Args& g)
{
#if HAS_FRONTIER
  // CPU cores read words of 64 bits, so the last one is written whole.
  const u64 n = (u64)(g.hi - g.lo);
  u32* words = reinterpret_cast<u32*>(g.new_words);
  for (u64 w = global_thread(); w < (n + 63) / 64 * 2; w += grid_threads()) words[w] = 32 * w < n ? __ldcg(g.bits + w) : 0;
#endif
}

// Copies the result into the other copy at the end of a run, so that both have it; `found`: by a launch before.
__device__ void carry_result(const Args& g, i64 finished, bool found, const Fields& old, const Fields& out)
{
  for (u64 v = g.lo + global_thread(); v < g.hi && !found; v += grid_threads()) carry(g, old, out, (u32)v);
  if (global_thread()) return;
  i64* row = g.new_state + g.part * STATE_COLUMNS;
  for (u32 k = 0; k < STATE_COLUMNS; ++k) row[k] = own_state[k];
  row[STATE_FINISHED] = finished, row[STATE_ACTIVE] = 0, row[STATE_FORM] = FORM_QUEUE;
  g.outcome[0] = row[STATE_ITERATIONS];
  if (!found) g.outcome[5] = g.number;
  g.outcome[1] = finished;
}

// Frontier

// Returns bits of partition p from place `first` on; bit i of its words stands for place points[p] + i.
__device__ __forceinline__ u32 bits_of_part(const Args& g, u64 p, u64 first)
{
  const i64 lo = g.points[p], hi = g.points[p + 1], at = (i64)first - lo;
  const i64 form = form_of(g, p);
  if (form == FORM_QUEUE) return 0;
  if (form == FORM_EVERY) {
    const u32 after = (u32)max((i64)0, -at), end = (u32)min((i64)32, hi - (i64)first);
    return (end == 32 ? ALL_LANES : (1u << end) - 1u) & ~((1u << after) - 1u);
  }
  const u32* words = reinterpret_cast<const u32*>(g.old_words + g.word_at[p]);
  if (at < 0) return words[0] << (u32)-at;
  const u64 w = (u64)at >> 5, n = (u64)(hi - lo + 31) >> 5;
  return __funnelshift_r(words[w], w + 1 < n && (at & 31) ? words[w + 1] : 0, (u32)at & 31u);
}

// Makes the frontier of all partitions, as bits by place.
__device__ void join_frontiers(const Args& g)
{
  for (u64 w = global_thread(); 32 * w < g.n_vertices; w += grid_threads()) {
    const u64 first = 32 * w, end = min(first + 32, (u64)g.n_vertices);
    u64 p = 0;
    for (u64 above = g.parts; above - p > 1;) {
      const u64 middle = (p + above) / 2;
      if ((u64)g.points[middle] <= first) p = middle;
      else above = middle;
    }
    u32 word = 0;
    for (; p < g.parts && (u64)g.points[p] < end; ++p)
      if (g.points[p] < g.points[p + 1] && (u64)g.points[p + 1] > first) word |= bits_of_part(g, p, first);
    g.all_front[w] = word;
  }
  grid_barrier(&g.control->arrived);
  for (u64 p = 0; p < g.parts; ++p) {
    if (form_of(g, p) != FORM_QUEUE) continue;
    const u32* queue = reinterpret_cast<const u32*>(g.old_words + g.word_at[p]);
    for (u64 k = global_thread(); k < active_of(g, p); k += grid_threads()) {
      const u32 u = queue[k];
      atomicOr(g.all_front + (u >> 5), 1u << (u & 31u));
    }
  }
  grid_barrier(&g.control->arrived);
}

#if PACKED
// Tests a vertex of this partition. (Messages mark the active vertices of others.)
__device__ __forceinline__ bool in_all_front(const Args& g, u32 v)
{
  const u32 i = v - (u32)g.lo;
  return (reinterpret_cast<const u32*>(g.old_words + g.word_at[g.part])[i >> 5] >> (i & 31u)) & 1u;
}
#else
__device__ __forceinline__ bool in_all_front(const Args& g, u32 v) { return (__ldcg(g.all_front + (v >> 5)) >> (v & 31u)) & 1u; }
#endif

__device__ void make_front(const Args& g, const IterationState& t)
{
#if LOCAL && !PACKED
  for (u64 k = global_thread(); k < (u64)(g.n_members + 31) / 32 * 32; k += grid_threads()) {
    const u32 word = __ballot_sync(ALL_LANES, k < g.n_members && in_all_front(g, g.members[k]));
    if (lane_id() == 0) g.front[k >> 5] = word;
  }
  grid_barrier(&g.control->arrived);
#endif
}

__device__ void make_queue(const Args& g, const IterationState& t)
{
  for (u64 row = global_thread(); row < g.n_rows; row += grid_threads()) {
    const i64 degree = g.out_offsets[row + 1] - g.out_offsets[row];
#if PACKED
    const bool active = t.every || in_front(g, (u32)row);
#else
    const bool active = t.every || in_all_front(g, g.members ? g.members[row] : (u32)row);
#endif
    if (degree == 0 || !active) continue;
    if (degree <= CHUNK) {
      g.small[append(&g.control->small[t.slot])] = (u32)row;
    } else {
      const u32 n = (u32)((degree + CHUNK - 1) / CHUNK);
      u64* out = g.chunks + atomicAdd(&g.control->chunks[t.slot], n);
      for (u32 k = 0; k < n; ++k) out[k] = row << 32 | k;
    }
  }
  grid_barrier(&g.control->arrived);
}

// Reports the cycles of pieces, before the host learns that the iteration is done. Called by one block.
__device__ void tell_spent(const Args& g)
{
  if (threadIdx.x < PIECES) g.outcome[8 + threadIdx.x] = (i64)__ldcg(g.spent + threadIdx.x);
  __threadfence_system();
  __syncthreads();
}

// Copies vertices that were active: the copy of two iterations ago lacks their values.
__device__ void catch_up(const Args& g, const IterationState& t, const Fields& old, const Fields& out)
{
#if SPARSE
  for (u64 v = g.lo + global_thread(); v < g.hi; v += grid_threads())
    if (t.every || in_all_front(g, (u32)v)) carry(g, old, out, (u32)v);
#endif
}

__device__ __forceinline__ u32 owner_of(const Args& g, u32 u)
{
  u32 owner = 0;
#pragma unroll
  for (int q = 1; q < PEERS; ++q) owner += u >= (u64)g.points[q];
  return owner;
}

// Each GPU begins behind its own members: if all began with the first ones, all would read from the same GPU.
__device__ void load_members(const Args& g, const IterationState& t, bool constants)
{
#if LOCAL
  constexpr int AHEAD = 4;  // loads of members that a thread has in flight
  const u64 n = g.n_members, start = n * (g.part + 1) / g.parts;
  u32 loaded = 0;
  for (u64 first = global_thread(); first < n; first += AHEAD * grid_threads()) {
    u32 u[AHEAD], at[AHEAD];
    bool there[AHEAD];
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) {
      const u64 k = first + j * grid_threads();
      there[j] = k < n;
      at[j] = (u32)(k + start < n ? k + start : k + start - n);
      u[j] = there[j] ? g.members[at[j]] : 0;
    }
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) {
      if (!there[j]) continue;
      if (constants) {
        load_constants(g, 0, u[j], at[j]);
      } else if (!HAS_FRONTIER || t.every || in_all_front(g, u[j])) {
        load_member(g, owner_of(g, u[j]), u[j], at[j]);
        ++loaded;
      }
    }
  }
  loaded = (u32)warp_sum(loaded);
  if (lane_id() == 0 && loaded) atomicAdd(&g.control->loaded, (u64)loaded);
#endif
}

#if PACKED
#include "messages.cuh"
__device__ const i64* row_in_message(const Args& g, u64 part) { return reinterpret_cast<const i64*>(g.inbox + slot_fact(g, INBOX_AT, part)); }
#endif

// Ends an iteration: adds up the counts of threads, and sends values to the other partitions.
__device__ __forceinline__ void publish(const Args& g, const IterationState& t, u32 count, u64 edges, double* totals, double* scratch)
{
  report(g, t, count, edges, totals, scratch);
  grid_barrier(&g.control->arrived);
  write_words(g);
#if PACKED
  send(g, t);
#endif
}

// Runs the k-th iteration of a launch (or the initialization before the first); returns true if more may follow.
__device__ bool iteration(const Args& g, u32 k, bool begins, bool sampled, double* scratch)
{
  Control* control = g.control;
  const u64 began = nanoseconds();
  double totals[TOTALS > 0 ? TOTALS : 1];
  for (int i = 0; i < TOTALS; ++i) totals[i] = 0;
  u32 count = 0;
  u64 edges = 0;
  IterationState t;
  t.slot = k % 3, t.next = (k + 1) % 3, t.spare = (k + 2) % 3, t.current = 0, t.coming = 1;
  t.sampled = sampled;
  t.known.n_vertices = g.n_vertices;
  if (HAS_FRONTIER)
    for (u64 w = global_thread(); 32 * w < (u64)(g.hi - g.lo); w += grid_threads()) g.bits[w] = 0;
#if PACKED
  clear_sent(g);
#endif
  if (begins) {
    t.known.iteration = 0, t.every = true;
    for (int i = 0; i < TOTALS; ++i) t.known.total[i] = 0;
    if (HAS_FRONTIER) grid_barrier(&control->arrived);
    all_vertices_first(g, t, count, edges, totals);
    load_members(g, t, true);
    publish(g, t, count, edges, totals, scratch);
    if (blockIdx.x == 0) write_state(g, t, 0, 0, scratch);
    return false;
  }
  PreviousState before;
  read_state(g, t, before);
  const u64 active = HAS_FRONTIER ? before.active : g.n_vertices;
  t.known.iteration = before.iteration;
  t.every = active == g.n_vertices;
  i64 finished = before.finished;
  if (finished == RUNNING) {
    if (HAS_FRONTIER && active == 0) finished = CONVERGED;
    else if (HAS_CONVERGED && before.iteration > 0 && has_converged(g, t.known)) finished = CONVERGED;
    else if (before.iteration >= g.max_iterations) finished = STOPPED;
  }
  const Fields old = old_fields(g, before.iteration), out = new_fields(g, before.iteration);
  if (finished != RUNNING) {
    carry_result(g, finished, before.finished != RUNNING, old, out);
    return false;
  }
  const bool pulled = HAS_DONE && before.model == PULL;
  const bool pulls = by_share(pulled, active, before.active_edges, g.n_vertices, (u64)g.n_edges, PULL_ABOVE, PUSH_BELOW);
  const u32 model = g.model ? (u32)g.model : (pulls || !HAS_FRONTIER) ? PULL : PUSH;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    control->next[t.spare] = control->small[t.spare] = control->chunks[t.spare] = 0;
    control->touched[t.spare] = control->active[t.spare] = 0;
    control->active_edges[t.spare] = 0;
  }
#if PACKED
  receive(g, t);
#else
  if (HAS_FRONTIER && !t.every && g.lo < g.hi) join_frontiers(g);  // an empty partition needs no frontier
  if (!g.staged) load_members(g, t, false);
#endif
  catch_up(g, t, old, out);
  if (LOCAL || HAS_FRONTIER) grid_barrier(&control->arrived);
  const u64 ready = nanoseconds();
  iterate(g, t, model, old, out, count, edges, totals);
  publish(g, t, count, edges, totals, scratch);
  if (blockIdx.x) return true;
  if (sampled) tell_spent(g);
  write_state(g, t, before.iteration + 1, model, scratch);
  if (threadIdx.x) return true;
  const u64 ended = nanoseconds();
  double* row = g.statistics + 4 * (before.iteration % g.noted);
  row[0] = model, row[1] = (double)active, row[2] = (double)before.active_edges, row[3] = 1e-9 * (double)(ended - began);
  const i64 loaded = (i64)__ldcg(&control->loaded);
  g.outcome[2] += loaded - control->ran, control->ran = loaded;
  g.outcome[3] += (i64)(ready - began), g.outcome[4] += (i64)(ended - ready);
  return true;
}

// Most iterations of a launch (part_launches.py has the same number): shorter launches skip the numbers of some barriers.
constexpr u64 ITERATIONS_PER_LAUNCH = 32;

// Arguments of a launch: those of its even iterations and, where it has several, of its odd ones.
struct LaunchArgs { Args at[2]; };

extern "C" __global__ void __launch_bounds__(THREADS, 1) lux_step(const __grid_constant__ LaunchArgs launch)
{
  __shared__ double scratch[32];
  const Args& g = launch.at[0];
  const bool begins = g.number == 0, sampled = g.sampled && g.number == 1;
  const u64 epoch = (u64)g.number * (ITERATIONS_PER_LAUNCH + 1);
  if (g.limit > 1 && !begins && !all_gpus_barrier(g, epoch)) return;
  for (u32 k = 0; iteration(launch.at[k & 1], k, begins, sampled, scratch) && k + 1 < g.limit; ++k)
    if (!all_gpus_barrier(g, epoch + k + 1)) return;
}

#include "resume.cuh"
