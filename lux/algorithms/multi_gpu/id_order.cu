// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Lists that bring results by place into the order of ids, made by the GPUs that exchange results: the same as those of
// id_order_kernels.py. Each GPU takes its ids in order, and writes where each has its place into the list of that GPU.
//
// DEGREE is the type of out-degrees.
#include "radix_pass.cuh"

#ifndef DEGREE
#define DEGREE i32
#endif

constexpr u32 MOST_GPUS = 16;

struct Sender {
  u64 end;      // of its places
  u64 send_at;  // where the places that it sends to this GPU begin in its list
  u64 slot_at;  // where results from it begin in this GPU's inbox
  u32* sends;
};

struct Ids {
  const u32* places;
  const i64* offsets;
  const DEGREE* out_degrees;  // null: a graph whose edges have no direction
  u32 parts;
  const Sender* senders;  // in shared memory

  // A candidate's key is its place and, in the lower half, its number among this GPU's ids.
  __device__ Candidate operator()(u64 j) const
  {
    const u64 p = places[j];
    return {p << 32 | j, 0, offsets[p] < offsets[p + 1] || (out_degrees && out_degrees[p])};
  }

  __device__ u32 sender(u64 key) const
  {
    u32 q = 0;
    while (q + 1 < parts && key >> 32 >= senders[q].end) q++;
    return q;
  }
};

// Counts the ids with edges, of n, that have their places with each GPU, into `found`, which is zero before.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
lux_count_senders(const u32* places, i64 n, const i64* offsets, const DEGREE* out_degrees, u32 parts, const Sender* senders,
                  u64* found)
{
  __shared__ Sender sender[MOST_GPUS];
  __shared__ u32 counts[MOST_GPUS];
  if (threadIdx.x < parts) sender[threadIdx.x] = senders[threadIdx.x], counts[threadIdx.x] = 0;
  __syncthreads();
  const Ids ids{places, offsets, out_degrees, parts, sender};
  for (u64 j = global_thread(); j < (u64)n; j += grid_threads()) {
    const Candidate c = ids(j);
    if (c.valid) atomicAdd(counts + ids.sender(c.key), 1u);
  }
  __syncthreads();
  if (threadIdx.x < parts && counts[threadIdx.x]) atomicAdd(found + threadIdx.x, (u64)counts[threadIdx.x]);
}

// Writes the places into the senders' lists, and the slots of this GPU's n ids; NONE: it has no edges.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
lux_list_sends(const u32* places, i64 n, const i64* offsets, const DEGREE* out_degrees, u32 parts, const Sender* senders,
               u32* slots, u32* counts, u32* control)
{
  __shared__ Shared shared;
  __shared__ Sender sender[MOST_GPUS];
  if (threadIdx.x < parts) sender[threadIdx.x] = senders[threadIdx.x];
  __syncthreads();
  const Ids ids{places, offsets, out_degrees, parts, sender};
  const auto digit = [&](u64 key) { return ids.sender(key); };
  u64 first, end;
  range_of((u64)n, first, end);
  count_range(ids, first, end, digit, shared, counts);
  for (u64 j = first + threadIdx.x; j < end; j += THREADS)
    if (!ids(j).valid) slots[j] = NONE;
  grid_barrier(control);
  const u32 q = threadIdx.x;
  if (q < parts) {
    u64 next = sender[q].send_at;
#pragma unroll 8
    for (u32 b = 0; b < blockIdx.x; b++) next += load_shared_state(counts + (u64)b * DIGITS + q);
    shared.next[q] = next;
  }
  __syncthreads();
  scatter_range(ids, first, end, digit, shared, [&](u32 from, u64 at, u64 key, u32) {
    sender[from].sends[at] = (u32)(key >> 32);
    slots[(u32)key] = (u32)(sender[from].slot_at + at - sender[from].send_at);
  });
}
