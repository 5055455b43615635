// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// What tasks (tasks.h) call, without Legate's types.
#pragma once

#include <cstdint>
#include <vector>

namespace lux {

// A store as a task sees it.
struct Array {
  void* data;
  std::int64_t size;
};

struct Call;

// Returns the body that was registered for a key; null for points beyond those that were registered with it (call.cc).
Call* call_of(std::int64_t key, std::int64_t point);

// Runs a body in launch `number` on the task's inputs, outputs and reductions.
void run(Call& call, std::int64_t number, std::int64_t point, const std::vector<Array>& arrays);

// Tells whether the plan of a key has this point (gpu.cc).
bool plan_has(std::int64_t key, std::int64_t point);

// Launches the kernel of a plan on the addresses of the task's inputs, outputs and reductions. The number of a launch has
// its iterations in the upper half.
void launch_kernel(std::int64_t key, std::int64_t point, std::int64_t number, const std::vector<std::uint64_t>& arrays, void* stream);

// Runs launches of the task's GPU from number `first` on, until the run has ended or `count` have run (gpu_exchange.cc).
void iterate_on_gpu(std::int64_t key, void* comm, void* stream, std::int64_t first, std::int64_t count);

}  // namespace lux
