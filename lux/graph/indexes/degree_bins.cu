// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Degree bins of a graph on one GPU, or of a partition: what lux.graph.indexes.degree_bins makes of rows, item by item.
#include "common.cuh"

constexpr u32 THREADS = 1024, WARPS = THREADS / 32;
constexpr u32 CLASSES = 8;
constexpr i64 SEGMENT = 4096, ROW_COST = 4;            // as in degree_bins.py
constexpr i64 ITEMS_WANTED = 1 << 15, LEAST = 512, MOST = 4096;

struct Item { u32 first, end; };

struct Control {
  u32 arrived, disorder;  // disorder: rows that follow one of a later class
  u64 items, segments;    // segments: items of hubs, which come first
};

struct Tally { i64 rows, cost; };

__device__ __forceinline__ u32 class_of(i64 degree)
{
  return degree > SEGMENT ? 0 : degree > 64 ? 1 : degree > 32 ? 2 : degree > 16 ? 3 : degree > 8 ? 4 : degree > 4 ? 5 : degree > 0 ? 6 : 7;
}

__device__ __forceinline__ i64 degree_of(const i64* offsets, u64 row) { return offsets[row + 1] - offsets[row]; }

__device__ __forceinline__ void range_of(u64 n, u64& first, u64& end)
{
  const u64 each = (n + gridDim.x - 1) / gridDim.x;
  first = min(n, each * blockIdx.x), end = min(n, first + each);
}

// Counts the rows of a block's range, and their cost, by class.
__device__ void count_rows(const i64* offsets, u64 first, u64 end, Tally* tallies, u32* disorder)
{
  __shared__ i64 scratch[32];
  i64 rows[CLASSES] = {}, cost[CLASSES] = {};
  bool wrong = false;
  for (u64 i = first + threadIdx.x; i < end; i += THREADS) {
    const i64 degree = degree_of(offsets, i);
    const u32 c = class_of(degree);
    wrong |= i > 0 && class_of(degree_of(offsets, i - 1)) > c;
#pragma unroll
    for (u32 k = 0; k < CLASSES; k++) rows[k] += k == c, cost[k] += k == c ? degree + ROW_COST : 0;
  }
  if (__any_sync(ALL_LANES, wrong) && lane_id() == 0) atomicOr(disorder, 1u);
#pragma unroll
  for (u32 k = 0; k < CLASSES; k++) {
    const i64 r = block_sum(rows[k], scratch), x = block_sum(cost[k], scratch);
    if (threadIdx.x == 0) tallies[blockIdx.x * CLASSES + k] = {r, x};
  }
}

struct Shared {
  Tally begin[CLASSES + 1];      // of each class, among all rows
  Tally next[CLASSES];           // where this block's next row of a class goes, and the cost before it
  Tally of_warp[WARPS][CLASSES];
  u64 totals[WARPS];
};

// Finds where classes begin, and where this block's rows of each begin.
__device__ void place_classes(const Tally* tallies, Shared& shared)
{
  if (threadIdx.x < CLASSES) {
    Tally all = {0, 0}, before = {0, 0};
    for (u32 b = 0; b < gridDim.x; b++) {
      const Tally* at = tallies + b * CLASSES + threadIdx.x;
      const i64 rows = load_shared_state(&at->rows), cost = load_shared_state(&at->cost);
      if (b < blockIdx.x) before.rows += rows, before.cost += cost;
      all.rows += rows, all.cost += cost;
    }
    shared.begin[threadIdx.x + 1] = all;
    shared.next[threadIdx.x] = before;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    shared.begin[0] = {0, 0};
    for (u32 k = 1; k <= CLASSES; k++) {
      shared.begin[k].rows += shared.begin[k - 1].rows;
      shared.begin[k].cost += shared.begin[k - 1].cost;
      shared.next[k - 1].rows += shared.begin[k - 1].rows;
      shared.next[k - 1].cost += shared.begin[k - 1].cost;
    }
  }
  __syncthreads();
}

// Writes the rows of a block's range by class, counted from lo on, and the cost of all rows up to each.
__device__ void place_rows(const i64* offsets, u64 first, u64 end, u32 lo, Shared& shared, u32* order, i64* costs)
{
  for (u64 tile = first; tile < end; tile += THREADS) {
    const u64 i = tile + threadIdx.x;
    const i64 degree = i < end ? degree_of(offsets, i) : 0;
    const u32 c = i < end ? class_of(degree) : CLASSES;
    Tally mine = {0, 0};
    for (u32 k = 0; k < CLASSES; k++) {
      const u32 alike = __ballot_sync(ALL_LANES, c == k);
      i64 total;
      const i64 cost = warp_scan(c == k ? degree + ROW_COST : (i64)0, total);
      if (lane_id() == 0) shared.of_warp[warp_id()][k] = {__popc(alike), total};
      if (c == k) mine = {__popc(alike & ((1u << lane_id()) - 1u)), cost};
    }
    __syncthreads();
    if (threadIdx.x < CLASSES) {
      Tally at = shared.next[threadIdx.x];
      for (u32 w = 0; w < WARPS; w++) {
        Tally& of_warp = shared.of_warp[w][threadIdx.x];
        const Tally here = of_warp;
        of_warp = at;
        at.rows += here.rows, at.cost += here.cost;
      }
      shared.next[threadIdx.x] = at;
    }
    __syncthreads();
    if (i < end) {
      const Tally at = shared.of_warp[warp_id()][c];
      order[at.rows + mine.rows] = lo + (u32)i;
      costs[at.rows + mine.rows + 1] = at.cost + mine.cost + degree + ROW_COST;
    }
    __syncthreads();
  }
  if (global_thread() == 0) costs[0] = 0;
}

// Cost of the rows before each of the rows by class; null costs: they are stored so.
struct Costs {
  const i64 *offsets, *costs;
  __device__ __forceinline__ i64 before(i64 k) const { return costs ? load_shared_state(costs + k) : offsets[k] - offsets[0] + ROW_COST * k; }
};

// The first row from which on items of the class have `cost` behind them: an item ends before the row with which its class
// exceeds so much.
__device__ i64 row_at(const Costs& costs, i64 low, i64 high, i64 cost)
{
  while (low < high) {
    const i64 middle = (low + high) / 2;
    if (costs.before(middle + 1) < cost) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Exclusive prefix sum over a block; the block's total in `total`.
__device__ __forceinline__ u64 block_scan(u64 x, u64* totals, u64& total)
{
  u64 of_warp;
  const u64 inside = warp_scan(x, of_warp);
  __syncthreads();
  if (lane_id() == 0) totals[warp_id()] = of_warp;
  __syncthreads();
  u64 before = 0;
  total = 0;
  for (u32 w = 0; w < WARPS; w++) {
    before += w < warp_id() ? totals[w] : 0;
    total += totals[w];
  }
  return before + inside;
}

// The segments of hubs, by one block; returns their number.
__device__ u64 cut_hubs(const Costs& costs, i64 hubs, Shared& shared, Item* items)
{
  u64 at = 0;
  for (i64 tile = 0; tile < hubs; tile += THREADS) {
    const i64 k = tile + threadIdx.x;
    const u32 many = k < hubs ? (u32)((costs.before(k + 1) - costs.before(k) - ROW_COST + SEGMENT - 1) / SEGMENT) : 0;
    u64 all;
    const u64 first = at + block_scan(many, shared.totals, all);
    for (u32 s = 0; s < many; s++) items[first + s] = {(u32)k, s};
    at += all;
  }
  return at;
}

// The items of a class, by one block; returns the number of items so far.
__device__ u64 cut_class(const Costs& costs, const Tally& begin, const Tally& end, i64 budget, u64 at, Shared& shared, Item* items)
{
  const i64 cost = end.cost - begin.cost, many = (cost + budget - 1) / budget;
  const double each = many ? (double)cost / (double)many : 0;
  const auto cut = [&](i64 k) {
    return k == 0 ? begin.rows : k == many ? end.rows : row_at(costs, begin.rows, end.rows, begin.cost + (i64)ceil((double)k * each));
  };
  for (i64 tile = 0; tile < many; tile += THREADS) {
    const i64 k = tile + threadIdx.x, from = k < many ? cut(k) : 0, to = k < many ? cut(k + 1) : 0;
    u64 all;
    const u64 position = at + block_scan(to > from, shared.totals, all);
    if (to > from) items[position] = {(u32)from, (u32)to};
    at += all;
  }
  return at;
}

// Cuts n rows of m edges into items, in the order of degree_bins.py. Rows that are not stored by class (control->disorder)
// are listed so in `order`, counted from lo on, with `costs` (of n + 1) beside; where these are null, nothing is cut then.
// `tallies` holds CLASSES for each block. Returns true in the block that has cut.
__device__ bool bin_rows(const i64* offsets, i64 n, i64 m, u32 lo, u32* order, i64* costs, Item* items, Tally* tallies,
                         Control* control)
{
  __shared__ Shared shared;
  u64 first, end;
  range_of((u64)n, first, end);
  count_rows(offsets, first, end, tallies, &control->disorder);
  grid_barrier(&control->arrived);
  const bool placed = load_shared_state(&control->disorder) == 0;
  if (!placed && !order) return false;
  place_classes(tallies, shared);
  if (!placed) {
    place_rows(offsets, first, end, lo, shared, order, costs);
    grid_barrier(&control->arrived);
  }
  if (blockIdx.x) return false;
  const Costs of_rows{offsets, placed ? nullptr : costs};
  const i64 budget = min(max(m / ITEMS_WANTED, LEAST), MOST);
  u64 at = cut_hubs(of_rows, shared.begin[1].rows, shared, items);
  if (threadIdx.x == 0) control->segments = at;
  for (u32 c = 1; c < CLASSES; c++) at = cut_class(of_rows, shared.begin[c], shared.begin[c + 1], budget, at, shared, items);
  if (threadIdx.x == 0) control->items = at;
  return true;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_bin_rows(const i64* offsets, i64 n, i64 m, u32* order, i64* costs, Item* items, Tally* tallies, Control* control)
{
  bin_rows(offsets, n, m, 0, order, costs, items, tallies, control);
}

// Cuts the rows of a partition, which begin at lo, into `work`: its tables, the rows by class from word `rows_at` on, and
// the items from word `items_at` on. Rows that are stored by class are listed, too. `report` receives the numbers of items
// and of segments, whether rows are not stored by class, and at last 1, for which the host polls.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_bin_partition(const i64* offsets, i64 n, i64 m, i64 lo, const i64* tables, i64 n_tables, u32* work, u64 rows_at, u64 items_at,
                  i64* costs, Tally* tallies, Control* control, volatile u64* report)
{
  u32* const rows = work + rows_at;
  for (i64 k = global_thread(); k < n_tables; k += grid_threads()) ((i64*)work)[k] = tables[k];
  const bool reports = bin_rows(offsets, n, m, (u32)lo, rows, costs, (Item*)(work + items_at), tallies, control);
  const bool placed = load_shared_state(&control->disorder) == 0;
  for (i64 k = global_thread(); placed && k < n; k += grid_threads()) rows[k] = (u32)(lo + k);
  if (!reports) return;
  __syncthreads();
  if (threadIdx.x) return;
  report[0] = control->items, report[1] = control->segments, report[2] = !placed;
  __threadfence_system();
  report[3] = 1;
}
