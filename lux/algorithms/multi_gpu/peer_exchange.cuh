// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Barriers, with messages and without, of kernels that run side by side, each on a GPU of its own, maybe of another process.
// Each GPU writes a word, or a message of a few numbers, into the memory of every other, and polls its own. (The barrier of
// multi_gpu_barrier.cuh, through words in the host's memory, takes longer.)
#pragma once
#include "multi_gpu_barrier.cuh"

constexpr u32 MOST_GPUS = 16;
constexpr u32 MESSAGE_WORDS = 7;

struct PeerMessage {
  u64 number;  // of the exchange; written last
  u64 word[MESSAGE_WORDS];
};

// There are two copies, for odd and even exchanges. A GPU writes to a copy again only when it has received the messages of
// the exchange between, which every GPU sends after it has read this copy. All is zero before the first exchange.
struct PeerInbox {
  PeerMessage from[2][MOST_GPUS];
};

struct PeerExchange {
  u32 part, parts;
  PeerInbox* mine;
  char* const* peers;  // memory of each GPU, whose inbox lies at byte `at`
  u64 at;
  u32* arrived;               // of grid_barrier
  i64 *finished, *outcome;  // as in MultiGpuBarrier; not PEER_LOST yet

  __device__ __forceinline__ PeerInbox* of(u32 q) const { return q == part ? mine : reinterpret_cast<PeerInbox*>(peers[q] + at); }
};

// Waits for all threads of this GPU. Their writes to other GPUs' memory precede all later ones.
__device__ __forceinline__ void all_here(u32* arrived)
{
  __syncthreads();
  if (threadIdx.x == 0) __threadfence_system();
  grid_barrier(arrived);
}

// Exchanges messages, after all_here: each GPU sends to each GPU q (itself, too) the words that say(q, word) writes, and gets
// theirs in `received`, in shared memory. Exchanges are numbered from 1, over all launches. Writes before an exchange are
// visible after it. Returns false if some GPU has not arrived in time.
template <class Say>
__device__ __forceinline__ bool exchange(const PeerExchange& m, u64 number, u64 (*received)[MOST_GPUS], const Say& say)
{
  const u32 copy = (u32)number & 1u, q = threadIdx.x;
  if (blockIdx.x == 0 && q < 32) {
    if (q < m.parts) {
      PeerMessage* to = m.of(q)->from[copy] + m.part;
      say(q, to->word);
      store_release_system(&to->number, number);
    }
    __syncwarp();
    if (q < m.parts) {
      const u64 *theirs = &m.mine->from[copy][q].number, began = nanoseconds();
      u64 now = load_acquire_system(theirs);
      while (now < number && __ldcg(m.finished) != PEER_LOST) {
        if (nanoseconds() - began > BARRIER_TIMEOUT_NS) now = GAVE_UP;
        else now = load_acquire_system(theirs);
      }
      if (now == GAVE_UP) {
        *m.finished = *m.outcome = PEER_LOST;
        for (u32 k = 0; k < 2 * m.parts; ++k) store_release_system(&m.of(k >> 1)->from[k & 1u][m.part].number, GAVE_UP);
      }
    }
  }
  grid_barrier(m.arrived);
  if (threadIdx.x < m.parts * MESSAGE_WORDS) {
    const u32 of = threadIdx.x / MESSAGE_WORDS, k = threadIdx.x % MESSAGE_WORDS;
    received[k][of] = __ldcg(m.mine->from[copy][of].word + k);
  }
  __syncthreads();
  return __ldcg(m.finished) != PEER_LOST;
}

// A barrier alone, of any number of GPUs that has a thread each in a block. `words` are barriers that each GPU has reached
// (every ARRIVALS_STRIDE words, so that each is in a line of its own): zero before the first one, at the same place behind
// every GPU's `base`.
struct PeerBarrier {
  u32 part, parts;
  u64* words;
  const char* base;
  char* const* peers;
  u32* arrived;
  i64 *finished, *outcome;

  __device__ __forceinline__ u64* of(u32 q) const
  {
    return reinterpret_cast<u64*>(peers[q] + (reinterpret_cast<const char*>(words) - base)) + ARRIVALS_STRIDE * part;
  }
};

// Waits for all threads of all GPUs. Barriers are numbered from 1, over all launches. Writes from before it are visible to
// all after it. Returns false if some GPU has not arrived in time: then all GPUs give up for good.
__device__ inline bool peer_barrier(const PeerBarrier& m, u64 number)
{
  all_here(m.arrived);
  if (blockIdx.x == 0 && threadIdx.x < m.parts) {
    const u32 q = threadIdx.x;
    store_release_system(q == m.part ? m.words + ARRIVALS_STRIDE * m.part : m.of(q), number);
    const u64 *theirs = m.words + ARRIVALS_STRIDE * q, began = nanoseconds();
    u64 now = load_acquire_system(theirs);
    while (now < number && __ldcg(m.finished) != PEER_LOST) {
      if (nanoseconds() - began > BARRIER_TIMEOUT_NS) now = GAVE_UP;
      else now = load_acquire_system(theirs);
    }
    if (now == GAVE_UP) {
      *m.finished = *m.outcome = PEER_LOST;
      for (u32 p = 0; p < m.parts; ++p) store_release_system(p == m.part ? m.words + ARRIVALS_STRIDE * p : m.of(p), GAVE_UP);
    }
  }
  grid_barrier(m.arrived);
  return __ldcg(m.finished) != PEER_LOST;
}
