// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Where kernels that run side by side, each on a GPU of its own, wait for one another and tell each other numbers: each
// writes letters into the memory of the others, and looks into its own. What multi_gpu_barrier.cuh does by words in the host's memory
// takes longer.
#pragma once
#include "multi_gpu_barrier.cuh"

constexpr u32 MOST_GPUS = 16;
constexpr u32 LETTER_WORDS = 7;

struct Letter {
  u64 number;  // of the exchange; written last
  u64 word[LETTER_WORDS];
};

// Two copies take turns: a GPU that writes to the second has had letters of the first from all, and one that writes to the
// first again, letters of the second, before which all had read the first. Zero before the first exchange.
struct Letters {
  Letter from[2][MOST_GPUS];
};

struct Mail {
  u32 part, parts;
  Letters* mine;
  char* const* peers;  // where the memory of each GPU begins in which its letters lie at `at`
  u64 at;
  u32* arrived;               // of grid_barrier
  i64 *finished, *outcome;  // as in Meeting; not LOST yet

  __device__ __forceinline__ Letters* of(u32 q) const { return q == part ? mine : reinterpret_cast<Letters*>(peers[q] + at); }
};

// All threads of this GPU meet; what they wrote to others' memory is there before what is written after.
__device__ __forceinline__ void all_here(u32* arrived)
{
  __syncthreads();
  if (threadIdx.x == 0) __threadfence_system();
  grid_barrier(arrived);
}

// After all_here: each GPU tells each (itself, too) the words that say(q, word) writes, in the exchange of this number;
// they are counted from 1, and go on in the next launch. Then what any of them wrote before, all read after; `told` has
// what the others said, in shared memory. False where one did not come.
template <class Say>
__device__ __forceinline__ bool exchange(const Mail& m, u64 number, u64 (*told)[MOST_GPUS], const Say& say)
{
  const u32 copy = (u32)number & 1u, q = threadIdx.x;
  if (blockIdx.x == 0 && q < 32) {
    if (q < m.parts) {
      Letter* to = m.of(q)->from[copy] + m.part;
      say(q, to->word);
      store_release_system(&to->number, number);
    }
    __syncwarp();
    if (q < m.parts) {
      const u64 *theirs = &m.mine->from[copy][q].number, began = nanoseconds();
      u64 now = load_acquire_system(theirs);
      while (now < number && __ldcg(m.finished) != LOST) {
        if (nanoseconds() - began > BARRIER_TIMEOUT_NS) now = GAVE_UP;
        else now = load_acquire_system(theirs);
      }
      if (now == GAVE_UP) {
        *m.finished = *m.outcome = LOST;
        for (u32 k = 0; k < 2 * m.parts; ++k) store_release_system(&m.of(k >> 1)->from[k & 1u][m.part].number, GAVE_UP);
      }
    }
  }
  grid_barrier(m.arrived);
  if (threadIdx.x < m.parts * LETTER_WORDS) {
    const u32 of = threadIdx.x / LETTER_WORDS, k = threadIdx.x % LETTER_WORDS;
    told[k][of] = __ldcg(m.mine->from[copy][of].word + k);
  }
  __syncthreads();
  return __ldcg(m.finished) != LOST;
}
