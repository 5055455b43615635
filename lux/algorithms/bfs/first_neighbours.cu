// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The first neighbours of a graph on one GPU (lux/algorithms/bfs/gpu.py).
#include "first_neighbours.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, 1)
lux_first_neighbours(const i64* in_offsets, const u32* in_neighbours, u32 n_vertices, u32 ranges, u32* first, u32* control)
{
  find_first_neighbours(in_offsets, in_neighbours, n_vertices, DealtRanges(n_vertices, ranges), first);
}
