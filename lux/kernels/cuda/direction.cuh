// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Pull or push, as in perfmodel/direction.py, which has the thresholds: PULL_ABOVE and PUSH_BELOW are defined in front of
// a kernel's text.
#pragma once
#include "common.cuh"

// A search that pushed pulls once it is heavy, until it is light.
__device__ __forceinline__ bool next_direction(bool pulled, bool heavy, bool light) { return pulled ? !light : heavy; }

// By the frontier's share of the graph (Ligra).
__device__ __forceinline__ bool by_share(bool pulled, u64 vertices, u64 edges, u64 n_vertices, u64 n_edges, u64 pull_above,
                                         u64 push_below)
{
  const bool heavy = (vertices + edges) * pull_above > n_edges;
  return next_direction(pulled, heavy, !heavy && vertices * push_below <= n_vertices);
}

// By the edges that lead from unreached vertices (Beamer).
__device__ __forceinline__ bool by_unreached(bool pulled, u64 vertices, u64 edges, u64 vertices_before, u64 unreached,
                                             u64 n_vertices, u64 pull_above, u64 push_below)
{
  const bool light = vertices < vertices_before && vertices * push_below < n_vertices;
  return next_direction(pulled, edges * pull_above > unreached, light);
}

// By the edges that either direction would read.
__device__ __forceinline__ bool by_workload(bool pulled, double forward, double backward, double pull_above, double push_below)
{
  return next_direction(pulled, forward > pull_above * backward, forward < push_below * backward);
}
