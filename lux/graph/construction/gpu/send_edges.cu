// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Edges on several GPUs, each of which has some of them in any order, are sent to the GPUs that own their destinations:
// counted by ranges of destinations, and written into the owners' memory as keys, in the order of the edges.
#include "radix_pass.cuh"

constexpr u32 MOST_RANGES = 4096, MOST_GPUS = 16;

// Counts candidates by range of 2^shift destinations; there are at most MOST_RANGES. `found` is zero before.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
lux_count_destinations(const u32* sources, const u32* destinations, u32 mirror, u32 drop_loops, i64 candidates, u32 shift,
                       u64* found)
{
  __shared__ u32 counts[MOST_RANGES];
  const EdgeColumns edges{sources, destinations, mirror != 0, drop_loops != 0, 32};
  for (u32 k = threadIdx.x; k < MOST_RANGES; k += THREADS) counts[k] = 0;
  __syncthreads();
  u64 first, end;
  range_of((u64)candidates, first, end);
  for (u64 j = first + threadIdx.x; j < end; j += 4 * THREADS) {
    Candidate c[4];
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
      const u64 at = j + k * THREADS;
      c[k] = edges.at(at < end ? at : j);
      c[k].valid = c[k].valid && at < end;
    }
#pragma unroll
    for (u32 k = 0; k < 4; k++)
      if (c[k].valid) atomicAdd(counts + (c[k].key >> 32 >> shift), 1u);
  }
  __syncthreads();
  for (u32 k = threadIdx.x; k < MOST_RANGES; k += THREADS)
    if (counts[k]) atomicAdd(found + k, (u64)counts[k]);
}

// Sends the candidates whose destinations are owners[q].begin to owners[q].end - 1, of each GPU q, to places[q] and on in
// the keys of GPU q. Keys count destinations from owners[q].begin on. `first_edge` is the number of the first edge here.
struct Owner {
  u64 begin, end, place;
  u64* keys;
  u32* indices;
};

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
lux_send_edges(const u32* sources, const u32* destinations, u32 mirror, u32 drop_loops, u32 bits, i64 candidates,
               u64 first_edge, u32 parts, const Owner* owners, u32* counts, u32* control)
{
  __shared__ Shared shared;
  __shared__ Owner owner[MOST_GPUS];
  if (threadIdx.x < parts) owner[threadIdx.x] = owners[threadIdx.x];
  __syncthreads();
  const EdgeColumns edges{sources, destinations, mirror != 0, drop_loops != 0, bits};
  const auto digit = [&](u64 key) {
    const u64 destination = key >> bits;
    u32 q = 0;
    while (q < parts && destination >= owner[q].end) q++;
    return q;
  };
  const auto read = [&](u64 j) {
    Candidate c = edges.at(j);
    const u32 q = digit(c.key);
    c.valid = c.valid && q < parts && c.key >> bits >= owner[q].begin;
    return c;
  };
  u64 first, end;
  range_of((u64)candidates, first, end);
  count_range(read, first, end, digit, shared, counts);
  grid_barrier(control);
  const u32 q = threadIdx.x;
  if (q < parts) {
    u64 next = owner[q].place;
#pragma unroll 8
    for (u32 b = 0; b < blockIdx.x; b++) next += load_shared_state(counts + (u64)b * DIGITS + q);
    shared.next[q] = next;
  }
  __syncthreads();
  scatter_range(read, first, end, digit, shared, [&](u32 to, u64 at, u64 key, u32 index) {
    owner[to].keys[at] = key - (owner[to].begin << bits);
#if PAYLOAD
    owner[to].indices[at] = index + (u32)first_edge;
#endif
  });
}
