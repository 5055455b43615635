// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Bottom-up levels of all searches: each row in a bitmap searches its neighbours for a parent, and stops at the first.
// One lane tests a first neighbour of a row, and its next LANE_EDGES; a warp tests the rest of longer rows.
#pragma once
#include "warps.cuh"

// Edges of a row, as positions in a CSR.
template <typename Offset>
__device__ __forceinline__ void row_of_offsets(const Offset* offsets, u32 row, bool there, i64& begin, u32& degree)
{
  begin = 0;
  degree = 0;
  if (!there) return;
  begin = (i64)__ldg(offsets + row);
  degree = (u32)((i64)__ldg(offsets + row + 1) - begin);
}

// Searches a row for a parent, by a warp. Returns NONE where there is none.
template <class Finder>
__device__ __forceinline__ u32 search_row(Finder& f, i64 begin, i64 end)
{
  const u32* neighbours = f.neighbours();
  for (i64 e = begin; e < end; e += 128) {
    u32 n[4];
    #pragma unroll
    for (int k = 0; k < 4; k++) n[k] = __ldg(neighbours + min(e + k * 32 + (i64)lane_id(), end - 1));
    u32 hit = NONE;
    #pragma unroll
    for (int k = 3; k >= 0; k--)
      if (f.hit(n[k])) hit = n[k];
    const u32 lanes = __ballot_sync(ALL_LANES, hit != NONE);
    if (lane_id() == 0) f.count_edges((u32)min((i64)128, end - e));
    if (lanes) return __shfl_sync(ALL_LANES, hit, __ffs(lanes) - 1);
  }
  return NONE;
}

// A Finder describes the search:
//   Words                       state of a warp for some words; `todo` has the bits of the rows that search
//   open(at, lanes) -> Words    loads word at + lane in each of the first `lanes` lanes; all lanes call it
//   row(words, x, begin, degree)  finds the edges of row x, counted from word `at`; none for NONE. All lanes call it
//   neighbours()                returns the neighbours of all edges
//   first_neighbour(words, x, begin, degree)  returns the neighbour of row x to test first; NONE for NONE and for rows without edges
//   FIRST_IN_ROW                that neighbour is the first of its row, so that the search goes on with the second
//   hit(from)                   returns true if a neighbour is a parent
//   set_parent(row, from, degree)  writes the parent of a row; rows are counted from word 0
//   defer(row)                   puts off a row that has tested DEFER_EDGES in vain and has more
//   marks_empty(row)            returns true if a row without edges is marked like one with a parent
//   count_edges(n)              counts edges that this lane has tested
//   close(words, at, lanes, hits)  ends the words: lane w has the marked rows of word at + w; all lanes call it
template <class Finder>
__device__ __forceinline__ void search_rows(Finder& f, u32 n_words, Lists& lists)
{
  const u32 lane = lane_id();
  const u32 n_warps = gridDim.x * WARPS;
  unsigned short* list = lists.list[warp_id()];
  unsigned char* mark = lists.mark[warp_id()];
  const u32* neighbours = f.neighbours();
  constexpr u32 TESTED = Finder::FIRST_IN_ROW ? 1 : 0;  // edges of a row
  u32 chunk = CHUNK_WORDS;
  while (chunk > 1 && n_words < chunk * n_warps) chunk >>= 1;
  for (u32 at = spread_warp() * chunk; at < n_words; at += n_warps * chunk) {
    const u32 lanes = min(chunk, n_words - at);
    const typename Finder::Words words = f.open(at, lanes);
    u32 total = list_bits(words.todo, chunk, list);
    if (total == 0) {
      f.close(words, at, lanes, 0u);
      continue;
    }
    reinterpret_cast<u64*>(mark)[lane] = 0;
    __syncwarp();
    const u32 base = at * 32;
    auto set_parent = [&](u32 x, u32 from, u32 degree) {
      f.set_parent(base + x, from, degree);
      mark[x] = 1;
    };

    // A first neighbour of each row.
    u32 kept = 0;
    for (u32 i = 0; i < total; i += 32 * PULL_UNROLL) {
      u32 x[PULL_UNROLL], degree[PULL_UNROLL], from[PULL_UNROLL];
      i64 begin[PULL_UNROLL];
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) {
        const u32 j = i + k * 32 + lane;
        x[k] = j < total ? list[j] : NONE;
        f.row(words, x[k], begin[k], degree[k]);
      }
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) from[k] = f.first_neighbour(words, x[k], begin[k], degree[k]);
      bool hit[PULL_UNROLL];
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) {
        hit[k] = from[k] != NONE && f.hit(from[k]);
        f.count_edges(from[k] != NONE);
      }
      __syncwarp();
      #pragma unroll
      for (int k = 0; k < PULL_UNROLL; k++) {
        if (hit[k]) set_parent(x[k], from[k], degree[k]);
        else if (x[k] != NONE && degree[k] == 0 && f.marks_empty(base + x[k])) mark[x[k]] = 1;
        kept = keep(list, kept, x[k], !hit[k] && degree[k] > 1);
      }
      __syncwarp();
    }

    // The next LANE_EDGES, by one lane for each row.
    total = kept;
    kept = 0;
    for (u32 i = 0; i < total; i += 32) {
      const u32 x = i + lane < total ? list[i + lane] : NONE;
      i64 begin;
      u32 degree;
      f.row(words, x, begin, degree);
      __syncwarp();
      bool more = false;
      if (x != NONE) {
        const i64 end = begin + degree, stop = min(end, begin + TESTED + LANE_EDGES);
        u32 from = NONE;
        for (i64 e = begin + TESTED; e < stop && from == NONE; e += 4) {
          u32 n[4];
          #pragma unroll
          for (int k = 0; k < 4; k++) n[k] = __ldg(neighbours + min(e + k, stop - 1));
          #pragma unroll
          for (int k = 3; k >= 0; k--)
            if (f.hit(n[k])) from = n[k];
          f.count_edges((u32)min((i64)4, stop - e));
        }
        if (from != NONE) set_parent(x, from, degree);
        more = from == NONE && stop < end;
      }
      __syncwarp();
      kept = keep(list, kept, x, more);
    }
    __syncwarp();

    // Longer rows, by the warp.
    for (u32 i = 0; i < kept; i++) {
      const u32 x = list[i];
      i64 begin;
      u32 degree;
      f.row(words, x, begin, degree);
      const i64 end = begin + degree, stop = min(end, begin + DEFER_EDGES);
      const u32 from = search_row(f, begin + TESTED + LANE_EDGES, stop);
      if (lane) continue;
      if (from != NONE) set_parent(x, from, degree);
      else if (stop < end) f.defer(base + x);
    }
    __syncwarp();
    u32 hits = 0;
    for (u32 w = 0; w < chunk; w++) {
      const u32 word = __ballot_sync(ALL_LANES, mark[w * 32 + lane] != 0);
      if (lane == w) hits = word;
    }
    f.close(words, at, lanes, hits);
    __syncwarp();
  }
}

// Tests the rest of the rows that were put off, a part of each row by each of several warps. Bits of `next` are set for
// rows that have a parent; set_parent(row, from) is called once for each other row that finds one.
template <class Finder, class Rows, class SetParent>
__device__ __forceinline__ void search_deferred(Finder& f, const u32* deferred, u32 n_deferred, u32* next, const Rows& rows,
                                        const SetParent& set_parent)
{
  const u32 n_warps = gridDim.x * WARPS;
  const u32 parts = max(16u, n_warps / n_deferred);
  for (u64 i = spread_warp(); i < (u64)n_deferred * parts; i += n_warps) {
    const u32 v = load_shared_state(deferred + i / parts);
    const u32 bit = 1u << (v & 31);
    if (__any_sync(ALL_LANES, load_shared_state(next + (v >> 5)) & bit)) continue;
    i64 begin;
    u32 degree;
    rows(v, begin, degree);
    const i64 end = begin + degree;
    begin += DEFER_EDGES;
    const i64 part = ((end - begin + parts - 1) / parts + 127) & ~(i64)127;
    const i64 e = begin + (i64)(i % parts) * part;
    if (e >= end) continue;
    const u32 from = search_row(f, e, min(end, e + part));
    if (from != NONE && lane_id() == 0 && !(atomicOr(next + (v >> 5), bit) & bit)) set_parent(v, from);
  }
}
