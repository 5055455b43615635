// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// A sample of a partition's edges and rows (lux/engine/gpu/placement/remote_reads.py).
#include "common.cuh"

constexpr u32 THREADS = 1024;

// Reports, of every `edge_step`th edge and every `row_step`th row of a partition, how many come from other partitions' vertices
// than `first`...`end`, and how many have edges; at last 1, for which the host polls.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_sample_remote_reads(const SOURCE* sources, u64 n_edges, u64 edge_step, const i64* offsets, u64 n_rows, u64 row_step,
                        u64 first, u64 end, volatile u64* report)
{
  __shared__ u32 sums[32];
  if (blockIdx.x) return;
  u32 outside = 0, filled = 0;
  for (u64 e = threadIdx.x * edge_step; e < n_edges; e += THREADS * edge_step) outside += (u64)sources[e] - first >= end - first;
  for (u64 v = threadIdx.x * row_step; v < n_rows; v += THREADS * row_step) filled += offsets[v + 1] > offsets[v];
  outside = block_sum(outside, sums);
  filled = block_sum(filled, sums);
  if (threadIdx.x) return;
  report[0] = outside;
  report[1] = filled;
  __threadfence_system();
  report[2] = 1;
}
