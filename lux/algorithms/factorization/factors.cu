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

constexpr i64 RUNNING = 0, CONVERGED = 1, STOPPED = 2, BEYOND = 4;
constexpr double FASTER = 1.05, SLOWER = 0.5, ROUNDING = 1e-6;  // lux/algorithms/factorization/minimize.py
constexpr u64 NANOSECONDS = 200000000ull;                        // after which a launch hands back to the host
constexpr int PUBLISHED = 4;                                          // numbers that a GPU writes for the others
constexpr int COLUMNS = 8;                                       // numbers of a row of the report
constexpr i64 INFINITE = 0x7ff0000000000000ll;                   // bits of a double

// State of a run. Slots: the factors that the last iteration led to, those that the next one starts from, the best.
struct Run {
  i64 iteration, finished, since, epoch;
  i32 last, now, best, pad;
  double rate, lowest, reference;
  double train, test, penalty;  // of the factors in `last`
};

__device__ __forceinline__ u32 unused(const Run& run)
{
  i32 slot = 0;
  while (slot == run.last || slot == run.now || slot == run.best) ++slot;
  return (u32)slot;
}

// Before the first iteration: the first factors, padded.
__device__ void begin(const Args& g)
{
  Real* const to = factors(g, g.own, 0);
  for (u64 k = global_thread(); k < (u64)g.n_vertices * PADDED; k += grid_threads()) {
    const u64 v = k / PADDED;
    const u32 c = (u32)(k % PADDED);
    to[k] = c < K ? g.first[v * K + c] : Real(0);
  }
  if (global_thread()) return;
  Run run{};
  run.best = -1, run.rate = g.rate;
  run.lowest = run.reference = run.train = run.test = run.penalty = __longlong_as_double(INFINITE);
  *g.run = run;
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
  const double own[PUBLISHED] = {all[0], all[1], all[2], now - launched > NANOSECONDS ? 1.0 : 0.0};
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
  accepted = !g.scaled || objective <= (run.train + run.penalty) * (1.0 + ROUNDING);
  if (accepted) {
    run.last = run.now, run.now = (i32)ahead;
    if (g.scaled) run.rate *= FASTER;
  } else {
    run.now = run.last, run.rate *= SLOWER;
  }
#endif
  if (accepted) run.train = all[0], run.test = all[1], run.penalty = all[2];
  const double error = g.n_test ? sqrt(run.test / (double)g.n_test) : run.train + run.penalty;
  ++run.since;
  if (error < run.reference * g.kept) run.reference = error, run.since = 0;
  if (error < run.lowest || run.best < 0) run.best = run.last;
  run.lowest = run.lowest < error ? run.lowest : error;
  if (!is_number(objective)) run.finished = BEYOND;
  else if (g.watched && run.since >= g.patience) run.finished = CONVERGED;
  else if (run.iteration + LEAST_SQUARES == g.max_iterations) run.finished = STOPPED;
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
  if (g.number == 0) {
    begin(g);
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
  if (run.finished != RUNNING && run.best >= 0) {
    const Real* const from = factors(g, g.own, (u32)run.best);
    const u64 elements = (u64)(g.result_end - g.result_begin) * K;
    for (u64 k = global_thread(); k < elements; k += grid_threads())
      g.result[k] = from[(g.result_begin + k / K) * PADDED + k % K];
  }
  if (global_thread()) return;
  run.epoch = epoch;
  *g.run = run;
  g.outcome[0] = row, g.outcome[1] = run.finished, g.outcome[2] = run.best;
}
