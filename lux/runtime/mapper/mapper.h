// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Lux's library and mapper in Legate. The mapper takes Legate's default for every store, except for stores that a launch of
// a native task (tasks.h) asks for in zero-copy memory (ZCMEM). CPU cores and all GPUs of the process read this
// host memory in place, so that one instance serves them all; it has room for stores that GPUs' own memory cannot hold.
#pragma once

#include "tasks.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace {

namespace mapping = legate::mapping;

// Sets of stores: bit i stands for the i-th of inputs, then outputs, then reductions. One set holds for all points, others
// for some points.
std::uint64_t zero_copy_stores(const mapping::Task& task)
{
  constexpr auto CALL_TASK = legate::LocalTaskID{0}, KERNEL_TASK = legate::LocalTaskID{1};
  const auto set = [&](std::uint32_t scalar) { return static_cast<std::uint64_t>(task.scalar(scalar).value<std::int64_t>()); };
  if (task.task_id() == CALL_TASK) return set(2);
  if (task.task_id() != KERNEL_TASK) return 0;
  // The bits of points follow, in as many scalars as it takes.
  constexpr std::uint32_t POINTS = 4, POINTS_OF_A_SCALAR = 63;
  if (set(3) == 0) return set(2);
  const auto point  = static_cast<std::uint32_t>(task.input(0).data().domain().lo()[0]);
  const auto scalar = POINTS + point / POINTS_OF_A_SCALAR;
  const bool here   = scalar < task.num_scalars() && ((set(scalar) >> point % POINTS_OF_A_SCALAR) & 1U) != 0;
  return set(2) | (here ? set(3) : 0U);
}

class LuxMapper final : public mapping::Mapper {
 public:
  // Legate's options of CPU cores leave out zero-copy memory, although cores reach it. Launches ask for it only where there
  // are GPUs, and with them this memory.
  std::vector<mapping::StoreMapping> store_mappings(const mapping::Task& task, const std::vector<mapping::StoreTarget>&) override
  {
    std::vector<mapping::StoreMapping> chosen;
    const auto wanted = zero_copy_stores(task);
    if (wanted == 0) return chosen;
    unsigned position = 0;
    for (const auto& arrays : {task.inputs(), task.outputs(), task.reductions()}) {
      for (const auto& array : arrays) {
        if (position < 64 && ((wanted >> position) & 1U) != 0) {
          chosen.push_back(mapping::StoreMapping::default_mapping(array.data(), mapping::StoreTarget::ZCMEM));
        }
        ++position;
      }
    }
    return chosen;
  }

  std::optional<std::size_t> allocation_pool_size(const mapping::Task&, mapping::StoreTarget) override
  {
    return std::nullopt;
  }

  legate::Scalar tunable_value(legate::TunableID) override { return legate::Scalar{std::int64_t{0}}; }
};

}  // namespace

extern "C" {

// Creates the library, or finds it where it exists already. Returns 1 if it was created.
__attribute__((visibility("default"))) int lux_register_library()
{
  legate::ResourceConfig resources;
  resources.max_tasks     = 4096;
  resources.max_dyn_tasks = 4091;  // Python tasks take their ids from these
  bool created            = false;
  const auto library = legate::Runtime::get_runtime()->find_or_create_library(
    "lux", resources, std::make_unique<LuxMapper>(), {}, &created);
  if (created) register_tasks(library);
  return created ? 1 : 0;
}

}  // extern "C"
