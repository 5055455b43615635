// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Matrix factorization on GPUs: iterations of least squares or of gradient descent in one cooperative launch, on one GPU
// or on several that run side by side and meet (multi_gpu_barrier.cuh). After each iteration every block has the same sums and comes
// to the same decisions: those of lux/algorithms/factorization/minimize.py, where the host comes to them once more from the reported
// sums.
#if LEAST_SQUARES
#include "factors_least_squares.cuh"
#else
#include "factors_gradient.cuh"
#endif

constexpr i64 BEGIN = 2, END = 3, TAKE = 4;  // `what`; any other launch iterates
constexpr i64 RUNNING = 0, CONVERGED = 1, STOPPED = 2, BEYOND = 4;
constexpr double FASTER = 1.05, SLOWER = 0.5, ROUNDING = 1e-6;  // lux/algorithms/factorization/minimize.py
constexpr int PUBLISHED = 4;                                          // numbers that a GPU writes for the others
constexpr int COLUMNS = 8;                                       // numbers of a row of the report
constexpr i64 INFINITE = 0x7ff0000000000000ll;                   // bits of a double

// State of a run. Slots: the factors that the last iteration led to, those that the next one starts from, the best.
struct Run {
  i64 iteration, finished, since, epoch;
  i32 last, now, best, pad;
  double rate, lowest, reference;
  double objective, error;  // of the factors in `last`
};

// The columns of the state as the host knows it (lux/algorithms/factorization/steps.py).
__device__ Run from_host(const double (&s)[STATE])
{
  Run run{};
  run.iteration = (i64)s[0], run.now = (i32)s[1], run.last = (i32)s[2], run.best = (i32)s[3];
  run.rate = s[4], run.objective = s[5], run.lowest = s[6], run.reference = s[7], run.since = (i64)s[8], run.error = s[10];
  return run;
}

__device__ void to_host(const Run& run, double* s)
{
  s[0] = (double)run.iteration, s[1] = run.now, s[2] = run.last, s[3] = run.best;
  s[4] = run.rate, s[5] = run.objective, s[6] = run.lowest, s[7] = run.reference, s[8] = (double)run.since;
  s[9] = (double)run.finished, s[10] = run.error;
}

__device__ __forceinline__ u32 unused(const Run& run)
{
  i32 slot = 0;
  while (slot == run.last || slot == run.now || slot == run.best) ++slot;
  return (u32)slot;
}

// Factors of all vertices, padded, into a slot.
__device__ void take(const Args& g)
{
  Real* const to = factors(g, g.own, (u32)g.slot);
  for (u64 k = global_thread(); k < (u64)g.n_vertices * PADDED; k += grid_threads()) {
    const u64 v = k / PADDED;
    const u32 c = (u32)(k % PADDED);
    to[k] = c < K ? g.first[v * K + c] : Real(0);
  }
}

// This GPU's part of the factors in a slot.
__device__ void end(const Args& g)
{
  const Real* const from = factors(g, g.own, (u32)g.slot);
  const u64 elements = (u64)(g.result_end - g.result_begin) * K;
  for (u64 k = global_thread(); k < elements; k += grid_threads())
    g.result[k] = from[(g.result_begin + k / K) * PADDED + k % K];
}

__device__ __forceinline__ bool all_gpus_barrier(const Args& g, i64& epoch)
{
#if PARTS > 1
  return multi_gpu_barrier({g.arrivals, (u32)g.part, (u32)PARTS, &g.control->arrived, &g.control->finished, g.outcome + 1}, (u64)++epoch);
#else
  grid_barrier(&g.control->arrived);
  return true;
#endif
}

__device__ __forceinline__ double* published(char* memory, i64 iteration) { return reinterpret_cast<double*>(memory) + (iteration & 1) * (HEADER / 16); }

// Writes the sums of this GPU's blocks, added in a fixed order, to all GPUs.
__device__ void publish_sums(const Args& g, i64 iteration, const Sums& sums, u64 launched, u64 began, double* seconds)
{
  double all[3];
  if (!add_up(g, sums, all)) return;
  const u64 now = nanoseconds();
  const double own[PUBLISHED] = {all[0], all[1], all[2], now - launched > (u64)g.longest ? 1.0 : 0.0};
  *seconds = 1e-9 * (double)(now - began);
#pragma unroll
  for (int q = 0; q < PARTS; ++q)
    for (int i = 0; i < PUBLISHED; ++i) published(g.shared[q], iteration)[PUBLISHED * g.part + i] = own[i];
}

__device__ __forceinline__ bool is_number(double x) { return fabs(x) < __longlong_as_double(INFINITE); }

// Decides by the sums of an iteration, in one thread of each block after the barrier of all GPUs. Returns whether the launch
// is to end.
__device__ bool decide(const Args& g, Run& run, u32 ahead, double seconds, u32 row)
{
  double all[PUBLISHED] = {0, 0, 0, 0};
  for (int q = 0; q < PARTS; ++q)
    for (int i = 0; i < PUBLISHED; ++i) all[i] += __ldcg(published(g.own, run.iteration) + PUBLISHED * q + i);
  const double objective = all[0] + all[2];
  bool accepted = true;
#if LEAST_SQUARES
  run.last = run.now = (i32)ahead;
#else
  accepted = !g.scaled || objective <= run.objective * (1.0 + ROUNDING);
  if (accepted) {
    run.last = run.now, run.now = (i32)ahead;
    if (g.scaled) run.rate *= FASTER;
  } else {
    run.now = run.last, run.rate *= SLOWER;
  }
#endif
  if (accepted) run.objective = objective, run.error = g.n_test ? sqrt(all[1] / (double)g.n_test) : objective;
  const double error = run.error;
  ++run.since;
  if (error < run.reference * g.kept) run.reference = error, run.since = 0;
  if (error < run.lowest || run.best < 0) run.best = run.last;
  run.lowest = run.lowest < error ? run.lowest : error;
  if (!is_number(objective)) run.finished = BEYOND;
  else if (g.watched && run.since >= g.patience) run.finished = CONVERGED;
  else if (run.iteration == g.max_iterations) run.finished = STOPPED;
  ++run.iteration;
  if (blockIdx.x == 0) {
    double* const out = g.records + COLUMNS * row;
    out[0] = all[0], out[1] = all[1], out[2] = all[2], out[3] = seconds;
    out[4] = (double)run.last, out[5] = accepted ? 1.0 : 0.0, out[6] = (double)run.best, out[7] = (double)run.finished;
  }
  return run.finished != RUNNING || all[3] > 0;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) lux_factorize(const __grid_constant__ Args g)
{
  __shared__ Run run;
  __shared__ bool ends;
  if (g.what == BEGIN) {
    if (global_thread() == 0) *g.run = from_host(g.state);
    return;
  }
  if (g.what == TAKE) {
    take(g);
    return;
  }
  if (g.what == END) {
    end(g);
    return;
  }
  if (threadIdx.x == 0) run = *g.run;
  __syncthreads();
  const u64 launched = nanoseconds();
  i64 epoch = run.epoch;
  u32 row = 0;
  bool ended = false;
  while (!ended && row < g.noted) {
    const u64 began = nanoseconds();
    const u32 now = (u32)run.now, ahead = unused(run);
    double seconds = 0;
    Sums sums;
#if LEAST_SQUARES
    least_squares<LEFT>(g, now, ahead, sums);
    if (!all_gpus_barrier(g, epoch)) return;
    least_squares<RIGHT>(g, ahead, ahead, sums);
#else
    descend(g, now, ahead, run.rate, sums);
#endif
    publish_sums(g, run.iteration, sums, launched, began, &seconds);
    if (!all_gpus_barrier(g, epoch)) return;
    if (threadIdx.x == 0) ends = decide(g, run, ahead, seconds, row);
    __syncthreads();
    ended = ends;
    __syncthreads();
    ++row;
  }
  if (global_thread()) return;
  run.epoch = epoch;
  *g.run = run;
  g.outcome[0] = row, g.outcome[1] = run.finished;
  to_host(run, reinterpret_cast<double*>(g.outcome + 2));
}
