// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Least squares for the rows of one side: each row's normal equations, summed from its neighbours' factors, and their
// solution, as lux/algorithms/factorization/normal_equation_kernels.py does. A group of GROUP threads (a warp or a block) has a row. Together
// they bring the factors of PANEL neighbours into shared memory; then each adds up its own 4 x 4 tile of the matrix from
// there (the hybrid of the Lux paper, section 7). Rows of factors have the rating as one more column, so that the matrix
// has its right-hand side as one. Tiles are summed in REAL, SUM_BLOCK ratings at a time, and the sums of those in double.
#pragma once
#include "factors.cuh"

constexpr int WIDTH = K / 4 * 4 + 4;  // elements of a row [factor, rating, 0...]
constexpr u32 SUM_BLOCK = 1024;
constexpr int TILE_ROWS = (K + 3) / 4, TILE_COLUMNS = WIDTH / 4;
constexpr u32 TILES = TILE_ROWS * TILE_COLUMNS - TILE_ROWS * (TILE_ROWS - 1) / 2;  // of the upper triangle
constexpr u32 PASSES = (TILES + GROUP - 1) / GROUP;
constexpr int GROUPS = THREADS / GROUP;
constexpr int ACROSS = GROUP == 32 ? 8 : 16, DOWN = GROUP / ACROSS;  // threads side by side in an elimination
constexpr double LEAST = 32.0 * (sizeof(Real) == 4 ? 1.1920928955078125e-07 : 2.220446049250313e-16);  // see `solve`

__host__ __device__ constexpr u32 room(u32 bytes) { return (bytes + 15) / 16 * 16; }
constexpr u32 MATRIX_BYTES = MATRIX_IN_SHARED ? 8 * K * WIDTH : 0, PIVOT_BYTES = room(8 * K), X_BYTES = room(8 * (K + 1));
constexpr u32 FACTOR_BYTES = PADDED * sizeof(Real), PANEL_BYTES = PANEL * WIDTH * sizeof(Real), RATING_BYTES = room(PANEL * sizeof(Real));
static_assert(MATRIX_BYTES + 2 * PIVOT_BYTES + X_BYTES + FACTOR_BYTES + PANEL_BYTES + RATING_BYTES + room(4 * PANEL) == GROUP_BYTES, "as in Python");

extern __shared__ __align__(16) unsigned char dynamic_memory[];

// Working memory of a group.
struct Group {
  double *matrix, *least, *inverse, *x;
  Real *factor, *panel, *rating;
  u32* who;
  u32 thread, number, count;  // its number, of how many that have work; NONE: it has none
};

__device__ __forceinline__ Group group_of(const Args& g)
{
  Group w;
  const u32 here = threadIdx.x / GROUP, blocks = (u32)min((i64)gridDim.x, g.workers);
  unsigned char* at = dynamic_memory + here * GROUP_BYTES;
  w.matrix = MATRIX_IN_SHARED ? reinterpret_cast<double*>(at) : g.workspace + (u64)blockIdx.x * K * WIDTH, at += MATRIX_BYTES;
  w.least = reinterpret_cast<double*>(at), at += PIVOT_BYTES;
  w.inverse = reinterpret_cast<double*>(at), at += PIVOT_BYTES;
  w.x = reinterpret_cast<double*>(at), at += X_BYTES;
  w.factor = reinterpret_cast<Real*>(at), at += FACTOR_BYTES;
  w.panel = reinterpret_cast<Real*>(at), at += PANEL_BYTES;
  w.rating = reinterpret_cast<Real*>(at), at += RATING_BYTES;
  w.who = reinterpret_cast<u32*>(at);
  w.thread = threadIdx.x % GROUP;
  w.count = blocks * GROUPS;
  w.number = blockIdx.x < blocks ? here * blocks + blockIdx.x : NONE;
  return w;
}

__device__ __forceinline__ void group_sync()
{
  if (GROUP == 32) __syncwarp();
  else __syncthreads();
}

// Tiles

__device__ __forceinline__ void tile_at(u32 tile, u32& i, u32& j)
{
  i = 0;
  while (tile >= TILE_COLUMNS - i) tile -= TILE_COLUMNS - i, ++i;
  j = i + tile;
}

// The ratings from e on and the factors behind them; those that are held out become zeros.
__device__ __forceinline__ void fill_panel(const Args& g, const Side& s, const Real* old, i64 e, u32 count, const Group& w)
{
  group_sync();  // nobody reads the panel any more
  if (w.thread < count) {
    const bool held = s.held_out[e + w.thread];
    w.who[w.thread] = held ? NONE : s.neighbours[e + w.thread];
    w.rating[w.thread] = held ? Real(0) : (Real)s.ratings[e + w.thread];
  }
  group_sync();
  for (u32 k = w.thread; k < count * TILE_COLUMNS; k += GROUP) {
    const u32 row = k / TILE_COLUMNS, chunk = k % TILE_COLUMNS, u = w.who[row];
    Real x[4] = {0, 0, 0, 0};
    if (u != NONE && chunk < CHUNKS) load4(factor_of(g, old, u) + 4 * chunk, x);
    if (chunk == K / 4) x[K % 4] = w.rating[row];
    store4(w.panel + 4 * k, x);  // WIDTH is 4 * TILE_COLUMNS
  }
  group_sync();
}

__device__ __forceinline__ void sum_tile(const Args& g, const Side& s, const Real* old, const Span& row, const Group& w, u32 tile, double (&total)[16])
{
  u32 i = 0, j = 0, so_far = 0;
  if (tile < TILES) tile_at(tile, i, j);
  Real sum[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) sum[k] = 0, total[k] = 0;
  for (i64 e = row.first; e < row.end; e += PANEL) {
    const u32 count = (u32)min((i64)PANEL, row.end - e);
    fill_panel(g, s, old, e, count, w);
    if (tile < TILES) {
#pragma unroll 4
      for (u32 t = 0; t < count; ++t) {
        Real a[4], b[4];
        load4(w.panel + t * WIDTH + 4 * i, a);
        load4(w.panel + t * WIDTH + 4 * j, b);
#pragma unroll
        for (int k = 0; k < 16; ++k) sum[k] += a[k / 4] * b[k % 4];
      }
    }
    so_far += PANEL;
    if (so_far == SUM_BLOCK) {
#pragma unroll
      for (int k = 0; k < 16; ++k) total[k] += (double)sum[k], sum[k] = 0;
      so_far = 0;
    }
  }
#pragma unroll
  for (int k = 0; k < 16; ++k) total[k] += (double)sum[k];
}

__device__ __forceinline__ void put_tile(const Group& w, u32 tile, const double (&total)[16])
{
  if (tile >= TILES) return;
  u32 i, j;
  tile_at(tile, i, j);
#pragma unroll
  for (int k = 0; k < 16; ++k)
    if (4 * i + k / 4 < K) w.matrix[(4 * i + k / 4) * WIDTH + 4 * j + k % 4] = total[k];
}

// Equations

// Cholesky's method without square roots. A pivot below LEAST times the diagonal element that it comes from is rounding:
// no rating determines that direction, and its component becomes zero.
__device__ __forceinline__ void solve(const Group& w, double weight)
{
  double* const m = w.matrix;
  group_sync();  // the tiles are there
  for (u32 c = w.thread; c < K; c += GROUP) w.least[c] = LEAST * (m[c * WIDTH + c] += weight);
  group_sync();
  const u32 across = w.thread % ACROSS, down = w.thread / ACROSS;
  for (u32 p = 0; p < K; ++p) {
    const double* const row = m + p * WIDTH;
    const double pivot = row[p], inverse = pivot > w.least[p] ? 1.0 / pivot : 0.0;
    if (w.thread == 0) w.inverse[p] = inverse;
    for (u32 i = p + 1 + down; i < K; i += DOWN) {
      const double factor = -row[i] * inverse;
      for (u32 j = i + across; j <= K; j += ACROSS) m[i * WIDTH + j] += factor * row[j];
    }
    group_sync();
  }
  if (w.thread < 32) {
    if (w.thread == 0) w.x[K] = -1.0;
    __syncwarp();
    for (int i = K - 1; i >= 0; --i) {
      double sum = 0;
      for (u32 j = i + 1 + w.thread; j <= K; j += 32) sum += m[i * WIDTH + j] * w.x[j];
      sum = sum_over(sum, 1, 32);
      if (w.thread == 0) w.x[i] = -w.inverse[i] * sum;
      __syncwarp();
    }
  }
  group_sync();
}

// Solves the equations of the vertex v, and keeps its factor.
template <int SIDE>
__device__ __forceinline__ void finish_row(const Args& g, const Group& w, u32 v, u32 to, Sums& sums)
{
  const double weight = weight_of(g, v);
  solve(w, weight);
  for (u32 c = w.thread; c < PADDED; c += GROUP) {
    const Real x = c < K ? (Real)w.x[c] : Real(0);
    w.factor[c] = x;
#if MOVED
    new_factors<SIDE>(g, to)[(u64)place_of(g, v) * PADDED + c] = x;
#else
#pragma unroll
    for (int q = 0; q < PARTS; ++q) factors(g, g.shared[q], to)[(u64)v * PADDED + c] = x;
#endif
    sums.penalty += weight * (double)x * (double)x;
  }
  group_sync();
}

// Errors of a row's ratings with its factor x, by the threads of a group: LANES of them share a rating.
__device__ __forceinline__ void add_errors(const Args& g, const Side& s, const Real* old, const Span& row, const Real* x, u32 thread, Sums& sums)
{
  constexpr u32 TEAMS = GROUP / LANES;
  const u32 team = thread / LANES, lane = thread % LANES;
  const bool rated = g.counts[row.v] != 0;
  Real mine[EACH][4];
  load_factor(x, mine);
  for (i64 base = row.first; base < row.end; base += TEAMS * AHEAD) {
    Real theirs[AHEAD][EACH][4];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const i64 e = min(base + k * TEAMS + team, row.end - 1);
      load_factor(factor_of(g, old, s.neighbours[e]), theirs[k]);
    }
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const i64 e = base + k * TEAMS + team;
      const Real product = inner_product(theirs[k], mine);
      if (lane == 0 && e < row.end) add_error(g, s, e, rated, (double)s.ratings[e] - (double)product, sums);
    }
  }
}

// New factors of the rows of a side in the slot `to`, each the best for the other side's in the slot `from`; errors are
// summed on the right side, which comes last.
template <int SIDE>
__device__ __noinline__ void least_squares(const Args& g, u32 from, u32 to, Sums& sums)
{
  const Side s = side_of<SIDE>(g);
  const Group w = group_of(g);
  const Real* const old = old_factors<1 - SIDE>(g, from);
  double total[16];
  for (u32 item = w.number; item < s.n_segments + s.n_rows - s.n_hubs; item += w.count) {
    const bool whole = item >= s.n_segments;
    const Span row = whole ? span_of(g, s.rows[s.n_hubs + item - s.n_segments]) : segment_of(g, s, item);
    for (u32 tile = w.thread; tile < PASSES * GROUP; tile += GROUP) {
      sum_tile(g, s, old, row, w, tile, total);
      if (whole) {
        put_tile(w, tile, total);
      } else if (tile < TILES) {
        double* const out = g.partial + (u64)item * TILES * 16 + tile;
#pragma unroll
        for (int k = 0; k < 16; ++k) out[k * TILES] = total[k];
      }
    }
    if (!whole) continue;
    finish_row<SIDE>(g, w, row.v, to, sums);
    if (SIDE == RIGHT) add_errors(g, s, old, row, w.factor, w.thread, sums);
  }
  if (s.n_hubs == 0) return;
  grid_barrier(&g.control->arrived);
  for (u32 hub = w.number; hub < s.n_hubs; hub += w.count) {
    for (u32 tile = w.thread; tile < PASSES * GROUP; tile += GROUP) {
#pragma unroll
      for (int k = 0; k < 16; ++k) total[k] = 0;
      if (tile < TILES) {
#pragma unroll 2
        for (u32 segment = s.first_segment[hub]; segment < s.first_segment[hub + 1]; ++segment) {
          const double* const in = g.partial + (u64)segment * TILES * 16 + tile;
#pragma unroll
          for (int k = 0; k < 16; ++k) total[k] += __ldcg(in + k * TILES);
        }
      }
      put_tile(w, tile, total);
    }
    finish_row<SIDE>(g, w, s.rows[hub], to, sums);
  }
  if (SIDE == LEFT) return;
  grid_barrier(&g.control->arrived);
  for (u32 segment = w.number; segment < s.n_segments; segment += w.count) {
    const Span row = segment_of(g, s, segment);
    add_errors(g, s, old, row, factor_of(g, new_factors<SIDE>(g, to), row.v), w.thread, sums);
  }
}
